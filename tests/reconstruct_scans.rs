//! Reconstructs every closed model among the scans from samples, with both methods at three depths.
//! Also tests clouds that give a poor surface or no surface.

use std::process::Command;

use zeroset::Error;
use zeroset::cloud::{Noise, PointCloud, Sampler, Sampling};
use zeroset::io::{read_cloud, read_mesh};
use zeroset::mesh::Mesh;
use zeroset::reconstruct::directed::Cubes;
use zeroset::reconstruct::{Device, Method, Options, Report, surface};
use zeroset::surface::{Gaps, Topology};
use zeroset_testing::checkout::program;
use zeroset_testing::{hostile_clouds, samples};

fn reconstruct(cloud: PointCloud, method: Method, cubes: Cubes) -> Result<(Mesh, Report), Error> {
    let mut options = Options::default();
    (options.method, options.cubes) = (method, cubes);
    surface(cloud, &options, Device::Cpu)
}

/// Returns, for a closed surface, the number of vertices around which the triangles form more than
/// one fan.
fn pinched(mesh: &Mesh) -> usize {
    // Each entry consists of a vertex and two consecutive neighbors of this vertex.
    let turns = |c: &[u32]| [[c[0], c[1], c[2]], [c[1], c[2], c[0]], [c[2], c[0], c[1]]];
    let mut turns: Vec<[u32; 3]> = mesh.iter_cells().flat_map(turns).collect();
    turns.sort_unstable();
    let is_pinched = |around: &&[[u32; 3]]| {
        let (mut at, mut n) = (around[0][1], 0);
        loop {
            at = around[around.binary_search_by_key(&at, |turn| turn[1]).unwrap()][2];
            n += 1;
            if at == around[0][1] {
                return n < around.len();
            }
        }
    };
    turns.chunk_by(|a, b| a[0] == b[0]).filter(is_pinched).count()
}

/// Returns the enclosed volume, which is positive if triangles face outward.
fn enclosed(mesh: &Mesh) -> f64 {
    let corner = |v: u32| nalgebra::Vector3::from(mesh.vertices[v as usize]);
    let of = |c: &[u32]| corner(c[0]).dot(&corner(c[1]).cross(&corner(c[2]))) / 6.0;
    mesh.iter_cells().map(of).sum()
}

/// The closed models among the scans.
const CLOSED: [&str; 3] = ["armadillo_26k.off", "horse.ply", "lucy_50k.ply"];

/// Asserts that the surface is closed, manifold and correctly oriented at three depths, and that
/// its error decreases with the depth. The error is measured from the samples to the surface, and
/// from the surface to the model.
fn made_anew(name: &str, method: Method, depths: [u32; 3], falls: [f64; 2]) {
    assert!(CLOSED.contains(&name));
    let Some(path) = zeroset_testing::data(&format!("scans/{name}")) else { return };
    let model = read_mesh(&path).unwrap().mesh;
    let diagonal = samples::diagonal(model.bounds());
    let noise = Noise::Length(0.0);
    let options = Sampling { n: 60_000, normals: true, noise, outliers: 0, seed: 1 };
    let cloud = Sampler::new(&model, options).unwrap().cloud();
    let mut before = [f64::INFINITY; 2];
    for depth in depths {
        let (mesh, report) = reconstruct(cloud.clone(), method, Cubes::Depth(depth)).unwrap();
        let found = &report.surface;
        let what = format!("{name}, {method:?}, depth {depth}");
        assert!(found.closed && found.nonmanifold_edges == 0, "{what}: {found:?}");
        assert_eq!(pinched(&mesh), 0, "{what}");
        let there = Gaps::new(&mesh, &cloud.points).unwrap().mean;
        let back = Gaps::new(&model, &mesh.vertices).unwrap().mean;
        let now = [there, back];
        let volume = enclosed(&mesh) / enclosed(&model);
        println!(
            "{what}: {found}; samples to surface {:.4} %, surface to model {:.4} %, volume {volume:.4}",
            100.0 * there / diagonal,
            100.0 * back / diagonal
        );
        let is_nearer = (0..2).all(|k| now[k] < falls[k] * before[k]);
        assert!(is_nearer, "{what}: {now:?} after {before:?}");
        before = now;
        // With directed distances, the orientation follows the normals. The level-set method always
        // makes triangles face outward.
        let is_turned =
            if method == Method::Directed { volume < 0.0 } else { enclosed(&mesh) < 0.0 };
        assert!(!is_turned, "{what}: {volume}");
        assert!(depth < depths[2] || (volume.abs() - 1.0).abs() < 0.03, "{what}: {volume}");
    }
}

