// A bit for each cell of a grid, as a discriminator decides: the twin of crates/core/src/primitives/bits.rs.
//
// Defines: those of primitives/discriminator.cuh; KEEP, 1 for bits that were made before, of which those are kept that the
// discriminator finds active, too.
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
#include "primitives/words.cuh"

#ifndef KEEP
#define KEEP 0
#endif

// words[w] has the bits of the cells from 64 w on, in the order of memory; bits beyond the last cell are 0.
//
// Grid: a thread per word, rounded up. Block: 256 threads. Shared memory: none.
//
// asked    what tells active cells, with their values
// words    [n_words], n_words = cells / 64, rounded up; read with KEEP only
extern "C" __global__ void __launch_bounds__(BLOCK, 1) bits_of_cells(Discriminator asked, u64 n_words, u64* words) {
    const u64 slot = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 word = word_of_slot(asked, {0, 0, 0}, slot);
    if (slot < n_words) words[slot] = KEEP ? words[slot] & word : word;
}
