/// The fewest blocks that play all of a kernel's in as many rounds as `most` would: the last round is as full as can be.
unsigned inEvenRounds(unsigned blocks, unsigned most) {
  const unsigned rounds = (blocks + most - 1) / most;
  return (blocks + rounds - 1) / rounds;
}
