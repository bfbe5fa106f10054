// Loops that may wait for another block, in many forms: each kernel here has one.
// RUN: %cufuse inspect --full %s | %FileCheck %s
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda_pipeline.h>

// The value that is written says nothing: what was found counts.

// CHECK-LABEL: {{^}}swapsItsNumber(
// CHECK: [SpinLoop]
__global__ void swapsItsNumber(float *data, int *lock) {
  while (atomicCAS(lock, 0, (int)blockIdx.x + 1) != 0)
    ;
  data[0] += 1;
  atomicExch(lock, 0);
}

struct Lock {
  int state, unlocked, locked;
};

// CHECK-LABEL: {{^}}swapsMembers(
// CHECK: [SpinLoop]
__global__ void swapsMembers(float *data, Lock *lock) {
  while (atomicCAS(&lock->state, lock->unlocked, lock->locked) != lock->unlocked)
    ;
  data[0] += 1;
  atomicExch(&lock->state, lock->unlocked);
}

// CHECK-LABEL: {{^}}exchangesItsKey(
// CHECK: [SpinLoop]
__global__ void exchangesItsKey(float *data, int *lock) {
  int key = 1;
  do
    key = atomicExch(lock, key);
  while (key != 0);
  data[0] += 1;
  atomicExch(lock, 0);
}

// CHECK-LABEL: {{^}}setsABit(
// CHECK: [SpinLoop]
__global__ void setsABit(float *data, unsigned *bits, const int *keys) {
  const int key = keys[threadIdx.x];
  for (bool done = false; !done;)
    if (!(atomicOr(&bits[key / 32], 1u << key % 32) >> key % 32 & 1)) {
      data[key] += 1;
      __threadfence();
      atomicAnd(&bits[key / 32], ~(1u << key % 32));
      done = true;
    }
}

// A swap that compares with what was read is free of locks only where it is always tried, and its success ends the loop.

// CHECK-LABEL: {{^}}masksTheLock(
// CHECK: [SpinLoop]
__global__ void masksTheLock(float *data, unsigned *word) {
  unsigned old;
  do
    old = *word & ~1u;
  while (atomicCAS(word, old, old | 1) != old);
  data[0] += 1;
  atomicAnd(word, ~1u);
}

// CHECK-LABEL: {{^}}readsWhileLocked(
// CHECK: [SpinLoop]
__global__ void readsWhileLocked(float *data, int *readers) {
  int old;
  do
    old = *readers;
  while (old < 0 || atomicCAS(readers, old, old + 1) != old);
  data[0] += 1;
  atomicSub(readers, 1);
}

// CHECK-LABEL: {{^}}takesAChild(
// CHECK: [SpinLoop]
__global__ void takesAChild(float *mass, int *child, int n) {
  for (int k = threadIdx.x; k < n;) {
    const int seen = child[k];
    if (seen != -2 && seen == atomicCAS(&child[k], seen, -2)) {
      mass[k] += 1;
      __threadfence();
      child[k] = seen;
      k += blockDim.x;
    }
    __syncthreads();
  }
}

// CHECK-LABEL: {{^}}resetsWhatItExpects(
// CHECK: [SpinLoop]
__global__ void resetsWhatItExpects(float *data, cuda::atomic<int, cuda::thread_scope_device> *lock) {
  int expected = 0;
  while (!lock->compare_exchange_weak(expected, 1))
    if (expected != 0)
      expected = 0;
  data[0] += 1;
  lock->store(0);
}

// What is added may be nothing, or taken back.

// CHECK-LABEL: {{^}}addsNothing(
// CHECK: [SpinLoop]
__global__ void addsNothing(float *data, int *arrived) {
  atomicAdd_system(arrived, 1);
  while (atomicAdd_system(arrived, 0) < (int)gridDim.x)
    ;
  data[0] += 1;
}

// CHECK-LABEL: {{^}}triesByAdding(
// CHECK: [SpinLoop]
__global__ void triesByAdding(float *data, int *lock) {
  while (atomicAdd(lock, 1) != 0)
    atomicSub(lock, 1);
  data[0] += 1;
  atomicSub(lock, 1);
}

// CHECK-LABEL: {{^}}triesByAddingInAssembly(
// CHECK: [SpinLoop]
__global__ void triesByAddingInAssembly(float *data, int *lock) {
  for (int old;;) {
    asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(old) : "l"(lock) : "memory");
    if (old == 0)
      break;
    asm volatile("red.global.add.s32 [%0], -1;" ::"l"(lock) : "memory");
  }
  data[0] += 1;
}

