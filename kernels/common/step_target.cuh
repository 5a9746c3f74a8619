// The step up to a target time.
#pragma once
#include "common/real.cuh"

// A step, or all the rest to what is due if the step would leave less than a millionth of it: the twin of up_to in
// src/levelset/evolution/step_target.rs.
DEVICE double up_to(double dt, double rest) { return dt < rest * (1.0 - 1e-6) ? dt : rest; }
