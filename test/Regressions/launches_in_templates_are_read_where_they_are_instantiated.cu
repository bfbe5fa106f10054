// The configuration of a launch may have no type before its template is instantiated, and a variable may be initialised with
// itself.
// RUN: %cufuse inspect --full %s | %FileCheck %s
// CHECK: launched with not constant, not constant, 32x2, not constant, 64x4, not constant
template <typename T> struct Part {
  T *at;
  int n;
  const int m;
};
__global__ void set(Part<int> part) { part.at[threadIdx.x] = 1; }

template <typename T> void dependent(int n) {
  Part<T> part{nullptr, n, 4};
  dim3 grid(part.n);
  dim3 block(part.n / 4, part.m, 3);
  set<<<grid, block>>>(part);
}
template <typename T> void ofType(Part<int> part) {
  T block(32, 2);
  set<<<1, block>>>(part);
}
template void ofType<dim3>(Part<int>);

void itself(Part<int> part) {
  dim3 block(block);
  set<<<1, block>>>(part);
  const int size = 64;
  set<<<1, dim3(size, size / 16)>>>(part);
  unsigned __int128 wide = 1;
  set<<<1, wide << 80>>>(part);
}
