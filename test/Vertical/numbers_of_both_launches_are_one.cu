// One launch has a number as a product of what the other has, of which one is linked already; or as a square.
// RUN: %cufuse fuse --vertical %s:bias %s:twice --name fused -o %t.cu 2>%t.log && FileCheck %s --input-file=%t.log
// CHECK: linked as launched at {{.*}}: --link bias.out=twice.out --link bias.columns=twice.columns --link twice.rows*columns=bias.n{{$}}
// RUN: FileCheck %s --check-prefix=CALL --input-file=%t.cu
// CALL: bias({}, uint3{first, 0, 0}, {&{{.*}}static_cast<int>(rows * columns), columns)
// RUN: %cufuse fuse --vertical %s:square %s:plus --name fused -o %t.cu 2>&1 | FileCheck %s --check-prefix=SQUARE
// SQUARE: --link square.x=plus.x --link square.n*n=plus.n{{$}}
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
