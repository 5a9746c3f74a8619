use std::f64::consts::PI;

use super::*;
use crate::mesh::Group;
use crate::mesh::generate::{Generate, Sphere, Torus, generate};
use crate::surface::{Topology, orient};

fn sphere(subdivisions: u32) -> Mesh {
    let options = Sphere { subdivisions: Some(subdivisions), ..Sphere::default() };
    generate(&Generate::Sphere(options)).unwrap()
}

fn normal(mesh: &Mesh, t: &[u32]) -> Vec3 {
    let [a, b, c] = [t[0], t[1], t[2]].map(|v| Vec3::from(mesh.vertices[v as usize]));
    (b - a).cross(&(c - a))
}

fn volume(mesh: &Mesh) -> f64 {
    let of = |t: &[u32]| normal(mesh, t).dot(&Vec3::from(mesh.vertices[t[0] as usize])) / 6.0;
    mesh.iter_cells().map(of).sum()
}

fn area(mesh: &Mesh, is_in: impl Fn(usize) -> bool) -> f64 {
    let all = mesh.iter_cells().enumerate().filter(|(k, _)| is_in(*k));
    all.map(|(_, t)| 0.5 * normal(mesh, t).norm()).sum()
}

/// Returns a grid of `n` by `n` squares over the unit square.
fn square(n: usize) -> Mesh {
    let place = |k: usize| [k % (n + 1), k / (n + 1)].map(|i| i as f64 / n as f64);
    let vertices = (0..(n + 1) * (n + 1)).map(place).map(|[x, y]| [x, y, 0.0]).collect();
    let cells = (0..n * n).flat_map(|k| {
        let a = (k / n * (n + 1) + k % n) as u32;
        let b = a + n as u32 + 1;
        [a, a + 1, b + 1, a, b + 1, b]
    });
    Mesh::new(Kind::Surface, vertices, cells.collect())
}

fn to(mesh: &Mesh, n: usize) -> (Mesh, Decimation) {
    let (found, result) = decimate(mesh.clone(), DecimationTarget::Triangles(n)).unwrap();
    assert_eq!((result.before, result.after), (mesh.n_cells(), found.n_cells()));
    let mut cells = found.cells.clone();
    assert_eq!(orient(&found.vertices, &mut cells).turned, 0);
    (found, result)
}

#[test]
fn a_sphere_stays_closed_and_keeps_its_volume() {
    let whole = sphere(6);
    assert_eq!(whole.n_cells(), 81_920);
    let (found, result) = to(&whole, 5000);
    let topology = Topology::of(&found);
    assert!(topology.closed && topology.euler_number == 2, "{topology}");
    assert_eq!(result.after, 5000);
    let right = 4.0 / 3.0 * PI;
    assert!((volume(&found) / right - 1.0).abs() < 2e-3, "{}", volume(&found) / right);
    let error = result.error.unwrap();
    assert!(error.max < 3e-3 && error.mean < 1e-3, "{error:?}");
    // All triangles face outward.
    let outward = |t: &[u32]| {
        let n = normal(&found, t);
        n.dot(&Vec3::from(found.vertices[t[0] as usize])) > 0.5 * n.norm()
    };
    assert!(found.iter_cells().all(outward));
    let (coarse, _) = to(&whole, 100);
    assert!(Topology::of(&coarse).closed && (volume(&coarse) / right - 1.0).abs() < 0.1);
}

#[test]
fn the_topology_limits_the_decimation() {
    let torus = generate(&Generate::Torus(Torus::default())).unwrap();
    let (found, result) = to(&torus, 1);
    let topology = Topology::of(&found);
    assert!(topology.closed && topology.genus == Some(1), "{topology}");
    // A torus has at least 14 triangles (Moebius and Csaszar).
    assert!((14..200).contains(&result.after), "{}", result.after);
    let doubt = result.doubt().unwrap();
    assert!(doubt.starts_with("decimation stopped at") && doubt.contains("target of 1:"));
    let (tetrahedron, _) = to(&sphere(2), 1);
    let topology = Topology::of(&tetrahedron);
    assert!(topology.closed && topology.euler_number == 2 && tetrahedron.n_cells() < 20);
    // Separate triangles cannot be decimated.
    let ball = sphere(1);
    let vertices = ball.cells.iter().map(|&v| ball.vertices[v as usize]).collect();
    let soup = Mesh::new(Kind::Surface, vertices, (0..ball.cells.len() as u32).collect());
    let (found, result) = to(&soup, 10);
    assert_eq!((found.n_cells(), result.error), (soup.n_cells(), None));
    assert!(result.doubt().unwrap().contains("--repair joins coincident vertices"));
}