// Which place is read next depends on what was read, or it is one of before.

// CHECK-LABEL: {{^}}stepsBack(
// CHECK: [SpinLoop]
__global__ void stepsBack(float *data, volatile int *ready, int n) {
  for (int i = 0; i < n; ++i) {
    if (!ready[i]) {
      --i;
      continue;
    }
    data[i] += 1;
  }
}

// CHECK-LABEL: {{^}}startsAgain(
// CHECK: [SpinLoop]
__global__ void startsAgain(float *data, volatile int *ready) {
  for (int i = 0; i < 1000; ++i)
    if (!ready[i])
      i = -1;
    else
      data[i] += 1;
}

// CHECK-LABEL: {{^}}asksInTurn(
// CHECK: [SpinLoop]
__global__ void asksInTurn(float *data, volatile int *ready, int n) {
  int i = 0;
  while (!ready[i])
    i = (i + 1) % n;
  data[i] = 1;
}

// CHECK-LABEL: {{^}}takesWhenReady(
// CHECK: [SpinLoop]
__global__ void takesWhenReady(float *data, int *head, volatile int *ready, int n) {
  for (int taken = -1;;) {
    if (taken < 0)
      taken = atomicAdd(head, 1);
    if (taken >= n)
      return;
    if (ready[taken]) {
      data[taken] += 1;
      taken = -1;
    }
  }
}

// What is added is taken back, so that the value that is waited for comes again.

// CHECK-LABEL: {{^}}locksByAdding(
// CHECK: [SpinLoop]
__global__ void locksByAdding(float *data, int *lock) {
  while (atomicAdd(lock, 1) != 0)
    ;
  data[0] += 1;
  __threadfence();
  atomicExch(lock, 0);
}

// CHECK-LABEL: {{^}}passesAToken(
// CHECK: [SpinLoop]
__global__ void passesAToken(float *data, unsigned *token) {
  __shared__ unsigned seen;
  if (blockIdx.x < gridDim.x - 1)
    do {
      if (threadIdx.x == 0)
        seen = atomicInc(token, 0xffffffff);
      __syncthreads();
    } while (seen != 0);
  data[blockIdx.x] += 1;
  __threadfence();
  if (threadIdx.x == 0)
    atomicExch(token, 0u);
}

// CHECK-LABEL: {{^}}addsNothing(
// CHECK: [SpinLoop]
__global__ void addsNothing(float *data, int *ready, int none) {
  while (atomicAdd(ready, none) == 0)
    ;
  data[blockIdx.x] += 1;
}

// It counts how often it has waited, and gives up.

// CHECK-LABEL: {{^}}countsItsTurns(
// CHECK: [SpinLoop]
__global__ void countsItsTurns(float *data, int *flag, int *turns) {
  bool ready = false;
  for (int i = 0; i < 1 << 26 && !ready; ++i) {
    ready = atomicAdd(flag, 0) != 0;
    atomicAdd(&turns[blockIdx.x], 1);
  }
  if (!ready)
    __trap();
  data[blockIdx.x] += 1;
}

// CHECK-LABEL: {{^}}asksASurface(
// CHECK: [SpinLoop]
__global__ void asksASurface(float *data, cudaSurfaceObject_t flags) {
  while (surf1Dread<int>(flags, 4) == 0)
    __threadfence();
  data[0] += 1;
}

// A table whose places somebody frees.

struct Slot {
  int key;
  float value;
};

__device__ int insert(int *key, int step, unsigned size, int by) {
  unsigned slot = by % size;
  while (atomicCAS(&key[slot * step], -1, by) != -1)
    slot = (slot + 1) % size;
  return slot * step;
}

// CHECK-LABEL: {{^}}storesWholeSlots(
// CHECK: [SpinLoop]
__global__ void storesWholeSlots(Slot *table, const Slot *entries, unsigned size) {
  const int place = insert(&table->key, 2, size, entries[threadIdx.x].key) / 2;
  __threadfence();
  table[place] = Slot{-1, entries[threadIdx.x].value};
}

// CHECK-LABEL: {{^}}storesBehindThePlace(
// CHECK: [SpinLoop]
__global__ void storesBehindThePlace(int *table, const int *keys, unsigned size) {
  const int place = insert(table, 1, size, keys[threadIdx.x]);
  table[place + 1] = -1;
}

