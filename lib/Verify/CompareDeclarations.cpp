// Declarations and types: what is named is paired once, and compared in turn.
#include "Comparison.h"

#include <clang/AST/Attr.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/CharInfo.h>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>

#include <llvm/Support/Regex.h>

namespace cufuse {

namespace {

bool isBuiltinClass(const clang::TagDecl *Tag) {
  return Tag->getIdentifier() && Tag->getName().starts_with("__cuda_builtin_");
}

std::vector<const clang::CXXMethodDecl *> virtualMethods(const clang::CXXRecordDecl *Class) {
  std::vector<const clang::CXXMethodDecl *> All;
  for (const clang::CXXMethodDecl *Method : Class->methods())
    if (Method->isVirtual())
      All.push_back(Method);
  return All;
}

const clang::CXXDestructorDecl *destructorOf(clang::QualType T) {
  while (T->isArrayType())
    T = clang::QualType(T->getArrayElementTypeNoTypeQual(), 0);
  const auto *Class = T->isReferenceType() ? nullptr : T->getAsCXXRecordDecl();
  return Class && Class->hasDefinition() && !Class->hasTrivialDestructor() ? Class->getDestructor() : nullptr;
}

} // namespace

bool Comparison::type(clang::QualType A, clang::QualType B) {
  if (A.isNull() || B.isNull())
    return (A.isNull() && B.isNull()) || differ("a type is missing");
  A = A.getCanonicalType();
  B = B.getCanonicalType();
  const std::pair<const void *, const void *> Key(A.getAsOpaquePtr(), B.getAsOpaquePtr());
  if (SameTypes.contains(Key))
    return true;
  auto Differ = [&] { return differ("the type", A.getAsString(), B.getAsString()); };
  clang::Qualifiers OfA = A.getQualifiers(), OfB = B.getQualifiers();
  if (Played.Plan.Cooperative) { // there it is left out
    OfA.removeRestrict();
    OfB.removeRestrict();
  }
  if (OfA != OfB)
    return Differ();
  auto Compare = [&] {
    const clang::TagDecl *TagA = A->getAsTagDecl(), *TagB = B->getAsTagDecl();
    if (TagA && TagB) {
      // What Clang makes of the built-ins is what nvcc makes of them only in the headers.
      if (isBuiltinClass(TagA) && !isBuiltinClass(TagB))
        return TagB->getQualifiedNameAsString() == "uint3" || TagB->getQualifiedNameAsString() == "dim3" || Differ();
      return pair(TagA, TagB);
    }
    if (A->getTypeClass() != B->getTypeClass())
      return Differ();
    auto Both = [&]<typename Class>(Class *) {
      return std::pair(llvm::cast<Class>(A.getTypePtr()), llvm::cast<Class>(B.getTypePtr()));
    };
#define BOTH(Class) const auto [a, b] = Both(static_cast<clang::Class *>(nullptr))
    switch (A->getTypeClass()) {
    case clang::Type::Builtin: {
      BOTH(BuiltinType);
      return a->getKind() == b->getKind() || Differ();
    }
    case clang::Type::MemberPointer: {
      BOTH(MemberPointerType);
      return type(a->getPointeeType(), b->getPointeeType()) &&
             pair(a->getMostRecentCXXRecordDecl(), b->getMostRecentCXXRecordDecl());
    }
    case clang::Type::Pointer:
    case clang::Type::LValueReference:
    case clang::Type::RValueReference:
      return type(A->getPointeeType(), B->getPointeeType());
    case clang::Type::ConstantArray: {
      BOTH(ConstantArrayType);
      return a->getSize() == b->getSize() ? type(a->getElementType(), b->getElementType()) : Differ();
    }
    case clang::Type::IncompleteArray: {
      BOTH(IncompleteArrayType);
      return type(a->getElementType(), b->getElementType());
    }
    case clang::Type::FunctionProto: {
      BOTH(FunctionProtoType);
      if (a->getNumParams() != b->getNumParams() || a->isVariadic() != b->isVariadic() ||
          a->getMethodQuals() != b->getMethodQuals() || a->getRefQualifier() != b->getRefQualifier())
        return Differ();
      for (unsigned I = 0; I < a->getNumParams(); ++I)
        if (!type(a->getParamType(I), b->getParamType(I)))
          return false;
      return type(a->getReturnType(), b->getReturnType());
    }
    case clang::Type::Vector:
    case clang::Type::ExtVector: {
      BOTH(VectorType);
      return a->getNumElements() == b->getNumElements() && a->getVectorKind() == b->getVectorKind()
                 ? type(a->getElementType(), b->getElementType())
                 : Differ();
    }
    case clang::Type::Complex: {
      BOTH(ComplexType);
      return type(a->getElementType(), b->getElementType());
    }
    case clang::Type::Atomic: {
      BOTH(AtomicType);
      return type(a->getValueType(), b->getValueType());
    }
    case clang::Type::BitInt: {
      BOTH(BitIntType);
      return (a->isUnsigned() == b->isUnsigned() && a->getNumBits() == b->getNumBits()) || Differ();
    }
    default:
      return Differ();
    }
#undef BOTH
  };
  if (!Compare())
    return false;
  SameTypes.insert(Key);
  return true;
}

static bool isOfAnyGroup(const clang::FunctionDecl *Caller, const clang::Decl *Callee);

bool Comparison::pair(const clang::Decl *A, const clang::Decl *B) {
  if (!A || !B)
    return (!A && !B) || differ("a declaration is missing");
  A = A->getCanonicalDecl();
  B = B->getCanonicalDecl();
  if (A == Counted && Counters.contains(llvm::dyn_cast<clang::VarDecl>(B)))
    return true;
  // All dynamic shared memory begins at one place, where each function has a reference of its own.
  if (auto *Shared = llvm::dyn_cast<clang::VarDecl>(A);
      Shared && Shared->hasAttr<clang::CUDASharedAttr>() && Shared->hasExternalStorage())
    if (auto *Reference = llvm::dyn_cast<clang::VarDecl>(B); Reference && Added.contains(Reference))
      return true;
  const auto Known = Forward.find(A);
  if (Known != Forward.end() && Known->second == B)
    return true;
  const auto Other = Back.find(B);
  if (Known != Forward.end())
    return differ(fmt::format("`{}` is two things in the output: {} and {}", nameOf(A),
                              sourceOf(Out, Known->second->getLocation()).str(),
                              sourceOf(Out, B->getLocation()).str()));
  if (Other != Back.end())
    return differ(fmt::format("`{}` and `{}` are one thing in the output", nameOf(Other->second), nameOf(A)));
  if (A->getKind() != B->getKind())
    return differ(
        fmt::format("`{}` is a {}, but a {} in the output", nameOf(A), A->getDeclKindName(), B->getDeclKindName()));
  Forward[A] = B;
  Back[B] = A;
  if (auto *FieldA = llvm::dyn_cast<clang::FieldDecl>(A)) {
    auto *FieldB = llvm::cast<clang::FieldDecl>(B);
    return pair(FieldA->getParent(), FieldB->getParent()) &&
           (FieldA->getFieldIndex() == FieldB->getFieldIndex() || differ("the member", nameOf(A), nameOf(B)));
  }
  if (auto *EnumeratorA = llvm::dyn_cast<clang::EnumConstantDecl>(A)) {
    auto *EnumeratorB = llvm::cast<clang::EnumConstantDecl>(B);
    const std::string ValueA = llvm::toString(EnumeratorA->getInitVal(), 10),
                      ValueB = llvm::toString(EnumeratorB->getInitVal(), 10);
    return type(EnumeratorA->getType(), EnumeratorB->getType()) &&
           (ValueA == ValueB || differ(fmt::format("`{}`", nameOf(A)), ValueA, ValueB));
  }
  if (auto *ObjectA = llvm::dyn_cast<clang::TemplateParamObjectDecl>(A)) {
    auto *ObjectB = llvm::cast<clang::TemplateParamObjectDecl>(B);
    return type(ObjectA->getType(), ObjectB->getType()) && value(ObjectA->getValue(), ObjectB->getValue());
  }
  if (isOfAnyGroup(FunctionA, A) && isOfAnyGroup(FunctionB, B))
    Forward.erase(A), Back.erase(B); // whoever else calls it is asked
  else if (llvm::isa<clang::FunctionDecl, clang::TagDecl>(A))
    Work.push_back({A, B});
  else if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(A)) {
    if (Variable->hasGlobalStorage() && !Variable->isStaticLocal())
      Work.push_back({A, B});
  } else if (!llvm::isa<clang::BindingDecl, clang::LabelDecl, clang::TemplateDecl>(A))
    return differ(fmt::format("a {} is not known to be the same", A->getDeclKindName()));
  return true;
}

