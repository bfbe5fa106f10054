// Pointers that come from linked parameters, in the kernel and in the functions that it hands them to.
#pragma once

#include "EditText.h"

#include <map>

namespace cufuse {

/// What changes where a parameter is linked, which becomes an object, `cufuse_pointer<T, Kind>`:
///
/// - in the kernel's head it is declared `cufuse_linked_NAME`;
/// - `const float *p = …`, which comes from it, is declared `const auto p`, `auto p` if it is moved, and
///   `float &element = p[i]` is `auto &&element`;
/// - `reinterpret_cast<float4 *>(p)` becomes `cufuse_as<float4>(p)`, so does `(float4 *)p`;
/// - `&p[i]` becomes `(p + (i))`;
/// - a function that is handed it is a template, beside itself, where the parameter is `cufuse_pointer<float, Kind>`; a
///   lambda has it as `auto`.
///
/// Whatever else is done to them stays as it is: what does not compile then, is refused. `AccessSite::Direct` says
/// which accesses go well with that.
struct LinkedPointers {
  std::vector<PlacedEdit> Edits;
  std::vector<HandedOn> Calls;                          ///< Of functions that are handed pointers.
  std::map<const clang::Decl *, std::string> Functions; ///< These, canonical, as HandedOn calls them.
  std::map<const clang::Decl *, std::string> Templates; ///< What begins the template that one of them becomes.
  bool Moves = false;                                   ///< Some pointer is computed from another.
};

/// `Names` of the kernel's parameters are by position.
LinkedPointers linkedPointers(SourceText &Text, const Reached &Reach, llvm::ArrayRef<std::string> Names);

/// In a declaration of the kernel, whose definition is `Instance`, what a linked parameter is.
void editLinkedParameters(TextEdits &Edits, const clang::FunctionDecl &Kernel, const clang::FunctionDecl &Instance,
                          llvm::ArrayRef<std::string> Names);

} // namespace cufuse
