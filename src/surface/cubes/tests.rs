//! Tests of marching cubes: closed surfaces for any values, measures, normals and refused sources.

use super::*;
use crate::geometry::Vec3;
use crate::mesh::statistics::{Statistics, inspect};
use crate::mesh::{Mesh, vertex_normals};
use std::collections::{BTreeMap, BTreeSet};

/// The values of a function on n^3 voxels that cover [-1, 1]^3. The outermost voxels lie half a
/// voxel inside the boundary of this cube.
struct Sampled {
    values: Vec<f64>,
    n: usize,
    placement: Placement,
}

fn sample(n: usize, f: impl Fn([f64; 3]) -> f64) -> Sampled {
    let spacing = 2.0 / n as f64;
    let placement = Placement { origin: [0.5 * spacing - 1.0; 3], spacing };
    let at = |k: usize| placement.world([k % n, k / n % n, k / (n * n)].map(|c| c as f64));
    // In voxel units, as on a tiled grid.
    let values = (0..n * n * n).map(|k| f(at(k)) / spacing).collect();
    Sampled { values, n, placement }
}

impl Sampled {
    fn blocks(&self, edge: usize) -> Dense<'_, f64> {
        Dense { values: &self.values, size: [self.n; 3], edge, beyond: f64::NAN }
    }
}

fn norm(x: [f64; 3]) -> f64 {
    Vec3::from(x).norm()
}

fn sphere(x: [f64; 3]) -> f64 {
    norm([x[0] - 0.01, x[1] + 0.02, x[2]]) - 0.71
}

fn torus([x, y, z]: [f64; 3]) -> f64 {
    (x.hypot(y) - 0.6).hypot(z) - 0.25
}

fn two_spheres([x, y, z]: [f64; 3]) -> f64 {
    (norm([x - 0.4, y, z]) - 0.3).min(norm([x + 0.4, y, z]) - 0.35)
}

fn assert_closed(found: &Statistics) {
    let faults = (found.boundary, found.nonmanifold, found.inconsistent, found.repeating);
    assert_eq!(faults, (0, 0, 0, 0), "{found:?}");
    assert_eq!((found.duplicate, found.unreferenced), (0, 0), "{found:?}");
}

/// Returns the triangles of a mesh as the positions of their corners, with the smallest corner
/// first.
fn triangles(mesh: &Mesh) -> BTreeSet<[[u64; 3]; 3]> {
    let at = |v: u32| mesh.vertices[v as usize].map(|x| (x + 0.0).to_bits());
    let turned = |t: &[u32]| {
        let t = [at(t[0]), at(t[1]), at(t[2])];
        [[t[0], t[1], t[2]], [t[1], t[2], t[0]], [t[2], t[0], t[1]]].into_iter().min().unwrap()
    };
    mesh.iter_cells().map(turned).collect()
}

type Function = fn([f64; 3]) -> f64;

#[test]
fn shapes_are_closed_and_measured_at_order_two() {
    let tau = std::f64::consts::TAU;
    let ball = |r: f64| (2.0 * tau * r * r, 2.0 / 3.0 * tau * r * r * r);
    let (of_two, volume_of_two) = (ball(0.3).0 + ball(0.35).0, ball(0.3).1 + ball(0.35).1);
    let cases: [(Function, i64, usize, f64, f64); 3] = [
        (sphere, 2, 1, ball(0.71).0, ball(0.71).1),
        (torus, 0, 1, tau * tau * 0.6 * 0.25, 0.5 * tau * tau * 0.6 * 0.25 * 0.25),
        (two_spheres, 4, 2, of_two, volume_of_two),
    ];
    for (f, euler, components, area, volume) in cases {
        let mut errors = Vec::new();
        for n in [24, 48] {
            let sampled = sample(n, f);
            let mesh = extract(&sampled.blocks(4), &sampled.placement, true).unwrap();
            let found = inspect(&mesh);
            assert_closed(&found);
            assert_eq!((found.euler, found.components), (euler, components));
            let measured = measure(&sampled.blocks(4), &sampled.placement).unwrap();
            assert_eq!(measured.euler_number, Some(euler));
            assert_eq!(measured.vertices, mesh.n_vertices() as u64);
            assert_eq!(measured.triangles, mesh.n_cells() as u64);
            errors.push([measured.area / area - 1.0, measured.volume.unwrap() / volume - 1.0]);
        }
        for (coarse, fine) in errors[0].iter().zip(errors[1]) {
            let order = (coarse / fine).log2();
            assert!(order > 1.8 && fine.abs() < 0.01, "order {order}: {errors:?}");
        }
    }
}

