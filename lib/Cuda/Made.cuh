/// What is computed where CUFUSE_NODE loads elements, for each of them once.
struct CUFUSE_TYPE {
  CUFUSE_FIELDS;
  long long elements;
  // Of the last element:
  CUFUSE_VALUES;
  long long last = -0x7fffffffffffffff; // none
  __device__ __forceinline__ void make(const long long element) {
    const bool isMade = element == last; // or it is loaded once more
    last = element;                      // whatever it was: the compiler sees that the next load finds it
    if (isMade)
      return;
    CUFUSE_CALLS;
  }
};