// CHECK-LABEL: {{^}}storesBesideItsOwn(
// CHECK: [SpinLoop]
__global__ void storesBesideItsOwn(int *tables, const int *keys, unsigned size) {
  int *table = tables + blockIdx.x;
  table[1] = -1;
  unsigned slot = keys[threadIdx.x] % size;
  while (atomicCAS(table, -1, slot) != -1)
    slot = (slot + 1) % size;
}

// Several flags, several locks.

// CHECK-LABEL: {{^}}asksAll(
// CHECK: [SpinLoop]
__global__ void asksAll(float *data, int *done, const int *needed, int n) {
  bool all;
  do {
    all = true;
    for (int i = 0; i < n; ++i)
      all &= atomicOr(&done[needed[i]], 0) != 0;
  } while (!all);
  data[0] += 1;
}

// CHECK-LABEL: {{^}}locksAll(
// CHECK: [SpinLoop]
__global__ void locksAll(float *data, int *locks, const int *needed, int n) {
  bool all;
  do {
    int i = 0;
    while (i < n && atomicCAS(&locks[needed[i]], 0, 1) == 0)
      ++i;
    all = i == n;
    if (all)
      data[0] += 1;
    while (--i >= 0)
      atomicExch(&locks[needed[i]], 0);
  } while (!all);
}

// CHECK-LABEL: {{^}}keepsLocks(
// CHECK: [SpinLoop]
__global__ void keepsLocks(float *data, int *locks, const int *needed, int n) {
  unsigned held = 0;
  do {
    for (int i = 0; i < n; ++i)
      if (!(held >> i & 1) && atomicCAS(&locks[needed[i]], 0, 1) == 0)
        held |= 1u << i;
  } while (held + 1 != 1u << n);
  data[0] += 1;
  for (int i = 0; i < n; ++i)
    locks[needed[i]] = 0;
}

// CHECK-LABEL: {{^}}takesItsTurn(
// CHECK: [SpinLoop]
__global__ void takesItsTurn(float *data, volatile unsigned *turn) {
  for (bool done = false; !done;)
    if (*turn == blockIdx.x) {
      data[0] += 1;
      __threadfence();
      *turn = blockIdx.x + 1;
      done = true;
    }
}

// CHECK-LABEL: {{^}}countsInTheBlock(
// CHECK: [SpinLoop]
__global__ void countsInTheBlock(float *data, volatile int *ready) {
  __shared__ int count;
  do {
    __syncthreads();
    count = 0;
    __syncthreads();
    atomicAdd(&count, ready[threadIdx.x]);
    __syncthreads();
  } while (count < 64);
  data[0] = 1;
}

// Assembly: the address as a number, a loop of its own, a plain load that is not to be left out.

// CHECK-LABEL: {{^}}atANumber(
// CHECK: [SpinLoop]
__global__ void atANumber(float *data, const unsigned *ready) {
  unsigned now;
  do
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(__cvta_generic_to_global(ready)) : "memory");
  while (!now);
  data[0] = 1;
}

// CHECK-LABEL: {{^}}loopsInAssembly(
// CHECK: [SpinLoop]
__global__ void loopsInAssembly(float *data, int *ready) {
  asm volatile("{\n.reg .pred p; .reg .b32 r;\nWAIT: ld.acquire.gpu.global.b32 r, [%0];\n"
               "setp.eq.s32 p, r, 0;\n@p bra WAIT;\n}" ::"l"(ready)
               : "memory");
  data[0] = 1;
}

// CHECK-LABEL: {{^}}loadsAgain(
// CHECK: [SpinLoop]
__global__ void loadsAgain(float *data, int2 *ready) {
  int2 now;
  do
    asm volatile("ld.global.v2.s32 {%0, %1}, [%2];" : "=r"(now.x), "=r"(now.y) : "l"(ready) : "memory");
  while (!now.x);
  data[0] = now.y;
}

// CHECK-LABEL: {{^}}cached(
// CHECK: [SpinLoop]
__global__ void cached(float *data, const int *ready) {
  while (__ldcg(ready) == 0)
    ;
  data[0] = 1;
}

// Memory that is read again behind a fence, where the loop does nothing else.

// CHECK-LABEL: {{^}}fences(
// CHECK: [SpinLoop]
__global__ void fences(float *data, const int *ready) {
  while (*ready == 0)
    __threadfence();
  data[0] = 1;
}

// CHECK-LABEL: {{^}}fencesForAll(
// CHECK: [SpinLoop]
__global__ void fencesForAll(float *data, const int *ready, int n) {
  bool all;
  do {
    __threadfence();
    all = true;
    for (int i = 0; i < n; ++i)
      all &= ready[i] != 0;
  } while (!all);
  data[0] = 1;
}

