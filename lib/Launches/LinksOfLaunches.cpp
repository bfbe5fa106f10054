#include "cufuse/Launches/LinksOfLaunches.h"

#include "cufuse/Launches/HostLaunches.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/Sequence.h>
#include <llvm/ADT/SmallVectorExtras.h>
#include <llvm/ADT/StringExtras.h>

#include <array>
#include <list>

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

/// Is it the kernel? Where a launch's file has only a declaration, one that is visible there.
bool isOf(llvm::StringRef Launched, llvm::StringRef Kernel) {
  return Launched == Kernel || (!Launched.empty() && !Launched.contains('@') && Launched == Kernel.split('@').first);
}

/// Launches of the kernels, by kernel.
using LaunchRun = std::vector<const Launch *>;

/// The last launch of the first kernel before the next kernel's, and so on to the first launch of the last kernel that
/// has all before it; then the same of the launches behind that one.
std::vector<LaunchRun> runsOf(llvm::ArrayRef<Launch> All, size_t Kernels,
                              llvm::function_ref<bool(const Launch &, size_t)> IsOf) {
  std::vector<LaunchRun> Runs;
  for (size_t Next = 0, End = 0; End < All.size();) {
    Next += IsOf(All[End++], Next);
    if (Next < Kernels)
      continue;
    LaunchRun Chosen;
    size_t At = End;
    for (size_t I = Kernels; I-- > 0;) {
      while (!IsOf(All[--At], I)) {
      }
      Chosen.insert(Chosen.begin(), &All[At]);
    }
    if (llvm::all_of(Chosen, [&](const Launch *L) { return mayFollow(*Chosen[0], *L); }))
      Runs.push_back(std::move(Chosen));
    Next = 0;
  }
  return Runs;
}

bool isNull(const std::optional<Value> &Given) { return Given && Given->Factors.front() == NullPointer; }

/// What gives the parameter of a later kernel's launch the same value: a parameter of this one, or a product of some.
/// `Differs`: the product of these parameters and factors is another number than that of the later kernel, in some
/// launches of them.
std::string sameAs(const Value &Taken, clang::QualType Type, const Launch &Earlier, const LaunchedKernel &Kernel,
                   const clang::ASTContext &Context,
                   llvm::function_ref<bool(llvm::ArrayRef<size_t>, std::vector<std::string>)> Differs) {
  const auto Parameters = Kernel.Kernel->parameters();
  std::string Whole;
  std::vector<std::string> Left = Taken.Factors, Product;
  std::vector<size_t> OfProduct;
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
    if (*Given == Taken && (Whole.empty() || Kernel.Stores.count(Name)) && !(Integers && Differs(I, {})) &&
        (Keeps || (!Type->isBooleanType() && Context.getIntWidth(Own) >= Context.getIntWidth(Type))))
      Whole = Name;
    if (!Integers || !Keeps || Given->Factors.size() > 1)
      continue;
    const size_t Others = llvm::count_if(Left, [&](const auto &Factor) { return Factor != Given->Factors.front(); });
    Product.insert(Product.end(), Left.size() - Others, Name);
    OfProduct.insert(OfProduct.end(), Left.size() - Others, I);
    llvm::erase(Left, Given->Factors.front());
  }
  if (!Whole.empty())
    return Whole;
  if (Differs(OfProduct, Left))
    return "";
  // As `2 * pairs`; a parameter that is handed the same number may be another one elsewhere, and so may the product.
  const auto Written = writtenAs(*llvm::cast<clang::CUDAKernelCallExpr>(Earlier.Call), Context).Arguments;
  for (const std::string &Factor : Left) {
    std::int64_t Number = 0;
    if (Product.empty() || !Factor.starts_with('#') || llvm::StringRef(Factor).drop_front().getAsInteger(10, Number))
      return "";
    std::vector<std::string> Same;
    for (size_t I = 0; I < Parameters.size() && I < Written.size(); ++I)
      if (Written[I] == Number && Parameters[I]->getType()->isIntegerType())
        Same.push_back(Parameters[I]->getNameAsString());
    if (Same.size() > 1)
      return "";
    Product.push_back(Same.empty() ? std::to_string(Number) : Same.front());
  }
  return llvm::join(Product, "*");
}

