// One launch has a number as a product of what the other has, of which one is linked already; or as a square.
// RUN: %cufuse fuse --vertical %s:bias %s:twice --name fused -o %t.cu 2>%t.log && FileCheck %s --input-file=%t.log
// CHECK: linked as launched at {{.*}}: --link bias.out=twice.out --link bias.columns=twice.columns --link twice.rows*columns=bias.n{{$}}
// RUN: FileCheck %s --check-prefix=CALL --input-file=%t.cu
// CALL: bias({}, uint3{first, 0, 0}, {&cufuse_bias_in}, b, {&cufuse_bias_out},
// CALL-NEXT: static_cast<int>(rows * columns), columns);
// RUN: %cufuse fuse --vertical %s:square %s:plus --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=SQUARE
// SQUARE: --link square.x=plus.x --link square.n*n=plus.n{{$}}
// A launch gives one number twice.
// RUN: %cufuse fuse --vertical %s:scaled %s:added --block 16x4 --name fused -o %t.cu 2>%t.log && FileCheck %s --check-prefix=TWICE \
// RUN:   --input-file=%t.log
// TWICE: --link scaled.pitchIn=added.pitchIn --link scaled.pitchIn=added.pitchOut --link added.pitchIn=scaled.pitchOut{{$}}
// TWICE: In turn, a thread its part of every kernel: scaled, then added.
// A number in a product is the parameter that is handed it, which other launches may hand another; equal numbers of other
// names may be so by chance.
// RUN: %cufuse fuse --vertical %s:addTo %s:above --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: --link addTo.x=above.x --link addTo.rows*columns=above.n; equal here, and one number if they always are: --link addTo.columns=above.least{{$}}
__global__ void addTo(float *x, const float *b, int rows, int columns) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns)
    x[i] += b[i % columns];
}
__global__ void above(float *x, int n, int least) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    x[i] = x[i] < least ? least : x[i];
}
void runNumber(float *x, float *b, int rows) {
  addTo<<<(rows * 32 + 255) / 256, 256>>>(x, b, rows, 32);
  above<<<(rows * 32 + 255) / 256, 256>>>(x, rows * 32, 32);
}
__global__ void bias(const float *in, const float *b, float *out, int n, int columns) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    out[i] = in[i] + b[i % columns];
}
__global__ void twice(float *out, int rows, int columns) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * columns)
    out[i] *= 2;
}
__global__ void square(float *x, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n)
    x[i] *= 3;
}
__global__ void plus(float *x, int n) {
  if (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n)
    x[i] += 1;
}
void run(float *x, float *b, float *y, int r, int c) {
  bias<<<(r * c + 255) / 256, 256>>>(x, b, y, r * c, c);
  twice<<<(r * c + 255) / 256, 256>>>(y, r, c);
}
void runSquare(float *x, int n) {
  square<<<(n * n + 255) / 256, 256>>>(x, n);
  plus<<<(n * n + 255) / 256, 256>>>(x, n * n);
}

__global__ void scaled(const float *in, float *out, int w, int h, int pitchIn, int pitchOut) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    out[y * pitchOut + x] = 2 * in[y * pitchIn + x];
}
__global__ void added(const float *in, const float *more, float *sum, int w, int h, int pitchIn, int pitchOut) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    sum[y * pitchOut + x] = in[y * pitchIn + x] + more[y * pitchIn + x];
}
void runPitched(const float *in, float *between, const float *more, float *sum, int w, int h, int pitch, dim3 grid) {
  scaled<<<grid, dim3(16, 4)>>>(in, between, w, h, pitch, pitch);
  added<<<grid, dim3(16, 4)>>>(between, more, sum, w, h, pitch, pitch);
}
