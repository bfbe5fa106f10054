#include "EditText.h"

#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/Declarations.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclFriend.h>
#include <clang/Analysis/CFG.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

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
void remove(TextEdits &Edits, unsigned Begin, unsigned End) {
  const llvm::StringRef Buffer = Edits.Text.buffer(Edits.Of.File);
  while (End < Buffer.size() && Buffer[End] == ' ')
    ++End;
  Edits.All.push_back({{Edits.Of.File, Begin}, End - Begin, ""});
}

/// Behind the last attribute in brackets, or macro of one, between `__global__` and the name: nvcc allows `inline`,
/// which is a part of `__forceinline__`, only there.
std::optional<unsigned> behindAttributes(const SourceText &Text, const clang::FunctionDecl &Kernel,
                                         const std::vector<TextToken> &Tokens) {
  std::optional<unsigned> Behind;
  const unsigned Name = Text.offset(Kernel.getLocation()).second;
  bool Qualified = false;
  for (size_t I = 0; I + 1 < Tokens.size() && Tokens[I].Offset < Name; ++I) {
    Qualified |= Tokens[I].is("__global__");
    const bool IsMacro = llvm::any_of(Kernel.attrs(), [&](const clang::Attr *A) {
      return A->isCXX11Attribute() && Text.offset(A->getLocation()).second == Tokens[I].Offset;
    });
    if (!Qualified || (!IsMacro && (!Tokens[I].is("[") || !Tokens[I + 1].is("["))))
      continue;
    if (!IsMacro || Tokens[I + 1].is("("))
      I = behindBracket(Tokens, IsMacro ? I + 1 : I) - 1;
    Behind = Tokens[I].end();
  }
  return Behind;
}

} // namespace

