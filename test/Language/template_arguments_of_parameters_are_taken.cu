// The types of parameters may have any declaration among their template arguments, and those of the classes around them:
// the header has it, too.
// RUN: %cufuse fuse %s:ofEnumerator %s:ofFunction %s:ofMember %s:ofReference %s:ofPointer %s:ofTemplate --block 32 --block 32 \
// RUN:   --block 32 --block 32 --block 32 --block 32 --name values -o %t.values.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.values.cu
// RUN: %cufuse fuse %s:ofSize %s:ofLetter %s:ofShort %s:ofLong %s:ofLeast %s:ofMany --block 32 --block 32 --block 32 \
// RUN:   --block 32 --block 32 --block 32 --name numbers -o %t.numbers.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.numbers.cu
// RUN: %cufuse fuse %s:inner %s:packed %s:tuple %s:named --block 32 --block 32 --block 32 --block 32 --name types -o %t.types.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.types.cu
// RUN: %cufuse fuse %s:ofThreads %s:inner --block 32 --block 32 --name threads -o %t.threads.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.threads.cu
// RUN: %cufuse fuse %s:ofBarriers %s:inner --block 32 --block 32 --name barriers -o %t.barriers.cu
// RUN: %nvcc -Werror all-warnings -arch=sm_90a -cubin -o %t.cubin %t.barriers.cu
enum class Mode { Up, Down };
template <auto Value> struct Constant {
  int x;
};
__global__ void ofEnumerator(Constant<Mode::Down> c, int *out) { out[threadIdx.x] = c.x; }

// `auto` tells types apart, not only numbers.
__global__ void ofSize(Constant<sizeof(int)> c, int *out) { out[threadIdx.x] = c.x; }
__global__ void ofLetter(Constant<'a'> c, int *out) { out[threadIdx.x] = c.x; }
__global__ void ofShort(Constant<short(-3)> c, int *out) { out[threadIdx.x] = c.x; }
__global__ void ofLong(Constant<5l> c, int *out) { out[threadIdx.x] = c.x; }
__global__ void ofLeast(Constant<-9223372036854775807l - 1> c, int *out) { out[threadIdx.x] = c.x; }
template <auto Value> __global__ void ofMany(Constant<Value> c, decltype(Value) *out) { out[threadIdx.x] = c.x; }
template __global__ void ofMany<7ull>(Constant<7ull>, unsigned long long *);

__device__ int twice(int x) { return 2 * x; }
__device__ float twice(float x) { return 2 * x; }
template <int (*Function)(int)> struct Apply {
  int x;
  __device__ int operator()() const { return Function(x); }
};
__global__ void ofFunction(Apply<twice> c, int *out) { out[threadIdx.x] = c(); }
__device__ int rank(int x) { return x + threadIdx.x; }
__device__ int met(int x) { return __syncthreads_count(x); }
__global__ void ofBarriers(Apply<met> c, int *out) { out[threadIdx.x] = c(); }
__global__ void ofThreads(Apply<rank> c, int *out) { out[threadIdx.x] = c(); }

struct Scale {
  int by;
  __device__ int of(int x) const { return by * x; }
};
template <int (Scale::*Member)(int) const> struct Call {
  int x;
};
__global__ void ofMember(Call<&Scale::of> c, int *out) {
  Scale twice{2};
  out[threadIdx.x] = twice.of(c.x);
}

inline constexpr int limit = 5;
template <const int &Reference> struct Referring {
  int x;
};
template <const int *Pointer> struct Pointing {
  int x;
};
__global__ void ofReference(Referring<limit> c, int *out) { out[threadIdx.x] = c.x; }
__global__ void ofPointer(Pointing<&limit> c, int *out) { out[threadIdx.x] = c.x; }

template <class T> struct Vector {
  T v;
};
template <> struct Vector<short> {
  int v;
};
template <template <class> class Container> struct Holder {
  Container<short> c;
};
__global__ void ofTemplate(Holder<Vector> c, int *out) { out[threadIdx.x] = c.c.v; }

struct Element {
  int x;
};
template <class T> struct Outer {
  struct Inner {
    int x;
  };
};
template <class... T> struct Pack {
  int n;
};
__global__ void inner(Outer<Element>::Inner p, int *out) { out[threadIdx.x] = p.x; }
__global__ void packed(Pack<int, Element> p, int *out) { out[threadIdx.x] = p.n; }

template <class... T> struct Tuple;
template <> struct Tuple<> {};
template <class Head, class... Tail> struct Tuple<Head, Tail...> : Tuple<Tail...> {
  Head head;
};
using Two = Tuple<Element, Outer<Element>::Inner>;
__global__ void tuple(Tuple<Element, Element> t, int *out) { out[threadIdx.x] = t.head.x; }
__global__ void named(const Two *t, int *out) { out[threadIdx.x] = t->head.x; }