const clang::FunctionDecl *calleeOf(const Launch &L) { return llvm::cast<clang::CallExpr>(L.Call)->getDirectCallee(); }

/// Is it in an arm of a condition in whose other arm the second launch is? In a loop that the first one is not in, it
/// may run before in another turn.
bool isInOtherArm(const Launch &L, const Launch &First, const Launch &Second) {
  for (size_t I = 0; I < std::min(L.Path.size(), Second.Path.size()); ++I) {
    const Branch &Own = L.Path[I], &Other = Second.Path[I];
    if (Own.Of != Other.Of || Own.Call != Other.Call)
      return false;
    if (Own.Number != Other.Number) {
      auto *If = llvm::dyn_cast<clang::IfStmt>(Own.Of);
      const auto Parts = std::distance(Own.Of->children().begin(), Own.Of->children().end());
      return (If || llvm::isa<clang::ConditionalOperator>(Own.Of)) &&
             std::min(Own.Number, Other.Number) >= Parts - (If && !If->getElse() ? 0 : 1);
    }
    if (Own.IsLoop && !(I < First.Path.size() && First.Path[I] == Own))
      return false;
  }
  return false;
}

/// Does something use the memory of these?
bool isBetween(const Launch &L, llvm::ArrayRef<const Launch *> Of) {
  return L.Stored.isNull() ||
         llvm::any_of(Of, [&](const Launch *Each) { return mayUse(*calleeOf(*Each), L.Stored, /*Loads=*/true); });
}

/// What two launches have in common of what one of them stores.
struct Sharing {
  bool Any = false, Known = true;
};

/// Different variables and members are taken for different arrays; what is not known, or another view of one, is not.
Sharing sharingOf(const Launch &First, const LaunchedKernel &A, const Launch &Second, const LaunchedKernel &B) {
  // The same variable or member, or what a function of an object says, which may be any of its members.
  auto MayMeet = [](llvm::StringRef Of, llvm::StringRef Other) {
    const bool HasView = Of.starts_with(View) || Other.starts_with(View);
    return (HasView && Of.split('.').first != Other.split('.').first) || Of.empty() || Other.empty() || Of == Other ||
           (Of.consume_back(".") && Other.starts_with(Of)) || (Other.consume_back(".") && Of.starts_with(Other));
  };
  // Each launch has both pointers: whether they meet is a question of each kernel alone, which the proofs ask of all
  // that are not said to be apart.
  auto HaveBoth = [&](const Value &X, const Value &Y) {
    auto Has = [](const Launch &L, const LaunchedKernel &Of, const Value &Wanted) {
      return llvm::any_of(llvm::zip(L.Arguments, Of.Kernel->parameters()), [&](const auto &Each) {
        const auto &[Given, P] = Each;
        return Given == Wanted && P->getType()->isPointerType() && !P->getType().isRestrictQualified();
      });
    };
    return Has(First, A, X) && Has(First, A, Y) && Has(Second, B, X) && Has(Second, B, Y);
  };
  Sharing Found;
  for (size_t I = 0; I < First.Arguments.size() && I < A.Kernel->getNumParams(); ++I)
    for (size_t K = 0; K < Second.Arguments.size() && K < B.Kernel->getNumParams(); ++K) {
      const clang::ParmVarDecl &P = *A.Kernel->getParamDecl(I), &Q = *B.Kernel->getParamDecl(K);
      if (!P.getType()->isPointerType() || !Q.getType()->isPointerType() ||
          !(A.Stores.count(P.getNameAsString()) || B.Stores.count(Q.getNameAsString())))
        continue;
      const std::optional<Value> &X = First.Arguments[I], &Y = Second.Arguments[K];
      if (isNull(X) || isNull(Y))
        continue;
      Found.Any |= X && Y && *X == *Y;
      Found.Known &= X && Y && (*X == *Y || !MayMeet(X->Object, Y->Object) || HaveBoth(*X, *Y));
    }
  return Found;
}

