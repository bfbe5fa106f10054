// What C++17 has not.
#pragma once
template <class T> concept Small = sizeof(T) < 4;
__device__ inline int meet() { return __syncthreads_count(1); }
