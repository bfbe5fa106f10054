// What stands between two launches must be known to leave memory as it is, and two arguments are linked only if they are one
// value, whatever way they take.
// RUN: %python %S/Inputs/launch_cases.py %cufuse %s %t.cu

// Between them, something may store or load what the kernels do: they are no chain.
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); t[0] = 100; shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); normalise(t, n); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); if (t[0] > 3) n = 5; shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); int m = t[1]; shift<<<GRID>>>(t, y, m);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); shift<<<GRID>>>(t, y, std::max(t[1], 4.f));
// CASE: : auto fix = [=] { t[1] = 0; }; scale<<<GRID>>>(x, t, 2.f, n); fix(); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); std::fill(t, t + n / 2, 0.f); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); elsewhere(); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); cudaStreamWaitEvent(0, event, 0); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); s->step(); shift<<<GRID>>>(t, y, n);
// CASE: : { Guard g; scale<<<GRID>>>(x, t, 2.f, n); } shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); again: shift<<<GRID>>>(t, y, n); if (n < 0) goto again;
// CASE: : if (n) { scale<<<GRID>>>(x, t, 2.f, n); t[0] = 1; shift<<<GRID>>>(t, y, n); return; }
// CASE: : std::function<void()> f = elsewhere; scale<<<GRID>>>(x, t, 2.f, n); f(); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); while (!ready); shift<<<GRID>>>(t, y, n);
// CASE: : try { scale<<<GRID>>>(x, t, 2.f, n); if (n) { t[0] = 1; throw 1; } } catch (int) {} shift<<<GRID>>>(t, y, n);
// CASE: : { std::unique_ptr<Guard> g; scale<<<GRID>>>(x, t, 2.f, n); } shift<<<GRID>>>(t, y, n);
// CASE: : { std::unique_ptr<float, Empties> g(t); scale<<<GRID>>>(x, t, 2.f, n); } shift<<<GRID>>>(t, y, n);
// CASE: : { std::shared_ptr<float> g(t, Empties()); scale<<<GRID>>>(x, t, 2.f, n); } shift<<<GRID>>>(t, y, n);
// CASE: : { const Guard &g = Guard(); scale<<<GRID>>>(x, t, 2.f, n); } shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); Begun b; shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); table[n] = 1; shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); inMode(Mode::fast); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); mayBeAnother(t); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); managed = 1; shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); shift<<<GRID>>>(t, y, managed);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); s->drawn(); shift<<<GRID>>>(t, y, n);
// CASE: : cudaMemcpy3DParms p{}; scale<<<GRID>>>(x, t, 2.f, n); cudaMemcpy3D(&p); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); std::invoke(&Layer::step, s); shift<<<GRID>>>(t, y, n);
// CASE: : { Clears c(t); scale<<<GRID>>>(x, t, 2.f, n); } shift<<<GRID>>>(t, y, n);
// CASE: : { Holder h{Clears(t)}; scale<<<GRID>>>(x, t, 2.f, n); } shift<<<GRID>>>(t, y, n);
// CASE: : (Clears(t), scale<<<GRID>>>(x, t, 2.f, n)); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); Fills f(t); shift<<<GRID>>>(t, y, n);
// CASE: : Refers r{*t}; scale<<<GRID>>>(x, t, 2.f, n); r.value = 1; shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); cudaEventElapsedTime(t, event, event); shift<<<GRID>>>(t, y, n);

// What has no such effect.
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); cudaDeviceSynchronize(); check(cudaGetLastError()); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); if (cudaGetLastError()) { std::cerr << n; exit(1); } shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) { elsewhere(); t[0] = 1; } shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); if (cudaDeviceSynchronize()) elsewhere(); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); if (cudaGetLastError() == cudaSuccess) elsewhere(); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); if (cudaGetLastError() != cudaErrorNotReady) elsewhere(); shift<<<GRID>>>(t, y, n);
// CASE: : enum OwnStatus { Bad, Good } own = Good; scale<<<GRID>>>(x, t, 2.f, n); if (own) elsewhere(); shift<<<GRID>>>(t, y, n);
// CASE: : scale<<<GRID>>>(x, t, 2.f, n); if (cudaGetLastError()) n = 3; else elsewhere(); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: DO(scale<<<GRID>>>(x, t, 2.f, n)); DO(shift<<<GRID>>>(t, y, n));
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, s->get(), 2.f, n); int m = std::min(n, 4); (void)m; shift<<<GRID>>>(s->get(), y, n);
// CASE: scale.out=shift.in scale.n=shift.n: for (; n > 0; n /= 2) { float *now = s->t; scale<<<GRID>>>(x, now, 2.f, n); shift<<<GRID>>>(now, y, n); }
// CASE: scale.n=shift.n: const int m = n; scale<<<GRID>>>(x, t, 2.f, m); n = 7; shift<<<GRID>>>(u, y, m);
// CASE: scale.out=shift.in scale.n=shift.n: const size_t m = n; scale<<<GRID>>>(x, t, 2.f, m); shift<<<GRID>>>((const float *)(void *)t, y, n);

// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); cudaFuncSetAttribute(shift, cudaFuncAttributePreferredSharedMemoryCarveout, 0); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t + 4 * n, 2.f, n); shift<<<GRID>>>(t + 4 * n, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); s->t = u; shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: { Range r("first"); scale<<<GRID>>>(x, t, 2.f, n); } Range r(std::string("second"), n); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: { Holds h; scale<<<GRID>>>(x, t, 2.f, n); } shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); cudaMemPrefetchAsync(t, 4, {}, 0); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: float ms[2]; scale<<<GRID>>>(x, t, 2.f, n); cudaEventElapsedTime(&ms[1], event, event); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: int m; scale<<<GRID>>>(x, t, 2.f, n); cudaOccupancyMaxActiveBlocksPerMultiprocessor(&m, shift, 256, 0); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: float ms; scale<<<GRID>>>(x, s->t, 2.f, n); cudaEventElapsedTime(&ms, event, event); shift<<<GRID>>>(s->t, y, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); cudaEventCreate(&s->event); shift<<<GRID>>>(t, y, n);

// Other values.
// CASE: scale.out=shift.in: for (int m = n; m < 9; ++m) { scale<<<GRID>>>(x, t, 2.f, m); shift<<<GRID>>>(t, y, n); }
// CASE: scale.out=shift.in: for (int m = n; m < 9;) { scale<<<GRID>>>(x, t, 2.f, m); shift<<<GRID>>>(t, y, n); m += 2; }
// CASE: scale.out=shift.in: int m = n; while (m < 9) { scale<<<GRID>>>(x, t, 2.f, m); shift<<<GRID>>>(t, y, n); m += 2; }
// CASE: scale.out=shift.in: int m = n; if (m < 9) m = 9; scale<<<GRID>>>(x, t, 2.f, m); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in: int m = n; switch (n) { case 1: m = 3; case 2: scale<<<GRID>>>(x, t, 2.f, m); shift<<<GRID>>>(t, y, n); }
// CASE: scale.n=shift.n: scale<<<GRID>>>(x, s->next(), 2.f, n); shift<<<GRID>>>(s->next(), y, n);
// CASE: scale.n=shift.n: Layer &l = *s; scale<<<GRID>>>(x, l.t, 2.f, n); s->t = u; shift<<<GRID>>>(l.t, y, n);
// CASE: scale.n=shift.n: float **now = &t; scale<<<GRID>>>(x, t, 2.f, n); *now = u; shift<<<GRID>>>(t, y, n);
// CASE: scale.n=shift.n: float *const &now = t; scale<<<GRID>>>(x, now, 2.f, n); t = u; shift<<<GRID>>>(now, y, n);
// CASE: scale.n=shift.n: scale<<<GRID>>>(x, s->t, 2.f, n); shift<<<GRID>>>(s->Stage::t, y, n);
// CASE: scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); cudaMalloc(&t, 4); shift<<<GRID>>>(t, y, n);
// CASE: scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); t = u; shift<<<GRID>>>(t, y, n);
// CASE: scale.n=shift.n: float *b = t; t = u; scale<<<GRID>>>(x, t, 2.f, n); shift<<<GRID>>>(b, y, n);
// CASE: scale.n=shift.n: float *b = s->t; s->t = u; scale<<<GRID>>>(x, s->t, 2.f, n); shift<<<GRID>>>(b, y, n);
// CASE: scale.n=shift.n: scale<<<GRID>>>(x, t, 2.f, n); shift<<<GRID>>>(t + 1, y, n);
// CASE: scale.n=shift.n: float *b = t; for (; n > 0; t += n) { scale<<<GRID>>>(x, t, 2.f, n); shift<<<GRID>>>(b, y, n); }
// CASE: scale.out=shift.in: const unsigned char level = n; scale<<<GRID>>>(x, t, 2.f, level); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in: scale<<<GRID>>>(x, t, 2.f, s->n); cudaMalloc(&s->t, 4); shift<<<GRID>>>(t, y, s->n);
// CASE: scale.out=shift.in: scale<<<GRID>>>(x, t, 2.f, (short)n); shift<<<GRID>>>(t, y, n);
// CASE: scale.out=shift.in: int m = n; do { if (n > 9) break; m = 9; } while (0); scale<<<GRID>>>(x, t, 2.f, n); shift<<<GRID>>>(t, y, m);
// CASE: scale.out=shift.in: scale<<<GRID>>>(x, t, 2.f, n); level(t, y, n);
// CASE: scale.n=shift.n: float *a = s->make(); float *b = s->make(); scale<<<GRID>>>(x, a, 2.f, n); shift<<<GRID>>>(b, y, n);
// CASE: scale.n=shift.n: float *a = s->take(), *b = s->take(); scale<<<GRID>>>(x, a, 2.f, n); shift<<<GRID>>>(b, y, n);
// CASE: scale.n=shift.n: float **p = &t; int i = 0; float *a = p[i], *c = p[++i], *b = p[i]; scale<<<GRID>>>(x, a, 2.f, n); shift<<<GRID>>>(b, c, n);
// CASE: scale.out=shift.in scale.n=shift.n: scale<<<GRID>>>(x, s->own(), 2.f, n); shift<<<GRID>>>(s->own(), y, n);
// CASE: scale.out=shift.in: scale<<<GRID>>>(x, t, 2.f, n); n = 3; shift<<<GRID>>>(t, y, n);
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_profiler_api.h>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#define GRID 4, 256
#define DO(CALL)                                                                                                       \
  do {                                                                                                                 \
    CALL;                                                                                                              \
    if (cudaGetLastError() != cudaSuccess)                                                                             \
      throw 1;                                                                                                         \
  } while (0)
