// size_t is built into NVRTC; ptrdiff_t and NULL are here.
#pragma once
#include <cuda/std/cstddef>

using cuda::std::ptrdiff_t;
#ifndef NULL
#define NULL 0
#endif
