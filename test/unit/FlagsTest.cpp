#include "cufuse/Frontend/Flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cufuse {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::Not;

using Strings = std::vector<std::string>;

CompileFlags flags(Strings Written, const std::string &Directory = {}) { return translateFlags(Written, Directory); }

TEST(Flags, IncludeFoldersInEverySpelling) {
  for (const Strings &Written : {Strings{"-I", "dir"}, Strings{"-Idir"}, Strings{"-I=dir"},
                                 Strings{"--include-path", "dir"}, Strings{"--include-path=dir"}})
    EXPECT_THAT(flags(Written).Clang, ElementsAre("-I", "dir")) << Written[0];
  EXPECT_THAT(flags({"-isystem", "dir"}).Clang, ElementsAre("-isystem", "dir"));
  EXPECT_THAT(flags({"-isystem=dir"}).Clang, ElementsAre("-isystem", "dir"));
  EXPECT_THAT(flags({"--system-include=dir"}).Clang, ElementsAre("-isystem", "dir"));
}

TEST(Flags, MacrosInEverySpelling) {
  for (const Strings &Written : {Strings{"-DA=1"}, Strings{"-D", "A=1"}, Strings{"--define-macro", "A=1"},
                                 Strings{"--define-macro=A=1"}, Strings{"-D=A=1"}})
    EXPECT_THAT(flags(Written).Macros, ElementsAre("-DA=1")) << Written[0];
  EXPECT_THAT(flags({"-UA"}).Macros, ElementsAre("-UA"));
  EXPECT_THAT(flags({"--undefine-macro=A"}).Macros, ElementsAre("-UA"));
}

TEST(Flags, ListsAreSplitAsByNvcc) {
  EXPECT_THAT(flags({"-I", "a,b"}).Clang, ElementsAre("-I", "a", "-I", "b"));
  EXPECT_THAT(flags({"-include=a.h,b.h"}).Macros, ElementsAre("-include", "a.h", "-include", "b.h"));
  EXPECT_THAT(flags({"-DA=1,B=\"x,y\""}).Macros, ElementsAre("-DA=1", "-DB=\"x,y\""));
  EXPECT_THAT(flags({"-UA,B"}).Nvcc, ElementsAre("-U", "A", "-U", "B"));
}

TEST(Flags, ValuesOfUnknownMeaningAreNoInputs) {
  for (const Strings &Written :
       {Strings{"-ftemplate-depth", "512"}, Strings{"--split-compile", "2"}, Strings{"-m", "64"},
        Strings{"--machine", "64"}, Strings{"-frandom-seed", "1"}, Strings{"-static-global-template-stub", "false"},
        Strings{"-brief-diag", "true"}, Strings{"-fdevice-time-trace", "f"}, Strings{"-odir", "d"}})
    EXPECT_EQ(flags(Written).Nvcc, Written) << Written[0];
}

TEST(Flags, StandardAndForcedInclude) {
  for (const Strings &Written :
       {Strings{"-std=c++20"}, Strings{"--std=c++20"}, Strings{"-std", "c++20"}, Strings{"--std", "c++20"}})
    EXPECT_EQ(flags(Written).Standard, "c++20") << Written[0];
  for (const Strings &Written : {Strings{"-include", "a.h"}, Strings{"--pre-include=a.h"}})
    EXPECT_THAT(flags(Written).Macros, ElementsAre("-include", "a.h")) << Written[0];
  // The host compiler's comes before the file, too; nvcc has it already.
  for (const Strings &Written :
       {Strings{"-Xcompiler", "-include,a.h"}, Strings{"-Xcompiler=-include", "-Xcompiler=a.h"}}) {
    EXPECT_THAT(flags(Written).Macros, ElementsAre("-include", "a.h")) << Written[0];
    EXPECT_THAT(flags(Written).Nvcc, Not(Contains("-include"))) << Written[0];
  }
  setenv("NVCC_APPEND_FLAGS", "-O2 -include=a.h", 1);
  EXPECT_EQ(flags({}).Unclear, "'-include=a.h' in NVCC_APPEND_FLAGS is not read");
  unsetenv("NVCC_APPEND_FLAGS");
}

