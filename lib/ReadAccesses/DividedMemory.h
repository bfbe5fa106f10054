// What is in memory while a block is run on numbers: what the kernel stores, and else what is drawn.
#pragma once

#include "DividedNumbers.h"

#include <llvm/IR/DataLayout.h>

#include <map>
#include <tuple>
#include <vector>

namespace cufuse {

/// Of a launch: its arguments, and what is in memory.
struct DividedDraw {
  unsigned Number;
  std::int64_t Least, Most; ///< Integers.
  unsigned Blocks;
  int Scale; ///< Exponent of what the smallest parts are multiples of.
};

class DividedMemory {
public:
  DividedMemory(const llvm::DataLayout &Layout, const DividedDraw &Of) : Layout(Layout), Of(Of) {
    Objects.emplace_back(); // null
  }
  virtual ~DividedMemory() = default;

  struct Stored {
    const llvm::Instruction *By;
    const llvm::Type *Type;
    unsigned Bytes;
    DividedNumber Value;
  };
  struct Object {
    std::uint64_t Key = 0;
    bool IsOfLaunch = false;               ///< It has something when the kernel begins, and is looked at when it ends.
    std::map<std::int64_t, Stored> Stored; ///< By bytes from its begin.
  };

  /// `Of`: the thread whose variable it is.
  unsigned object(std::uint64_t Key, bool IsOfLaunch, unsigned Of = 0);
  llvm::ArrayRef<Object> objects() const { return Objects; }
  /// Of the launch: an argument, or an element.
  DividedNumber draw(const llvm::Type *T, std::uint64_t Key);
  /// What is in memory when the kernel begins.
  virtual DividedNumber first(const Object &From, const llvm::Type *Type, std::int64_t Place) {
    return draw(Type, drawn(Of.Number, From.Key, Place));
  }
  DividedNumber load(const llvm::Type *Type, DividedNumber At);
  /// False if it is not known where that is.
  bool store(const llvm::Instruction &By, const llvm::Type *Type, DividedNumber At, DividedNumber What);

  DividedNumber members(std::vector<DividedNumber> All);
  DividedNumber member(const DividedNumber &Of, std::uint64_t At) const;
  /// With another member; all others are not known where `Of` is not.
  DividedNumber with(const llvm::Type *Type, const DividedNumber &Of, std::uint64_t At, const DividedNumber &Member);

  /// A number as it is in other runs, and for other threads, too.
  std::pair<const llvm::Type *, DividedNumber> seen(const llvm::Type *T, DividedNumber N) const;

protected:
  const llvm::DataLayout &Layout;

private:
  std::vector<std::pair<const llvm::Type *, std::uint64_t>> offsets(const llvm::Type *Type) const;

  const DividedDraw Of;
  std::vector<Object> Objects;
  std::map<std::tuple<std::uint64_t, bool, unsigned>, unsigned> ObjectOf;
  std::vector<std::vector<DividedNumber>> Members;
};

} // namespace cufuse
