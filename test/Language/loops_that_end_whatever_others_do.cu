// Loops that look like those that wait for another block, and end whatever other blocks do.
// RUN: %cufuse inspect --full %s | %FileCheck %s '--implicit-check-not=[SpinLoop]'
// CHECK: stops(
#include <cuda/atomic>
#include <cuda/barrier>

using Word = unsigned long long;

// A counter ends the loop; that it may end before is no wait.

__global__ void stops(const int *keys, int *found, volatile int *stop, int n, int key) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if (*stop)
      return;
    if (keys[i] == key) {
      *found = i;
      *stop = 1;
    }
  }
}

__global__ void growing(int *queue, volatile int *tail, const int *first, const int *edges, int *marks) {
  for (int i = threadIdx.x; i < *tail; i += blockDim.x)
    for (int e = first[queue[i]]; e < first[queue[i] + 1]; ++e)
      if (!atomicExch(&marks[edges[e]], 1))
        queue[atomicAdd((int *)tail, 1)] = edges[e];
}

// So it does where its step is seen to be some.

__global__ void stepsAtLeastOne(float *data, const volatile int *stop, unsigned step, int by, int n) {
  for (unsigned i = threadIdx.x; i < n && !*stop; i += max(step, 1u) * gridDim.x)
    data[i] += 1;
  for (int i = threadIdx.x; i < n && !*stop; i += max(by, 1))
    data[i] += 1;
}

__global__ void stepsBehindAGuard(float *data, const volatile int *stop, int step, int by, int n) {
  if (step > 0)
    for (int i = threadIdx.x; i < n && !*stop; i += step)
      data[i] += 1;
  if (by <= 0)
    return;
  for (int i = threadIdx.x; i < n && !*stop; i += by * blockDim.x)
    data[i] += 1;
}

// What is read says nothing of how the loop goes on.

__global__ void most(const float *now, float *out, int rows, int n) {
  for (int row = 0; row < rows; ++row) {
    float most = -1;
    for (int i = 0; i < n; ++i)
      if (__ldcg(&now[i]) > most)
        most = __ldcg(&now[i]);
    out[row] = most;
  }
}

__global__ void appends(const int *in, int *out, int *count, int n, int capacity) {
  cuda::atomic_ref<int, cuda::thread_scope_device> size(*count);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (in[i] > 0)
      if (const int at = size.fetch_add(1, cuda::memory_order_relaxed); at < capacity)
        out[at] = i;
}

__global__ void firstReady(const volatile int *ready, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; ready[i] == 0; i += gridDim.x * blockDim.x)
    ;
  *found = i;
}

// Each turn takes one more.

__global__ void takesByLibrary(float *data, int *next, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(*next);
  for (int i; (i = counter.fetch_add(1, cuda::memory_order_relaxed)) < n;)
    data[i] += 1;
}

__global__ void takesUntilTheEnd(float *data, int *next, int *blocks, int n) {
  for (int i; (i = atomicAdd(next, 1)) < n;)
    data[i] += 1;
  if (atomicAdd(blocks, 1) == gridDim.x - 1)
    *next = 0;
}

__global__ void takesSeveral(float *data, int *next, int n) {
  for (int i; (i = atomicAdd(next, 2 * blockDim.x)) < n;)
    data[i] += 1;
}

// If it takes none, none does, and nobody waits for another.

__global__ void takesAsManyAsAnArgument(float *data, int *next, int several, int n) {
  for (int i; (i = atomicAdd(next, several * (int)blockDim.x)) < n;)
    data[i] += 1;
}

struct Queue {
  int *next, several;
  __device__ int take() { return atomicAdd(next, several); }
};

__global__ void takesForItsBlock(Queue queue, float *data, int n) {
  __shared__ int first;
  for (;;) {
    if (threadIdx.x == 0)
      first = queue.take();
    __syncthreads();
    for (int i = first + threadIdx.x; i < min(n, first + queue.several); i += blockDim.x)
      data[i] += 1;
    if (first >= n)
      return;
    __syncthreads();
  }
}

__global__ void takesByIncrement(float *data, unsigned *next, unsigned n) {
  for (unsigned i; (i = atomicInc(next, 0xffffffff)) < n;)
    data[i] += 1;
}

