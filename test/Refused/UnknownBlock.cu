// A block that neither launches nor launch bounds tell is refused; each of the three ways to tell it is accepted.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:silent -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=NOTHING '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:plane -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=BOUNDS '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:open -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=OPEN '--implicit-check-not={{(error|refused):}}'
// What a variable begins with is its value only where nothing changes it.
// RUN: %exits 1 %cufuse fuse %s:doubled %s:chosen %s:asked %s:moved %s:larger -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=CHANGED
// CHANGED-COUNT-5: the block size is not known: its block is not constant
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:silent %s:launched %s:bounded %s:captured --block 256 -o %t/out.cu
// NOTHING: {{[^ ]*}}:[[#@LINE+2]]:17: error: silent: the block size is not known: no launch of it is read in its file [UnknownBlock]
// NOTHING: note: say it with --block silent=SHAPE, as it is launched{{$}}
__global__ void silent(float *data) { data[threadIdx.x] = 0; }

// BOUNDS: {{[^ ]*}}:[[#@LINE+2]]:40: error: plane: the block size is not known: no launch of it is read in its file [UnknownBlock]
// BOUNDS: note: say it with --block plane=SHAPE, as it is launched; its __launch_bounds__ allow 256 threads{{$}}
__global__ void __launch_bounds__(256) plane(float *data) { data[threadIdx.y * blockDim.x + threadIdx.x] = 0; }

// OPEN: {{[^ ]*}}:[[#@LINE+2]]:17: error: open: the block size is not known: its block is not constant, at {{.*}}:[[#@LINE+13]]:3 [UnknownBlock]
// OPEN: note: say it with --block open=SHAPE, as it is launched{{$}}
__global__ void open(float *data) { data[threadIdx.x] = 0; }

__global__ void launched(float *data) { data[threadIdx.y * blockDim.x + threadIdx.x] = 0; }

__global__ void __launch_bounds__(192) bounded(float *data) { data[threadIdx.x] = 0; }

int bounded_by(float *);
void run(float *data) {
  const dim3 block(32, 4);
  launched<<<1, block>>>(data);
  launched<<<2, dim3(32, 4)>>>(data);
  open<<<1, bounded_by(data)>>>(data);
}

__global__ void doubled(float *data) { data[threadIdx.x] = 0; }
__global__ void chosen(float *data) { data[threadIdx.x] = 0; }
__global__ void asked(float *data) { data[threadIdx.x] = 0; }
__global__ void moved(float *data) { data[threadIdx.x] = 0; }
__global__ void larger(float *data) { data[threadIdx.x] = 0; }
__global__ void captured(float *data) { data[threadIdx.x] = 0; }
static int ofFile = 64, kept = 32;
void change(float *data, int n) {
  int threads = 1, size = 0, grid;
  while (threads < n)
    threads *= 2;
  doubled<<<1, threads>>>(data);
  chosen<<<1, ofFile>>>(data);
  ofFile = n;
  cudaOccupancyMaxPotentialBlockSize(&grid, &size, asked);
  asked<<<grid, size>>>(data);
  dim3 block(64);
  block.y = 2;
  moved<<<1, block>>>(data);
  int last = 64;
  auto grow = [&] { last = 128; };
  grow();
  larger<<<1, last>>>(data);
  const int &same = kept;
  [&] { captured<<<same, kept>>>(data); }();
}
