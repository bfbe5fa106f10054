// JSON of plain structs: one list of fields serves both directions. In namespace cufuse stands
//
//     template <typename Io> void fields(Io &IO, FieldsOf<Io, Timing> T) {
//       IO("microseconds", T.Microseconds);      // must be there when it is read
//       IO.optional("samples", T.Samples);       // keeps its value where it is not
//     }
//
// Enumerations are spelled as their `namesOf` says, an empty `std::optional` is left out, a BlockShape, a pair or an
// array of numbers is an array, a pair of strings `{"name": …, "value": …}`, bytes are hexadecimal in memory order.
#pragma once

#include "cufuse/Support/BlockShape.h"
#include "cufuse/Support/Error.h"
#include "cufuse/Support/Names.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cufuse {

/// The struct as the direction has it: to be read into, or written from.
template <typename Io, typename T> using FieldsOf = typename Io::template Of<T>;

template <typename T> llvm::json::Value toJson(const T &V);
/// `Strict`: keys that nobody asks for are refused, here and in all that it holds.
template <typename T> bool fromJson(const llvm::json::Value &From, T &V, llvm::json::Path At, bool Strict = false);

namespace fields_detail {

template <typename T> constexpr bool IsVector = false;
template <typename T> constexpr bool IsVector<std::vector<T>> = true;
template <typename T> constexpr bool IsOptional = false;
template <typename T> constexpr bool IsOptional<std::optional<T>> = true;
using Bytes = std::vector<std::uint8_t>;
using NameAndValue = std::pair<std::string, std::string>;

/// What is written as an array of so many numbers, as these.
inline std::array<unsigned, 3> numbersOf(const BlockShape &S) { return {S.X, S.Y, S.Z}; }
inline std::array<unsigned, 3> numbersOf(const std::array<unsigned, 3> &A) { return A; }
inline std::array<unsigned, 2> numbersOf(const std::pair<unsigned, unsigned> &P) { return {P.first, P.second}; }
inline void setNumbers(BlockShape &S, const std::array<unsigned, 3> &A) { S = {A[0], A[1], A[2]}; }
inline void setNumbers(std::array<unsigned, 3> &Out, const std::array<unsigned, 3> &A) { Out = A; }
inline void setNumbers(std::pair<unsigned, unsigned> &P, const std::array<unsigned, 2> &A) { P = {A[0], A[1]}; }
template <typename T>
concept FixedNumbers = requires(const T &V) { numbersOf(V); };

class Writer {
public:
  template <typename T> using Of = const T &;
  static constexpr bool IsReading = false;

  template <typename T> void operator()(llvm::StringRef Key, const T &V) { optional(Key, V); }
  template <typename T> void optional(llvm::StringRef Key, const T &V, bool Written = true) {
    if constexpr (IsOptional<T>) {
      if (V)
        Out[Key] = toJson(*V);
    } else if (Written) {
      Out[Key] = toJson(V);
    }
  }
  /// For other readers: it follows from the rest.
  template <typename T> void derived(llvm::StringRef Key, const T &V) { Out[Key] = toJson(V); }
  void version(llvm::StringRef Key, unsigned Number) { Out[Key] = Number; }
  void require(bool, const char *) {}

  llvm::json::Object Out;
};

class Reader {
public:
  template <typename T> using Of = T &;
  static constexpr bool IsReading = true;

  Reader(const llvm::json::Value &V, llvm::json::Path At, bool Strict) : From(V.getAsObject()), At(At), Strict(Strict) {
    if (!From)
      fail(At, "expected an object");
  }

  template <typename T> void operator()(llvm::StringLiteral Key, T &V) {
    if (Good && !IsOptional<T> && !From->get(Key))
      fail(At.field(Key), "missing");
    optional(Key, V);
  }
  template <typename T> void optional(llvm::StringLiteral Key, T &V, bool = true) {
    Known.push_back(Key);
    if (const llvm::json::Value *Found = Good ? From->get(Key) : nullptr)
      Good = fromJson(*Found, V, At.field(Key), Strict);
  }
  template <typename T> void derived(llvm::StringLiteral Key, const T &) { Known.push_back(Key); }
  void version(llvm::StringLiteral Key, unsigned Number) {
    unsigned Found = 0;
    (*this)(Key, Found);
    if (Good && Found != Number)
      fail(At.field(Key), "a version that this cufuse does not read");
  }
  /// What must hold besides, of what was read.
  void require(bool Holds, llvm::StringLiteral Otherwise) {
    if (Good && !Holds)
      fail(At, Otherwise);
  }
  bool done() {
    if (Good && Strict)
      for (const auto &Entry : *From)
        if (Good && !llvm::is_contained(Known, llvm::StringRef(Entry.first)))
          fail(At.field(Entry.first), "unknown key");
    return Good;
  }

private:
  void fail(llvm::json::Path Where, llvm::StringLiteral Why) {
    Where.report(Why);
    Good = false;
  }