__global__ void takesInAssembly(float *data, int *next, int n) {
  for (int i;;) {
    asm volatile("atom.global.add.s32 %0, [%1], 1;" : "=r"(i) : "l"(next) : "memory");
    if (i >= n)
      return;
    data[i] += 1;
  }
}

__global__ void looksBeforeItTakes(float *data, int *heads, const int *tails, int queues) {
  for (int queue = 0; queue < queues; ++queue)
    while (*(volatile int *)&heads[queue] < tails[queue]) {
      const int i = atomicAdd(&heads[queue], 1);
      if (i >= tails[queue])
        break;
      data[i] += 1;
    }
}

// Another thread's success is all that makes one more turn.

__global__ void pushes(Word *head, Word *next, const int *ids) {
  const Word me = ids[threadIdx.x];
  Word old;
  do {
    old = *(volatile Word *)head;
    next[me] = old;
    __threadfence();
  } while (atomicCAS(head, old, me) != old);
}

__global__ void pops(Word *head, const Word *next, float *data) {
  Word old;
  do {
    old = *(volatile Word *)head;
    if (!old)
      return;
  } while (atomicCAS(head, old, next[old]) != old);
  data[old] = 1;
}

__global__ void mostByLibrary(float *most, const float *values) {
  cuda::atomic_ref<float, cuda::thread_scope_device> all(*most);
  const float mine = values[threadIdx.x];
  float old = all.load();
  while (old < mine && !all.compare_exchange_weak(old, mine))
    ;
}

// The first try comes before the loop.
__global__ void triesFirst(unsigned *word, unsigned more) {
  unsigned expected = *word, old = atomicCAS(word, expected, expected + more);
  while (old != expected) {
    expected = old;
    old = atomicCAS(word, expected, expected + more);
  }
}

__device__ int root(volatile int *parents, int i) {
  int at = parents[i];
  if (at != i)
    for (int before = i, next; at > (next = parents[at]); before = at, at = next)
      parents[before] = next;
  return at;
}

__global__ void joins(int *parents, const int2 *edges) {
  int a = root(parents, edges[threadIdx.x].x), b = root(parents, edges[threadIdx.x].y);
  bool again;
  do {
    again = false;
    if (a == b)
      break;
    if (a < b) {
      if (const int now = atomicCAS(&parents[b], b, a); now != b)
        b = now, again = true;
    } else if (const int now = atomicCAS(&parents[a], a, b); now != a)
      a = now, again = true;
  } while (again);
}

__global__ void joinsByMinimum(int *parents, int a, int b) {
  for (bool done = false; !done;) {
    while (parents[a] != a)
      a = parents[a];
    while (parents[b] != b)
      b = parents[b];
    done = true;
    if (a < b) {
      const int old = atomicMin(&parents[b], a);
      done = old == b;
      b = old;
    } else if (b < a) {
      const int old = atomicMin(&parents[a], b);
      done = old == a;
      a = old;
    }
  }
}

// From place to place.

__global__ void follows(int *volatile *list, float *data) {
  for (int *at = *list; at; at = *(int *volatile *)at)
    data[0] += 1;
}

__global__ void wraps(int *table, const int *keys, int size) {
  const int key = keys[threadIdx.x];
  for (int slot = key % size;;) {
    const int old = atomicCAS(&table[slot], -1, key);
    if (old == -1 || old == key)
      return;
    if (++slot == size)
      slot = 0;
  }
}

__global__ void displaces(int *table, const int *keys, unsigned size) {
  int key = keys[threadIdx.x];
  for (unsigned slot = key % size; key != -1; slot = key * 31u % size)
    key = atomicExch(&table[slot], key);
}

__global__ void climbs(const int *parents, int *visits, float *boxes, int n) {
  for (int i = parents[n + threadIdx.x]; i != -1; i = parents[i]) {
    if (atomicExch(&visits[i], 1) == 0)
      return;
    boxes[i] = boxes[2 * i] + boxes[2 * i + 1];
    __threadfence();
  }
}

// Keys are looked up, and put into free places.

