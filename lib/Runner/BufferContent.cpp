#include "cufuse/Runner/BufferContent.h"

#include "cufuse/Support/Error.h"

#include <llvm/Support/MemoryBuffer.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/core.h>
#include <limits>
#include <mutex>
#include <thread>
#include <tuple>

namespace cufuse {

namespace {
/// Their bits, with conversions; the values' arithmetic is in double.
struct Half {
  _Float16 Value;
  explicit Half(double From) : Value(static_cast<_Float16>(From)) {}
  explicit operator double() const { return Value; }
};
struct BFloat16 {
  std::uint16_t Bits;
  explicit BFloat16(double From) {
    const auto Wide = std::bit_cast<std::uint32_t>(static_cast<float>(From));
    // To nearest, ties to even; a NaN keeps a bit of its payload.
    Bits = std::isnan(From) ? 0x7FFF : static_cast<std::uint16_t>((Wide + 0x7FFF + ((Wide >> 16) & 1)) >> 16);
  }
  explicit operator double() const { return std::bit_cast<float>(static_cast<std::uint32_t>(Bits) << 16); }
};
} // namespace

/// The elements' C++ types, in the order of `ElementType`.
using ElementTypes = std::tuple<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                std::int64_t, std::uint64_t, Half, BFloat16, float, double>;

/// Calls `Do` with a null pointer of the element's C++ type.
template <size_t I = 0, typename Visitor> static auto withType(ElementType Type, Visitor Do) {
  if constexpr (I + 1 < std::tuple_size_v<ElementTypes>)
    if (static_cast<size_t>(Type) != I)
      return withType<I + 1>(Type, Do);
  return Do(static_cast<std::tuple_element_t<I, ElementTypes> *>(nullptr));
}

template <typename T> static T converted(double Value) {
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    if (std::isnan(Value))
      return 0;
    if (Value <= static_cast<double>(Limits::min()))
      return Limits::min();
    // The bound of 64-bit types is rounded up in double: compared so that it saturates.
    if (Value >= static_cast<double>(Limits::max()))
      return Limits::max();
    return static_cast<T>(Value);
  } else {
    return T(Value);
  }
}

static std::uint64_t splitMix64(std::uint64_t State) {
  State += 0x9E3779B97F4A7C15;
  State = (State ^ (State >> 30)) * 0xBF58476D1CE4E5B9;
  State = (State ^ (State >> 27)) * 0x94D049BB133111EB;
  return State ^ (State >> 31);
}

static std::uint64_t randomBits(std::uint64_t Seed, std::uint64_t Index) {
  return splitMix64(splitMix64(Seed) ^ splitMix64(Index));
}

/// In [0, 1), 53 bits.
static double unit(std::uint64_t Bits) { return static_cast<double>(Bits >> 11) * 0x1p-53; }

/// Of [A, B), whatever the type rounds to: what became B is drawn again.
template <typename T> static T uniformElement(const Initializer &Init, std::uint64_t Index) {
  constexpr unsigned Most = 64; // should the type have no value between them
  // Unrolled, it hashes all seeds of an element whose first draw hardly ever fails: ten times as long.
#pragma clang loop unroll(disable) vectorize(disable)
  for (unsigned Try = 0; Try < Most; ++Try) {
    const std::uint64_t Seed = Init.Seed + Try * 0x9E3779B97F4A7C15;
    const double Value = Init.A + (Init.B - Init.A) * unit(randomBits(Seed, Index));
    const T Drawn = converted<T>(std::is_integral_v<T> ? std::floor(Value) : Value);
    if (static_cast<double>(Drawn) < Init.B)
      return Drawn;
  }
  return converted<T>(Init.A);
}

static double elementOf(const Initializer &Init, std::uint64_t Index) {
  switch (Init.What) {
  case Initializer::Constant:
    return Init.A;
  case Initializer::Iota:
    return Init.A + static_cast<double>(Index) * Init.B;
  case Initializer::Normal: {
    const double Radius = std::sqrt(-2 * std::log(1 - unit(randomBits(Init.Seed, 2 * Index))));
    return Init.A + Init.B * Radius * std::cos(2 * M_PI * unit(randomBits(Init.Seed, 2 * Index + 1)));
  }
  case Initializer::Zero:
  case Initializer::Uniform:
  case Initializer::RandomBits:
  case Initializer::File:
    break;
  }
  return 0;
}

/// Calls `Do(first, last)` for pieces of [0, Count), on all cores where it is much.
template <typename Work> static void inPieces(std::uint64_t Count, Work Do) {
  constexpr std::uint64_t Piece = 1 << 16;
  const std::uint64_t Cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t Threads = std::min(Cores, (Count + Piece - 1) / Piece);
  if (Threads <= 1)
    return Do(std::uint64_t(0), Count);
  std::vector<std::thread> Running;
  for (std::uint64_t I = 0; I < Threads; ++I)
    Running.emplace_back([=] { Do(Count * I / Threads, Count * (I + 1) / Threads); });
  for (std::thread &One : Running)
    One.join();
}