// CHECK-LABEL: {{^}}tellsTheBlock(
// CHECK: [SpinLoop]
__global__ void tellsTheBlock(float *data, const int *ready) {
  __shared__ int now;
  do {
    if (threadIdx.x == 0)
      now = *ready;
    __syncthreads();
  } while (!now);
  data[0] = 1;
}

// A function that calls itself is a loop, too.
__device__ void recurses(volatile int *ready) {
  if (*ready == 0)
    recurses(ready);
}

// CHECK-LABEL: {{^}}recursion(
// CHECK: [SpinLoop]
__global__ void recursion(float *data, volatile int *ready) {
  recurses(ready);
  data[0] = 1;
}

// Who goes around waits if somebody frees places.

// CHECK-LABEL: {{^}}borrows(
// CHECK: [SpinLoop]
__global__ void borrows(float *data, int *busy, int n) {
  int slot = blockIdx.x % n;
  while (atomicCAS(&busy[slot], 0, 1) != 0)
    slot = (slot + 1) % n;
  data[slot] += 1;
  __threadfence();
  atomicExch(&busy[slot], 0);
}

// CHECK-LABEL: {{^}}receives(
// CHECK: [SpinLoop]
__global__ void receives(float *data, int *boxes, int n) {
  int i = blockIdx.x % n, message;
  while ((message = atomicExch(&boxes[i], 0)) == 0)
    i = (i + 1) % n;
  data[message] += 1;
}

// CHECK-LABEL: {{^}}goesAroundBySubtraction(
// CHECK: [SpinLoop]
__global__ void goesAroundBySubtraction(float *data, volatile int *ready, int n) {
  int i = blockIdx.x;
  while (!ready[i]) {
    i += 7;
    if (i >= n)
      i -= n;
  }
  data[i] = 1;
}

// CHECK-LABEL: {{^}}asksTwo(
// CHECK: [SpinLoop]
__global__ void asksTwo(float *data, volatile int *ready) {
  int i = blockIdx.x;
  while (!ready[i])
    i = 1 - i;
  data[i] = 1;
}

// CHECK-LABEL: {{^}}goesAroundByIncrement(
// CHECK: [SpinLoop]
__global__ void goesAroundByIncrement(float *data, volatile int *ready, unsigned *next, unsigned n) {
  unsigned i;
  do
    i = atomicInc(next, n - 1);
  while (!ready[i]);
  data[i] = 1;
}

struct Link {
  volatile int ready;
  Link *next;
};

// CHECK-LABEL: {{^}}goesAroundInACircle(
// CHECK: [SpinLoop]
__global__ void goesAroundInACircle(float *data, Link *link) {
  while (!link->ready)
    link = link->next;
  data[0] = 1;
}

// How much is added is known only when it runs.

// CHECK-LABEL: {{^}}weighs(
// CHECK: [SpinLoop]
__global__ void weighs(float *data, int *free, const int *needed) {
  const int mine = needed[blockIdx.x];
  while (atomicSub(free, mine) < mine)
    atomicAdd(free, mine);
  data[blockIdx.x] += 1;
  atomicAdd(free, mine);
}

// CHECK-LABEL: {{^}}addsOnce(
// CHECK: [SpinLoop]
__global__ void addsOnce(float *data, unsigned *arrived) {
  unsigned mine = 1;
  while (atomicAdd(arrived, mine) + mine < gridDim.x)
    mine = 0;
  data[0] = 1;
}

// CHECK-LABEL: {{^}}ends(
// CHECK: [SpinLoop]
__global__ void ends(int *left, const int *work) {
  __shared__ int now;
  int mine = 4;
  do {
    const int done = __syncthreads_count(mine > 0 && work[mine] > 0);
    --mine;
    if (threadIdx.x == 0)
      now = atomicSub(left, done) - done;
    __syncthreads();
  } while (now > 0);
}

// A step that is told in shared memory.

// CHECK-LABEL: {{^}}looksBackTogether(
// CHECK: [SpinLoop]
__global__ void looksBackTogether(unsigned *state, int *out) {
  __shared__ int ready;
  if (threadIdx.x == 0)
    atomicExch(&state[blockIdx.x], 1);
  for (int block = blockIdx.x - 1; block >= 0;) {
    if (threadIdx.x == 0)
      ready = __ldcg(&state[block]) != 0;
    __syncthreads();
    block -= ready;
    __syncthreads();
  }
  out[blockIdx.x] = 1;
}

