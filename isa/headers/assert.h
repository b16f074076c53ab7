// NVRTC defines assert itself: a failing one calls __assertfail, which the GPU's driver provides.
#pragma once
