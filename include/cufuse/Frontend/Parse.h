// One `.cu` file, parsed by Clang as nvcc reads it (device side, no code generation).
#pragma once

#include "cufuse/Frontend/CompilerGuise.h"
#include "cufuse/Frontend/Flags.h"
#include "cufuse/Frontend/PreprocessorLog.h"
#include "cufuse/Frontend/Toolchain.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/FileStore.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/Error.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class CompilerInstance;
class FrontendAction;
class FunctionDecl;
class Preprocessor;
} // namespace clang

namespace cufuse {

/// They annotate what has nvcc's attributes `block_size` and, as `[[gnu::cluster_dims]]`, `cluster_dims`;
/// `tile_global`.
constexpr llvm::StringLiteral BlockSizeAnnotation = "cufuse_block_size", ClusterDimsAnnotation = "cufuse_cluster_dims",
                              TileAnnotation = "cufuse_tile_global";

struct ParseRequest {
  std::string File;
  CompileFlags Flags;
  std::string Arch = "sm_90a";
  /// Kernels to resolve and instantiate, as C++ spells them behind the end of the file: `::ns::k<float, 4>`,
  /// `::k(int *, int)`. Asked when all of the file has been read.
  std::function<std::vector<std::string>(clang::ASTContext &)> Probes = nullptr;
  /// Files that exist in memory only, or whose text replaces what is on disk.
  std::vector<OutputFile> Overlay;
  bool ForHost = false; ///< nvcc's other compilation of the file, where `__CUDA_ARCH__` is not defined.
  /// Macros are written out in the overlay: lines have the numbers that its `#line` directives give them.
  bool MacrosWrittenOut = false;
  std::vector<std::string> ExtraIncludeFolders;
  /// What nvcc has in place of Clang's; null: not known.
  std::shared_ptr<const cufuse::Predefined> Predefined = nullptr;
  /// Architectures for which nvcc compiles the same text (`sm_90a`), this one among them.
  std::vector<std::string> Compared = {};
};

/// An error (or a failed probe) of the parse.
struct ParseError {
  clang::SourceLocation Location;
  SourcePlace Where;
  std::string Text;
  /// The same for the same error in another parse, which may reach the file by another path.
  std::string key() const;
  bool MissingFile = false; ///< An #include that was not found: what follows may be read wrongly anywhere.
};

class ParsedUnit {
public:
  ~ParsedUnit();
  clang::ASTContext &ast() const;
  clang::Preprocessor &preprocessor() const;
  const PreprocessorLog &log() const { return Log; }
  const ParseRequest &request() const { return Request; }
  /// The files that the main file includes, directly or not, in order.
  const std::vector<clang::FileID> &included() const { return Included; }
  /// Where the file was first included: by the main file, if what that includes first was precompiled.
  clang::SourceLocation includeOf(clang::FileID File) const;
  /// Bytes of the main file's own text.
  size_t fileSize() const { return FileSize; }
  /// Is this a header of the C or C++ library, as opposed to the CUDA toolkit and to Clang's own?
  bool inStandardLibrary(clang::SourceLocation Location) const;
  /// Is this a header of the CUDA toolkit, of Clang, or one that only the analysis sees? Nobody else's functions and
  /// variables are known by their names, wherever a flag says that their headers are a system's.
  bool inToolkit(clang::SourceLocation Location) const;
  /// Does the place lie in a header that only the analysis sees?
  bool inCompatHeader(clang::SourceLocation Location) const;

  /// The user's text as it stands in the files, before macros were written out. Not of a parse with an overlay.
  const UsersText &usersText() const { return *Users; }
  /// That of the parse from which this one's macros were written out, and the files that it has read.
  void takeUsersText(const ParsedUnit &Original) {
    Users = Original.Users;
    Dependencies = Original.dependencies();
  }

  /// A hash of the tokens that the parser got of the user's files, macros expanded: two texts with the same are the
  /// same program, but for the lines on which it stands.
  std::uint64_t tokens() const { return Order.Tokens; }
  /// Is this a library's: the toolkit's, Clang's, the C or C++ library's, or the compiler's own?
  bool inLibrary(clang::SourceLocation Location) const;

  /// Errors outside the probes. They matter when they lie in what a kernel needs.
  const std::vector<ParseError> &errors() const { return Errors; }
  /// The file as the host's compilation has it, without the probes.
  llvm::Expected<std::unique_ptr<ParsedUnit>> forHost() const;
  /// What the probe names, or null with the reason in `probeError`.
  const clang::FunctionDecl *probe(const std::string &Text) const;
  std::string probeError(const std::string &Text) const;
  /// Does the place lie in the text of the probes?
  bool inProbe(clang::SourceLocation Where) const;

  /// The `cluster_dims` of a declaration behind the kernel's definition. Clang ignores it; for nvcc it is the kernel's.
  clang::SourceLocation lateCluster(const clang::FunctionDecl &Definition) const;

  /// The place as a reader finds it: macro expansions count where they are written out.
  SourcePlace place(clang::SourceLocation Location) const;
  /// Files of the user that were read, the main file first: a build's dependencies.
  std::vector<std::string> dependencies() const;

private:
  explicit ParsedUnit(const Toolchain &Tools);
  static llvm::Expected<std::unique_ptr<ParsedUnit>> read(const Toolchain &Tools, ParseRequest Request,
                                                          bool UsePrecompiled);
  friend llvm::Expected<std::unique_ptr<ParsedUnit>> parse(const Toolchain &, ParseRequest);

  ParseRequest Request;
  size_t FileSize = 0;
  Toolchain Tools;
  mutable ToolkitFiles Toolkit;
  mutable LibraryFiles Libraries;
  PreprocessorLog Log;
  ReadingOrder Order;
  std::shared_ptr<const UsersText> Users;
  std::vector<std::string> Dependencies; ///< Where they are not this one's own.
  std::vector<clang::FileID> Included;
  std::unique_ptr<clang::CompilerInstance> Compiler;
  std::unique_ptr<clang::FrontendAction> Action;
  std::vector<ParseError> Errors;
  std::vector<std::string> Probes, ProbeErrors;
  clang::FileID ProbesFile;
  std::map<clang::SourceLocation, clang::SourceLocation> LateClusters; ///< By definition.
};

/// Parses one file. Errors in the code do not fail the parse (see `ParsedUnit::errors`); a file that cannot be read
/// does, and so does a crash of Clang where the process has enabled guards (GuardedThread.h). Safe to call from
/// several threads at once.
llvm::Expected<std::unique_ptr<ParsedUnit>> parse(const Toolchain &Tools, ParseRequest Request);

} // namespace cufuse
