//! The surface as one record per cut cube, from which its triangles can be rebuilt.

use super::Placement;
use super::block_cubes::{corner, per_chunk};
use super::blocks::{Blocks, Directory};
use super::extract::check_vertices;
use super::tables::{CASES, axis, ends};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;

/// A cut cube in 15 bytes: its position relative to [`Records::base`] (2 bytes per coordinate,
/// little endian), its case, and the absolute values of phi at its corners in 255ths of
/// [`Records::range`]. The case holds the signs of the corners, so the values need no sign bit.
///
/// The format follows A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level
/// sets on graphics hardware", IEEE TVCG 19 (2013), section 3.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Record([u8; 15]);

impl Record {
    fn new(position: [u16; 3], case: u8, sizes: [u8; 8]) -> Self {
        let mut bytes = [0; 15];
        for (bytes, x) in bytes.chunks_exact_mut(2).zip(position) {
            bytes.copy_from_slice(&x.to_le_bytes());
        }
        bytes[6] = case;
        bytes[7..].copy_from_slice(&sizes);
        Record(bytes)
    }

    /// Returns the position of the cube's lowest corner relative to [`Records::base`], in voxels.
    pub fn position(&self) -> [u16; 3] {
        [0, 2, 4].map(|k| u16::from_le_bytes([self.0[k], self.0[k + 1]]))
    }

    /// Returns the case. Bit c is set if corner c is inside.
    pub fn case(&self) -> u8 {
        self.0[6]
    }

    /// Returns the absolute value of phi at corner `c` (0 to 7), in 255ths of [`Records::range`].
    pub fn size(&self, c: usize) -> u8 {
        self.0[7 + c]
    }

    /// Returns the bytes, in a form that a renderer can use.
    pub fn bytes(&self) -> &[u8; 15] {
        &self.0
    }

    /// Returns the crossing on edge `e`, as the fraction from its lower end to its upper end; 0.5
    /// if both stored values are 0.
    fn crossing(&self, e: usize) -> f64 {
        let [c, d] = ends(e).map(|c| f64::from(self.size(c)));
        if c + d > 0.0 { c / (c + d) } else { 0.5 }
    }
}

/// The records of a surface.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Records {
    /// One record per cut cube, in the order of blocks, x fastest within each block.
    pub list: Vec<Record>,
    /// The voxel that positions are relative to: the lowest coordinates of the cubes along each
    /// axis.
    pub base: [i32; 3],
    /// Largest absolute value of phi at an end of a crossed edge, in the unit of phi. Quantized
    /// values are off by at most `range` / 510 there. At other corners, they are clamped to
    /// `range`.
    pub range: f64,
    /// Number of triangles in the surface.
    pub triangles: u64,
}

/// The result of the first pass over a chunk of blocks.
#[derive(Clone, Copy)]
struct Found {
    cubes: usize,
    triangles: u64,
    range: f64,
    low: [i32; 3],
    high: [i32; 3],
}

impl Found {
    const NOTHING: Found =
        Found { cubes: 0, triangles: 0, range: 0.0, low: [i32::MAX; 3], high: [i32::MIN; 3] };

    fn with(self, other: &Found) -> Found {
        Found {
            cubes: self.cubes + other.cubes,
            triangles: self.triangles + other.triangles,
            range: self.range.max(other.range),
            low: std::array::from_fn(|k| self.low[k].min(other.low[k])),
            high: std::array::from_fn(|k| self.high[k].max(other.high[k])),
        }
    }
}

