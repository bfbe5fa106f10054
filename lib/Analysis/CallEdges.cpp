#include "cufuse/Analysis/CallEdges.h"

#include <fmt/format.h>
#include <llvm/Support/Path.h>

namespace cufuse {

std::map<std::string, SourcePlace> callEdges(const ParsedUnit &Unit, const Reached &Reach,
                                             const clang::FunctionDecl *Except, llvm::StringRef Output) {
  const clang::SourceManager &Sources = Unit.ast().getSourceManager();
  // "" where there is nothing to compare.
  auto Place = [&](const clang::FunctionDecl *F) -> std::string {
    const clang::FunctionDecl *Written = F->getTemplateInstantiationPattern();
    const clang::FunctionDecl *Definition = Written ? Written : F;
    Definition->hasBody(Definition);
    const clang::PresumedLoc At = Sources.getPresumedLoc(Sources.getExpansionLoc((Definition ? Definition
                                                                                  : Written  ? Written
                                                                                             : F)
                                                                                     ->getLocation()));
    if (F->isImplicit() || At.isInvalid())
      return {};
    const llvm::StringRef File = llvm::sys::path::filename(At.getFilename());
    return File == Output ? "" : fmt::format("{}:{} {}", File.str(), At.getLine(), F->getNameAsString());
  };
  std::map<std::string, SourcePlace> Edges;
  for (const auto &[Function, Use] : Reach.Functions) {
    if (Function == Except || Use.System)
      continue;
    const std::string Caller = Place(Function);
    if (Caller.empty())
      continue;
    for (const CallSite &Call : Use.Calls)
      if (classify(*Call.Callee) != Intrinsic::Barrier)
        if (const std::string Callee = Place(Call.Callee); !Callee.empty())
          if (auto [Edge, New] = Edges.try_emplace(Caller + " -> " + Callee); New) {
            const clang::PresumedLoc At = Sources.getPresumedLoc(Sources.getExpansionLoc(Call.Where));
            if (At.isValid())
              Edge->second = {At.getFilename(), At.getLine(), At.getColumn(), ""};
          }
  }
  return Edges;
}

} // namespace cufuse