bool Comparison::compare(const clang::Decl *A, const clang::Decl *B) {
  if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(A))
    return function(Function, llvm::cast<clang::FunctionDecl>(B));
  if (auto *Variable = llvm::dyn_cast<clang::VarDecl>(A))
    return globalVariable(Variable, llvm::cast<clang::VarDecl>(B));
  if (auto *Record = llvm::dyn_cast<clang::CXXRecordDecl>(A))
    return record(Record, llvm::cast<clang::CXXRecordDecl>(B));
  auto *EnumA = llvm::cast<clang::EnumDecl>(A), *EnumB = llvm::cast<clang::EnumDecl>(B);
  return EnumA->isScoped() == EnumB->isScoped() ? type(EnumA->getIntegerType(), EnumB->getIntegerType())
                                                : differ("an enumeration differs");
}

/// For the linker.
bool Comparison::sameSymbol(const clang::NamedDecl *A, const clang::NamedDecl *B) {
  auto IsC = [](const clang::NamedDecl *D) {
    if (auto *Function = llvm::dyn_cast<clang::FunctionDecl>(D))
      return Function->isExternC();
    auto *Variable = llvm::dyn_cast<clang::VarDecl>(D);
    return Variable && Variable->isExternC();
  };
  return A->hasExternalFormalLinkage() && B->hasExternalFormalLinkage() && IsC(A) == IsC(B) &&
         (IsC(A) ? A->getNameAsString() == B->getNameAsString()
                 : A->getQualifiedNameAsString() == B->getQualifiedNameAsString());
}

