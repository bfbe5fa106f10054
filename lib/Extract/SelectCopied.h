// Which declarations are copied into the fused file, and which stay behind an #include.
#pragma once

#include "cufuse/Facts/CollectFacts.h"
#include "cufuse/Reach/Reach.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cufuse {

struct SelectCopied {
  llvm::SetVector<const clang::Decl *> Units;
  std::set<clang::FileID> Absorbed; ///< `copiedFiles`.
  /// `using` lines for the constituent's namespace (empty key) and namespaces inside it.
  std::map<std::vector<std::string>, std::vector<std::string>> Usings;
  /// Of a copied `using namespace`, lines behind it that bring up the copies alone, and not what the headers have, too.
  std::map<const clang::Decl *, std::string> Brought;
  std::set<std::vector<std::string>> Inlined; ///< Unnamed namespaces, see `opened`.
  /// Those that copied text names, and of which nothing else is in the output.
  std::vector<std::vector<std::string>> EmptyNamespaces;
  /// Includes inside a declaration (`= {` … `#include "table.inc"` … `}`), which that declaration's text carries.
  std::set<unsigned> InsideDeclarations;
  std::set<unsigned> InsideLinkage; ///< Those inside `extern "C"` that mean something else without.

  /// The namespaces of a piece as they are opened. What is copied out of an unnamed one inside a namespace of a header
  /// is found before the header's own only if it is inline.
  std::vector<std::string> opened(const std::vector<std::string> &Namespaces) const;
  /// Does the output hold a copy of it?
  bool copies(const clang::Decl *D) const;
  /// Must this function be rebound: does it read a built-in, synchronise, or hold shared memory?
  static bool usesBlock(const FunctionUse &Use);
  /// Does it none of this but read built-ins?
  static bool onlyReadsBlock(const FunctionUse &Use);
};

/// The namespaces that a scope lies in, outermost first: `a`, `` (unnamed), `inline b`.
std::vector<std::string> namespacesAround(const clang::DeclContext *Context);

/// The namespaces that a declaration is named by, each with `::`.
std::string namespacePath(const clang::Decl &D);

SelectCopied selectCopied(const ParsedUnit &Unit, const Reached &Reach);

} // namespace cufuse