/// The same of launches that follow each other: the user knows of those that are linked by hand.
Sharing sharingOf(llvm::ArrayRef<const Launch *> Chosen, llvm::ArrayRef<LaunchedKernel> Kernels) {
  Sharing All;
  for (size_t To = 0; To < Chosen.size(); ++To)
    for (size_t From = 0; From < To; ++From) {
      const Sharing Both = sharingOf(*Chosen[From], Kernels[From], *Chosen[To], Kernels[To]);
      All.Any |= Both.Any;
      All.Known &= Both.Known || Kernels[To].Linked.count(From);
    }
  return All;
}

/// Has the kernel elements behind the last block that the launch is written with, or is their number computed?
enum class Behind { None, Some, Unknown, Computed };
Behind behind(const WrittenLaunch &L, const LaunchedKernel &Kernel, int Dimension) {
  const std::string Block = builtinAtom(Builtin::BlockIdx, Dimension);
  Behind All = Behind::None;
  for (const std::vector<Less> &Ends : Kernel.Ends) {
    std::optional<Behind> Own;
    for (const Less &End : Ends) {
      Polynomial Room = End.Right - End.Left;
      if (!Room.contains(Block) || Room.contains(builtinAtom(Builtin::GridDim, Dimension))) // or in the next row
        continue;
      if (!L.Grid[Dimension])
        return Behind::Computed;
      for (int D = 0; D < 3; ++D) {
        Room = Room.substitute(builtinAtom(Builtin::BlockIdx, D), D == Dimension ? *L.Grid[D] : 0)
                   .substitute(builtinAtom(Builtin::ThreadIdx, D), 0);
        if (L.Block[D])
          Room = Room.substitute(builtinAtom(Builtin::BlockDim, D), *L.Block[D]);
      }
      for (size_t I = 0; I < L.Arguments.size() && I < Kernel.Kernel->getNumParams(); ++I)
        if (L.Arguments[I])
          Room = Room.substitute(Kernel.Kernel->getParamDecl(I)->getNameAsString(), *L.Arguments[I]);
      const auto Left = Room.asConstant();
      if (Left && *Left <= 0)
        Own = Behind::None;
      else if (Own != Behind::None)
        Own = Left && Own != Behind::Unknown ? Behind::Some : Behind::Unknown;
    }
    if (All != Behind::Some)
      All = std::max(All, Own.value_or(Behind::None));
    if (Own == Behind::Some)
      All = Behind::Some;
  }
  return All;
}

/// The same of blocks that are computed: visibly too few for some elements, whatever the sizes are that both are made
/// of. `n / 192` blocks are enough of what blocks divide: so many numbers divide one of these.
bool hasTooFew(const Launch &L, const LaunchedKernel &Kernel, int Dimension, const clang::ASTContext &Context) {
  return llvm::all_of(std::array<std::int64_t, 3>{23040, 24000, 40320}, [&](std::int64_t Size) {
    const auto &Call = *llvm::cast<clang::CUDAKernelCallExpr>(L.Call);
    return behind(writtenAs(Call, Context, Size), Kernel, Dimension) == Behind::Some;
  });
}

/// Are they seen to have blocks of one shape?
bool haveOneBlock(const Launch &First, const Launch &Second, const clang::ASTContext &Context) {
  const WrittenSizes One = writtenAs(*llvm::cast<clang::CUDAKernelCallExpr>(First.Call), Context).Block,
                     Two = writtenAs(*llvm::cast<clang::CUDAKernelCallExpr>(Second.Call), Context).Block;
  return (First.Block && First.Block == Second.Block) || (One == Two && llvm::all_of(One, [](auto &D) { return !!D; }));
}

