//! Comparison of the contents of two files: meshes, volumes or tables.

use super::findings::Source;
use super::pairs::pair_rows;
use super::values::Paired;
use super::{Tolerance, meshes};
use crate::error::{Error, Result};
use crate::io::{Content, VertexData, VolumeFile};
use crate::mesh::Values;
use crate::volume::Volume;

/// Compares two contents of the same kind.
///
/// # Errors
/// Returns [`Error::Case`] if they are of different kinds.
pub(super) fn compare(a: &Content, b: &Content, tolerance: Tolerance) -> Result<Source> {
    let mut source = Source::default();
    match (a, b) {
        (Content::Mesh(a), Content::Mesh(b)) => {
            meshes::compare(&a.mesh, &b.mesh, tolerance, &mut source)?;
        }
        (Content::Volume(a), Content::Volume(b)) => volumes(a, b, tolerance, &mut source),
        (Content::Data(a), Content::Data(b)) => tables(a, b, tolerance, &mut source),
        _ => {
            let what = format!("A holds {} and B {}, which cannot be compared", kind(a), kind(b));
            return Err(Error::usage(what, "name two results of the same kind"));
        }
    }
    Ok(source)
}

fn kind(content: &Content) -> &'static str {
    match content {
        Content::Mesh(file) if file.mesh.n_cells() == 0 && file.mesh.groups.is_empty() => "points",
        Content::Mesh(_) => "a mesh",
        Content::Volume(_) => "a volume",
        Content::Data(_) => "a table",
    }
}

fn volumes(a: &VolumeFile, b: &VolumeFile, tolerance: Tolerance, source: &mut Source) {
    let (a, b) = (&a.volume, &b.volume);
    let shape = a.shape();
    if shape != b.shape() {
        let words = |[x, y, z]: [usize; 3]| format!("{x} x {y} x {z}");
        let what = format!("A has {} voxels, but B has {}", words(shape), words(b.shape()));
        return source.differs("shape", what);
    }
    let (of_a, of_b) = (corners(a), corners(b));
    let scale = (0..3).map(|k| (of_a[7][k] - of_a[0][k]).powi(2)).sum::<f64>().sqrt();
    let flat = |corners: &[[f64; 3]; 8]| Values::Float(corners.as_flattened().to_vec());
    let (flat_a, flat_b) = (flat(&of_a), flat(&of_b));
    let scale = Some(scale);
    let (a_values, b_values, components) = (&flat_a, &flat_b, 3);
    let position =
        Paired { name: "position", a: a_values, b: b_values, components, rows: None, scale };
    let at = |corner: usize| (format!("corner {corner}"), Some(of_a[corner]));
    source.arrays.push(position.compare(tolerance, at));
    let (values_a, values_b) = (Values::Float(a.to_f64()), Values::Float(b.to_f64()));
    let values = Paired {
        name: "value",
        a: &values_a,
        b: &values_b,
        components: 1,
        rows: None,
        scale: None,
    };
    let at = |n: usize| {
        let voxel = [n % shape[0], n / shape[0] % shape[1], n / (shape[0] * shape[1])];
        let [i, j, k] = voxel;
        (format!("voxel ({i}, {j}, {k})"), Some(a.placement().world(voxel.map(|n| n as f64))))
    };
    source.arrays.push(values.compare(tolerance, at));
}

/// Returns the positions of the voxels at the eight corners.
fn corners(volume: &Volume) -> [[f64; 3]; 8] {
    let last = volume.shape().map(|n| (n - 1) as f64);
    std::array::from_fn(|corner| {
        let index = std::array::from_fn(|k| if corner >> k & 1 == 1 { last[k] } else { 0.0 });
        volume.placement().world(index)
    })
}

/// Compares two tables column by column. Rows are paired by time if both tables have an ascending
/// column `time`, and otherwise by number.
fn tables(a: &VertexData, b: &VertexData, tolerance: Tolerance, source: &mut Source) {
    let [own, other] = [a, b].map(|data| meshes::names(&data.arrays));
    source.missing("column", &own, &other);
    let rows = pair_rows(&a.arrays, &b.arrays, source);
    let select = |arrays: &[crate::mesh::DataArray], rows: &[u32]| {
        arrays.iter().map(|array| array.select(rows)).collect::<Vec<_>>()
    };
    let of_a: Vec<u32> = rows.iter().map(|&[i, _]| i).collect();
    let of_b: Vec<u32> = rows.iter().map(|&[_, j]| j).collect();
    let (chosen_a, chosen_b) = (select(&a.arrays, &of_a), select(&b.arrays, &of_b));
    let at = |row: usize| (format!("row {}", of_a[row]), None);
    meshes::arrays(&chosen_a, &chosen_b, None, tolerance, source, &at);
    partial(a, b, tolerance, source);
    meshes::groups(&a.groups, &b.groups, [None, None], true, source);
}

/// Compares the arrays that have values at only some of the vertices.
fn partial(a: &VertexData, b: &VertexData, tolerance: Tolerance, source: &mut Source) {
    let [own, other] = [a, b].map(|data| -> Vec<&str> {
        data.partial.iter().map(|array| array.rows.name.as_str()).collect()
    });
    source.missing("array", &own, &other);
    for own in &a.partial {
        let Some(other) = b.partial.iter().find(|b| b.rows.name == own.rows.name) else { continue };
        if own.vertices != other.vertices {
            let what = format!("array `{}` has values at other vertices", own.rows.name);
            source.differs(format!("vertices of {}", own.rows.name), what);
            continue;
        }
        let at = |row: usize| (format!("vertex {}", own.vertices[row]), None);
        let [own, other] = [own, other].map(|array| std::slice::from_ref(&array.rows));
        meshes::arrays(own, other, None, tolerance, source, &at);
    }
}
