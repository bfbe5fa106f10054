#include "cufuse/Gpu/RegisterBound.h"

#include "cufuse/Compile/Compiler.h"
#include "cufuse/Driver/Fuser.h"
#include "cufuse/Plan/FusedLaunch.h"
#include "cufuse/Support/Error.h"

#include <fmt/core.h>

namespace cufuse {

namespace {

CompileJob jobOf(const Fuser &Alone, const LoadedKernel &Kernel, FusedSource Text) {
  CompileJob Job;
  Job.Files = filesOf(Alone.options(), std::move(Text));
  Job.Arch = Kernel.Arch;
  Job.Flags = Alone.nvccFlags();
  Job.Relocatable = true;
  return Job;
}

} // namespace

llvm::Expected<RegisterLimit> Fuser::registerBound(const FusionConfig &Config,
                                                   std::vector<std::string> *Explanation) const {
  if (Tools.Nvcc.empty())
    return fail(ExitCode::MissingTool, "nvcc is on neither PATH nor in the CUDA toolkit's bin",
                "install the CUDA compiler, or choose --registers none");
  NvccCompiler Nvcc(Tools.Nvcc, Tools.Cache);

  std::vector<SoloUse> Uses;
  unsigned SharedBytes = 0, Most = 0;
  for (size_t I = 0; I < Kernels.size(); ++I) {
    FusionConfig Alone;
    Alone.Constituents = {{Config.Constituents[I].Block, 1}};
    Alone.Grid = Config.Grid;
    EmitOptions Emit = Options;
    Emit.Name = "alone";
    Emit.AllIncludes = true;
    LoadedKernel Own = Kernels[I];
    for (ParameterText &P : Own.Text.Parameters) // which another kernel's arguments have for it
      P.Given.clear();
    Own.Text.Counted.clear();
    Fuser Single(Tools, Own, Emit);
    auto Plan = TRY(Single.plan(Alone));
    auto Compiled = TRY(Nvcc.compile(jobOf(Single, Own, TRY(Single.emit(Plan)))));
    // Headers bring kernels of their own.
    const ResourceUse *Use = Compiled.find(fusedEntry(Plan, Emit.Name));
    if (!Use)
      return defect("ptxas does not know the kernel alone");
    const unsigned Copies = Config.Constituents[I].Copies;
    Uses.push_back({Plan.BlockThreads * Copies, Use->Registers});
    Most = std::max(Most, Uses.back().Threads);
    SharedBytes += Use->SharedBytes * Copies;
    if (Explanation)
      Explanation->push_back(
          fmt::format("{}: {} registers per thread alone (ptxas)", Constituents[I].Name, Use->Registers));
  }
  const auto Bound =
      hfuseRegisterBound(smLimits(Kernels.front().Arch), Uses, SharedBytes, Config.Shape == Geometry::Warps ? 0 : Most);
  if (!Bound)
    return badInput("HFUSE's register bound does not exist: not one block fits on a multiprocessor",
                    "use smaller blocks, or --registers none");
  if (Explanation)
    Explanation->push_back(fmt::format("register bound: {} blocks per multiprocessor, at most {} registers per thread",
                                       Bound->BlocksPerSm, Bound->RegistersPerThread));
  return RegisterLimit{RegisterPolicy::Bound, Bound->RegistersPerThread, Bound->BlocksPerSm};
}

} // namespace cufuse
