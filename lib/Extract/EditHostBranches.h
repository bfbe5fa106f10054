// Text that only the host's compilation reads, inside of what is copied.
#pragma once

#include "EditText.h"
#include "SelectCopied.h"

namespace cufuse {

/// What the files whose text is copied declare, and the output does not have.
std::set<std::string> namesLeftOut(const ParsedUnit &Unit, const SelectCopied &Chosen);

/// Empties the lines of `#ifdef __CUDA_ARCH__`'s `#else`, and those of `#ifndef __CUDA_ARCH__`, that name something of
/// `LeftOut`. The host calls nothing of the copy, but nvcc reads it for the host, too.
void editHostBranches(TextEdits &Edits, const std::set<std::string> &LeftOut);

} // namespace cufuse