#[test]
fn a_square_becomes_few_triangles_with_its_corners() {
    let (found, result) = to(&square(20), 2);
    assert_eq!((found.n_cells(), found.n_vertices()), (2, 4));
    assert!((area(&found, |_| true) - 1.0).abs() < 1e-6, "{}", area(&found, |_| true));
    assert!(result.error.unwrap().max < 1e-6);
}

#[test]
fn boundary_loops_stay() {
    let mut mesh = sphere(5);
    let keep: Vec<bool> = mesh
        .iter_cells()
        .map(|t| t.iter().all(|&v| mesh.vertices[v as usize][2].abs() < 0.7))
        .collect();
    mesh = part(mesh, &keep).0;
    let before = Topology::of(&mesh);
    assert_eq!((before.holes.len(), before.euler_number), (2, 0));
    let (found, _) = to(&mesh, 400);
    let after = Topology::of(&found);
    assert_eq!((after.holes.len(), after.euler_number, after.nonmanifold_edges), (2, 0, 0));
    for (old, new) in before.holes.iter().zip(&after.holes) {
        assert!((new.length / old.length - 1.0).abs() < 0.05, "{old:?} {new:?}");
        assert!((new.center[2].abs() - old.center[2].abs()).abs() < 0.02);
    }
}

#[test]
fn borders_of_groups_and_materials_stay() {
    let mut mesh = square(32);
    let center = |t: &[u32]| {
        let mean = |k: usize| t.iter().map(|&v| mesh.vertices[v as usize][k]).sum::<f64>() / 3.0;
        (mean(0) - 0.5).hypot(mean(1) - 0.5)
    };
    let is_disk: Vec<bool> = mesh.iter_cells().map(|t| center(t) < 0.3).collect();
    let is_left: Vec<bool> = mesh.iter_cells().enumerate().map(|(k, _)| k / 2 % 32 < 16).collect();
    let disk = (0..).zip(&is_disk).filter(|(_, inside)| **inside).map(|(k, _)| k).collect();
    // The column of vertices at x = 1/4, which is not a border of cells.
    let line = (0..32_u32).flat_map(|j| [j * 33 + 8, (j + 1) * 33 + 8]).collect();
    mesh.groups = vec![
        Group { name: "disk".into(), members: Members::Cells(disk) },
        Group { name: "line".into(), members: Members::Simplices { dimension: 1, vertices: line } },
        Group {
            name: "point".into(),
            members: Members::Simplices { dimension: 0, vertices: vec![5 * 33 + 7] },
        },
    ];
    mesh.cell_data.push(DataArray {
        name: "material".into(),
        components: 1,
        values: Values::Int(is_left.iter().map(|&left| i64::from(left)).collect()),
    });
    let right = area(&mesh, |k| is_disk[k]);
    let (found, _) = to(&mesh, 120);
    let members = |name: &str| found.group(name).unwrap().members.clone();
    let Members::Cells(disk) = members("disk") else { panic!() };
    let inside = area(&found, |k| disk.contains(&(k as u32)));
    assert!((inside / right - 1.0).abs() < 0.05, "{inside} {right}");
    let Values::Int(left) = &found.cell_data[0].values else { panic!() };
    let half = area(&found, |k| left[k] == 1);
    assert!((half - 0.5).abs() < 1e-6 && (area(&found, |_| true) - 1.0).abs() < 1e-6, "{half}");
    // The line has fewer edges, and the same length.
    let Members::Simplices { vertices, .. } = members("line") else { panic!() };
    let at = |v: u32| Vec3::from(found.vertices[v as usize]);
    let length: f64 = vertices.chunks(2).map(|e| (at(e[1]) - at(e[0])).norm()).sum();
    assert!((length - 1.0).abs() < 1e-6 && vertices.len() < 64, "{length} {}", vertices.len());
    let Members::Simplices { vertices, .. } = members("point") else { panic!() };
    assert_eq!(found.vertices[vertices[0] as usize], [7.0 / 32.0, 5.0 / 32.0, 0.0]);
}

