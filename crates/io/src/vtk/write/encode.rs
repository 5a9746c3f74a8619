//! Encoding of arrays in appended data: `UInt64` lengths, little endian, blocks compressed in
//! parallel. The bytes do not depend on the number of threads.

use std::io::Write;

use super::{Compression, FieldValues};
use zeroset_core::parallel::*;

/// The number of bytes of a block before compression.
const BLOCK: usize = 1 << 18;

/// Numbers to be written.
#[derive(Clone, Copy)]
pub(in crate::vtk) enum Numbers<'a> {
    Field(FieldValues<'a>),
    /// Point indices as signed integers of 4 bytes, or of 8 bytes if `wide`.
    Indices {
        indices: &'a [u32],
        wide: bool,
    },
    /// The ends `step, 2 step, ...` of `n` cells of equal size.
    Ends {
        step: usize,
        n: usize,
        wide: bool,
    },
    /// One cell type, repeated `n` times.
    Types {
        number: u8,
        n: usize,
    },
}

impl Numbers<'_> {
    /// Returns the name of the number type in XML.
    pub fn type_name(&self) -> &'static str {
        match self {
            Numbers::Field(FieldValues::F64(_)) => "Float64",
            Numbers::Field(FieldValues::F32(_)) => "Float32",
            Numbers::Field(FieldValues::I64(_)) => "Int64",
            Numbers::Field(FieldValues::I32(_)) => "Int32",
            Numbers::Field(FieldValues::U32(_)) => "UInt32",
            Numbers::Field(FieldValues::U8(_)) | Numbers::Types { .. } => "UInt8",
            Numbers::Field(FieldValues::I8(_)) => "Int8",
            Numbers::Field(FieldValues::U16(_)) => "UInt16",
            Numbers::Field(FieldValues::I16(_)) => "Int16",
            Numbers::Field(FieldValues::U64(_)) => "UInt64",
            Numbers::Indices { wide, .. } | Numbers::Ends { wide, .. } => {
                if *wide {
                    "Int64"
                } else {
                    "Int32"
                }
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Numbers::Field(values) => values.len(),
            Numbers::Indices { indices, .. } => indices.len(),
            Numbers::Ends { n, .. } | Numbers::Types { n, .. } => *n,
        }
    }

    /// Returns the number of bytes of one number: 1, 2, 4 or 8.
    fn width(&self) -> usize {
        match self.type_name() {
            "UInt8" | "Int8" => 1,
            "UInt16" | "Int16" => 2,
            "Float32" | "Int32" | "UInt32" => 4,
            _ => 8,
        }
    }

    /// Returns the bytes of block `k`.
    fn block(&self, k: usize) -> Vec<u8> {
        let per_block = BLOCK / self.width();
        let range = k * per_block..((k + 1) * per_block).min(self.len());
        macro_rules! bytes {
            ($t:ty, $numbers:expr) => {{
                const WIDTH: usize = size_of::<$t>();
                let mut bytes = vec![0; range.len() * WIDTH];
                for (out, x) in bytes.as_chunks_mut::<WIDTH>().0.iter_mut().zip($numbers) {
                    *out = <$t>::to_le_bytes(x);
                }
                bytes
            }};
        }
        let ends = |step: usize| range.clone().map(move |i| (i + 1) * step);
        match *self {
            Numbers::Field(FieldValues::F64(v)) => bytes!(f64, v[range.clone()].iter().copied()),
            Numbers::Field(FieldValues::F32(v)) => bytes!(f32, v[range.clone()].iter().copied()),
            Numbers::Field(FieldValues::I64(v)) => bytes!(i64, v[range.clone()].iter().copied()),
            Numbers::Field(FieldValues::I32(v)) => bytes!(i32, v[range.clone()].iter().copied()),
            Numbers::Field(FieldValues::U32(v)) => bytes!(u32, v[range.clone()].iter().copied()),
            Numbers::Field(FieldValues::U8(v)) => v[range].to_vec(),
            Numbers::Field(FieldValues::I8(v)) => bytes!(i8, v[range.clone()].iter().copied()),
            Numbers::Field(FieldValues::U16(v)) => bytes!(u16, v[range.clone()].iter().copied()),
            Numbers::Field(FieldValues::I16(v)) => bytes!(i16, v[range.clone()].iter().copied()),
            Numbers::Field(FieldValues::U64(v)) => bytes!(u64, v[range.clone()].iter().copied()),
            Numbers::Indices { indices, wide: false } => {
                bytes!(u32, indices[range.clone()].iter().copied())
            }
            Numbers::Indices { indices, wide: true } => {
                bytes!(u64, indices[range.clone()].iter().map(|&i| u64::from(i)))
            }
            Numbers::Ends { step, wide: false, .. } => bytes!(u32, ends(step).map(|i| i as u32)),
            Numbers::Ends { step, wide: true, .. } => bytes!(u64, ends(step).map(|i| i as u64)),
            Numbers::Types { number, .. } => vec![number; range.len()],
        }
    }
}

