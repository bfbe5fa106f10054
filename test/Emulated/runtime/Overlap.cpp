// Launches that begin before the one before them has ended (programmatic dependent launch), as late as memory may be for
// them: until a block waits, it sees what was there before the first block that let it begin had done anything more.
#include "Scheduler.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace cuda_emulated {

namespace {

std::map<unsigned char *, std::size_t> allocated; // of the device, in bytes
using Memory = std::map<unsigned char *, std::vector<unsigned char>>;
/// What the next launch finds, if it may begin before the one that runs, or ran last, has ended.
std::optional<Memory> atTrigger;
/// What blocks of the launch that runs find until they wait, or while they do, what is behind the wait.
std::optional<Memory> other;
bool isEarly = false; ///< The block that runs has not waited.
std::vector<unsigned> waiting;

void exchange() {
  for (auto &[memory, bytes] : *other)
    std::swap_ranges(bytes.begin(), bytes.end(), memory);
  isEarly = !isEarly;
}

} // namespace

void noteAllocation(void *memory, std::size_t bytes) { allocated[static_cast<unsigned char *>(memory)] = bytes; }
void forgetAllocation(void *memory) {
  for (std::optional<Memory> *each : {&atTrigger, &other})
    if (*each)
      (*each)->erase(static_cast<unsigned char *>(memory));
  allocated.erase(static_cast<unsigned char *>(memory));
}

void beginOverlap(bool overlaps) {
  other = overlaps ? std::exchange(atTrigger, std::nullopt) : std::nullopt;
  atTrigger.reset();
}
void beginEarly() {
  if (other)
    exchange();
}
void endEarly() {
  if (!isEarly)
    return;
  exchange();
  for (const unsigned thread : std::exchange(waiting, {}))
    wake(thread);
}

void letNextBegin() {
  if (atTrigger)
    return;
  atTrigger.emplace();
  for (const auto &[memory, bytes] : allocated)
    (*atTrigger)[memory].assign(memory, memory + bytes);
}
void awaitLast() {
  if (!isEarly)
    return;
  waiting.push_back(current);
  suspend();
}

} // namespace cuda_emulated