#[test]
fn normals_are_those_of_the_shape() {
    let sampled = sample(32, torus);
    let mesh = extract(&sampled.blocks(8), &sampled.placement, true).unwrap();
    let given: Vec<Vec<f64>> = mesh.vertex_data.iter().map(|a| a.values.to_f64()).collect();
    let names: Vec<&str> = mesh.vertex_data.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["nx", "ny", "nz"]);
    let of_triangles = vertex_normals(&mesh);
    for (k, &[x, y, z]) in mesh.vertices.iter().enumerate() {
        let (r, d) = (x.hypot(y), (x.hypot(y) - 0.6).hypot(z));
        let exact = Vec3::new((r - 0.6) * x / r, (r - 0.6) * y / r, z) / d;
        let normal = Vec3::new(given[0][k], given[1][k], given[2][k]);
        assert!((normal - exact).norm() < 0.03, "{normal} for {exact}");
        assert!(normal.dot(&Vec3::from(of_triangles[k])) > 0.9);
    }
}

/// Returns reproducible random numbers from -1 to 1.
fn noise(n: usize, seed: u64) -> Vec<f64> {
    use rand_chacha::rand_core::{Rng, SeedableRng};
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    (0..n).map(|_| f64::from(random.next_u32() as i32) / f64::from(i32::MAX)).collect()
}

#[test]
fn noise_gives_closed_surfaces_whatever_the_blocks() {
    for seed in 0..40 {
        let values = noise(216, seed);
        let dense = |edge| Dense { values: &values, size: [6; 3], edge, beyond: 1.0 };
        let whole = extract(&dense(8), &Placement::default(), false).unwrap();
        let found = inspect(&whole);
        assert_closed(&found);
        let records = Records::new(&dense(4)).unwrap().surface(&Placement::default()).unwrap();
        assert_closed(&inspect(&records));
        assert_eq!(
            (records.n_cells(), records.n_vertices()),
            (whole.n_cells(), whole.n_vertices())
        );
        for edge in [1, 2, 3, 4, 5] {
            let mesh = extract(&dense(edge), &Placement::default(), true).unwrap();
            assert_closed(&inspect(&mesh));
            assert_eq!(triangles(&mesh), triangles(&whole), "edge {edge}");
            let measured = measure(&dense(edge), &Placement::default()).unwrap();
            assert_eq!(measured.euler_number, Some(found.euler));
        }
    }
}

/// A subset of the blocks of a box. Around a block, values are those of the box, even where the
/// neighboring block is missing.
struct Sparse<'a> {
    dense: Dense<'a, f64>,
    kept: Vec<usize>,
}

impl Blocks<f64> for Sparse<'_> {
    fn edge(&self) -> usize {
        self.dense.edge
    }
    fn len(&self) -> usize {
        self.kept.len()
    }
    fn corner(&self, block: usize) -> [i32; 3] {
        // Move the blocks, also to negative coordinates.
        self.dense.corner(self.kept[block]).map(|x| x - 12)
    }
    fn fill(&self, block: usize, reach: usize, values: &mut [f64]) {
        self.dense.fill(self.kept[block], reach, values);
    }
}

/// Keeps the blocks that contain one end of every edge that the surface crosses: the upper end if
/// `upper` holds at the lower end, otherwise the lower end.
fn thinned<'a>(dense: Dense<'a, f64>, upper: impl Fn([i32; 3]) -> bool) -> Sparse<'a> {
    let n = dense.size.map(|n| n as i32);
    let value = |p: [i32; 3]| {
        let inside = (0..3).all(|k| (0..n[k]).contains(&p[k]));
        if inside {
            dense.values[(p[0] + n[0] * (p[1] + n[1] * p[2])) as usize]
        } else {
            dense.beyond
        }
    };
    let mut wanted = BTreeSet::new();
    for k in 0..n[0] * n[1] * n[2] {
        let low = [k % n[0], k / n[0] % n[1], k / (n[0] * n[1])];
        for a in 0..3 {
            let mut high = low;
            high[a] += 1;
            if (value(low) < 0.0) != (value(high) < 0.0) {
                let end = if upper(low) && high[a] < n[a] { high } else { low };
                wanted.insert(end.map(|x| x / dense.edge as i32));
            }
        }
    }
    let place = |&b: &usize| dense.corner(b).map(|x| x / dense.edge as i32);
    Sparse { kept: (0..dense.len()).filter(|b| wanted.contains(&place(b))).collect(), dense }
}

