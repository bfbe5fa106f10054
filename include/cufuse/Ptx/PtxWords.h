// PTX as words and statements (PTX ISA, 4: Syntax): what `nvcc` writes, and the text of assembly in a source, in which
// operands are `%0` and registers begin with `%%`.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <vector>

namespace cufuse {

struct PtxWord {
  enum class Kind {
    Name, ///< Registers, symbols, opcodes with their qualifiers, directives, numbers.
    Sign, ///< One character, or a string.
    AssemblyBegins,
    AssemblyEnds, ///< nvcc's comments around a user's assembly.
  };
  Kind What = Kind::Sign;
  llvm::StringRef Text;
  bool StartsLine = false;

  bool is(llvm::StringRef Other) const { return Text == Other; }
};

/// The next word, off the front of `Text`; false where there is none. Comments are passed over. `Strings`: a quote
/// begins one, and is a sign by itself otherwise.
bool takePtxWord(llvm::StringRef &Text, PtxWord &Word, bool Strings = true);

/// An instruction, or a directive in a function.
struct PtxStatement {
  llvm::StringRef Opcode; ///< With qualifiers; a directive begins with a dot; for a label, that, and `IsLabel`.
  llvm::SmallVector<llvm::StringRef, 8> Operands; ///< All that follows, signs included.
  bool IsLabel = false, IsPredicated = false;
  unsigned Assembly = 0;      ///< Number of the user's assembly statement that it is from, from 1; 0: from none.
  unsigned AssemblyDepth = 0; ///< Of braces, within that.

  /// `ld` of `ld.global.f32`.
  llvm::StringRef name() const { return Opcode.split('.').first; }
  /// Is one of these a qualifier of the opcode? Without dots.
  bool hasAny(llvm::ArrayRef<llvm::StringRef> Qualifiers) const;
  /// As written, without the predicate.
  llvm::StringRef text() const;
};

/// The statements of a function's body, or of an assembly statement.
void readPtxStatements(llvm::StringRef Text, llvm::function_ref<void(const PtxStatement &)> Take);
/// All but labels. What they say is a part of `Text`.
std::vector<PtxStatement> ptxStatements(llvm::StringRef Text);

/// Without `%` and component: `tid` of `%tid.x`. "" for what is no register: symbols, numbers, operands of assembly.
llvm::StringRef ptxRegisterName(llvm::StringRef Word);

} // namespace cufuse
