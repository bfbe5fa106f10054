#include "EditText.h"

#include <clang/AST/Attr.h>
#include <clang/Lex/Lexer.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>

namespace cufuse {

namespace {

/// The index behind the bracket that matches the one at `Open`.
size_t behindBracket(const std::vector<TextToken> &Tokens, size_t Open) {
  int Depth = 0;
  for (size_t I = Open; I < Tokens.size(); ++I) {
    Depth += Tokens[I].is("(") || Tokens[I].is("[") || Tokens[I].is("{");
    Depth -= Tokens[I].is(")") || Tokens[I].is("]") || Tokens[I].is("}");
    if (Depth == 0)
      return I + 1;
  }
  return Tokens.size();
}

bool isLaunchAttribute(llvm::StringRef Name) {
  return Name == "__launch_bounds__" || Name == "__maxnreg__" || Name == "__cluster_dims__" || Name == "__block_size__";
}

/// Removes [Begin, End) and the spaces behind it.
PlacedEdit removal(const SourceText &Text, const Slice &S, unsigned Begin, unsigned End) {
  const llvm::StringRef Buffer = Text.buffer(S.File);
  while (End < Buffer.size() && Buffer[End] == ' ')
    ++End;
  return {{S.File, Begin}, End - Begin, ""};
}

} // namespace

void editKernelHead(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::FunctionDecl &Kernel,
                    const std::string &Parameters, std::vector<PlacedEdit> &Edits, std::vector<Blocker> &Blockers) {
  const std::vector<TextToken> Tokens = Text.tokensIn(S);
  auto FromMacro = [&](const std::string &Fact) {
    Blockers.push_back({BlockerKind::KernelFromMacro, Unit.place(Kernel.getLocation()), Fact});
  };
  const clang::FunctionTypeLoc Type = Kernel.getFunctionTypeLoc();
  if (!Type || Type.getLParenLoc().isMacroID() || Kernel.getLocation().isMacroID())
    return FromMacro(Kernel.getNameAsString());
  if (Text.offset(Type.getLParenLoc()).first != S.File || Text.offset(Type.getRParenLoc()).first != S.File)
    return FromMacro("its parameters, which another file holds");
  const unsigned Open = Text.offset(Type.getLParenLoc()).second;
  const unsigned Close = Text.offset(Type.getRParenLoc()).second;

  bool Qualified = false, Bounded = false;
  for (size_t I = 0; I < Tokens.size() && Tokens[I].Offset < Close; ++I) {
    if (Tokens[I].is("__global__")) {
      Edits.push_back({{S.File, Tokens[I].Offset}, Tokens[I].Length, Qualified ? "" : "__device__ __forceinline__"});
      Qualified = true;
    } else if (isLaunchAttribute(Tokens[I].Text) && I + 1 < Tokens.size() && Tokens[I + 1].is("(")) {
      const size_t Behind = behindBracket(Tokens, I + 1);
      Edits.push_back(removal(Text, S, Tokens[I].Offset, Tokens[Behind - 1].end()));
      Bounded = true;
      I = Behind - 1;
    } else if (Tokens[I].is("__grid_constant__")) {
      Edits.push_back(removal(Text, S, Tokens[I].Offset, Tokens[I].end()));
    }
  }
  // Clang leaves it out where it is written without nvcc's macro.
  for (size_t I = 0; I + 1 < Tokens.size() && Tokens[I].Offset < Close; ++I)
    if (Tokens[I].is("__attribute__"))
      for (size_t In = I + 1; In < behindBracket(Tokens, I + 1); ++In)
        if (Tokens[In].is("block_size") || Tokens[In].is("__block_size__"))
          Blockers.push_back({BlockerKind::Cluster, Unit.place(Kernel.getLocation()), "block_size"});
  if (!Qualified)
    return FromMacro("no __global__ is written before " + Kernel.getNameAsString());
  if (const auto *Bounds = Kernel.getAttr<clang::CUDALaunchBoundsAttr>();
      Bounds && !Bounded && !Bounds->isInherited()) {
    // A macro that expands to the launch bounds goes with its arguments.
    const unsigned At = Text.offset(Bounds->getLocation()).second;
    for (size_t I = 0; I < Tokens.size(); ++I)
      if (Tokens[I].Offset == At) {
        const size_t Behind = I + 1 < Tokens.size() && Tokens[I + 1].is("(") ? behindBracket(Tokens, I + 1) : I + 1;
        Edits.push_back(removal(Text, S, Tokens[I].Offset, Tokens[Behind - 1].end()));
        Bounded = true;
      }
    if (!Bounded)
      return FromMacro("its launch bounds");
  }
  for (const clang::ParmVarDecl *Parameter : Kernel.parameters())
    if (Parameter->hasAttr<clang::CUDAGridConstantAttr>() && !Parameter->getName().empty())
      Edits.push_back({Text.offset(Parameter->getLocation()), 0, "&"});

  const bool HasOwn = Kernel.getNumParams() > 0;
  if (HasOwn && !Parameters.empty())
    Edits.push_back({{S.File, Open + 1}, 0, Parameters + ", "});
  else if (!Parameters.empty())
    Edits.push_back({{S.File, Open + 1}, Close - Open - 1, Parameters});
  if (HasOwn) { // The last one comes first.
    Edits.push_back({{S.File, Open + 1}, 0, "CufuseTurn cufuse_turn, ", Edit::When::Turns});
    Edits.push_back({{S.File, Open + 1}, 0, "const CufuseRow cufuse_row, ", Edit::When::Rows});
  }
}

void editLinkedParameters(const ParsedUnit &Unit, SourceText &Text, const clang::FunctionDecl &Kernel,
                          llvm::ArrayRef<std::string> Names, std::vector<PlacedEdit> &Edits) {
  for (size_t I = 0; I < Names.size(); ++I) {
    // Of a pack, which stands for several parameters, the last ones have none here.
    const clang::ParmVarDecl *Parameter = Kernel.getParamDecl(std::min<size_t>(I, Kernel.getNumParams() - 1));
    const clang::SourceRange Range = Parameter->getSourceRange();
    const auto Begin = Text.offset(Range.getBegin());
    if (Range.getBegin().isMacroID() || Range.getEnd().isMacroID() || Parameter->isParameterPack() ||
        Parameter->hasAttr<clang::CUDAGridConstantAttr>()) {
      Edits.push_back(
          {Begin,
           0,
           "",
           Edit::When::Linked,
           Names[I],
           {},
           Blocker{BlockerKind::KernelFromMacro, Unit.place(Parameter->getLocation()), "its parameter " + Names[I]}});
      continue;
    }
    const unsigned End =
        Text.offset(Range.getEnd()).second +
        clang::Lexer::MeasureTokenLength(Range.getEnd(), Unit.ast().getSourceManager(), Unit.ast().getLangOpts());
    Edits.push_back({Begin, End - Begin.second,
                     fmt::format("const cufuse_linked_{} {}", Names[I], Parameter->getNameAsString()),
                     Edit::When::Linked, Names[I]});
  }
}

void editDynamicShared(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const clang::VarDecl &Variable,
                       const std::string &Offset, std::vector<PlacedEdit> &Edits, std::vector<Blocker> &Blockers) {
  const auto [File, NameAt] = Text.offset(Variable.getLocation());
  const std::vector<TextToken> Tokens =
      Text.tokensIn(File == S.File ? S : Slice{File, 0, static_cast<unsigned>(Text.buffer(File).size())});
  size_t Name = 0;
  while (Name < Tokens.size() && Tokens[Name].Offset != NameAt)
    ++Name;
  size_t First = Name;
  while (First > 0 && !Tokens[First].is("extern") && !Tokens[First].is(";") && !Tokens[First].is("{"))
    --First;
  size_t Last = Name;
  while (Last < Tokens.size() && !Tokens[Last].is(";") && !Tokens[Last].is(","))
    ++Last;
  const bool Written = Name < Tokens.size() && Last < Tokens.size() && Tokens[First].is("extern") &&
                       Tokens[Name].is(Variable.getName()) && Tokens[Last].is(";") &&
                       !Variable.getLocation().isMacroID();
  if (!Written) {
    Blockers.push_back(
        {BlockerKind::DynamicSharedFromMacro, Unit.place(Variable.getLocation()), Variable.getNameAsString()});
    return;
  }
  const llvm::StringRef Buffer = Text.buffer(File);
  // The element type: all tokens before the name but storage and alignment, which the base of the memory exceeds.
  std::string Element;
  bool Shared = false;
  for (size_t I = First + 1; I < Name; ++I) {
    if (Tokens[I].is("__shared__")) {
      Shared = true;
      continue;
    }
    if ((Tokens[I].is("__align__") || Tokens[I].is("alignas") || Tokens[I].is("__attribute__")) && I + 1 < Name &&
        Tokens[I + 1].is("(")) {
      I = behindBracket(Tokens, I + 1) - 1;
      continue;
    }
    // Spaces as the user wrote them.
    if (!Element.empty() && Tokens[I].Offset > Tokens[I - 1].end() && Element.back() != ' ')
      Element += ' ';
    Element += Tokens[I].Text;
  }
  if (!Shared) {
    Blockers.push_back(
        {BlockerKind::DynamicSharedFromMacro, Unit.place(Variable.getLocation()), Variable.getNameAsString()});
    return;
  }
  std::string Bounds;
  for (size_t I = Name + 1; I < Last; ++I)
    if (Tokens[I].is("__align__") || Tokens[I].is("__attribute__"))
      I = behindBracket(Tokens, I + 1) - 1;
    else
      Bounds += Buffer.slice(Tokens[I].Offset, I + 1 < Last ? Tokens[I + 1].Offset : Tokens[I].end()).str();
  Bounds = llvm::StringRef(Bounds).rtrim().str();
  Edits.push_back({{File, Tokens[First].Offset},
                   Tokens[Last].Offset - Tokens[First].Offset,
                   fmt::format("{} (&{}){} = cufuse_partition::dynamicShared<{}{}>({})", Element,
                               Variable.getName().str(), Bounds, Element, Bounds, Offset)});
}

namespace {

/// Finds where a thread leaves while a local variable of the kernel has a destructor to run.
class FindUndestroyed {
public:
  FindUndestroyed(const clang::ASTContext &Context, bool AtEnd) : Context(Context), AtEnd(AtEnd) {}

