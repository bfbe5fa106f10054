// What the parts of the runtime share about the block that runs.
#pragma once

#include <cuda_runtime.h>

#include <boost/context/detail/fcontext.hpp>

#include <vector>

namespace cuda_emulated {

constexpr unsigned MaxThreads = 1024, MaxWarps = 32;

struct Thread {
  boost::context::detail::fcontext_t context = nullptr;
  uint3 index;
  unsigned long long result = 0;       ///< Of what the thread waits for.
  unsigned long long clusterPhase = 0; ///< Of the cluster's barrier, at which it has arrived and not waited; or 0.
  bool awaitsCluster = false;
  const void *polled = nullptr; ///< What the thread looked at in vain, since it last did something else.
  const char *polls = nullptr;
};

/// What a block has for itself: it changes where blocks of a cluster take turns.
#define CUDA_EMULATED_OF_BLOCK __attribute__((section("emulated_block")))

/// The block that runs. Masks have a bit per lane, one per warp.
struct Block {
  unsigned threads = 0, warps = 0;
  unsigned exists[MaxWarps];   ///< Lanes that the launch has.
  unsigned alive[MaxWarps];    ///< Lanes that have not exited.
  unsigned runnable[MaxWarps]; ///< Lanes that could run now, less the one that runs.
  unsigned liveThreads = 0;
};

/// A block of a cluster that does not run.
struct Waiting {
  enum { NotBegun, Begun, Exited } state = NotBegun;
  std::vector<unsigned char> shared, own;
  unsigned long long phase = 0; ///< Of the cluster's barrier, when nothing was left to run.
  bool canRun = true;
};

/// The part of a block's shared memory that the hardware keeps for libraries. It is zero when a block starts.
extern unsigned char reservedShared[1024];

extern Block block;
extern Thread threads[MaxThreads];
extern unsigned current; ///< The thread that runs.

/// Stops the current thread until `wake`.
void suspend();
void wake(unsigned thread);
/// A number below 2^32, from the seed.
unsigned random();

/// Forget the last block, and what the barriers and exchanges have to know of a lane that has exited or never was.
void resetBarriers();
void resetExchanges();
void leaveBarriers(unsigned warp);
void leaveExchanges(unsigned warp, unsigned lane);
/// The current thread exits: its asynchronous copies come to an end.
void leaveCopies();
/// The lanes of the warp that can run have all stopped.
void settleActive(unsigned warp);

/// Lines about who waits for what; true if there was something to say.
void describeBarriers();
void describeExchanges();
/// `0-31, 40`: the threads of these lanes.
void printThreads(const unsigned (&lanes)[MaxWarps]);

/// Memory of the device, for launches that overlap.
void noteAllocation(void *memory, std::size_t bytes);
void forgetAllocation(void *memory);
/// A launch begins, a block of it does, and one has waited for the launch before, or is over without.
void beginOverlap(bool overlaps);
void beginEarly();
void endEarly();
/// griddepcontrol.launch_dependents and .wait
void letNextBegin();
void awaitLast();

} // namespace cuda_emulated
