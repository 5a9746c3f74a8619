//! Patches laid out for kernels, as the host lays them out on a card.

use zeroset::geometry::Real;
use zeroset::patches::{Coordinates, Patches};

/// The twin of a struct in common/patches.cuh.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PatchesArgument<R> {
    n_patches: u32,
    n_vertices: u32,
    vertex_offsets: *const u32,
    halo_offsets: *const u32,
    halo: *const u32,
    cell_offsets: *const u32,
    corners: *const u16,
    column_offsets: *const u32,
    rows: *const u16,
    columns: *const u16,
    x: *const R,
}

/// The arrays.
pub struct Layout<R> {
    n_vertices: u32,
    pub largest_local: u32,
    pub largest_owned: u32,
    pub largest_cells: u32,
    vertex_offsets: Vec<u32>,
    halo_offsets: Vec<u32>,
    halo: Vec<u32>,
    cell_offsets: Vec<u32>,
    corners: Vec<u16>,
    column_offsets: Vec<u32>,
    rows: Vec<u16>,
    columns: Vec<u16>,
    x: Vec<R>,
}

impl<R: Real> Layout<R> {
    pub fn new(patches: &Patches, coordinates: &Coordinates<R>) -> Layout<R> {
        let arity = patches.arity();
        let mut layout = Layout {
            n_vertices: patches.n_vertices() as u32,
            largest_local: 0,
            largest_owned: 0,
            largest_cells: 0,
            vertex_offsets: vec![0],
            halo_offsets: vec![0],
            halo: Vec::new(),
            cell_offsets: vec![0],
            corners: Vec::new(),
            column_offsets: vec![0],
            rows: Vec::new(),
            columns: Vec::new(),
            x: Vec::new(),
        };
        for p in 0..patches.len() {
            let patch = patches.patch(p);
            layout.largest_local = layout.largest_local.max(patch.n_local() as u32);
            layout.largest_owned = layout.largest_owned.max(patch.n_owned as u32);
            layout.largest_cells = layout.largest_cells.max(patch.cells.len() as u32);
            layout.halo.extend(patch.halo);
            layout.vertex_offsets.push((patch.first + patch.n_owned) as u32);
            layout.halo_offsets.push(layout.halo.len() as u32);
            layout.cell_offsets.push(patches.cell_range(p).end as u32);
            for k in 0..arity {
                layout.corners.extend(patch.corners.chunks(arity).map(|cell| cell[k] as u16));
            }
            let first = layout.columns.len();
            for v in 0..patch.n_owned {
                layout.rows.push((layout.columns.len() - first) as u16);
                let slots = patch.row(v).iter().map(|&slot| slot as usize);
                layout.columns.extend(slots.map(|slot| (4 * (slot / arity) + slot % arity) as u16));
            }
            layout.rows.push((layout.columns.len() - first) as u16);
            layout.column_offsets.push(layout.columns.len() as u32);
            let points = coordinates.of(patches, p);
            (0..3).for_each(|c| layout.x.extend(points.iter().map(|x| x[c])));
        }
        layout
    }

    pub fn argument(&self) -> PatchesArgument<R> {
        PatchesArgument {
            n_patches: self.vertex_offsets.len() as u32 - 1,
            n_vertices: self.n_vertices,
            vertex_offsets: self.vertex_offsets.as_ptr(),
            halo_offsets: self.halo_offsets.as_ptr(),
            halo: self.halo.as_ptr(),
            cell_offsets: self.cell_offsets.as_ptr(),
            corners: self.corners.as_ptr(),
            column_offsets: self.column_offsets.as_ptr(),
            rows: self.rows.as_ptr(),
            columns: self.columns.as_ptr(),
            x: self.x.as_ptr(),
        }
    }
}
