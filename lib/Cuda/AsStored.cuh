/// An element in a register, as it would be in memory: it is rounded, and nothing that is computed from it is
/// contracted with what it comes from.
template <typename Value> __device__ __forceinline__ void cufuseAsStored(Value &element) {
  unsigned words[(sizeof(Value) + 3) / 4] = {};
  memcpy(words, &element, sizeof(Value));
#pragma unroll
  for (unsigned &word : words)
    asm("" : "+r"(word));
  memcpy(&element, words, sizeof(Value));
}