TEST(Flags, ArchitectureInEverySpelling) {
  for (const Strings &Written :
       {Strings{"-arch=sm_90a"}, Strings{"-arch", "sm_90a"}, Strings{"--gpu-architecture=sm_90a"},
        Strings{"-arch=compute_90a"}, Strings{"-gencode", "arch=compute_90a,code=sm_90a"},
        Strings{"-gencode=arch=compute_90a,code=sm_90a"}, Strings{"--generate-code=arch=compute_90a,code=[sm_90a]"},
        Strings{"--generate-code=arch=compute_90a,code=[compute_90a,sm_90a]"},
        Strings{"-arch=compute_90a", "-code=sm_90a"}}) {
    const CompileFlags Found = flags(Written);
    EXPECT_EQ(Found.Arch, "sm_90a") << Written[0];
    EXPECT_THAT(Found.Clang, IsEmpty()) << Written[0];
    EXPECT_THAT(Found.Nvcc, IsEmpty()) << Written[0];
  }
  EXPECT_EQ(flags({"-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90"}).Arch, "sm_90");
  EXPECT_EQ(flags({"-arch=native"}).Arch, std::nullopt);
  EXPECT_EQ(flags({"-O3"}).Arch, std::nullopt);
}

TEST(Flags, RelocatableCodeInEverySpelling) {
  for (const Strings &Written : {Strings{"-rdc=true"}, Strings{"-rdc", "true"},
                                 Strings{"--relocatable-device-code=true"}, Strings{"-dc"}, Strings{"--device-c"}}) {
    EXPECT_TRUE(flags(Written).Relocatable) << Written[0];
    EXPECT_THAT(flags(Written).Clang, Contains("-fgpu-rdc")) << Written[0];
  }
  EXPECT_FALSE(flags({"-rdc=false"}).Relocatable);
  EXPECT_FALSE(flags({"-rdc=true", "-rdc=false"}).Relocatable);
  EXPECT_FALSE(flags({}).Relocatable);
  // Nor is it code for the linker, which has no PTX.
  for (const char *Flag : {"-dlto", "--dlink-time-opt", "-lto", "--lto"}) {
    EXPECT_TRUE(flags({Flag}).Relocatable) << Flag;
    for (const Strings &Written : {Strings{Flag, "-lineinfo"}, Strings{"-dc", Flag, "-lineinfo"}})
      EXPECT_THAT(flags(Written).Nvcc, ElementsAre("-rdc=true", "-lineinfo")) << Flag;
  }
  // The environment has the first word and the last.
  setenv("NVCC_PREPEND_FLAGS", "-rdc true", 1);
  EXPECT_TRUE(flags({}).Relocatable);
  EXPECT_FALSE(flags({"-rdc=false"}).Relocatable);
  setenv("NVCC_APPEND_FLAGS", "-O2 -dc", 1);
  unsetenv("NVCC_PREPEND_FLAGS");
  EXPECT_TRUE(flags({"-rdc=false"}).Relocatable);
  unsetenv("NVCC_APPEND_FLAGS");
  // The result is compiled with -rdc=true, not in the mode of the input.
  EXPECT_THAT(flags({"-dc"}).Nvcc, ElementsAre("-rdc=true"));
}

TEST(Flags, ArithmeticIsWhatItComesTo) {
  const Strings Fast = flags({"-use_fast_math"}).Arithmetic;
  EXPECT_THAT(Fast, ElementsAre("-use_fast_math"));
  EXPECT_EQ(flags({"-prec-div=false", "--use_fast_math", "-ftz", "true", "-fmad=true"}).Arithmetic, Fast);
  EXPECT_NE(flags({"-use_fast_math", "-fmad=false"}).Arithmetic, Fast);
  EXPECT_NE(flags({"-ftz=true", "-prec-div=false", "-prec-sqrt=false"}).Arithmetic, Fast); // no approximations
  EXPECT_EQ(flags({"-fmad=false", "-ftz=true"}).Arithmetic, flags({"-ftz=true", "-fmad=false"}).Arithmetic);
  EXPECT_THAT(flags({"-ftz=false", "-prec-div=true", "-prec-sqrt=true", "-fmad=true"}).Arithmetic, IsEmpty());
}