/// Do both launches have all elements of kernels with bounds? Not where one is written with a number of blocks that is
/// not seen to be enough, and the other has another; a number that is computed is taken for enough.
enum class Reach { All, Taken, Less };
Reach reachOf(const Launch &First, const LaunchedKernel &A, const Launch &Second, const LaunchedKernel &B,
              const clang::ASTContext &Context) {
  const WrittenLaunch One = writtenAs(*llvm::cast<clang::CUDAKernelCallExpr>(First.Call), Context),
                      Two = writtenAs(*llvm::cast<clang::CUDAKernelCallExpr>(Second.Call), Context);
  const bool HaveOneShape = First.Grid && First.Grid == Second.Grid && haveOneBlock(First, Second, Context);
  Reach Least = Reach::All;
  for (int D = 0; D < 3; ++D) {
    // A loop over the grid has all.
    const Behind Each[] = {A.IsByThreads ? behind(One, A, D) : Behind::None,
                           B.IsByThreads ? behind(Two, B, D) : Behind::None};
    const bool HaveOneSize = One.Grid[D] && Two.Grid[D] && One.Block[D] && Two.Block[D] &&
                             *One.Grid[D] * *One.Block[D] == *Two.Grid[D] * *Two.Block[D];
    const bool AreAlike = A.IsByThreads && B.IsByThreads && (HaveOneShape || HaveOneSize);
    const bool HaveTooFew = (Each[0] == Behind::Computed && hasTooFew(First, A, D, Context)) ||
                            (Each[1] == Behind::Computed && hasTooFew(Second, B, D, Context));
    if (HaveTooFew || llvm::is_contained(Each, Behind::Some) ||
        (!AreAlike && llvm::is_contained(Each, Behind::Unknown)))
      return Reach::Less;
    if (!AreAlike && A.IsByThreads && B.IsByThreads && llvm::is_contained(Each, Behind::Computed))
      Least = Reach::Taken;
  }
  return Least;
}

bool holdsPointers(clang::QualType T) {
  const clang::CXXRecordDecl *Class = T.getNonReferenceType()->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && llvm::any_of(Class->fields(), [](const clang::FieldDecl *Field) {
           const clang::QualType Of = Field->getType()->getBaseElementTypeUnsafe()->getCanonicalTypeInternal();
           return Of->isPointerType() || holdsPointers(Of);
         });
}

/// Are both handed a structure of one type that leads to memory?
bool handStructures(const clang::FunctionDecl &A, const clang::FunctionDecl &B) {
  return llvm::any_of(A.parameters(), [&](const clang::ParmVarDecl *P) {
    const clang::QualType T = P->getType().getNonReferenceType().getCanonicalType().getUnqualifiedType();
    return holdsPointers(T) && llvm::any_of(B.parameters(), [&](const clang::ParmVarDecl *Q) {
             return Q->getType().getNonReferenceType().getCanonicalType().getUnqualifiedType() == T;
           });
  });
}

/// Do the launches have one grid, as far as it matters?
void compareGrids(LaunchLinks &Result, const ParsedUnit &Unit, llvm::ArrayRef<const Launch *> Chosen,
                  llvm::ArrayRef<LaunchedKernel> Kernels) {
  std::optional<size_t> OfGrid;
  for (size_t To = 0; To < Chosen.size(); ++To) {
    auto HasGridOf = [&](size_t From) { // of threads, where these count
      return Kernels[To].Linked.count(From) || (Chosen[From]->Grid && Chosen[From]->Grid == Chosen[To]->Grid &&
                                                (haveOneBlock(*Chosen[From], *Chosen[To], Unit.ast()) ||
                                                 llvm::none_of(std::array{From, To}, [&](size_t I) {
                                                   return Kernels[I].FollowsGrid && Kernels[I].IsByThreads;
                                                 })));
    };
    if (Kernels[To].FollowsGrid) {
      Result.HaveOneGrid &= !OfGrid || HasGridOf(*OfGrid);
      OfGrid = To;
    }
    // A grid that has all elements of the one may have too many of the other.
    for (size_t From = 0; From < To; ++From)
      if (Kernels[From].FollowsGrid != Kernels[To].FollowsGrid) {
        if (Kernels[From].IsByThreads && Kernels[To].IsByThreads)
          (Kernels[From].FollowsGrid ? Result.MayShareThreads : Result.HaveOneGrid) &= HasGridOf(From);
      } else if (!Kernels[To].FollowsGrid && !Kernels[To].Linked.count(From)) {
        const Reach Both = reachOf(*Chosen[From], Kernels[From], *Chosen[To], Kernels[To], Unit.ast());
        Result.HaveOneGrid &= Both != Reach::Less;
        Result.AreSeenToReach &= Both == Reach::All;
      }
  }
}

/// How many elements the launch of a kernel without a bound is written for, as a product of its arguments.
std::string elementsOf(const Launch &L, const LaunchedKernel &Kernel, const clang::ASTContext &Context) {
  return Kernel.IsUnbounded && L.Elements
             ? sameAs(*L.Elements, Context.IntTy, L, Kernel, Context, [](auto &&...) { return false; })
             : "";
}

