#include "EmitLauncher.h"

#include <map>

namespace cufuse {

Dimensions gridDimensions(const KernelFacts &Facts) {
  Dimensions Reads;
  for (int I = 0; I < 3; ++I)
    Reads[I] =
        Facts.Reads[static_cast<size_t>(Builtin::BlockIdx)][I] || Facts.Reads[static_cast<size_t>(Builtin::GridDim)][I];
  return Reads;
}

std::string launchSignature(llvm::ArrayRef<Constituent> Constituents) {
  std::vector<std::string> Parameters;
  for (const Constituent &C : Constituents)
    Parameters.push_back(fmt::format("const {0}::Launch &{0}Launch", C.Name));
  Parameters.push_back("cudaStream_t stream");
  return wrapped("cudaError_t launch(", Parameters, ")", std::string("cudaError_t launch(").size());
}

void emitArguments(Writer &Out, const Constituent &C, const std::string &TextSpace) {
  Out.line("/// The arguments of {}.", C.Facts->QualifiedName);
  Out.write("struct Arguments {");
  for (const ParameterText &P : C.Text->Parameters)
    Out.line("  {};", withPath(P.Field, TextSpace));
  Out.write("};");
  const Dimensions Reads = gridDimensions(*C.Facts);
  Out.line("/// One launch of it: as <<<grid, block, dynamicSharedBytes>>>, {}.", Reads[2]
                                                                                      ? "grid in up to three dimensions"
                                                                                  : Reads[1] ? "grid in x and y"
                                                                                             : "grid in x only");
  Out.write("struct Launch {\n  dim3 grid;\n  std::size_t dynamicSharedBytes = 0;\n  Arguments arguments;\n};");
}

void emitLauncher(Writer &Out, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan) {
  Out.write(
#include "Launcher.inc"
  );
  Out.line("{} {{", launchSignature(Constituents));
  std::map<unsigned, unsigned> Copies;
  for (const PartitionPlan &P : Plan.Partitions)
    ++Copies[P.Constituent];

  if (!Plan.keepsGrid())
    Out.write("  unsigned blocks = 0;");
  for (unsigned I = 0; I < Constituents.size(); ++I) {
    const Constituent &C = Constituents[I];
    const Dimensions Reads = gridDimensions(*C.Facts);
    Out.line("  const CufuseGrid {0}Grid = gridOf({0}Launch.grid, {1}, {2});", C.Name, Reads[1], Reads[2]);
    Out.line("  if ({}Grid.blocks == 0)\n    return cudaErrorInvalidConfiguration;", C.Name);
    for (std::string Condition : C.Text->LaunchConditions) {
      for (size_t At; (At = Condition.find('\2')) != std::string::npos;)
        Condition.replace(At, 1, C.Name);
      Out.line("  if (!({}))\n    return cudaErrorInvalidConfiguration;", Condition);
    }
    const std::string Needed =
        Copies[I] == 1 ? C.Name + "Grid.blocks" : fmt::format("({0}Grid.blocks + {1} - 1) / {1}", C.Name, Copies[I]);
    if (Plan.keepsGrid())
      continue;
    Out.line("  if (const unsigned needed = {}; needed > blocks)\n    blocks = needed;", Needed);
  }
  Out.blank();

  // 128 bytes suit every access but those of code that asks for more; the base is aligned to 1024.
  const unsigned Alignment = std::any_of(Constituents.begin(), Constituents.end(),
                                         [](const Constituent &C) { return C.Facts->DynamicAlignment > 128; })
                                 ? 1024
                                 : 128;
  Out.write("  std::size_t dynamicBytes = 0;");
  for (unsigned I = 0; I < Constituents.size(); ++I) {
    const Constituent &C = Constituents[I];
    if (!C.Facts->DynamicShared.empty())
      Out.line("  const std::size_t {}Offset = dynamicBytes;", C.Name);
    Out.line("  const std::size_t {0}Stride = strideOf({0}Launch.dynamicSharedBytes, {1});", C.Name, Alignment);
    Out.line("  dynamicBytes += {}{}Stride;", Copies[I] == 1 ? "" : fmt::format("{} * ", Copies[I]), C.Name);
  }
  Out.write(R"(  if (dynamicBytes > 0x7fffffff)
    return cudaErrorInvalidValue;
  if (dynamicBytes > 0)
    if (const cudaError_t error = cudaFuncSetAttribute(reinterpret_cast<const void *>(fused),
                                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                       static_cast<int>(dynamicBytes)))
      return error;
)");
  if (Plan.Grid == GridPolicy::Stride)
    Out.line(R"(  // As many blocks as are resident at once: each plays several blocks of the kernels.
  int device = 0, multiprocessors = 0, resident = 0;
  if (const cudaError_t error = cudaGetDevice(&device))
    return error;
  if (const cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device))
    return error;
  if (const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, fused, {}, dynamicBytes))
    return error;
  if (resident == 0)
    return cudaErrorLaunchOutOfResources;
  if (const unsigned filled = static_cast<unsigned>(resident) * multiprocessors; blocks > filled)
    blocks = filled;
)",
             constant(Plan.BlockThreads));

  Out.line("  cudaLaunchConfig_t config = {{}};\n  config.gridDim = {};",
           Plan.keepsGrid() ? Constituents[0].Name + "Launch.grid" : "dim3(blocks)");
  const BlockShape Block = Plan.keepsBlock() ? Plan.Partitions[0].Block : BlockShape{Plan.BlockThreads, 1, 1};
  Out.line("  config.blockDim = dim3({}, {}, {});", constant(Block.X), constant(Block.Y), constant(Block.Z));
  Out.write("  config.dynamicSmemBytes = dynamicBytes;\n  config.stream = stream;");
  std::vector<std::string> Arguments = {"&config", "fused"};
  for (unsigned I = 0; I < Constituents.size(); ++I) {
    const Constituent &C = Constituents[I];
    for (const ParameterText &P : C.Text->Parameters)
      Arguments.push_back(fmt::format("{}Launch.arguments.{}", C.Name, P.Name));
    if (!Plan.keepsGrid())
      Arguments.push_back(C.Name + "Grid");
    if (!C.Facts->DynamicShared.empty()) {
      Arguments.push_back(fmt::format("static_cast<unsigned>({0}Offset)", C.Name));
      if (Copies[I] > 1)
        Arguments.push_back(fmt::format("static_cast<unsigned>({0}Stride)", C.Name));
    }
  }
  Out.write(wrapped("  return cudaLaunchKernelEx(", Arguments, ");", 28));
  Out.write("}");
}

} // namespace cufuse
