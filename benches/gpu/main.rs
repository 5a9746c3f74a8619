//! GPU benchmarks: reinitialization and steps on the meshes of Fu et al., distances on whole
//! meshes, bandwidth, and the tables and figures of the paper.
//!
//! `ZEROSET_DATA=... cargo bench --bench gpu -- MODE... [MESH...] [KEY=VALUE...]` prints Markdown
//! tables. The modes are:
//!
//! - `band`: reinitialization and steps in a narrow band; with `galerkin` also second-order
//!   advection
//! - `fields`: distances on whole meshes
//! - `large`: distances on a large cube of tetrahedra; `cells=N` sets the number of cubes along an
//!   axis
//! - `copy`: steps compared with a copy kernel; `vertices=N` sets the size of the mesh
//! - `sizes`, `atomics`, `cores`, `tables`: tables and figures of the paper
//! - `start`: the time of the startup and of the first step
//! - `tiles`: steps on tiles; `radius=R` in voxels and `enright=N` select one size
//! - `lookup`: three ways to find the neighbors of tiles
//! - `scaling`: steps on tiles for several numbers of tiles
//! - `tile-sizes`: steps on tiles compared with the CPU
//! - `points`: lists of flags, scan, sort
//! - `point-distance`, `index`, `selective` (cones, norms, streams), `figures` (with `GPUs=N`),
//!   `edt`: distances to points and voxels
//! - `isosurface`: surfaces of volumes; `size=N` selects N^3 voxels
//! - `render`: rays through volumes, and pictures of surfaces
//! - `reconstruct`: surfaces from the named point cloud files, or from clouds of ZEROSET_DATA;
//!   without files, `samples=N` adds a cloud of N samples of the horse
//! - `potential`: surfaces by a level set from `scans/lucy_50k.ply`, or from the mesh whose path in
//!   ZEROSET_DATA is the value of ZEROSET_SCAN; `samples=N`, `depth=D`, `16-bit` and `check` change
//!   the options
//!
//! Times of reinitializations and steps are GPU times of whole sections of the time loop. They
//! include gaps between kernels and the choice of time steps. In the mode `band`, each time is the
//! median of three runs after a warm-up.

mod atomics;
mod copy;
mod cores;
mod figures;
#[path = "../support/gyroid.rs"]
mod gyroid;
mod isosurface;
mod large;
mod lookup;
mod meshes;
mod motion;
mod pictures;
mod point_distance;
mod points;
mod potential;
mod reconstruct;
mod render;
mod scaling;
mod sizes;
mod start;
mod tables;
mod tile_sizes;
mod tiles;
mod units;
#[path = "../support/volumes.rs"]
mod volumes;

use std::sync::Arc;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::config::Config;
use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
use zeroset::levelset::eikonal::cuda::{self as eikonal, Gpu, Organization};
use zeroset::levelset::eikonal::{EikonalSolver, EikonalState, Slowness};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{
    Advection, Coefficient, CurvatureStep, Options, Rule, StepTarget, Terms,
};
use zeroset::mesh::{Kind, Mesh, statistics};
use zeroset::patches::{Coordinates, Partition, Patches};
use zeroset::run::{CleanedMesh, setup};

const MESHES: [&str; 6] = ["regsquare", "irregsquare", "sphere", "brain", "regcube", "irregcube"];

