#include "cufuse/Kernel/Blocker.h"

namespace cufuse {

namespace {
struct Row {
  const char *Name, *Meaning, *Remedy;
};
constexpr Row Rows[] = {
#define BLOCKER(Name, Meaning, Remedy) {#Name, Meaning, Remedy},
#include "cufuse/Kernel/Blockers.def"
};
const Row &row(BlockerKind Kind) { return Rows[static_cast<size_t>(Kind)]; }
} // namespace

const char *blockerName(BlockerKind Kind) { return row(Kind).Name; }
const char *blockerRemedy(BlockerKind Kind) { return row(Kind).Remedy; }

Message Blocker::message() const {
  std::string Text = row(Kind).Meaning;
  if (!Fact.empty())
    Text += ": " + Fact;
  return {Where, Text, row(Kind).Remedy, row(Kind).Name};
}

llvm::Error refuse(const Blocker &Reason) { return refuse(llvm::ArrayRef(Reason)); }

llvm::Error refuse(llvm::ArrayRef<Blocker> Reasons) {
  if (Reasons.empty())
    return llvm::Error::success();
  std::vector<Message> Messages;
  for (const Blocker &Reason : Reasons)
    Messages.push_back(Reason.message());
  return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
}

} // namespace cufuse