void editKernelHead(TextEdits &Edits, const clang::FunctionDecl &Kernel, const clang::FunctionDecl &Instance,
                    const std::string &Parameters, bool Always) {
  SourceText &Text = Edits.Text;
  const clang::FileID File = Edits.Of.File;
  const std::vector<TextToken> Tokens = Text.tokensIn(Edits.Of);
  auto FromMacro = [&](const std::string &Fact) {
    Edits.refuse(BlockerKind::KernelFromMacro, Kernel.getLocation(), Fact);
  };
  const clang::FunctionTypeLoc Type = Kernel.getFunctionTypeLoc();
  if (!Type || Type.getLParenLoc().isMacroID() || Kernel.getLocation().isMacroID())
    return FromMacro(Kernel.getNameAsString());
  if (Text.offset(Type.getLParenLoc()).first != File || Text.offset(Type.getRParenLoc()).first != File)
    return FromMacro("its parameters, which another file holds");
  const unsigned Open = Text.offset(Type.getLParenLoc()).second;
  const unsigned Close = Text.offset(Type.getRParenLoc()).second;

  std::set<unsigned> GridConstants; // Macros among them.
  for (const clang::ParmVarDecl *Parameter : Kernel.parameters())
    if (const auto *Attribute = Parameter->getAttr<clang::CUDAGridConstantAttr>())
      GridConstants.insert(Text.offset(Attribute->getLocation()).second);
  const std::optional<unsigned> BehindAttributes = behindAttributes(Text, Kernel, Tokens);
  bool Qualified = false, Bounded = false;
  for (size_t I = 0; I < Tokens.size() && Tokens[I].Offset < Close; ++I) {
    if (Tokens[I].is("__global__")) {
      Edits.All.push_back({{File, Tokens[I].Offset},
                           Tokens[I].end() - Tokens[I].Offset,
                           Qualified ? ""
                           : Kernel.isInlineSpecified()
                               ? "__device__ __attribute__((always_inline))" // nvcc: no second inline
                           : BehindAttributes ? "__device__"
                                              : "__device__ __forceinline__"});
      if (!Qualified && !Kernel.isInlineSpecified() && BehindAttributes)
        Edits.All.push_back({{File, *BehindAttributes}, 0, " __forceinline__"});
      Qualified = true;
    } else if (isLaunchAttribute(Tokens[I].Text) && I + 1 < Tokens.size() && Tokens[I + 1].is("(")) {
      const size_t Behind = behindBracket(Tokens, I + 1);
      remove(Edits, Tokens[I].Offset, Tokens[Behind - 1].end());
      Bounded = true;
      I = Behind - 1;
    } else if (Tokens[I].is("__grid_constant__") || GridConstants.count(Tokens[I].Offset)) {
      remove(Edits, Tokens[I].Offset, Tokens[I].end());
    }
  }
  if (!Qualified)
    return FromMacro("no __global__ is written before " + Kernel.getNameAsString());
  if (const auto *Bounds = Kernel.getAttr<clang::CUDALaunchBoundsAttr>();
      Bounds && !Bounded && !Bounds->isInherited()) {
    // A macro that expands to the launch bounds goes with its arguments.
    const unsigned At = Text.offset(Bounds->getLocation()).second;
    for (size_t I = 0; I < Tokens.size(); ++I)
      if (Tokens[I].Offset == At) {
        const size_t Behind = I + 1 < Tokens.size() && Tokens[I + 1].is("(") ? behindBracket(Tokens, I + 1) : I + 1;
        remove(Edits, Tokens[I].Offset, Tokens[Behind - 1].end());
        Bounded = true;
      }
    if (!Bounded)
      return FromMacro("its launch bounds");
  }
  // A reference has no default, and nothing before it; all are given.
  if (llvm::any_of(Instance.parameters(), [](const clang::ParmVarDecl *P) { return isCopiedByCode(*P); }))
    for (const clang::ParmVarDecl *P : Kernel.parameters())
      if (P->hasDefaultArg() && !P->hasInheritedDefaultArg() && P->getIdentifier() &&
          !P->getSourceRange().getEnd().isMacroID())
        remove(Edits, Text.end(P->getLocation()).second, Text.end(P->getSourceRange().getEnd()).second);
  for (unsigned I = 0; I < Instance.getNumParams(); ++I) {
    const clang::ParmVarDecl &Given = *Instance.getParamDecl(I);
    const bool ByCode = isCopiedByCode(Given);
    const bool IsConstant = Given.hasAttr<clang::CUDAGridConstantAttr>() && Given.getType()->isRecordType();
    if (!ByCode && !IsConstant)
      continue;
    const clang::ParmVarDecl &Parameter = *Kernel.getParamDecl(std::min(I, Kernel.getNumParams() - 1));
    const std::string Name = Parameter.getNameAsString();
    if (Parameter.isParameterPack() || (!IsConstant && ((Name.empty() && Parameter.hasDefaultArg()) ||
                                                        Parameter.getSourceRange().getEnd().isMacroID())))
      Edits.refuse(BlockerKind::CopiedParameter, Parameter.getLocation(),
                   Name + (Parameter.isParameterPack() ? " is one of a pack" : " has a default, or is of a macro"));
    else if (ByCode || !Name.empty())
      Edits.All.push_back(
          {Name.empty() ? Text.end(Parameter.getEndLoc()) : Text.offset(Parameter.getLocation()), 0, "&"});
    if (IsConstant ||
        (Given.getType().isConstQualified() && !Given.getType()->getAsCXXRecordDecl()->hasMutableFields()))
      continue;
    // Each element's thread has one of its own.
    PlacedEdit Element{{File, Open + 1}, 0, "", Edit::When::Element};
    Element.Cannot = {BlockerKind::CopiedParameter, Text.unit().place(Parameter.getLocation()),
                      Name + " is a kernel's own"};
    Edits.All.push_back(std::move(Element));
  }

  const bool HasOwn = Kernel.getNumParams() > 0;
  const Edit::When Made = Always ? Edit::When::Always : Edit::When::Element;
  if (HasOwn && !Parameters.empty())
    Edits.All.push_back({{File, Open + 1}, 0, Parameters + ", ", Made});
  else if (!Parameters.empty())
    Edits.All.push_back({{File, Open + 1}, Close - Open - 1, Parameters, Made});
  if (HasOwn) { // The last one comes first.
    Edits.All.push_back({{File, Open + 1}, 0, "CufuseTurn cufuse_turn, ", Edit::When::Turns});
    Edits.All.push_back({{File, Open + 1}, 0, "const CufuseRow cufuse_row, ", Edit::When::Rows});
  }
}