/// Header of the table of distances on whole meshes.
const FIELDS: &str = "\n| mesh | precision | organization | field ms | rounds | patch updates |\n\
                      |---|---|---|---|---|---|";

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    if args.first().is_some_and(|a| a == start::CONTEXT) {
        return start::context();
    }
    let wants = |word: &str| args.iter().any(|a| a == word);
    let meshes: Vec<&str> = MESHES.iter().copied().filter(|m| wants(m)).collect();
    let meshes = if meshes.is_empty() { MESHES.to_vec() } else { meshes };
    let start = Instant::now();
    let cuda = Arc::new(Cuda::new(0)?);
    println!(
        "{}, context {:.0} ms, zeroset {}\n",
        cuda.info().name,
        start.elapsed().as_secs_f64() * 1e3,
        zeroset::output::build(),
    );
    let cpu = Arc::new(Cpu::new(0)?);
    if wants("band") {
        println!(
            "| mesh | partition | precision | advection | organization | setup s | reinitialize ms | step us | steps | active patches |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|");
        for mesh in &meshes {
            if let Err(error) = band(&cuda, &cpu, mesh, wants("galerkin")) {
                println!("| {mesh} | failed: {error} |");
            }
        }
    }
    if wants("points") {
        points::table(&cuda)?;
    }
    if wants("point-distance") {
        point_distance::points(&cuda)?;
    }
    if wants("index") {
        point_distance::indexed(&cuda)?;
    }
    if wants("figures") {
        let number = args.iter().find_map(|a| a.strip_prefix("GPUs=")?.parse().ok());
        figures::figures(&cuda, number.unwrap_or(1))?;
    }
    if wants("selective") {
        point_distance::selected(&cuda)?;
    }
    if wants("edt") {
        point_distance::edt(&cuda)?;
    }
    if wants("render") {
        render::tables(&cuda, &cpu)?;
        pictures::table(&cuda, &cpu)?;
    }
    if wants("isosurface") {
        let size = args.iter().find_map(|a| a.strip_prefix("size=")?.parse().ok());
        isosurface::table(&cuda, &size.map_or(vec![512, 1024], |size| vec![size]))?;
    }
    if wants("potential") {
        potential::table(&cuda, &args)?;
    }
    if wants("reconstruct") {
        let files: Vec<&str> =
            args.iter().map(String::as_str).filter(|a| a.contains('.')).collect();
        let samples = args.iter().find_map(|a| a.strip_prefix("samples=")?.parse().ok());
        reconstruct::table(&cuda, &files, samples)?;
    }
    if wants("fields") {
        println!("{FIELDS}");
        for mesh in &meshes {
            if let Err(error) = field(&cuda, &cpu, mesh) {
                println!("| {mesh} | failed: {error} |");
            }
        }
    }
    if wants("large") {
        large::table(&cuda, &cpu, &args)?;
    }
    if wants("copy") {
        copy::table(&cuda, &cpu, &args)?;
    }
    if wants("sizes") {
        sizes::table(&cpu)?;
    }
    if wants("start") {
        start::table(&cuda, &cpu)?;
    }
    if wants("tiles") {
        let number =
            |word: &str| args.iter().find_map(|a| a.strip_prefix(word)?.parse::<u32>().ok());
        tiles::table(&cuda, number("radius=").map(f64::from), number("enright="))?;
    }
    if wants("lookup") {
        lookup::table(&cuda)?;
    }
    if wants("tile-sizes") {
        tile_sizes::table(&cuda, &cpu)?;
    }
    if wants("scaling") {
        scaling::table(&cuda)?;
    }
    let mut made = meshes::Meshes::new(cpu.clone());
    if wants("atomics") {
        atomics::table(&cuda, &mut made, &meshes);
    }
    if wants("tables") {
        tables::tables(&cuda, &mut made, &meshes);
    }
    if wants("cores") {
        cores::table(&mut made, &meshes);
    }
    Ok(())
}

fn config(mesh: &str) -> Result<Config, Failed> {
    let case = format!("{}/configs/paper_{mesh}.toml", env!("CARGO_MANIFEST_DIR"));
    let local = format!("configs/paper_{mesh}.toml");
    let path = if std::path::Path::new(&local).exists() { local } else { case };
    Ok(Config::load(path.as_ref(), &[])?)
}

fn band(
    cuda: &Arc<Cuda>,
    cpu: &Arc<Cpu>,
    mesh: &str,
    with_second_order: bool,
) -> Result<(), Failed> {
    let config = config(mesh)?;
    let ready = cpu.run(|| CleanedMesh::new(&config))?;
    let phi = cpu.run(|| setup::initial_phi(&config, &ready))?.phi;
    let partitions: &[(&str, Partition)] = match mesh {
        "regsquare" | "regcube" => {
            &[("blocks", Partition::Blocks), ("bisection", Partition::Bisection)]
        }
        _ => &[("bisection", Partition::Bisection)],
    };
    for (name, partition) in partitions {
        let start = Instant::now();
        let patches = Arc::new(cpu.run(|| Patches::new(&ready.mesh, *partition, 64))?);
        let cut = start.elapsed().as_secs_f64();
        for organization in [Organization::Queue, Organization::Rounds] {
            for advection in [Advection::PositiveCoefficient, Advection::TaylorGalerkin] {
                let second_order = advection == Advection::TaylorGalerkin;
                if second_order && (organization == Organization::Queue || !with_second_order) {
                    continue;
                }
                let line = |precision: &str, row: Result<String, Failed>| match row {
                    Ok(row) => println!(
                        "| {mesh} | {name} | {precision} | {advection:?} | {organization:?} | {row}"
                    ),
                    Err(error) => println!("| {mesh} | {name} | {precision} | failed: {error} |"),
                };
                let case = Case { ready: &ready, patches: &patches, phi: &phi, cut };
                line("f64", case.row::<f64>(cuda, cpu, advection, organization));
                line("f32", case.row::<f32>(cuda, cpu, advection, organization));
            }
        }
    }
    Ok(())
}

