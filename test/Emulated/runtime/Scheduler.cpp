// One fibre per thread, in an order that the seed decides; one block after the other.
#include "Scheduler.h"

#include <algorithm>
#include <csignal>
#include <cstdarg>
#include <numeric>
#include <string>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;

namespace cuda_emulated {

// The part of it that a launch does not have is checked after every block.
alignas(1024) __attribute__((section("emulated_shared"))) unsigned char dynamicShared[MaxSharedBytes + 1024];
alignas(1024) __attribute__((section("emulated_shared"))) unsigned char reservedShared[1024];

CUDA_EMULATED_OF_BLOCK Block block = {};
CUDA_EMULATED_OF_BLOCK Thread threads[MaxThreads];
CUDA_EMULATED_OF_BLOCK unsigned current = 0;
extern "C" unsigned char __start_emulated_block[], __stop_emulated_block[];

namespace {

namespace context = boost::context::detail;

constexpr unsigned char Poison = 0xff;
constexpr std::size_t StackBytes = 256 * 1024, GuardBytes = 4096;

unsigned long environmentNumber(const char *name, unsigned long otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoul(text, nullptr, 0) : otherwise;
}

unsigned long long randomState;
/// Half of the seeds let a warp run as far as it can, the warps in an order of their own; the others mix all threads.
bool eager;
CUDA_EMULATED_OF_BLOCK unsigned char warpOrder[MaxWarps] = {};
CUDA_EMULATED_OF_BLOCK unsigned runnableWarps = 0;

void (*threadFunction)(void *);
void *threadContext;
context::fcontext_t host;
bool running = false;

/// The blocks of a cluster, or of all clusters of a cooperative launch, take turns: at barriers, and now and then.
std::vector<Waiting> group;
unsigned number = 0;         ///< In the group, of the block that runs.
unsigned fruitlessPolls = 0; ///< Of all of the group, since something happened.

/// The barrier of a cluster.
struct ClusterBarrier {
  unsigned long long phase = 0;
  unsigned arrived = 0, threads = 0; ///< Threads that have arrived, and all that have not exited.
};
unsigned blocksOfCluster = 1;
std::vector<ClusterBarrier> clusterBarriers;
ClusterBarrier &barrierOf(unsigned block) { return clusterBarriers[block / blocksOfCluster]; }

/// Launched by kernels of the grid that runs.
struct Child {
  uint3 launcher; ///< The block.
  LaunchShape shape;
  void (*thread)(void *);
  void *context;
  void (*destroy)(void *);
};
std::vector<Child> children;

/// One of the bits set in `mask`, each as likely as the others.
unsigned randomBit(unsigned mask) {
  const unsigned count = static_cast<unsigned>(__builtin_popcount(mask));
  for (unsigned skipped = static_cast<unsigned>(static_cast<unsigned long long>(random()) * count >> 32); skipped;
       --skipped)
    mask &= mask - 1;
  return static_cast<unsigned>(__builtin_ctz(mask));
}

/// Who runs next; `mixed` even where warps run eagerly. There must be someone.
unsigned pick(bool mixed) {
  unsigned warp = current / 32;
  if (!eager || mixed)
    warp = randomBit(runnableWarps);
  else if (!(runnableWarps >> warp & 1))
    for (unsigned char next : warpOrder)
      if (runnableWarps >> next & 1) {
        warp = next;
        break;
      }
  const unsigned lane = randomBit(block.runnable[warp]);
  if ((block.runnable[warp] &= ~(1u << lane)) == 0)
    runnableWarps &= ~(1u << warp);
  return warp * 32 + lane;
}

/// Whoever starts to run stores the context of the one that stopped where that one said.
void jump(context::fcontext_t to, context::fcontext_t *from) {
  const context::transfer_t came = context::jump_fcontext(to, from);
  *static_cast<context::fcontext_t *>(came.data) = came.fctx;
}

void runThread(unsigned next, context::fcontext_t *from) {
  current = next;
  threadIdx = threads[next].index;
  jump(threads[next].context, from);
}

void setRunnable(unsigned thread) {
  block.runnable[thread / 32] |= 1u << thread % 32;
  runnableWarps |= 1u << thread / 32;
}

void describeBlock() {
  std::fprintf(stderr, " in block (%u, %u, %u) of grid (%u, %u, %u), block shape (%u, %u, %u)", blockIdx.x, blockIdx.y,
               blockIdx.z, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z);
}

[[noreturn]] void end() {
  std::fflush(nullptr);
  _exit(ErrorStatus);
}

[[noreturn]] void deadlock() {
  std::fflush(stdout);
  std::fprintf(stderr, "emulated: deadlock");
  describeBlock();
  std::fprintf(stderr, "\n");
  describeBarriers();
  describeExchanges();
  for (unsigned i = 0; i < block.threads; ++i)
    if (threads[i].polled && block.alive[i / 32] >> i % 32 & 1)
      std::fprintf(stderr, "  thread %u polls %s at shared address %u\n", i, threads[i].polls,
                   toShared(threads[i].polled));
  unsigned exited[MaxWarps], count = 0;
  for (unsigned warp = 0; warp < MaxWarps; ++warp)
    count += __builtin_popcount(exited[warp] = block.exists[warp] & ~block.alive[warp]);
  if (count) {
    std::fprintf(stderr, "  exited: threads ");
    printThreads(exited);
    std::fprintf(stderr, "\n");
  }
  end();
}

/// Goes on with another thread, or with the host when no thread is left; returns when the current one runs again.
void leave(context::fcontext_t *from) {
  const bool takesTurns = group.size() > 1 && block.liveThreads;
  if (!runnableWarps)
    endEarly();
  if (runnableWarps && !(takesTurns && random() % 512 == 0)) {
    // What the current thread waited for may have come to pass.
    if (const unsigned next = pick(false); next != current)
      runThread(next, from);
    return;
  }
  if (block.liveThreads && !takesTurns)
    deadlock();
  jump(host, from);
}

/// Those of the block that runs which wait for the cluster.
void wakeCluster() {
  for (unsigned i = 0; i < block.threads; ++i)
    if (threads[i].awaitsCluster && threads[i].clusterPhase <= barrierOf(number).phase) {
      threads[i].awaitsCluster = false;
      threads[i].clusterPhase = 0;
      wake(i);
    }
}
void completeCluster() {
  ClusterBarrier &own = barrierOf(number);
  if (own.arrived < own.threads || own.threads == 0)
    return;
  own.arrived = 0;
  ++own.phase;
  wakeCluster();
}

} // namespace

unsigned clusterRank() { return number % blocksOfCluster; }
unsigned clusterSize() { return blocksOfCluster; }
unsigned inGroup(unsigned ofCluster) { return number - clusterRank() + ofCluster; }
void *ofCluster(unsigned of, unsigned address) {
  if (of == clusterRank())
    return __start_emulated_shared + address;
  if (of >= blocksOfCluster || group[inGroup(of)].state != Waiting::Begun)
    fail("shared memory of block %u of the cluster, which %s", of,
         of >= blocksOfCluster                           ? "does not exist"
         : group[inGroup(of)].state == Waiting::NotBegun ? "has not begun"
                                                         : "has exited");
  return group[inGroup(of)].shared.data() + address;
}
void arriveAtCluster() {
  if (threads[current].clusterPhase != 0)
    fail("barrier.cluster.arrive, again without a wait");
  threads[current].clusterPhase = barrierOf(number).phase + 1;
  ++barrierOf(number).arrived;
  completeCluster();
}
void awaitCluster() {
  if (threads[current].clusterPhase == 0)
    fail("barrier.cluster.wait without an arrival");
  if (threads[current].clusterPhase <= barrierOf(number).phase) {
    threads[current].clusterPhase = 0;
    return mayYield();
  }
  threads[current].awaitsCluster = true;
  suspend();
}

void exitThread() {
  const unsigned warp = current / 32, lane = current % 32;
  block.alive[warp] &= ~(1u << lane);
  --block.liveThreads;
  --barrierOf(number).threads;
  barrierOf(number).arrived -= threads[current].clusterPhase > barrierOf(number).phase;
  completeCluster();
  progress();
  leaveCopies();
  leaveBarriers(warp);
  leaveExchanges(warp, lane);
  if (!block.runnable[warp])
    settleActive(warp);
  context::fcontext_t nobody;
  leave(&nobody);
  __builtin_unreachable();
}

namespace {

void enter(context::transfer_t came) {
  *static_cast<context::fcontext_t *>(came.data) = came.fctx;
  threadFunction(threadContext);
  exitThread();
}

/// The top of the stack of a thread of the block that runs. The tops differ in their place in a page, so that they do not share a cache line's set.
void *stackTop(unsigned thread) {
  constexpr std::size_t Stacks = MaxCluster * MaxThreads;
  static char *stacks = [] {
    void *memory =
        mmap(nullptr, Stacks * StackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      fail("no memory for stacks");
    return static_cast<char *>(memory);
  }();
  static unsigned guarded = 0; // Most programs use few of them.
  for (; guarded <= number * MaxThreads + thread; ++guarded)
    mprotect(stacks + guarded * StackBytes, GuardBytes, PROT_NONE);
  return stacks + (number * MaxThreads + thread + 1) * StackBytes - thread % 64 * 64;
}

void onSignal(int signal, siginfo_t *info, void *) {
  char text[200];
  int length;
  if (signal == SIGPROF)
    length =
        std::snprintf(text, sizeof(text), "emulated: the launch does not end; thread %u of block (%u, %u, %u) runs\n",
                      current, blockIdx.x, blockIdx.y, blockIdx.z);
  else
    length = std::snprintf(text, sizeof(text), "emulated: invalid address %p in thread %u of block (%u, %u, %u)\n",
                           info->si_addr, current, blockIdx.x, blockIdx.y, blockIdx.z);
  if (running || signal == SIGPROF) {
    [[maybe_unused]] const auto written = write(2, text, static_cast<std::size_t>(length));
    _exit(ErrorStatus);
  }
  std::signal(signal, SIG_DFL);
}

void setUp() {
  static char signalStack[64 * 1024];
  const stack_t alternative = {signalStack, 0, sizeof(signalStack)};
  sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = onSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int signal : {SIGSEGV, SIGBUS, SIGPROF})
    sigaction(signal, &action, nullptr);
  const unsigned long seed = environmentNumber("EMULATED_SEED", 1);
  randomState = (seed + 1) * 0x9e3779b97f4a7c15ull;
  eager = seed % 2 == 0;
}

/// EMULATED_SECONDS of processor time for a launch: what polls ordinary memory cannot be seen to be a deadlock.
void setTimer(bool on) {
  static const long seconds = static_cast<long>(environmentNumber("EMULATED_SECONDS", 60));
  itimerval timer = {};
  timer.it_value.tv_sec = on ? seconds : 0;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void beginBlock(const LaunchShape &shape) {
  std::memset(__start_emulated_shared, Poison,
              static_cast<std::size_t>(__stop_emulated_shared - __start_emulated_shared));
  std::memset(reservedShared, 0, sizeof(reservedShared));
  block.threads = block.liveThreads = shape.block.x * shape.block.y * shape.block.z;
  block.warps = (block.threads + 31) / 32;
  runnableWarps = 0;
  for (unsigned warp = 0; warp < MaxWarps; ++warp) {
    const unsigned lanes = warp < block.warps ? std::min(block.threads - warp * 32, 32u) : 0;
    block.exists[warp] = block.alive[warp] = block.runnable[warp] = lanes == 32 ? ~0u : (1u << lanes) - 1;
    runnableWarps |= lanes ? 1u << warp : 0;
  }
  std::iota(warpOrder, warpOrder + MaxWarps, 0);
  for (unsigned i = MaxWarps; i > 1; --i)
    std::swap(warpOrder[i - 1], warpOrder[random() % i]);
  resetBarriers();
  resetExchanges();
  for (unsigned i = 0; i < block.threads; ++i) {
    Thread &thread = threads[i];
    thread.index = {i % shape.block.x, i / shape.block.x % shape.block.y, i / (shape.block.x * shape.block.y)};
    thread.context = context::make_fcontext(stackTop(i), StackBytes - GuardBytes - 4096, enter);
    thread.polled = nullptr;
    thread.clusterPhase = 0;
    thread.awaitsCluster = false;
  }
  current = 0;
}

void checkBlock(const LaunchShape &shape) {
  static const std::vector<unsigned char> untouched(sizeof(dynamicShared), Poison);
  if (!std::memcmp(dynamicShared + shape.dynamicBytes, untouched.data(), sizeof(dynamicShared) - shape.dynamicBytes))
    return;
  for (std::size_t i = shape.dynamicBytes; i < sizeof(dynamicShared); ++i)
    if (dynamicShared[i] != Poison)
      fail("byte %zu of the dynamic shared memory was written, of which the launch has %zu", i, shape.dynamicBytes);
}

void save(Waiting &to) {
  to.shared.assign(__start_emulated_shared, __stop_emulated_shared);
  to.own.assign(__start_emulated_block, __stop_emulated_block);
  // What has been taken away belongs to one block alone: zeros are how all of it begins.
  std::fill(__start_emulated_block, __stop_emulated_block, 0);
}
void restore(const Waiting &from) {
  std::copy(from.shared.begin(), from.shared.end(), __start_emulated_shared);
  std::copy(from.own.begin(), from.own.end(), __start_emulated_block);
}

/// From a block on, those that take turns.
void runGroup(const LaunchShape &shape, uint3 first) {
  group.assign(shape.together(), Waiting());
  blocksOfCluster = shape.cluster;
  clusterBarriers.assign(shape.together() / shape.cluster,
                         {0, 0, shape.cluster * shape.block.x * shape.block.y * shape.block.z});
  fruitlessPolls = 0;
  for (;;) {
    std::vector<unsigned> next;
    bool runs = false;
    for (unsigned i = 0; i < group.size(); ++i) {
      runs |= group[i].state != Waiting::Exited;
      if (group[i].state != Waiting::Exited && (group[i].canRun || group[i].phase < barrierOf(i).phase))
        next.push_back(i);
    }
    if (!runs)
      return;
    if (next.empty())
      deadlock();
    number = next[random() % next.size()];
    Waiting &now = group[number];
    blockIdx = {first.x + number, first.y, first.z};
    if (now.state == Waiting::NotBegun)
      beginBlock(shape);
    else if (group.size() > 1)
      restore(now);
    if (group.size() == 1)
      beginEarly();
    now.state = Waiting::Begun;
    wakeCluster();
    if (runnableWarps)
      runThread(pick(true), &host);
    now.canRun = runnableWarps != 0;
    now.phase = barrierOf(number).phase;
    if (block.liveThreads == 0) {
      now.state = Waiting::Exited;
      checkBlock(shape);
    } else if (group.size() > 1) {
      save(now);
    }
  }
}

} // namespace

unsigned random() {
  randomState ^= randomState << 13;
  randomState ^= randomState >> 7;
  randomState ^= randomState << 17;
  return static_cast<unsigned>(randomState >> 32);
}

void suspend() {
  const unsigned self = current;
  if (!block.runnable[self / 32])
    settleActive(self / 32);
  threads[self].polled = nullptr;
  leave(&threads[self].context);
}

void wake(unsigned thread) {
  setRunnable(thread);
  progress();
}

void progress() { fruitlessPolls = 0; }

void yield() {
  if (!runnableWarps)
    return;
  const unsigned self = current;
  setRunnable(self);
  if (const unsigned next = pick(true); next != self)
    runThread(next, &threads[self].context);
}

void mayYield() {
  if (running && (random() & 15) == 0)
    yield();
}

void poll(const void *address, const char *what) {
  threads[current].polled = address;
  threads[current].polls = what;
  if (++fruitlessPolls > 1000 + 64 * block.liveThreads * group.size())
    deadlock();
  if (group.size() == 1 || random() % 64)
    return yield();
  setRunnable(current); // what it waits for may come from another block
  jump(host, &threads[current].context);
}

unsigned linearThread() { return current; }

void fail(const char *format, ...) {
  std::fflush(stdout);
  std::fprintf(stderr, "emulated: ");
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  if (running) {
    std::fprintf(stderr, ": thread %u", current);
    describeBlock();
  }
  std::fprintf(stderr, "\n");
  end();
}

void printThreads(const unsigned (&lanes)[MaxWarps]) {
  const auto has = [&](unsigned thread) { return thread < MaxThreads && lanes[thread / 32] >> thread % 32 & 1; };
  const char *separator = "";
  for (unsigned first = 0; first < MaxThreads; ++first) {
    if (!has(first))
      continue;
    unsigned last = first;
    while (has(last + 1))
      ++last;
    std::fprintf(stderr, first == last ? "%s%u" : "%s%u-%u", separator, first, last);
    separator = ", ";
    first = last;
  }
}

namespace {

/// Those of one block in their order, those of different blocks in any.
void runChildren(std::vector<Child> waiting) {
  while (!waiting.empty()) {
    const uint3 launcher = waiting[random() % waiting.size()].launcher;
    const auto next = std::find_if(waiting.begin(), waiting.end(), [&](const Child &child) {
      return std::memcmp(&child.launcher, &launcher, sizeof(launcher)) == 0;
    });
    const Child child = *next;
    waiting.erase(next);
    if (!runGrid(child.shape, child.thread, child.context))
      fail("a kernel launches an impossible grid");
    child.destroy(child.context);
  }
}

} // namespace

bool runGrid(const LaunchShape &shape, void (*thread)(void *), void *threadArgument) {
  const dim3 &grid = shape.grid, &size = shape.block;
  const unsigned long long perBlock = 1ull * size.x * size.y * size.z, plane = 1ull * grid.x * grid.y;
  if (perBlock == 0 || perBlock > MaxThreads || size.z > 64 || plane * grid.z == 0 || plane * grid.z > 0x7fffffff ||
      grid.y > 65535 || grid.z > 65535 || shape.dynamicBytes > MaxSharedBytes || shape.cluster == 0 ||
      shape.together() > MaxCluster || grid.x % shape.cluster != 0 || (shape.cooperative && plane * grid.z != grid.x))
    return false;
  static const bool isSetUp = (setUp(), true);
  (void)isSetUp;
  std::vector<unsigned> order(plane * grid.z / shape.together());
  std::iota(order.begin(), order.end(), 0u);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
  threadFunction = thread;
  threadContext = threadArgument;
  blockDim = size;
  gridDim = grid;
  beginOverlap(shape.overlaps);
  running = true;
  setTimer(true);
  for (unsigned each : order) {
    const unsigned linear = each * shape.together();
    runGroup(shape, {linear % grid.x, linear / grid.x % grid.y, static_cast<unsigned>(linear / plane)});
  }
  setTimer(false);
  running = false;
  runChildren(std::exchange(children, {}));
  return true;
}

bool isRunning() { return running; }

void launchLater(const LaunchShape &shape, void (*thread)(void *), void *context, void (*destroy)(void *)) {
  children.push_back({blockIdx, shape, thread, context, destroy});
}

} // namespace cuda_emulated

long long clock64() {
  static long long ticks = 0;
  cuda_emulated::mayYield();
  return ticks += 10;
}