// Other threads of the block wait for what is told.
// CHECK-LABEL: {{^}}relays(
// CHECK: [SpinLoop]
__global__ void relays(float *data, volatile int *ready) {
  __shared__ volatile int now, stop;
  if (threadIdx.x == 0)
    now = stop = 0;
  __syncthreads();
  if (threadIdx.x < 32)
    while (!stop) {
      const int read = *ready;
      if (threadIdx.x == 0)
        now = read;
    }
  else {
    while (!now)
      ;
    data[threadIdx.x] = 1;
    stop = 1;
  }
}

// Plain memory, in whole structures, too.

// CHECK-LABEL: {{^}}needs(
// CHECK: [SpinLoop]
__global__ void needs(float *data, const int *first, const int *needed, const int *done) {
  for (int i = first[blockIdx.x]; i < first[blockIdx.x + 1];) {
    __threadfence();
    if (done[needed[i]])
      ++i;
  }
  data[blockIdx.x] = 1;
}

// CHECK-LABEL: {{^}}pauses(
// CHECK: [SpinLoop]
__global__ void pauses(float *data, const int *ready) {
  for (int time = 32; *ready == 0;) {
    __nanosleep(time);
    if (time < 1024)
      time *= 2;
  }
  data[0] = 1;
}

struct Message {
  int ready;
  int4 content;
};

// CHECK-LABEL: {{^}}copies(
// CHECK: [SpinLoop]
__global__ void copies(float *data, const Message *messages) {
  Message now;
  do {
    __threadfence();
    now = messages[blockIdx.x];
  } while (!now.ready);
  data[0] = now.content.x;
}

// Marks.

// CHECK-LABEL: {{^}}notesLocks(
// CHECK: [SpinLoop]
__global__ void notesLocks(float *data, int *locks, const int *needed, int n, int *held) {
  int count = 0;
  do
    for (int i = 0; i < n; ++i)
      if (atomicCAS(&locks[needed[i]], 0, 1) == 0)
        held[count++] = needed[i];
  while (count < n);
  data[0] += 1;
  for (int i = 0; i < n; ++i)
    locks[held[i]] = 0;
}

// CHECK-LABEL: {{^}}gathersBits(
// CHECK: [SpinLoop]
__global__ void gathersBits(float *data, unsigned *bits, unsigned mine, unsigned all) {
  unsigned seen = 0;
  while ((seen |= atomicOr(bits, mine | seen) | mine) != all)
    ;
  data[0] = 1;
}

// How long to wait is counted.
// CHECK-LABEL: {{^}}givesUp(
// CHECK: [SpinLoop]
__global__ void givesUp(float *data, volatile int *ready, volatile int *stop) {
  for (long long turn = 0; turn < 1ll << 40; ++turn) {
    if (*ready)
      break;
    if (*stop)
      return;
  }
  data[0] = 1;
}

// A pointer leads to the function that tries.
__device__ int tries(int *lock) {
  if (atomicAdd(lock, 1) == 0)
    return 1;
  atomicSub(lock, 1);
  return 0;
}

// CHECK-LABEL: {{^}}triesByPointer(
// CHECK: [SpinLoop]
__global__ void triesByPointer(float *data, int *lock, int which) {
  int (*const ways[])(int *) = {tries, tries};
  while (!ways[which](lock))
    ;
  data[0] += 1;
}

// A step may be none.

// CHECK-LABEL: {{^}}stepsByAnArgument(
// CHECK: [SpinLoop]
__global__ void stepsByAnArgument(float *data, const volatile int *ready, int step) {
  for (int i = 0; ready[i] == 0; i += step)
    ;
  data[0] = 1;
}

// CHECK-LABEL: {{^}}countsByAnArgument(
// CHECK: [SpinLoop]
__global__ void countsByAnArgument(float *data, const volatile int *ready, int step, int n) {
  for (int i = 0; i < n && !*ready; i += step)
    data[i] += 1;
}

// CHECK-LABEL: {{^}}halvesByAnArgument(
// CHECK: [SpinLoop]
__global__ void halvesByAnArgument(float *data, const volatile int *ready, int by, int n) {
  for (int i = n; i && !*ready; i >>= by)
    data[i] += 1;
}

// CHECK-LABEL: {{^}}guardedOtherwise(
// CHECK: [SpinLoop]
__global__ void guardedOtherwise(float *data, const volatile int *ready, int step, int n) {
  if (step >= 0)
    for (int i = 0; i < n && !*ready; i += max(step, -1))
      data[i] += 1;
  if (step > 0)
    data[0] = 1;
}

