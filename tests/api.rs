//! Tests the facade: its values are bitwise identical to those that the program writes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use assert_cmd::Command;
use tempfile::TempDir;
use zeroset::api::{
    Control, DistanceOptions, Evolution, EvolveOptions, Grid, GridOptions, IsosurfaceOptions,
    SignedSurface, State,
};
use zeroset::cloud::PointCloud;
use zeroset::config::Device;
use zeroset::io::{VolumeOptions, WriteOptions, read_volume, write_mesh, write_volume};
use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::point_distance::Edt;
use zeroset::run::{Observer, Progress};
use zeroset::volume::{Placement, Volume};
use zeroset::{Error, Mesh, Source, Terms, Values};

/// Runs the program and returns the 64-bit numbers of the `.npy` file that it writes.
fn written(folder: &TempDir, args: &[&str]) -> Vec<u64> {
    let output = folder.path().join("out.npy");
    let mut command = Command::cargo_bin("zeroset").unwrap();
    command.args(args).arg("-o").arg(&output).assert().success();
    let bytes = std::fs::read(&output).unwrap();
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    bytes[head..].chunks_exact(8).map(|row| u64::from_le_bytes(row.try_into().unwrap())).collect()
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// Writes a strip of 20 x 3 squares whose columns do not share vertices, with an unused vertex.
fn torn(folder: &TempDir) -> PathBuf {
    let mut text = String::new();
    let mut n = 0;
    for i in 0..20 {
        for j in 0..3 {
            for [a, b] in [[0, 0], [1, 0], [1, 1], [0, 1]] {
                let [x, y] = [i + a, j + b];
                text += &format!("v {x} {y} {}\n", f64::from(x * x) * 0.01);
            }
            let [a, b, c, d] = [1, 2, 3, 4].map(|k| n + k);
            text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
            n += 4;
        }
    }
    text += "v 100 100 100\n";
    let path = folder.path().join("torn.obj");
    std::fs::write(&path, text).unwrap();
    path
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn distances_are_those_of_the_program_at_every_vertex_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = torn(&folder);
    let mut mesh = zeroset::read(&path).unwrap();
    let found = zeroset::distance(&mesh, &[Source::Vertex(5)]).unwrap();
    assert_eq!(
        bits(&found.values),
        written(&folder, &["distance", text(&path), "--from", "vertex:5"])
    );
    assert_eq!(found.values.len(), 241);
    assert!(found.values[240].is_nan() && found.used_vertices.len() == 84);
    assert!(found.warnings.iter().any(|warning| warning.contains("repaired")));

    // A second call uses the prepared mesh.
    let sources = [Source::Point([3.2, 1.1, 0.11]), Source::Vertices(vec![200, 210])];
    let mut options = DistanceOptions::default();
    options.starts = vec![0.5, 0.0];
    options.within = Some(6.0);
    options.speed = Some("1 + 0.1*x".into());
    options.labels = true;
    options.gradient = true;
    options.paths_from = vec![Source::Vertex(100)];
    let found = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    let args = [
        "distance",
        text(&path),
        "--from",
        "point:3.2,1.1,0.11@0.5",
        "--from",
        "vertex:200,210",
        "--width",
        "6",
        "--speed",
        "1 + 0.1*x",
    ];
    assert_eq!(bits(&found.values), written(&folder, &args));
    assert!(found.warnings.iter().any(|warning| warning.contains("off the mesh")));
    assert!(found.paths[0].source.is_some());
    assert!(found.labels.unwrap().contains(&1) && found.gradient.unwrap().len() == 241);

    // Arrays give the same values as the expressions that they hold.
    let of = |vertex: &[f64; 3]| 1.0 + 0.1 * vertex[0];
    let speeds: Vec<f64> = mesh.stored().vertices.iter().map(of).collect();
    options.speed = Some(Values::PerVertex(speeds.clone()));
    let given = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    mesh.set_vertex_array("speed", 1, speeds).unwrap();
    options.speed = Some("speed".into());
    let named = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    assert_eq!(bits(&given.values), bits(&named.values));
    options.speed = Some(Values::PerCell(vec![2.0; mesh.n_cells()]));
    let cells = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    options.speed = Some("2 + 0*x".into());
    let same = zeroset::distance_with(&mesh, &sources, &options).unwrap();
    assert_eq!(bits(&cells.values), bits(&same.values));
}

/// Runs the program, which writes `name` in the folder. Returns the path of the file.
fn made(folder: &TempDir, args: &[&str], name: &str) -> PathBuf {
    let output = folder.path().join(name);
    let mut command = Command::cargo_bin("zeroset").unwrap();
    command.args(args).arg("-o").arg(&output).assert().success();
    output
}

/// Checks that a surface equals one in a file.
fn assert_same_surface(found: &zeroset::mesh::Mesh, file: &Path) {
    let read = zeroset::read(file).unwrap();
    assert_eq!(found.cells, read.stored().cells);
    let numbers = |mesh: &zeroset::mesh::Mesh| bits(mesh.vertices.as_flattened());
    assert_eq!(numbers(found), numbers(read.stored()));
}

#[test]
fn surfaces_of_volumes_and_clouds_are_those_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let points = generate(&Generate::Sphere(Sphere::default())).unwrap().vertices;
    let scan = folder.path().join("scan.xyz");
    let rows = points.iter().map(|[x, y, z]| format!("{x} {y} {z}\n"));
    std::fs::write(&scan, rows.collect::<String>()).unwrap();
    let cloud = PointCloud::new(points);
    let found = zeroset::reconstruct(&cloud, &Default::default()).unwrap();
    assert_same_surface(&found.mesh, &made(&folder, &["reconstruct", text(&scan)], "r.vtp"));

    let (volume, file) = wavy(&folder);
    let found = zeroset::isosurface(&volume, 0.25, &Default::default()).unwrap();
    let args = ["isosurface", text(&file), "--level", "0.25"];
    assert_same_surface(&found.mesh, &made(&folder, &args, "s.vtp"));
}

