// Elements that a thread loads and stores at once.
#pragma once

/// 16 bytes of them.
template <typename T> struct alignas(16) Vector {
  static constexpr int size = 16 / sizeof(T);
  T elements[size];

  __device__ __forceinline__ float operator[](int k) const { return static_cast<float>(elements[k]); }
};

/// f of each element's number.
template <typename T, typename Function> __device__ __forceinline__ Vector<T> vectorOf(Function f) {
  Vector<T> result;
#pragma unroll
  for (int k = 0; k < Vector<T>::size; ++k)
    result.elements[k] = static_cast<T>(f(k));
  return result;
}
