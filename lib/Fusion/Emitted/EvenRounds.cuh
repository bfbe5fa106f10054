/// The fewest blocks that play all of a kernel in as many rounds as `most` blocks would, so that the last round is full, too.
unsigned inEvenRounds(unsigned blocks, unsigned most) {
  const unsigned rounds = (blocks + most - 1) / most;
  return (blocks + rounds - 1) / rounds;
}
