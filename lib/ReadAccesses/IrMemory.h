// The accesses of device IR to memory.
#pragma once

#include "IrValues.h"

#include "cufuse/Reach/DeviceIr.h"

namespace cufuse {

struct IrAccess {
  enum class Kind { Load, Store, Atomic, Any };
  Kind What;
  const llvm::Instruction *By;
  const llvm::Value *Pointer;
  unsigned Argument;                     ///< Whose array it is.
  std::optional<Polynomial> Offset;      ///< In bytes.
  std::uint64_t Bytes = 0;               ///< 0: not known.
  bool ReadOnlyCache = false;            ///< See AccessSite.
  std::vector<ChosenIndex> Chosen = {};  ///< See AccessSite; in bytes.
  bool Once = false;                     ///< See AccessSite.
  std::optional<Polynomial> ByData = {}; ///< See AccessSite; in bytes.
};

/// Where a pointer leads to.
struct IrPlace {
  std::vector<unsigned> Arguments;          ///< To what these pointers lead to.
  std::optional<Polynomial> Offset;         ///< In bytes, from the only one of them.
  std::vector<const llvm::Value *> Locals;  ///< Variables of the thread.
  std::vector<const llvm::Value *> Unknown; ///< What is none of these, nor shared memory or constants.
};
IrPlace placeOf(const llvm::Value *Pointer, IrValues &Values);

/// How messages name it: as the text does, maybe with a number behind.
std::string nameOf(const llvm::Value &V);

/// Of a call of assembly, without spaces and braces; else "".
std::string assemblyOf(const llvm::CallBase &Call);

/// An address as a number: that assembly alone takes, which is an access; or that conditions alone ask, which is none,
/// as in `(uintptr_t)p % 16 == 0`.
bool isForAssembly(const llvm::Instruction &I);
bool isOnlyCompared(const llvm::Instruction &I);

struct IrMemory {
  std::vector<IrAccess> Accesses;
  std::vector<std::pair<const llvm::Instruction *, std::string>> Elsewhere; ///< Which no pointer parameter leads to.
  /// What reads the thread's place, or works with other threads, otherwise than by the special registers of IrValues.
  std::vector<std::pair<const llvm::Instruction *, std::string>> Together;
  std::vector<std::pair<const llvm::Instruction *, std::string>> Reports; ///< What prints, or ends the grid.
};
IrMemory memoryOf(const DeviceIr &Ir, IrValues &Values);

} // namespace cufuse
