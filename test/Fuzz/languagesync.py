"""What the programs of `fuzz language` are made of, as far as barriers, warps and lifetimes go: see language.py for
the notation.

$A threads are there; they exchange values through shared memory. Behind a production that is an `exit`, those from
$L on have left."""
from languagegrammar import Production

GUARDS = ("struct Guard$i { unsigned *at; unsigned value; __device__ ~Guard$i() { *at = value; } };\n")
STORE = "unsigned *const mine$i = out + (b * all + t) * 4u + 1u;\n"


def held(name, sync="__syncthreads();"):
    return (f"__shared__ unsigned {name}[256];\n{name}[t] = v;\n{sync}\nv = v * $c0 ^ {name}[$A - 1u - t];\n{sync}")


# Those that have not left meet.
STAY = "\n{\n" + held("held").replace("$A", "$L") + "\n}"

SYNC = [
    # Barriers.
    Production("exchange", "plain", weight=4, sync=True, body=held("held")),
    Production("exchange of a helper",
               "plain",
               weight=2,
               sync=True,
               file="template <unsigned By> __device__ unsigned swap$i(unsigned v, unsigned t) {\n" +
               held("held").replace("$A", "By") +
               "\nreturn v; }\n__device__ unsigned total$i(unsigned v, unsigned t) { return swap$i<$A>(v, t); }",
               body="v = total$i(v, t);"),
    Production("exchange in dynamic memory",
               "plain",
               weight=2,
               sync=True,
               dynamic=True,
               body=held("dynamic").replace("__shared__ unsigned dynamic[256];", "extern __shared__ unsigned "
                                            "dynamic[];")),
    Production("exchange in memory of the file",
               "plain",
               sync=True,
               file="__shared__ unsigned held$i[256];",
               body=held("held$i").split("\n", 1)[1]),
    Production("exchange in memory of a class",
               "plain",
               sync=True,
               file="struct Swap$i { __device__ static unsigned of(unsigned v, unsigned t) {\n" + held("held") +
               "\nreturn v; } };",
               body="v = Swap$i::of(v, t);"),
    Production("exchange by registers of PTX",
               "plain",
               sync=True,
               body=held(
                   "held", '@(__syncthreads();@|asm volatile("bar.sync 0;" ::: "memory");@|asm '
                   'volatile("barrier.sync 0;" '
                   '::: "memory");@)')),
    Production("reduction of the block",
               "plain",
               weight=2,
               sync=True,
               body="v += @(__syncthreads_count@|__syncthreads_or@|__syncthreads_and@)(v % 3u == 1u) * $c0;"),
    Production(
        "barrier in a destructor",
        "sync.H1.dtor",
        weight=3,
        sync=True,
        exit=True,
        file="struct AtEnd$i { __device__ ~AtEnd$i() { __syncthreads(); } };",
        body="if (t >= $L) return;\n__shared__ unsigned held[256];\n{ AtEnd$i end; held[t] = v; }\nv = v * $c0 + "
             "held[$L "
        "- 1u - "
        "t];\n{ AtEnd$i end; }"),
    Production(
        "barrier in a constructor",
        "sync.H1.ctorsync",
        weight=3,
        sync=True,
        exit=True,
        file="struct AtStart$i { __device__ AtStart$i() { __syncthreads(); } };",
        body="if (t >= $L) return;\n__shared__ unsigned held[256];\nheld[t] = v; AtStart$i start;\nv = v * $c0 + "
             "held[$L "
        "- 1u - "
        "t];\n{ AtStart$i s; }"),
    Production("barrier under a uniform condition",
               "plain",
               weight=2,
               sync=True,
               body="if (@(blockIdx.x % 2u == 0u@|(seed & 1u) == 0u@|const bool on = n % 2u@)) {\n" + held("held") +
               "\n}"),
    Production("barrier in a loop",
               "plain",
               sync=True,
               body="for (unsigned k = 0; k < 2u + blockIdx.x % 2u; ++k) {\n" + held("held") + "\n}"),
    Production("barriers on both sides",
               "plain",
               sync=True,
               weight=4,
               needs_all=True,
               body="__shared__ unsigned held[256];\nheld[t] = v;\nif (t % 64u < 32u) { __syncthreads(); v += "
               "held[$A - 1u - t]; "
               "__syncthreads(); } else { __syncthreads(); v ^= held[$A - 1u - t]; __syncthreads(); }"),
    # CUDA does not define it; the hardware counts warps, and misses none that has ended.
    Production("more barriers on one side",
               "sync.H1.uneven",
               sync=True,
               last=True,
               weight=4,
               needs_all=True,
               body="__shared__ unsigned held[256];\nheld[t] = v;\nif (t < 32u) { __syncthreads(); v += "
               "held[$A - 1u - t]; __syncthreads(); } else { __syncthreads(); v ^= held[$A - 1u - t]; }"),
    # Threads that leave: at most one of these in a kernel.
    Production("leave by a condition variable",
               "sync.H1.condvar sync.S3",
               weight=4,
               exit=True,
               sync=True,
               body="if (@(bool late = t >= $L@|const unsigned late = t >= $L ? 1u : 0u@|unsigned later = t; later "
               ">= $L@)) return;" + STAY),
    Production("leave by a while's condition variable",
               "sync.H1.condvar",
               weight=2,
               exit=True,
               sync=True,
               body="while (bool late = t >= $L) return;" + STAY),
    Production("leave by a for's condition variable",
               "sync.H1.condvar",
               weight=2,
               exit=True,
               sync=True,
               body="for (; bool late = t >= $L;) return;" + STAY),
    Production("leave by a switch's variable",
               "sync.H1.switchvar",
               weight=4,
               exit=True,
               sync=True,
               body="switch (unsigned part = t / $L) { case 0: break; default: return; }" + STAY),
    Production("leave by a constructor's result",
               "sync.H1.ctorout",
               weight=4,
               exit=True,
               sync=True,
               file="struct Late$i { __device__ Late$i(bool &late, unsigned t) { late = t >= $L; } };",
               body="bool late = false; Late$i l(late, t); if (late) return;" + STAY),
    Production("leave by a member reference",
               "sync.H1.refmember",
               weight=4,
               exit=True,
               sync=True,
               file="struct Ref$i { "
               "unsigned &r; };",
               body="unsigned late = 0; Ref$i ref{late}; ref.r = t >= $L; if (late) return;" + STAY),
    Production("leave by a cast",
               "sync.H1.castlvalue",
               weight=4,
               exit=True,
               sync=True,
               body="int late = 0; reinterpret_cast<unsigned &>(late) = t >= $L; if (late) return;" + STAY),
    Production("leave by a pointer",
               "plain",
               exit=True,
               body="unsigned late = 0; unsigned *p = &late; *p = t >= $L; "
               "if (late) return;"),
    Production("leave by a lambda",
               "plain",
               exit=True,
               body="unsigned late = 0; [&late, t] { late = t >= $L; }(); "
               "if (late) return;"),
    Production("leave by an out parameter",
               "sync.H1.outparam",
               weight=2,
               exit=True,
               sync=True,
               file="__device__ void rank$i(unsigned *at, unsigned t) { *at = t; }",
               body="unsigned r; rank$i(&r, "
               "t); if (r >= $L) return;" + STAY),
    Production("leave by a member function",
               "sync.H1.member",
               weight=2,
               exit=True,
               sync=True,
               file="struct Rank$i { unsigned at; __device__ bool late() const { return at >= $L; } };",
               body="Rank$i r{t}; if (r.late()) return;" + STAY),
    Production("leave plainly", "plain", weight=2, exit=True, body="if (t >= $L) return;"),
    Production("leave by a special register",
               "plain",
               exit=True,
               body="unsigned lane; asm volatile(\"mov.u32 %0, "
               "%%tid.x;\" : \"=r\"(lane));\n"
               "if (lane + t - threadIdx.x >= $L) return;"),
    Production("whole blocks leave", "plain", weight=1.5, body="if (blockIdx.x % 3u == 2u) return;", wraps=False),
    # A body that only some threads have, and that synchronises.
    Production("body of an init capture",
               "sync.H1.initcapture",
               weight=4,
               exit=True,
               sync=True,
               body="auto part$i = [at = t, &v, t, all](unsigned k) {\nif (at >= $L) return;\n" +
               held("held").replace("$A", "$L") + "\nv += k;\n};\npart$i($c1);\nif (t >= $L) return;"),
    Production("body of a constructor",
               "sync.H1.ctorparam",
               weight=4,
               seldom=True,
               exit=True,
               sync=True,
               file="struct Part$i { __device__ Part$i(unsigned at, unsigned &v, unsigned t) {\nif (at >= $L) "
               "return;\n" + held("held").replace("$A", "$L") + "\n} };",
               body="Part$i part(t, v, t);\nif (t >= $L) return;"),
    Production("body of a member",
               "sync.H1.member",
               weight=4,
               exit=True,
               sync=True,
               file="struct Work$i { unsigned t; __device__ void run(unsigned &v) {\nif (t < $L) {\n" +
               held("held").replace("$A", "$L") + "\n} } };",
               body="Work$i work{t}; work.run(v);\nif (t >= $L) return;"),
    Production("body behind an out parameter",
               "sync.H1.outparam",
               weight=4,
               exit=True,
               sync=True,
               file="__device__ void rank$i(unsigned *at, unsigned t) { *at = t; }",
               body="unsigned r$i; rank$i(&r$i, t);\nif (r$i < $L) {\n" + held("held").replace("$A", "$L") +
               "\n}\nif (t >= $L) return;"),
    Production("body under a condition variable",
               "sync.H1.condvar",
               weight=2,
               exit=True,
               sync=True,
               body="if (bool here = t < $L) {\n" + held("held").replace("$A", "$L") + "\n} else return;"),
    Production("body of a called lambda",
               "sync.H1.vialibrary",
               weight=4,
               exit=True,
               sync=True,
               top='#include "$hA"',
               files={
                   "A":
                   "#pragma once\n#pragma GCC system_header\n"
                   "template <typename F, typename... X> __device__ void invoke$i(F f, X... x) { f(x...); }"
               },
               body="invoke$i([&v, t](unsigned at) {\nif (at >= $L) return;\n" + held("held").replace("$A", "$L") +
               "\n}, t);\nif (t >= $L) return;"),
    # Lifetimes.
    Production("guard object",
               "sync.S1 text.S2",
               weight=4,
               opens=True,
               file=GUARDS,
               body=STORE + "Guard$i guard$i{mine$i, v};\nv *= $c0;\nguard$i.value += v;"),
    Production("guard object and a leave",
               "sync.S1 text.S2",
               weight=3,
               exit=True,
               sync=True,
               file=GUARDS,
               body=STORE + "Guard$i guard$i{mine$i, v};\nif (t >= $L) return;" + STAY + "\nguard$i.value ^= v * $c0;"),
    Production("guard object that counts",
               "sync.S1",
               weight=2,
               opens=True,
               exit=True,
               sync=True,
               file="struct Count$i { unsigned *at; __device__ ~Count$i() { atomicAdd(at, 1u); } };",
               body="Count$i count$i{sums + $c0 % 80u};\nif (t >= $L) return;" + STAY),
    Production("barrier of a guard object",
               "sync.S1b",
               weight=4,
               opens=True,
               exit=True,
               last=True,
               sync=True,
               needs_all=True,
               file="struct Last$i { unsigned *at; unsigned &v; unsigned t, all; __device__ ~Last$i() { "
               "__shared__ unsigned held[256]; held[t] = v; __syncthreads(); *at = held[all - 1u - t]; } };",
               body=STORE + "Last$i last$i{mine$i, v, t, all};\nif (t >= $L) return;\nv *= $c0;"),
    Production("barrier of a guard object behind another",
               "sync.S1b",
               weight=2,
               opens=True,
               exit=True,
               sync=True,
               file="struct Wait$i { __device__ ~Wait$i() { __syncthreads(); } };",
               body="Wait$i wait$i;\nif (t >= $L) return;" + STAY),
    Production("guard in a scope",
               "plain",
               file="struct Add$i { unsigned &v; unsigned by; __device__ ~Add$i() { v "
               "+= by; } };",
               body="{ Add$i add{v, $c0}; v *= 3u; if (t % 2u) { Add$i other{v, threadIdx.x}; v ^= $c1; } }"),
    Production("mutable member",
               "plain",
               file="struct Rng$i { mutable unsigned s; __device__ unsigned next() const "
               "{ return s = s * $c0 + "
               "threadIdx.x; } };",
               body="const Rng$i rng{v}; v = rng.next() ^ rng.next();"),
    # Warps.
    Production("primitive under a bound",
               "sync.W1",
               weight=5,
               warp=True,
               last=True,
               body="if (@(b * all + t < n / 2u@|t < $L@|v % 3u != 0u@)) {\n"
               "v += @(__shfl_sync(0xffffffffu, v, 0) * (t % 32u == 0u)@|__popc(__ballot_sync(0xffffffffu, "
               "true))@|"
               "__any_sync(0xffffffffu, v % 5u == 0u)@|__reduce_max_sync(0xffffffffu, t)@) * $c0;\n}"),
    Production("primitive in a loop with a bound",
               "sync.W1",
               weight=3,
               warp=True,
               last=True,
               body="for (unsigned k = b * all + t; k < n; k += all * gridDim.x) "
               "v += __popc(__ballot_sync(0xffffffffu, in[k] % 3u == 0u)) * $c0;"),
    Production("primitive under a guard in a helper",
               "sync.W2",
               weight=4,
               seldom=True,
               warp=True,
               exit=True,
               file="__device__ void part$i(unsigned &v, unsigned t, unsigned *out) {\nif (t >= $L) return;\n"
               "v += __popc(__ballot_sync(0xffffffffu, v % 3u == 0u)) * $c0;\n}",
               body="part$i(v, t, out);\nif (t >= $L) { out[(b * all + t) * 4u + 2u] = v; return; }"),
    Production("primitive behind a leave",
               "plain",
               warp=True,
               exit=True,
               body="if (t >= $L) return;\nv += __popc(__ballot_sync(0xffffffffu, v % 3u == 0u)) * $c0;"),
    Production("vote of PTX behind a leave",
               "sync.S2",
               weight=5,
               warp=True,
               exit=True,
               body='if (t >= $L) return;\nunsigned r$i;\nasm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; '
               'vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(r$i) : "r"(v % 3u));\nv += __popc(r$i) * $c0;'),
    Production("shuffle of PTX",
               "sync.W3 sync.S2",
               weight=3,
               odd=True,
               warp=True,
               body='unsigned r$i;\nasm volatile("shfl.sync.idx.b32 %0, %1, 0, 0x1f, 0xffffffff;" : "=r"(r$i) : '
               '"r"(v));\n'
               'v += r$i * $c0;'),
    Production("vote of PTX under a bound",
               "sync.S2 sync.W1",
               weight=2,
               warp=True,
               last=True,
               body='if (t < $L) {\nunsigned r$i;\nasm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; '
               'vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(r$i) : "r"(v % 3u));\nv += __popc(r$i) * $c0;\n}'),
    Production("primitive of the whole warp",
               "plain",
               weight=2,
               warp=True,
               body="v += @(__shfl_sync(0xffffffffu, v, 0)@|__ballot_sync(0xffffffffu, v & "
               "1u)@|__all_sync(0xffffffffu, v > 3u)@) * $c0;"),
    Production("synchronised warp", "plain", warp=True, body="__syncwarp();\nv += $c0;"),
    # Assembly.
    Production("special registers",
               "plain",
               weight=2,
               body='unsigned r;\nasm@( volatile@|@)("mov.u32 %0, %@(tid.x@|ntid.x@|ctaid.x@|tid.y@);" : '
               '"=r"(r));\nv += r * $c0;'.replace("%@(", "%%@(")),
    Production("predicated assembly",
               "plain",
               body='asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 16; @p add.u32 %0, %0, $c0; }" : "+r"(v) : '
               '"r"(t));'),
    Production("copy that nobody waits for",
               "sync.S4",
               weight=4,
               sync=True,
               last=True,
               needs_all=True,
               body='__shared__ @(alignas(16) @|@)unsigned held[256], other[256];\nheld[t] = v;\n'
               'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\\ncp.async.wait_all;" :: '
               '"r"(static_cast<unsigned>(__cvta_generic_to_shared(other + t))), "l"(in + t % n) : "memory");\n'
               '__syncthreads();\nv += held[$A - 1u - t] * $c0 + other[$A - 1u - t];\n__syncthreads();\n'
               'asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: '
               '"r"(static_cast<unsigned>(__cvta_generic_to_shared(held + t))), "l"(in + t % n) : "memory");'),
    Production("reference to a local",
               "plain",
               weight=2,
               body="unsigned other = $c0 + threadIdx.x; unsigned &r = v "
               "% 2u ? v : other; r += "
               "$c1; v ^= other;"),
    Production("pointer to a local",
               "plain",
               body="unsigned pair[2] = {v, $c0}; unsigned *p = &pair[v % 2u]; *p += "
               "blockIdx.x; v = pair[0] ^ "
               "pair[1];"),
    Production("condition with a declaration",
               "plain",
               weight=2,
               body="if (unsigned low = v % 4u; low > 1u) v += low * threadIdx.x; else v -= low;\nswitch (unsigned k "
               "= v % 3u) { case 0: v "
               "+= k; break; case 1: v ^= $c0; [[fallthrough]]; default: v += $c1 + k; }"),
    Production("shadowed names",
               "plain",
               body="{ unsigned v2 = v; { unsigned v2 = t * $c0; v += v2; } v ^= v2; "
               "unsigned threadIdx_x = 3u; v += "
               "threadIdx_x; }"),
    Production("shadowed built-in",
               "plain",
               file="struct Index$i { unsigned x; };",
               body="{ Index$i blockDim{$c0}; v += blockDim.x; }\nv ^= blockDim.x;"),
    Production("lambdas",
               "plain",
               weight=2,
               body="auto f = [=](unsigned x) mutable { x += threadIdx.x; return x * $c0; };\nauto g = [&v, k = "
               "blockDim.x](auto x) { v += x + "
               "k; return v; };\nv = f(v) + g(v);"),
    Production("atomics", "plain", weight=2, body="atomicAdd(sums + (v % 80u), 1u);"),
    Production("goto",
               "plain",
               wraps=False,
               body="if (v % 2u) goto even$i;\nv += threadIdx.x * $c0;\neven$i:\nv ^= "
               "1u;"),
    Production("early end of a helper",
               "plain",
               file="__device__ unsigned early$i(unsigned x) { if (x % 3u == "
               "threadIdx.x % 3u) return x * $c0; "
               "for (unsigned k = 0; k < 3u; ++k) if (k == x % 5u) return x + k; return x ^ $c1; }",
               body="v = early$i(v);"),
    Production("virtual function",
               "plain",
               weight=2,
               file="struct Shape$i { __device__ virtual unsigned of(unsigned x) const { return x; } };\n"
               "struct Round$i : Shape$i { __device__ unsigned of(unsigned x) const override { return x * $c0 + "
               "threadIdx.x; } };",
               body="Round$i round; const Shape$i &shape = round; v = shape.of(v);"),
]
