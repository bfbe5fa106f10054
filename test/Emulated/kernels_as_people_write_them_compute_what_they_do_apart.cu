// Rows of a pitch, a counter that all threads of the grid share, a thread a row, rows over the grid, loops that no text
// can go on from, iterators, numbers that are divided twice: fused, and refused where one thing is otherwise.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:brighten %s:negative --link brighten.image=negative.image --link brighten.width=negative.width \
// RUN:   --link brighten.height=negative.height --link brighten.pitch=negative.pitch --block 16x4 --name pitched \
// RUN:   -o %t/pitched.cu 2>&1 | FileCheck %s --check-prefix=PITCHED
// PITCHED: a thread its part of every kernel: {{.*}} It can be launched with brighten.width <= brighten.pitch alone.
// RUN: %exits 1 %cufuse fuse %s:brighten %s:skewed --link brighten.image=skewed.image --link brighten.width=skewed.width \
// RUN:   --link brighten.height=skewed.height --link brighten.pitch=skewed.pitch --block 16x4 -o %t/no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=SKEWED
// SKEWED: in turn: a block may use what another kernel stores
// RUN: %cufuse fuse %s:addAll %s:twiceAll --link addAll.out=twiceAll.in --link addAll.n=twiceAll.n --distinct --block 64 \
// RUN:   --in-registers --name counted -o %t/counted.cu
// RUN: %cufuse inspect --full %s | FileCheck %s --check-prefix=COUNTED
// COUNTED-LABEL: {{^}}addOthers(
// COUNTED: not pointwise    {{.*}}: 'base < m' depends on the thread
// COUNTED-LABEL: {{^}}addBase(
// COUNTED: not pointwise    {{.*}}: 'base' depends on the thread
// COUNTED-LABEL: {{^}}loadBase(
// COUNTED: not pointwise    {{.*}}: the index of 'in[base]' depends on the thread
// RUN: %cufuse fuse %s:sums %s:normRow --link sums.out=normRow.in --link normRow.rows*columns=sums.n --distinct --block 64 \
// RUN:   --name threads -o %t/threads.cu 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: a block its part of every kernel: sums, then normRow.
// RUN: %cufuse fuse %s:sums %s:overGrid --link sums.out=overGrid.in --distinct --block 64 --name grids -o %t/grids.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=GRIDS
// GRIDS: a block its part of every kernel: sums, then overGrid.
// RUN: %cufuse fuse %s:overGrid %s:byWhile --link overGrid.out=byWhile.in --link overGrid.columns=byWhile.columns --distinct \
// RUN:   --block 64 --name loops -o %t/loops.cu 2>&1 | FileCheck %s --check-prefix=LOOPS
// LOOPS: a block its part of every kernel: overGrid, then byWhile.
// RUN: %cufuse fuse %s:twiceOf %s:plusOf --link twiceOf.out=plusOf.in --link twiceOf.n=plusOf.n --distinct --block 64 \
// RUN:   --name ranges -o %t/ranges.cu 2>&1 | FileCheck %s --check-prefix=RANGES
// RANGES: note: in memory, since in registers {{.*}}: twiceOf: what must change in a declaration is not written in one piece
// RANGES: a thread its part of every kernel: twiceOf, then plusOf. In memory: twiceOf.out.
// RUN: %exits 1 %cufuse fuse %s:twiceOf %s:plusOf --link twiceOf.out=plusOf.in --link twiceOf.n=plusOf.n --distinct --block 64 \
// RUN:   --in-registers -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=ITERATORS
// ITERATORS: [UneditableText]
// RUN: %exits 1 %cufuse fuse %s:twiceOf %s:backwards --link twiceOf.out=backwards.in --link twiceOf.n=backwards.n --distinct \
// RUN:   --block 64 -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=BACKWARDS
// BACKWARDS: error
// RUN: %cufuse fuse %s:meanOfGroup %s:without --link meanOfGroup.mean=without.mean --link meanOfGroup.x=without.x \
// RUN:   --distinct --block 64 --name groups -o %t/groups.cu 2>&1 | FileCheck %s --check-prefix=GROUPS
// GROUPS: a block its part of every kernel: meanOfGroup, then without.
// RUN: %cufuse fuse %s:push %s:drag --link push.v=drag.v --link push.n=drag.n --distinct --block 16x4 --name members \
// RUN:   -o %t/members.cu 2>&1 | FileCheck %s --check-prefix=MEMBERS
// MEMBERS: a thread its part of every kernel: push, then drag.
// RUN: %exits 1 %cufuse fuse %s:push %s:turned --link push.v=turned.v --link push.n=turned.n --distinct --block 16x4 \
// RUN:   -o %t/no.cu 2>&1 | FileCheck %s --check-prefix=TURNED
// TURNED: in turn: a block may use what another kernel stores
// Members of an element may be as far apart as the launch has threads.
// RUN: %cufuse fuse %s:rates %s:reverse --link rates.rf=reverse.rf --distinct --block 16 --name species \
// RUN:   -o %t/species.cu 2>&1 | FileCheck %s --check-prefix=SPECIES
// SPECIES: a thread its part of every kernel: rates, then reverse. In memory: rates.rf.
// RUN: %exits 1 %cufuse fuse %s:rates %s:others --link rates.rf=others.rf --distinct --block 16 -o %t/no.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=TURNED
// What is at the border stays inside, by `max`, `?:` and `if`: which elements a kernel uses is known, and the launch compares.
// RUN: %cufuse fuse %s:laplace %s:heat --link laplace.lap=heat.lap --link laplace.width=heat.width \
// RUN:   --link laplace.height=heat.height --block 16x4 --name halo -o %t/halo.cu 2>&1 | FileCheck %s --check-prefix=HALO
// HALO: a thread its part of every kernel: laplace, then heat. In memory: laplace.lap.
// RUN: %cufuse fuse %s:blur %s:heat --link blur.out=heat.lap --link blur.width=heat.width --link blur.height=heat.height \
// RUN:   --block 16x4 --name window -o %t/window.cu 2>&1 | FileCheck %s --check-prefix=WINDOW
// WINDOW: a thread its part of every kernel: blur, then heat. In memory: blur.out.
// RUN: %emulate --seed 1 --seed 2 -I %t -D FUSED %s %t/pitched.cu %t/counted.cu %t/threads.cu %t/grids.cu %t/loops.cu \
// RUN:   %t/ranges.cu %t/groups.cu %t/members.cu %t/halo.cu \
// RUN:   %t/window.cu %t/species.cu | FileCheck %s --check-prefix=SAME
// SAME: 18 same

