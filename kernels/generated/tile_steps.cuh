// Printed from src/levelset/tiled/motion.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// Steps after which tiles that are not needed go.
enum { TIDY_EVERY = 64 };

// By how much the speed at the end of a step may exceed the one it was bounded by.
#define GROWTH 1.25
