//! Patches in host memory, laid out as on the GPU (kernels/common/patches.cuh).

use std::sync::Arc;

use zeroset::geometry::{Real, simplex::longest_edge};
use zeroset::mesh::{
    Mesh, clean,
    generate::{Cube, Generate, Sphere, generate},
};
use zeroset::patches::{Coordinates, Partition, Patches};

use crate::layouts::patches::PatchesArgument;

/// The number of entries of the gather matrix (row starts and columns) that the kernels read as one
/// word.
const COLUMNS: usize = 8;

/// The counterpart of `struct Start` in the kernels: the first vertex, halo vertex, cell and word
/// of columns of a patch.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Start([u32; 4]);

/// A mesh divided into patches, and the arrays that the kernels take.
pub struct HostPatches<R: Real> {
    pub mesh: Mesh,
    pub patches: Arc<Patches>,
    pub coordinates: Arc<Coordinates<R>>,
    starts: Vec<Start>,
    halo: Vec<u32>,
    corners: Vec<u16>,
    columns: Vec<u16>,
    x: Vec<R>,
}

impl<R: Real> HostPatches<R> {
    /// Creates a sphere of 320 triangles or a cube of 750 uneven tetrahedra, with patches of at
    /// most 24 vertices.
    pub fn small(arity: usize) -> Self {
        let spec = if arity == 3 {
            let mut sphere = Sphere::default();
            sphere.subdivisions = Some(2);
            Generate::Sphere(sphere)
        } else {
            let mut cube = Cube::default();
            (cube.cells, cube.jitter) = ([5; 3], 0.15);
            Generate::Cube(cube)
        };
        let (mesh, _) = clean(generate(&spec).unwrap()).unwrap();
        Self::cut(mesh, 24)
    }

    /// Divides a mesh into patches of at most `patch_size` vertices.
    pub fn cut(mesh: Mesh, patch_size: usize) -> Self {
        let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, patch_size).unwrap());
        let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
        Self::new(mesh, patches, coordinates)
    }

    fn new(mesh: Mesh, patches: Arc<Patches>, coordinates: Arc<Coordinates<R>>) -> Self {
        let arity = patches.arity();
        let mut all = HostPatches {
            mesh,
            patches: patches.clone(),
            coordinates: coordinates.clone(),
            starts: vec![Start([0; 4])],
            halo: Vec::new(),
            corners: Vec::new(),
            columns: Vec::new(),
            x: Vec::new(),
        };
        for p in 0..patches.len() {
            let patch = patches.patch(p);
            all.halo.extend(patch.halo);
            for cell in patch.corners.chunks_exact(arity) {
                let corner = |k: usize| cell.get(k).map_or(u16::MAX, |&c| c as u16);
                all.corners.extend((0..4).map(corner));
            }
            let mut begin = patch.n_owned + 1;
            all.columns.push(begin as u16);
            for local in 0..patch.n_owned {
                begin += patch.row(local).len();
                all.columns.push(begin as u16);
            }
            for local in 0..patch.n_owned {
                let column = |&slot: &u32| (4 * (slot / arity as u32) + slot % arity as u32) as u16;
                all.columns.extend(patch.row(local).iter().map(column));
            }
            all.columns.resize(all.columns.len().next_multiple_of(COLUMNS), u16::MAX);
            let (vertices, cells) = (patch.first + patch.n_owned, patches.cell_range(p).end);
            let ends = [vertices, all.halo.len(), cells, all.columns.len() / COLUMNS];
            all.starts.push(Start(ends.map(|end| end as u32)));
            for c in 0..3 {
                all.x.extend(coordinates.of(&patches, p).iter().map(|x| x[c]));
            }
        }
        all
    }

    /// Returns the kernel argument. It is valid as long as `self` exists.
    pub fn argument(&self) -> PatchesArgument {
        PatchesArgument {
            n_patches: self.patches.len() as u32,
            n_vertices: self.patches.n_vertices() as u32,
            starts: self.starts.as_ptr() as u64,
            halo: self.halo.as_ptr() as u64,
            corners: self.corners.as_ptr() as u64,
            columns: self.columns.as_ptr() as u64,
            x: self.x.as_ptr() as u64,
        }
    }

    /// Returns the largest numbers of local vertices and of owned vertices of any patch.
    pub fn largest(&self) -> (usize, usize) {
        let owned = (0..self.patches.len()).map(|p| self.patches.patch(p).n_owned).max();
        (self.patches.largest().0, owned.unwrap_or(0))
    }

    /// Returns the largest number of cells in any patch.
    pub fn largest_cells(&self) -> usize {
        self.patches.largest().1 / self.patches.arity()
    }

    /// Returns the largest size of the gather matrix of any patch: the number of its row starts and
    /// columns, rounded up to whole words.
    pub fn largest_columns(&self) -> usize {
        let sizes = self.starts.windows(2).map(|w| (w[1].0[3] - w[0].0[3]) * COLUMNS as u32);
        sizes.max().unwrap_or(0) as usize
    }

    /// Returns, for each patch, the length of the longest edge in the patch and its neighboring
    /// patches.
    pub fn reach(&self) -> Vec<R> {
        let of_patch = |p: usize| {
            let x = self.coordinates.of(&self.patches, p);
            let cells = self.patches.patch(p).corners.chunks_exact(self.patches.arity());
            cells.fold(R::zero(), |longest, corners| {
                let corners: Vec<_> = corners.iter().map(|&c| x[c as usize]).collect();
                longest.max(longest_edge(&corners))
            })
        };
        let around = |p: usize| {
            let neighbors = self.patches.neighbors(p).iter();
            neighbors.fold(of_patch(p), |m, &q| m.max(of_patch(q as usize)))
        };
        (0..self.patches.len()).map(around).collect()
    }

    /// Returns the patches that read vertices of other patches. The lists are the offsets (one more
    /// than there are patches), the local index of each such vertex in the patch that owns it, and
    /// the patch that reads it.
    pub fn readers(&self) -> (Vec<u32>, Vec<u16>, Vec<u32>) {
        let n = self.patches.len();
        let mut of_patch = vec![Vec::new(); n];
        for q in 0..n {
            for &v in self.patches.patch(q).halo {
                let p = self.patches.owner(v as usize);
                let local = v as usize - self.patches.patch(p).first;
                of_patch[p].push((local as u16, q as u32));
            }
        }
        let mut offsets = vec![0];
        for of in &of_patch {
            offsets.push(offsets[offsets.len() - 1] + of.len() as u32);
        }
        let (vertices, readers) = of_patch.into_iter().flatten().unzip();
        (offsets, vertices, readers)
    }
}
