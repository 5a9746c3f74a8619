//! Vertex arrays whose values differ at vertices that were joined.

use super::Repair;
use crate::error::Error;
use crate::mesh::{DataArray, Mesh};

/// The difference that single precision may cause, as a fraction of the largest absolute value of
/// an array.
const ROUNDING: f64 = 1e-6;

/// An array with different values at vertices that were joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The name of the array.
    pub array: String,
    /// The first two joined vertices with different values, as numbered in the stored mesh.
    vertices: [u32; 2],
    /// The values at `vertices`, for the first component that differs.
    values: [f64; 2],
    /// The number of vertices whose value differs from that of the vertex that replaces them.
    count: usize,
}

impl Conflict {
    fn what(&self) -> String {
        let ([a, b], [x, y]) = (self.vertices, self.values);
        let array = &self.array;
        format!("array \"{array}\" is {x} at vertex {a} and {y} at vertex {b}, which are joined")
    }

    /// Returns the warning for a mesh with such an array. `effect` states what follows from it.
    pub fn warning(&self, effect: &str) -> String {
        let of = match self.count {
            1 => String::new(),
            n => format!(" (the first of {n} such vertices)"),
        };
        format!("{}{of}; {effect}", self.what())
    }

    /// Returns the error for a case that uses the array.
    pub fn error(&self) -> Error {
        let remedy = "make the values equal, or keep the vertices apart with `weld = \"never\"` \
                      (--weld never)";
        Error::usage(self.what(), remedy)
    }
}

/// Returns the vertex arrays of a repaired mesh whose values differ at joined vertices by more than
/// rounding.
pub fn conflicts(mesh: &Mesh, repair: &Repair) -> Vec<Conflict> {
    let joined: Vec<[u32; 2]> =
        (0..).zip(&repair.representative).filter(|&(v, &w)| v != w).map(|(v, &w)| [w, v]).collect();
    if joined.is_empty() {
        return Vec::new();
    }
    mesh.vertex_data.iter().filter_map(|array| conflict(array, &joined)).collect()
}

fn conflict(array: &DataArray, joined: &[[u32; 2]]) -> Option<Conflict> {
    let all = array.values.to_f64();
    let value = |v: u32, k: usize| all[v as usize * array.components + k];
    let scale = all.iter().filter(|x| x.is_finite()).fold(0.0_f64, |m, x| m.max(x.abs()));
    let difference = |&[v, w]: &[u32; 2]| {
        let mut values = (0..array.components).map(|k| [value(v, k), value(w, k)]);
        values.find(|&[a, b]| !agree(a, b, scale)).map(|values| ([v, w], values))
    };
    let mut found = joined.iter().filter_map(difference);
    let (vertices, values) = found.next()?;
    Some(Conflict { array: array.name.clone(), vertices, values, count: 1 + found.count() })
}

fn agree(a: f64, b: f64, scale: f64) -> bool {
    a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= ROUNDING * scale
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Kind, Values};

    #[test]
    fn values_may_differ_by_rounding_only() {
        let mut mesh = Mesh::new(Kind::Surface, vec![[0.0; 3]; 4], vec![]);
        let mut repair = Repair::default();
        repair.representative = vec![0, 1, 0, 1];
        let array = |name: &str, values: [f64; 4]| DataArray {
            name: name.into(),
            components: 1,
            values: Values::Float(values.into()),
        };
        mesh.vertex_data.push(array("same", [1.0, f64::NAN, 1.0 + 1e-7, f64::NAN]));
        mesh.vertex_data.push(array("other", [1.0, 2.0, 3.0, 4.0]));
        let found = conflicts(&mesh, &repair);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].vertices, found[0].values, found[0].count), ([0, 2], [1.0, 3.0], 2));
        let message = found[0].error().to_string();
        assert!(message.contains("\"other\" is 1 at vertex 0 and 3 at vertex 2"), "{message}");
    }
}
