// The search for the longest time step that the bounds on time-dependent coefficients allow, on
// meshes and on tiles; the counterpart of src/levelset/evolution/step_search.rs.
#pragma once
#include "generated/step_search.cuh"

// The state of the search.
struct StepSearch {
    double allowed, too_long;
    double trial;  // the length of the step to examine next
    u32 trials;
    bool is_examined;  // whether `allowed` has been examined, and is not only the limit of a longer step

    // Starts a search for a step of at most `longest`.
    DEVICE explicit StepSearch(double longest)
        : allowed(0.0), too_long(longest), trial(longest), trials(0), is_examined(false) {}

    // Processes the limit that the coefficients impose during a step of length `trial`. Returns
    // true once the search has ended. `allowed` is then the length of the step.
    DEVICE bool learn(double limit) {
        const bool is_first = trials++ == 0;
        if (limit >= trial) {
            allowed = trial;
            is_examined = true;
            if (is_first) return true;
        } else {
            too_long = trial;
            // If the limit hardly grows for shorter steps, the search ends.
            const bool is_flat = !is_first && !is_examined && limit <= ENOUGH * allowed;
            if (limit > allowed) {
                allowed = limit;
                is_examined = false;
            }
            if (is_flat) return true;
        }
        const bool is_enough = too_long <= ENOUGH * allowed;
        // If all limits so far are 0, no step is short enough.
        if (is_enough || trials >= MOST_TRIALS || allowed <= 0.0) return true;
        trial = sqrt(allowed * too_long);
        return false;
    }
};