/// Writes a volume with a wavy surface, and returns it with its file.
fn wavy(folder: &TempDir) -> (Volume, PathBuf) {
    let value = |k: usize| {
        let [x, y, z] = [k % 9, k / 9 % 8, k / 72].map(|i| i as f64);
        0.4 * x.sin() + 0.3 * (1.3 * y).cos() + 0.1 * z
    };
    let values: Vec<f64> = (0..9 * 8 * 7).map(value).collect();
    let volume = Volume::new([9, 8, 7], values.into(), Placement::identity()).unwrap();
    let path = folder.path().join("wavy.nrrd");
    write_volume(&path, &volume, &WriteOptions::default()).unwrap();
    (volume, path)
}

#[test]
fn distances_of_voxels_and_points_are_those_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let values = |file: PathBuf| {
        bits(&read_volume(&file, &VolumeOptions::default()).unwrap().volume.to_f64())
    };
    let (volume, file) = wavy(&folder);
    let inside: Vec<bool> = volume.to_f64().iter().map(|v| *v > 0.25).collect();
    for (kind, flags) in
        [(Edt::default(), &[][..]), (Edt::default().faces(true).signed(true), &["--signed"])]
    {
        let found = zeroset::edt(&inside, volume.shape(), &kind, &Device::default()).unwrap();
        let found: Vec<f64> = found.values.into_iter().map(f64::from).collect();
        let args = [&["edt", text(&file), "--where", "v > 0.25"], flags].concat();
        assert_eq!(bits(&found), values(made(&folder, &args, "edt.nrrd")));
    }

    let surface = zeroset::isosurface(&volume, 0.25, &IsosurfaceOptions::default().closed(true));
    let surface = surface.unwrap().mesh;
    let file = folder.path().join("surface.vtp");
    write_mesh(&file, &surface, &WriteOptions::default()).unwrap();
    let signed = SignedSurface::new(&surface).unwrap();
    let options = GridOptions::default().size(10);
    let grid = Grid::around(&signed, &options).unwrap();
    let found = signed.on_grid(&grid, &options, |_| Ok(())).unwrap();
    let args = ["sdf", text(&file), "--size", "10"];
    assert_eq!(bits(&found.values), values(made(&folder, &args, "sdf.nrrd")));

    let probes = folder.path().join("probes.csv");
    std::fs::write(&probes, "x,y,z\n1.5,2,3\n-4,0.25,9\n").unwrap();
    let mesh = zeroset::read(&file).unwrap();
    let found = zeroset::sdf(&mesh, &[[1.5, 2.0, 3.0], [-4.0, 0.25, 9.0]]).unwrap();
    let rows = written(&folder, &["sdf", text(&file), "--at", text(&probes)]);
    // The table is stored by columns: x, y, z, distance.
    assert_eq!(bits(&found.values), rows[6..]);
}

