/// In place of a pointer to `T`: what it leads to, `Kind` says.
template <typename T, typename Kind> struct cufuse_pointer {
  Kind of;
  __device__ __forceinline__ decltype(auto) operator[](long long index) const { return of.template at<T>(index); }
  __device__ __forceinline__ decltype(auto) operator*() const { return of.template at<T>(0); }
#ifdef CUFUSE_MOVES
  __device__ __forceinline__ cufuse_pointer operator+(long long by) const { return {of.template moved<T>(by)}; }
  __device__ __forceinline__ cufuse_pointer operator-(long long by) const { return *this + -by; }
  __device__ __forceinline__ cufuse_pointer &operator+=(long long by) { return *this = *this + by; }
  __device__ __forceinline__ cufuse_pointer &operator-=(long long by) { return *this = *this - by; }
  __device__ __forceinline__ cufuse_pointer &operator++() { return *this += 1; }
  __device__ __forceinline__ cufuse_pointer &operator--() { return *this -= 1; }
  __device__ __forceinline__ cufuse_pointer operator++(int) { return ++*this - 1; }
  __device__ __forceinline__ cufuse_pointer operator--(int) { return --*this + 1; }
#endif
};
