// A block that neither launches nor launch bounds tell is refused; each of the three ways to tell it is accepted.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:silent -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NOTHING '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:differ -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=DIFFER '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:plane -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BOUNDS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:open %s:handed %s:'inClass<float>' %s:unread -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OPEN '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:silent %s:launched %s:bounded --block 256 -o %t/out.cu
// NOTHING: {{[^ ]*}}:[[#@LINE+2]]:17: error: silent: the block size is not known: its file does not launch it [UnknownBlock]
// NOTHING: note: say it with --block silent=SHAPE, as it is launched{{$}}
__global__ void silent(float *data) { data[threadIdx.x] = 0; }

// DIFFER: {{[^ ]*}}:[[#@LINE+2]]:17: error: differ: the block size is not known: the launches in its file have 128 and 256 [UnknownBlock]
// DIFFER: note: say it with --block differ=SHAPE, as it is launched{{$}}
__global__ void differ(float *data) { data[threadIdx.x] = 0; }

// BOUNDS: {{[^ ]*}}:[[#@LINE+2]]:40: error: plane: the block size is not known: its file does not launch it [UnknownBlock]
// BOUNDS: note: say it with --block plane=SHAPE, as it is launched; its __launch_bounds__ allow 256 threads{{$}}
__global__ void __launch_bounds__(256) plane(float *data) { data[threadIdx.y * blockDim.x + threadIdx.x] = 0; }

// What is known of the launches is said, and where they stand.
// OPEN: error: open: the block size is not known: its block is not constant, at {{.*}}:[[#@LINE+25]]:3 [UnknownBlock]
// OPEN: error: handed: the block size is not known: what it is handed on to may launch it, at {{.*}}:[[#@LINE+25]]:19 [UnknownBlock]
// OPEN: note: say it with --block handed=SHAPE, as it is launched; its __launch_bounds__ allow 64 threads{{$}}
// OPEN: error: inClass: the block size is not known: nothing instantiates the template that launches it, at
// OPEN-SAME: {{.*}}:[[#@LINE+5]]:36 [UnknownBlock]
// OPEN: error: unread: the block size is not known: host code that names it is not read [UnknownBlock]
__global__ void open(float *data) { data[threadIdx.x] = 0; }
template <typename T> __global__ void inClass(T *data) { data[threadIdx.x] = 0; }
template <typename T> struct Layer { // nothing instantiates it
  void run(T *data, int threads) { inClass<T><<<1, 128>>>(data); }
};
__global__ void __launch_bounds__(64) handed(float *data) { data[threadIdx.x] = 0; }
__global__ void unread(float *data) { data[threadIdx.x] = 0; }

__global__ void launched(float *data) { data[threadIdx.y * blockDim.x + threadIdx.x] = 0; }

__global__ void __launch_bounds__(192) bounded(float *data) { data[threadIdx.x] = 0; }

int bounded_by(float *);
void run(float *data) {
  differ<<<1, 128>>>(data);
  differ<<<1, 256>>>(data);
  const dim3 block(32, 4);
  launched<<<1, block>>>(data);
  launched<<<2, dim3(32, 4)>>>(data);
  open<<<1, bounded_by(data)>>>(data);
  auto pointer = &handed;
  pointer<<<1, 64>>>(data);
  unread<<<1, undeclared>>>(data);
}