TEST(Flags, WhatAParseSeesOfTheOthers) {
  // nvcc 13 defines no macro for it.
  EXPECT_THAT(flags({"--use_fast_math"}).Macros, IsEmpty());
  EXPECT_THAT(flags({"-Xcompiler=-fPIC,-DA=1,-UB"}).Macros, ElementsAre("-DA=1", "-UB"));
  EXPECT_THAT(flags({"-Xcompiler", "-Wall,-DA=1"}).Macros, ElementsAre("-DA=1"));
  EXPECT_THAT(flags({"--compiler-options", "-DA"}).Macros, ElementsAre("-DA"));
}

TEST(Flags, WhatMeansNothingToAParseReachesNvcc) {
  const Strings Written = {"-O3", "-lineinfo", "--expt-relaxed-constexpr", "--expt-extended-lambda", "-Xptxas", "-v"};
  const CompileFlags Found = flags(Written);
  EXPECT_THAT(Found.Clang, IsEmpty());
  EXPECT_EQ(Found.Nvcc, Written);
  EXPECT_THAT(Found.Ignored,
              ElementsAre("-O3", "-lineinfo", "--expt-relaxed-constexpr", "--expt-extended-lambda", "-Xptxas"));
}

TEST(Flags, ValuesAreNotTakenForInputs) {
  // The value of a flag that is not understood must not end as an input, nor an input as a flag.
  const CompileFlags Found =
      flags({"-diag-suppress", "177", "-Xcudafe", "--display_error_number", "-maxrregcount", "64", "-ccbin", "g++"});
  EXPECT_THAT(Found.Clang, IsEmpty());
  EXPECT_THAT(Found.Nvcc, ElementsAre("-diag-suppress", "177", "-Xcudafe", "--display_error_number", "-maxrregcount",
                                      "64", "-ccbin", "g++"));
  const std::vector<std::string> Apart = {
      "-default-stream", "per-thread", "-cudart", "static", "-dopt", "on", "-O", "3", "-Werror", "all-warnings"};
  EXPECT_THAT(flags(Apart).Nvcc, ElementsAreArray(Apart));
  EXPECT_THAT(flags({"-Werror", "a.cu"}).Nvcc, ElementsAre("-Werror"));
}

TEST(Flags, InputsOutputsAndModesAreLeftOut) {
  const CompileFlags Found =
      flags({"-x", "cu", "-c", "a.cu", "-o", "a.o", "-MD", "-MT", "a.o", "-MF", "a.d", "-cubin"});
  EXPECT_THAT(Found.Clang, IsEmpty());
  EXPECT_THAT(Found.Nvcc, IsEmpty());
}

TEST(Flags, RelativeFoldersAreTakenFromTheDirectory) {
  const CompileFlags Found = flags({"-I../inc", "-I/abs", "-isystem", "sys", "-DA=../x"}, "/build");
  EXPECT_THAT(Found.Clang, ElementsAre("-I", "/build/../inc", "-I", "/abs", "-isystem", "/build/sys"));
  EXPECT_THAT(Found.Macros, ElementsAre("-DA=../x"));
  EXPECT_THAT(Found.Nvcc, ElementsAre("-I", "/build/../inc", "-I", "/abs", "-isystem", "/build/sys", "-DA=../x"));
}

TEST(Flags, OrderIsKept) {
  const CompileFlags Found = flags({"-DA=1", "-Ia", "-UA", "-DA=2", "-Ib"});
  EXPECT_THAT(Found.Clang, ElementsAre("-I", "a", "-I", "b"));
  EXPECT_THAT(Found.Macros, ElementsAre("-DA=1", "-UA", "-DA=2"));
}

TEST(Flags, AFlagThatEndsWithoutItsValueIsNoCrash) {
  for (const char *Flag : {"-I", "-D", "-std", "-arch", "-gencode", "-Xcompiler", "-o", "-include", "-rdc"})
    EXPECT_EQ(flags({Flag}).Arch, std::nullopt) << Flag;
  EXPECT_FALSE(flags({"-rdc"}).Relocatable);
}

} // namespace
} // namespace cufuse
