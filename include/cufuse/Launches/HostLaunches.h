// The launches of a file's host functions, what they hand over, and what stands between them.
#pragma once

#include "cufuse/Frontend/Parse.h"
#include "cufuse/Support/BlockShape.h"

#include <clang/AST/Type.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace clang {
class CUDAKernelCallExpr;
class CallExpr;
class Decl;
class Expr;
class Stmt;
} // namespace clang

namespace cufuse {

/// A value that two launches may have in common: a product, of one factor for all else.
struct Value {
  std::vector<std::string> Factors; ///< In order of the alphabet; what may change says when it was read.
  clang::QualType Type;             ///< That holds it, of a number.
  /// Of a pointer: the variable or member in whose memory it is; empty: in any. `View` begins that of a variable which
  /// may lead to the memory of others.
  std::string Object = {};
  bool operator==(const Value &Other) const { return Factors == Other.Factors; }
};

constexpr char View = '&';

/// The factor that is a pointer to nothing.
constexpr const char *NullPointer = "null";

/// A loop or a condition, and which of its branches.
struct Branch {
  const clang::Stmt *Of;
  unsigned Number;
  bool IsLoop;
  unsigned Call = 0; ///< Of the function that it stands in.
  bool operator==(const Branch &Other) const { return Of == Other.Of && Number == Other.Number; }
};

/// A launch, or what is not known to leave memory as it is.
struct Launch {
  std::string Kernel; ///< By `kernelName`; empty for all else.
  const clang::Stmt *Call;
  std::vector<Branch> Path; ///< Around it.
  std::optional<Value> Grid, Block, Stream;
  std::vector<std::optional<Value>> Arguments;
  clang::QualType Stored = {};        ///< All that it may do is to change one such object, or a part of it.
  clang::SourceLocation Misread = {}; ///< An error of Clang's: what stands there is not known.
  std::optional<Value> Elements = {}; ///< That the grid is for: `(n + 255) / 256` blocks of 256 threads.
  std::optional<Value> Blocks = {};   ///< Of a grid in x alone.
};

/// Mangled, with the file of its definition behind `@`, where that is known.
std::string kernelName(const clang::FunctionDecl &Kernel);

/// May what the kernel is given lead to such an object, which it stores, or loads?
bool mayUse(const clang::FunctionDecl &Kernel, clang::QualType Held, bool Loads);

/// Is each value of the one type the same in the other, of 64 bits or as a number?
bool keeps(clang::QualType From, clang::QualType To, const clang::ASTContext &Context);

/// Of the functions of one file.
class HostLaunches {
public:
  explicit HostLaunches(const ParsedUnit &Unit);
  ~HostLaunches();
  /// The user's functions with a body, instances of templates among them.
  llvm::ArrayRef<const clang::FunctionDecl *> functions() const { return All; }
  /// The launches of a function, in order, those of the functions that it calls among them, so many calls deep, and
  /// what stands between: all that is not known to have no effect but on plain variables.
  std::vector<Launch> of(const clang::FunctionDecl &Function, unsigned Depth);

private:
  struct Known;
  const ParsedUnit &Unit;
  std::vector<const clang::FunctionDecl *> All;
  std::unique_ptr<Known> Uses;
};

// What is known of functions and classes of libraries that host code uses between launches: what is not known to have
// no effect is an effect (LibraryEffects.cpp).

/// Of a function of the toolkit that changes nothing but what it is handed to fill, and waits for no other stream: the
/// arguments that lead to what it fills. Nothing of all others.
std::optional<std::vector<const clang::Expr *>> filledBy(const clang::CallExpr &Call, const ParsedUnit &Unit);

/// Does a library's function say where something is, and no more?
bool saysPlace(const clang::CallExpr &Call, const ParsedUnit &Unit);

/// Is it one of `std::chrono`? Its functions read clocks and compute with their own objects.
bool isOfChrono(const clang::Decl &D);

/// Is nothing of the user's run where it is destroyed, and nobody awaited?
bool endsQuietly(clang::QualType T);

/// Does a call with such an argument know memory that it may change? By text, streams, events, files and what launches
/// are made of, none is.
bool leadsToMemory(const clang::Expr &Argument);

/// What a launch is written with (LaunchBlock.cpp): numbers, nullopt where no such constant is written. Variables count
/// as what they begin with, if nothing changes them, and text as the device's compilation reads it: a guess.
using WrittenSizes = std::array<std::optional<std::int64_t>, 3>;
struct WrittenLaunch {
  WrittenSizes Grid, Block;
  std::vector<std::optional<std::int64_t>> Arguments;
};
/// With `Drawn`, variables that only callers know count as that, but in arguments only those that the grid is made of.
WrittenLaunch writtenAs(const clang::CUDAKernelCallExpr &Launch, const clang::ASTContext &Context,
                        std::optional<std::int64_t> Drawn = std::nullopt);
/// Its block, which the launch of the output confirms.
std::optional<BlockShape> blockOf(const clang::CUDAKernelCallExpr &Launch, const clang::ASTContext &Context);

} // namespace cufuse
