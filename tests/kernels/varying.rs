//! Compares the step search and the inflow boundary with the CPU, for coefficients that change over
//! time.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use zeroset::Cpu;
use zeroset::Error;
use zeroset::expression::{Accuracy, Expression, Field, Generated, Sampling, TimeSpan};
use zeroset::geometry::Real;
use zeroset::levelset::evolution::{Coefficient, CurvatureStep, Evolution, Options, Terms};

use crate::evolution::{Bed, Case, Given, cube, square, word};
use crate::layouts::evolution::{InflowArgument, Limits, VaryingArgument};
use crate::library::{Launch, Library, arg};

fn field(text: &str) -> Field {
    let expression: Expression = text.parse().unwrap();
    Field::bind(&expression, |name| Err(Error::usage(format!("no array {name}"), ""))).unwrap()
}

/// Compiles a kernel file next to the header that is generated for these terms, because its
/// `#include` looks in its own folder first.
fn compile(file: &str, terms: &[&[Field]], defines: &[&str], kernels: &[&str]) -> Library {
    let folder = tempfile::tempdir().unwrap();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    for name in [file, "coefficients.cuh"] {
        std::fs::copy(sources.join(name), folder.path().join(name)).unwrap();
    }
    let text = Generated::new(terms).text().to_string();
    std::fs::write(folder.path().join(Generated::NAME), text).unwrap();
    Library::compile(folder.path().join(file).to_str().unwrap(), defines, kernels)
}

fn neighbors<R: Real>(bed: &Bed<R>) -> (Vec<u32>, Vec<u32>) {
    let patches = &bed.on.patches;
    let (mut offsets, mut all) = (vec![0u32], Vec::new());
    for p in 0..patches.len() {
        all.extend(patches.neighbors(p));
        offsets.push(all.len() as u32);
    }
    (offsets, all)
}

fn case(mesh: zeroset::mesh::Mesh, half_width: f64) -> Case {
    Case {
        mesh,
        velocity: Given::Uniform([1.0, 0.0, 0.0]),
        curvature: Given::Uniform([0.02]),
        weighted: false,
        options: Options::new(Some(half_width))
            .with_curvature_step(CurvatureStep::Explicit)
            .with_max_step(MAX_STEP),
        patch_size: 32,
    }
}

/// Returns the patches whose coefficients the search reads.
fn read<R: Real>(bed: &Bed<R>) -> BTreeSet<u32> {
    let active = &bed.active[..bed.control.n_active as usize];
    let around = |&p: &u32| bed.on.patches.neighbors(p as usize).iter().copied().chain([p]);
    active.iter().flat_map(around).collect()
}

/// The longest time step.
const MAX_STEP: f64 = 0.25;

/// Returns the length of the shortest edge of the cells around each vertex, in patch order.
fn edges<R: Real>(bed: &Bed<R>) -> Vec<f64> {
    let mesh = &bed.on.mesh;
    let mut shortest = vec![f64::INFINITY; mesh.vertices.len()];
    for cell in mesh.iter_cells() {
        let ends = cell.iter().flat_map(|&a| cell.iter().map(move |&b| (a, b)));
        let length = |(a, b): (u32, u32)| {
            let [a, b] = [a, b].map(|v| mesh.vertices[v as usize]);
            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
        };
        let least = ends.filter(|(a, b)| a != b).map(length).fold(f64::INFINITY, f64::min);
        for &v in cell {
            shortest[v as usize] = shortest[v as usize].min(least);
        }
    }
    bed.on.patches.to_patch_order(&shortest, |x| x)
}