#[test]
fn arrays_are_interpolated_and_threads_do_not_matter() {
    let mut mesh = sphere(4);
    let array = |name: &str, values: Values| DataArray { name: name.into(), components: 1, values };
    let x = mesh.vertices.iter().map(|x| x[0]).collect();
    let labels = mesh.vertices.iter().map(|x| i64::from(x[2] > 0.0)).collect();
    mesh.vertex_data = vec![array("x", Values::Float(x)), array("up", Values::Int(labels))];
    mesh.vertex_data.extend(crate::mesh::normal_arrays(&mesh));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| to(&mesh, 500))
    };
    let ((found, result), (other, same)) = (run(1), run(3));
    assert_eq!((&found.vertices, &found.cells, result), (&other.vertices, &other.cells, same));
    assert_eq!(found.vertex_data, other.vertex_data);
    let x = found.vertex_array("x").unwrap().values.to_f64();
    assert!(x.iter().zip(&found.vertices).all(|(x, at)| (x - at[0]).abs() < 0.03));
    let up = found.vertex_array("up").unwrap().values.to_f64();
    assert!(
        up.iter()
            .zip(&found.vertices)
            .all(|(up, at)| at[2].abs() < 0.2 || (at[2] > 0.0) == (*up > 0.5))
    );
    let z = found.vertex_array("nz").unwrap().values.to_f64();
    assert!(z.iter().zip(&found.vertices).all(|(z, at)| (z - at[2]).abs() < 0.1));
}

#[test]
fn surfaces_that_touch_stay_together_and_far_away_ones_keep_their_digits() {
    // Two spheres that share a vertex, a million radii away from the origin.
    let ball = sphere(4);
    let mut both = ball.clone();
    let n = ball.n_vertices() as u32;
    let pole = (0..n)
        .max_by(|&a, &b| ball.vertices[a as usize][0].total_cmp(&ball.vertices[b as usize][0]));
    let pole = pole.unwrap();
    let shift = 2.0 * ball.vertices[pole as usize][0];
    both.vertices.extend(ball.vertices.iter().map(|x| [shift - x[0], x[1], x[2]]));
    let mirrored = ball.iter_cells().flat_map(|t| [t[0], t[2], t[1]]);
    both.cells.extend(mirrored.map(|v| if v == pole { pole } else { v + n }));
    both.vertices.iter_mut().for_each(|x| x[1] += 1e6);
    let (found, result) = to(&both, 600);
    let topology = Topology::of(&found);
    assert!(topology.holes.is_empty() && topology.components == 1, "{topology}");
    assert_eq!((topology.euler_number, topology.nonmanifold_edges), (3, 0));
    assert!(result.error.unwrap().max < 0.03 && result.after == 600, "{result:?}");
}

#[test]
fn targets_are_numbers_or_fractions() {
    let parse = |text: &str| text.parse::<DecimationTarget>();
    assert_eq!(parse("5000"), Ok(DecimationTarget::Triangles(5000)));
    assert_eq!(parse("1"), Ok(DecimationTarget::Triangles(1)));
    assert_eq!(parse("0.25").map(|target| target.of(80)), Ok(20));
    for text in ["0", "-1", "1.5", "nan", "inf", "x", "1e99"] {
        assert!(parse(text).is_err(), "{text}");
    }
    let cube = generate(&toml::from_str("cube = { cells = [1, 1, 1] }").unwrap()).unwrap();
    let message = decimate(cube, DecimationTarget::Triangles(4)).unwrap_err().to_string();
    assert!(message.contains("--boundary"), "{message}");
}
