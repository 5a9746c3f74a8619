// Choices as the lanes of the CPU make them: src/levelset/tiled/lanes.rs. Unlike fmin and fmax they
// say which operand comes out where one is not a number.
#pragma once
#include "common/real.cuh"

DEVICE real larger(real a, real b) { return a > b ? a : b; }
DEVICE real smaller(real a, real b) { return b > a ? a : b; }
