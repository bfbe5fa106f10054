/// What is computed where CUFUSE_NODE loads elements, for each of them once.
struct CUFUSE_TYPE {
  CUFUSE_FIELDS;
  long long elements;
  // Of the last element:
  CUFUSE_VALUES;
#ifdef CUFUSE_LOADED_AGAIN
  long long last = -0x7fffffffffffffff; // none
#endif
  __device__ __forceinline__ void make(const long long element) {
#ifdef CUFUSE_SEVERAL
    const bool isMade = element == last;
    last = element; // whatever it was: the compiler sees that the next load finds it
    if (isMade)
      return;
#endif
    CUFUSE_CALLS;
  }
};