impl Records {
    /// Creates the records of the zero set of phi, in voxels.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if phi changes sign outside of all blocks, and if the surface
    /// spans more than 65,536 cubes along an axis.
    pub fn new<R: Real>(blocks: &impl Blocks<R>) -> Result<Self> {
        let directory = Directory::new(blocks);
        let chunks: Vec<Found> = per_chunk(blocks, &directory, Found::NOTHING, |found, block| {
            block.cubes(|cube| {
                let place = std::array::from_fn(|k| block.corner[k] + cube.low[k]);
                let case = &CASES[cube.case as usize];
                let ends = case.edges().flat_map(ends);
                let range = ends.map(|c| cube.values[c].to_f64().abs()).fold(0.0, f64::max);
                let triangles = case.triangles().len() as u64;
                *found = found.with(&Found { cubes: 1, triangles, range, low: place, high: place });
            })?;
            Ok(())
        })?;
        let all = chunks.iter().fold(Found::NOTHING, Found::with);
        if all.cubes == 0 {
            let (base, range) = ([0; 3], 0.0);
            return Ok(Records { list: Vec::new(), base, range, triangles: 0 });
        }
        for k in 0..3 {
            let span = i64::from(all.high[k]) - i64::from(all.low[k]) + 1;
            if span > 1 << 16 {
                return Err(Error::Numerical {
                    what: format!(
                        "the surface spans {span} cubes along {}; records support 65536",
                        ["x", "y", "z"][k]
                    ),
                    remedy: "write the surface as a mesh".into(),
                });
            }
        }
        let scale = if all.range > 0.0 { 255.0 / all.range } else { 0.0 };
        let lists = per_chunk(blocks, &directory, Vec::new(), |list, block| {
            block.cubes(|cube| {
                let place =
                    std::array::from_fn(|k| (block.corner[k] + cube.low[k] - all.low[k]) as u16);
                let size = |v: R| (v.to_f64().abs() * scale).round().min(255.0) as u8;
                list.push(Record::new(place, cube.case, cube.values.map(size)));
            })?;
            Ok(())
        })?;
        let mut list = Vec::with_capacity(all.cubes);
        lists.into_iter().for_each(|part| list.extend(part));
        Ok(Records { list, base: all.low, range: all.range, triangles: all.triangles })
    }

    /// Returns the size of the records in bytes.
    pub fn bytes(&self) -> u64 {
        (size_of::<Record>() * self.list.len()) as u64
    }

    /// Returns the number of bytes that the triangle corners would take as three 32-bit numbers
    /// each. In the paper, the records replace this representation.
    pub fn triangle_bytes(&self) -> u64 {
        36 * self.triangles
    }

    /// Rebuilds the surface, with one vertex per crossed edge. It equals the surface of
    /// [`extract`](super::extract) up to the quantization of phi, in a different order and without
    /// normals.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] for more than 2^32 - 1 vertices.
    pub fn surface(&self, placement: &Placement) -> Result<Mesh> {
        // Edges are identified by their lower end and axis. Adjacent cubes store the same values.
        let key = |record: &Record, e: usize| {
            let low = record.position();
            let end = corner(low.map(i32::from), ends(e)[0]).map(|x| x as u64);
            end[0] << 2 | end[1] << 19 | end[2] << 36 | axis(e) as u64
        };
        let mut edges: Vec<(u64, f64)> = self
            .list
            .par_iter()
            .flat_map_iter(|record| {
                let crossed = CASES[record.case() as usize].edges();
                crossed.map(move |e| (key(record, e), record.crossing(e)))
            })
            .collect();
        edges.par_sort_unstable_by_key(|edge| edge.0);
        edges.dedup_by_key(|edge| edge.0);
        check_vertices(edges.len() as u64)?;
        let number = |k: u64| edges.partition_point(|edge| edge.0 < k) as u32;
        let corners = |record: &Record| {
            let record = *record;
            let triangles = CASES[record.case() as usize].triangles();
            triangles.as_flattened().iter().map(move |&e| number(key(&record, e as usize)))
        };
        let cells = self.list.par_iter().flat_map_iter(corners).collect();
        let point = |&(key, t): &(u64, f64)| {
            let low = [2, 19, 36].map(|shift| (key >> shift & 0x1_ffff) as i32);
            let mut point = std::array::from_fn(|k| f64::from(self.base[k] + low[k]));
            point[(key & 3) as usize] += t;
            placement.world(point)
        };
        Ok(Mesh::new(Kind::Surface, edges.par_iter().map(point).collect(), cells))
    }
}
