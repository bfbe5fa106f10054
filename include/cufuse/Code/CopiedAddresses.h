// Where a kernel lets others see an address of its code or of its tables: the fused file has copies of these.
#pragma once

#include "cufuse/Reach/DeviceIr.h"

namespace cufuse {

struct CopiedAddress {
  const llvm::GlobalValue *Of; ///< A function, a table, or what the compiler made of either.
  const llvm::Instruction *By;
  const char *What; ///< "is stored", "is compared", "is handed on", …
};

/// The addresses of functions, tables of virtual functions and variables that more becomes of than calls, loads and
/// what stays in the thread's or the block's memory: another part of the program may compare them with its own, or call
/// what they lead to. One place for each. `IsOfProgram`: the output names the program's own.
std::vector<CopiedAddress> findCopiedAddresses(const DeviceIr &Ir,
                                               llvm::function_ref<bool(const clang::VarDecl &)> IsOfProgram);

} // namespace cufuse
