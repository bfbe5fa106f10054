/// How often all blocks of a launch have come to its barrier, in the upper half; in the lower one, how many have this
/// time. Each array that launches store to has a count of its own (`placeOf`).
constexpr unsigned CufusePlaces = 1 << 14;
__device__ unsigned long long cufuse_arrivals[CufusePlaces];
