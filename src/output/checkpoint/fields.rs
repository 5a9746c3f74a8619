//! The encoding of a checkpoint: fields in a fixed order, with each list preceded by its length.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use super::container::REMEDY;
use super::{Checkpoint, Hash, Identity, Position, State, Work, Written};
use crate::error::{Flaw, Result};
use crate::grid::Parts;
use crate::io::bytes::Cursor;
use crate::levelset::evolution::{MapState, Snapshot, Totals};
use crate::levelset::tiled::{Phi, Seconds as TiledSeconds, TiledSnapshot};
use crate::levelset::volume::{VolumeState, VolumeTotals};
use crate::output::measures::Prefix;
use crate::output::{Measures, Seconds};

/// A value that can be encoded in a checkpoint.
trait Field: Sized {
    fn put(&self, out: &mut dyn Write) -> io::Result<()>;
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw>;
}

macro_rules! number {
    ($($type:ident),*) => {$(
        impl Field for $type {
            fn put(&self, out: &mut dyn Write) -> io::Result<()> {
                out.write_all(&self.to_le_bytes())
            }
            fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
                from.$type(stringify!($type))
            }
        }
    )*};
}
number!(i16, u32, i64, f32, f64);

/// A single `u64` is a count or a length. Values that no run can reach are refused, so additions to
/// a value that was read cannot overflow.
impl Field for u64 {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.to_le_bytes())
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        let count = from.u64("u64")?;
        match count >> 62 {
            0 => Ok(count),
            _ => Err(from.fail(format!("a count of {count}, which no run reaches"), REMEDY)),
        }
    }
}

impl Field for bool {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&[u8::from(*self)])
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        match from.take(1, "yes or no")? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(from.fail("expected 0 or 1", REMEDY)),
        }
    }
}

impl Field for Hash {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self)
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        let mut hash = [0; 32];
        hash.copy_from_slice(from.take(32, "a hash")?);
        Ok(hash)
    }
}

/// Reads the length of a list whose entries take at least `size` bytes each. Fails if the rest of
/// the file is too short for them.
fn length(from: &mut Cursor<'_>, size: usize, what: &str) -> Result<usize, Flaw> {
    let count = from.u64("the length of a list")?;
    from.promised(count, size, what)
}

impl Field for String {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.len() as u64).put(out)?;
        out.write_all(self.as_bytes())
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        let n = length(from, 1, "bytes of text")?;
        let text = from.take(n, "text")?.to_vec();
        String::from_utf8(text).map_err(|_| from.fail("text that is not UTF-8", REMEDY))
    }
}

/// The number of values that are written per call.
const BLOCK: usize = 1 << 12;

/// Implements [`Field`] for vectors of numbers.
macro_rules! numbers {
    ($($type:ident),*) => {$(
        impl Field for Vec<$type> {
            fn put(&self, out: &mut dyn Write) -> io::Result<()> {
                (self.len() as u64).put(out)?;
                let mut bytes = Vec::with_capacity(BLOCK * size_of::<$type>());
                self.chunks(BLOCK).try_for_each(|numbers| {
                    bytes.clear();
                    bytes.extend(numbers.iter().flat_map(|x| x.to_le_bytes()));
                    out.write_all(&bytes)
                })
            }
            fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
                let n = length(from, size_of::<$type>(), "numbers")?;
                let mut numbers = Vec::with_capacity(n);
                for _ in 0..n {
                    numbers.push(from.$type(stringify!($type))?);
                }
                Ok(numbers)
            }
        }
    )*};
}
numbers!(i16, u32, u64, f32, f64);

impl Field for Vec<u8> {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.len() as u64).put(out)?;
        out.write_all(self)
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        let n = length(from, 1, "bytes")?;
        Ok(from.take(n, "bytes")?.to_vec())
    }
}

/// Packs eight values into each byte, the first one into the lowest bit.
impl Field for Vec<bool> {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.len() as u64).put(out)?;
        let byte = |bits: &[bool]| {
            bits.iter().enumerate().fold(0, |byte, (k, &bit)| byte | u8::from(bit) << k)
        };
        self.chunks(8).try_for_each(|bits| out.write_all(&[byte(bits)]))
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        let n = from.u64("the length of a list")?;
        let n_bytes = from.promised(n.div_ceil(8), 1, "bytes of bits")?;
        let bytes = from.take(n_bytes, "bits")?;
        Ok((0..n as usize).map(|k| bytes[k / 8] >> (k % 8) & 1 == 1).collect())
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        self.0.put(out)?;
        self.1.put(out)
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        Ok((A::get(from)?, B::get(from)?))
    }
}

/// A pair takes at least 16 bytes, because each of its parts is a number of 8 bytes, a string or a
/// hash.
impl<A: Field, B: Field> Field for Vec<(A, B)> {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.len() as u64).put(out)?;
        self.iter().try_for_each(|pair| pair.put(out))
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        let n = length(from, 16, "pairs")?;
        (0..n).map(|_| Field::get(from)).collect()
    }
}

