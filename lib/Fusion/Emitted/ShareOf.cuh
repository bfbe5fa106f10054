/// The share of `own` of `left` blocks, 0 < own < left < 2^31, that are left of `all` blocks of the launch. Blocks go round
/// the multiprocessors; the pattern of the share repeats after one block less than some rounds, so that it falls on the next
/// multiprocessor each time and every one gets its part. (In step with the rounds, each would play one kernel only.) A
/// period holds a whole number of own blocks, one more of them before the turn than behind it.
CufuseShare shareOf(unsigned own, unsigned left, unsigned all, unsigned multiprocessors) {
  const unsigned long long least = own < left - own ? own : left - own, gap = (left + least - 1) / least;
  const unsigned long long round = (1ull * multiprocessors * left + all - 1) / all;
  const unsigned long long period = (gap + round) / round * round - 1, whole = own * period / left;
  const unsigned turn = static_cast<unsigned>(own * period - whole * left);
  const auto slope = [period](unsigned long long part) { return ((part << 32) + period - 1) / period; };
  return {turn * (slope(whole + 1) - slope(whole)), static_cast<unsigned>(slope(whole)),
          static_cast<unsigned>(slope(whole + 1)), turn};
}