/// An array that is ready to be written: uncompressed numbers, or compressed blocks.
pub(in crate::vtk) struct Encoded<'a> {
    numbers: Numbers<'a>,
    packed: Option<Vec<Vec<u8>>>,
}

impl<'a> Encoded<'a> {
    pub fn new(numbers: Numbers<'a>, compression: Compression) -> Self {
        let blocks = (numbers.len() * numbers.width()).div_ceil(BLOCK);
        let of_reals = matches!(numbers, Numbers::Field(FieldValues::F64(_)));
        let pack = |k| {
            let mut block = compression.pack(&numbers.block(k), of_reals)?;
            // Compressors allocate for the worst case, and a geometry is kept for a whole run.
            block.shrink_to_fit();
            Some(block)
        };
        let packed = match compression {
            Compression::None => None,
            _ => (0..blocks).into_par_iter().map(pack).collect(),
        };
        Encoded { numbers, packed }
    }

    /// Returns the values if this array belongs to a field, otherwise `None`.
    pub fn field(&self) -> Option<FieldValues<'a>> {
        if let Numbers::Field(values) = self.numbers { Some(values) } else { None }
    }

    /// Returns the indices if this is an array of indices, or an empty slice otherwise.
    pub fn indices(&self) -> &'a [u32] {
        if let Numbers::Indices { indices, .. } = self.numbers { indices } else { &[] }
    }

    /// Returns the name of the number type in XML.
    pub fn type_name(&self) -> &'static str {
        self.numbers.type_name()
    }

    fn bytes(&self) -> usize {
        self.numbers.len() * self.numbers.width()
    }

    /// Returns the number of bytes in the appended data, including the lengths.
    pub fn stored(&self) -> u64 {
        match &self.packed {
            None => 8 + self.bytes() as u64,
            Some(blocks) => {
                let lengths = 8 * (3 + blocks.len() as u64);
                lengths + blocks.iter().map(|block| block.len() as u64).sum::<u64>()
            }
        }
    }

    /// Writes the number of bytes, or the number and lengths of the compressed blocks, and then the
    /// bytes.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut length = |n: usize| out.write_all(&(n as u64).to_le_bytes());
        match &self.packed {
            None => {
                length(self.bytes())?;
                (0..self.bytes().div_ceil(BLOCK))
                    .try_for_each(|k| out.write_all(&self.numbers.block(k)))
            }
            Some(blocks) => {
                // The third number is the length of the last block, or 0 if that block is full.
                [blocks.len(), BLOCK, self.bytes() % BLOCK]
                    .into_iter()
                    .try_for_each(&mut length)?;
                blocks.iter().map(Vec::len).try_for_each(&mut length)?;
                blocks.iter().try_for_each(|block| out.write_all(block))
            }
        }
    }
}
