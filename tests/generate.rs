//! Generated meshes: counts, topology, shape, and the same bits for ever.

mod support;

use std::collections::HashMap;

use zeroset::mesh::generate::{Generate, generate};
use zeroset::mesh::refine::refine;
use zeroset::mesh::{Kind, Mesh};

fn spec(text: &str) -> Generate {
    toml::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn make(text: &str) -> Mesh {
    generate(&spec(text)).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn refusal(text: &str) -> String {
    let error = generate(&spec(text)).expect_err(text);
    assert_eq!(error.exit_code(), 2, "{error}");
    error.to_string()
}

/// How often each directed edge (triangles) or oriented face (tets, by its ascending vertices with
/// the sign of the permutation) occurs; a conforming, consistently oriented mesh has 1 at most.
fn oriented_facets(mesh: &Mesh) -> HashMap<(Vec<u32>, bool), usize> {
    let mut count = HashMap::new();
    for cell in mesh.iter_cells() {
        for skip in 0..cell.len() {
            let mut facet: Vec<u32> =
                (0..cell.len()).filter(|&k| k != skip).map(|k| cell[k]).collect();
            let mut even = skip % 2 == 0;
            for i in 0..facet.len() {
                for j in i + 1..facet.len() {
                    even ^= facet[i] > facet[j];
                }
            }
            facet.sort_unstable();
            *count.entry((facet, even)).or_default() += 1;
        }
    }
    count
}

/// Facets without a neighbor, after checking that no facet occurs twice from the same side.
fn boundary(mesh: &Mesh) -> usize {
    let facets = oriented_facets(mesh);
    assert!(facets.values().all(|&n| n == 1), "two cells lie on the same side of a facet");
    facets.keys().filter(|(f, side)| !facets.contains_key(&(f.clone(), !side))).count()
}

/// Alternating sum of the numbers of simplices; every vertex must be used.
fn euler(mesh: &Mesh) -> i64 {
    let mut sum = 0;
    for dimension in 0..=mesh.kind.dimension() {
        let mut all: Vec<Vec<u32>> = Vec::new();
        for cell in mesh.iter_cells() {
            for subset in 1_usize..1 << cell.len() {
                if subset.count_ones() as usize == dimension + 1 {
                    let mut simplex: Vec<u32> =
                        (0..cell.len()).filter(|k| subset >> k & 1 == 1).map(|k| cell[k]).collect();
                    simplex.sort_unstable();
                    all.push(simplex);
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        if dimension == 0 {
            assert_eq!(all.len(), mesh.n_vertices(), "unused vertices");
        }
        sum += if dimension % 2 == 0 { all.len() as i64 } else { -(all.len() as i64) };
    }
    sum
}

fn corner(mesh: &Mesh, v: u32) -> nalgebra::Vector3<f64> {
    mesh.vertices[v as usize].into()
}

/// Twice the area with direction (triangles).
fn normals(mesh: &Mesh) -> Vec<(nalgebra::Vector3<f64>, nalgebra::Vector3<f64>)> {
    mesh.iter_cells()
        .map(|t| {
            let [a, b, c] = [0, 1, 2].map(|k| corner(mesh, t[k]));
            ((b - a).cross(&(c - a)), (a + b + c) / 3.0)
        })
        .collect()
}

/// Signed area (planar) or volume of each cell.
fn measures(mesh: &Mesh) -> Vec<f64> {
    match mesh.kind {
        Kind::Volume => mesh
            .iter_cells()
            .map(|t| {
                let [a, b, c, d] = [0, 1, 2, 3].map(|k| corner(mesh, t[k]));
                (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
            })
            .collect(),
        _ => normals(mesh).iter().map(|(n, _)| 0.5 * n.z).collect(),
    }
}

fn assert_fills(mesh: &Mesh, expected: f64) {
    let all = measures(mesh);
    assert!(all.iter().all(|&m| m > 0.0), "a cell is flat or turned over");
    let total: f64 = all.iter().sum();
    assert!((total - expected).abs() < 1e-12 * expected, "{total} instead of {expected}");
}

fn valence(mesh: &Mesh) -> u32 {
    let mut count = vec![0; mesh.n_vertices()];
    mesh.cells.iter().for_each(|&v| count[v as usize] += 1);
    count.into_iter().max().unwrap_or(0)
}

/// Radius of the inscribed circle or sphere of each cell: smallest and largest.
fn inradii(mesh: &Mesh) -> [f64; 2] {
    let faces = |t: &[u32]| -> f64 {
        (0..4)
            .map(|skip| {
                let f: Vec<_> = (0..4).filter(|&k| k != skip).map(|k| corner(mesh, t[k])).collect();
                0.5 * (f[1] - f[0]).cross(&(f[2] - f[0])).norm()
            })
            .sum()
    };
    let all: Vec<f64> = match mesh.kind {
        Kind::Volume => {
            mesh.iter_cells().zip(measures(mesh)).map(|(t, m)| 3.0 * m / faces(t)).collect()
        }
        _ => mesh
            .iter_cells()
            .zip(normals(mesh))
            .map(|(t, (n, _))| {
                let edges: f64 = (0..3)
                    .map(|k| (corner(mesh, t[k]) - corner(mesh, t[(k + 1) % 3])).norm())
                    .sum();
                n.norm() / edges
            })
            .collect(),
    };
    [all.iter().copied().fold(f64::MAX, f64::min), all.iter().copied().fold(0.0, f64::max)]
}

/// Angles of all triangles in degrees: largest one, and the share of triangles above 90.001.
fn largest_angle(mesh: &Mesh) -> (f64, f64) {
    let mut largest: f64 = 0.0;
    let mut obtuse = 0;
    for t in mesh.iter_cells() {
        let angle = (0..3)
            .map(|k| {
                let [a, b, c] = [0, 1, 2].map(|i| corner(mesh, t[(k + i) % 3]));
                (b - a).angle(&(c - a)).to_degrees()
            })
            .fold(0.0, f64::max);
        obtuse += usize::from(angle > 90.001);
        largest = largest.max(angle);
    }
    (largest, obtuse as f64 / mesh.n_cells() as f64)
}

fn summary(mesh: &Mesh) -> String {
    let [low, high] = inradii(mesh);
    format!("{} / {} / {} / {low:.4} {high:.4}", mesh.n_vertices(), mesh.n_cells(), valence(mesh))
}

#[test]
#[ignore = "slow"]
fn meshes_of_the_paper_irregular_square() {
    let text = "square = { cells = [512, 512], max = [512, 512], pattern = \"irregular\", vertices = 295937 }";
    let start = std::time::Instant::now();
    let base = make(text);
    println!("{:?} {}", start.elapsed(), summary(&base));
    let start = std::time::Instant::now();
    let fine = refine(&base).unwrap();
    println!("{:?} {} angle {:?}", start.elapsed(), summary(&fine), largest_angle(&fine));
    assert_fills(&fine, 512.0 * 512.0);
}

#[test]
#[ignore = "slow"]
fn meshes_of_the_paper_sphere() {
    let text = "sphere = { radius = 256, irregular = true, vertices = 255817 }";
    let start = std::time::Instant::now();
    let base = make(text);
    println!("{:?} {}", start.elapsed(), summary(&base));
    let start = std::time::Instant::now();
    let fine = refine(&base).unwrap();
    println!("{:?} {} angle {:?}", start.elapsed(), summary(&fine), largest_angle(&fine));
}
