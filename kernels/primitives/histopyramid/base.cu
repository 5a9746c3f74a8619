// The lowest level of a HistoPyramid, computed directly from values: the counterpart of
// crates/core/src/primitives/histopyramid.
//
// At the end of an axis, records may have empty slots, which count as 0.
//
// Defines: those of primitives/bit_words.cuh.
//
// variants: FAN=4, LINES=0 | FAN=8, LINES=0 | FAN=4, LINES=1
// variants: PARTIAL=0 | PARTIAL=1
// variants: DISCRIMINATOR=0
//     | DISCRIMINATOR=1, VALUE=double | DISCRIMINATOR=2, VALUE=double
//     | DISCRIMINATOR=3, VALUE=double | DISCRIMINATOR=4, VALUE=u8 | DISCRIMINATOR=4, VALUE=double
//     | DISCRIMINATOR=5
// generated: predicate
#include "primitives/bit_words.cuh"

// Computes the word of each slot, and the number of its set bits or, with PARTIAL, the prefix sum
// of these numbers within the record.
//
// Grid: one thread per slot, rounded up. Block: 256 threads. Shared memory: none.
//
// asked    the discriminator, with its values
// words    [records][FAN]
// sums     [records][FAN]
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
histopyramid_base(Discriminator asked, Shape records, u64* words, u32* sums) {
    const u64 slot = (u64)blockIdx.x * BLOCK + threadIdx.x;
    const u64 n_slots = raster(records, 0, 0, records.z) * FAN;
    const u64 word = word_of_slot(asked, records, slot);
    const u32 sum = stored_sum(count_bits(word));
    if (slot < n_slots) {
        words[slot] = word;
        sums[slot] = sum;
    }
}
