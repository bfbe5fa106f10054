#include "cufuse/Analysis/LinksOfLaunches.h"

#include "HostLaunches.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Mangle.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <set>

namespace cufuse {

namespace {

constexpr unsigned MostCalls = 3; ///< Between a function and the launches that are looked for.

/// May one run of the function come to both, as often to the one as to the other?
bool mayFollow(const Launch &First, const Launch &Second) {
  auto Loops = [](const Launch &L) {
    return llvm::to_vector(llvm::make_filter_range(L.Path, [](const Branch &Each) { return Each.IsLoop; }));
  };
  return Loops(First) == Loops(Second) && llvm::none_of(First.Path, [&](const Branch &One) {
           return llvm::any_of(Second.Path,
                               [&](const Branch &Other) { return One.Of == Other.Of && One.Number != Other.Number; });
         });
}

/// The last launch of the first kernel before the next kernel's, and so on to the first launch of the last kernel that
/// has all before it.
std::vector<const Launch *> oneAfterTheOther(llvm::ArrayRef<Launch> All, llvm::ArrayRef<std::string> Kernels) {
  size_t Next = 0, End = 0;
  for (; End < All.size() && Next < Kernels.size(); ++End)
    Next += All[End].Kernel == Kernels[Next];
  std::vector<const Launch *> Chosen;
  if (Next < Kernels.size())
    return Chosen;
  for (size_t I = Kernels.size(); I-- > 0;) {
    while (All[--End].Kernel != Kernels[I]) {
    }
    Chosen.insert(Chosen.begin(), &All[End]);
  }
  return Chosen;
}

/// What gives the parameter of a later kernel's launch the same value: a parameter of this one, or a product of some.
std::string sameAs(const Value &Taken, clang::QualType Type, const Launch &Earlier, const LaunchedKernel &Kernel,
                   const clang::ASTContext &Context) {
  const auto Parameters = Kernel.Kernel->parameters();
  std::string Whole;
  std::vector<std::string> Left = Taken.Factors, Product;
  for (size_t I = 0; I < Parameters.size() && I < Earlier.Arguments.size(); ++I) {
    const std::optional<Value> &Given = Earlier.Arguments[I];
    const clang::QualType Own = Parameters[I]->getType();
    auto AreBoth = [&](auto Is) { return Is(Own) && Is(Type); };
    const bool Integers = AreBoth([](clang::QualType T) { return T->isIntegralOrEnumerationType(); });
    if (!Given || !(Integers || AreBoth([](clang::QualType T) { return T->isPointerType(); }) ||
                    Own.getCanonicalType().getUnqualifiedType() == Type.getCanonicalType().getUnqualifiedType()))
      continue;
    const std::string Name = Parameters[I]->getNameAsString();
    // The parameter has the value, or as much of it as the other takes.
    const bool Keeps = !Integers || keeps(Given->Type, Own, Context);
    if (*Given == Taken && (Whole.empty() || Kernel.Stores.count(Name)) &&
        (Keeps || (!Type->isBooleanType() && Context.getIntWidth(Own) >= Context.getIntWidth(Type))))
      Whole = Name;
    const auto Factor = llvm::find(Left, Given->Factors.front());
    if (!Integers || !Keeps || Given->Factors.size() > 1 || Factor == Left.end())
      continue;
    Left.erase(Factor);
    Product.push_back(Name);
  }
  return !Whole.empty() ? Whole : Left.empty() ? llvm::join(Product, "*") : "";
}

} // namespace

std::optional<LaunchLinks> linksOfLaunches(const ParsedUnit &Unit, llvm::ArrayRef<LaunchedKernel> Kernels) {
  clang::ASTNameGenerator Names(Unit.ast());
  std::vector<std::string> Wanted;
  for (const LaunchedKernel &Each : Kernels)
    Wanted.push_back(Names.getName(Each.Kernel));
  HostLaunches Of(Unit);
  std::optional<LaunchLinks> Parted;
  for (unsigned Calls = 0; Calls <= MostCalls; ++Calls) // the function that is nearest to the launches
    for (const clang::FunctionDecl *Function : Of.functions()) {
      const std::vector<Launch> All = Of.of(*Function, Calls);
      const std::vector<const Launch *> Chosen = oneAfterTheOther(All, Wanted);
      if (Chosen.empty() || llvm::any_of(Chosen, [&](const Launch *L) { return !mayFollow(*Chosen[0], *L); }))
        continue;
      LaunchLinks Result;
      for (const Launch *Each = Chosen.front(); Each < Chosen.back(); ++Each)
        if (!llvm::is_contained(Chosen, Each) && !Result.Between)
          Result.Between = Unit.place(Each->Call->getBeginLoc());
      auto Link = [&](size_t From, size_t To, unsigned Parameter) {
        const std::optional<Value> &Taken = Chosen[To]->Arguments[Parameter];
        const clang::ParmVarDecl *P = Kernels[To].Kernel->getParamDecl(Parameter);
        const std::string Same = Taken ? sameAs(*Taken, P->getType(), *Chosen[From], Kernels[From], Unit.ast()) : "";
        return Same.empty()
                   ? Same
                   : fmt::format("{}.{}={}.{}", Kernels[From].Name, Same, Kernels[To].Name, P->getNameAsString());
      };
      auto Parameters = [&](size_t Kernel) {
        return std::min<size_t>(Chosen[Kernel]->Arguments.size(), Kernels[Kernel].Kernel->getNumParams());
      };
      for (size_t To = 0; To < Chosen.size(); ++To) {
        Result.Places.push_back(Unit.place(Chosen[To]->Call->getBeginLoc()));
        for (size_t I = 0; I < Parameters(To); ++I) {
          std::string Best; // to the last that stores it, else to the first
          for (size_t From = 0; From < To; ++From)
            if (const std::string Each = Link(From, To, I); !Each.empty())
              if (const std::string Name = llvm::StringRef(Each).split('=').first.split('.').second.str();
                  Best.empty() || Kernels[From].Stores.count(Name))
                Best = Each;
          if (!Best.empty())
            Result.Links.push_back(Best);
        }
        // A number of an earlier kernel may be a product of this one's.
        for (size_t From = 0; From < To; ++From)
          for (size_t I = 0; I < Parameters(From); ++I)
            if (const std::string Each = Link(To, From, I); llvm::StringRef(Each).contains('*'))
              Result.Links.push_back(Each);
      }
      if (!Result.Between)
        return Result;
      Parted = Parted ? Parted : std::move(Result);
    }
  return Parted;
}

std::vector<LaunchChain> launchChains(const ParsedUnit &Unit) {
  std::vector<LaunchChain> Chains;
  std::set<std::vector<const clang::Stmt *>> Known;
  HostLaunches Of(Unit);
  for (const clang::FunctionDecl *Function : Of.functions()) {
    const std::vector<Launch> All = Of.of(*Function, MostCalls);
    for (size_t I = 0, End; I < All.size(); I = End) {
      for (End = I + 1;
           End < All.size() && !All[I].Kernel.empty() && !All[End].Kernel.empty() && All[End].Path == All[I].Path;)
        ++End;
      std::vector<const clang::Stmt *> Calls;
      for (const Launch &Each : llvm::ArrayRef(All).slice(I, End - I))
        Calls.push_back(Each.Call);
      if (Calls.size() < 2 || !Known.insert(Calls).second)
        continue;
      Chains.push_back({});
      for (const clang::Stmt *Call : Calls) {
        Chains.back().Kernels.push_back(llvm::cast<clang::CallExpr>(Call)->getDirectCallee());
        Chains.back().Places.push_back(Unit.place(Call->getBeginLoc()));
      }
    }
  }
  return Chains;
}

} // namespace cufuse
