#include "cufuse/Launches/HostLaunches.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

namespace cufuse {

static bool leavesMemory(const clang::FunctionDecl &Function) {
  // Not among them: copies, launches, graphs, what ends or maps memory, and what chooses a device.
  static constexpr llvm::StringLiteral Begins[] = {"cudaCtxResetPersistingL2Cache",
                                                   "cudaDeviceCanAccessPeer",
                                                   "cudaDeviceGet",
                                                   "cudaDeviceSetCacheConfig",
                                                   "cudaDeviceSetLimit",
                                                   "cudaDeviceSynchronize",
                                                   "cudaDriverGetVersion",
                                                   "cudaEvent",
                                                   "cudaFunc",
                                                   "cudaGet",
                                                   "cudaHostAlloc",
                                                   "cudaHostGet",
                                                   "cudaMalloc",
                                                   "cudaMemAdvise",
                                                   "cudaMemGet",
                                                   "cudaMemPoolGet",
                                                   "cudaMemPoolSet",
                                                   "cudaMemPrefetchAsync",
                                                   "cudaMemRangeGet",
                                                   "cudaOccupancy",
                                                   "cudaPeekAtLastError",
                                                   "cudaPointerGet",
                                                   "cudaProfiler",
                                                   "cudaRuntimeGetVersion",
                                                   "cudaStreamCreate",
                                                   "cudaStreamDestroy",
                                                   "cudaStreamGet",
                                                   "cudaStreamIsCapturing",
                                                   "cudaStreamQuery",
                                                   "cudaStreamSetAttribute",
                                                   "cudaStreamSynchronize",
                                                   "nvtxDomain",
                                                   "nvtxMark",
                                                   "nvtxName",
                                                   "nvtxRange"};
  return Function.getIdentifier() && !llvm::isa<clang::CXXMethodDecl>(Function) &&
         llvm::any_of(Begins, [&](llvm::StringRef Each) { return Function.getName().starts_with(Each); });
}

std::optional<std::vector<const clang::Expr *>> filledBy(const clang::CallExpr &Call, const ParsedUnit &Unit) {
  const clang::FunctionDecl *Callee = Call.getDirectCallee();
  if (!Callee || !leavesMemory(*Callee) || !Unit.inLibrary(Callee->getLocation()))
    return std::nullopt;
  std::vector<const clang::Expr *> Filled;
  for (unsigned I = 0; I < Callee->getNumParams() && I < Call.getNumArgs(); ++I) {
    const clang::QualType To = Callee->getParamDecl(I)->getType()->getPointeeType();
    // Not a number, an input, or a handle.
    if (!To.isNull() && !To.isConstQualified() && !To->isFunctionType() &&
        (To->isVoidType() || !To->isIncompleteType()))
      Filled.push_back(Call.getArg(I));
  }
  return Filled;
}

bool saysPlace(const clang::CallExpr &Call, const ParsedUnit &Unit) {
  const clang::FunctionDecl *Callee = Call.getDirectCallee();
  auto *Method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(Callee);
  if (!Callee || !Unit.inLibrary(Callee->getLocation()))
    return false;
  const std::string Name = Callee->getNameAsString();
  if (!Method)
    return Name == "raw_pointer_cast" && llvm::StringRef(Callee->getQualifiedNameAsString()).starts_with("thrust::");
  const std::string Class = Method->getParent()->getNameAsString();
  if (Name == "operator&") // of an element on the device
    return Class == "reference" || Class == "device_reference";
  return llvm::is_contained({"vector", "array", "unique_ptr", "shared_ptr", "device_vector", "host_vector",
                             "vector_base", "device_ptr", "pointer"},
                            Class) &&
         llvm::is_contained({"operator[]", "at", "data", "get", "front", "back", "begin", "end"}, Name);
}

bool isOfChrono(const clang::Decl &D) {
  for (const clang::DeclContext *Of = D.getDeclContext(); Of; Of = Of->getParent())
    if (auto *Space = llvm::dyn_cast<clang::NamespaceDecl>(Of); Space && Space->getName() == "chrono")
      return Space->isInStdNamespace();
  return false;
}

bool endsQuietly(clang::QualType T) {
  const clang::CXXRecordDecl *Record = T->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (!Record || !Record->hasDefinition() || Record->hasTrivialDestructor())
    return true;
  const llvm::StringRef Name = Record->getIdentifier() ? Record->getName() : "";
  auto *Instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(Record);
  if (Name == "scoped_range_in" && llvm::StringRef(Record->getQualifiedNameAsString()).starts_with("nvtx3::"))
    return true;
  // A pointer may end what it leads to by a function of the user's.
  auto IsDefault = [](const clang::TemplateArgument &A) {
    return A.getKind() == clang::TemplateArgument::Type && A.getAsType()->getAsCXXRecordDecl() &&
           A.getAsType()->getAsCXXRecordDecl()->isInStdNamespace();
  };
  if (Name == "unique_ptr" &&
      !(Instance && Instance->getTemplateArgs().size() > 1 && IsDefault(Instance->getTemplateArgs()[1])))
    return false;
  return Record->isInStdNamespace() && !Name.contains("function") && !Name.contains("thread") &&
         !Name.contains("future") && !Name.contains("shared_ptr") && Name != "any" &&
         (!Instance || llvm::all_of(Instance->getTemplateArgs().asArray(), [](const auto &A) {
           return A.getKind() != clang::TemplateArgument::Type || endsQuietly(A.getAsType());
         }));
}

bool leadsToMemory(const clang::Expr &Argument) {
  if (llvm::isa<clang::GNUNullExpr, clang::CXXNullPtrLiteralExpr, clang::IntegerLiteral>(*Argument.IgnoreParenCasts()))
    return false;
  clang::QualType T = Argument.getType();
  const clang::RecordDecl *Record = T->getAsRecordDecl();
  if (Argument.isLValue() && !T.isConstQualified())
    return !(Record && Record->isInStdNamespace() && Record->getName() == "basic_ostream");
  const bool IsPointer = T->isPointerType() || T->isMemberPointerType();
  if (T->isPointerType())
    Record = (T = T->getPointeeType())->getAsRecordDecl();
  if (Record)
    return !llvm::is_contained({"allocator", "dim3", "CUstream_st", "CUevent_st", "_IO_FILE", "basic_string",
                                "basic_string_view", "initializer_list", "duration", "time_point"},
                               Record->getName());
  return IsPointer && !(T.isConstQualified() && T->isCharType());
}

} // namespace cufuse
