// Levels of pyramids: cells of a level, and the records of their children in the one below.
//
// FAN is 4 for pictures and 8 for volumes. All children of a cell stand side by side, as one record of FAN slots.
#pragma once

#include "primitives/block.cuh"

enum { MOST_LEVELS = 32 };

// Cells along each axis.
struct Shape {
    u32 x, y, z;
};

DEVICE u64 raster(Shape s, u32 x, u32 y, u32 z) { return x + (u64)s.x * (y + (u64)s.y * z); }

// The cell of a slot: a child of the record that the slot is in.
DEVICE Shape cell_of_slot(Shape records, u64 slot) {
    const u64 record = slot / FAN;
    const u32 child = (u32)(slot % FAN);
    Shape cell;
    cell.x = (u32)(record % records.x) * 2 + child % 2;
    cell.y = (u32)(record / records.x % records.y) * 2 + child / 2 % 2;
    cell.z = (u32)(record / ((u64)records.x * records.y)) * (FAN == 8 ? 2 : 1) + child / 4;
    return cell;
}