macro_rules! made_anew {
    ($($directed:ident, $levelset:ident: $name:literal;)*) => {
        $(#[test]
        fn $directed() {
            made_anew($name, Method::Directed, [5, 6, 7], [0.4, 0.7]);
        }

        #[test]
        fn $levelset() {
            made_anew($name, Method::Levelset, [6, 7, 8], [0.7, 0.7]);
        }
        )*
    };
}

made_anew! {
    the_armadillo_by_directed_distances, the_armadillo_by_a_level_set: "armadillo_26k.off";
    the_horse_by_directed_distances, the_horse_by_a_level_set: "horse.ply";
    lucy_by_directed_distances, lucy_by_a_level_set: "lucy_50k.ply";
}

#[test]
fn no_closed_model_is_forgotten() {
    let Some(folder) = zeroset_testing::data("scans") else { return };
    let mut closed: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Point clouds are not meshes.
        let Ok(file) = read_mesh(&path) else { continue };
        if Topology::of(&file.mesh).closed {
            closed.push(path.file_name().unwrap().to_str().unwrap().into());
        }
    }
    closed.sort();
    assert_eq!(closed, CLOSED);
}

const METHODS: [Method; 2] = [Method::Directed, Method::Levelset];

/// Returns a point cloud with normals.
fn cloud(points: Vec<[f64; 3]>, normal: impl Fn(&[f64; 3]) -> [f64; 3]) -> PointCloud {
    let normals = points.iter().map(|x| normal(x).map(|c| c as f32)).collect();
    let mut cloud = PointCloud::new(points);
    cloud.normals = Some(normals);
    cloud
}

#[test]
fn clouds_without_extent_are_refused_by_both() {
    for method in METHODS {
        for (points, says) in [
            (vec![], ["no point", "without points"]),
            (vec![[1.0, 2.0, 3.0]], ["one point", "one point"]),
            (vec![[1.0, 2.0, 3.0]; 1_000_000], ["coincide", "coincide"]),
        ] {
            let n = points.len();
            let cloud = cloud(points, |_| [0.0, 0.0, 1.0]);
            let found = reconstruct(cloud, method, Cubes::Depth(5)).map(|(_, report)| report);
            let error = found.unwrap_err();
            let said = error.to_string();
            assert!(says.iter().any(|says| said.contains(says)), "{n} {method:?}: {said}");
            assert_eq!(error.exit_code(), 2, "{n} {method:?}: {said}");
        }
    }
}

#[test]
fn lines_and_planes_are_sheets_or_enclose_nothing() {
    let line = (0..1000).map(|k| [f64::from(k), 0.3 * f64::from(k), 1.0]).collect();
    let plane = (0..10_000).map(|k| [f64::from(k % 100), f64::from(k / 100), 1.0]).collect();
    let up = |_: &[f64; 3]| [0.0, 0.0, 1.0];
    for cloud in [cloud(line, up), cloud(plane, up)] {
        let (_, report) = reconstruct(cloud.clone(), Method::Directed, Cubes::Edge(2.0)).unwrap();
        let found = report.surface;
        assert!(!found.closed && found.nonmanifold_edges == 0, "{found:?}");
        assert_eq!((found.components, found.euler_number, found.holes.len()), (1, 1, 1));
        assert!(report.error.max < 1e-6, "{:?}", report.error);
        let found = reconstruct(cloud, Method::Levelset, Cubes::Depth(6)).map(|(_, report)| report);
        assert_eq!(found.unwrap_err().exit_code(), 4);
    }
}