__global__ void finds(int *keys, const int *wanted, int *out, unsigned size) {
  const int key = wanted[threadIdx.x];
  for (unsigned slot = key % size;; slot = (slot + 1) % size) {
    const int now = cuda::atomic_ref<int, cuda::thread_scope_device>(keys[slot]).load(cuda::memory_order_relaxed);
    if (now == key || now == -1) {
      out[threadIdx.x] = now == key ? slot : -1;
      return;
    }
  }
}

struct Slot {
  int key;
  float value;
};

__global__ void storesBesideTheKey(Slot *table, const Slot *entries, unsigned size) {
  const Slot entry = entries[threadIdx.x];
  for (unsigned slot = entry.key % size;; slot = (slot + 1) % size) {
    const int old = atomicCAS(&table[slot].key, -1, entry.key);
    if (old == -1 || old == entry.key) {
      table[slot].value = entry.value;
      return;
    }
  }
}

__global__ void looksBeforeItInserts(int *keys, const int *wanted, unsigned size) {
  const int key = wanted[threadIdx.x];
  for (unsigned slot = key % size;; slot = (slot + 1) % size) {
    cuda::atomic_ref<int, cuda::thread_scope_device> place(keys[slot]);
    const int now = place.load(cuda::memory_order_relaxed);
    int empty = -1;
    if (now == key)
      return;
    if (now == -1 && (place.compare_exchange_strong(empty, key, cuda::memory_order_relaxed) || empty == key))
      return;
  }
}

__global__ void searches(const int *sorted, const int *wanted, int *out, int n) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (__ldcg(&sorted[middle]) < wanted[threadIdx.x])
      low = middle + 1;
    else
      high = middle;
  }
  out[threadIdx.x] = low;
}

__global__ void mostWithoutBreak(float *most, const float *values) {
  const float mine = values[threadIdx.x];
  int old = __float_as_int(*most);
  while (mine > __int_as_float(old))
    old = atomicCAS((int *)most, old, __float_as_int(mine));
}

// Fences in loops that have something to do.

__global__ void halves(float *data, const float *limit) {
  float mine = data[threadIdx.x];
  while (__syncthreads_or(mine > limit[0]))
    mine *= .5f;
  data[threadIdx.x] = mine;
}

__global__ void relaxes(float *data, const float *factors, float tolerance) {
  __shared__ float values[64], error;
  do {
    values[threadIdx.x] = factors[threadIdx.x] * values[(threadIdx.x + 1) % 64];
    __syncthreads();
    if (threadIdx.x == 0)
      error = values[0] - values[1];
    __syncthreads();
  } while (error > tolerance);
  data[threadIdx.x] = values[threadIdx.x];
}

// Within the block.

__global__ void swapsBuffers(const int *in, int *out) {
  __shared__ int first[64], second[64];
  volatile int *from = first, *to = second;
  from[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  while (from[0] > 1) {
    to[threadIdx.x] = from[threadIdx.x] / 2;
    __syncthreads();
    volatile int *swapped = from;
    from = to;
    to = swapped;
  }
  out[threadIdx.x] = from[threadIdx.x];
}

__global__ void blockBarrier(float *data, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  if (threadIdx.x == 0)
    init(&all, blockDim.x);
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    all.arrive_and_wait();
    data[i] += 1;
  }
}

// So does one whose turns are counted in memory, or that leaves some out, whatever barrier is in it.

__global__ void barrierOfRows(const int *row, const float *v, float *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ float s[64];
  if (threadIdx.x == 0)
    init(&all, blockDim.x);
  __syncthreads();
  float sum = 0;
  for (int j = row[blockIdx.x]; j < row[blockIdx.x + 1]; ++j) {
    s[threadIdx.x] = v[j * 64 + threadIdx.x];
    all.arrive_and_wait();
    sum += s[63 - threadIdx.x];
    all.arrive_and_wait();
  }
  o[blockIdx.x * 64 + threadIdx.x] = sum;
}

__global__ void barrierOfSome(const int *use, const float *v, float *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> all;
  __shared__ float s[64];
  if (threadIdx.x == 0)
    init(&all, blockDim.x);
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 16; ++j) {
    if (!use[j])
      continue;
    s[threadIdx.x] = v[j * 64 + threadIdx.x];
    all.arrive_and_wait();
    sum += s[63 - threadIdx.x];
    all.arrive_and_wait();
  }
  o[blockIdx.x * 64 + threadIdx.x] = sum;
}