#[test]
fn missing_blocks_leave_no_gaps() {
    let mut fewer = 0;
    for seed in 0..40 {
        // Noise makes a few values negative, but none at the boundary.
        let (n, edge) = (12, 2 + seed as usize % 3);
        let mut values = noise(n * n * n, seed);
        for (k, value) in values.iter_mut().enumerate() {
            let place = [k % n, k / n % n, k / (n * n)];
            let border = place.iter().any(|&c| c == 0 || c == n - 1);
            *value = if border { 1.0 } else { *value + 0.9 };
        }
        let dense = Dense { values: &values, size: [n; 3], edge, beyond: 1.0 };
        let all = Sparse { dense, kept: (0..dense.len()).collect() };
        let whole = extract(&all, &Placement::default(), false).unwrap();
        let rules: [fn([i32; 3]) -> bool; 3] =
            [|_| true, |_| false, |p| (p[0] + p[1] + p[2]) % 3 == 0];
        for rule in rules {
            let sparse = thinned(dense, rule);
            fewer += dense.len() - sparse.len();
            let mesh = extract(&sparse, &Placement::default(), true).unwrap();
            assert_closed(&inspect(&mesh));
            assert_eq!(triangles(&mesh), triangles(&whole));
            let records = Records::new(&sparse).unwrap();
            let mut places: Vec<[u16; 3]> = records.list.iter().map(Record::position).collect();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), Records::new(&all).unwrap().list.len());
            assert_eq!(records.triangles, whole.n_cells() as u64);
        }
    }
    assert!(fewer > 100, "no blocks were left out");
}

#[test]
fn sign_changes_outside_of_all_blocks_are_refused() {
    let sampled = sample(16, sphere);
    let mut sparse = thinned(sampled.blocks(4), |_| true);
    let removed = sparse.kept.len() / 2;
    sparse.kept.retain(|k| k % 5 != 0);
    assert!(removed > 0);
    let error = extract(&sparse, &Placement::default(), false).unwrap_err().to_string();
    assert!(error.contains("outside of the band, from voxel ("), "{error}");
    assert!(measure(&sparse, &Placement::default()).is_err() && Records::new(&sparse).is_err());
}

/// A source that violates its contract: each block sees the values of its neighbors with the
/// opposite sign.
struct Broken<'a>(Dense<'a, f64>);

impl Blocks<f64> for Broken<'_> {
    fn edge(&self) -> usize {
        self.0.edge
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn corner(&self, block: usize) -> [i32; 3] {
        self.0.corner(block)
    }
    fn fill(&self, block: usize, reach: usize, values: &mut [f64]) {
        self.0.fill(block, reach, values);
        let (n, edge) = (self.0.edge + 2 * reach, self.0.edge);
        for (k, value) in values.iter_mut().enumerate() {
            let own =
                [k % n, k / n % n, k / (n * n)].iter().all(|c| (reach..reach + edge).contains(c));
            *value *= if own { 1.0 } else { -1.0 };
        }
    }
}

#[test]
fn blocks_that_do_not_agree_are_found() {
    let sampled = sample(16, sphere);
    let error = extract(&Broken(sampled.blocks(4)), &Placement::default(), false).unwrap_err();
    assert!(error.to_string().contains("disagree about the sign"), "{error}");
}

