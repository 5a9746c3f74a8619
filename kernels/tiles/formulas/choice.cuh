// Choices as the lanes of the CPU make them: src/levelset/tiled/lanes.rs. Unlike fmin and fmax they
// say which operand comes out where one is not a number.
#pragma once
#include "common/real.cuh"

DEVICE double larger(double a, double b) { return a > b ? a : b; }
DEVICE double smaller(double a, double b) { return b > a ? a : b; }

// In f32, which is not compared bit by bit, one instruction instead of two.
DEVICE float larger(float a, float b) { return fmax(a, b); }
DEVICE float smaller(float a, float b) { return fmin(a, b); }
