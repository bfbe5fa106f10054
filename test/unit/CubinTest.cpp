#include "cufuse/Compile/Cubin.h"

#include "Complaint.h"
#include "TemporaryFolder.h"

#include "cufuse/Frontend/Toolchain.h"
#include "cufuse/Support/Process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace cufuse {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char *Source = R"(namespace {
struct Local { int x; };
__global__ void hidden(int *p) { *p = 1; }
}
static __global__ void local(int *p) { *p = 2; }
template <typename T> __global__ void typed(T *p) { p->x = 2; }
extern "C" __global__ void plain(int *p) { *p = 3; }
namespace ns { template <typename T, int N> __global__ void numbered(T *p) { *p = N; } }
void go(int *p) {
  hidden<<<1, 1>>>(p);
  local<<<1, 1>>>(p);
  typed<Local><<<1, 1>>>(nullptr);
  ns::numbered<int, 3><<<1, 1>>>(p);
}
)";

class Cubin : public testing::Test {
protected:
  void SetUp() override {
    auto Tools = findToolchain("");
    if (!Tools || Tools->Nvcc.empty()) {
      llvm::consumeError(Tools.takeError());
      GTEST_SKIP() << "there is no nvcc";
    }
    auto Result = runProcess(
        {Tools->Nvcc, "-arch=sm_90a", "-cubin", "-o", Folder.at("a.cubin"), Folder.put("a.cu", Source)}, 120);
    ASSERT_TRUE(Result && Result->Status == 0);
  }
  std::string entry(const std::string &Mangled) const {
    auto Name = entryName(Folder.at("a.cubin"), Mangled);
    return Name ? *Name : complaintOf(Name.takeError());
  }
  TemporaryFolder Folder;
};

TEST_F(Cubin, KernelsAreFoundUnderTheNamesThatNvccGivesThem) {
  EXPECT_EQ(entry("plain"), "plain");
  EXPECT_EQ(entry("_ZN2ns8numberedIiLi3EEEvPT_"), "_ZN2ns8numberedIiLi3EEEvPT_");
  EXPECT_EQ(entry("_ZL5localPi"), "_Z5localPi");
  EXPECT_THAT(entry("_ZN12_GLOBAL__N_16hiddenEPi"), testing::MatchesRegex("_ZN[0-9]+_GLOBAL__N__.*6hiddenEPi"));
  EXPECT_THAT(entry("_Z5typedIN12_GLOBAL__N_15LocalEEvPT_"), StartsWith("_Z5typedIN"));
}

TEST_F(Cubin, MissingKernelsAreReported) {
  EXPECT_THAT(entry("_ZN2ns8numberedIiLi4EEEvPT_"),
              HasSubstr("the compiled file has no kernel void ns::numbered<int, 4>(int*); a template must be "
                        "instantiated in its file, as by a launch; there are "));
  Folder.put("a.cubin", "no ELF");
  EXPECT_THAT(entry("plain"), HasSubstr("a.cubin' is no cubin"));
  fs::remove(Folder.at("a.cubin"));
  EXPECT_THAT(entry("plain"), HasSubstr("a.cubin': No such file"));
}

} // namespace
} // namespace cufuse
