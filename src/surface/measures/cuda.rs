//! Measures of a function whose values are on the GPU. The counterpart of [`super::Measurer`]. phi
//! is not copied to the CPU.
//!
//! The kernels are in `kernels/measures.cu`.

mod kernel_arguments;

use std::sync::Arc;

use self::kernel_arguments::MeasuringArgument;
use super::Measures;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Kernel, Launch, Pinned, Unit};
use crate::parallel::*;
use crate::patches::cuda::{DevicePatches, Shape};
use crate::patches::{Patch, Patches};

/// The largest number of blocks that share the patches. Sums depend on it, but not on the GPU.
const MOST_BLOCKS: u32 = 2048;

/// Number of 64-bit words of `struct Sums`.
const SUMS: usize = 6;

/// Bits of a cell in the result of [`counted`]: edges in the order (0, 1), (0, 2), ..., then the
/// facets of a tetrahedron by their opposite corner, then the cell.
const FIRST_FACET: u32 = 6;
const CELL: u16 = 1 << 15;

/// Measures any number of functions on the same mesh on a GPU. Data that depends only on the mesh
/// is stored once.
pub struct DeviceMeasurer<R: Real> {
    patches: Arc<DevicePatches<R>>,
    measure: Kernel,
    join: Kernel,
    sum: Kernel,
    block: u32,
    shared: u32,
    argument: MeasuringArgument,
    result: Array<u64>,
    read: Pinned<u64>,
    /// Arrays that only kernels access.
    _counted: Array<u16>,
    _names: Array<u32>,
    _sums: Array<u64>,
}

impl<R: Real> DeviceMeasurer<R> {
    /// Returns the number of bytes of GPU memory that a measurer takes, without its
    /// [`DevicePatches`].
    pub fn bytes(patches: &Patches) -> usize {
        2 * patches.n_patch_cells()
            + 4 * patches.n_vertices()
            + 8 * SUMS * (n_sums(patches.len() as u32) as usize + 1)
    }

    /// Allocates memory on the GPU and compiles the kernels.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if there is not enough memory or a kernel cannot be
    /// compiled.
    pub fn new(patches: Arc<DevicePatches<R>>, on_host: &Patches) -> Result<Self> {
        let cuda = patches.cuda().clone();
        let shape = *patches.shape();
        let block = shape.threads(1.0, 384);
        let mut defines = shape.defines::<R>();
        defines.push(("BLOCK", block.to_string()));
        let unit = Unit::with("measures", defines)?;
        let measure = cuda.kernel(&unit, "measures_patches")?;
        let join = cuda.kernel(&unit, "measures_join")?;
        let sum = cuda.kernel(&unit, "measures_sum")?;
        let shared = shared_bytes::<R>(&shape);
        measure.allow_shared(shared)?;
        let n_sums = n_sums(shape.n_patches);
        let counted = cuda.upload(&counted(on_host))?;
        let names = cuda.zeros::<u32>(shape.n_vertices as usize)?;
        let sums = cuda.zeros::<u64>(SUMS * n_sums as usize)?;
        let result = cuda.zeros::<u64>(SUMS)?;
        let read = cuda.pinned::<u64>(SUMS)?;
        let argument = MeasuringArgument {
            phi: 0,
            counted: counted.address(),
            names: names.address(),
            sums: sums.address(),
            result: result.address(),
            n_sums,
            largest_local: shape.largest_local,
            largest_owned: shape.largest_owned,
        };
        Ok(DeviceMeasurer {
            patches,
            measure,
            join,
            sum,
            block,
            shared,
            argument,
            result,
            read,
            _counted: counted,
            _names: names,
            _sums: sums,
        })
    }

    /// Measures the inside `phi < 0` of a function. Runs after all earlier launches and waits for
    /// the result. The values are in patch order and start at index `first` of `phi`.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU fails.
    ///
    /// # Panics
    /// Panics if there are fewer values than vertices.
    pub fn measure(&mut self, phi: &Array<R>, first: usize) -> Result<Measures> {
        let n_vertices = self.patches.shape().n_vertices as usize;
        assert!(first + n_vertices <= phi.len(), "a value for every vertex");
        let cuda = self.patches.cuda().clone();
        let phi = phi.address() + (first * size_of::<R>()) as u64;
        let argument = MeasuringArgument { phi, ..self.argument };
        let launch = |grid, shared| Launch { grid, block: self.block, shared, cooperative: false };
        let of_patches = || Arguments::default().with(self.patches.argument()).with(argument);
        let n_sums = self.argument.n_sums;
        // SAFETY: these are the arguments of the kernels. Their arrays live as long as `self`, and
        // `phi` is long enough.
        unsafe {
            cuda.launch(&self.measure, launch(n_sums, self.shared), &of_patches())?;
            cuda.launch(&self.join, launch(n_sums, 0), &of_patches())?;
            cuda.launch(&self.sum, launch(1, 0), &Arguments::default().with(argument))?;
        }
        cuda.fetch(&self.result, &mut self.read)?;
        let words = self.read.get()?;
        Ok(Measures {
            interface: f64::from_bits(words[0]),
            enclosed: f64::from_bits(words[1]),
            phi_min: f64::from_bits(words[2]),
            phi_max: f64::from_bits(words[3]),
            components: words[4],
            euler_number: words[5] as i64,
        })
    }
}

/// Returns the number of blocks that share the patches.
fn n_sums(n_patches: u32) -> u32 {
    n_patches.clamp(1, MOST_BLOCKS)
}