  const llvm::json::Object *From;
  llvm::json::Path At;
  const bool Strict;
  llvm::SmallVector<llvm::StringRef, 12> Known;
  bool Good = true;
};

} // namespace fields_detail

template <typename T> llvm::json::Value toJson(const T &V) {
  using namespace fields_detail;
  if constexpr (std::is_arithmetic_v<T>) {
    return V;
  } else if constexpr (std::is_enum_v<T>) {
    return nameOf(V);
  } else if constexpr (std::is_convertible_v<T, llvm::StringRef>) {
    return llvm::json::fixUTF8(V);
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return llvm::toHex(V, /*LowerCase=*/true);
  } else if constexpr (FixedNumbers<T>) {
    return llvm::json::Array(numbersOf(V));
  } else if constexpr (std::is_same_v<T, NameAndValue>) {
    return llvm::json::Object{{"name", toJson(V.first)}, {"value", toJson(V.second)}};
  } else if constexpr (IsVector<T>) {
    llvm::json::Array Out;
    for (const auto &One : V)
      Out.push_back(toJson(One));
    return Out;
  } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
    llvm::json::Object Out;
    for (const auto &[Name, Number] : V)
      Out[Name] = Number;
    return Out;
  } else {
    Writer IO;
    fields(IO, V);
    return std::move(IO.Out);
  }
}

template <typename T> bool fromJson(const llvm::json::Value &From, T &V, llvm::json::Path At, bool Strict) {
  using namespace fields_detail;
  auto Fail = [&](llvm::StringLiteral Why) {
    At.report(Why);
    return false;
  };
  if constexpr (IsOptional<T>) {
    V.reset();
    return From.kind() == llvm::json::Value::Null || fromJson(From, V.emplace(), At, Strict);
  } else if constexpr (std::is_enum_v<T>) {
    if (const auto Name = From.getAsString())
      for (const auto &One : namesOf(V))
        if (One.Name == *Name) {
          V = One.Value;
          return true;
        }
    return Fail("not one of the known names");
  } else if constexpr (std::is_same_v<T, unsigned>) {
    const std::optional<std::uint64_t> Number = From.getAsUINT64(); // llvm::json takes any integer
    V = static_cast<unsigned>(Number.value_or(0));
    return (Number && *Number == V) || Fail("expected an integer from 0 to 4294967295");
  } else if constexpr (std::is_same_v<T, Bytes>) {
    const auto Hex = From.getAsString();
    std::string Text;
    if (!Hex || Hex->size() % 2 || !llvm::tryGetFromHex(*Hex, Text))
      return Fail("expected pairs of hexadecimal digits");
    V.assign(Text.begin(), Text.end());
    return true;
  } else if constexpr (FixedNumbers<T>) {
    decltype(numbersOf(V)) Out;
    std::vector<unsigned> Each;
    if (!fromJson(From, Each, At, Strict))
      return false;
    if (Each.size() != Out.size())
      return Fail(Out.size() == 2 ? llvm::StringLiteral("expected two numbers") : "expected three numbers");
    llvm::copy(Each, Out.begin());
    setNumbers(V, Out);
    return true;
  } else if constexpr (std::is_same_v<T, NameAndValue>) {
    std::map<std::string, std::string> Pair;
    if (!llvm::json::fromJSON(From, Pair, At))
      return false;
    V = {std::move(Pair["name"]), std::move(Pair["value"])};
    return true;
  } else if constexpr (IsVector<T>) {
    const llvm::json::Array *Each = From.getAsArray();
    if (!Each)
      return Fail("expected an array");
    V.clear();
    for (const llvm::json::Value &One : *Each)
      if (!fromJson(One, V.emplace_back(), At.index(V.size() - 1), Strict))
        return false;
    return true;
  } else if constexpr (requires { llvm::json::fromJSON(From, V, At); }) {
    return llvm::json::fromJSON(From, V, At);
  } else {
    Reader IO(From, At, Strict);
    fields(IO, V);
    return IO.done();
  }
}

/// On one line.
template <typename T> std::string jsonLine(const T &V) { return llvm::formatv("{0}", toJson(V)).str(); }

/// A whole text. Fails with the place that is wrong.
template <typename T> llvm::Expected<T> parseJson(llvm::StringRef Text, llvm::StringRef RootName, bool Strict = false) {
  auto V = TRY(llvm::json::parse(Text));
  T Out{};
  llvm::json::Path::Root Root(RootName);
  if (!fromJson(V, Out, Root, Strict))
    return Root.getError();
  return Out;
}

} // namespace cufuse
