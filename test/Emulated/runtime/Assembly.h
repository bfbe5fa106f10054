// What the parts of the interpreter of inline PTX share: a parsed instruction, and how its operands are read and set.
#pragma once

#include "Scheduler.h"

#include <map>
#include <string>
#include <vector>

namespace cuda_emulated {

using Value = unsigned long long;

struct Place {
  enum class Kind { Operand, Register, Immediate, Special, Vector } kind = Kind::Immediate;
  Value number = 0;            ///< Index or immediate.
  long long offset = 0;        ///< Of `[address+offset]`.
  std::vector<Place> elements; ///< Of `{a, b}`, and of `value|predicate`.
};

struct Frame {
  Operand *operands;
  std::vector<Value> registers;
};
struct Instruction;
using Execute = void (*)(Frame &, const Instruction &);

struct Instruction {
  Execute execute = nullptr;
  std::string mnemonic;
  std::string type, target; ///< The last type, and the first: `cvt.target.type`.
  bool shared = false;      ///< Addresses are 32 bits from where shared memory starts.
  bool acquire = false;
  std::vector<Place> places;
  int predicate = -1;
  bool negated = false;
  std::size_t branch = 0; ///< Where it goes to.

  unsigned bits() const { return type.size() > 1 ? static_cast<unsigned>(std::atoi(type.c_str() + 1)) : 64; }
  bool isSigned() const { return type[0] == 's'; }
  bool isFloat() const { return type[0] == 'f'; }
  /// A type that `execute` has nothing for.
  [[noreturn]] void unknownType() const { fail("inline assembly: %s of %s", mnemonic.c_str(), type.c_str()); }
};

/// The value's low bits; the same, extended by its sign if the type has one.
Value mask(unsigned bits, Value value);
long long extended(const Instruction &i, Value value);

/// A vector's elements are equal parts of the value, the lowest first.
Value get(const Frame &f, const Instruction &i, const Place &place);
void set(Frame &f, const Instruction &i, const Place &place, Value value);
inline Value get(const Frame &f, const Instruction &i, std::size_t at) { return get(f, i, i.places.at(at)); }
inline void set(Frame &f, const Instruction &i, std::size_t at, Value value) { set(f, i, i.places.at(at), value); }
inline unsigned word(const Frame &f, const Instruction &i, std::size_t at, unsigned otherwise = 0) {
  return at < i.places.size() ? static_cast<unsigned>(get(f, i, at)) : otherwise;
}
void *address(const Frame &f, const Instruction &i, std::size_t at);

/// By mnemonic, without the qualifiers that change nothing here.
using Instructions = std::map<std::string, Execute>;
void addBlockInstructions(Instructions &all);
void addWarpInstructions(Instructions &all);
void addThreadInstructions(Instructions &all);

} // namespace cuda_emulated