/// Searches for the time step with the given number of blocks. Returns the values of the two terms,
/// and two vertices per term: first, for both terms, the first vertex where the value is not
/// finite, then the first vertex where it is negative although it must not be.
fn search<R: Real + Default + 'static>(
    library: &Library,
    bed: &mut Bed<R>,
    inside: &mut [u8],
    cfl: f64,
    blocks: u32,
) -> (Vec<R>, Vec<u32>) {
    let n = bed.on.patches.n_vertices();
    let (offsets, all) = neighbors(bed);
    let places = bed.on.patches.to_patch_order(&bed.on.mesh.vertices, |x| x);
    let edges = edges(bed);
    let n_patches = bed.on.patches.len();
    let (mut counts, mut broken) = (vec![0u32; 4], vec![u32::MAX; 4]);
    let (mut reading, mut seen) = (vec![u32::MAX; n_patches], vec![0u32; n_patches]);
    let mut limits = vec![R::zero(); 2 * size_of::<Limits<R>>() / size_of::<R>()];
    let mut values = vec![R::of(f64::NAN); 2 * n];
    bed.control.dt = 0.0;
    (bed.control.cfl_first_order, bed.control.cfl_curvature) = (cfl, cfl);
    let (patches, mut state) = bed.arguments();
    state.inside = inside.as_mut_ptr() as u64;
    state.speed_rows = values.as_ptr() as u64;
    state.curvature_rows = values[n..].as_ptr() as u64;
    let varying = VaryingArgument {
        counts: counts.as_mut_ptr() as u64,
        reading: reading.as_mut_ptr() as u64,
        seen: seen.as_mut_ptr() as u64,
        limits: limits.as_mut_ptr() as u64,
        neighbor_offsets: offsets.as_ptr() as u64,
        neighbors: all.as_ptr() as u64,
        boundary: 0,
        places: places.as_ptr() as u64,
        edges: edges.as_ptr() as u64,
        arrays: 0,
        values: values.as_mut_ptr() as u64,
        broken: broken.as_mut_ptr() as u64,
        max_step: MAX_STEP,
        n_boundary: 0,
        nonnegative: 2,
    };
    let how = Launch { seed: u64::from(blocks), resident: blocks, ..Launch::new(blocks, 32) };
    // SAFETY: the arrays have the lengths that the kernel requires.
    unsafe { library.launch("varying_search", &how, &[arg(patches), arg(state), arg(varying)]) }
        .unwrap();
    assert_eq!(counts, [0, 0, 0, 1], "the counters are not reset for the next step");
    (values, broken)
}

/// Compiles the search for a normal speed and a curvature coefficient that change over time.
fn library<R, const N: usize>(terms: &[&[Field]]) -> Library {
    let cell = format!("CELL_SIZE={N}");
    let defines = [
        word::<R>(),
        &cell,
        "BLOCK=32",
        "VARIES=1",
        "NORMAL=1",
        "SPEED_ROWS=1",
        "CURVATURE=1",
        "CURVATURE_ROWS=1",
    ];
    compile("varying.cu", terms, &defines, &["varying_search"])
}

fn evolution<R: Real>(bed: &Bed<R>, case: &Case, fields: &[Field; 2]) -> Evolution<R> {
    let [speed, curvature] = fields.clone();
    let terms = Terms::default()
        .with_normal_speed(Coefficient::Varying([speed]))
        .with_curvature(Coefficient::Varying([curvature]));
    let distance = |x: &[f64; 3]| (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt() - 0.45;
    let phi: Vec<f64> = bed.on.mesh.vertices.iter().map(distance).collect();
    let (cpu, patches) = (Arc::new(Cpu::new(1).unwrap()), bed.on.patches.clone());
    Evolution::new(cpu, &bed.on.mesh, patches, &phi, &terms, case.options.clone()).unwrap()
}

fn compare<R: Real + Default + 'static, const N: usize>(case: &Case, texts: [&str; 2]) {
    let fields = texts.map(field);
    let library = library::<R, N>(&[&fields[..1], &fields[1..]]);
    for blocks in [1, 3, 50] {
        let mut bed = Bed::<R>::new(case, u64::from(blocks));
        let mut cpu = evolution(&bed, case, &fields);
        let mut inside = bed.on.patches.to_patch_order(&cpu.snapshot().in_band, u8::from);
        let expected = cpu.step(f64::INFINITY).unwrap().dt;
        let (values, broken) = search(&library, &mut bed, &mut inside, case.options.cfl, blocks);
        assert_eq!(bed.control.halt, 0);
        assert_eq!(bed.control.dt, expected, "{blocks} blocks");
        assert_eq!(broken, [u32::MAX; 4]);
        let n = bed.on.patches.n_vertices();
        let read = read(&bed);
        // The cube has so few patches that the search may read all of them.
        assert!(N == 4 || read.len() < bed.on.patches.len(), "all patches are read");
        let places = bed.on.patches.to_patch_order(&bed.on.mesh.vertices, |x| x);
        let edges = edges(&bed);
        for (k, field) in fields.iter().enumerate() {
            let accuracy = |v: usize| Accuracy {
                slack: 0.01 * edges[v].powi(k as i32 + 1),
                max_step: MAX_STEP,
            };
            let span = TimeSpan { start: 0.0, end: expected };
            let sampling = Sampling::Mean(span, 0.5 * expected);
            for v in 0..n {
                let found = values[k * n + v];
                let mut mean = [0.0];
                field.sample_into(&places, v..v + 1, sampling, |_| accuracy(v), &mut mean);
                match read.contains(&(bed.on.patches.owner(v) as u32)) {
                    true => assert!(found == R::of(mean[0]), "{texts:?}, vertex {v}: {found}"),
                    false => assert!(found.to_f64().is_nan(), "vertex {v} must not be read"),
                }
            }
        }
    }
}