#[test]
fn records_hold_the_surface_up_to_quantization() {
    let sampled = sample(40, torus);
    let (blocks, placement) = (sampled.blocks(4), sampled.placement);
    let mesh = extract(&blocks, &placement, false).unwrap();
    let records = Records::new(&blocks).unwrap();
    assert_eq!(size_of::<Record>(), 15);
    assert_eq!(records.bytes(), 15 * records.list.len() as u64);
    assert_eq!(records.triangle_bytes(), 36 * mesh.n_cells() as u64);
    assert!(records.range <= 1.0 + 1e-12, "ends of crossed edges are within a voxel");
    let decoded = records.surface(&placement).unwrap();
    assert_eq!(inspect(&decoded).euler, 0);
    assert_closed(&inspect(&decoded));
    assert_eq!((decoded.n_vertices(), decoded.n_cells()), (mesh.n_vertices(), mesh.n_cells()));
    // At decoded vertices, phi differs from 0 by the errors of quantization and of linear
    // interpolation.
    let off = |mesh: &Mesh| mesh.vertices.iter().map(|&x| torus(x).abs()).fold(0.0, f64::max);
    let bound = records.range / 510.0 * placement.spacing;
    assert!(off(&decoded) <= off(&mesh) + 2.0 * bound, "{} {}", off(&decoded), off(&mesh));
    assert!(decoded.vertices.iter().any(|x| !mesh.vertices.contains(x)), "nothing was quantized");
    // Each record matches the values from which it was made.
    let mut places = BTreeMap::new();
    for record in &records.list {
        assert!(places.insert(record.position(), record.case()).is_none(), "a cube twice");
        for c in 0..8 {
            let p: [usize; 3] = std::array::from_fn(|k| {
                record.position()[k] as usize + records.base[k] as usize + (c >> k & 1)
            });
            let value = sampled.values[p[0] + 40 * (p[1] + 40 * p[2])];
            assert_eq!(value < 0.0, record.case() >> c & 1 == 1);
            let size = f64::from(record.size(c)) / 255.0 * records.range;
            assert!((size - value.abs().min(records.range)).abs() <= 1.001 * records.range / 510.0);
        }
    }
}

#[test]
fn results_do_not_depend_on_threads_or_the_scalar() {
    let sampled = sample(40, two_spheres);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (blocks, placement) = (sampled.blocks(4), &sampled.placement);
            let mesh = extract(&blocks, placement, true).unwrap();
            let records = Records::new(&blocks).unwrap();
            let arrays = mesh.vertex_data;
            (mesh.vertices, mesh.cells, arrays, records, measure(&blocks, placement).unwrap())
        })
    };
    let one = run(1);
    assert_eq!(one, run(3));
    let values: Vec<f32> = sampled.values.iter().map(|&v| v as f32).collect();
    let blocks = Dense { values: &values, size: [40; 3], edge: 4, beyond: f32::NAN };
    let single = extract(&blocks, &sampled.placement, false).unwrap();
    assert_eq!(single.cells, one.1);
}

#[test]
fn surfaces_are_open_beside_missing_values_only() {
    let sampled = sample(16, |x| x[2] - 0.03);
    let mesh = extract(&sampled.blocks(4), &sampled.placement, true).unwrap();
    let found = inspect(&mesh);
    assert_eq!((found.euler, found.boundary, found.nonmanifold), (1, 60, 0));
    let measured = measure(&sampled.blocks(4), &sampled.placement).unwrap();
    assert_eq!((measured.volume, measured.euler_number), (None, None));
    assert!((measured.area - (15.0 / 8.0f64).powi(2)).abs() < 1e-12);
    let normals: Vec<f64> = mesh.vertex_array("nz").unwrap().values.to_f64();
    assert!(normals.iter().all(|&z| (z - 1.0).abs() < 1e-12));
    let nothing = sample(8, |_| 1.0);
    let empty = extract(&nothing.blocks(4), &nothing.placement, true).unwrap();
    assert_eq!((empty.n_vertices(), empty.n_cells()), (0, 0));
    let records = Records::new(&nothing.blocks(4)).unwrap();
    assert_eq!(records.surface(&nothing.placement).unwrap().n_cells(), 0);
}

#[test]
fn voxels_on_the_surface_leave_it_closed() {
    // phi = 0 counts as outside: the surface of this cube passes through voxels.
    let sampled = sample(16, |x| x.iter().map(|c| c.abs()).fold(0.0, f64::max) - 0.4375);
    assert!(sampled.values.contains(&0.0));
    let mesh = extract(&sampled.blocks(4), &sampled.placement, true).unwrap();
    let found = inspect(&mesh);
    assert_eq!((found.euler, found.boundary, found.nonmanifold, found.inconsistent), (2, 0, 0, 0));
    let measured = measure(&sampled.blocks(4), &sampled.placement).unwrap();
    // The twelve edges of the cube are cut off along the diagonals of their voxels.
    let (whole, side) = (0.875f64.powi(3), 0.125f64);
    let volume = measured.volume.unwrap();
    assert!(volume < whole && volume > whole - 12.0 * 0.875 * 0.5 * side * side, "{measured:?}");
    for array in &mesh.vertex_data {
        assert!(array.values.to_f64().iter().all(|x| x.is_finite()));
    }
}