impl Field for BTreeMap<String, String> {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        (self.len() as u64).put(out)?;
        self.iter().try_for_each(|(key, value)| {
            key.put(out)?;
            value.put(out)
        })
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        Ok(Vec::<(String, String)>::get(from)?.into_iter().collect())
    }
}

impl<T: Field> Field for Option<T> {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        self.is_some().put(out)?;
        self.as_ref().map_or(Ok(()), |value| value.put(out))
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        Ok(if bool::get(from)? { Some(T::get(from)?) } else { None })
    }
}

/// Implements [`Field`] for a struct. Its fields are written in the order listed.
macro_rules! record {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl Field for $type {
            fn put(&self, out: &mut dyn Write) -> io::Result<()> {
                $(self.$field.put(out)?;)*
                Ok(())
            }
            fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
                Ok($type { $($field: Field::get(from)?),* })
            }
        }
    };
}

record!(Identity { case_hash, settings, n_vertices, n_cells, mesh, arrays, initial, patches });
record!(Position { next_output, time, steps, dt, state_due, measures_due, ended_by });
record!(Prefix { bytes, hash });
record!(Written { states, measures });
record!(Seconds { read, partition, setup, reinitialize, evolve, output, total });
record!(Measures {
    step,
    time,
    dt,
    interface,
    enclosed,
    components,
    euler_number,
    band_vertices,
    active_patches,
    phi_min,
    phi_max,
});
record!(Totals {
    evolve_seconds,
    reinitialize_seconds,
    cell_updates,
    reinitializations,
    iterations,
    map_restarts
});
record!(Snapshot {
    precision_bits,
    time,
    step,
    displacement,
    steps_since,
    gone,
    phi,
    in_band,
    totals,
    volume,
    map,
});
record!(MapState { start, map, home });
record!(VolumeState { labels, was_inside, references, totals });
record!(VolumeTotals {
    corrections,
    volume,
    reference,
    added,
    shifts,
    largest_shift,
    lost,
    entered
});
record!(Parts { keys, borders, ages, background });
record!(TiledSeconds { blocks, speed, stages, reinitialize });
record!(TiledSnapshot { edge, tiles, phi, time, steps, seconds });
record!(Work { is_extinct, voxel_updates, reinitializations, most_tiles, most_bytes });
record!(Checkpoint { program, identity, position, written, seconds, first, last, state });

impl Field for Phi {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Phi::Fixed16(values) => {
                16_u32.put(out)?;
                values.put(out)
            }
            Phi::F32(values) => {
                32_u32.put(out)?;
                values.put(out)
            }
            Phi::F64(values) => {
                64_u32.put(out)?;
                values.put(out)
            }
        }
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        match u32::get(from)? {
            16 => Vec::get(from).map(Phi::Fixed16),
            32 => Vec::get(from).map(Phi::F32),
            64 => Vec::get(from).map(Phi::F64),
            _ => Err(from.fail("expected numbers of 16, 32 or 64 bits", REMEDY)),
        }
    }
}

/// Writes a flag that states whether the run is on tiles, followed by the state.
impl Field for State {
    fn put(&self, out: &mut dyn Write) -> io::Result<()> {
        matches!(self, State::Tiles(..)).put(out)?;
        match self {
            State::Mesh(snapshot) => snapshot.put(out),
            State::Tiles(snapshot, work) => {
                snapshot.put(out)?;
                work.put(out)
            }
        }
    }
    fn get(from: &mut Cursor<'_>) -> Result<Self, Flaw> {
        match bool::get(from)? {
            false => Snapshot::get(from).map(State::Mesh),
            true => Ok(State::Tiles(Field::get(from)?, Field::get(from)?)),
        }
    }
}

/// Writes the contents of a checkpoint in pieces.
///
/// No copy is made, because a checkpoint may be written after memory has run out.
///
/// # Errors
/// Returns the errors of `out`.
pub(super) fn encode(checkpoint: &Checkpoint, out: &mut dyn Write) -> io::Result<()> {
    checkpoint.put(out)
}

/// Returns the number of bytes that [`encode`] writes.
pub(super) fn length_of(checkpoint: &Checkpoint) -> u64 {
    struct Count(u64);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail.
    let _ = checkpoint.put(&mut count);
    count.0
}

/// Decodes the contents of the checkpoint file `path`.
pub(super) fn decode(path: &Path, contents: &[u8]) -> Result<Checkpoint> {
    let mut from = Cursor::new(contents, 0, false);
    let checkpoint = Checkpoint::get(&mut from).and_then(|checkpoint| match from.remaining() {
        0 => Ok(checkpoint),
        n => Err(Flaw::whole(format!("has {n} extra bytes"), REMEDY)),
    });
    checkpoint.map_err(|flaw| flaw.in_file(path))
}
