/// An element in a register, as it would be in memory: it is rounded, and nothing that is computed from it is
/// contracted with what it comes from.
template <typename Value> __device__ __forceinline__ void cufuseAsStored(Value &element) {
  unsigned words[(sizeof(Value) + 3) / 4] = {};
  memcpy(words, &element, sizeof(Value));
#pragma unroll
  for (unsigned &word : words)
    // Halves that are put together again: no instruction, but ptxas contracts nothing across it.
    asm("{ .reg .b16 low, high; mov.b32 {low, high}, %0; mov.b32 %0, {low, high}; }" : "+r"(word));
  memcpy(&element, words, sizeof(Value));
}
