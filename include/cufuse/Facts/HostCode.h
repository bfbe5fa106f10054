// What a file's code does with its kernels and device variables from outside.
#pragma once

#include "cufuse/Facts/HostText.h"
#include "cufuse/Frontend/Parse.h"
#include "cufuse/Kernel/KernelFacts.h"

#include <clang/Basic/SourceLocation.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace clang {
class CUDAKernelCallExpr;
class FileEntry;
class ValueDecl;
class VarDecl;
} // namespace clang

namespace cufuse {

class HostText;

/// Found in one walk over the user's files, instantiated templates included, and looked up for each kernel.
class HostCode {
public:
  /// `Unit` outlives it.
  explicit HostCode(const ParsedUnit &Unit);
  ~HostCode();

  /// One for each `kernel<<<grid, block, …>>>` that is read, in the order of the file.
  std::vector<LaunchFacts> launches(const clang::FunctionDecl &Kernel) const;

  /// A variable that must stay the object the program already has: host code of the file refers to it, device code may
  /// write it, it has no initialiser, or it is the header's with which another file may have the kernel. Otherwise it
  /// is a table, and a copy means the same: one that is const, of `__constant__` memory, or that only the file or a
  /// function knows and whose elements are only loaded.
  bool mustStayShared(const clang::VarDecl &Variable, const clang::FunctionDecl &Kernel) const;

  const HostText &hostText() const { return *Text; }

private:
  std::set<clang::FileID> usersFiles() const;
  llvm::StringRef textOf(clang::FileID File) const; ///< As the user wrote it.
  bool isNamedForHost(const clang::VarDecl &Variable, bool InDeviceCode) const;
  bool assemblyNames(const clang::VarDecl &Variable) const;
  bool mayBeDropped(const clang::VarDecl &Variable) const; ///< Where Clang left out what names it.
  bool isInHeader(clang::SourceLocation Where) const;
  bool isIncludedBeside() const;
  void unreadable();
  bool isOfDevice(clang::FileID File, unsigned At) const;

  const ParsedUnit &Unit;
  std::map<const clang::FunctionDecl *, std::vector<const clang::CUDAKernelCallExpr *>> Launches; ///< Canonical ones.
  std::unique_ptr<HostText> Text;
  std::map<clang::FileID, OffsetRanges> OfDevice; ///< Functions that only the device has.
  std::set<const clang::ValueDecl *> Named;       ///< Variables of files and classes, canonical.
  std::set<const clang::ValueDecl *> Written;     ///< The same of those that device code may change, too.
  llvm::StringSet<> AssemblyWords;                ///< Of all assembly, registers and instructions among them.
  mutable std::optional<bool> Beside;             ///< `isIncludedBeside`, where that was asked.
  mutable std::unique_ptr<ParsedUnit> UnitForHost;
  mutable std::unique_ptr<HostCode> ForHost; ///< The same of the host's compilation, where that was asked.
  llvm::StringMap<long> Words; ///< Where Clang left something out: the words outside the device's functions.
};

} // namespace cufuse
