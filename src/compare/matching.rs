//! Which vertices and cells of two meshes correspond.

use super::Tolerance;
use crate::mesh::Mesh;

/// Two vertices correspond if they are closer together than this fraction of the bounding box
/// diagonal and the cells are the same.
const NEAR: f64 = 1e-6;

/// The vertices or cells of B that correspond to those of A.
#[derive(Debug, PartialEq)]
pub(super) enum Matching {
    /// They have the same numbers.
    Same,
    /// Corresponding items have different numbers. The list holds the number in B for each number
    /// in A.
    Renumbered(Vec<u32>),
    /// They do not correspond.
    Other,
}

impl Matching {
    /// Returns the number in B for each number in A, or `None` if the numbers are the same.
    pub(super) fn numbers(&self) -> Option<&[u32]> {
        match self {
            Matching::Renumbered(numbers) => Some(numbers),
            _ => None,
        }
    }
}

/// Returns the length of the diagonal of a mesh's bounding box.
pub(super) fn diagonal(mesh: &Mesh) -> f64 {
    let (low, high) = mesh.bounds();
    distance(&low, &high)
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

/// Matches the vertices of two meshes by number or, if that fails, by position.
pub(super) fn vertices(a: &Mesh, b: &Mesh, tolerance: Tolerance) -> Matching {
    if a.n_vertices() != b.n_vertices() {
        return Matching::Other;
    }
    let pairs = a.vertices.iter().zip(&b.vertices);
    let largest = pairs.map(|(x, y)| distance(x, y)).fold(0.0, f64::max);
    let size = diagonal(a).max(diagonal(b));
    let is_near = largest <= tolerance.allowed(size)
        || largest <= NEAR * size && a.cells == b.cells && a.groups == b.groups;
    if is_near {
        return Matching::Same;
    }
    let (sorted, other) = (sorted(&a.vertices), sorted(&b.vertices));
    let bits = |x: &[f64; 3]| x.map(f64::to_bits);
    let are_same =
        |(&i, &j): (&u32, &u32)| bits(&a.vertices[i as usize]) == bits(&b.vertices[j as usize]);
    if !sorted.iter().zip(&other).all(are_same) {
        return Matching::Other;
    }
    let mut numbers = vec![0; sorted.len()];
    sorted.iter().zip(&other).for_each(|(&i, &j)| numbers[i as usize] = j);
    Matching::Renumbered(numbers)
}

/// Returns the numbers of points, ordered by coordinates. Equal points stay in order.
fn sorted(points: &[[f64; 3]]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&i, &j| {
        let (x, y) = (points[i as usize], points[j as usize]);
        let along = |k: usize| x[k].total_cmp(&y[k]);
        along(0).then(along(1)).then(along(2))
    });
    order
}

/// The cells that only one of two meshes has.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Unmatched {
    /// Number of cells of A that B lacks.
    pub only_a: usize,
    /// Number of cells of B that A lacks.
    pub only_b: usize,
    /// The lowest index of a cell of A that B lacks.
    pub first_a: Option<u32>,
    /// The lowest index of a cell of B that A lacks.
    pub first_b: Option<u32>,
}

