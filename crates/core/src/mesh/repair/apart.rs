//! Coincident facets that must not be joined: facets that a group contains, and facets between
//! cells of different materials.

use std::collections::HashSet;

use crate::mesh::{Members, Mesh, Values};

/// An integer cell array with one component distinguishes materials if its name contains one of
/// these words, in upper or lower case.
const MATERIALS: [&str; 4] = ["material", "region", "physical", "tag"];

/// The groups and materials of a mesh, prepared for lookups by facet and cell.
pub(crate) struct Apart {
    facets: HashSet<[u32; 3]>,
    /// The vertices of all `facets`.
    vertices: HashSet<u32>,
    /// A hash of the groups and materials of each cell. Empty if there are neither.
    material: Vec<u64>,
}

impl Apart {
    pub(crate) fn new(mesh: &Mesh) -> Self {
        let dimension = mesh.kind.dimension() - 1;
        let of_facets = mesh.groups.iter().filter_map(|group| match &group.members {
            Members::Simplices { dimension: d, vertices } if *d == dimension => Some(vertices),
            _ => None,
        });
        let named: Vec<&[u32]> = of_facets.flat_map(|v| v.chunks_exact(dimension + 1)).collect();
        Apart {
            facets: named.iter().map(|facet| key(facet)).collect(),
            vertices: named.concat().into_iter().collect(),
            material: materials(mesh),
        }
    }

    /// Returns true if a group contains the facet.
    pub(crate) fn names(&self, facet: &[u32]) -> bool {
        self.facets.contains(&key(facet))
    }

    /// Returns true if a vertex belongs to a facet that a group contains.
    pub(crate) fn names_at(&self, vertex: u32) -> bool {
        self.vertices.contains(&vertex)
    }

    /// Returns a number that is the same for all cells with the same groups and materials.
    pub(crate) fn material(&self, cell: usize) -> u64 {
        self.material.get(cell).copied().unwrap_or(0)
    }
}

/// Returns the vertices of a facet in ascending order. The third entry for an edge is 0.
pub(crate) fn key(facet: &[u32]) -> [u32; 3] {
    let mut key = [0; 3];
    key[..facet.len()].copy_from_slice(facet);
    key[..facet.len()].sort_unstable();
    key
}

/// Returns a number for each cell that is the same for cells with the same groups and materials.
/// The list is empty if there are neither. The materials are the values of the one-component
/// integer cell arrays whose names contain `material`, `region`, `physical` or `tag`, in upper or
/// lower case.
pub fn materials(mesh: &Mesh) -> Vec<u64> {
    let n = mesh.n_cells();
    let mut material = Vec::new();
    let mut distinguish = |cell: usize, what: u64| {
        if material.is_empty() {
            material = vec![0_u64; n];
        }
        // The mixing function of the splitmix64 generator. Different inputs rarely give the same
        // number.
        let mixed = (material[cell] ^ what).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        material[cell] = mixed ^ (mixed >> 31);
    };
    for (number, group) in (1_u64..).zip(&mesh.groups) {
        if let Members::Cells(cells) = &group.members {
            cells.iter().for_each(|&cell| distinguish(cell as usize, number));
        }
    }
    for array in &mesh.cell_data {
        let name = array.name.to_lowercase();
        if let Values::Int(values) = &array.values
            && array.components == 1
            && MATERIALS.iter().any(|part| name.contains(part))
        {
            values.iter().enumerate().for_each(|(cell, &value)| distinguish(cell, value as u64));
        }
    }
    material
}
