// Levels of pyramids: the cells of a level, and the records of their children in the level below.
//
// FAN is 4 for pictures (2 x 2 cells are combined) and 8 for volumes (2 x 2 x 2 cells). With LINES
// and a FAN of 4, four cells of a row are combined. All children of a cell are stored together as
// one record of FAN slots.
#pragma once

#include "primitives/block.cuh"
#include "generated/pyramid.cuh"

#ifndef LINES
#define LINES 0
#endif

// Returns child `c` of a cell.
DEVICE Shape child_of(Shape cell, u32 c) {
    Shape child;
    child.x = LINES ? cell.x * 4 + c : cell.x * 2 + c % 2;
    child.y = LINES ? cell.y : cell.y * 2 + c / 2 % 2;
    child.z = FAN == 8 ? cell.z * 2 + c / 4 : cell.z;
    return child;
}

// Returns the parent of a cell and sets `c` to the index of the cell among the children of that
// parent.
DEVICE Shape parent_of(Shape cell, u32& c) {
    c = LINES ? cell.x % 4 : cell.x % 2 + cell.y % 2 * 2 + (FAN == 8 ? cell.z % 2 * 4 : 0);
    return {cell.x / (LINES ? 4 : 2), LINES ? cell.y : cell.y / 2, FAN == 8 ? cell.z / 2 : cell.z};
}

// Returns the cell of a slot: a child of the record that contains the slot.
DEVICE Shape cell_of_slot(Shape records, u64 slot) {
    const u64 record = slot / FAN;
    Shape cell;
    cell.x = (u32)(record % records.x);
    cell.y = (u32)(record / records.x % records.y);
    cell.z = (u32)(record / ((u64)records.x * records.y));
    return child_of(cell, (u32)(slot % FAN));
}
