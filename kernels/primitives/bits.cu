// One bit per cell of a grid, as decided by a discriminator: the counterpart of
// crates/core/src/primitives/bits.rs.
//
// Defines: those of primitives/discriminator.cuh; KEEP, 1 to combine the result with existing bits,
// so that only the bits of active cells stay set.
//
// variants: DISCRIMINATOR=0
//     | DISCRIMINATOR=1, VALUE=double | DISCRIMINATOR=2, VALUE=double
//     | DISCRIMINATOR=3, VALUE=double | DISCRIMINATOR=4, VALUE=u8 | DISCRIMINATOR=4, VALUE=double
//     | DISCRIMINATOR=5
// variants: KEEP=0 | KEEP=1
// generated: predicate
#define FAN 4
#define LINES 1
#define PARTIAL 0
#include "primitives/bit_words.cuh"

#ifndef KEEP
#define KEEP 0
#endif

// Computes the bits of all cells: words[w] has the bits of the 64 cells that start at cell 64 w, in
// the order of memory. Bits beyond the last cell are 0.
//
// Grid: one thread per word, rounded up. Block: 256 threads. Shared memory: none.
//
// asked    the discriminator, with its values
// words    [n_words], n_words = cells / 64, rounded up; read only with KEEP
extern "C" __global__ void __launch_bounds__(BLOCK, 1) bits_of_cells(Discriminator asked, u64 n_words, u64* words) {
    const u64 slot = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 word = word_of_slot(asked, {0, 0, 0}, slot);
    if (slot < n_words) words[slot] = KEEP ? words[slot] & word : word;
}
