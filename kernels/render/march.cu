// Ray marching through a volume, the counterpart of `shoot` and `march` in
// crates/view/src/render/march.rs. The hits are bitwise identical to those of the CPU.
//
// variants: LEVEL=0 | LEVEL=1
// variants: RULE=0 | RULE=1 | RULE=2 | RULE=3
#include "render/space_skipping.cuh"

// Finds the hit of each ray of a picture.
//
// Grid: the picture in rectangles of RAYS_WIDE x RAYS_TALL rays. Block: 128. Shared memory: none.
//
// t      [tall][wide] distance from the start of the ray; infinite if it hit nothing
// cubes  index of the cube that the ray hit; 2^32 - 1 if it hit nothing
// steps  number of positions examined; 0 if the ray misses the box of all occupied cubes
extern "C" __global__ void __launch_bounds__(128, 4)
    march_rays(Solid solid, SpaceSkipping guide, Frame frame, double* t, u32* cubes, u32* steps) {
    u32 column, row;
    if (!place_of(frame, column, row)) return;
    double found = infinity();
    u32 number = 0xffffffffu, looks = 0;
    GridTraversal course;
    if (course_of(solid, ray_of(frame, column, row), course)) {
        double now = course.begin;
        while (now < course.end) {
            looks++;
            i32 cube[3];
            course.cube(now, cube);
            double leave = course.end;
#pragma unroll
            for (u32 k = 0; k < 3; k++) leave = fmin(leave, course.leaves(k, cube[k]));
            const double met = meets(solid, course, cube, now, leave);
            if (met == met) {
                found = met;
                number = (u32)number_of(solid, cube[0], cube[1], cube[2]);
                break;
            }
            now = fmax(free_to(solid, guide, course, cube, now), leave);
        }
    }
    const u64 at = (u64)row * frame.wide + column;
    t[at] = found;
    cubes[at] = number;
    steps[at] = looks;
}