__global__ void brighten(float *image, float by, int width, int height, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    image[y * pitch + x] += by;
}
__global__ void negative(float *image, int width, int height, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  image[y * pitch + x] = 255 - image[y * pitch + x];
}
// Other threads have the element.
__global__ void skewed(float *image, int width, int height, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    image[x * pitch + y] *= 2;
}

__global__ void laplace(const float *__restrict__ field, float *__restrict__ lap, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  int below = y + 1;
  if (below >= height)
    below = height - 1;
  const int above = y > 0 ? y - 1 : 0;
  lap[y * width + x] = field[above * width + x] + field[below * width + x] + field[y * width + max(x - 1, 0)] +
                       field[y * width + min(x + 1, width - 1)] - 4 * field[y * width + x];
}
__global__ void blur(const float *in, float *out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
  out[y * width + x] = sum / 9;
}
__global__ void heat(float *__restrict__ inner, const float *__restrict__ lap, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    inner[y * width + x] += 0.25f * lap[y * width + x];
}

__global__ void rates(const float *t, float *rf) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, all = blockDim.x * gridDim.x;
  for (int k = 0; k < 3; ++k)
    rf[i + k * all] = t[i] * (k + 1);
}
__global__ void reverse(const float *rf, float *rb) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x, all = blockDim.x * gridDim.x;
  rb[i] = rf[i + all];
  rb[i + all] = rf[i] + rf[i + 2 * all];
}
// Other threads have its elements.
__global__ void others(const float *rf, float *rb) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  rb[i] = rf[i + 2 * gridDim.x];
}

__global__ void addAll(float *out, const float *in, int n) {
  for (int base = 0; base < n; base += blockDim.x * gridDim.x) {
    const int i = base + blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
      out[i] = in[i] + out[i];
  }
}
__global__ void twiceAll(const float *in, float *out, int n) {
  for (unsigned base = blockDim.x * blockIdx.x; base < n; base += blockDim.x * gridDim.x) {
    const unsigned i = base + threadIdx.x;
    if (i < n)
      out[i] = 2 * in[i];
  }
}
// The loop may end before the elements do.
__global__ void addOthers(float *out, const float *in, int n, int m) {
  for (int base = 0; base < m; base += blockDim.x * gridDim.x) {
    const int i = base + blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
      out[i] = in[i] + out[i];
  }
}
// The counter is no function of the element.
__global__ void addBase(const float *in, float *out, int n) {
  for (int base = 0; base < n; base += blockDim.x * gridDim.x) {
    const int i = base + blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
      out[i] = base + in[i];
  }
}
__global__ void loadBase(const float *in, float *out, int n) {
  for (int base = 0; base < n; base += blockDim.x * gridDim.x) {
    const int i = base + blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n)
      out[i] = in[base];
  }
}