llvm::Error fillContent(const BufferSpec &Buffer, std::uint64_t First, llvm::MutableArrayRef<std::uint8_t> Into) {
  const std::uint64_t Size = bytesOf(Buffer.Type);
  const Initializer &Init = Buffer.Init;
  if (Init.What == Initializer::File) {
    auto File = llvm::MemoryBuffer::getFile(Init.Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!File)
      return badInput(
          fmt::format("cannot read '{}' for buffer '{}': {}", Init.Path, Buffer.Name, File.getError().message()));
    if ((*File)->getBufferSize() != Buffer.Count * Size)
      return badInput(fmt::format("'{}' has {} bytes; buffer '{}' takes {}", Init.Path, (*File)->getBufferSize(),
                                  Buffer.Name, Buffer.Count * Size));
    std::memcpy(Into.data(), (*File)->getBufferStart() + First * Size, Into.size());
    return llvm::Error::success();
  }
  const auto FillWith = [&](auto ElementAt) {
    inPieces(Into.size() / Size, [&](std::uint64_t Begin, std::uint64_t End) {
      for (std::uint64_t I = Begin; I < End; ++I) {
        const auto Value = ElementAt(First + I);
        std::memcpy(&Into[I * Size], &Value, Size);
      }
    });
  };
  if (Init.What == Initializer::RandomBits)
    FillWith([&](std::uint64_t I) { return randomBits(Init.Seed, I); });
  else
    withType(Buffer.Type, [&]<typename T>(T *) {
      FillWith([&](std::uint64_t I) {
        return Init.What == Initializer::Uniform ? uniformElement<T>(Init, I) : converted<T>(elementOf(Init, I));
      });
    });
  return llvm::Error::success();
}

template <typename T> static T elementAt(llvm::ArrayRef<std::uint8_t> Bytes, std::uint64_t Index) {
  std::array<std::uint8_t, sizeof(T)> Raw;
  std::memcpy(Raw.data(), &Bytes[Index * sizeof(T)], sizeof(T));
  return std::bit_cast<T>(Raw);
}

template <typename T>
static bool agree(llvm::ArrayRef<std::uint8_t> Expected, llvm::ArrayRef<std::uint8_t> Found, std::uint64_t Index,
                  const Tolerance &Tolerance) {
  if (std::memcmp(&Expected[Index * sizeof(T)], &Found[Index * sizeof(T)], sizeof(T)) == 0)
    return true;
  if (Tolerance.Absolute == 0 && Tolerance.Relative == 0)
    return false;
  // 64-bit integers have no room in a double.
  const auto A = static_cast<long double>(
                 static_cast<std::conditional_t<std::is_integral_v<T>, T, double>>(elementAt<T>(Expected, Index))),
             B = static_cast<long double>(
                 static_cast<std::conditional_t<std::is_integral_v<T>, T, double>>(elementAt<T>(Found, Index)));
  if (std::isnan(A) || std::isnan(B)) {
    // What nobody has stored is a NaN, too.
    const std::array<std::uint32_t, 4> Nothing = {Poison, Poison, Poison, Poison};
    const size_t At = Index * sizeof(T), Within = At % sizeof(Poison);
    const bool IsPoison =
        std::memcmp(reinterpret_cast<const char *>(Nothing.data()) + Within, &Found[At], sizeof(T)) == 0;
    return std::isnan(A) && std::isnan(B) && !IsPoison;
  }
  if (std::isinf(A) || std::isinf(B))
    return A == B;
  return A == B || std::fabs(B - A) <= Tolerance.Absolute + Tolerance.Relative * std::fabs(A);
}

template <typename T> static std::string spelled(llvm::ArrayRef<std::uint8_t> Bytes, std::uint64_t Index) {
  const T Value = elementAt<T>(Bytes, Index);
  if constexpr (std::is_integral_v<T>)
    return fmt::format("{}", +Value);
  else if constexpr (std::is_same_v<T, double>)
    return fmt::format("{:.17g}", Value);
  else
    return fmt::format("{:.9g}", static_cast<double>(Value));
}

std::optional<Difference> firstDifference(ElementType Type, const Tolerance &Tolerance,
                                          llvm::ArrayRef<std::uint8_t> Expected, llvm::ArrayRef<std::uint8_t> Found) {
  return withType(Type, [&]<typename T>(T *) -> std::optional<Difference> {
    std::mutex Lock;
    std::uint64_t First = UINT64_MAX, Count = 0;
    inPieces(Expected.size() / sizeof(T), [&](std::uint64_t Begin, std::uint64_t End) {
      if (std::memcmp(Expected.data() + Begin * sizeof(T), Found.data() + Begin * sizeof(T),
                      (End - Begin) * sizeof(T)) == 0)
        return;
      std::uint64_t Mine = UINT64_MAX, Differ = 0;
      for (std::uint64_t I = Begin; I < End; ++I)
        if (!agree<T>(Expected, Found, I, Tolerance)) {
          Mine = std::min(Mine, I);
          ++Differ;
        }
      std::lock_guard Guard(Lock);
      First = std::min(First, Mine);
      Count += Differ;
    });
    if (Count == 0)
      return std::nullopt;
    return Difference{First, spelled<T>(Expected, First), spelled<T>(Found, First), Count};
  });
}

} // namespace cufuse
