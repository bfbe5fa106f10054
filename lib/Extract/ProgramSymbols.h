// What the output shares with the program's other objects: variables that the host fills, and kernels that device code
// launches.
#pragma once

#include "EditText.h"
#include "SelectCopied.h"

namespace cufuse {

struct ProgramSymbols {
  std::vector<Piece> Declarations;
  std::vector<std::pair<std::string, std::string>> Values; ///< See `KernelText::SharedValues`.
  std::vector<PlacedEdit> Edits;
  std::vector<Blocker> Blockers;
};

/// `extern __constant__ T name[N];` at the variable's own scope.
ProgramSymbols hostShared(const ParsedUnit &Unit, const clang::VarDecl &Variable, const SelectCopied &Chosen);

/// Kernels that this one launches are those of the program, whatever the copied text holds under their names.
ProgramSymbols launchedKernels(const ParsedUnit &Unit, const Reached &Reach, const SelectCopied &Chosen,
                               SourceText &Text);

} // namespace cufuse
