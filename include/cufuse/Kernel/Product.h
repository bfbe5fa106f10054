// A product of matrices among kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cufuse {

/// Rows of a matrix that are windows of `Size` x `Size` pixels, by rows, each round a pixel of images of `Height` x
/// `Width`: what is stored are the images, all channels of a pixel next to each other. Outside of them is zero.
struct ImageWindows {
  std::int64_t Height = 0, Width = 0, Size = 0, Channels = 0; ///< Size 0: the matrix is stored itself.
  bool operator==(const ImageWindows &) const = default;
};

/// C = A B, with sums in single precision. Arrays have no space between elements of a row. How many rows A and C have,
/// the launch says.
struct ProductFacts {
  std::int64_t N = 0, K = 0;                       ///< Columns of C and of A.
  bool InRows = true;                              ///< B is stored as K rows of N; else as N rows of K.
  std::int64_t PitchA = 0, PitchB = 0, PitchC = 0; ///< Elements from one row's begin to the next's.
  std::string Type, Result;                        ///< Of the elements of A and B, and of C, in C++.
  ImageWindows Windows = {};                       ///< Those that A has as rows; there is no pitch then.
  std::int64_t Rows = 0; ///< So many rows of A share a B, one of those that follow each other; 0: all do.
  /// A's rows are the softmax of rows with elements of this type, which are taken in its place; empty: A is taken.
  std::string Softmax = {};
  float Scale = 1;           ///< Before that softmax.
  std::string ScaledBy = {}; ///< A further factor, its parameter; empty: none.

  /// Stored next to each other.
  std::int64_t columnsOfA() const { return Windows.Size > 0 ? Windows.Channels : K; }

  /// The value of a parameter, where it is known.
  std::optional<std::int64_t> known(std::string_view Parameter) const {
    return Parameter == "n" ? std::optional(N) : Parameter == "k" ? std::optional(K) : std::nullopt;
  }
};

} // namespace cufuse