/// Is it a barrier of cooperative groups for the grid? A kernel that waits so is refused, or has the whole grid to
/// itself.
static bool isOfGrids(const clang::FunctionDecl *F) {
  auto *Space = llvm::dyn_cast<clang::NamespaceDecl>(F->getDeclContext());
  if (!Space || !Space->getASTContext().getSourceManager().isInSystemHeader(F->getLocation()) || !F->getIdentifier())
    return false;
  const std::string Name = Space->getQualifiedNameAsString(); // with the version, an inline namespace
  const bool IsOfCluster = Space->getIdentifier() && Space->getName() == "cluster";
  return llvm::Regex("^cooperative_groups::.*details::(grid|cluster)$").match(Name) &&
         (IsOfCluster || F->getName().contains("sync") || F->getName().starts_with("barrier_"));
}

/// Is it what `thread_group` calls where it is a grid or a cluster? Its code has that for groups of any kind, and plays
/// it only where the kernel makes such a group.
static bool isOfAnyGroup(const clang::FunctionDecl *Caller, const clang::Decl *Callee) {
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Caller);
  auto *Called = llvm::dyn_cast<clang::FunctionDecl>(Callee);
  return Method && Called && isOfGroups(Method->getParent(), {"thread_group"}) && Called->getNumParams() == 1 &&
         isOfGroups(Called->getParamDecl(0)->getType().getNonReferenceType()->getAsCXXRecordDecl(),
                    {"grid_group", "cluster_group"});
}

