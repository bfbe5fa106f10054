// Stands in for the CUDA toolkit's header of this name: matrix instructions of a warp. Which lane has which element of a
// fragment is not specified; here it is not what any device does.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

enum layout_t { mem_row_major, mem_col_major };
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
namespace precision {
struct tf32 {};
} // namespace precision

namespace emulated {

template <typename T> struct Element {
  using Type = T;
};
template <> struct Element<precision::tf32> {
  using Type = float;
};

/// Rows and columns of what a fragment holds of the product of M x K by K x N.
template <typename Use, int M, int N, int K> struct Shape;
template <int M, int N, int K> struct Shape<matrix_a, M, N, K> {
  static constexpr int Rows = M, Columns = K;
};
template <int M, int N, int K> struct Shape<matrix_b, M, N, K> {
  static constexpr int Rows = K, Columns = N;
};
template <int M, int N, int K> struct Shape<accumulator, M, N, K> {
  static constexpr int Rows = M, Columns = N;
};

/// CUDA C++ Programming Guide, Warp Matrix Functions, Element Types and Matrix Sizes.
template <typename T> constexpr bool isShape(int m, int n, int k) {
  const bool square = m == 16 && n == 16;
  if (std::is_same_v<T, precision::tf32>)
    return square && k == 8;
  if (std::is_same_v<T, double>)
    return m == 8 && n == 8 && k == 4;
  const bool wide = k == 16 && (square || (m == 32 && n == 8) || (m == 8 && n == 32));
  return wide || (std::is_same_v<T, float> && square && k == 8);
}

} // namespace emulated

template <typename Use, int M, int N, int K, typename T, typename Layout = void> class fragment {
  static_assert(emulated::isShape<T>(M, N, K), "no shape of a matrix instruction, or one that is not emulated");

public:
  using element_type = typename emulated::Element<T>::Type;
  using storage_element_type = element_type;
  using Matrix = emulated::Shape<Use, M, N, K>;
  enum { num_elements = Matrix::Rows * Matrix::Columns / 32, num_storage_elements = num_elements };
  element_type x[num_elements];

  /// Calls use(element, row, column) for what the lane has.
  template <typename ForElement> void forEach(unsigned lane, ForElement use) {
    for (int i = 0; i < num_elements; ++i) {
      const int place = i * 32 + static_cast<int>(lane);
      use(x[i], place / Matrix::Columns, place % Matrix::Columns);
    }
  }
};

namespace emulated {

/// All lanes come; `finish` sees what each of them gave the address of.
inline void together(const char *name, cuda_emulated::Finish finish, const void *given) {
  cuda_emulated::exchange(name, ~0u, finish, reinterpret_cast<unsigned long long>(given));
}
inline void allCome(cuda_emulated::Exchange &e) { requireWholeWarp(e, "wmma"); }

inline std::size_t place(int row, int column, unsigned leading, bool rowMajor, std::size_t bytes) {
  if (leading * bytes % 16)
    cuda_emulated::fail("wmma: %u elements from one row to the next are not a multiple of 16 bytes", leading);
  return rowMajor ? std::size_t(row) * leading + column : std::size_t(column) * leading + row;
}
template <typename Fragment, typename T> void load(Fragment &f, const T *from, unsigned leading, bool rowMajor) {
  together("wmma::load_matrix_sync", allCome, nullptr);
  f.forEach(cuda_emulated::lane(), [&](auto &element, int row, int column) {
    element = from[place(row, column, leading, rowMajor, sizeof(T))];
  });
}

/// What a product takes of a value: of a tf32 number, only 10 bits of the mantissa.
template <typename T, typename Value> Value factor(Value value) {
  if constexpr (std::is_same_v<T, precision::tf32>)
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, value) & 0xffffe000u);
  return value;
}
template <typename T> struct Sum { // of products of T
  using Type =
      std::conditional_t<std::is_same_v<T, double>, double, std::conditional_t<std::is_integral_v<T>, int, float>>;
};

template <typename D, typename A, typename B, typename C> struct Operands {
  D *d;
  const A *a;
  const B *b;
  const C *c;
};

template <int M, int N, int K, typename T, typename D, typename A, typename B, typename C>
void multiply(cuda_emulated::Exchange &e) {
  requireWholeWarp(e, "wmma::mma_sync");
  using Total = typename Sum<T>::Type;
  static Total a[M][K], b[K][N], sum[M][N];
  const auto operands = [&](unsigned lane) { return reinterpret_cast<Operands<D, A, B, C> *>(e.value[lane]); };
  const auto gather = [](auto fragment, unsigned lane, auto take) {
    fragment.forEach(lane, [&](auto &element, int row, int column) { take(static_cast<Total>(element), row, column); });
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    gather(*operands(lane)->a, lane, [&](Total value, int row, int k) { a[row][k] = factor<T>(value); });
    gather(*operands(lane)->b, lane, [&](Total value, int k, int column) { b[k][column] = factor<T>(value); });
    gather(*operands(lane)->c, lane, [&](Total value, int row, int column) { sum[row][column] = value; });
  }
  for (int row = 0; row < M; ++row)
    for (int column = 0; column < N; ++column)
      for (int k = 0; k < K; ++k)
        sum[row][column] += a[row][k] * b[k][column];
  for (unsigned lane = 0; lane < 32; ++lane)
    operands(lane)->d->forEach(
        lane, [&](auto &element, int row, int column) { element = std::decay_t<decltype(element)>(sum[row][column]); });
}

} // namespace emulated

template <typename Use, int M, int N, int K, typename T, typename Layout, typename Value>
void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const Value &value) {
  for (auto &element : f.x)
    element = value;
}
template <typename Use, int M, int N, int K, typename T, typename Layout, typename Source>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const Source *from, unsigned leading) {
  emulated::load(f, from, leading, std::is_same_v<Layout, row_major>);
}
template <int M, int N, int K, typename T>
void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned leading, layout_t layout) {
  emulated::load(f, from, leading, layout == mem_row_major);
}
template <int M, int N, int K, typename T>
void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned leading, layout_t layout) {
  emulated::together("wmma::store_matrix_sync", emulated::allCome, nullptr);
  auto copy = f;
  copy.forEach(cuda_emulated::lane(), [&](T element, int row, int column) {
    to[emulated::place(row, column, leading, layout == mem_row_major, sizeof(T))] = element;
  });
}
template <int M, int N, int K, typename T, typename LayoutA, typename LayoutB, typename D, typename C>
void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LayoutA> &a,
              const fragment<matrix_b, M, N, K, T, LayoutB> &b, const fragment<accumulator, M, N, K, C> &c) {
  using FragmentD = fragment<accumulator, M, N, K, D>;
  using FragmentC = fragment<accumulator, M, N, K, C>;
  using A = fragment<matrix_a, M, N, K, T, LayoutA>;
  using B = fragment<matrix_b, M, N, K, T, LayoutB>;
  const emulated::Operands<FragmentD, A, B, FragmentC> given{&d, &a, &b, &c};
  emulated::together("wmma::mma_sync", emulated::multiply<M, N, K, T, FragmentD, A, B, FragmentC>, &given);
}

inline float __float_to_tf32(float value) {
  const unsigned bits = __builtin_bit_cast(unsigned, value);
  return __builtin_bit_cast(float, (bits + 0xfff + (bits >> 13 & 1)) & 0xffffe000u);
}

} // namespace wmma
} // namespace nvcuda
