#pragma once

/// True where thread `index` has an element.
__device__ inline bool inside(int index, int size) { return index < size; }
