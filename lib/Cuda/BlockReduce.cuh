/// A block has so many threads: a reduction is of these, for however many more the text has room.
namespace cub {
using namespace ::cub;
template <typename T, int Given> using BlockReduce = ::cub::BlockReduce<T, CUFUSE_BLOCK>;
} // namespace cub
