#include "EditText.h"

#include "cufuse/Reach/AllIn.h"
#include "cufuse/Reach/Declarations.h"

#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Lex/Lexer.h>
#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

namespace {

const clang::VarDecl *variableIn(const clang::Expr &E) {
  auto *Name = llvm::dyn_cast<clang::DeclRefExpr>(E.IgnoreParens());
  return Name ? llvm::dyn_cast<clang::VarDecl>(Name->getDecl()) : nullptr;
}

const clang::ArraySubscriptExpr *addressedElement(const clang::Expr *E) {
  auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E);
  return Unary && Unary->getOpcode() == clang::UO_AddrOf
             ? llvm::dyn_cast<clang::ArraySubscriptExpr>(Unary->getSubExpr()->IgnoreParens())
             : nullptr;
}

/// What is left of a template may have no type.
bool isPointer(const clang::Expr &E) { return !E.getType().isNull() && E.getType()->isPointerType(); }

bool isInMacro(const clang::Expr &E) { return E.getBeginLoc().isMacroID() || E.getEndLoc().isMacroID(); }

/// Where it is written, whole macros among it. Nothing where it begins or ends inside one.
std::optional<Slice> written(const SourceText &Text, clang::SourceRange Range) {
  const clang::ASTContext &Context = Text.unit().ast();
  const clang::CharSourceRange Found = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(Range), Context.getSourceManager(), Context.getLangOpts());
  if (Found.isInvalid())
    return std::nullopt;
  const TextPlace Begin = Text.offset(Found.getBegin());
  return Slice{Begin.first, Begin.second, Text.offset(Found.getEnd()).second};
}
/// The same of a variable, up to its name.
std::optional<Slice> writtenBeforeName(const SourceText &Text, const clang::VarDecl &Variable) {
  std::optional<Slice> Found = written(Text, {Variable.getBeginLoc(), Variable.getLocation()});
  if (!Found || Variable.getLocation().isMacroID())
    return std::nullopt;
  Found->End = Text.offset(Variable.getLocation()).second;
  return Found;
}

/// `auto`, for which the kernel has a template parameter that nobody has written.
bool hasAutoType(const clang::ParmVarDecl &Parameter) {
  clang::QualType Type = Parameter.getType();
  while (!Type->getPointeeType().isNull())
    Type = Type->getPointeeType();
  auto *Template = Type->getAs<clang::TemplateTypeParmType>();
  return Template && Template->getDecl() && Template->getDecl()->isImplicit();
}

/// What comes from a parameter, in the function whose it is.
class Derived {
public:
  Derived(const clang::FunctionDecl &Function, const clang::ParmVarDecl &Parameter) : Known{&Parameter} {
    for (size_t Before = 0; Before != Known.size();) { // a lambda may be called behind its text
      Before = Known.size();
      for (const auto *D : allIn<clang::VarDecl>(*Function.getBody()))
        if (D->getInit() && !llvm::isa<clang::ParmVarDecl>(D) && is(*D->getInit()) && D->getType()->isPointerType())
          Known.insert(D);
      for (const auto *Call : allIn<clang::CXXOperatorCallExpr>(*Function.getBody()))
        if (const clang::FunctionDecl *Callee = Call->getDirectCallee(); Callee && isLambda(*Callee))
          for (unsigned I = 1; I < Call->getNumArgs() && I <= Callee->getNumParams(); ++I)
            if (is(*Call->getArg(I)))
              Known.insert(Callee->getParamDecl(I - 1));
    }
  }

  bool is(const clang::VarDecl &Variable) const { return Known.count(&Variable); }
  bool is(const clang::Expr &Of) const {
    const clang::Expr *E = Of.IgnoreParenImpCasts();
    if (const clang::VarDecl *Variable = variableIn(*E))
      return is(*Variable);
    if (!isPointer(*E))
      return false;
    if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(E))
      return (Binary->isAdditiveOp() || Binary->isAssignmentOp()) && is(*Binary->getLHS());
    if (auto *Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(E))
      return is(*Cast->getSubExpr());
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E); Unary && Unary->isIncrementDecrementOp())
      return is(*Unary->getSubExpr());
    const clang::ArraySubscriptExpr *Element = addressedElement(E);
    return Element && is(*Element->getBase());
  }
  bool isElement(const clang::Expr &Of) const {
    const clang::Expr *E = Of.IgnoreParens();
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(E))
      return Unary->getOpcode() == clang::UO_Deref && is(*Unary->getSubExpr());
    auto *Element = llvm::dyn_cast<clang::ArraySubscriptExpr>(E);
    return Element && is(*Element->getBase());
  }