bool Comparison::function(const clang::FunctionDecl *A, const clang::FunctionDecl *B) {
  if (A->hasAttr<clang::CUDAGlobalAttr>())
    // Launched, it stays what it is in the program.
    return (B->hasAttr<clang::CUDAGlobalAttr>() && sameSymbol(A, B)) || differ("another kernel is launched");
  const clang::FunctionDecl *OfA = withBody(A), *OfB = withBody(B);
  if (!OfA != !OfB)
    return differ(fmt::format("`{}` is defined only in one of both", nameOf(A)));
  const auto Indices = addedIndices(OfA, OfB);
  if (!sameNumber("the number of parameters", A, A->getNumParams() + Indices.size(), B->getNumParams()))
    return false;
  for (const auto &[Parameter, Builtin] : Indices) {
    AddedBuiltins[Parameter] = Builtin;
    Added.insert(Parameter);
  }
  if (A->isVariadic() != B->isVariadic() || A->isNoReturn() != B->isNoReturn())
    return differ(fmt::format("`{}` is another kind of function", nameOf(A)));
  // CUDA's own are known by what they do.
  const bool Known = !inUsersFile(A, ContextA.getSourceManager()) && !inUsersFile(B, ContextB.getSourceManager()) &&
                     (!OfA || (In.inToolkit(OfA->getLocation()) && Out.inToolkit(OfB->getLocation()))) &&
                     classify(*A) != Intrinsic::None && A->getNameAsString() == B->getNameAsString();
  if (Known || (isOfGrids(A) && isOfGrids(B)))
    OfA = OfB = nullptr;
  auto *MethodA = llvm::dyn_cast<clang::CXXMethodDecl>(A), *MethodB = llvm::dyn_cast<clang::CXXMethodDecl>(B);
  if (MethodA && (MethodA->isStatic() != MethodB->isStatic() || MethodA->isVirtual() != MethodB->isVirtual() ||
                  MethodA->isTrivial() != MethodB->isTrivial() ||
                  MethodA->getMethodQualifiers() != MethodB->getMethodQualifiers()))
    return differ(fmt::format("`{}` is another kind of function", nameOf(A)));
  if (MethodA && !pair(MethodA->getParent(), MethodB->getParent()))
    return false;
  if (const auto *OfA = A->getTemplateSpecializationArgs())
    if (const auto *OfB = B->getTemplateSpecializationArgs(); !OfB || !arguments(OfA->asArray(), OfB->asArray()))
      return differ(fmt::format("`{}` has other template arguments", nameOf(A)));
  if (OfA)
    return parametersAndBody(OfA, OfB, Indices.size());
  for (unsigned I = 0; I < A->getNumParams(); ++I)
    if (!type(A->getParamDecl(I)->getType(), B->getParamDecl(I)->getType()))
      return false;
  if (!type(A->getReturnType(), B->getReturnType()))
    return false;
  if (A->getBuiltinID() != B->getBuiltinID() || A->isDeleted() != B->isDeleted() ||
      A->isDefaulted() != B->isDefaulted())
    return differ(fmt::format("`{}` is another function", nameOf(A)));
  // Clang declares some static, and defines them nowhere: nan.
  const bool OfToolkit = In.inToolkit(A->getLocation()) && Out.inToolkit(B->getLocation()) &&
                         A->getQualifiedNameAsString() == B->getQualifiedNameAsString();
  // Instantiations that only questions about types named have no body either.
  return OfToolkit || A->getBuiltinID() || A->isDefaulted() || A->isTemplateInstantiation() || Known ||
         (MethodA && MethodA->isPureVirtual() && MethodB->isPureVirtual()) || sameSymbol(A, B) || isOfGrids(A) ||
         differ(fmt::format("`{}` is another symbol", nameOf(A)));
}

