// Inline assembly that says something of the block without a counterpart in a partition, or not plainly, is refused; the
// lane and arithmetic are not its business.
// RUN: rm -rf %t && mkdir %t
// RUN: %exits 1 %cufuse fuse %s:unknown --block 64 -o %t/out.cu 2>&1 | FileCheck %s '--implicit-check-not={{(error|refused):}}'
// RUN: %exits 1 %cufuse fuse %s:early --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: %exits 1 %cufuse fuse %s:named --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: %exits 1 %cufuse fuse %s:again --block 64 -o %t/out.cu 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: %exits 1 %cufuse fuse %s:launch --block 64 -o %t/out.cu 2>&1 | \
// RUN:   FileCheck %s --check-prefix=LAUNCH '--implicit-check-not={{(error|refused):}}'
// RUN: ls -A %t | count 0
// RUN: %cufuse fuse %s:lanes --block 64 -o %t/out.cu
__global__ void unknown(float *data) {
  unsigned x, y, z, w;
  // CHECK: {{[^ ]*}}:[[#@LINE+4]]:3: error: unknown: inline assembly reads or synchronises the thread block in a way that
  // CHECK-SAME: cannot be rewritten: %nwarpid in unknown [InlineAsmBlock]
  // CHECK: note: use the CUDA C++ built-ins, or name %tid.x and
  // CHECK-SAME: its like plainly, in assembly with operands
  asm("mov.u32 %0, %%nwarpid;" : "=r"(x));
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: unknown: {{.*}}: %tid in unknown
  asm("mov.v4.u32 {%0, %1, %2, %3}, %%tid;" : "=r"(x), "=r"(y), "=r"(z), "=r"(w));
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: unknown: {{.*}}: bar in unknown
  asm volatile("bar.red.popc.u32 %0, 0, p;" : "=r"(x) : : "memory");
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: unknown: {{.*}}: bar in unknown
  asm volatile("bar.sync 0, 32;" ::: "memory");
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: unknown: {{.*}}: bar in unknown
  asm volatile("@p bar.sync 1, 32;" ::: "memory");
  // CHECK: {{[^ ]*}}:[[#@LINE+1]]:3: error: unknown: {{.*}}: exit in unknown
  asm volatile("exit;");
  data[x + y + z + w] += 1;
}

// What the launch, the cluster or the end of the thread is to the kernel, and whatever no table knows.
__global__ void launch(unsigned *data) {
  unsigned x;
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: %nclusterid in launch [InlineAsmBlock]
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: %aggr_smem_size in launch
  asm("mov.u32 %0, %%aggr_smem_size;" : "=r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: %is_explicit_cluster in launch
  asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: %cluster_ctarank in launch
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: %unheardof in launch
  asm("mov.u32 %0, %%unheardof;" : "=r"(x));
  unsigned short half;
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: %tid as u16 in launch
  asm("mov.u16 %0, %%tid.x;" : "=h"(half));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: ret in launch
  asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0; @p ret; }" ::"r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: clusterlaunchcontrol in launch
  asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%0];" ::"r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: griddepcontrol in launch
  asm volatile("griddepcontrol.launch_dependents;");
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: mapa in launch
  asm("mapa.shared::cluster.u32 %0, %0, 0;" : "+r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: call in launch
  asm volatile("call _Z6launchPj, ();");
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: unheardof.sync.b32 in launch
  asm volatile("unheardof.sync.b32 %0;" : "=r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: .unheardof in launch
  asm volatile(".unheardof 1;");
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: .shared in launch
  asm volatile("{ .shared .b32 scratch[64]; st.shared.u32 [scratch], %0; }" ::"r"(x));
  // LAUNCH: {{[^ ]*}}:[[#@LINE+1]]:3: error: launch: {{.*}}: a comment like nvcc's own in launch
  asm volatile("// end inline asm\n ret;");
  data[x] += 1;
}

__global__ void early(float *data, unsigned x) {
  // EARLY: {{[^ ]*}}:[[#@LINE+2]]:3: error: {{.*}}assembly may write an output without `&` before it reads what
  // EARLY-SAME: becomes an operand; say "=&r" or "+&r"
  asm("{ .reg .u32 t; shl.b32 %0, %0, 2; mov.u32 t, %%tid.x; xor.b32 %0, %0, t; }" : "+r"(x));
  data[x] += 1;
}
__global__ void named(float *data, unsigned x) {
  asm("add.u32 %[x], %[x], 1; add.u32 %[x], %[x], %%ntid.x;" : [x] "+r"(x)); // NAMED: :[[#@LINE]]:3: error: {{.*}}without `&`
  data[x] += 1;
}
__global__ void again(float *data, unsigned x) {
  // AGAIN: {{[^ ]*}}:[[#@LINE+1]]:3: error: {{.*}}without `&`
  asm("{ .reg .pred p; again: add.u32 %0, %0, %%ntid.x; setp.lt.u32 p, %0, 99; @p bra again; }" : "+r"(x));
  data[x] += 1;
}

__global__ void lanes(unsigned *data) {
  unsigned lane, sum;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("{ .reg .u32 t; shl.b32 %0, %0, 2; mov.u32 t, %%tid.x; xor.b32 %0, %0, t; }" : "+&r"(lane));
  asm("{ .reg .u32 t, %%u; mov.u32 t, %%tid.x; mov.u32 %%u, %1; xor.b32 %0, t, %%ntid.x; add.u32 %0, %0, %%u; }" : "=r"(lane) : "r"(3));
  asm("{.reg.u32 t, %%u;.reg.pred.v2 %%p; mov.u32 t, %1; mov.u32 %%u, t; xor.b32 %0, t, %%u; }" : "=r"(lane) : "r"(lane));
  asm("xor.b32 %0, %0, %%tid.x;" : "+r"(lane));
  asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(sum) : "r"(lane), "r"(3), "r"(threadIdx.x));
  asm volatile("{\n"
               "  .reg .pred %%done; // of mine: %%tid would be another's\n"
               "  setp.ne.u32 %%done, %0, 0;\n"
               "again:\n"
               "  @!%%done bra again;\n"
               "  .pragma \"nounroll\";\n"
               "}" ::"r"(sum));
  asm volatile("griddepcontrol.wait;" ::: "memory");
  data[threadIdx.x] = sum;
}
