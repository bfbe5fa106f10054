// A file is read, and the absence of kernels in it told, although Clang has no omp.h of nvcc's.
// RUN: %cufuse inspect --json %s | FileCheck %s
// CHECK: {{^}}[]
#include <omp.h>
double run() {
  omp_set_num_threads(omp_get_num_procs() + omp_get_max_threads());
  return omp_get_thread_num() + omp_get_num_threads() + omp_get_wtime();
}