#[test]
fn a_mesh_of_arrays_is_repaired_like_one_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let read = zeroset::read(torn(&folder)).unwrap();
    let (cells, _) = read.stored().cells.as_chunks();
    let mesh = Mesh::triangles(read.stored().vertices.clone(), cells).unwrap();
    let [a, b] = [&read, &mesh].map(|m| zeroset::distance(m, &[Source::Vertex(5)]).unwrap());
    assert_eq!(bits(&a.values), bits(&b.values));
}

#[test]
fn wrong_inputs_are_refused_and_calls_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = zeroset::read(torn(&folder)).unwrap();
    let refused = |sources: &[Source], options: &DistanceOptions| {
        zeroset::distance_with(&mesh, sources, options).unwrap_err().to_string()
    };
    let mut options = DistanceOptions::default();
    assert!(refused(&[], &options).contains("distance"));
    assert!(refused(&[Source::Vertex(241)], &options).contains("there is no vertex 241"));
    assert!(refused(&[Source::Group("rim".into())], &options).contains("rim"));
    options.starts = vec![1.0, 2.0];
    assert!(refused(&[Source::Vertex(0)], &options).contains("give one for each of 1 sources"));
    options.starts.clear();
    options.speed = Some(Values::PerCell(vec![1.0]));
    assert!(refused(&[Source::Vertex(0)], &options).contains("120 cells"));
    options.speed = Some(Values::Number(-1.0));
    assert!(refused(&[Source::Vertex(0)], &options).contains("speed"));
    options.speed = None;
    options.control = Control::default().interrupt(Arc::new(AtomicBool::new(true)));
    let cancelled = zeroset::distance_with(&mesh, &[Source::Vertex(0)], &options);
    assert!(matches!(cancelled, Err(Error::Interrupted)));
}

#[test]
fn states_of_an_evolution_are_those_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = torn(&folder);
    let case = folder.path().join("flow.toml");
    let text = "version = 1\n[domain.mesh]\npath = \"torn.obj\"\n[initial]\nexpression = \"x - 9.3 + 0.5*y\"\n\
                [evolve]\nnormal_speed = \"0.5 + 0.1*y\"\ncurvature = 0.01\nend_time = 3\n\
                [output]\ninterval = 1\n";
    std::fs::write(&case, text).unwrap();
    let out = folder.path().join("out");
    let mut command = Command::cargo_bin("zeroset").unwrap();
    command.arg("run").arg(&case).arg("-o").arg(&out).assert().success();
    let last = zeroset::read(out.join("flow.pvd")).unwrap();
    let written = last.stored().vertex_data.iter().find(|array| array.name == "phi").unwrap();

    let mesh = zeroset::read(&path).unwrap();
    let terms = Terms::default().normal_speed("0.5 + 0.1*y").curvature(0.01);
    let options = || EvolveOptions::default().until(3.0).every(1.0);
    let mut evolution = zeroset::evolve_with(&mesh, "x - 9.3 + 0.5*y", &terms, options()).unwrap();
    let states: Vec<State> = evolution.by_ref().map(Result::unwrap).collect();
    assert_eq!(states.iter().map(|state| state.time).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(evolution.ended_by(), Some("end_time reached"));
    let (found, written) = (bits(&states[3].phi), bits(&written.values.to_f64()));
    let is_number = |bits: &&u64| !f64::from_bits(**bits).is_nan();
    assert_eq!(found.len(), 241);
    assert!(found.iter().filter(is_number).eq(written.iter().filter(is_number)));
    assert!(states[3].measures.enclosed > states[0].measures.enclosed);

    // If phi and the terms are given as arrays, the states are the same.
    let at = |of: fn(&[f64; 3]) -> f64| mesh.stored().vertices.iter().map(of).collect::<Vec<f64>>();
    let phi = at(|x| x[0] - 9.3 + 0.5 * x[1]);
    let mut given = terms.clone();
    given.normal_speed = Some(Values::PerVertex(at(|x| 0.5 + 0.1 * x[1])));
    let again = zeroset::evolve_with(&mesh, phi, &given, options()).unwrap();
    assert_eq!(bits(&again.last().unwrap().unwrap().phi), found);

    // Terms can change between states: without terms, the interface does not move.
    let mut changed = zeroset::evolve_with(&mesh, "x - 9.3 + 0.5*y", &terms, options()).unwrap();
    let first = changed.by_ref().take(2).last().unwrap().unwrap();
    assert_eq!((bits(&first.phi), first.measures), (bits(&states[1].phi), states[1].measures));
    changed.set_terms(&Terms::default()).unwrap();
    let rest = changed.last().unwrap().unwrap();
    assert_eq!((rest.time, rest.measures.enclosed), (3.0, first.measures.enclosed));
}

