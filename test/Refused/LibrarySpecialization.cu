// A specialisation of a library's template that the kernel needs is refused; one of the file's own template is not.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:clear --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:clear_own --block 64 -o %t/out.cu
#include <type_traits>

struct Fixed {
  int bits;
};

// CHECK: {{[^ ]*}}:[[#@LINE+3]]:{{[0-9]+}}: error: clear: a template of a library is specialised in the kernel's file:
// CHECK-SAME: std::is_arithmetic [LibrarySpecialization]
// CHECK: note: use a template of your own
template <> struct std::is_arithmetic<Fixed> : std::true_type {};

template <typename T> struct Zero {
  static constexpr int value = 1;
};
template <> struct Zero<Fixed> {
  static constexpr int value = 0;
};

__global__ void clear(Fixed *data) {
  if (std::is_arithmetic<Fixed>::value)
    data[threadIdx.x].bits = 0;
}

__global__ void clear_own(Fixed *data) { data[threadIdx.x].bits = Zero<Fixed>::value; }