void editAlignment(TextEdits &Edits, const clang::VarDecl &Variable, unsigned Bytes) {
  const clang::SourceLocation End = Variable.clang::DeclaratorDecl::getSourceRange().getEnd();
  if (Variable.getLocation().isMacroID() || End.isMacroID())
    Edits.refuse(BlockerKind::UneditableText, Variable.getLocation(),
                 fmt::format("{} is accessed as if aligned to {} bytes", Variable.getNameAsString(), Bytes));
  else
    Edits.All.push_back({Edits.Text.end(End), 0, fmt::format(" __attribute__((aligned({})))", Bytes)});
}

bool editStaticShared(TextEdits &Edits, const clang::VarDecl &Variable) {
  if (!Variable.isLocalVarDecl() || Variable.getLocation().isMacroID())
    return false;
  SourceText &Text = Edits.Text;
  const TextPlace At = Text.offset(Variable.getLocation());
  const std::vector<TextToken> Tokens = Text.tokensIn({At.first, At.second, Edits.Of.End});
  const auto End = llvm::find_if(Tokens, [](const TextToken &Token) { return Token.is(";"); });
  if (End == Tokens.end() || !Tokens.front().is(Variable.getName()))
    return false;
  const std::string Name = Variable.getNameAsString();
  Edits.All.push_back({{At.first, Tokens.front().end()}, 0, "_ofCopies[cufuse_partition::Copies]", Edit::When::Lanes});
  Edits.All.push_back({{At.first, End->end()},
                       0,
                       fmt::format(" auto &{0} = {0}_ofCopies[cufuse_partition::copy()];", Name),
                       Edit::When::Lanes});
  return true;
}