  std::optional<std::pair<clang::SourceLocation, std::string>> in(const clang::Stmt &Body) {
    walk(&Body, /*IsBody=*/true);
    return std::move(Found);
  }

private:
  void walk(const clang::Stmt *S, bool IsBody = false) {
    if (!S || Found || llvm::isa<clang::LambdaExpr>(S))
      return;
    if (auto *Decls = llvm::dyn_cast<clang::DeclStmt>(S))
      for (const clang::Decl *D : Decls->decls())
        if (auto *V = llvm::dyn_cast<clang::VarDecl>(D); V && V->hasLocalStorage() && isDestroyed(*V))
          Live.push_back(V);
    if (llvm::isa<clang::ReturnStmt>(S) && !Live.empty())
      return report(S->getBeginLoc());
    const size_t Outer = Live.size();
    for (const clang::Stmt *Child : S->children())
      walk(Child);
    if (IsBody && AtEnd && !Live.empty() && !Found)
      report(Live.back()->getLocation());
    if (!llvm::isa<clang::DeclStmt>(S))
      Live.resize(Outer);
  }

  void report(clang::SourceLocation Where) {
    Found.emplace(Where, "the destructor of " + Live.back()->getNameAsString() + " would not run");
  }

  bool isDestroyed(const clang::VarDecl &V) const {
    return V.needsDestruction(Context) == clang::QualType::DK_cxx_destructor ||
           (V.getType()->isReferenceType() && V.getInit() && extends(V.getInit(), V));
  }
  /// A reference keeps an object that was made for it.
  static bool extends(const clang::Stmt *S, const clang::VarDecl &V) {
    if (auto *Object = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(S);
        Object && Object->getExtendingDecl() == &V && Object->getType().isDestructedType())
      return true;
    return llvm::any_of(S->children(), [&](const clang::Stmt *Child) { return Child && extends(Child, V); });
  }