#[test]
fn open_scans_without_normals_are_left_to_spheres() {
    let at = |k: usize| [0.02 * (k % 150) as f64, 0.02 * (k / 150) as f64];
    let sheet = (0..22_500).map(|k| [at(k)[0], at(k)[1], 0.1 * (3.0 * at(k)[0]).sin()]).collect();
    let sheet = PointCloud::new(sheet);
    let (_, report) = reconstruct(sheet.clone(), Method::Auto, Cubes::Safe).unwrap();
    let said = &report.warnings;
    assert!(said[0].contains("vanishes") && said[0].ends_with("is used instead"), "{said:?}");
    assert_eq!((report.method, report.estimated_normals.is_some()), (Method::Spheres, true));
    assert!(report.levelset.is_none() && !report.surface.closed);
    assert!(report.error.mean_percent < 0.1, "{:?}", report.error);
    // A method that is requested by name, or by one of its options, is not replaced by the other.
    let mut options = Options::default();
    options.curvature = Some(0.1);
    assert_eq!(surface(sheet, &options, Device::Cpu).unwrap_err().exit_code(), 4);
    // These are trees scanned from above. A closed surface would lie above most of the points.
    let Some(path) = zeroset_testing::data("lidar/MixedConifer.laz") else { return };
    let (trees, _) = read_cloud(&path).unwrap();
    let (_, open) = reconstruct(trees.clone(), Method::Auto, Cubes::Safe).unwrap();
    assert_eq!(open.method, Method::Spheres);
    let is_other = |said: &String| said.ends_with("the method spheres is used instead");
    assert!(open.warnings.iter().any(is_other), "{:?}", open.warnings);
    let (_, closed) = reconstruct(trees, Method::Levelset, Cubes::Safe).unwrap();
    assert!(!closed.check.passed, "{closed:?}");
    assert!(open.error.mean < 0.5 * closed.error.mean);
}

/// Returns the depth that was used.
fn depth(report: &Report) -> u32 {
    report.levelset.as_ref().unwrap().levels.last().unwrap().level
}

#[test]
fn the_depth_follows_the_density_however_even_the_samples_are() {
    let Some(path) = zeroset_testing::data("scans/kitten_points.off") else { return };
    // The samples are evenly spread, so the distances to the nearest sample equal the gaps between
    // samples.
    let (kitten, _) = read_cloud(&path).unwrap();
    let (_, report) = reconstruct(kitten.clone(), Method::Levelset, Cubes::Safe).unwrap();
    assert_eq!((report.method, depth(&report)), (Method::Levelset, 6));
    assert_eq!((report.surface.closed, report.surface.genus), (true, Some(1)));
    assert!(report.error.mean_percent < 0.2 && report.error.max_percent < 1.5);
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    // Larger voxels miss the tail of the kitten, and the warning says so.
    let (_, report) = reconstruct(kitten.clone(), Method::Levelset, Cubes::Depth(5)).unwrap();
    let said = &report.warnings[0];
    assert!(said.contains("1.5 voxels") && said.ends_with("compare with depth 6"), "{said}");
    // The density is known even if all points are kept.
    let mut options = Options::default();
    options.clean.outliers = None;
    options.method = Method::Levelset;
    let (_, report) = surface(kitten, &options, Device::Cpu).unwrap();
    assert_eq!(depth(&report), 6);
}

#[test]
fn handles_in_narrow_folds_are_cut_and_counted() {
    let Some(path) = zeroset_testing::data("scans/horse.ply") else { return };
    let model = read_mesh(&path).unwrap().mesh;
    for seed in 1..=3 {
        let noise = Noise::Length(0.0);
        let options = Sampling { n: 100_000, normals: true, noise, outliers: 0, seed };
        let cloud = Sampler::new(&model, options).unwrap().cloud();
        let (mesh, report) = reconstruct(cloud, Method::Auto, Cubes::Safe).unwrap();
        let found = &report.surface;
        assert_eq!((found.components, found.genus), (1, Some(0)), "{seed}: {found:?}");
        assert_eq!(pinched(&mesh), 0, "{seed}");
        let cut = report.directed.as_ref().unwrap().cut_handles;
        let is_said = report.warnings.iter().any(|said| said.starts_with(&format!("cut: {cut} ")));
        assert!(cut > 0 && is_said, "{seed}: {cut} {:?}", report.warnings);
    }
}

#[test]
fn two_layers_with_normals_to_the_same_side_are_named() {
    let sphere = |radius: f64, n: usize| {
        let at = move |k: usize| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
            let angle = 2.399_963 * k as f64;
            let across = (1.0 - z * z).sqrt();
            [across * angle.cos(), across * angle.sin(), z].map(|x| radius * x)
        };
        (0..n).map(at)
    };
    let points: Vec<[f64; 3]> = sphere(1.0, 6000).chain(sphere(0.97, 5400)).collect();
    let (_, report) = reconstruct(cloud(points, |x| *x), Method::Auto, Cubes::Safe).unwrap();
    let is_said = |warning: &String| warning.contains("two layers");
    assert!(report.warnings.iter().any(is_said), "{:?}", report.warnings);
    let (_, report) =
        reconstruct(cloud(sphere(1.0, 6000).collect(), |x| *x), Method::Auto, Cubes::Safe).unwrap();
    assert!(!report.warnings.iter().any(is_said), "{:?}", report.warnings);
}

