#include "cufuse/Compile/Compiler.h"
#include "cufuse/Ptx/SeparatePtx.h"

#include "TemporaryFolder.h"

#include "cufuse/Frontend/Toolchain.h"

#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <future>
#include <set>

namespace cufuse {
namespace {

using testing::HasSubstr;

/// Counts the calls of nvcc by what they make.
class RealNvcc : public testing::Test {
protected:
  void SetUp() override {
    auto Tools = findToolchain("");
    if (!Tools || Tools->Nvcc.empty()) {
      llvm::consumeError(Tools.takeError());
      GTEST_SKIP() << "no nvcc";
    }
    Nvcc = Folder.script("nvcc", "echo \"$1\" >> " + Folder.at("calls") + "; exec " + Tools->Nvcc + " \"$@\"");
  }
  std::shared_ptr<ArtifactCache> cache(const std::string &Name = "cache") const {
    return std::make_shared<ArtifactCache>(Folder.at(Name));
  }
  /// Each a new object, as in another process.
  llvm::Expected<CompiledKernels> compile(const CompileJob &Job) { return NvccCompiler(Nvcc, cache()).compile(Job); }
  size_t calls(const std::string &What) const {
    std::istringstream Calls(Folder.read("calls"));
    size_t Count = 0;
    for (std::string Line; std::getline(Calls, Line);)
      Count += Line == What;
    return Count;
  }
  static CompileJob jobOf(const std::string &Attribute, const std::string &Body = "") {
    CompileJob Job;
    Job.Files = {{"kernel.cu", "__global__ void " + Attribute +
                                   " kernel(const float *a, float *b, int n) {\n"
                                   "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  float s[40] = {};\n"
                                   "#pragma unroll\n  for (int k = 0; k < 40; ++k) s[k] = a[i + k * n];\n"
                                   "  float t = 0;\n#pragma unroll\n"
                                   "  for (int k = 0; k < 40; ++k) t += s[k] * s[39 - k] / s[(k * 7) % 40];\n" +
                                   Body + "  b[i] = t;\n}\n"}};
    Job.Arch = "sm_90a";
    Job.Entry = "_Z6kernel";
    return Job;
  }
  const ResourceUse &only(const CompiledKernels &Compiled) {
    EXPECT_EQ(Compiled.Resources.size(), 1u);
    return Compiled.Resources.begin()->second;
  }