// CHECK-LABEL: {{^}}takesAsManyAsItsNumber(
// CHECK: [SpinLoop]
__global__ void takesAsManyAsItsNumber(float *data, int *next, int n) {
  for (int i; (i = atomicAdd(next, blockIdx.x)) < n;)
    data[i] += 1;
}

// CHECK-LABEL: {{^}}takesAsManyAsItsCopySays(
// CHECK: [SpinLoop]
struct Taken {
  int *next, several;
};
__global__ void takesAsManyAsItsCopySays(Taken taken, float *data, int n) {
  taken.several *= blockIdx.x;
  for (int i; (i = atomicAdd(taken.next, taken.several)) < n;)
    data[i] += 1;
}

// CHECK-LABEL: {{^}}addsNothingUntilAnotherDoes(
// CHECK: [SpinLoop]
__global__ void addsNothingUntilAnotherDoes(float *data, int *done, int none, int n) {
  if (blockIdx.x > 0)
    while (atomicAdd(done, none) < n)
      ;
  data[0] = 1;
  atomicAdd(done, 1);
}

// CHECK-LABEL: {{^}}looksForATakenPlace(
// CHECK: [SpinLoop]
__global__ void looksForATakenPlace(float *data, int *table, unsigned size) {
  unsigned slot = 0;
  if (blockIdx.x == 0)
    atomicCAS(&table[3], -1, 5);
  else
    while (*(volatile int *)&table[slot] == -1)
      slot = (slot + 1) % size;
  data[slot] = 1;
}

// What is read tells the block by the hardware: by a copy, by a barrier.

// CHECK-LABEL: {{^}}copies(
// CHECK: [SpinLoop]
__global__ void copies(float *data, const int *ready) {
  __shared__ alignas(16) int copy[4];
  do {
    __pipeline_memcpy_async(copy, ready, 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __threadfence();
  } while (copy[0] == 0);
  data[0] = 1;
}

// CHECK-LABEL: {{^}}arrives(
// CHECK: [SpinLoop]
__global__ void arrives(float *data, const volatile int *ready) {
  __shared__ unsigned long long all;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&all);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  for (unsigned done = 0; !done;) {
    if (threadIdx.x == 0 && *ready)
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(at) : "memory");
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at)
                 : "memory");
  }
  data[0] = 1;
}

// The library's.

// CHECK-LABEL: {{^}}semaphore(
// CHECK: [SpinLoop]
__global__ void semaphore(float *data, cuda::counting_semaphore<cuda::thread_scope_device> *free) {
  free->acquire();
  data[0] += 1;
  free->release();
}

// CHECK-LABEL: {{^}}latch(
// CHECK: [SpinLoop]
__global__ void latch(float *data, cuda::latch<cuda::thread_scope_device> *all) {
  all->arrive_and_wait();
  data[0] += 1;
}

// CHECK-LABEL: {{^}}barrier(
// CHECK: [SpinLoop]
__global__ void barrier(float *data, cuda::barrier<cuda::thread_scope_device> *all) {
  all->arrive_and_wait();
  data[0] += 1;
}

// A sum of floats stands still where what is added is too small for it.

// CHECK-LABEL: {{^}}addsTooLittle(
// CHECK: [SpinLoop]
__global__ void addsTooLittle(float *c, int *o) {
  while (atomicAdd(c, 1e-30f) > 5)
    ;
  o[0] += 1;
  __threadfence();
  atomicExch(c, 0);
}

// A table that is constant leads to the function that waits.

__device__ int waitsForTheFlag(volatile int *flag) {
  while (*flag == 0)
    ;
  return 1;
}
__device__ int waitsForNothing(volatile int *) { return 0; }
__device__ int (*const waits[])(volatile int *) = {waitsForTheFlag, waitsForNothing};

// CHECK-LABEL: {{^}}waitsBehindATable(
// CHECK: [SpinLoop]
__global__ void waitsBehindATable(volatile int *flag, int *out, int n) { out[0] = waits[n & 1](flag); }

// A step by what an exchange has given may be none.

// CHECK-LABEL: {{^}}goesOnByWhatItGot(
// CHECK: [SpinLoop]
__global__ void goesOnByWhatItGot(int *length, int *out, int end) {
  for (int at = 0; at < end;) {
    const int got = atomicExch(&length[at], 0);
    out[at] = got;
    at += got;
  }
}