#[test]
fn clouds_with_noise_and_outliers_are_one_closed_part_nearer_than_the_noise() {
    let Some(path) = zeroset_testing::data("scans/horse.ply") else { return };
    let model = read_mesh(&path).unwrap().mesh;
    let part = 0.002;
    let sampled = |noise, outliers| {
        let noise = Noise::Relative(noise);
        let options = Sampling { n: 60_000, normals: true, noise, outliers, seed: 1 };
        Sampler::new(&model, options).unwrap().cloud()
    };
    let (clean, noisy) = (sampled(0.0, 0), sampled(part, 120));
    let noise = part * samples::diagonal(model.bounds());
    for method in METHODS {
        let mut options = Options::default();
        // Outliers near the samples create separate components.
        (options.method, options.largest) = (method, method == Method::Directed);
        let (mesh, report) = surface(noisy.clone(), &options, Device::Cpu).unwrap();
        let found = &report.surface;
        assert!(found.closed && found.components == 1, "{method:?}: {found:?}");
        let error = Gaps::new(&mesh, &clean.points).unwrap().mean;
        println!("{method:?}: {found}, {:.3} of the noise, {:?}", error / noise, report.warnings);
        assert!(error < noise, "{method:?}: {error} {noise}");
    }
    // The samples are so dense that voxels would be smaller than the noise. Larger voxels are used,
    // and the report says so.
    let noise = Noise::Relative(0.003);
    let options = Sampling { n: 150_000, normals: false, noise, outliers: 300, seed: 1 };
    let noisy = Sampler::new(&model, options).unwrap().cloud();
    let (_, report) = reconstruct(noisy, Method::Auto, Cubes::Safe).unwrap();
    let said = &report.warnings;
    assert!(
        depth(&report) == 8 && said.iter().any(|said| said.contains("have noise of about")),
        "{} {said:?}",
        depth(&report)
    );
}

#[test]
fn two_balls_are_two_parts_and_a_million_duplicates_change_nothing() {
    let middles = [[0.0; 3], [3.0, 0.5, 0.0]];
    let mut points = samples::of_ball(8_000, middles[0], 1.0);
    points.extend(samples::of_ball(8_000, middles[1], 0.8));
    let away = |x: &[f64; 3]| {
        let middle = middles[usize::from(x[0] > 1.6)];
        [0, 1, 2].map(|k| x[k] - middle[k])
    };
    let balls = cloud(points.clone(), away);
    points.extend(vec![points[100]; 1_000_000]);
    let many = cloud(points, away);
    for method in METHODS {
        let (mesh, report) = reconstruct(balls.clone(), method, Cubes::Depth(6)).unwrap();
        let found = &report.surface;
        assert!(found.closed && pinched(&mesh) == 0, "{method:?}: {found:?}");
        assert_eq!((found.components, found.genus), (2, Some(0)), "{method:?}");
        assert!(enclosed(&mesh) > 0.0, "{method:?}");
        let (again, report) = reconstruct(many.clone(), method, Cubes::Depth(6)).unwrap();
        assert_eq!(report.samples.duplicates, 1_000_000);
        assert!(again.vertices == mesh.vertices && again.cells == mesh.cells, "{method:?}");
    }
}

#[test]
fn malformed_files_are_refused_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut files: Vec<_> = hostile_clouds::all()
        .into_iter()
        .enumerate()
        .map(|(k, (name, bytes, _))| {
            let path = folder.path().join(format!("{k}{name}"));
            std::fs::write(&path, bytes).unwrap();
            path
        })
        .collect();
    let bad = ["empty.ply", "hippo1_vertex_count_high.ply", "3holes_index_beyond.off"];
    files.extend(bad.iter().filter_map(|name| zeroset_testing::data(&format!("bad/{name}"))));
    let out = folder.path().join("out.ply");
    for (k, file) in files.iter().enumerate() {
        let mut command = Command::new(program(env!("CARGO_BIN_EXE_zeroset")));
        let method = ["directed", "levelset"][k % 2];
        command.arg("reconstruct").arg(file).arg("-o").arg(&out).args(["--method", method]);
        let output = command.args(["--device", "cpu"]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        assert_eq!(output.status.code(), Some(3), "{name}: {said}");
        assert!(said.contains(name) && !said.contains("panic"), "{name}: {said}");
        assert!(!out.exists(), "{name}");
    }
}