bool Comparison::parametersAndBody(const clang::FunctionDecl *A, const clang::FunctionDecl *B, unsigned Before) {
  FunctionA = A;
  FunctionB = B;
  System = !inUsersFile(A, ContextA.getSourceManager());
  for (unsigned I = 0; I < A->getNumParams(); ++I) {
    const clang::ParmVarDecl *OfA = A->getParamDecl(I), *OfB = B->getParamDecl(I + Before);
    WhereA = OfA->getLocation();
    WhereB = OfB->getLocation();
    clang::QualType TypeB = OfB->getType();
    // It is a reference to the parameter of the fused kernel, which no kernel may write, or to a copy.
    if ((OfA->hasAttr<clang::CUDAGridConstantAttr>() || isCopiedByCode(*OfA)) && A == Kernel)
      TypeB = TypeB.getNonReferenceType();
    const bool IsLinked = A == Kernel && Played.Part && OfA->getIdentifier() &&
                          llvm::is_contained(Played.Part->Linked.Parameters, OfA->getName());
    if (!pair(OfA, OfB) || !(IsLinked ? link(OfA, OfB) : type(OfA->getType(), TypeB)))
      return false;
  }
  WhereA = A->getLocation();
  WhereB = B->getLocation();
  if (!type(A->getReturnType(), B->getReturnType()))
    return false;
  if (auto *ConstructorA = llvm::dyn_cast<clang::CXXConstructorDecl>(A)) {
    auto *ConstructorB = llvm::cast<clang::CXXConstructorDecl>(B);
    if (ConstructorA->getNumCtorInitializers() != ConstructorB->getNumCtorInitializers())
      return differ("other members are initialised");
    auto Class = [](const clang::CXXCtorInitializer &Of) {
      const clang::Type *Base = Of.getBaseClass();
      return Base ? clang::QualType(Base, 0) : Of.getTypeSourceInfo()->getType();
    };
    for (auto I = ConstructorA->init_begin(), J = ConstructorB->init_begin(); I != ConstructorA->init_end(); ++I, ++J) {
      const clang::CXXCtorInitializer &OfA = **I, &OfB = **J;
      if (OfA.isAnyMemberInitializer() != OfB.isAnyMemberInitializer() ||
          OfA.isDelegatingInitializer() != OfB.isDelegatingInitializer())
        return differ("another part is initialised");
      if (OfA.isAnyMemberInitializer() ? !pair(OfA.getAnyMember(), OfB.getAnyMember()) : !type(Class(OfA), Class(OfB)))
        return false;
      if (!statement(OfA.getInit(), OfB.getInit()))
        return false;
    }
  }
  if (auto *DestructorA = llvm::dyn_cast<clang::CXXDestructorDecl>(A))
    if (!destructors(DestructorA->getParent(), llvm::cast<clang::CXXDestructorDecl>(B)->getParent()))
      return false;
  return statement(A->getBody(), B->getBody());
}

/// Those of the parts of an object.
bool Comparison::destructors(const clang::CXXRecordDecl *A, const clang::CXXRecordDecl *B) {
  if (!pair(A, B))
    return false;
  auto Parts = [](const clang::CXXRecordDecl *Class) {
    std::vector<clang::QualType> All;
    for (const clang::CXXBaseSpecifier &Base : Class->bases())
      All.push_back(Base.getType());
    for (const clang::FieldDecl *Field : Class->fields())
      All.push_back(Field->getType());
    return All;
  };
  return each(Parts(A), Parts(B), fmt::format("`{}` has other parts", nameOf(A)),
              [this](clang::QualType OfA, clang::QualType OfB) { return destructor(OfA, OfB); });
}

bool Comparison::destructor(clang::QualType A, clang::QualType B) { return pair(destructorOf(A), destructorOf(B)); }