#[test]
fn an_evolution_without_options_goes_on_until_the_interface_vanishes() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = zeroset::read(torn(&folder)).unwrap();
    let phi: Vec<f64> = mesh.stored().vertices.iter().map(|x| x[0] - 2.0).collect();
    let terms = Terms::default().normal_speed(-1.0);
    let mut evolution = zeroset::evolve(&mesh, &phi, &terms).unwrap();
    let states: Vec<State> = evolution.by_ref().map(Result::unwrap).collect();
    assert!(states.len() > 3);
    assert!(states.iter().zip(0..).all(|(state, k)| state.step == k));
    assert_eq!(evolution.ended_by(), Some("interface gone"));

    let refused = |terms: &Terms| zeroset::evolve(&mesh, &phi, terms).err().unwrap().to_string();
    assert!(refused(&Terms::default()).contains("moves nothing"));
    assert!(refused(&Terms::default().curvature(-1.0)).contains("curvature"));
}

/// A motion of which the tests write checkpoints: its longest step depends on the time at which its
/// terms were set.
fn swaying(mesh: &Mesh) -> Evolution<&Mesh> {
    let terms = Terms::default().normal_speed("0.5 + 0.4*sin(5*t)").curvature(0.01);
    let options = EvolveOptions::default().until(3.0);
    zeroset::evolve_with(mesh, "x - 5.3 + 0.5*y", &terms, options).unwrap()
}

/// The terms and options with which a [`swaying`] motion continues.
fn slower() -> (Terms, EvolveOptions) {
    let terms = Terms::default().normal_speed("0.2 + 0.1*cos(5*t)");
    (terms, EvolveOptions::default().until(8.0).every_steps(10))
}

fn numbers(states: &[State]) -> Vec<(u64, u64, u64, Vec<u64>)> {
    let of = |state: &State| {
        let enclosed = state.measures.enclosed.to_bits();
        (state.step, state.time.to_bits(), enclosed, bits(&state.phi))
    };
    states.iter().map(of).collect()
}

