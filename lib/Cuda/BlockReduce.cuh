/// A block has so many threads: a reduction is of these, for however many more the text has room.
namespace cub {
using namespace ::cub;
template <typename T, int Given, ::cub::BlockReduceAlgorithm How = ::cub::BLOCK_REDUCE_WARP_REDUCTIONS, int... More>
using BlockReduce =
    ::cub::BlockReduce<T, How == ::cub::BLOCK_REDUCE_WARP_REDUCTIONS && sizeof...(More) == 0 ? CUFUSE_BLOCK : Given,
                       How, More...>;
} // namespace cub
