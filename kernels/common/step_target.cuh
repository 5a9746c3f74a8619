// The length of a step that must not pass a target time.
#pragma once
#include "common/real.cuh"

// Returns dt, or all of rest (the time left to the target) if the step would leave less than a
// millionth of it; the counterpart of up_to in src/levelset/evolution/step_target.rs.
DEVICE double up_to(double dt, double rest) { return dt < rest * (1.0 - 1e-6) ? dt : rest; }