__managed__ int managed;
volatile bool ready;
struct Stage {
  float *t;
};
struct Layer : Stage {
  float *t;
  cudaEvent_t event;
  int n;
  static int count;
  void step();
  virtual int drawn() const { return 0; }
  float *next() const { return t + count++; }
  float *get() const { return t; }
  float *own() { return t; }
  float *take() const { return t + n * count++; }
  float *make() const {
    void *memory = nullptr;
    cudaMalloc(&memory, n);
    return static_cast<float *>(memory);
  }
};
struct Empties {
  void operator()(float *p) const { cudaMemset(p, 0, 4); }
};
struct Guard {
  ~Guard();
};
struct Clears {
  float *t;
  explicit Clears(float *t) : t(t) {}
  ~Clears() { *t = 0; }
};
struct Holder {
  Clears c;
};
struct Fills {
  explicit Fills(float *t) { *t = 0; }
};
struct Refers {
  float &value;
};
struct Range {
  explicit Range(const char *name) { std::printf("%s", name); }
  Range(const std::string &name, int number) { std::printf("%s", (name + std::to_string(number)).c_str()); }
  ~Range() { cudaProfilerStop(); }
};
struct Holds {
  std::vector<int> numbers;
  Range range{"of a member"};
};
int begins();
struct Begun {
  int at = begins();
};
float table[100];
enum class Mode { fast };
void inMode(Mode mode);
void elsewhere();
__attribute__((weak)) void mayBeAnother(float *) {}
void check(cudaError_t error);
void normalise(float *t, int n) {
  for (int i = 0; i < n; ++i)
    t[i] /= n;
}
// For each case.
__global__ void scale(const float *__restrict__ in, float *__restrict__ out, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a * in[i];
}
__global__ void shift(const float *__restrict__ in, float *__restrict__ out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1.f;
}
void level(float *t, float *y, short m) { shift<<<GRID>>>(t, y, m); }
void run(float *x, float *t, float *u, float *y, int n, Layer *s, cudaEvent_t event) { CASE }