/// How many blocks a launch has, of the numbers that one of them is handed, its own first.
std::pair<size_t, std::string> blocksOf(size_t Own, llvm::ArrayRef<const Launch *> Chosen,
                                        llvm::ArrayRef<LaunchedKernel> Kernels, const clang::ASTContext &Context) {
  const WrittenSizes Grid = writtenAs(*llvm::cast<clang::CUDAKernelCallExpr>(Chosen[Own]->Call), Context).Grid;
  if (Grid[0] && Grid[1] == 1 && Grid[2] == 1)
    return {Own, std::to_string(*Grid[0])};
  std::vector<size_t> Order = {Own};
  llvm::append_range(Order, llvm::seq(Chosen.size()));
  for (const size_t I : Order)
    if (const std::optional<Value> &Blocks = Chosen[Own]->Blocks)
      if (std::string Product =
              sameAs(*Blocks, Context.IntTy, *Chosen[I], Kernels[I], Context, [](auto &&...) { return false; });
          !Product.empty())
        return {I, std::move(Product)};
  return {Own, ""};
}

/// The parameter of an earlier launch that is handed the number which a later one has for this parameter: that of its
/// name and type. Numbers of other names are equal by chance: `Other` finds those, if they are no small ones.
std::string ofOneNumber(llvm::ArrayRef<const Launch *> Run, llvm::ArrayRef<LaunchedKernel> Kernels, size_t From,
                        size_t To, unsigned Parameter, bool Other = false) {
  constexpr std::int64_t Small = 16;
  const clang::ParmVarDecl &Taken = *Kernels[To].Kernel->getParamDecl(Parameter);
  const clang::ASTContext &Context = Taken.getASTContext();
  auto NumbersOf = [&](size_t Kernel) {
    return writtenAs(*llvm::cast<clang::CUDAKernelCallExpr>(Run[Kernel]->Call), Context).Arguments;
  };
  const auto Earlier = NumbersOf(From), Later = NumbersOf(To);
  const auto Number = Parameter < Later.size() && Taken.getType()->isIntegerType() ? Later[Parameter] : std::nullopt;
  if (!Number)
    return "";
  for (const auto &[P, Own] : llvm::zip(Kernels[From].Kernel->parameters(), Earlier))
    if (Own == Number && Context.hasSameUnqualifiedType(P->getType(), Taken.getType()) &&
        (P->getDeclName() == Taken.getDeclName() ? !Other : Other && *Number > Small))
      return P->getNameAsString();
  return "";
}

