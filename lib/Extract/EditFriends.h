// Kernels that are friends of a class.
#pragma once

#include "EditText.h"

namespace cufuse {

/// A class no longer names kernels as its friends: theirs are other functions in the output, and what a kernel uses of
/// the class is public (`FriendKernel`).
void editFriends(TextEdits &Edits, const clang::Decl &Whole);

} // namespace cufuse
