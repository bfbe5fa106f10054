#include "driver.h"

#include <string>

namespace driver {
namespace {

std::vector<Case> &cases() {
  static std::vector<Case> all;
  return all;
}

using Bytes = std::vector<unsigned char>;

/// Every output of every problem, as bytes.
std::vector<Bytes> toHost(const Problems &problems) {
  std::vector<Bytes> all;
  for (const auto &problem : problems)
    for (const samples::Output &output : problem->outputs()) {
      Bytes &bytes = all.emplace_back(output.bytes);
      SAMPLES_REQUIRE(cudaMemcpy(bytes.data(), output.device, output.bytes, cudaMemcpyDeviceToHost));
    }
  return all;
}

/// What the first difference is; empty when there is none.
std::string firstDifference(const Problems &problems, const std::vector<Bytes> &unfused,
                            const std::vector<Bytes> &fused) {
  std::size_t index = 0;
  for (std::size_t constituent = 0; constituent < problems.size(); ++constituent)
    for (const samples::Output &output : problems[constituent]->outputs()) {
      const Bytes &expected = unfused[index], &got = fused[index];
      ++index;
      std::size_t differing = 0, first = 0;
      for (std::size_t byte = expected.size(); byte-- > 0;)
        if (expected[byte] != got[byte]) {
          ++differing;
          first = byte;
        }
      if (differing != 0) {
        char text[256];
        std::snprintf(text, sizeof(text),
                      "constituent %zu, %s: %zu of %zu bytes differ, the first at %zu: %02x, unfused %02x", constituent,
                      output.name, differing, expected.size(), first, got[first], expected[first]);
        return text;
      }
    }
  return {};
}

/// Runs the case with these numbers of blocks, unfused and fused, and prints one line.
bool run(const Case &theCase, const std::vector<unsigned> &blocks) {
  Problems problems;
  bool matching = true;
  std::printf("%s", theCase.name);
  for (std::size_t i = 0; i < theCase.makers.size(); ++i) {
    problems.push_back(theCase.makers[i](blocks[i]));
    matching &= blocks[i] == blocks[0];
  }
  std::printf(" grid=%s blocks", matching ? "match" : "differ");
  for (const auto &problem : problems)
    std::printf(" %u", problem->grid.x * problem->grid.y * problem->grid.z);
  std::printf(": ");
  std::fflush(stdout);

  for (const auto &problem : problems)
    problem->prepare();
  for (const auto &problem : problems)
    problem->launch(nullptr);
  SAMPLES_REQUIRE(cudaGetLastError());
  SAMPLES_REQUIRE(cudaDeviceSynchronize());
  const std::vector<Bytes> unfused = toHost(problems);

  for (const auto &problem : problems)
    problem->prepare();
  SAMPLES_REQUIRE(theCase.launchFused(problems));
  SAMPLES_REQUIRE(cudaDeviceSynchronize());
  std::string wrong = firstDifference(problems, unfused, toHost(problems));
  for (std::size_t i = 0; wrong.empty() && i < problems.size(); ++i)
    if (!problems[i]->check())
      wrong = "constituent " + std::to_string(i) + " does not agree with the CPU reference";
  std::printf("%s\n", wrong.empty() ? "equal" : wrong.c_str());
  return wrong.empty();
}

int usage(const char *program) {
  std::fprintf(stderr, "usage: %s list\n       %s run CASE [--blocks A [B] [A [B]]...]\n", program, program);
  return 2;
}

int dispatch(int argc, char **argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "list" && argc == 2) {
    for (const Case &theCase : cases())
      std::puts(theCase.name);
    return 0;
  }
  if (verb != "run" || argc < 3)
    return usage(argv[0]);
  const Case *found = nullptr;
  for (const Case &theCase : cases())
    if (argv[2] == std::string(theCase.name))
      found = &theCase;
  if (!found) {
    std::fprintf(stderr, "%s: no case %s\n", argv[0], argv[2]);
    return 2;
  }

  std::vector<std::vector<unsigned>> runs = {{48, 48}, {48, 77}, {91, 48}};
  if (argc > 3) {
    const std::size_t kernels = found->makers.size();
    if (argv[3] != std::string("--blocks") || argc == 4 || (argc - 4) % kernels != 0)
      return usage(argv[0]);
    runs.clear();
    for (int i = 4; i < argc; ++i) {
      const int blocks = std::atoi(argv[i]);
      if (blocks < 1)
        return usage(argv[0]);
      if ((i - 4) % kernels == 0)
        runs.emplace_back();
      runs.back().push_back(static_cast<unsigned>(blocks));
    }
  }
  bool right = true;
  for (const std::vector<unsigned> &blocks : runs)
    right &= run(*found, blocks);
  return right ? 0 : 1;
}

} // namespace

void add(Case newCase) { cases().push_back(std::move(newCase)); }

} // namespace driver

int main(int argc, char **argv) { return driver::dispatch(argc, argv); }
