// Squares of squares have more terms with each line: what has too many is not known, and takes no time.
// RUN: timeout 60 %cufuse inspect --full %s | FileCheck %s
// RUN: rm -rf %t && mkdir %t && timeout 60 %cufuse fuse %s:powers %s:powers --block 64 --block 64 -o %t/out.cu

// CHECK: load             seen[{{.*}} + threadIdx.x * threadIdx.x]
// CHECK: load             seen[unknown]
// CHECK: store            out[blockDim.x * blockIdx.x + threadIdx.x]
__global__ void powers(const float *seen, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = seen[i * i];
  unsigned power = i;
  power = power * power + 1;
  power = power * power + 2;
  power = power * power + 3;
  power = power * power + 4;
  power = power * power + 5;
  power = power * power + 6;
  power = power * power + 7;
  power = power * power + 8;
  power = power * power + 9;
  power = power * power + 10;
  power = power * power + 11;
  power = power * power + 12;
  out[i] = sum + seen[power];
}

// The name of a quotient holds that of its dividend.
// CHECK-LABEL: {{^}}quotients(
// CHECK: load             seen[unknown]
__global__ void quotients(const float *seen, float *out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = i;
  sum += sum / 3;
  sum += sum / 4;
  sum += sum / 5;
  sum += sum / 6;
  sum += sum / 7;
  sum += sum / 8;
  sum += sum / 9;
  sum += sum / 10;
  sum += sum / 11;
  sum += sum / 12;
  sum += sum / 13;
  sum += sum / 14;
  sum += sum / 15;
  sum += sum / 16;
  sum += sum / 17;
  sum += sum / 18;
  sum += sum / 19;
  sum += sum / 20;
  sum += sum / 21;
  sum += sum / 22;
  sum += sum / 23;
  sum += sum / 24;
  out[i] = seen[sum];
}