/// The links of launches that follow each other, but for numbers that are not the same in `Others` of the kernels.
LaunchLinks linksOf(const ParsedUnit &Unit, llvm::ArrayRef<const Launch *> Chosen,
                    llvm::ArrayRef<LaunchedKernel> Kernels, llvm::ArrayRef<LaunchRun> Others = {}) {
  LaunchLinks Result;
  const Sharing Shared = sharingOf(Chosen, Kernels);
  Result.ShareMemory = Shared.Any;
  Result.AreKnown = Shared.Known;
  auto Link = [&](size_t From, size_t To, unsigned Parameter) {
    const std::optional<Value> &Taken = Chosen[To]->Arguments[Parameter];
    const clang::ParmVarDecl *P = Kernels[To].Kernel->getParamDecl(Parameter);
    auto Differs = [&](llvm::ArrayRef<size_t> Own, std::vector<std::string> Factors) {
      return llvm::any_of(Others, [&](const LaunchRun &Other) {
        const auto &One = Other[From]->Arguments, &Two = Other[To]->Arguments;
        std::vector<std::string> Product = Factors;
        bool Known = Parameter < Two.size() && Two[Parameter];
        for (const size_t I : Own)
          if (Known &= I < One.size() && One[I]; Known)
            llvm::append_range(Product, One[I]->Factors);
        llvm::sort(Product);
        return Known && Product != Two[Parameter]->Factors;
      });
    };
    const std::string Same =
        Taken && !isNull(Taken) ? sameAs(*Taken, P->getType(), *Chosen[From], Kernels[From], Unit.ast(), Differs) : "";
    return Same.empty() ? Same
                        : fmt::format("{}.{}={}.{}", Kernels[From].Name, Same, Kernels[To].Name, P->getNameAsString());
  };
  auto Parameters = [&](size_t Kernel) {
    return std::min<size_t>(Chosen[Kernel]->Arguments.size(), Kernels[Kernel].Kernel->getNumParams());
  };
  auto HasOneBlock = [&](const Launch *L) {
    return writtenAs(*llvm::cast<clang::CUDAKernelCallExpr>(L->Call), Unit.ast()).Grid == WrittenSizes{1, 1, 1};
  };
  Result.EndsInOneBlock = llvm::all_of(Chosen.drop_front(), HasOneBlock);
  Result.BeginsInOneBlock = llvm::all_of(Chosen.drop_back(), HasOneBlock);
  for (size_t K = 0; K < Chosen.size(); ++K) {
    auto &Own = Result.OneArray.emplace_back();
    for (size_t I = 0; I < Parameters(K); ++I)
      for (size_t J = 0; J < I; ++J) {
        const std::optional<Value> &Given = Chosen[K]->Arguments[I];
        const clang::ParmVarDecl &A = *Kernels[K].Kernel->getParamDecl(J), &B = *Kernels[K].Kernel->getParamDecl(I);
        const std::string First = A.getNameAsString(), Second = B.getNameAsString();
        if (Given && !isNull(Given) && Given == Chosen[K]->Arguments[J] && A.getType()->isPointerType() &&
            B.getType()->isPointerType() && (Kernels[K].Stores.count(First) || Kernels[K].Stores.count(Second)))
          Own.push_back({First, Second});
      }
  }
  llvm::SmallVector<const std::optional<Value> *> Pointers;
  for (size_t K = 0; K < Chosen.size(); ++K)
    for (size_t I = 0; I < Parameters(K); ++I)
      if (Kernels[K].Kernel->getParamDecl(I)->getType()->isPointerType()) {
        const std::optional<Value> &Own = Chosen[K]->Arguments[I];
        Pointers.push_back(&Own);
        const auto *First = llvm::find_if(Pointers, [&](const auto *Each) { return *Each == Own; });
        Result.Arrays.push_back(Own ? std::optional<size_t>(First - Pointers.begin()) : std::nullopt);
      }
  compareGrids(Result, Unit, Chosen, Kernels);
  if (!Result.HaveOneGrid) {
    std::vector<LaunchedKernel> Counted = Kernels.vec();
    std::vector<std::string> Elements;
    for (size_t I = 0; I < Counted.size(); ++I) {
      Elements.push_back(elementsOf(*Chosen[I], Counted[I], Unit.ast()));
      Counted[I].FollowsGrid &= Elements.back().empty();
    }
    LaunchLinks Other;
    compareGrids(Other, Unit, Chosen, Counted);
    if (Other.HaveOneGrid) {
      Result.HaveOneGrid = true, Result.Elements = std::move(Elements);
      Result.AreSeenToReach = Other.AreSeenToReach, Result.MayShareThreads = Other.MayShareThreads;
    }
  }
  for (size_t To = 0; To < Chosen.size(); ++To) {
    Result.Blocks.push_back(Kernels[To].FollowsGrid ? std::optional(blocksOf(To, Chosen, Kernels, Unit.ast()))
                                                    : std::nullopt);
    Result.Places.push_back(Unit.place(Chosen[To]->Call->getBeginLoc()));
    Result.IsConditional |= Chosen[To]->Path != Chosen[0]->Path;
    Result.HaveOneStream &= !Chosen[To]->Stream || !Chosen[0]->Stream || Chosen[To]->Stream == Chosen[0]->Stream;
    for (size_t From = 0; From < To; ++From)
      Result.HandStructures |= handStructures(*Kernels[From].Kernel, *Kernels[To].Kernel);
    for (size_t I = 0; I < Parameters(To); ++I) {
      std::string Best; // to the last that stores it, else to the first
      for (size_t From = 0; From < To; ++From)
        if (const std::string Each = Link(From, To, I); !Each.empty())
          if (const std::string Name = llvm::StringRef(Each).split('=').first.split('.').second.str();
              Best.empty() || Kernels[From].Stores.count(Name))
            Best = Each;
      for (size_t From = 0; From < To && Best.empty(); ++From)
        if (const std::string Name = ofOneNumber(Chosen, Kernels, From, To, I);
            !Name.empty() && llvm::all_of(Others, [&](const LaunchRun &Other) {
              return !ofOneNumber(Other, Kernels, From, To, I).empty();
            }))
          Best = fmt::format("{}.{}={}.{}", Kernels[From].Name, Name, Kernels[To].Name, Name);
      if (!Best.empty())
        Result.Links.push_back(Best);
      for (size_t From = 0; From < To && Best.empty(); ++From)
        if (const std::string Name = ofOneNumber(Chosen, Kernels, From, To, I, /*Other=*/true); !Name.empty())
          Result.MaybeLinks.push_back(Best = fmt::format("{}.{}={}.{}", Kernels[From].Name, Name, Kernels[To].Name,
                                                         Kernels[To].Kernel->getParamDecl(I)->getNameAsString()));
    }
    // A number of an earlier kernel may be a product of this one's, or one of several that are the same.
    for (size_t From = 0; From < To; ++From)
      for (size_t I = 0; I < Parameters(From); ++I) {
        const clang::ParmVarDecl &P = *Kernels[From].Kernel->getParamDecl(I);
        const std::string Each = Link(To, From, I),
                          Name = fmt::format("{}.{}", Kernels[From].Name, P.getNameAsString());
        auto IsOf = [&](llvm::StringRef Known) { return Known.starts_with(Name + "=") || Known.ends_with("=" + Name); };
        if (llvm::StringRef(Each).contains('*') ||
            (!Each.empty() && !P.getType()->isPointerType() && llvm::none_of(Result.Links, IsOf)))
          Result.Links.push_back(Each);
      }
  }
  return Result;
}