/// Returns the shared memory, in bytes, of a block that measures a patch.
fn shared_bytes<R>(shape: &Shape) -> u32 {
    let part = |n: u32, size: usize| (n * size as u32).div_ceil(16) * 16;
    part(shape.largest_local, size_of::<R>()) + part(shape.largest_owned, 4)
}

/// Returns which parts of each cell of each patch are counted there, as bits, in the order of
/// [`Patches::cell_range`].
///
/// Every edge, facet and cell of the mesh is counted once: in the patch that owns its lowest vertex
/// (in patch order), in the first of the cells around it.
pub fn counted(patches: &Patches) -> Vec<u16> {
    /// Patches per task.
    const TASK: usize = 64;
    let tasks: Vec<Vec<u16>> = (0..patches.len().div_ceil(TASK))
        .into_par_iter()
        .map(|task| {
            let of_task = task * TASK..((task + 1) * TASK).min(patches.len());
            let mut counting = Counting::default();
            of_task.for_each(|p| counting.add(&patches.patch(p), patches.arity()));
            counting.counted
        })
        .collect();
    tasks.concat()
}

#[derive(Default)]
struct Counting {
    counted: Vec<u16>,
    /// The last vertex that had an edge to each local vertex.
    met: Vec<u32>,
    /// Facets of a vertex: the other two corners, the cell, and the opposite corner.
    facets: Vec<([u32; 2], u32, u32)>,
}

impl Counting {
    fn add(&mut self, patch: &Patch<'_>, arity: usize) {
        let start = self.counted.len();
        self.counted.resize(start + patch.cells.len(), 0);
        let counted = &mut self.counted[start..];
        self.met.clear();
        self.met.resize(patch.n_local(), u32::MAX);
        for v in 0..patch.n_owned as u32 {
            self.facets.clear();
            for &slot in patch.row(v as usize) {
                let (cell, k) = (slot as usize / arity, slot as usize % arity);
                let corners = &patch.corners[cell * arity..][..arity];
                let is_above =
                    |i: usize| patch.vertex(corners[i] as usize) > patch.vertex(v as usize);
                let mut above = [0; 3];
                let mut n_above = 0;
                for i in (0..arity).filter(|&i| i != k && is_above(i)) {
                    above[n_above] = i;
                    n_above += 1;
                    let met = &mut self.met[corners[i] as usize];
                    if *met != v {
                        *met = v;
                        counted[cell] |= 1 << edge_bit(arity, k.min(i), k.max(i));
                    }
                }
                if n_above == arity - 1 {
                    counted[cell] |= CELL;
                }
                for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                    if arity == 4 && j < n_above {
                        let (i, j) = (above[i], above[j]);
                        let mut others = [corners[i], corners[j]];
                        others.sort_unstable();
                        let opposite = (6 - k - i - j) as u32;
                        self.facets.push((others, cell as u32, opposite));
                    }
                }
            }
            self.facets.sort_unstable();
            for facet in self.facets.chunk_by(|a, b| a.0 == b.0) {
                let (_, cell, opposite) = facet[0];
                counted[cell as usize] |= 1 << (FIRST_FACET + opposite);
            }
        }
    }
}

/// Returns the position of the edge between two corners, `i < j`, among the edges of a cell.
fn edge_bit(arity: usize, i: usize, j: usize) -> usize {
    i * arity - i * (i + 1) / 2 + j - i - 1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mesh::generate::{Cube, Generate, Torus, generate};
    use crate::mesh::{Mesh, clean};
    use crate::patches::Partition;

    /// Returns the counts of set bits and the expected counts: edges, facets of tetrahedra, cells.
    fn found_and_expected(mesh: &Mesh, patch_size: usize) -> ([usize; 3], [usize; 3]) {
        let patches = Patches::new(mesh, Partition::Bisection, patch_size).unwrap();
        let bits = counted(&patches);
        assert_eq!(bits.len(), patches.n_patch_cells());
        let count = |mask: u16| bits.iter().map(|b| (b & mask).count_ones() as usize).sum();
        let sets = |size: u32| -> usize {
            let mut found = BTreeSet::new();
            for cell in mesh.iter_cells() {
                for subset in (0..1u32 << cell.len()).filter(|s| s.count_ones() == size) {
                    let mut set: Vec<u32> =
                        (0..cell.len()).filter(|i| subset >> i & 1 == 1).map(|i| cell[i]).collect();
                    set.sort_unstable();
                    found.insert(set);
                }
            }
            found.len()
        };
        let facets = if mesh.kind.arity() == 4 { sets(3) } else { 0 };
        (
            [count(0b11_1111), count(0b1111 << FIRST_FACET), count(CELL)],
            [sets(2), facets, mesh.n_cells()],
        )
    }

    #[test]
    fn edges_facets_and_cells_are_counted_once() {
        let cube = Cube { cells: [5, 4, 3], ..Cube::default() };
        let torus = Torus { cells: [20, 10], ..Torus::default() };
        for generated in [Generate::Cube(cube), Generate::Torus(torus)] {
            let mesh = clean(generate(&generated).unwrap()).unwrap().0;
            for patch_size in [1, 7, 64, 10_000] {
                let (found, expected) = found_and_expected(&mesh, patch_size);
                assert_eq!(found, expected, "patches of {patch_size}");
            }
        }
    }

    #[test]
    fn edges_stand_in_the_order_of_their_corners() {
        let all = |n: usize| (0..n).flat_map(move |i| (i + 1..n).map(move |j| (i, j)));
        for n in [3, 4] {
            assert!(all(n).enumerate().all(|(bit, (i, j))| edge_bit(n, i, j) == bit));
        }
    }
}
