// The length of a step that must not pass a target time.
#pragma once
#include "common/real.cuh"

// Returns dt, or `rest` (the time left until the target) if dt is longer or would leave at most a
// millionth of `rest`; the counterpart of up_to in src/levelset/evolution/step_target.rs.
DEVICE double up_to(double dt, double rest) { return dt < rest * (1.0 - 1e-6) ? dt : rest; }