private:
  std::set<const clang::VarDecl *> Known;
};

class Finder {
public:
  Finder(SourceText &Text, const Reached &Reach, llvm::ArrayRef<std::string> Names)
      : Text(Text), Reach(Reach), Names(Names) {}

  LinkedPointers run() {
    for (const auto &[Function, Use] : Reach.Functions)
      if (!Use.System && Function->getBody() && !isLambda(*Function))
        function(*Function);
    return std::move(Result);
  }

private:
  void function(const clang::FunctionDecl &Function) {
    const clang::Stmt &Body = *Function.getBody();
    const std::string Caller = &Function == Reach.Kernel ? "" : nameOf(Function);
    const std::set<const clang::ValueDecl *> Moved = changedIn(Body);
    std::map<const clang::CallExpr *, HandedOn> Calls;
    for (const auto *Call : allIn<clang::CallExpr>(Body))
      if (const clang::FunctionDecl *Callee = calleeOf(*Call))
        Calls[Call] = {Caller, nameOf(*Callee), {}};
    for (unsigned I = 0; I < Function.getNumParams(); ++I) {
      const clang::ParmVarDecl &Parameter = *Function.getParamDecl(I);
      if (!Parameter.getType()->isPointerType() || (&Function != Reach.Kernel && Caller.empty()))
        continue;
      Name = &Function == Reach.Kernel ? Names[I] : nameOf(Function, I);
      const Derived From(Function, Parameter);
      for (const auto *D : allIn<clang::VarDecl>(Body))
        variable(*D, From, Moved.count(D) > 0);
      for (const auto *E : allIn<clang::Expr>(Body))
        expression(*E, From);
      for (auto &[Call, Handed] : Calls)
        for (unsigned J = 0; J < std::min(Call->getNumArgs(), calleeOf(*Call)->getNumParams()); ++J)
          if (From.is(*Call->getArg(J)))
            Handed.Pointers.push_back({nameOf(*calleeOf(*Call), J), Name});
    }
    for (auto &[Call, Handed] : Calls) {
      if (!llvm::is_contained(Result.Calls, Handed))
        Result.Calls.push_back(Handed);
      if (!Handed.Pointers.empty())
        head(*calleeOf(*Call));
    }
  }

  /// A function of the user's that stands by itself.
  const clang::FunctionDecl *calleeOf(const clang::CallExpr &Call) const {
    const clang::FunctionDecl *Callee = Call.getDirectCallee() ? withBody(Call.getDirectCallee()) : nullptr;
    const auto Use = Callee ? Reach.Functions.find(Callee) : Reach.Functions.end();
    return Use != Reach.Functions.end() && !Use->second.System && !llvm::isa<clang::CXXMethodDecl>(Callee) ? Callee
                                                                                                           : nullptr;
  }
  static const clang::FunctionDecl &written(const clang::FunctionDecl &Function) {
    const clang::FunctionDecl *Pattern = Function.getTemplateInstantiationPattern();
    return Pattern ? *Pattern : Function;
  }
  static const clang::Decl *unitOf(const clang::FunctionDecl &Each) {
    const clang::Decl *Template = Each.getDescribedFunctionTemplate();
    return Template ? Template->getCanonicalDecl() : Each.getCanonicalDecl();
  }
  std::string nameOf(const clang::FunctionDecl &Function) {
    if (llvm::isa<clang::CXXMethodDecl>(Function))
      return "";
    auto [Known, New] = Result.Functions.try_emplace(unitOf(written(Function)));
    if (New)
      Known->second = fmt::format("{} {}", Result.Functions.size(), Function.getNameAsString());
    return Known->second;
  }
  static std::string nameOf(const clang::FunctionDecl &Function, unsigned I) {
    const clang::FunctionDecl &Own = written(Function);
    const std::string Name = Own.getParamDecl(std::min(I, Own.getNumParams() - 1))->getNameAsString();
    return Name.empty() ? fmt::format("parameter{}", I) : Name;
  }

