/// Products of four warps by the tensor cores (PTX ISA, wgmma), and rings of places for what they multiply.
struct CufuseWarpgroups {
  /// A place in a ring, and how often it was round: an odd or an even number of times.
  template <int Count, bool Once> struct Turn {
    int slot = 0, odd = 0;
    __device__ __forceinline__ void next() {
      if (++slot == Count)
        slot = 0, odd ^= !Once;
    }
  };

  static __device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
  static __device__ __forceinline__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
  template <int Left> static __device__ __forceinline__ void await() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
  }
  /// The compiler leaves them alone before and behind this.
  template <int Count> static __device__ __forceinline__ void keep(float (&sums)[Count]) {
#pragma unroll
    for (int i = 0; i < Count; ++i)
      asm volatile("" : "+f"(sums[i])::"memory");
  }
  /// Rows of 128 bytes in panels, in an order of their own (PTX ISA, matrix descriptor): groups of 8 rows are 1024
  /// bytes apart, panels `Apart`.
  template <int Apart> static __device__ __forceinline__ unsigned long long descriptor(unsigned address) {
    return ((address & 0x3ffff) >> 4) | (static_cast<unsigned long long>(Apart >> 4) << 16) | (64ull << 32) |
           (1ull << 62);
  }

  /// c (+)= a b: 64 x 16 by 16 x 64.
  template <bool InRows>
  static __device__ __forceinline__ void add(float (&c)[32], const unsigned (&a)[4], unsigned long long b, int adds) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.CUFUSE_TYPE.CUFUSE_TYPE {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
        "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
        "%31}, "
        "{%32, %33, %34, %35}, %36, p, 1, 1, %38;\n}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]),
          "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]),
          "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]),
          "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds), "n"(InRows ? 1 : 0));
  }
  /// The same with 128 columns.
  template <bool InRows>
  static __device__ __forceinline__ void add(float (&c)[64], const unsigned (&a)[4], unsigned long long b, int adds) {
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.CUFUSE_TYPE.CUFUSE_TYPE {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, "
        "%10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, "
        "%54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, {%64, %65, %66, %67}, %68, p, 1, 1, %70;\n}"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]), "+f"(c[8]),
          "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]), "+f"(c[16]),
          "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]),
          "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]),
          "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]),
          "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]),
          "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]), "+f"(c[56]),
          "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(adds), "n"(InRows ? 1 : 0));
  }
};
