#include "cufuse/Emit/EmitOverlapped.h"

#include "Parts.h"

#include <fmt/core.h>

namespace cufuse {

FusedSource emitOverlapped(llvm::ArrayRef<OverlappedOutput> Outputs, const EmitOptions &Options) {
  std::vector<Constituent> Kernels;
  for (const OverlappedOutput &Each : Outputs) {
    Kernels.push_back(*Each.Of);
    Kernels.back().Name = Each.Name;
  }
  Writer Header(Options.HeaderFile, false);
  writeHead(Header, Kernels, Options);
  Header.line("#pragma once\n");
  for (const OverlappedOutput &Each : Outputs)
    Header.line("#include \"{}\"", Each.Options.HeaderFile);
  Header.blank();
  writeOurs(Header, Kernels, Options, [&](Writer &Own) {
    Own.line("namespace {} {{ inline namespace {} {{", Options.Name, ownSpace());
    for (const OverlappedOutput &Each : Outputs)
      Own.line("namespace {} {{ using ::{}::{}::Launch; }}", Each.Name, Each.Options.Name, Each.Of->Name);
    Own.line(
        "\n/// Launches each kernel by itself, in this order. A launch begins while the one before it ends, and waits "
        "for its end\n/// before it does anything. Returns the first error, as the kernel's own launch does: those "
        "behind are not launched.\n{}\n",
        launchSignature(Kernels, " = nullptr);"));
    Own.line("}}}} // namespace {}", Options.Name);
  });

  Writer Source(Options.SourceFile, false);
  writeHead(Source, Kernels, Options);
  Source.line("#include \"{}\"\n", Options.HeaderFile);
  writeOurs(Source, Kernels, Options, [&](Writer &Own) {
    Own.line("namespace {} {{ inline namespace {} {{", Options.Name, ownSpace());
    Own.write(launchSignature(Kernels, ") {"));
    for (size_t I = 0; I < Outputs.size(); ++I) {
      const std::string Call =
          fmt::format("::{}::launch({}, stream)", Outputs[I].Options.Name, launchName(Kernels, Kernels[I]));
      Own.write(I + 1 == Outputs.size() ? fmt::format("  return {};", Call)
                                        : fmt::format("  if (const cudaError_t error = {})\n    return error;", Call));
    }
    Own.line("}}\n}}}} // namespace {}", Options.Name);
  });
  FusedSource Fused{Source.text(), Header.text(), Source.structure()};
  writeHashes(Fused);
  return Fused;
}

} // namespace cufuse