/// Matches the cells of two meshes whose vertices correspond.
pub(super) fn cells(a: &Mesh, b: &Mesh, vertices: Option<&[u32]>) -> (Matching, Unmatched) {
    let to_a = inverse(vertices, b.n_vertices());
    let in_a = |v: u32| to_a.as_ref().map_or(v, |to_a| to_a[v as usize]);
    let arity = a.kind.arity();
    if arity == b.kind.arity() && a.cells.iter().copied().eq(b.cells.iter().map(|&v| in_a(v))) {
        return (Matching::Same, Unmatched::default());
    }
    let keys = |mesh: &Mesh, number: &dyn Fn(u32) -> u32| {
        let key = |(c, cell): (usize, &[u32])| {
            let mut corners = [u32::MAX; 4];
            corners.iter_mut().zip(cell).for_each(|(corner, &v)| *corner = number(v));
            corners.sort_unstable();
            (corners, c as u32)
        };
        let mut keys: Vec<([u32; 4], u32)> = mesh.iter_cells().enumerate().map(key).collect();
        keys.sort_unstable();
        keys
    };
    let (of_a, of_b) = (keys(a, &|v| v), keys(b, &in_a));
    let mut numbers = vec![0; a.n_cells()];
    let mut lone = Unmatched::default();
    let least = |own: Option<u32>, c: u32| Some(own.map_or(c, |own| own.min(c)));
    let (mut i, mut j) = (0, 0);
    while i < of_a.len() || j < of_b.len() {
        let order = match (of_a.get(i), of_b.get(j)) {
            (Some(x), Some(y)) => x.0.cmp(&y.0),
            (Some(_), None) => std::cmp::Ordering::Less,
            _ => std::cmp::Ordering::Greater,
        };
        match order {
            std::cmp::Ordering::Equal => {
                numbers[of_a[i].1 as usize] = of_b[j].1;
                (i, j) = (i + 1, j + 1);
            }
            std::cmp::Ordering::Less => {
                lone.only_a += 1;
                lone.first_a = least(lone.first_a, of_a[i].1);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                lone.only_b += 1;
                lone.first_b = least(lone.first_b, of_b[j].1);
                j += 1;
            }
        }
    }
    let matching = match lone.only_a + lone.only_b {
        0 => Matching::Renumbered(numbers),
        _ => Matching::Other,
    };
    (matching, lone)
}

/// Returns the number in A for each number in B, or `None` if the numbers are the same.
pub(super) fn inverse(numbers: Option<&[u32]>, n: usize) -> Option<Vec<u32>> {
    let numbers = numbers?;
    let mut inverse = vec![0; n];
    numbers.iter().enumerate().for_each(|(i, &j)| inverse[j as usize] = i as u32);
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    fn square(order: [usize; 4]) -> Mesh {
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let number = |v: usize| order.iter().position(|&o| o == v).unwrap() as u32;
        let cells = [0, 1, 2, 0, 2, 3].map(number).to_vec();
        Mesh::new(Kind::Planar, order.map(|v| x[v]).to_vec(), cells)
    }

    #[test]
    fn other_numbers_and_another_order_of_cells_are_found() {
        let (a, exact) = (square([0, 1, 2, 3]), Tolerance::default());
        assert_eq!(vertices(&a, &a, exact), Matching::Same);
        let mut b = square([2, 0, 3, 1]);
        let found = vertices(&a, &b, exact);
        assert_eq!(found, Matching::Renumbered(vec![1, 3, 0, 2]));
        assert_eq!(cells(&a, &b, found.numbers()).0, Matching::Same);
        b.cells.rotate_left(3);
        assert_eq!(cells(&a, &b, found.numbers()).0, Matching::Renumbered(vec![1, 0]));
        b.cells.splice(0..3, [0, 3, 2]);
        let (matching, lone) = cells(&a, &b, found.numbers());
        assert_eq!((matching, lone.only_a, lone.only_b), (Matching::Other, 1, 1));
        assert_eq!((lone.first_a, lone.first_b), (Some(1), Some(0)));
    }

    #[test]
    fn near_vertices_correspond_within_the_tolerance_or_with_the_same_cells() {
        let a = square([0, 1, 2, 3]);
        let mut b = a.clone();
        b.vertices[2][0] += 1e-9;
        assert_eq!(vertices(&a, &b, Tolerance::default()), Matching::Same);
        b.vertices[2][0] += 1e-3;
        assert_eq!(vertices(&a, &b, Tolerance::default()), Matching::Other);
        let tolerance = Tolerance { absolute: 0.0, relative: 0.01 };
        assert_eq!(vertices(&a, &b, tolerance), Matching::Same);
    }
}