void editDynamicShared(TextEdits &Edits, const clang::VarDecl &Variable,
                       llvm::ArrayRef<const clang::DeclRefExpr *> OutOfReach) {
  SourceText &Text = Edits.Text;
  const auto [File, NameAt] = Text.offset(Variable.getLocation());
  const std::vector<TextToken> Tokens = Text.tokensIn(File == Edits.Of.File ? Edits.Of : Text.behind({File, 0}));
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
  if (!Written) // it stays another memory, which the comparison finds
    return;
  while (First > 0 && (Tokens[First - 1].is("__shared__") || Tokens[First - 1].is("volatile")))
    --First;
  const llvm::StringRef Buffer = Text.buffer(File);
  // The element type: all tokens before the name but storage and alignment, which the base of the memory exceeds.
  std::string Element;
  bool Shared = false;
  for (size_t I = First; I < Name; ++I) {
    if (Tokens[I].is("__shared__") || Tokens[I].is("extern")) {
      Shared |= Tokens[I].is("__shared__");
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
  if (!Shared)
    return;
  std::string Bounds;
  for (size_t I = Name + 1; I < Last; ++I)
    if (Tokens[I].is("__align__") || Tokens[I].is("__attribute__"))
      I = behindBracket(Tokens, I + 1) - 1;
    else
      Bounds += Buffer.slice(Tokens[I].Offset, I + 1 < Last ? Tokens[I + 1].Offset : Tokens[I].end()).str();
  Bounds = llvm::StringRef(Bounds).rtrim().str();
  const std::string Memory =
      fmt::format("cufuse_partition::dynamicShared<{}{}>(cufuse_dynamicOffset)", Element, Bounds);
  Edits.All.push_back({{File, Tokens[First].Offset},
                       Tokens[Last].Offset - Tokens[First].Offset,
                       fmt::format("{} (&{}){} = {}", Element, Variable.getName().str(), Bounds, Memory)});
  // A comma would part a macro's argument.
  editReferences(Edits, OutOfReach, llvm::StringRef(Memory).contains(',') ? "(" + Memory + ")" : Memory);
}

namespace {

/// Where a thread leaves while a variable of the kernel has a destructor to run, and what would not: at the first such
/// return, else at the end.
std::optional<std::pair<clang::SourceLocation, std::string>> undestroyed(const clang::FunctionDecl &Kernel,
                                                                         bool AtEnd) {
  clang::CFG::BuildOptions Options;
  Options.AddImplicitDtors = true;
  const auto Ways = clang::CFG::buildCFG(&Kernel, Kernel.getBody(), &Kernel.getASTContext(), Options);
  if (!Ways)
    return std::pair(Kernel.getLocation(), std::string("its ways are not known"));
  std::map<clang::SourceLocation, const clang::VarDecl *> Returns, Ends; // the innermost variable of each
  for (const clang::CFGBlock *Block : *Ways) {
    const clang::ReturnStmt *Return = nullptr;
    for (const clang::CFGElement &Each : *Block) {
      if (const auto S = Each.getAs<clang::CFGStmt>(); S && llvm::isa<clang::ReturnStmt>(S->getStmt()))
        Return = llvm::cast<clang::ReturnStmt>(S->getStmt());
      const auto Destructor = Each.getAs<clang::CFGAutomaticObjDtor>();
      if (!Destructor)
        continue;
      const clang::VarDecl *V = Destructor->getVarDecl();
      if (Return)
        Returns.try_emplace(Return->getBeginLoc(), V);
      else if (AtEnd && llvm::any_of(Kernel.getBody()->children(), [&](const clang::Stmt *Child) {
                 auto *Declares = llvm::dyn_cast<clang::DeclStmt>(Child);
                 return Declares && llvm::is_contained(Declares->decls(), V);
               }))
        Ends.try_emplace(V->getLocation(), V);
    }
  }
  if (Returns.empty() && Ends.empty())
    return std::nullopt;
  const auto &[At, V] = Returns.empty() ? *Ends.rbegin() : *Returns.begin();
  return std::pair(At, "the destructor of " + V->getNameAsString() + " would not run");
}

} // namespace

void editReturns(TextEdits &Edits, const FunctionUse &Kernel, bool AtEnd) {
  const SourceText &Text = Edits.Text;
  auto Refuse = [&](clang::SourceLocation Where, const std::string &What) {
    Edits.refuse(BlockerKind::ExitUnannounced, Where, What);
  };
  if (const auto Undestroyed = undestroyed(*Kernel.Function, AtEnd))
    Refuse(Undestroyed->first, Undestroyed->second);
  for (const clang::ReturnStmt *Return : Kernel.Returns) {
    const clang::SourceLocation At = Return->getReturnLoc();
    if (At.isMacroID())
      Refuse(At, "a macro returns");
    else if (const clang::Expr *Value = Return->getRetValue(); !Value)
      Edits.All.push_back({Text.offset(At.getLocWithOffset(6)), 0, " cufuse_partition::leave()"});
    else if (llvm::isa<clang::ExprWithCleanups>(Value) || Value->getEndLoc().isMacroID())
      Refuse(At, "it returns an expression");
    else
      Edits.All.push_back({Text.end(Value->getEndLoc()), 0, ", cufuse_partition::leave()"});
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
  Edits.All.push_back({End, 0, OwnLine ? "  cufuse_partition::leave();\n" : " cufuse_partition::leave(); "});
}

void editFriends(TextEdits &Edits, const clang::Decl &Whole) {
  for (const auto *Friend : allIn<clang::FriendDecl>(Whole)) {
    const clang::NamedDecl *Named = Friend->getFriendDecl();
    const clang::FunctionDecl *Function = Named ? Named->getAsFunction() : nullptr;
    if (!Function || !Function->hasAttr<clang::CUDAGlobalAttr>() || Function->isThisDeclarationADefinition() ||
        Friend->getBeginLoc().isMacroID() || Friend->getEndLoc().isMacroID())
      continue;
    const Slice Text = Edits.Text.declaration(*Friend);
    Edits.All.push_back({{Text.File, Text.Begin}, Text.End - Text.Begin, ""});
  }
}

} // namespace cufuse