bool Comparison::variable(const clang::VarDecl *A, const clang::VarDecl *B) {
  if (A->hasAttr<clang::CUDASharedAttr>() != B->hasAttr<clang::CUDASharedAttr>() ||
      A->hasAttr<clang::CUDAConstantAttr>() != B->hasAttr<clang::CUDAConstantAttr>() ||
      A->isStaticLocal() != B->isStaticLocal() || A->hasExternalStorage() != B->hasExternalStorage())
    return differ(fmt::format("`{}` is stored elsewhere", nameOf(A)));
  if (!type(A->getType(), B->getType()) || !destructor(A->getType(), B->getType()))
    return false;
  // Clang's own class of a built-in is empty. What a lambda captures is compared there.
  const clang::TagDecl *Tag = A->getType()->getAsTagDecl();
  auto *Record = llvm::dyn_cast_or_null<clang::CXXRecordDecl>(Tag);
  if (!(Tag && isBuiltinClass(Tag)) && !(Record && Record->isLambda()) &&
      !sameNumber("the alignment", A, ContextA.getDeclAlign(A).getQuantity(), ContextB.getDeclAlign(B).getQuantity()))
    return false;
  if (!statement(A->getAnyInitializer(), B->getAnyInitializer()))
    return false;
  auto *Parts = llvm::dyn_cast<clang::DecompositionDecl>(A);
  if (!Parts)
    return true;
  return each(Parts->bindings(), llvm::cast<clang::DecompositionDecl>(B)->bindings(),
              "an object is taken apart otherwise", [this](const auto *OfA, const auto *OfB) {
                const clang::VarDecl *HoldsA = OfA->getHoldingVar(), *HoldsB = OfB->getHoldingVar();
                return pair(OfA, OfB) && statement(OfA->getBinding(), OfB->getBinding()) && pair(HoldsA, HoldsB) &&
                       (!HoldsA || variable(HoldsA, HoldsB));
              });
}

bool Comparison::globalVariable(const clang::VarDecl *A, const clang::VarDecl *B) {
  WhereA = A->getLocation();
  WhereB = B->getLocation();
  if (A->hasAttr<clang::CUDADeviceAttr>() != B->hasAttr<clang::CUDADeviceAttr>() ||
      A->hasAttr<clang::CUDAConstantAttr>() != B->hasAttr<clang::CUDAConstantAttr>() ||
      A->hasAttr<clang::CUDASharedAttr>() != B->hasAttr<clang::CUDASharedAttr>() ||
      A->hasAttr<clang::HIPManagedAttr>() != B->hasAttr<clang::HIPManagedAttr>())
    return differ(fmt::format("`{}` is stored elsewhere", nameOf(A)));
  const clang::VarDecl *OfA = A->getDefinition(), *OfB = B->getDefinition();
  // An object of the program, wherever it is defined.
  if (!OfB && !B->getAnyInitializer())
    return type(A->getType(), B->getType()) &&
           (sameSymbol(A, B) || differ(fmt::format("`{}` is another object of the program", nameOf(A))));
  if (!OfA != !OfB)
    return differ(fmt::format("`{}` is defined only in one of both", nameOf(A)));
  if (!isTable(*A) && !A->hasAttr<clang::CUDASharedAttr>()) {
    // The copies of a text keep their names behind its namespace.
    const std::string NameA = A->getQualifiedNameAsString(), NameB = B->getQualifiedNameAsString();
    if (NameB != NameA && NameB != Played.Space + "::" + NameA)
      return differ("the variable", NameA, NameB);
    if (llvm::any_of(Played.Facts.Globals, [&](const GlobalFacts &G) { return G.HostShared && G.Name == NameA; }))
      return differ(fmt::format("the output has an own `{}`, which the program must share", nameOf(A)));
  }
  return variable(OfA ? OfA : A, OfB ? OfB : B);
}

