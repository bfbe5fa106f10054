// The emulator's own interface: what the headers here and translated sources call. One fibre per CUDA thread, one block
// at a time. Errors end the program with a report and the status cuda_emulated::ErrorStatus.
#pragma once

namespace cuda_emulated {

constexpr int ErrorStatus = 87;

/// The dynamic shared memory of the block that runs, in the section of all shared memory.
constexpr unsigned MaxSharedBytes = 227 * 1024;
extern unsigned char dynamicShared[];

struct LaunchShape {
  dim3 grid, block;
  std::size_t dynamicBytes = 0;
  unsigned cluster = 1; ///< Blocks of a cluster, next to each other in x.
  bool cooperative = false;
  bool overlaps = false; ///< It may begin before the launch before it has ended, if that lets it.
  /// Blocks that take turns, next to each other in x.
  unsigned together() const { return cooperative ? grid.x : cluster; }
};

/// Runs every block of a grid; `thread(context)` is one thread. False if no such launch is possible on a GPU.
bool runGrid(const LaunchShape &shape, void (*thread)(void *context), void *context);

/// A kernel launches: `thread` runs when the grid is through, after what its block has launched before. The grid is
/// complete when all that its kernel launched is.
bool isRunning();
void launchLater(const LaunchShape &shape, void (*thread)(void *context), void *context,
                 void (*destroy)(void *context));

/// Prints `emulated: …` with the block and the thread that run, and ends the program.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Lets another thread of the block run. `mayYield` does so now and then.
void yield();
void mayYield();
/// A thread that looked in vain whether `address` has changed. When all that is left does so, it is a deadlock.
void poll(const void *address, const char *what);
/// Something happened that a polling thread may wait for.
void progress();

/// The thread that runs: its place in the block.
unsigned linearThread();
[[noreturn]] void exitThread();

enum class BarrierKind : unsigned char { Sync, Count, And, Or, Arrive };
/// A hardware barrier (PTX ISA, barrier.cta). `count` 0: all threads of the block that have not exited.
unsigned barrier(unsigned id, unsigned count, BarrierKind kind, bool predicate = false);

/// What the lanes of a warp exchange when all those of `mask` have come.
struct Exchange {
  unsigned mask; ///< As the program said it, without lanes that have exited.
  unsigned long long value[32], result[32];
  unsigned argument[32];
};
using Finish = void (*)(Exchange &);
unsigned long long exchange(const char *name, unsigned mask, Finish finish, unsigned long long value,
                            unsigned argument = 0);
/// The lanes of the warp that are here together.
unsigned activeMask();

/// An operand of an inline assembly statement.
struct Operand {
  unsigned long long value = 0;
  void *target = nullptr;
  unsigned size;

  template <typename T> Operand(const char *constraint, T &&operand) : size(sizeof(operand)) {
    static_assert(sizeof(operand) <= 8, "operand of more than 64 bits");
    auto *const place = (void *)&operand; // whatever its qualifiers, __restrict__ among them
    std::memcpy(&value, place, sizeof(operand));
    if (constraint[0] == '=' || constraint[0] == '+')
      target = place;
  }
};
class Program; ///< The parsed text of an inline assembly statement.
const Program &parseAssembly(const char *text);
void runAssembly(const Program &program, Operand *operands, unsigned count);
template <typename... Operands> void assemble(const Program &program, Operands... operands) {
  Operand all[sizeof...(operands) + 1] = {operands..., Operand("", 0)};
  runAssembly(program, all, sizeof...(operands));
}

/// What `kernel<<<grid, block, dynamicBytes, stream>>>(arguments…)` becomes.
class Launcher {
public:
  Launcher(dim3 grid, dim3 block, std::size_t dynamicBytes = 0, const void * /*stream*/ = nullptr)
      : Shape{grid, block, dynamicBytes} {}

  template <typename Kernel, typename... Arguments> void run(Kernel kernel, Arguments... arguments) {
    launch([=]() mutable { kernel(arguments...); });
  }

private:
  template <typename Thread> void launch(Thread thread) {
    const auto run = [](void *context) { (*static_cast<Thread *>(context))(); };
    if (isRunning())
      launchLater(Shape, run, new Thread(thread), [](void *context) { delete static_cast<Thread *>(context); });
    else
      report(runGrid(Shape, run, &thread));
  }
  static void report(bool possible);
  LaunchShape Shape;
};

} // namespace cuda_emulated