  /// What a function is where it is handed pointers, in each of its declarations.
  void head(const clang::FunctionDecl &Function) {
    const clang::FunctionDecl &Own = written(Function);
    if (!Heads.insert(&Own).second)
      return;
    std::string Kinds;
    for (unsigned I = 0; I < Own.getNumParams(); ++I)
      if (Own.getParamDecl(I)->getType()->isPointerType())
        Kinds += fmt::format("{}typename cufuse_kind_{} = void", Kinds.empty() ? "" : ", ", nameOf(Own, I));
    for (const clang::FunctionDecl *Each : Own.redecls()) {
      const clang::FunctionTemplateDecl *Template = Each->getDescribedFunctionTemplate();
      Name.clear(); // any of them
      if (Template)
        replace(Text.offset(Template->getTemplateParameters()->getRAngleLoc()), 0, ", " + Kinds);
      else
        Result.Templates[Each] = "template <" + Kinds + "> ";
      if (Each->isExternC() || Each->isTemplateInstantiation() || Each->getPrimaryTemplate() ||
          Each->getLocation().isMacroID())
        cannot(Each->getLocation(), Each->getNameAsString());
      for (unsigned I = 0; I < Own.getNumParams(); ++I)
        if (Own.getParamDecl(I)->getType()->isPointerType()) {
          Name = nameOf(Own, I);
          parameter(*Each->getParamDecl(I));
        }
    }
  }

  void parameter(const clang::ParmVarDecl &Parameter) {
    const std::optional<Slice> Type = writtenBeforeName(Text, Parameter);
    std::vector<TextToken> Tokens = Type ? Text.tokensIn(*Type) : std::vector<TextToken>();
    while (!Tokens.empty() && !Tokens.back().is("*"))
      Tokens.pop_back();
    if (Tokens.empty() || Parameter.isParameterPack())
      return cannot(Parameter.getLocation(), Parameter.getNameAsString());
    Tokens.pop_back();
    std::string To;
    for (size_t I = 0; I < Tokens.size(); ++I)
      if (!Tokens[I].is("const"))
        To += (I > 0 && Tokens[I - 1].end() < Tokens[I].Offset && !To.empty() ? " " : "") + Tokens[I].Text.str();
    replace({Type->File, Type->Begin}, Type->End - Type->Begin,
            fmt::format("cufuse_pointer<{}, cufuse_kind_{}> ", To, Name));
  }

  void variable(const clang::VarDecl &Variable, const Derived &From, bool Moves) {
    const bool IsParameter = llvm::isa<clang::ParmVarDecl>(Variable); // of a lambda
    const bool IsReference = Variable.getType()->isLValueReferenceType();
    if (IsReference ? !Variable.getInit() || Variable.getType()->getPointeeType().isConstQualified() ||
                          !From.isElement(*Variable.getInit())
                    : !From.is(Variable))
      return;
    const std::optional<Slice> Type = writtenBeforeName(Text, Variable);
    if (!Type)
      return cannot(Variable.getLocation(), Variable.getNameAsString());
    replace({Type->File, Type->Begin}, Type->End - Type->Begin,
            IsReference            ? "auto &&"
            : Moves || IsParameter ? "auto "
                                   : "const auto ");
  }

  void expression(const clang::Expr &E, const Derived &From) {
    if (isPointer(E))
      if (auto *Binary = llvm::dyn_cast<clang::BinaryOperator>(&E))
        Result.Moves |= Binary->isAdditiveOp() || Binary->isCompoundAssignmentOp();
    if (auto *Unary = llvm::dyn_cast<clang::UnaryOperator>(&E))
      Result.Moves |= Unary->isIncrementDecrementOp() && isPointer(E);
    if (auto *Cast = llvm::dyn_cast<clang::ExplicitCastExpr>(&E))
      cast(*Cast, From);
    if (const clang::Expr *Pointer = comparedWithNull(E); Pointer && From.is(*Pointer))
      test(*Pointer);
    const clang::ArraySubscriptExpr *Element = addressedElement(&E);
    if (!Element || !From.is(*Element->getBase()) || isInMacro(E) || isInMacro(*Element))
      return;
    Result.Moves = true;
    const TextPlace Close = Text.offset(Element->getRBracketLoc());
    for (const TextToken &Token :
         Text.tokensIn({Close.first, Text.end(Element->getBase()->getEndLoc()).second, Close.second}))
      if (Token.is("[")) {
        replace(Text.offset(E.getBeginLoc()), 1, "(");
        replace({Close.first, Token.Offset}, 1, " + (");
        replace(Close, 1, "))");
        break;
      }
  }

