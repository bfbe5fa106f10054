#include "CheckReached.h"

#include "cufuse/Reach/Assembly.h"
#include "cufuse/Verify/CompareWithInput.h"

#include <clang/AST/ASTContext.h>
#include <fmt/core.h>

#include <map>

namespace cufuse {

namespace {

/// Of all `__constant__` variables of a module (CUDA C++ Programming Guide, technical specifications).
constexpr long long MaxConstantBytes = 64 * 1024;

/// What assembly declares for the whole function, ptxas accepts once: two bodies become one function, and so do the
/// turns of a loop that is unrolled, by us or, for all we know, by nvcc.
void checkAssemblyNames(const ParsedUnit &Unit, const Reached &Reach, llvm::ArrayRef<const clang::CallExpr *> Calls,
                        const FusionPlan &Plan, std::vector<Blocker> &Refusals) {
  if (llvm::none_of(Reach.Functions, [](const auto &Each) {
        return llvm::any_of(Each.second.Assembly,
                            [](const clang::GCCAsmStmt *Assembly) { return !unscopedNames(*Assembly).empty(); });
      }))
    return;
  const bool Unrolls = Plan.Grid != GridPolicy::Match ||
                       llvm::any_of(Plan.Roles, [](const RolePlan &Role) { return Role.Unroll > 1 || Role.Turns > 1; });
  std::set<std::string> Known;
  for (const clang::CallExpr *Call : Calls) {
    const clang::FunctionDecl *Callee = Call->getDirectCallee();
    if (!Callee || !Callee->getDefinition() || Callee->getDefinition()->isDependentContext())
      continue;
    std::map<std::string, const clang::GCCAsmStmt *> Own;
    for (const auto &[Function, Use] : reach(Unit, *Callee).Functions)
      for (const clang::GCCAsmStmt *Assembly : Use.Assembly)
        for (const std::string &Name : unscopedNames(*Assembly))
          Own.emplace(Name, Assembly);
    for (const auto &[Name, Assembly] : Own)
      if (!Known.insert(Name).second || Unrolls)
        Refusals.push_back({BlockerKind::AssemblyNames, sourceOf(Unit, Assembly->getAsmLoc()), Name});
  }
}

/// Where the text is copied, there is no `__restrict__` left, but headers of the user's stay as they are: then a load
/// by the read-only cache would not see what another kernel has stored before the barrier of the grid.
void checkCoherence(const ParsedUnit &Unit, const Reached &Reach, std::vector<Blocker> &Refusals) {
  for (const auto &[Function, Use] : Reach.Functions)
    for (const clang::ParmVarDecl *P : Function->parameters())
      if (P->getType().getCanonicalType().isRestrictQualified())
        Refusals.push_back(
            {BlockerKind::ReadOnlyLoad, sourceOf(Unit, P->getLocation()),
             fmt::format("{} of {} is __restrict__ in a header", P->getNameAsString(), Function->getNameAsString())});
}

/// Nor does anything else stand for `__ldg` there.
void checkLdg(const ParsedUnit &Unit, const Reached &Reach, std::vector<Blocker> &Refusals) {
  for (const auto &[Function, Use] : Reach.Functions)
    for (const CallSite &Call : Use.Calls)
      if (isLdg(*Call.Callee) && !Use.System)
        Refusals.push_back({BlockerKind::ReadOnlyLoad, sourceOf(Unit, Call.Where),
                            fmt::format("{} calls __ldg in a header", Function->getNameAsString())});
}

/// Every partition has its own `__constant__` variables.
void checkConstantMemory(const ParsedUnit &Unit, const Reached &Reach, std::vector<Blocker> &Refusals) {
  const clang::ASTContext &Context = Unit.ast();
  long long Bytes = 0, Most = 0;
  const clang::VarDecl *Largest = nullptr;
  for (const clang::VarDecl *Constant : Reach.Constants) {
    if (Constant->hasExternalStorage() || Constant->getType()->isIncompleteType())
      continue;
    const long long Size = Context.getTypeSizeInChars(Constant->getType()).getQuantity();
    const long long Alignment = Context.getDeclAlign(Constant).getQuantity();
    Bytes = llvm::alignTo(Bytes, Alignment) + Size;
    if (Size > Most)
      Most = Size, Largest = Constant;
  }
  if (Bytes > MaxConstantBytes)
    Refusals.push_back({BlockerKind::ConstantMemory, sourceOf(Unit, Largest->getLocation()),
                        fmt::format("{} bytes, {} of them of {}", Bytes, Most, Largest->getNameAsString())});
}

} // namespace

std::vector<Blocker> checkReached(const ParsedUnit &Unit, const Reached &Reach,
                                  llvm::ArrayRef<const clang::CallExpr *> Calls, const FusionPlan &Plan,
                                  bool LoadsFresh) {
  std::vector<Blocker> Refusals;
  checkAssemblyNames(Unit, Reach, Calls, Plan, Refusals);
  checkConstantMemory(Unit, Reach, Refusals);
  if (Plan.readsFresh())
    checkCoherence(Unit, Reach, Refusals);
  if (Plan.readsFresh() || LoadsFresh)
    checkLdg(Unit, Reach, Refusals);
  return Refusals;
}

} // namespace cufuse