bool Comparison::record(const clang::CXXRecordDecl *A, const clang::CXXRecordDecl *B) {
  WhereA = A->getLocation();
  WhereB = B->getLocation();
  if (A->getTagKind() != B->getTagKind() || A->isLambda() != B->isLambda())
    return differ(fmt::format("`{}` is another kind of class", nameOf(A)));
  if (auto *OfA = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(A)) {
    auto *OfB = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(B);
    if (!OfB || !arguments(OfA->getTemplateArgs().asArray(), OfB->getTemplateArgs().asArray()))
      return differ(fmt::format("`{}` has other template arguments", nameOf(A)));
  }
  A = A->getDefinition();
  B = B->getDefinition();
  // One that is complete only there was not needed here.
  if (!A || !B)
    return true;
  WhereA = A->getLocation();
  WhereB = B->getLocation();
  if (A->isInvalidDecl() || B->isInvalidDecl() || A->isDependentType() || B->isDependentType())
    return (A->isLambda() && A->isDependentType() && B->isDependentType()) ||
           differ(fmt::format("`{}` is not known to be the same", nameOf(A)));
  if (!sameNumber("the number of bases", A, A->getNumBases(), B->getNumBases()))
    return false;
  for (auto I = A->bases_begin(), J = B->bases_begin(); I != A->bases_end(); ++I, ++J)
    if (I->isVirtual() != J->isVirtual() || !type(I->getType(), J->getType()))
      return differ(fmt::format("`{}` has another base", nameOf(A)));
  bool Captures = false;
  if (!fields(A, B, Captures))
    return false;
  if (!Captures && !layout(A, B))
    return false;
  if (A->isTriviallyCopyable() != B->isTriviallyCopyable() || A->hasTrivialDestructor() != B->hasTrivialDestructor() ||
      A->isPolymorphic() != B->isPolymorphic() || A->isAggregate() != B->isAggregate())
    return differ(fmt::format("`{}` is copied or destroyed otherwise", nameOf(A)));
  return each(virtualMethods(A), virtualMethods(B), fmt::format("`{}` has other virtual functions", nameOf(A)),
              [this](const auto *OfA, const auto *OfB) { return pair(OfA, OfB); });
}

bool Comparison::fields(const clang::CXXRecordDecl *A, const clang::CXXRecordDecl *B, bool &Captures) {
  std::vector<const clang::FieldDecl *> OfA(A->field_begin(), A->field_end()), OfB;
  std::vector<bool> Ours;
  if (B->isLambda())
    for (const clang::LambdaCapture &Each : B->captures())
      Ours.push_back(Each.capturesVariable() && Added.contains(llvm::dyn_cast<clang::VarDecl>(Each.getCapturedVar())));
  for (const clang::FieldDecl *Field : B->fields())
    if (Field->getFieldIndex() < Ours.size() && Ours[Field->getFieldIndex()])
      Captures = true;
    else
      OfB.push_back(Field);
  if (!sameNumber("the number of members", A, OfA.size(), OfB.size()))
    return false;
  for (size_t I = 0; I < OfA.size(); ++I) {
    WhereA = OfA[I]->getLocation();
    WhereB = OfB[I]->getLocation();
    if (!type(OfA[I]->getType(), OfB[I]->getType()))
      return false;
    if (OfA[I]->isBitField() != OfB[I]->isBitField() || OfA[I]->isMutable() != OfB[I]->isMutable() ||
        (OfA[I]->isBitField() && OfA[I]->getBitWidthValue() != OfB[I]->getBitWidthValue()))
      return differ(fmt::format("the member `{}` is another", nameOf(OfA[I])));
  }
  return true;
}

bool Comparison::layout(const clang::CXXRecordDecl *A, const clang::CXXRecordDecl *B) {
  WhereA = A->getLocation();
  WhereB = B->getLocation();
  const clang::ASTRecordLayout &OfA = ContextA.getASTRecordLayout(A), &OfB = ContextB.getASTRecordLayout(B);
  if (!sameNumber("the size", A, OfA.getSize().getQuantity(), OfB.getSize().getQuantity()) ||
      !sameNumber("the alignment", A, OfA.getAlignment().getQuantity(), OfB.getAlignment().getQuantity()))
    return false;
  for (unsigned I = 0; I < OfA.getFieldCount(); ++I)
    if (OfA.getFieldOffset(I) != OfB.getFieldOffset(I))
      return differ(fmt::format("the place of a member of `{}`", nameOf(A)), std::to_string(OfA.getFieldOffset(I) / 8),
                    std::to_string(OfB.getFieldOffset(I) / 8));
  for (auto I = A->bases_begin(), J = B->bases_begin(); I != A->bases_end(); ++I, ++J) {
    const auto *BaseA = I->getType()->getAsCXXRecordDecl(), *BaseB = J->getType()->getAsCXXRecordDecl();
    if (I->isVirtual() ? OfA.getVBaseClassOffset(BaseA) != OfB.getVBaseClassOffset(BaseB)
                       : OfA.getBaseClassOffset(BaseA) != OfB.getBaseClassOffset(BaseB))
      return differ(fmt::format("`{}` has a base at another place", nameOf(A)));
  }
  return OfA.getDataSize() == OfB.getDataSize() || differ(fmt::format("`{}` is filled otherwise", nameOf(A)));
}

