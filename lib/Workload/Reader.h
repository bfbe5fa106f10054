// Between the text of a workload file and the workload: what the file says, and then what it means.
#pragma once

#include "cufuse/Workload/Workload.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVectorExtras.h>

namespace cufuse {

struct WorkloadSize {
  std::string Name;
  Expression Value;
  SourcePlace Where;
};

struct WorkloadBuffer {
  std::string Name;
  SourcePlace Where;
  ElementType Type = ElementType::U8;
  std::optional<Expression> Count, Absolute, Relative;
  Initializer::Kind Init = Initializer::Zero;
  std::vector<Expression> InitValues;
  std::string InitFile;
  SourcePlace InitPlace;
  bool Output = false, Accumulated = false;
  bool HasInit = false;
};

/// As written.
struct WorkloadText {
  std::string Text;
  SourcePlace Where;
};

struct WorkloadFile {
  std::vector<WorkloadKernel> Kernels; ///< Not empty; `Sizes` and `Buffers` of each still are.
  std::vector<WorkloadSize> Sizes;
  std::vector<WorkloadBuffer> Buffers;
  std::vector<WorkloadText> Links, Dead;

  const std::string &name() const { return Kernels.front().Name; }
};

/// The file's structure; expressions are parsed, and names not yet looked up.
llvm::Expected<WorkloadFile> readFile(const std::string &Path);

/// Evaluates sizes and buffers, checks every name, and adds all to `Result`. Names of buffers get the prefix.
llvm::Error resolve(WorkloadFile &File, const std::string &Prefix, Workload &Result);

class Complaints;

/// Reads the links of a file whose kernels have their names, and what is dead, into `Result`. Checks that the arguments
/// are the same on both sides, and that every buffer's content is given or made.
void resolveLinks(const WorkloadFile &File, const Numbers &Sizes, Workload &Result, Complaints &Wrong);

/// What integers of so many bits may be.
struct IntegerRange {
  IntegerRange(unsigned Bits, bool Signed)
      : Min(Signed ? -(Number::Integer(1) << (Bits - 1)) : 0),
        Max((Number::Integer(1) << (Signed ? Bits - 1 : Bits)) - 1) {}
  Number::Integer Min, Max;
};

/// The `Name` of each.
template <typename Range> auto namesOfAll(const Range &All) {
  return llvm::map_to_vector(All, [](const auto &One) { return std::string(One.Name); });
}
/// `did you mean 'x'?`, or a list of all.
std::string suggestion(llvm::StringRef Wanted, llvm::ArrayRef<std::string> Known);

/// Collects what is wrong with a file, in order.
class Complaints {
public:
  void add(const SourcePlace &Where, std::string Text, std::string Remedy = {}) {
    Messages.push_back({Where, std::move(Text), std::move(Remedy)});
  }
  void add(llvm::Error Error) {
    llvm::handleAllErrors(std::move(Error), [&](const Failure &F) {
      Messages.insert(Messages.end(), F.Messages.begin(), F.Messages.end());
    });
  }
  /// The value, or nothing after a complaint.
  template <typename T> std::optional<T> value(llvm::Expected<T> Result) {
    if (Result)
      return std::move(*Result);
    add(Result.takeError());
    return std::nullopt;
  }
  llvm::Error take() {
    if (Messages.empty())
      return llvm::Error::success();
    return llvm::make_error<Failure>(ExitCode::BadInput, std::move(Messages));
  }
  const std::vector<Message> &messages() const { return Messages; }

private:
  std::vector<Message> Messages;
};

} // namespace cufuse
