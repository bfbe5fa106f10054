/// Barriers in shared memory, of a phase at a time.
struct CufuseMbarriers {
  static __device__ __forceinline__ void initialise(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
  }
  static __device__ __forceinline__ void expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  }
  static __device__ __forceinline__ void arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
  }
  static __device__ __forceinline__ void awaitPhase(unsigned barrier, int odd) {
    unsigned done;
    do
      asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(barrier), "r"(odd)
                   : "memory");
    while (!done);
  }
};
