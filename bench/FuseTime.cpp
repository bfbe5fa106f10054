// How long a fusion takes, against Clang's own parse of the same files, and what a further configuration costs.
//
//   cufuse-bench CUFUSE [REPETITIONS]
//
// Per pair of samples: the median wall time of `clang++ -fsyntax-only` on both files one after the other, of `cufuse
// fuse` on the two (process start, parse, verification and writing included), their ratio, and in one process the
// median and longest time of planning, emitting and verifying each further configuration. Fails when a limit is missed.
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Support/Process.h"

#include <fmt/core.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <chrono>
#include <functional>

using namespace cufuse;

namespace {

constexpr double MaxRatio = 1.25;
constexpr double MaxFurtherMilliseconds = 0.5;

[[noreturn]] void stop(llvm::Error Error) { std::exit(static_cast<int>(report(std::move(Error), llvm::errs()))); }
template <typename T> T need(llvm::Expected<T> Value) {
  if (!Value)
    stop(Value.takeError());
  return std::move(*Value);
}

double milliseconds(const std::function<void()> &Work) {
  const auto Start = std::chrono::steady_clock::now();
  Work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - Start).count();
}

double median(std::vector<double> Values) {
  std::sort(Values.begin(), Values.end());
  return Values[Values.size() / 2];
}

void run(const std::vector<std::string> &Command) {
  const ProcessResult Result = need(runProcess(Command, 120));
  if (Result.Status != 0)
    stop(badInput("'" + Command[0] + "' failed:\n" + Result.Output));
}

struct Sample {
  std::string Name, Kernel;
  std::string file() const { return fmt::format("{0}/{1}/{1}.cu", CUFUSE_SAMPLES, Name); }
  std::string spec() const { return file() + ":" + Kernel; }
};

} // namespace

int main(int Count, char **Arguments) {
  if (Count < 2) {
    llvm::errs() << "usage: cufuse-bench CUFUSE [REPETITIONS]\n";
    return 2;
  }
  const std::string Cufuse = Arguments[1];
  const int Repetitions = Count > 2 ? std::max(1, std::atoi(Arguments[2])) : 9;
  const Toolchain Tools = need(findToolchain(Cufuse));
  const std::pair<Sample, Sample> Pairs[] = {
      {{"histogram", "histogram<float>"}, {"im2col", "im2colKernel<float>"}},
      {{"batchnorm", "batchNormStatistics<float,float>"}, {"sgemm", "sgemmTiled"}},
      {{"ethash", "ethashSearch"}, {"sha256", "sha256Search"}}};
  llvm::SmallString<128> Output;
  if (llvm::sys::fs::createUniqueDirectory("cufuse-bench", Output))
    stop(badInput("cannot make a temporary folder"));

  bool Good = true;
  fmt::print("medians of {} runs, milliseconds\n{:<20} {:>10} {:>10} {:>7} {:>16} {:>9}\n", Repetitions, "pair",
             "clang", "cufuse", "ratio", "further (median)", "(longest)");
  for (const auto &[First, Second] : Pairs) {
    std::vector<double> Clang, Fuse, Further;
    for (int I = 0; I < Repetitions; ++I) {
      // Interleaved, so that both see the same machine.
      Clang.push_back(milliseconds([&, &First = First, &Second = Second] {
        for (const Sample &S : {First, Second})
          run({CUFUSE_CLANG, "-x", "cuda", "--cuda-path=" + Tools.CudaPath, "--cuda-gpu-arch=sm_90a",
               "--cuda-device-only", "-fsyntax-only", "-isystem", Tools.CudaPath + "/include/cccl",
               "-Wno-unknown-cuda-version", "-std=c++17", S.file()});
      }));
      Fuse.push_back(milliseconds([&, &First = First, &Second = Second] {
        run({Cufuse, "fuse", First.spec(), Second.spec(), "-o", std::string(Output) + "/out.cu"});
      }));
    }

    const std::vector<LoadedKernel> Kernels = need(
        readKernels(Tools, {need(parseKernelSpec(First.spec())), need(parseKernelSpec(Second.spec()))}, InputFlags()));
    Fuser Fuser(Tools, Kernels, {"bench", "bench.cu", "bench.h", "cufuse", true});
    for (unsigned Threads = 128; Threads <= 512; Threads += 32) {
      FusionConfig Config;
      for (const LoadedKernel &Kernel : Kernels)
        Config.Constituents.push_back({{std::min(Threads, Kernel.Facts.MaxThreads.value_or(Threads)), 1, 1}, 1});
      const double Took = milliseconds([&] {
        const FusionPlan Plan = need(Fuser.plan(Config));
        const FusedSource Fused = need(Fuser.emit(Plan));
        if (llvm::Error Error = Fuser.verify(Fused, Plan))
          stop(std::move(Error));
      });
      // The first owes the parse; blocks that leave lanes idle are another structure, but these have none.
      if (Threads > 128)
        Further.push_back(Took);
    }
    const double Ratio = median(Fuse) / median(Clang);
    fmt::print("{:<20} {:>10.0f} {:>10.0f} {:>7.2f} {:>16.2f} {:>9.2f}\n", First.Name + "+" + Second.Name,
               median(Clang), median(Fuse), Ratio, median(Further), *std::max_element(Further.begin(), Further.end()));
    Good &= Ratio <= MaxRatio && median(Further) <= MaxFurtherMilliseconds;
  }
  llvm::sys::fs::remove_directories(Output);
  if (!Good)
    fmt::print("limits missed: a pair within {} of Clang's time, a further configuration within {} ms\n", MaxRatio,
               MaxFurtherMilliseconds);
  return Good ? 0 : 1;
}