struct Case<'a> {
    ready: &'a CleanedMesh,
    patches: &'a Arc<Patches>,
    phi: &'a [f64],
    cut: f64,
}

impl Case<'_> {
    fn row<R: Real>(
        &self,
        cuda: &Arc<Cuda>,
        cpu: &Arc<Cpu>,
        advection: Advection,
        organization: Organization,
    ) -> Result<String, Failed> {
        let mesh = &self.ready.mesh;
        let edge = cpu.run(|| statistics::inspect(mesh)).edge_mean.unwrap_or(1.0);
        let on_surface = mesh.kind == Kind::Surface;
        // A negligible wind keeps the velocity term active on surfaces.
        let wind = if on_surface { [1e-9, 0.0, 0.0] } else { [1.0, 0.0, 0.0] };
        let terms = Terms::default()
            .with_velocity(Coefficient::Uniform(wind))
            .with_normal_speed(Coefficient::Uniform([1e-3]))
            .with_curvature(Coefficient::Uniform([if on_surface { 1.0 } else { 1e-3 }]));
        let options = Options::new(Some(10.0 * edge))
            .with_rule(Rule::Published)
            .with_advection(advection)
            .with_curvature_step(CurvatureStep::Explicit);
        let n = if mesh.kind == Kind::Volume { 10 } else { 20 };
        let mut setup = 0.0;
        let mut active = 0;
        // Every run begins with the initial interface of the case.
        let mut until = |n: u64| -> Result<(f64, f64, u64), Failed> {
            let start = Instant::now();
            let mut evolution = DeviceEvolution::<R>::new(
                &Gpu { cuda: cuda.clone(), organization },
                cpu.clone(),
                mesh,
                self.patches.clone(),
                self.phi,
                &terms,
                options.clone(),
            )?;
            setup = self.cut + start.elapsed().as_secs_f64();
            active = evolution.n_active_patches();
            let before = evolution.totals();
            let mut steps = 1;
            while evolution.totals().reinitializations < before.reinitializations + n {
                let until = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps };
                if evolution.advance(&until)?.steps == 0 {
                    return Err("the interface has vanished".into());
                }
                steps = 8 * n;
            }
            let after = evolution.totals();
            let steps = evolution.n_steps();
            let reinitialize = (after.reinitialize_seconds - before.reinitialize_seconds)
                / (after.reinitializations - before.reinitializations) as f64;
            Ok((reinitialize, (after.evolve_seconds - before.evolve_seconds) / steps as f64, steps))
        };
        until(2)?;
        let mut found = [until(n)?, until(n)?, until(n)?];
        let steps = found[0].2;
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let reinitialize = found[1].0;
        found.sort_by(|a, b| a.1.total_cmp(&b.1));
        let step = found[1].1;
        Ok(format!(
            "{setup:.2} | {:.3} | {:.2} | {steps} | {} |",
            reinitialize * 1e3,
            step * 1e6,
            active
        ))
    }
}

fn field(cuda: &Arc<Cuda>, cpu: &Arc<Cpu>, mesh: &str) -> Result<(), Failed> {
    let config = config(mesh)?;
    let ready = cpu.run(|| CleanedMesh::new(&config))?;
    let method = Partition::fit_for(&ready.mesh);
    let patches = Arc::new(cpu.run(|| Patches::new(&ready.mesh, method, 64))?);
    for organization in [Organization::Queue, Organization::Rounds] {
        one_field::<f64>(cuda, &ready.mesh, &patches, mesh, organization)?;
        one_field::<f32>(cuda, &ready.mesh, &patches, mesh, organization)?;
    }
    Ok(())
}

/// Computes the distance from vertex 0 on the whole mesh. The time is the median of three runs
/// after a warm-up.
fn one_field<R: Real>(
    cuda: &Arc<Cuda>,
    mesh: &Mesh,
    patches: &Arc<Patches>,
    name: &str,
    organization: Organization,
) -> Result<(), Failed> {
    let coordinates = Arc::new(Coordinates::<R>::new(mesh, patches));
    let mut state = EikonalState::new(patches.clone(), coordinates, Slowness::Uniform(R::one()));
    let mut times = Vec::new();
    let mut stats = Default::default();
    for _ in 0..4 {
        state.clear();
        state.fix(&[(0, 0.0)]);
        stats = Gpu { cuda: cuda.clone(), organization }.solve(&mut state, None)?;
        times.push(eikonal::last_milliseconds(&state));
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    println!(
        "| {name} | {} | {organization:?} | {:.2} | {} | {} |",
        R::NAME,
        times[1],
        stats.rounds,
        stats.patch_updates
    );
    Ok(())
}
