// One runner for each GPU, each on a thread of its own, for schedules in whatever order they come.
#pragma once

#include "cufuse/Runner/Runner.h"
#include "cufuse/Support/BusyClock.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cufuse {

/// Times are put on one scale: clocks drift and GPUs differ, so each time is multiplied by (the first GPU's time of the
/// reference / the samples of the reference taken in turn with it).
class RunnerPool {
public:
  using Done = std::function<void(const RunOutcome &)>;

  /// Begins to make the job's buffers on each GPU; its schedules are not looked at. `Busy` hears of every runner that
  /// works.
  RunnerPool(std::vector<RunnerOptions> Devices, RunnerJob Job, BusyClock &Busy);
  /// Forgets the schedules that were not begun.
  ~RunnerPool();

  bool hasGpu() const { return !Devices.empty(); }
  bool hasSeveralGpus() const { return Devices.size() > 1; }
  /// What outputs are compared with and times are interleaved with. Once; schedules wait for it.
  void setReference(Schedule Schedule);
  /// `Finished` is called on the GPU's thread. What it needs must outlive the pool.
  void submit(Schedule Next, Done Finished);
  /// Runs all of them and waits. As many outcomes as schedules.
  std::vector<RunOutcome> run(std::vector<Schedule> Schedules);
  /// The same on one GPU, and sampled in rounds: once each in every round. Their times are as that GPU took them, by a
  /// stopping rule for all of them; each is checked alone before, so that what fails takes no other with it.
  std::vector<RunOutcome> runInTurn(std::vector<Schedule> Schedules);
  /// Which GPUs were left out, since nothing could be run there, and why: a sentence each. What they were given is run
  /// on the others. The last one answers with why not.
  std::vector<std::string> notes();
  /// Puts such a time on the scale of the others.
  RunOutcome onScale(Schedule::Kind How, RunOutcome Outcome);

private:
  /// What one GPU runs in one go.
  struct Batch {
    std::vector<std::pair<Schedule, Done>> Schedules;
    bool InTurn = false; ///< Sampled in rounds, and not scaled.
  };

  void serve(const RunnerOptions &Device, const std::stop_token &Stop);
  void timeInTurn(Runner &Gpu, const Batch &Some, std::vector<RunOutcome> &Outcomes);
  /// Gives what was not done to the others; false if there are none.
  bool leave(const RunnerOptions &Device, const std::string &Why, Batch &Undone);
  void submit(Batch Next);
  std::vector<RunOutcome> await(std::vector<Schedule> Schedules, bool InTurn);

  const std::vector<RunnerOptions> Devices;
  const RunnerJob Job;
  BusyClock &Busy;
  std::mutex Lock;
  std::condition_variable_any Changed;
  std::optional<Schedule> Reference;
  std::deque<Batch> Waiting;
  size_t Serving; ///< GPUs that were not left out.
  std::vector<std::string> Notes;
  double ReferenceMicroseconds = 0; ///< The first that was measured.
  std::vector<std::jthread> Threads;
};

} // namespace cufuse