#[test]
fn a_resumed_evolution_has_the_states_of_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = torn(&folder);
    let file = folder.path().join("motion.checkpoint");
    let mesh = zeroset::read(&path).unwrap();
    let whole: Vec<State> = swaying(&mesh).map(Result::unwrap).collect();

    // Before the first state.
    swaying(&mesh).write_checkpoint(&file).unwrap();
    let other = zeroset::read(&path).unwrap();
    let mut resumed = swaying(&other);
    resumed.resume(&file).unwrap();
    let found: Vec<State> = resumed.map(Result::unwrap).collect();
    assert_eq!(numbers(&found), numbers(&whole));

    // After an interruption between two states.
    let stop = Arc::new(AtomicBool::new(false));
    let after = Arc::new(After { steps: 20, stop: stop.clone() });
    let mut stopped = swaying(&mesh);
    stopped.set_control(&Control::default().interrupt(stop).observer(after));
    assert!(matches!(stopped.by_ref().last(), Some(Err(Error::Interrupted))));
    let steps = stopped.steps();
    stopped.write_checkpoint(&file).unwrap();
    let mut resumed = swaying(&other);
    resumed.resume(&file).unwrap();
    assert_eq!((resumed.steps(), resumed.time().to_bits()), (steps, stopped.time().to_bits()));
    let found: Vec<State> = resumed.map(Result::unwrap).collect();
    assert_eq!(numbers(&found), numbers(&whole[1..]));

    // After other terms were set, on a motion that pauses.
    let (terms, options) = slower();
    let mut first = swaying(&mesh);
    first.by_ref().last().unwrap().unwrap();
    first.continue_with(&terms, options).unwrap();
    first.by_ref().take(2).for_each(|state| drop(state.unwrap()));
    first.write_checkpoint(&file).unwrap();
    let mut paused = zeroset::begin(&other, "x - 5.3 + 0.5*y", EvolveOptions::default()).unwrap();
    paused.resume(&file).unwrap();
    let state = paused.state().unwrap();
    assert_eq!(numbers(&[state]), numbers(&[first.state().unwrap()]));
    assert!(paused.next().is_none());
    for motion in [&mut first, &mut paused] {
        let (terms, options) = slower();
        motion.continue_with(&terms, options).unwrap();
    }
    let [one, two] = [first, paused].map(|motion| motion.map(Result::unwrap).collect::<Vec<_>>());
    assert!(one.len() > 2);
    assert_eq!(numbers(&one), numbers(&two));
}

/// Interrupts a motion after a number of steps.
struct After {
    steps: u64,
    stop: Arc<AtomicBool>,
}

impl Observer for After {
    fn stage(&self, _: &str) {}

    fn step(&self, progress: &Progress) {
        self.stop.store(progress.step >= self.steps, Ordering::Relaxed);
    }
}

#[test]
fn a_motion_whose_terms_were_changed_is_resumed_with_steps_of_the_same_length() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("motion.checkpoint");
    let mesh = zeroset::read(torn(&folder)).unwrap();
    let (terms, options) = slower();
    let mut first = swaying(&mesh);
    first.by_ref().last().unwrap().unwrap();
    first.continue_with(&terms, options.clone()).unwrap();
    first.by_ref().take(2).for_each(|state| drop(state.unwrap()));
    first.write_checkpoint(&file).unwrap();
    let mut second = zeroset::evolve_with(&mesh, "x - 5.3 + 0.5*y", &terms, options).unwrap();
    second.resume(&file).unwrap();
    let [one, two] = [first, second].map(|motion| motion.map(Result::unwrap).collect::<Vec<_>>());
    assert!(one.len() > 2);
    assert_eq!(numbers(&one), numbers(&two));
}

#[test]
fn checkpoints_of_other_cases_and_damaged_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("motion.checkpoint");
    let mesh = zeroset::read(torn(&folder)).unwrap();
    let mut motion = swaying(&mesh);
    motion.write_checkpoint(&file).unwrap();
    let refused = |motion: &mut Evolution<&Mesh>, path: &Path, part: &str| {
        let error = motion.resume(path).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    let (terms, options) = slower();
    let phi = "x - 5.3 + 0.5*y";
    let mut other = zeroset::evolve_with(&mesh, phi, &terms, options.clone()).unwrap();
    refused(&mut other, &file, "evolve.curvature");
    let message = other.resume(&file).unwrap_err().to_string();
    assert!(message.ends_with("or begin again"), "{message}");
    let begun = |phi, options| zeroset::begin(&mesh, phi, options).unwrap();
    refused(&mut begun("x - 6", EvolveOptions::default()), &file, "initial.expression");
    refused(&mut begun(phi, EvolveOptions::default().start_time(1.0)), &file, "start_time");
    begun(phi, EvolveOptions::default()).resume(&file).unwrap();

    let mut moved = zeroset::read(torn(&folder)).unwrap().stored().clone();
    moved.vertices.iter_mut().for_each(|x| x[2] *= 2.0);
    let moved = Mesh::with_options(moved, &Default::default()).unwrap();
    let mut other = zeroset::begin(&moved, phi, EvolveOptions::default()).unwrap();
    refused(&mut other, &file, "coordinates");

    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    refused(&mut motion, &file, "checksum");
    refused(&mut motion, &folder.path().join("absent"), "absent");
    // A refused checkpoint leaves the motion as it was.
    assert_eq!(motion.count(), swaying(&mesh).count());
}
