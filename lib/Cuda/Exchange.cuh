/// What the blocks of a cluster send each other through distributed shared memory.
struct CufuseExchange {
  /// The cluster's barrier, in two steps. The first time, nothing is to be seen behind it but mbarriers, which have a
  /// fence of their own; else it waits for all that the threads have loaded.
  static __device__ __forceinline__ void arriveAtCluster(bool first) {
    if (first)
      asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
    else
      asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  }
  static __device__ __forceinline__ void awaitCluster() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  }

  /// The same place of another block, or of this one.
  static __device__ __forceinline__ unsigned inBlock(unsigned shared, int block) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared), "r"(block));
    return there;
  }
  /// Four sums to another block. Its mbarrier counts their 16 bytes.
  static __device__ __forceinline__ void send(unsigned there, unsigned signalled, const float *sums) {
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(there),
        "f"(sums[0]), "f"(sums[1]), "f"(sums[2]), "f"(sums[3]), "r"(signalled)
        : "memory");
  }
  /// As `awaitPhase`, for what other blocks have stored.
  static __device__ __forceinline__ void awaitOthers(unsigned barrier, int odd) {
    unsigned done;
    do
      asm volatile(
          "{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
          : "=r"(done)
          : "r"(barrier), "r"(odd)
          : "memory");
    while (!done);
  }
  /// Adds four sums that have come.
  static __device__ __forceinline__ void sum(float *sums, unsigned from) {
    float4 part;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(part.x), "=f"(part.y), "=f"(part.z), "=f"(part.w)
                 : "r"(from)
                 : "memory");
    sums[0] += part.x, sums[1] += part.y, sums[2] += part.z, sums[3] += part.w;
  }
};
