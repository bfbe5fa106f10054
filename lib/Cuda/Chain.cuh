/// E = g(CUFUSE_ROWS D), where f and g are the kernels between and behind the products: each is given an element's sum.
__device__ __forceinline__ void CUFUSE_NAME(CUFUSE_HEAD) {
  const auto between = [&](const long long first, CUFUSE_SUMS) {
    CUFUSE_BETWEEN;
    return CUFUSE_TAKEN;
  };
  const auto behind = [&](const long long first, const float sum) {
    CUFUSE_BEHIND;
    return CUFUSE_RESULT;
  };
  using Products = CUFUSE_PRODUCTS;
  static_assert(Products::Threads == CUFUSE_THREADS && Products::Bytes == CUFUSE_BYTES, "as it is launched");
#ifdef CUFUSE_MASKED
  const auto masked = [&](auto row, auto column) {
    using Number = decltype(row);
    return CUFUSE_MASKED;
  };
#endif
  CUFUSE_RUN;
}