#[test]
fn the_step_and_the_coefficients_are_those_of_the_cpu() {
    // The speed is small at first, so that the search shortens the step repeatedly.
    let texts = ["0.01 + 900*t*t*(1 + x*x)", "0.001*(1 + t)*(2 + y)"];
    let in_plane = case(square(24, 0.2), 0.2);
    compare::<f64, 3>(&in_plane, texts);
    compare::<f32, 3>(&in_plane, texts);
    compare::<f64, 4>(&case(cube(10, 0.1), 0.3), texts);
    // Coefficients that describe valves, pulses and moving beams, within a step and after it.
    for speed in [
        "if(t > 0.001 && t < 0.002, 1, 0.001)",
        "if(t > 0.2, 1, 0)",
        "max(0, t/0.002 - floor(t/0.002) - 0.5)",
        "if(abs(x + 1 - 300*t) < 0.05, 1, 0)",
        "1/(t + 1e-3) + min(x, t)^2",
        // `sqrt(x)` and `log(x)` are NaN where x < 0, but the speed is not.
        "if(isnan(sqrt(x)), 0.2 + 900*t*t, 0.3*t)",
        "if(log(x)*t != 1, 0.1 + t, 200*t)",
    ] {
        compare::<f64, 3>(&in_plane, [speed, "0.001*(2 + y)"]);
    }
}

#[test]
fn a_coefficient_that_may_not_be_so_stops_the_steps() {
    stops_at(["if(t > 0 && x > 0.1, 1/0, 0.2)", "0.01 - 10*t"], 0, |x| x[0] > 0.1);
    stops_at(["if(t > 0 && x > 0.1, 1/0, 0.2)", "0.01"], 0, |x| x[0] > 0.1);
    stops_at(["0.2", "0.01 - 100*t*step(x)"], 3, |x| x[0] >= 0.0);
}

/// Asserts that the search stops because of entry `at` of the invalid vertices, that this entry is
/// the first vertex for which `is_invalid` holds, and that the CPU names this vertex and a time
/// within the step.
fn stops_at(texts: [&str; 2], at: usize, is_invalid: impl Fn([f64; 3]) -> bool) {
    let case = case(square(24, 0.2), 0.2);
    let fields = texts.map(field);
    let library = library::<f64, 3>(&[&fields[..1], &fields[1..]]);
    let mut bed = Bed::<f64>::new(&case, 4);
    let mut cpu = evolution(&bed, &case, &fields);
    let mut inside = bed.on.patches.to_patch_order(&cpu.snapshot().in_band, u8::from);
    let (_, broken) = search(&library, &mut bed, &mut inside, case.options.cfl, 5);
    assert_eq!((bed.control.halt, bed.control.step), (7, 0));
    let read = read(&bed);
    let patches = &bed.on.patches;
    let place = |v: usize| bed.on.mesh.vertices[patches.mesh_vertices()[v] as usize];
    let is_first = |v: &usize| read.contains(&(patches.owner(*v) as u32)) && is_invalid(place(*v));
    let first = (0..patches.n_vertices()).find(is_first).unwrap();
    let mut invalid = [u32::MAX; 4];
    invalid[at] = first as u32;
    assert_eq!(broken, invalid);
    let expected = cpu.step(f64::INFINITY).unwrap_err().to_string();
    let named = format!("at vertex {} (", patches.mesh_vertices()[first]);
    assert!(expected.contains(&named), "{expected}, but {named}");
    let time = cpu.breakdown().unwrap().time;
    assert!(time > 0.0 && time <= bed.control.bad_time, "{expected}");
}

