/// Two neighbours of a row, in one register.
template <typename T> __device__ __forceinline__ unsigned cufusePair(T low, T high) {
  static_assert(sizeof(T) == 2, "of two bytes each");
  struct alignas(4) {
    T first, second;
  } pair = {low, high};
  return reinterpret_cast<const unsigned &>(pair);
}

/// Sums as the array between two products would have them: a pair at a time, which is one instruction.
template <typename C, int Count>
__device__ __forceinline__ void cufuseRounded(C (&rounded)[Count], const float (&sums)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 2)
    if constexpr (sizeof(C) == 4) {
      rounded[i] = sums[i], rounded[i + 1] = sums[i + 1];
    } else {
      const auto pair = CUFUSE_PAIR(sums[i], sums[i + 1]);
      rounded[i] = pair.x, rounded[i + 1] = pair.y;
    }
}

__device__ __forceinline__ unsigned cufuseShared(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Where 16 bytes of a matrix are in shared memory, in bytes: its columns are in panels of 64, `Rows` x 128 bytes each,
/// whose rows have their pieces in an order of their own, so that eight rows of one piece are in all banks.
template <int Rows> __device__ __forceinline__ unsigned cufusePlace(int row, int piece) {
  return piece / 8 * (Rows * 128) + row * 128 + (piece % 8 ^ row % 8) * 16;
}

/// Four 8 x 8 matrices: lane i gives the address of row i % 8 of matrix i / 8.
__device__ __forceinline__ void cufuseLoadMatrices(unsigned (&matrices)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
               : "r"(address)
               : "memory");
}

/// The sums that a thread has of 16 rows of a product, as the tensor cores leave them: of every 8 columns, 2 of row
/// `lane / 4` and 2 of the row 8 below it.
template <int Columns> struct CufuseSums {
  int row;          ///< Of the first two.
  int column;       ///< The same.
  long long first;  ///< The element at that row's begin,
  long long second; ///< and at that of the other one. Rows behind the last are played as the last.
  static constexpr bool IsPower = (Columns & (Columns - 1)) == 0;

  __device__ __forceinline__ CufuseSums(int tile, int rows) {
    const int lane = threadIdx.x % 32;
    row = tile + lane / 4, column = lane % 4 * 2;
    const int most = IsPower ? 0x7fffffff / Columns : 0x7fffffff; // no row is more, and the compiler knows that
    first = 1ll * (min(row, rows - 1) & most) * Columns, second = 1ll * (min(row + 8, rows - 1) & most) * Columns;
  }

  /// The number of an element of the first row or the second. Of a power of 2, what divides it by the columns sees
  /// bits.
  __device__ __forceinline__ long long element(int h, int at) const {
    const long long begin = h ? second : first;
    return IsPower ? begin | (at & (Columns - 1)) : begin + at;
  }

  /// What comes of 16 columns from `at` on, each as `element` has it, as an operand of the next product.
  template <typename T, typename C, typename Element>
  __device__ __forceinline__ void between(unsigned (&operand)[4], const C *sums, int at, Element element) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      T values[2];
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        const int here = at + i / 2 * 8 + column + k;
        values[k] = Columns % 64 == 0 || here < Columns ? element(this->element(i % 2, here), sums[i * 2 + k])
                                                        : T(0.0f); // meets zeros, too, but might be no number
      }
      operand[i] = cufusePair(values[0], values[1]);
    }
  }

  /// Stores sums of 32 columns from `at` on, each as `element` has it: 16 bytes of a row at a time, if they are halves.
  template <typename T, typename Element>
  __device__ __forceinline__ void store(T *to, int pitch, int rows, const float *sums, int at, Element element) const {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      T *const here = to + 1ll * (row + h * 8) * pitch + at;
      T values[8];
#pragma unroll
      for (int i = 0; i < 8; ++i)
        if (at + i / 2 * 8 < Columns)
          values[i] = element(this->element(h, at + column + i / 2 * 8 + i % 2), sums[i / 2 * 4 + h * 2 + i % 2]);
      if constexpr (sizeof(T) == 4) {
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (row + h * 8 < rows && at + i * 8 < Columns)
            *reinterpret_cast<float2 *>(here + i * 8 + column) = {values[i * 2], values[i * 2 + 1]};
      } else {
        const uint4 piece = ofOneRow(cufusePair(values[0], values[1]), cufusePair(values[2], values[3]),
                                     cufusePair(values[4], values[5]), cufusePair(values[6], values[7]));
        if (row + h * 8 < rows && at + column * 4 < Columns)
          __stcs(reinterpret_cast<uint4 *>(here + column * 4), piece);
      }
    }
  }

private:
  /// Four lanes have pairs of four times 8 columns by turns; then each has 8 columns.
  static __device__ __forceinline__ uint4 ofOneRow(unsigned a, unsigned b, unsigned c, unsigned d) {
    const bool odd = threadIdx.x & 1, upper = threadIdx.x & 2;
    const unsigned near0 = upper ? c : a, near1 = upper ? d : b;
    const unsigned far0 = __shfl_xor_sync(0xffffffff, upper ? a : c, 2);
    const unsigned far1 = __shfl_xor_sync(0xffffffff, upper ? b : d, 2);
    const unsigned ownNear = odd ? near1 : near0, ownFar = odd ? far1 : far0;
    const unsigned nextNear = __shfl_xor_sync(0xffffffff, odd ? near0 : near1, 1);
    const unsigned nextFar = __shfl_xor_sync(0xffffffff, odd ? far0 : far1, 1);
    const unsigned low0 = upper ? ownFar : ownNear, low1 = upper ? nextFar : nextNear;
    const unsigned high0 = upper ? ownNear : ownFar, high1 = upper ? nextNear : nextFar;
    return odd ? uint4{low1, low0, high1, high0} : uint4{low0, low1, high0, high1};
  }
};
