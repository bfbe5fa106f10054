#include "cufuse/Driver/Fuser.h"

#include "TemporaryFolder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char *Structs = R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>
struct Point { int x, y; };
struct Named { char tag; Point at; };
class Base { protected: short width; };
struct Derived : Base { double area; struct { bool open; }; };
struct Outer { Point corners[2]; float matrix[2][2]; float *data; };
struct Empty {};
union Either { int i; float f; };
struct Bits { unsigned low : 3; };
enum class Mode : unsigned char { A, B };
struct Virtual { virtual void act() {} int x; };
struct Large { float values[8192]; };
struct Long { char text[5000]; int x; };
struct Holder { Either either; Mode mode; int (*call)(int); };
template <typename T> __global__ void scalars(T a, unsigned char b, bool c, __half d, __nv_bfloat16 e, float4 f, Mode g,
                                              long h) {}
template __global__ void scalars<double>(double, unsigned char, bool, __half, __nv_bfloat16, float4, Mode, long);
__global__ void structs(const Named named, Derived derived, Outer outer, Empty empty) {}
__global__ void opaque(Either a, Bits b, Holder c, __grid_constant__ const Point d, int Point::*e, Large f,
                       Long g, Virtual h) {}
namespace ns { namespace { __global__ void hidden(int *p) {} } static __global__ void local(int) {} }
extern "C" __global__ void plain(int) {}
)";

class Layout : public testing::Test {
protected:
  static void SetUpTestSuite() {
    auto Found = findToolchain("");
    if (!Found) {
      llvm::consumeError(Found.takeError());
      return;
    }
    const TemporaryFolder Folder;
    auto Loaded = readAllKernels(*Found, Folder.put("layout.cu", Structs), {}, Instances::All);
    if (!Loaded) {
      ADD_FAILURE() << llvm::toString(Loaded.takeError());
      return;
    }
    for (LoadedKernel &Kernel : *Loaded)
      Facts[Kernel.Facts.Name] = std::move(Kernel.Facts);
  }
  void SetUp() override {
    if (Facts.empty())
      GTEST_SKIP() << "there is no CUDA toolkit";
  }
  /// `path kind@offset+bytes` of each scalar.
  static std::vector<std::string> fields(const char *Kernel, size_t Parameter) {
    constexpr const char *Kinds[] = {"bool", "signed", "unsigned", "float", "bfloat", "pointer", "opaque"};
    std::vector<std::string> Found;
    for (const FieldFacts &F : Facts.at(Kernel).Parameters.at(Parameter).Fields)
      Found.push_back(fmt::format("{}{}{}@{}+{}", F.Path, F.Path.empty() ? "" : " ", Kinds[static_cast<int>(F.Kind)],
                                  F.Offset, F.Bytes));
    return Found;
  }
  static std::map<std::string, KernelFacts> Facts;
};
std::map<std::string, KernelFacts> Layout::Facts;

TEST_F(Layout, ScalarsAreTheWholeParameter) {
  EXPECT_THAT(fields("scalars", 0), ElementsAre("float@0+8"));
  EXPECT_THAT(fields("scalars", 1), ElementsAre("unsigned@0+1"));
  EXPECT_THAT(fields("scalars", 2), ElementsAre("bool@0+1"));
  EXPECT_THAT(fields("scalars", 3), ElementsAre("float@0+2"));
  EXPECT_THAT(fields("scalars", 4), ElementsAre("bfloat@0+2"));
  EXPECT_THAT(fields("scalars", 5), ElementsAre("x float@0+4", "y float@4+4", "z float@8+4", "w float@12+4"));
  EXPECT_EQ(Facts["scalars"].Parameters[5].Alignment, 16u);
  EXPECT_THAT(fields("scalars", 6), ElementsAre("unsigned@0+1"));
  EXPECT_THAT(fields("scalars", 7), ElementsAre("signed@0+8"));
}

TEST_F(Layout, FieldsLieWhereTheCompilerPutsThem) {
  EXPECT_THAT(fields("structs", 0), ElementsAre("tag signed@0+1", "at.x signed@4+4", "at.y signed@8+4"));
  EXPECT_EQ(Facts["structs"].Parameters[0].Bytes, 12u);
  EXPECT_THAT(fields("structs", 1), ElementsAre("width signed@0+2", "area float@8+8", "open bool@16+1"));
  EXPECT_THAT(fields("structs", 2),
              ElementsAre("corners[0].x signed@0+4", "corners[0].y signed@4+4", "corners[1].x signed@8+4",
                          "corners[1].y signed@12+4", "matrix[0][0] float@16+4", "matrix[0][1] float@20+4",
                          "matrix[1][0] float@24+4", "matrix[1][1] float@28+4", "data pointer@32+8"));
  EXPECT_THAT(fields("structs", 3), IsEmpty());
  EXPECT_EQ(Facts["structs"].Parameters[3].Bytes, 1u);
}

TEST_F(Layout, WhatHasNoPlainFieldsIsOpaque) {
  EXPECT_THAT(fields("opaque", 0), ElementsAre("opaque@0+4"));
  EXPECT_THAT(fields("opaque", 1), ElementsAre("opaque@0+4"));
  EXPECT_THAT(fields("opaque", 2), ElementsAre("either opaque@0+4", "mode unsigned@4+1", "call opaque@8+8"));
  EXPECT_THAT(fields("opaque", 3), ElementsAre("x signed@0+4", "y signed@4+4"));
  EXPECT_THAT(fields("opaque", 4), ElementsAre("opaque@0+8"));
  EXPECT_THAT(fields("opaque", 5), ElementsAre("opaque@0+0"));
  EXPECT_THAT(fields("opaque", 6), ElementsAre("text opaque@0+5000", "x signed@5000+4"));
  EXPECT_THAT(fields("opaque", 7), ElementsAre("opaque@0+16"));
}

TEST_F(Layout, NamesAreMangled) {
  EXPECT_EQ(Facts["structs"].MangledName, "_Z7structs5Named7Derived5Outer5Empty");
  EXPECT_EQ(Facts["scalars"].MangledName, "_Z7scalarsIdEvT_hb6__half13__nv_bfloat166float44Model");
  EXPECT_EQ(Facts["hidden"].MangledName, "_ZN2ns12_GLOBAL__N_16hiddenEPi");
  EXPECT_EQ(Facts["local"].MangledName, "_ZN2nsL5localEi");
  EXPECT_EQ(Facts["plain"].MangledName, "plain");
}

} // namespace
} // namespace cufuse
