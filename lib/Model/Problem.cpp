#include "cufuse/Model/Problem.h"

#include <algorithm>

namespace cufuse {

const SoloShape &ConstituentProblem::best() const {
  const SoloShape *Best = &Shapes.front();
  for (const SoloShape &Shape : Shapes)
    if (Shape.Microseconds > 0 && (Best->Microseconds <= 0 || Shape.Microseconds < Best->Microseconds))
      Best = &Shape;
  return *Best;
}

std::vector<BlockShape> blockChoices(BlockShape Given, bool Tunable, unsigned MaxThreads) {
  std::vector<BlockShape> Choices{Given};
  if (!Tunable || Given.Y > 1 || Given.Z > 1)
    return Choices;
  for (unsigned Threads : {64, 128, 192, 256, 384, 512, 640, 768, 896, 1024})
    if (Threads <= MaxThreads && Threads != Given.X)
      Choices.push_back({Threads, 1, 1});
  return Choices;
}

} // namespace cufuse
