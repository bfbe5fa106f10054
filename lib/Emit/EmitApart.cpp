#include "Parts.h"

#include <fmt/core.h>

namespace cufuse {

void declareApart(Writer &Header, const EmitOptions &Options) {
  Header.line(
      "/// Which way a launch went: as one kernel, or as the caller launches them.\n"
      "enum class Way {{ Fused, Apart }};\n"
      "/// Does CUFUSE_DISABLE name it (`CUFUSE_DISABLE={},…`, or `all`)? It is read once.\n"
      "bool isDisabled();\n"
      "/// What was launched as one; by `apart` what was refused.\n"
      "template <typename Apart> cudaError_t orApart(cudaError_t launched, cudaStream_t stream, const Apart &apart, "
      "Way *way) {{\n"
      "  if (way)\n"
      "    *way = launched == cudaErrorInvalidConfiguration ? Way::Apart : Way::Fused;\n"
      "  return launched == cudaErrorInvalidConfiguration ? apart(stream) : launched;\n"
      "}}\n",
      Options.Name);
}

void emitApart(Writer &Header, llvm::ArrayRef<Constituent> Constituents, const FusionPlan &Plan,
               const EmitOptions &Options) {
  const Constituent &C = Constituents.front();
  LaunchCall Call = launchCall(Constituents, Plan, Options.Name);
  const std::string Stream = Call.Arguments.back().text(), Apart = Call.free("apart"), Way = Call.free("way");
  std::string Refused = fmt::format("::{}::isDisabled()", Options.Name);
  if (Options.ApartBelow > 0) {
    const std::string Count = elementCount(C, Call.Arguments.front().text());
    Refused = fmt::format("{} || (0 < {} && {} < {})", Refused, Count, Count, Options.ApartBelow);
  }
  Header.line(
      "/// The same, or `{0}({1})`, which launches the kernels themselves and returns a cudaError_t: where the launch\n"
      "/// returned cudaErrorInvalidConfiguration, where CUFUSE_DISABLE says so{2}. `{3}` says which it was.",
      Apart, Stream, Options.ApartBelow ? fmt::format(", and for less than {} elements", Options.ApartBelow) : "", Way);
  Call.Parameters.push_back(fmt::format("const Apart &{}", Apart));
  Call.Parameters.push_back(fmt::format("::{}::Way *{} = nullptr", Options.Name, Way));
  Header.line("template <typename Apart>\n{}", wrapped("cudaError_t launch(", Call.Parameters, ") {", 19));
  const OutputText Tail = outputText("),\n      {}, {}, {});", Stream, Apart, Way);
  Header.line("  return ::{}::orApart({} ? cudaErrorInvalidConfiguration :", Options.Name, Refused);
  const std::string Head =
      fmt::format("      ::{}::{}launch(", Options.Name, Constituents.size() == 1 ? C.Name + "::" : "");
  Header.line("{}\n}}", wrapped(Head, Call.Arguments, Tail, Head.size()));
}

void defineApart(Writer &Source, const EmitOptions &Options) {
  Source.line("bool isDisabled() {{\n"
              "  static const bool is = [] {{\n"
              "    const char *names = std::getenv(\"CUFUSE_DISABLE\");\n"
              "    const std::string all = names ? \",\" + std::string(names) + \",\" : \"\";\n"
              "    return all.find(\",all,\") != std::string::npos || all.find(\",{},\") != std::string::npos;\n"
              "  }}();\n"
              "  return is;\n"
              "}}",
              Options.Name);
}

} // namespace cufuse
