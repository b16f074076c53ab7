// INT_MAX and its like, for NVRTC, which has no C library.
#pragma once
#include <cuda/std/climits>
