// NVRTC knows malloc, free and abs by itself.
#pragma once
#include <stddef.h>