  TemporaryFolder Folder;
  std::string Nvcc;
};

TEST_F(RealNvcc, CapsShareOnePtxAndAreWhatTheAttributesMean) {
  CompileJob Job = jobOf("__launch_bounds__(256)");
  auto Free = compile(Job);
  Job.Cap.MinBlocks = 8;
  auto Tight = compile(Job);
  ASSERT_TRUE(Free && Tight);
  EXPECT_EQ(calls("-ptx"), 1u);
  EXPECT_EQ(calls("-cubin"), 2u);
  EXPECT_GT(only(*Free).Registers, 32u);
  EXPECT_EQ(only(*Tight).Registers, 32u);
  EXPECT_GT(only(*Tight).SpillStores, 0u);
  // The PTX with the cap is the very text that the attribute gives: the cubin is the one that is there already.
  auto Written = compile(jobOf("__launch_bounds__(256, 8)"));
  ASSERT_TRUE(bool(Written));
  EXPECT_EQ(Written->Cubin, Tight->Cubin);
  EXPECT_EQ(calls("-ptx"), 2u);
  EXPECT_EQ(calls("-cubin"), 2u);

  Job.Cap = {0, 48};
  auto Count = compile(Job), Maximum = compile(jobOf("__maxnreg__(48)"));
  ASSERT_TRUE(Count && Maximum);
  EXPECT_EQ(Count->Cubin, Maximum->Cubin);
  EXPECT_LE(only(*Count).Registers, 48u);
}

TEST_F(RealNvcc, WhatWasCompiledIsNotCompiledAgain) {
  const CompileJob Job = jobOf("");
  auto First = compile(Job), Second = compile(Job);
  ASSERT_TRUE(First && Second);
  EXPECT_EQ(First->Cubin, Second->Cubin);
  EXPECT_EQ(only(*First).Registers, only(*Second).Registers);
  EXPECT_EQ(calls("-ptx"), 1u);
  EXPECT_EQ(calls("-cubin"), 1u);
  CompileJob Other = Job;
  Other.Flags = {"--fmad=false"};
  auto Third = compile(Other);
  ASSERT_TRUE(bool(Third));
  EXPECT_NE(Third->Cubin, First->Cubin);
  // The driver of the ELF file is in its header: an image for the device.
  std::ifstream Cubin(First->Cubin, std::ios::binary);
  char Magic[4] = {};
  Cubin.read(Magic, 4);
  EXPECT_EQ(std::string(Magic, 4), "\x7f"
                                   "ELF");
}

TEST_F(RealNvcc, AChangedHeaderIsNoticed) {
  std::filesystem::create_directory(Folder.at("some dir"));
  Folder.put("some dir/scale.h", "#define SCALE 2\n");
  Folder.put("user.cu",
             "#include \"some dir/scale.h\"\nextern \"C\" __global__ void scale(float *a) { a[threadIdx.x] *= "
             "SCALE; }\n");
  CompileJob Job;
  Job.Source = Folder.at("user.cu");
  Job.Arch = "sm_90a";
  auto First = compile(Job), Again = compile(Job);
  ASSERT_TRUE(First && Again);
  EXPECT_EQ(First->Resources.begin()->first, "scale");
  EXPECT_EQ(calls("-ptx"), 1u);
  Folder.put("some dir/scale.h", "#define SCALE 3.5f\n");
  auto Changed = compile(Job);
  ASSERT_TRUE(bool(Changed));
  EXPECT_EQ(calls("-ptx"), 2u);
  EXPECT_NE(Changed->Cubin, First->Cubin);
  EXPECT_TRUE(std::filesystem::exists(First->Cubin));
}

TEST_F(RealNvcc, IgnoredBudgetsAreReported) {
  const std::string Budget = "  asm volatile(\"setmaxnreg.dec.sync.aligned.u32 24;\");\n";
  auto Unbound = compile(jobOf("__launch_bounds__(256)", Budget));
  auto Bound = compile(jobOf("__launch_bounds__(256, 1)", Budget));
  ASSERT_TRUE(Unbound && Bound);
  EXPECT_TRUE(Unbound->BudgetIgnored);
  EXPECT_FALSE(Bound->BudgetIgnored);
}

TEST_F(RealNvcc, RelocatableCodeIsNotMade) {
  CompileJob Job = jobOf("");
  auto Plain = compile(Job);
  Job.Flags = {"-rdc=true"};
  auto Relocatable = compile(Job);
  ASSERT_TRUE(Plain && Relocatable);
  EXPECT_EQ(Plain->Cubin, Relocatable->Cubin);
}

TEST_F(RealNvcc, WhyItDoesNotCompileIsSaid) {
  CompileJob Job = jobOf("");
  Job.Files[0].Text += "nonsense\n";
  EXPECT_THAT(llvm::toString(compile(Job).takeError()),
              testing::AllOf(HasSubstr("nvcc does not compile the source"), HasSubstr("nonsense")));
  Job.Files.clear();
  Job.Source = Folder.put("user.cu", "#error no\n");
  EXPECT_THAT(llvm::toString(compile(Job).takeError()), HasSubstr("user.cu"));
  // Nothing half-made is left.
  for (const auto &Entry : std::filesystem::directory_iterator(Folder.at("cache")))
    EXPECT_FALSE(Entry.path().filename().string().starts_with("new")) << Entry.path();
}

TEST_F(RealNvcc, SeveralThreadsMakeAnEntryOnce) {
  NvccCompiler Compiler(Nvcc, cache());
  CompileJob Job = jobOf("__launch_bounds__(256)");
  std::vector<std::future<llvm::Expected<CompiledKernels>>> Running;
  for (unsigned Blocks : {0, 1, 2, 0, 1, 2}) {
    Job.Cap.MinBlocks = Blocks;
    Running.push_back(std::async(std::launch::async, [&Compiler, Job] { return Compiler.compile(Job); }));
  }
  std::set<std::string> Cubins;
  for (auto &One : Running)
    Cubins.insert(llvm::cantFail(One.get()).Cubin);
  EXPECT_EQ(Cubins.size(), 3u);
  EXPECT_EQ(calls("-ptx"), 1u);
  EXPECT_EQ(calls("-cubin"), 3u);
}

/// A kernel in a namespace of its own, with a table, shared memory, and a function that is called.
CompileJob markedJob(const std::string &Mark, const std::string &Body) {
  CompileJob Job;
  Job.Files = {{"kernel.cu", "#include \"kernel.h\"\nnamespace " + Mark +
                                 " {\n__constant__ float table[8000] = {1, 2};\n"
                                 "__device__ __noinline__ float scaled(float x) { return x * table[threadIdx.x]; }\n"
                                 "__global__ void kernel(float *x) {\n  __shared__ float s[64];\n" +
                                 Body + "\n  x[0] = scaled(s[1]);\n}\n}\n"},
               {"kernel.h", "#pragma once\nnamespace " + Mark + " { constexpr int own = 1; }\n"}};
  Job.Arch = "sm_90a";
  Job.Entry = "_ZN" + std::to_string(Mark.size()) + Mark + "6kernel";
  Job.Mark = Mark;
  return Job;
}

TEST_F(RealNvcc, WhatIsPreparedTogetherIsReadOnceAndWhatItIsAlone) {
  // Tables of 32 kB each: two in one cubin are too many.
  std::vector<CompileJob> Jobs;
  for (const char *Mark : {"mark_a", "mark_b", "mark_c"})
    Jobs.push_back(markedJob(Mark, std::string("s[threadIdx.x] = x[threadIdx.x] + '") + Mark[5] + "';"));
  NvccCompiler Together(Nvcc, cache()), Apart(Nvcc, cache("other"));
  Together.prepare({&Jobs[0], &Jobs[1], &Jobs[2]});
  EXPECT_EQ(calls("-ptx"), 1u);
  std::vector<CompiledKernels> Prepared;
  for (const CompileJob &Job : Jobs)
    Prepared.push_back(llvm::cantFail(Together.compile(Job)));
  EXPECT_EQ(calls("-ptx"), 1u);
  for (size_t I = 0; I < Jobs.size(); ++I) {
    const CompiledKernels Alone = llvm::cantFail(Apart.compile(Jobs[I]));
    EXPECT_EQ(Folder.read(Prepared[I].Cubin), Folder.read(Alone.Cubin));
    EXPECT_EQ(only(Prepared[I]).Registers, only(Alone).Registers);
  }
  Together.prepare({&Jobs[0], &Jobs[1], &Jobs[2]}); // all is there
  EXPECT_EQ(calls("-ptx"), 4u);
}

TEST_F(RealNvcc, PtxThatDoesMoreThanPlannedIsNeitherUsedNorKept) {
  auto Planned = [](const std::string &Mark, const std::string &Body) {
    CompileJob Job = markedJob(Mark, "");
    Job.Files = {{"kernel.cu", "// cufuse-check 2: name=" + Mark + " threads=64 reads=tid.x\nnamespace " + Mark +
                                   " {\n__global__ void fused(int *x) { " + Body + " }\n}\n"}};
    Job.Entry = "_ZN6" + Mark + "5fused";
    return Job;
  };
  const CompileJob Good = Planned("mark_a", "x[threadIdx.x] = 1;"), Bad = Planned("mark_b", "x[blockDim.x] = 1;");
  NvccCompiler Compiler(Nvcc, cache());
  Compiler.prepare({&Good, &Bad});
  EXPECT_EQ(calls("-ptx"), 1u);
  EXPECT_TRUE(bool(Compiler.compile(Good)));
  EXPECT_EQ(calls("-ptx"), 1u);
  for (unsigned Calls : {2, 3}) {
    EXPECT_THAT(llvm::toString(Compiler.compile(Bad).takeError()), HasSubstr("%ntid.x is read"));
    EXPECT_EQ(calls("-ptx"), Calls);
  }
  EXPECT_EQ(calls("-cubin"), 1u);
}

TEST_F(RealNvcc, WhatDoesNotCompileDoesNotKeepTheOthersFromIt) {
  const CompileJob Good = markedJob("mark_a", "s[threadIdx.x] = x[3];"), Bad = markedJob("mark_b", "nonsense");
  NvccCompiler Compiler(Nvcc, cache());
  Compiler.prepare({&Good, &Bad});
  EXPECT_EQ(only(llvm::cantFail(Compiler.compile(Good))).SharedBytes, 256u);
  EXPECT_THAT(llvm::toString(Compiler.compile(Bad).takeError()), HasSubstr("nonsense"));
  const size_t Before = calls("-ptx");
  Compiler.prepare({&Good, &Bad});
  EXPECT_EQ(calls("-ptx"), Before); // once is enough
}

TEST(SeparatePtx, EachKeepsItsOwnAndWhatAllShare) {
  const std::string Head = "//\n.version 9.0\n.target sm_90a\n.address_size 64\n",
                    Shared = ".global .align 4 .u32 shared; // of a\n";
  auto Own = [](const std::string &Mark) {
    return ".extern .func  (.param .b32 r) f" + Mark + "\n(\n\t.param .b32 x\n)\n;\n.const .align 4 .b8 t" + Mark +
           "[4] = {1, 2};\n.visible .entry k" + Mark +
           "(\n\t.param .u64 p\n)\n.maxntid 64\n{ // {\n\t{ mov.u32 %r1, 0; }\n}\n";
  };
  EXPECT_THAT(separatePtx(Head + Own("_a") + Shared + Own("_b"), {"_a", "_b"}),
              testing::ElementsAre(Head + Own("_a") + Shared, Head + Shared + Own("_b")));
  const std::string Strings = "\t.section\t.debug_str\n\t{\nstring:\n\t.b8 97\n\t}\n";
  EXPECT_THAT(separatePtx(Head + Strings, {"_a"}), testing::ElementsAre(Head + Strings));
  EXPECT_THAT(separatePtx(Head + "\t.section\t.debug_info\n\t{\n\t.b64 k_a\n\t}\n", {"_a"}), testing::IsEmpty());
  EXPECT_THAT(separatePtx(Head + "}\n", {"_a"}), testing::IsEmpty());
  EXPECT_THAT(separatePtx(Head + ".visible .entry k(\n", {"_a"}), testing::IsEmpty());
}

TEST(Compiler, WithoutNvccIsAMissingTool) {
  TemporaryFolder Folder;
  EXPECT_THAT(llvm::toString(NvccCompiler("", nullptr).compile({}).takeError()), HasSubstr("nvcc"));
}

TEST(ArtifactCache, FailuresLeaveNothing) {
  TemporaryFolder Folder;
  ArtifactCache Cache(Folder.at("cache"));
  auto Failed = Cache.get({"key"}, [](const std::string &) { return llvm::createStringError("no"); });
  EXPECT_EQ(llvm::toString(Failed.takeError()), "no");
  unsigned Made = 0;
  auto Make = [&](const std::string &) {
    ++Made;
    return llvm::Error::success();
  };
  const std::string Entry = llvm::cantFail(Cache.get({"key"}, Make));
  EXPECT_EQ(llvm::cantFail(Cache.get({"key"}, Make)), Entry);
  EXPECT_EQ(Made, 1u);
  // Neither concatenation nor order is lost in the hash.
  EXPECT_NE(llvm::cantFail(Cache.get({"ke", "y"}, Make)), Entry);
  EXPECT_NE(llvm::cantFail(Cache.get({"y", "ke"}, Make)), llvm::cantFail(Cache.get({"ke", "y"}, Make)));
}

TEST(ArtifactCache, AFileThatItDependsOnMayGo) {
  TemporaryFolder Folder;
  Folder.put("header", "1");
  ArtifactCache Cache(Folder.at("cache"));
  unsigned Made = 0;
  auto Make = [&](const std::string &New) {
    ++Made;
    std::ofstream(New + "/depends") << Folder.at("header") << '\n';
    return llvm::Error::success();
  };
  llvm::cantFail(Cache.get({"key"}, Make));
  std::filesystem::remove(Folder.at("header"));
  llvm::cantFail(Cache.get({"key"}, Make));
  EXPECT_EQ(Made, 2u);
}

TEST(ArtifactCache, WhatWasUsedLastStaysWhenItIsPruned) {
  const TemporaryFolder Folder;
  ArtifactCache Cache(Folder.at("cache"));
  unsigned Made = 0;
  auto Get = [&](const std::string &Key) {
    return llvm::cantFail(Cache.get({Key}, [&](const std::string &New) {
      ++Made;
      std::ofstream(New + "/data") << std::string(1000, 'x');
      return llvm::Error::success();
    }));
  };
  const auto Now = std::filesystem::file_time_type::clock::now();
  for (int I = 0; I < 4; ++I)
    std::filesystem::last_write_time(Get(std::to_string(I)) + "/stamps", Now - std::chrono::hours(10 - I));
  Get("0"); // Used now.
  Cache.prune(2500, std::chrono::hours(24));
  EXPECT_EQ(Made, 4u);
  Get("1"); // Within the hours that are spared, all stay.
  EXPECT_EQ(Made, 4u);
  std::filesystem::last_write_time(Get("1") + "/stamps", Now - std::chrono::hours(9));
  Cache.prune(2500, std::chrono::hours(1));
  Get("0");
  Get("3");
  EXPECT_EQ(Made, 4u);
  Get("1");
  Get("2");
  EXPECT_EQ(Made, 6u);
}

/// Counts how often an entry is made of a header.
class CacheOfHeader : public testing::Test {
protected:
  std::string get(const std::function<void()> &Meanwhile = [] {}) {
    return llvm::cantFail(Cache.get({"key"}, [&](const std::string &New) {
      ++Made;
      std::ofstream(New + "/product") << "made of " << Folder.read("header");
      Meanwhile();
      std::ofstream(New + "/depends") << Folder.at("header") << '\n' << Folder.at("first/header") << '\n';
      return llvm::Error::success();
    }));
  }
  std::string product(const std::string &Entry) { return Folder.read(Entry + "/product"); }