  const clang::ASTContext &Context;
  const bool AtEnd;
  std::vector<const clang::VarDecl *> Live;
  std::optional<std::pair<clang::SourceLocation, std::string>> Found;
};

} // namespace

void editReturns(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const FunctionUse &Kernel, bool AtEnd,
                 std::vector<PlacedEdit> &Edits, std::vector<Blocker> &Blockers) {
  auto Refuse = [&](clang::SourceLocation Where, const char *What) {
    Blockers.push_back({BlockerKind::ExitUnannounced, Unit.place(Where), What});
  };
  if (const auto Undestroyed = FindUndestroyed(Unit.ast(), AtEnd).in(*Kernel.Function->getBody()))
    Blockers.push_back({BlockerKind::ExitUnannounced, Unit.place(Undestroyed->first), Undestroyed->second});
  for (const clang::ReturnStmt *Return : Kernel.Returns) {
    const clang::SourceLocation At = Return->getReturnLoc();
    if (At.isMacroID())
      Refuse(At, "a macro returns");
    else if (Return->getRetValue())
      Refuse(At, "it returns an expression");
    else
      Edits.push_back({Text.offset(At.getLocWithOffset(6)), 0, " cufuse_partition::leave()"});
  }
  if (!AtEnd)
    return;
  const auto *Body = llvm::dyn_cast<clang::CompoundStmt>(Kernel.Function->getBody());
  if (!Body || Body->getRBracLoc().isMacroID())
    return Refuse(Kernel.Function->getLocation(), "its end is not written as `}`");
  if (!Body->body_empty() && llvm::isa<clang::ReturnStmt>(Body->body_back()))
    return;
  // A line of its own, indented as the body is by its first statement.
  const auto End = Text.offset(Body->getRBracLoc());
  const llvm::StringRef Line = Text.buffer(End.first).slice(0, End.second);
  const bool OwnLine = Line.rtrim(" \t").ends_with("\n");
  Edits.push_back({End, 0, OwnLine ? "  cufuse_partition::leave();\n" : " cufuse_partition::leave(); "});
}

void checkBuiltinNames(const ParsedUnit &Unit, SourceText &Text, const Slice &S, const std::set<std::string> &Rebound,
                       std::vector<Blocker> &Blockers) {
  static const llvm::StringSet<> Keywords = {"return", "else", "do",  "case", "throw",  "co_return", "sizeof",
                                             "and",    "or",   "not", "xor",  "bitand", "bitor"};
  const std::vector<TextToken> Tokens = Text.tokensIn(S);
  for (size_t I = 0; I < Tokens.size(); ++I) {
    const bool Barrier = Tokens[I].Text.starts_with("__syncthreads") || Tokens[I].Text.starts_with("__barrier_sync");
    if (!Rebound.count(Tokens[I].Text.str()) && !Barrier)
      continue;
    const TextToken None;
    const TextToken &Before = I > 0 ? Tokens[I - 1] : None;
    const TextToken &BeforeThat = I > 1 ? Tokens[I - 2] : None;
    const TextToken &Behind = I + 1 < Tokens.size() ? Tokens[I + 1] : None;
    Slice At = S;
    At.Begin = Tokens[I].Offset;
    const SourcePlace Where = Unit.place(Text.location(At));
    if (Before.is("::") && !BeforeThat.isIdentifier())
      Blockers.push_back({BlockerKind::QualifiedBuiltin, Where, "::" + Tokens[I].Text.str()});
    if (Barrier)
      continue;
    auto IsType = [](const TextToken &T) { return T.isIdentifier() && !Keywords.contains(T.Text); };
    const bool Ends =
        Behind.is(",") || Behind.is(")") || Behind.is(";") || Behind.is("=") || Behind.is("{") || Behind.is("[");
    const bool Declares = (IsType(Before) && (Ends || Behind.is("("))) ||
                          ((Before.is("&") || Before.is("*")) && IsType(BeforeThat) && Ends);
    if (Before.is(".") || Before.is("->") || Declares)
      Blockers.push_back({llvm::is_contained(BuiltinNames, Tokens[I].Text) ? BlockerKind::BuiltinNameReused
                                                                           : BlockerKind::FileScopeDynamicShared,
                          Where, Tokens[I].Text.str()});
  }
}

} // namespace cufuse
