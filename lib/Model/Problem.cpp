#include "cufuse/Model/Problem.h"

#include <algorithm>
#include <array>

namespace cufuse {

const SoloShape &ConstituentProblem::best() const {
  const SoloShape *Best = &Shapes.front();
  for (const SoloShape &Shape : Shapes)
    if (Shape.Microseconds > 0 && (Best->Microseconds <= 0 || Shape.Microseconds < Best->Microseconds))
      Best = &Shape;
  return *Best;
}

std::vector<BlockShape> blockChoices(std::vector<BlockShape> Allowed) {
  constexpr size_t Many = 16;
  constexpr std::array Tried = {64, 128, 192, 256, 384, 512, 640, 768, 896, 1024};
  if (Allowed.size() <= Many)
    return Allowed;
  const BlockShape Given = Allowed.front();
  std::erase_if(Allowed, [&](const BlockShape &Shape) {
    return Shape != Given && std::find(Tried.begin(), Tried.end(), Shape.threads()) == Tried.end();
  });
  return Allowed;
}

} // namespace cufuse