  TemporaryFolder Folder;
  ArtifactCache Cache{Folder.at("cache")};
  unsigned Made = 0;
};

TEST_F(CacheOfHeader, WhatIsEditedWhileItIsMadeIsMadeAgain) {
  Folder.put("header", "1");
  EXPECT_EQ(product(get([&] {
              if (Made == 1)
                Folder.put("header", "2");
            })),
            "made of 2");
  EXPECT_EQ(Made, 2u);
  EXPECT_EQ(product(get()), "made of 2");
  EXPECT_EQ(Made, 2u);
  // One whose time is wrong is made twice at the most.
  EXPECT_THAT(llvm::toString(Cache
                                 .get({"other"},
                                      [&](const std::string &New) {
                                        Folder.put("header", std::to_string(++Made));
                                        std::ofstream(New + "/depends") << Folder.at("header");
                                        return llvm::Error::success();
                                      })
                                 .takeError()),
              HasSubstr("again and again"));
}

TEST_F(CacheOfHeader, WhatCountsIsTheContent) {
  Folder.put("header", "1");
  const std::string Entry = get();
  const auto Time = std::filesystem::last_write_time(Folder.at("header"));
  std::filesystem::last_write_time(Folder.at("header"), Time + std::chrono::hours(1));
  get();
  EXPECT_EQ(Made, 1u);
  // As large and as old as before.
  Folder.put("header", "3");
  std::filesystem::last_write_time(Folder.at("header"), Time);
  EXPECT_EQ(product(get()), "made of 3");
}

TEST_F(CacheOfHeader, AHeaderThatWouldBeFoundFirstIsNoticed) {
  Folder.put("header", "1");
  get();
  Folder.put("first/header", "2");
  get();
  EXPECT_EQ(Made, 2u);
}

TEST_F(CacheOfHeader, WhatIsDamagedIsNoEntry) {
  Folder.put("header", "1");
  unsigned Times = 0;
  for (const auto &Damage : std::vector<std::function<void(const std::string &)>>{
           [](const std::string &Entry) { std::filesystem::resize_file(Entry + "/product", 3); },
           [](const std::string &Entry) { std::ofstream(Entry + "/product") << "made of 2"; },
           [](const std::string &Entry) { std::filesystem::remove(Entry + "/product"); },
           [](const std::string &Entry) { std::filesystem::remove(Entry + "/stamps"); },
           [](const std::string &Entry) { std::filesystem::resize_file(Entry + "/stamps", 0); },
           [](const std::string &Entry) { std::filesystem::resize_file(Entry + "/stamps", 30); },
           [](const std::string &Entry) { std::filesystem::remove(Entry + "/depends"); }}) {
    Damage(get());
    EXPECT_FALSE(Cache.has({"key"})) << Times;
    EXPECT_EQ(product(get()), "made of 1") << Times;
    EXPECT_EQ(Made, 2 + Times) << Times;
    ++Times;
  }
}

TEST_F(CacheOfHeader, WhatKilledProcessesLeaveIsRemovedAndNothingElse) {
  Folder.put("header", "1");
  get();
  const std::vector<std::string> Ours = {"new-cufuse-abcdef", "old-cufuse-ABC123"},
                                 Others = {"new-model",
                                           "old-results",
                                           "new-cufuse-abc",
                                           "new-abcdef",
                                           "01/a",
                                           "v1/train",
                                           "ab/" + std::string(38, 'c'),
                                           "AB/" + std::string(38, 'd'),
                                           "notes"};
  const auto Before = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  for (const auto &Some : {Ours, Others})
    for (const std::string &Name : Some) {
      Folder.put("cache/" + Name + "/product", "somebody's");
      std::filesystem::last_write_time(Folder.at("cache/" + Name), Before);
    }
  // What links lead to is another's, too.
  Folder.put("far/product", "somebody's");
  for (const char *Name : {"cache/new-cufuse-bcdefg", "cache/cd"})
    std::filesystem::create_directory_symlink(Folder.at("far"), Folder.at(Name));
  std::filesystem::last_write_time(Folder.at("far"), Before);
  Folder.put("cache/new-cufuse-uvwxyz/product", "half"); // of a process that may live
  Cache.prune(0, std::chrono::hours(24));
  for (const std::string &Name : Ours)
    EXPECT_FALSE(std::filesystem::exists(Folder.at("cache/" + Name))) << Name;
  for (const std::string &Name : Others)
    EXPECT_EQ(Folder.read("cache/" + Name + "/product"), "somebody's") << Name;
  EXPECT_EQ(Folder.read("far/product"), "somebody's");
  EXPECT_EQ(Folder.read("cache/new-cufuse-uvwxyz/product"), "half");
  get();
  EXPECT_EQ(Made, 1u);
}

/// What is said of a cache that is asked once, and for another entry.
std::string saidOf(const std::string &Path) {
  std::string Said;
  std::filesystem::path Entry;
  {
    ArtifactCache Cache(Path, [&](const std::string &Note) { Said += Note + "\n"; });
    for (const char *Key : {"a", "b"})
      EXPECT_TRUE(std::filesystem::is_directory(
          Entry = llvm::cantFail(Cache.get({Key}, [](const std::string &) { return llvm::Error::success(); }))));
    Cache.prune(0, std::chrono::seconds(0));
  }
  EXPECT_EQ(std::filesystem::exists(Entry), Said.empty() && Entry.string().starts_with(Path));
  return Said;
}

TEST(ArtifactCache, OneThatMayBeAnothersIsNeitherBelievedNorChangedAndThatIsSaidOnce) {
  const TemporaryFolder Folder;
  namespace fs = std::filesystem;
  auto IsUnused = [](const std::string &Why) {
    return testing::AllOf(testing::StartsWith("the cache '"), HasSubstr("is not used: " + Why),
                          testing::Not(HasSubstr("\nthe cache")));
  };
  Folder.put("full/thesis.txt", "precious");
  EXPECT_THAT(saidOf(Folder.at("full")), IsUnused("it has no CACHEDIR.TAG"));
  EXPECT_EQ(Folder.read("full/thesis.txt"), "precious");
  EXPECT_THAT(saidOf(Folder.at("full/thesis.txt")), IsUnused("it is no folder"));
  EXPECT_THAT(saidOf(Folder.at("full/thesis.txt/cache")), IsUnused("cannot make it"));
  fs::create_directory(Folder.at("ours"));
  fs::permissions(Folder.at("ours"), fs::perms::owner_all);
  fs::create_directory_symlink(Folder.at("ours"), Folder.at("link"));
  EXPECT_THAT(saidOf(Folder.at("link")), IsUnused("it is a link"));
  EXPECT_TRUE(fs::is_empty(Folder.at("ours")));
  {
    ArtifactCache Cache(Folder.at("ours")); // an empty one becomes a cache
    llvm::cantFail(Cache.get({"key"}, [](const std::string &) { return llvm::Error::success(); }));
    EXPECT_TRUE(Cache.has({"key"}));
  }
  fs::permissions(Folder.at("ours"), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(ArtifactCache(Folder.at("ours")).has({"key"}));
  EXPECT_THAT(saidOf(Folder.at("ours")), IsUnused("others may write to it"));
  EXPECT_EQ(fs::status(Folder.at("new")).type(), fs::file_type::not_found);
  ArtifactCache(Folder.at("new")).has({"key"});
  EXPECT_EQ(fs::status(Folder.at("new")).permissions(), fs::perms::owner_all);
}

TEST(ArtifactCache, OneThatCannotBeWrittenAnyMoreCostsTimeOnly) {
  const TemporaryFolder Folder;
  std::string Said;
  ArtifactCache Cache(Folder.at("cache"), [&](const std::string &Note) { Said += Note; });
  EXPECT_FALSE(Cache.has({"key"}));
  // Entries cannot be made, and those that are there are read.
  llvm::cantFail(Cache.get({"there"}, [](const std::string &) { return llvm::Error::success(); }));
  std::filesystem::rename(Folder.at("cache"), Folder.at("away"));
  const std::string Entry = llvm::cantFail(Cache.get({"key"}, [](const std::string &New) {
    std::ofstream(New + "/product") << "1";
    return llvm::Error::success();
  }));
  EXPECT_THAT(Said, testing::AllOf(HasSubstr("is not written to: "), HasSubstr("No such file")));
  EXPECT_EQ(Folder.read(Entry + "/product"), "1");
  std::filesystem::rename(Folder.at("away"), Folder.at("cache"));
  EXPECT_TRUE(Cache.has({"there"}));
  EXPECT_TRUE(Cache.has({"key"}));
}

TEST(ArtifactCache, SeveralProcessesMakeItAtOnce) {
  const TemporaryFolder Folder;
  std::vector<std::future<std::string>> Running;
  for (unsigned I = 0; I < 16; ++I)
    Running.push_back(std::async(std::launch::async, [&Folder, I] {
      std::string Said;
      ArtifactCache Cache(Folder.at("cache"), [&](const std::string &Note) { Said += Note; });
      llvm::cantFail(Cache.get({std::to_string(I)}, [](const std::string &) { return llvm::Error::success(); }));
      return Said;
    }));
  for (auto &One : Running)
    EXPECT_EQ(One.get(), "");
}

TEST_F(RealNvcc, TheEnvironmentAndEarlierFoldersAreNoticed) {
  Folder.put("late/width.h", "#define WIDTH 2\n");
  Folder.put("early/other.h", "");
  Folder.put("user.cu",
             "#include <width.h>\nextern \"C\" __global__ void scale(float *a) { a[threadIdx.x] *= WIDTH; }\n");
  CompileJob Job;
  Job.Source = Folder.at("user.cu");
  Job.Arch = "sm_90a";
  Job.Flags = {"-I" + Folder.at("early"), "-I", Folder.at("late")};
  const std::string First = llvm::cantFail(compile(Job)).Cubin;
  ::setenv("NVCC_APPEND_FLAGS", "-DWIDTH=5", 1);
  const std::string Appended = llvm::toString(compile(Job).takeError()); // it is defined twice
  ::unsetenv("NVCC_APPEND_FLAGS");
  EXPECT_EQ(calls("-ptx"), 2u) << Appended;
  EXPECT_EQ(llvm::cantFail(compile(Job)).Cubin, First);
  EXPECT_EQ(calls("-ptx"), 2u);
  Folder.put("early/width.h", "#define WIDTH 3\n");
  EXPECT_NE(llvm::cantFail(compile(Job)).Cubin, First);
}

TEST_F(RealNvcc, AnOutputThatGoesElsewhereIsNoResult) {
  ::setenv("NVCC_APPEND_FLAGS", ("-o " + Folder.at("elsewhere")).c_str(), 1);
  for (unsigned Calls : {1, 2}) {
    EXPECT_THAT(llvm::toString(compile(jobOf("")).takeError()), HasSubstr("leave -o out of the flags"));
    EXPECT_EQ(calls("-ptx"), Calls);
  }
  ::unsetenv("NVCC_APPEND_FLAGS");
}

TEST(Nvcc, WhatAShellWouldReadIsRefused) {
  TemporaryFolder Folder;
  const std::string Nvcc = Folder.script("nvcc", "echo \"$@\" >> " + Folder.at("calls"));
  CompileJob Job;
  Job.Source = Folder.put("$(touch evil)/user.cu", "");
  Job.Arch = "sm_90a";
  EXPECT_THAT(
      llvm::toString(NvccCompiler(Nvcc, std::make_shared<ArtifactCache>(Folder.at("cache"))).compile(Job).takeError()),
      HasSubstr("a shell"));
  EXPECT_THAT(Folder.read("calls"), testing::Not(HasSubstr("evil")));
}

constexpr char Ptx[] = R"(.version 9.0
.func (.param .b32 r) helper(.param .b32 x)
{
}
.visible .entry _Z5otherPf(
	.param .u64 _Z5otherPf_param_0
)
.maxntid 64, 1, 1
{
}
.visible .entry _Z5fusedPf(
	.param .u64 _Z5fusedPf_param_0
)
.maxntid 256, 1, 1
.minnctapersm 2
{
	ret;
}
)";

TEST(RegisterCap, ReplacesTheDirectivesOfItsEntry) {
  const std::string Bound = llvm::cantFail(withRegisterCap(Ptx, "_Z5fused", {4, 0}));
  EXPECT_THAT(Bound, HasSubstr(")\n.maxntid 256, 1, 1\n.minnctapersm 4\n{\n\tret;"));
  EXPECT_THAT(Bound, HasSubstr(")\n.maxntid 64, 1, 1\n{\n}"));
  EXPECT_THAT(llvm::cantFail(withRegisterCap(Ptx, "_Z5fused", {0, 80})), HasSubstr(")\n.maxnreg 80\n{\n\tret;"));
  EXPECT_EQ(llvm::cantFail(withRegisterCap(Ptx, "_Z5fused", {})), Ptx);
}

TEST(RegisterCap, WantsExactlyOneEntry) {
  EXPECT_THAT(llvm::toString(withRegisterCap(Ptx, "_Z5", {4, 0}).takeError()), HasSubstr("2 entries"));
  EXPECT_THAT(llvm::toString(withRegisterCap(Ptx, "_Z7missing", {4, 0}).takeError()), HasSubstr("0 entries"));
  EXPECT_THAT(llvm::toString(withRegisterCap(".visible .entry k()\n{\n}\n", "k", {4, 0}).takeError()),
              HasSubstr("needs the number of threads"));
}

} // namespace
} // namespace cufuse
