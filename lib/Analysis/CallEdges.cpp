#include "cufuse/Analysis/CallEdges.h"

#include <fmt/format.h>
#include <llvm/Support/Path.h>

namespace cufuse {

std::set<std::string> callEdges(const ParsedUnit &Unit, const Reached &Reach, const clang::FunctionDecl *Except,
                                llvm::StringRef Output) {
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
  std::set<std::string> Edges;
  for (const auto &[Function, Use] : Reach.Functions) {
    if (Function == Except || Use.System)
      continue;
    const std::string Caller = Place(Function);
    if (Caller.empty())
      continue;
    for (const CallSite &Call : Use.Calls)
      if (classify(*Call.Callee) != Intrinsic::Barrier)
        if (const std::string Callee = Place(Call.Callee); !Callee.empty())
          Edges.insert(Caller + " -> " + Callee);
  }
  return Edges;
}

} // namespace cufuse
