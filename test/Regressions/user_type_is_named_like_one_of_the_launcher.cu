// Types of parameters go to the header, where the launcher's own names must not meet them.
// RUN: rm -rf %t && mkdir %t
// RUN: %cufuse fuse %s:by_launch %s:by_grid %s:by_arguments --block 32 --block 32 --block 32 -o %t/out.cu

struct Launch {
  int n;
};
struct CufuseGrid {
  int n;
};
struct by_launchArguments {
  int n;
};

__global__ void by_launch(float *data, Launch launch) { data[threadIdx.x] = launch.n; }
__global__ void by_grid(float *data, CufuseGrid grid) { data[threadIdx.x] = grid.n; }
__global__ void by_arguments(float *data, by_launchArguments arguments) { data[threadIdx.x] = arguments.n; }