  void cast(const clang::ExplicitCastExpr &Cast, const Derived &From) {
    if (Cast.getCastKind() != clang::CK_BitCast || !From.is(*Cast.getSubExpr()) || isInMacro(Cast))
      return;
    auto As = [&](clang::SourceLocation Open, clang::SourceLocation Close) { // the type between
      const auto [File, Begin] = Text.offset(Open);
      const llvm::StringRef Type = Text.buffer(File).slice(Begin + 1, Text.offset(Close).second);
      return fmt::format("cufuse_as<{}>", Type.substr(0, Type.rfind('*')).trim().str());
    };
    const TextPlace Begin = Text.offset(Cast.getBeginLoc());
    if (auto *Named = llvm::dyn_cast<clang::CXXNamedCastExpr>(&Cast)) {
      const clang::SourceRange Brackets = Named->getAngleBrackets();
      replace(Begin, Text.offset(Brackets.getEnd()).second + 1 - Begin.second,
              As(Brackets.getBegin(), Brackets.getEnd()));
    } else if (auto *Written = llvm::dyn_cast<clang::CStyleCastExpr>(&Cast)) {
      replace(Begin, Text.offset(Written->getRParenLoc()).second + 1 - Begin.second,
              As(Written->getLParenLoc(), Written->getRParenLoc()) + "(");
      replace(Text.end(Cast.getEndLoc()), 0, ")");
    }
  }

  void test(const clang::Expr &Pointer) {
    const std::optional<Slice> Of = cufuse::written(Text, Pointer.getSourceRange());
    if (!Of || !variableIn(*Pointer.IgnoreParenImpCasts()))
      return;
    replace({Of->File, Of->Begin}, 0, "cufuse_notNull(");
    replace({Of->File, Of->End}, 0, ")");
  }

  void add(PlacedEdit E) {
    if (Seen.insert({E.At, E.Length, E.Text.written(), E.Parameter}).second) // by another instance of a template
      Result.Edits.push_back(std::move(E));
  }
  void replace(TextPlace At, unsigned Length, const std::string &By) {
    add({At, Length, By, Edit::When::Linked, Name});
  }
  void cannot(clang::SourceLocation Where, const std::string &What) {
    PlacedEdit E{Text.offset(Where), 0, "", Edit::When::Linked, Name};
    E.Cannot = {BlockerKind::IntermediateEscapes, Text.unit().place(Where), What};
    add(std::move(E));
  }

  SourceText &Text;
  const Reached &Reach;
  const llvm::ArrayRef<std::string> Names;
  std::string Name; ///< Of the parameter that the edits are for.
  LinkedPointers Result;
  std::set<const clang::FunctionDecl *> Heads;
  std::set<std::tuple<TextPlace, unsigned, std::string, std::string>> Seen;
};

} // namespace

LinkedPointers linkedPointers(SourceText &Text, const Reached &Reach, llvm::ArrayRef<std::string> Names) {
  return Finder(Text, Reach, Names).run();
}

void editLinkedParameters(TextEdits &Edits, const clang::FunctionDecl &Kernel, const clang::FunctionDecl &Instance,
                          llvm::ArrayRef<std::string> Names) {
  const SourceText &Text = Edits.Text;
  const std::set<const clang::ValueDecl *> Moved = changedIn(*Instance.getBody());
  for (size_t I = 0; I < Names.size(); ++I) {
    // Of a pack, which stands for several parameters, the last ones have none here.
    const clang::ParmVarDecl *Parameter = Kernel.getParamDecl(std::min<size_t>(I, Kernel.getNumParams() - 1));
    const std::optional<Slice> Whole = written(Text, Parameter->getSourceRange());
    PlacedEdit Linked{Text.offset(Parameter->getBeginLoc()), 0, "", Edit::When::Linked, Names[I]};
    if (hasAutoType(*Parameter)) {
      Linked.Cannot = {BlockerKind::UneditableText, Text.unit().place(Parameter->getLocation()),
                       Names[I] + " is declared `auto`"};
    } else if (!Whole || Parameter->isParameterPack() || Parameter->hasAttr<clang::CUDAGridConstantAttr>()) {
      Linked.Cannot = {BlockerKind::KernelFromMacro, Text.unit().place(Parameter->getLocation()),
                       "its parameter " + Names[I]};
    } else {
      Linked.At = {Whole->File, Whole->Begin};
      Linked.Length = Whole->End - Whole->Begin;
      Linked.Text = fmt::format("{}cufuse_linked_{} {}", Moved.count(Instance.getParamDecl(I)) ? "" : "const ",
                                Names[I], Parameter->getNameAsString());
    }
    Edits.All.push_back(std::move(Linked));
  }
}

} // namespace cufuse