__global__ void sums(float *out, const float *a, const float *b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = a[i] + b[i];
}
__global__ void normRow(const float *in, float *out, float *mean, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  const float *x = in + row * columns;
  float m = 0, v = 0;
  for (int i = 0; i < columns; ++i)
    m += x[i];
  m /= columns;
  for (int i = 0; i < columns; ++i)
    v += (x[i] - m) * (x[i] - m);
  for (int i = 0; i < columns; ++i)
    out[row * columns + i] = (x[i] - m) * v;
  mean[row] = m;
}

__global__ void overGrid(const float *in, float *out, int rows, int columns) {
  __shared__ float largest;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const float *x = in + row * columns;
    if (threadIdx.x == 0) {
      largest = x[0];
      for (int i = 1; i < columns; ++i)
        largest = fmaxf(largest, x[i]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
      out[row * columns + i] = x[i] / largest;
    __syncthreads();
  }
}
__global__ void byWhile(const float *in, float *out, int columns) {
  const int row = blockIdx.x;
  int i = threadIdx.x;
  while (i < columns) {
    out[row * columns + i] = in[row * columns + columns - 1 - i];
    i += blockDim.x;
  }
}

struct Range {
  struct Iterator {
    size_t at;
    __device__ size_t operator*() const { return at; }
    __device__ Iterator &operator++() {
      at += gridDim.x * blockDim.x;
      return *this;
    }
    __device__ bool operator!=(const Iterator &end) const { return at < end.at; }
  };
  size_t to;
  __device__ Iterator begin() const { return {blockDim.x * blockIdx.x + threadIdx.x}; }
  __device__ Iterator end() const { return {to}; }
};
__global__ void twiceOf(const float *in, float *out, size_t n) {
  for (auto i : Range{n})
    out[i] = 2 * in[i];
}
__global__ void plusOf(const float *in, float *out, size_t n) {
  for (auto i : Range{n})
    out[i] = 2 + in[i];
}
__global__ void backwards(const float *in, float *out, size_t n) {
  for (auto i : Range{n})
    out[i] = in[n - 1 - i];
}

// A group of channels has a mean.
__global__ void meanOfGroup(const float *x, float *mean, int size) {
  if (threadIdx.x > 0)
    return;
  float all = 0;
  for (int i = 0; i < size; ++i)
    all += x[blockIdx.x * size + i];
  mean[blockIdx.x] = all / size;
}
__global__ void without(const float *x, float *out, const float *mean, int pixels, int channels, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int channel = i / pixels;
  out[i] = x[i] - mean[channel / channels];
}

// An array for each of three members, of rows without a guard of their own.
__global__ void push(float *v, const float *force, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float *own = v + 3 * row * n + i;
  own[0] += force[row];
  own[n] += force[row + 1];
  own[2 * n] += own[0];
}
__global__ void drag(float *v, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  for (int member = 0; member < 3; ++member)
    v[(3 * row + member) * n + i] *= by;
}
// Threads of other rows have the third member.
__global__ void turned(float *v, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  v[3 * row * n + i] = v[3 * row * n + i + 3 * n] * by;
}

#ifdef FUSED
#include "counted.h"
#include "grids.h"
#include "groups.h"
#include "halo.h"
#include "loops.h"
#include "members.h"
#include "pitched.h"
#include "ranges.h"
#include "species.h"
#include "threads.h"
#include "window.h"

#include "Inputs/arrays.h"

int main() {
  const int n = 400;
  Array a(n, 1), b(n, 2), c(n, 3), d(n, 4);
  compare(
      "pitched", {&a},
      [&] {
        brighten<<<dim3(2, 3), dim3(16, 4)>>>(a.at, 9.f, 29, 11, 31);
        negative<<<dim3(2, 3), dim3(16, 4)>>>(a.at, 29, 11, 31);
      },
      [&] { return pitched::brighten_negative::launch(dim3(2, 3), a.at, 9.f, 29, 11, 31); });
  compare(
      "counted", {&a, &c},
      [&] {
        addAll<<<dim3(2), dim3(64)>>>(a.at, b.at, 333);
        twiceAll<<<dim3(3), dim3(64)>>>(a.at, c.at, 333);
      },
      [&] { return counted::addAll_twiceAll::launch(a.at, b.at, 333, c.at); });
  compare(
      "threads", {&b, &c, &d},
      [&] {
        sums<<<dim3(6), dim3(64)>>>(c.at, a.at, a.at, 70 * 5);
        normRow<<<dim3(2), dim3(64)>>>(c.at, b.at, d.at, 70, 5);
      },
      [&] { return threads::sums_normRow::launch(dim3(2), c.at, a.at, a.at, b.at, d.at, 70, 5); });
  compare(
      "grids", {&c, &d},
      [&] {
        sums<<<dim3(6), dim3(64)>>>(c.at, a.at, b.at, 5 * 70);
        overGrid<<<dim3(2), dim3(64)>>>(c.at, d.at, 5, 70);
      },
      [&] { return grids::sums_overGrid::launch(dim3(5), c.at, a.at, b.at, 5 * 70, d.at, 5, 70); });
  compare(
      "loops", {&c, &d},
      [&] {
        overGrid<<<dim3(5), dim3(64)>>>(a.at, c.at, 5, 70);
        byWhile<<<dim3(5), dim3(64)>>>(c.at, d.at, 70);
      },
      [&] { return loops::overGrid_byWhile::launch(dim3(5), a.at, c.at, 5, 70, d.at); });
  compare(
      "ranges", {&c, &d},
      [&] {
        twiceOf<<<dim3(2), dim3(64)>>>(a.at, c.at, 333);
        plusOf<<<dim3(2), dim3(64)>>>(c.at, d.at, 333);
      },
      [&] { return ranges::twiceOf_plusOf::launch(dim3(2), a.at, c.at, 333, d.at); });
  compare(
      "groups", {&c, &d},
      [&] {
        meanOfGroup<<<dim3(4), dim3(64)>>>(a.at, c.at, 90);
        without<<<dim3(6), dim3(64)>>>(a.at, d.at, c.at, 30, 3, 4 * 90);
      },
      [&] { return groups::meanOfGroup_without::launch(dim3(4), a.at, c.at, 90, d.at, 30, 3, 4 * 90); });
  compare(
      "members", {&a},
      [&] {
        push<<<dim3(2, 1), dim3(16, 4)>>>(a.at, b.at, 32);
        drag<<<dim3(2, 1), dim3(16, 4)>>>(a.at, 3.f, 32);
      },
      [&] { return members::push_drag::launch(dim3(2, 1), a.at, b.at, 32, 3.f); });
  compare(
      "species", {&c, &d},
      [&] {
        rates<<<3, 16>>>(a.at, c.at);
        reverse<<<3, 16>>>(c.at, d.at);
      },
      [&] { return species::rates_reverse::launch(dim3(3), a.at, c.at, d.at); });
  auto Halo = [&](float *field, float *lap, float *inner) {
    return halo::laplace_heat::launch(dim3(2, 3), field, lap, 19, 9, inner);
  };
  compare(
      "halo", {&c, &d},
      [&] {
        laplace<<<dim3(2, 3), dim3(16, 4)>>>(a.at, c.at, 19, 9);
        heat<<<dim3(2, 3), dim3(16, 4)>>>(d.at, c.at, 19, 9);
      },
      [&] { return Halo(a.at, c.at, d.at); });
  // Two arrays in one, behind each other, and one that is moved by an element, or by a row.
  same += Halo(a.at, c.at, c.at + 19 * 9) == cudaSuccess;
  same += Halo(a.at, c.at, a.at + 1) == cudaErrorInvalidConfiguration;
  same += Halo(a.at + 19, c.at, a.at) == cudaErrorInvalidConfiguration;
  auto Window = [&](float *in, float *out, float *inner) {
    return window::blur_heat::launch(dim3(2, 3), in, out, 19, 9, inner);
  };
  compare(
      "window", {&c, &d},
      [&] {
        blur<<<dim3(2, 3), dim3(16, 4)>>>(a.at, c.at, 19, 9);
        heat<<<dim3(2, 3), dim3(16, 4)>>>(d.at, c.at, 19, 9);
      },
      [&] { return Window(a.at, c.at, d.at); });
  same += Window(a.at, c.at, a.at + 170) == cudaErrorInvalidConfiguration;
  same += Window(a.at, c.at, a.at + 171) == cudaSuccess;
  // A pitch below the width, and rows that a block does not have.
  same += pitched::brighten_negative::launch(dim3(2, 3), a.at, 9.f, 29, 11, 28) == cudaErrorInvalidConfiguration;
  same += grids::sums_overGrid::launch(dim3(4), c.at, a.at, b.at, 5 * 70, d.at, 5, 70) == cudaErrorInvalidConfiguration;
  std::printf("%d same\n", same);
}
#endif