bool Comparison::arguments(llvm::ArrayRef<clang::TemplateArgument> A, llvm::ArrayRef<clang::TemplateArgument> B) {
  if (A.size() != B.size())
    return differ("the number of template arguments", std::to_string(A.size()), std::to_string(B.size()));
  for (size_t I = 0; I < A.size(); ++I) {
    if (A[I].getKind() != B[I].getKind())
      return differ("a template argument is of another kind");
    switch (A[I].getKind()) {
    case clang::TemplateArgument::Type:
      if (!type(A[I].getAsType(), B[I].getAsType()))
        return false;
      break;
    case clang::TemplateArgument::Integral:
      if (!llvm::APSInt::isSameValue(A[I].getAsIntegral(), B[I].getAsIntegral()))
        return differ("the template argument", llvm::toString(A[I].getAsIntegral(), 10),
                      llvm::toString(B[I].getAsIntegral(), 10));
      break;
    case clang::TemplateArgument::Declaration:
      if (!pair(A[I].getAsDecl(), B[I].getAsDecl()))
        return false;
      break;
    case clang::TemplateArgument::NullPtr:
      break;
    case clang::TemplateArgument::Template:
      // Compared as instantiated, where it is.
      if (!pair(A[I].getAsTemplate().getAsTemplateDecl(), B[I].getAsTemplate().getAsTemplateDecl()))
        return false;
      break;
    case clang::TemplateArgument::StructuralValue:
      if (!type(A[I].getStructuralValueType(), B[I].getStructuralValueType()) ||
          !value(A[I].getAsStructuralValue(), B[I].getAsStructuralValue()))
        return false;
      break;
    case clang::TemplateArgument::Pack:
      if (!arguments(A[I].pack_elements(), B[I].pack_elements()))
        return false;
      break;
    default:
      return differ("a template argument is not known to be the same");
    }
  }
  return true;
}

bool Comparison::value(const clang::APValue &A, const clang::APValue &B) {
  if (A.getKind() != B.getKind())
    return differ("a constant is of another kind");
  switch (A.getKind()) {
  case clang::APValue::Int:
    return llvm::APSInt::isSameValue(A.getInt(), B.getInt()) ||
           differ("the constant", llvm::toString(A.getInt(), 10), llvm::toString(B.getInt(), 10));
  case clang::APValue::Float:
    return A.getFloat().bitwiseIsEqual(B.getFloat()) || differ("a constant differs");
  case clang::APValue::Struct:
    if (A.getStructNumBases() != B.getStructNumBases() || A.getStructNumFields() != B.getStructNumFields())
      return differ("a constant has other parts");
    for (unsigned I = 0; I < A.getStructNumBases(); ++I)
      if (!value(A.getStructBase(I), B.getStructBase(I)))
        return false;
    for (unsigned I = 0; I < A.getStructNumFields(); ++I)
      if (!value(A.getStructField(I), B.getStructField(I)))
        return false;
    return true;
  case clang::APValue::Array:
    if (A.getArraySize() != B.getArraySize() || A.getArrayInitializedElts() != B.getArrayInitializedElts())
      return differ("a constant has other parts");
    for (unsigned I = 0; I < A.getArrayInitializedElts(); ++I)
      if (!value(A.getArrayInitializedElt(I), B.getArrayInitializedElt(I)))
        return false;
    return !A.hasArrayFiller() || value(A.getArrayFiller(), B.getArrayFiller());
  default:
    return differ("a constant is not known to be the same");
  }
}

} // namespace cufuse