#[test]
fn inflow_is_found_where_the_wind_comes_from_and_given_its_values() {
    let case = case(square(24, 0.2), 0.2);
    let given = field("0.1*y + t");
    let defines = [word::<f64>(), "CELL_SIZE=3", "BLOCK=32", "INFLOW=1", "ADVECTION=1"];
    let kernels = ["inflow_follow", "inflow_apply"];
    let library = compile("inflow.cu", &[std::slice::from_ref(&given)], &defines, &kernels);
    for seed in 0..3 {
        let mut bed = Bed::<f64>::new(&case, seed);
        let patches = bed.on.patches.clone();
        let n = patches.n_vertices();
        let places = patches.to_patch_order(&bed.on.mesh.vertices, |x| x);
        let is_boundary = |v: &usize| places[*v][0].abs() == 1.0 || places[*v][1].abs() == 1.0;
        let vertices: Vec<u32> = (0..n).filter(is_boundary).map(|v| v as u32).collect();
        let owners: Vec<u32> = vertices.iter().map(|&v| patches.owner(v as usize) as u32).collect();
        let (offsets, all) = neighbors(&bed);
        let mut is_active = vec![0u32; patches.len()];
        for &p in &bed.active[..bed.control.n_active as usize] {
            is_active[p as usize] = 1;
        }
        let mut flows_in = vec![0u8; n];
        let (mut seen, mut counts) = (vec![0u32; patches.len()], vec![0u32; 2]);
        let mut extra = vec![u32::MAX; patches.len()];
        bed.control.dt = 0.125;
        bed.control.time = 0.25;
        bed.control.place = u32::MAX;
        let (argument, mut state) = bed.arguments();
        state.is_active = is_active.as_mut_ptr() as u64;
        state.extra = extra.as_mut_ptr() as u64;
        let gaps = vec![[0.0_f64; 3]; vertices.len()];
        let inflow = InflowArgument {
            vertices: vertices.as_ptr() as u64,
            patches: owners.as_ptr() as u64,
            gaps: gaps.as_ptr() as u64,
            flows_in: flows_in.as_mut_ptr() as u64,
            neighbor_offsets: offsets.as_ptr() as u64,
            neighbors: all.as_ptr() as u64,
            seen: seen.as_mut_ptr() as u64,
            counts: counts.as_mut_ptr() as u64,
            places: places.as_ptr() as u64,
            arrays: 0,
            n: vertices.len() as u32,
            part: 0.01,
        };
        let args = || [arg(argument), arg(state), arg(inflow)];
        let how = Launch { seed, ..Launch::new(3, 32) };
        let before = bed.phi[..n].to_vec();
        // SAFETY: the arrays have the lengths that the kernels require.
        unsafe {
            library.launch("inflow_follow", &how, &args()).unwrap();
            library.launch("inflow_apply", &how, &args()).unwrap();
        }
        let mut near = BTreeSet::new();
        let (mut n_in, mut enters) = (0, false);
        for v in 0..n {
            let in_left = places[v][0] == -1.0;
            assert_eq!(flows_in[v] == 1, in_left, "{:?}", places[v]);
            let value = (0.1 * places[v][1] + 0.375).min(0.2);
            let expected = if in_left { value } else { before[v] };
            assert_eq!(bed.phi[n + v], expected, "{:?}", places[v]);
            if in_left {
                n_in += 1;
                enters |= bed.moving[v] == 0 && (before[v] < 0.0) != (value < 0.0);
                let p = patches.owner(v);
                near.insert(p as u32);
                near.extend(patches.neighbors(p));
            }
        }
        assert_eq!(n_in, 25);
        let found = &extra[..bed.control.n_extra as usize];
        assert_eq!(found.len(), near.len());
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), near);
        assert_eq!((bed.control.enters == 1, bed.control.halt, counts), (enters, 0, vec![0, 1]));
    }
}