/// Are two pointers one array in `Of` that these launches are handed as two?
bool partsArrays(const LaunchLinks &These, const LaunchLinks &Of) {
  return llvm::any_of(llvm::enumerate(Of.Arrays), [&](const auto &Each) {
    const std::optional<size_t> &Own = These.Arrays[Each.index()];
    return Own && Each.value() && These.Arrays[*Each.value()] && These.Arrays[*Each.value()] != Own;
  });
}

} // namespace

std::optional<LaunchLinks> linksOfLaunches(const ParsedUnit &Unit, llvm::ArrayRef<LaunchedKernel> Kernels) {
  const auto Wanted = llvm::map_to_vector(Kernels, [](const LaunchedKernel &Each) { return kernelName(*Each.Kernel); });
  auto IsOf = [&](const Launch &L, size_t Kernel) {
    return isOf(L.Kernel, Wanted[Kernel]) && (Kernels[Kernel].Calls.empty() || Kernels[Kernel].Calls.count(L.Call));
  };
  HostLaunches Of(Unit);
  std::optional<LaunchLinks> Chosen, Parted; // Parted: or not known
  for (unsigned Calls = 0; Calls <= MostCalls; Calls = Chosen ? std::max(Calls + 1, MostCalls) : Calls + 1) {
    std::list<std::vector<Launch>> Launches; // the functions that are nearest to the launches, and then all
    std::vector<LaunchRun> Runs;
    for (const clang::FunctionDecl *Function : Of.functions())
      llvm::append_range(Runs, runsOf(Launches.emplace_back(Of.of(*Function, Calls)), Kernels.size(), IsOf));
    std::vector<LaunchRun> Dependent;
    llvm::copy_if(Runs, std::back_inserter(Dependent),
                  [&](const LaunchRun &Run) { return sharingOf(Run, Kernels).Any; });
    for (const LaunchRun &Run : Runs) {
      LaunchLinks Result = linksOf(Unit, Run, Kernels, Dependent);
      for (size_t Next = 1; Next < Run.size(); ++Next) {
        const bool IsLinked = Kernels[Next].Linked.count(Next - 1);
        for (const Launch *Each = Run[Next - 1] + 1; Each < Run[Next] && !IsLinked && !Result.Between; ++Each)
          if (!isInOtherArm(*Each, *Run[Next - 1], *Run[Next]) && isBetween(*Each, Run))
            Result.Between = Unit.place(Each->Misread.isValid() ? Each->Misread : Each->Call->getBeginLoc());
      }
      if (Result.Between || !Result.AreKnown) {
        if (!Parted || (Parted->Between && !Result.Between)) // what is seen only by way of calls is no reason
          Parted = std::move(Result);
      } else if (!Chosen || (Result.ShareMemory && !Chosen->ShareMemory)) {
        Chosen = std::move(Result);
      } else if (Chosen->Otherwise.empty() && Result.ShareMemory && partsArrays(Result, *Chosen)) {
        Chosen->Otherwise = std::move(Result.Places);
      }
    }
  }
  return Chosen ? Chosen : Parted;
}

