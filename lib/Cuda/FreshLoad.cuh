/// For `__ldg`: by the cache that has what another kernel of the launch has stored.
template <typename T> __device__ __forceinline__ T cufuse_ldg(const T *p) { return *p; }