std::vector<LaunchChain>
launchChains(const ParsedUnit &Unit,
             llvm::function_ref<std::vector<LaunchedKernel>(llvm::ArrayRef<const clang::FunctionDecl *>)> Find) {
  std::vector<LaunchChain> Chains;
  std::set<std::vector<const clang::Stmt *>> Known;
  HostLaunches Of(Unit);
  for (const clang::FunctionDecl *Function : Of.functions()) {
    const std::vector<Launch> All = Of.of(*Function, MostCalls);
    std::vector<const Launch *> Run; // of launches of which each depends on the one before
    /// Adds them, if they are kernels that count, and says whether they depend on each other.
    auto Add = [&](llvm::ArrayRef<const Launch *> Chosen) {
      const auto Kernels = llvm::map_to_vector(Chosen, [](const Launch *Each) { return calleeOf(*Each); });
      const std::vector<LaunchedKernel> Found = Find(Kernels);
      if (Found.size() != Chosen.size())
        return false;
      LaunchLinks Links = linksOf(Unit, Chosen, Found);
      const bool AreDependent = Links.areDependent();
      const auto Calls = llvm::map_range(Chosen, [](const Launch *Each) { return Each->Call; });
      if ((Chosen.size() == 2 || AreDependent) && Known.insert({Calls.begin(), Calls.end()}).second)
        Chains.push_back({{Kernels.begin(), Kernels.end()}, std::move(Links)});
      return AreDependent;
    };
    /// What depends on each other, but for what stands between, which people may move.
    auto AddParted = [&](const Launch &First, llvm::ArrayRef<Launch> Behind) {
      const auto *Second = llvm::find_if(Behind, [](const Launch &L) { return !L.Kernel.empty(); });
      if (First.Kernel.empty() || Second == Behind.end() || First.Path != Second->Path)
        return;
      const auto *Between =
          std::find_if(&First + 1, Second, [&](const Launch &L) { return isBetween(L, {&First, Second}); });
      const std::vector<LaunchedKernel> Found = Find({calleeOf(First), calleeOf(*Second)});
      if (Between == Second || Found.size() != 2 || !Known.insert({First.Call, Second->Call}).second)
        return;
      LaunchLinks Links = linksOf(Unit, {&First, Second}, Found);
      Links.Between = Unit.place(Between->Call->getBeginLoc());
      if (Links.areDependent())
        Chains.push_back({{calleeOf(First), calleeOf(*Second)}, std::move(Links)});
    };
    auto EndRun = [&] {
      if (Run.size() > 2)
        Add(Run);
      Run.clear();
    };
    for (size_t I = 0, Next; I < All.size(); I = Next) {
      const Launch &First = All[I];
      for (Next = I + 1;
           Next < All.size() && !First.Kernel.empty() && All[Next].Kernel.empty() && !isBetween(All[Next], {&First});)
        ++Next;
      if (Next == All.size() || First.Kernel.empty() || All[Next].Kernel.empty() || First.Path != All[Next].Path ||
          std::any_of(&First + 1, &All[Next],
                      [&](const Launch &L) {
                        return isBetween(L, {&All[Next]}) ||
                               llvm::any_of(Run, [&](const Launch *Of) { return isBetween(L, {Of}); });
                      }) ||
          !Add({&First, &All[Next]})) {
        AddParted(First, llvm::ArrayRef(All).drop_front(I + 1));
        EndRun();
        continue;
      }
      if (Run.empty())
        Run.push_back(&First);
      Run.push_back(&All[Next]);
    }
    EndRun();
  }
  return Chains;
}

} // namespace cufuse
