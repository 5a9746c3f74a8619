//! The identity of a run. It prevents resuming from the checkpoint of another case or mesh.

use crate::config::Config;
use crate::error::{Error, Result, plain};
use crate::geometry::Real;
use crate::grid::{Pool, Stored, TiledGrid};
use crate::mesh::{DataArray, Members, Mesh};
use crate::output::checkpoint::{Checkpoint, Hash, Identity};
use crate::output::{Program, build};
use crate::patches::Patches;
use crate::primitives::Values as _;
use crate::volume::Volume;

/// The key of the case name in the settings. Output files are named after the case.
const NAME: &str = "name";

/// Keys that do not affect the results. They affect only the speed, the report, pictures,
/// checkpoints, and the output folder. Each entry also covers all keys below it.
const FREE: [&str; 6] = [
    "device.threads",
    "device.ordinal",
    "output.folder",
    "output.checkpoint",
    "output.picture",
    "expect",
];

/// Keys that a motion without files may set anew when it continues from a checkpoint.
const OF_A_MOTION: [&str; 10] = [
    "evolve.velocity",
    "evolve.normal_speed",
    "evolve.curvature",
    "evolve.weighted_curvature",
    "evolve.end_time",
    "evolve.max_steps",
    "evolve.steady",
    "evolve.max_step",
    "evolve.cfl",
    "output",
];

/// Returns the remedy for a run or motion that differs from the one that wrote the checkpoint.
fn remedy(config: &Config) -> &'static str {
    match config.is_made() {
        true => "resume with the original inputs, or begin again",
        false => "resume with the original inputs, or begin again with --overwrite",
    }
}

fn is_among(keys: &[&str], key: &str) -> bool {
    let below = |free: &str| key.strip_prefix(free).is_some_and(|rest| rest.starts_with('.'));
    keys.iter().any(|&free| key == free || below(free))
}

/// Returns whether a motion without files may set this key anew when it continues from a
/// checkpoint.
pub(super) fn is_of_a_motion(key: &str) -> bool {
    is_among(&OF_A_MOTION, key)
}

/// Returns the name of the program as stored in checkpoints: "zeroset 0.1.0 (commit, executable
/// 0123456789ab)".
pub(super) fn program() -> String {
    format!("{} {}", Program::this().name, build())
}

/// Returns the identity of the run of a case on a cleaned mesh. `phi` is the level set of
/// `[initial]`.
pub(super) fn of(config: &Config, mesh: &Mesh, patches: &Patches, phi: &[f64]) -> Result<Identity> {
    let mut settings = config.settings()?;
    settings.insert(NAME.into(), format!("{:?}", config.name()));
    let mut hasher = blake3::Hasher::new();
    update(&mut hasher, mesh.vertices.iter().flatten().map(|x| x.to_le_bytes()));
    update(&mut hasher, mesh.cells.iter().map(|v| v.to_le_bytes()));
    let arrays = |of: &'static str, arrays: &[DataArray]| -> Vec<(String, Hash)> {
        let hash = |a: &DataArray| hash(a.values.to_f64().iter().map(|x| x.to_le_bytes()));
        arrays.iter().map(|a| (format!("{of} array \"{}\"", a.name), hash(a))).collect()
    };
    let groups = mesh.groups.iter().map(|group| {
        let members = match &group.members {
            Members::Cells(members) | Members::Simplices { vertices: members, .. } => members,
        };
        let name = format!("group \"{}\"", group.name);
        (name, hash(members.iter().map(|member| member.to_le_bytes())))
    });
    let of_arrays = [arrays("vertex", &mesh.vertex_data), arrays("cell", &mesh.cell_data)].concat();
    Ok(Identity {
        case_hash: config.origin.hash.clone(),
        settings,
        n_vertices: mesh.n_vertices() as u64,
        n_cells: mesh.n_cells() as u64,
        mesh: *hasher.finalize().as_bytes(),
        arrays: of_arrays.into_iter().chain(groups).collect(),
        initial: hash(phi.iter().map(|x| x.to_le_bytes())),
        patches: hash(patches.patch_of_vertex().iter().map(|p| p.to_le_bytes())),
    })
}

/// Returns the identity of the run of a case on tiles.
///
/// `grid` and `phi` are the tiles and values of `[initial]`. `volumes` are the volumes used as
/// coefficients, with their keys.
pub(super) fn of_tiles<'a, R: Real, S: Stored<R>, const E: usize>(
    config: &Config,
    volumes: impl Iterator<Item = (&'a str, &'a Volume)>,
    grid: &TiledGrid<E>,
    phi: &Pool<S, E>,
    gamma: R,
) -> Result<Identity> {
    let mut settings = config.settings()?;
    settings.insert(NAME.into(), format!("{:?}", config.name()));
    let mut hasher = blake3::Hasher::new();
    update(&mut hasher, grid.keys().iter().map(|key| key.bits().to_le_bytes()));
    let values = grid.ids().iter().flat_map(|&id| phi.tile(id));
    update(&mut hasher, values.map(|v| v.load(gamma).to_f64().to_le_bytes()));
    Ok(Identity {
        case_hash: config.origin.hash.clone(),
        settings,
        n_vertices: 0,
        n_cells: 0,
        mesh: Hash::default(),
        arrays: volumes.map(|(key, volume)| (key.to_string(), of_volume(volume))).collect(),
        initial: *hasher.finalize().as_bytes(),
        patches: Hash::default(),
    })
}

/// Returns the hash of the values and the placement of a volume.
fn of_volume(volume: &Volume) -> Hash {
    let mut hasher = blake3::Hasher::new();
    let place = volume.placement();
    let numbers = place.steps().into_iter().flatten().chain(place.origin());
    update(&mut hasher, numbers.map(f64::to_le_bytes));
    update(&mut hasher, volume.shape().map(|n| (n as u64).to_le_bytes()).into_iter());
    let [nx, ny, nz] = volume.shape();
    let mut row = vec![0.0; nx];
    for (y, z) in (0..nz).flat_map(|z| (0..ny).map(move |y| (y, z))) {
        volume.read([0, y, z], &mut row);
        update(&mut hasher, row.iter().map(|x| x.to_le_bytes()));
    }
    *hasher.finalize().as_bytes()
}

fn hash<const N: usize>(numbers: impl Iterator<Item = [u8; N]>) -> Hash {
    let mut hasher = blake3::Hasher::new();
    update(&mut hasher, numbers);
    *hasher.finalize().as_bytes()
}

/// Hashes numbers in blocks, because one call per number would be slow.
fn update<const N: usize>(hasher: &mut blake3::Hasher, numbers: impl Iterator<Item = [u8; N]>) {
    const BLOCK: usize = 1 << 16;
    let mut block = Vec::with_capacity(BLOCK + N);
    for number in numbers {
        block.extend(number);
        if block.len() >= BLOCK {
            hasher.update(&block);
            block.clear();
        }
    }
    hasher.update(&block);
}

/// Refuses to resume from the checkpoint of another case. The error names the first key that
/// differs. Keys for which `is_free` is true may differ. Returns a warning if another build of the
/// program started the run.
///
/// # Errors
/// Returns [`Error::Case`] if a key differs.
pub(super) fn check_case(
    config: &Config,
    checkpoint: &Checkpoint,
    is_free: impl Fn(&str) -> bool,
) -> Result<Option<String>> {
    let begun = &checkpoint.identity.settings;
    let mut now = config.settings()?;
    now.insert(NAME.into(), format!("{:?}", config.name()));
    let is_fixed = |key: &str| !is_among(&FREE, key) && !is_free(key);
    let differs = |key: &&String| is_fixed(key) && now.get(*key) != begun.get(*key);
    if let Some(key) = now.keys().chain(begun.keys()).filter(differs).min() {
        let (now, then) = match (now.get(key), begun.get(key)) {
            (Some(now), Some(then)) => (format!("is {now}"), format!("with {then}")),
            (Some(now), None) => (format!("is {now}"), "without it".to_string()),
            (None, then) => {
                ("is not given".to_string(), format!("with {}", then.map_or("", |then| then)))
            }
        };
        // The checksum shows that the file is complete, but not that zeroset wrote it. Therefore,
        // control characters are removed from its text.
        let what = plain(format!("{key} {now}, but the interrupted run was started {then}"));
        return Err(config.error_at(key, what, remedy(config)));
    }
    Ok((checkpoint.program != program()).then(|| {
        format!(
            "the run was started by {}, but this is {}: results may differ in their last bits",
            plain(checkpoint.program.clone()),
            program()
        )
    }))
}

/// Refuses to resume from a checkpoint if the mesh, its data, its patches, the initial phi or, on
/// tiles, the volume of a coefficient differs.
///
/// # Errors
/// Returns [`Error::Input`] or [`Error::Mesh`] if the mesh, its data or its patches differ. Returns
/// [`Error::Case`] if the initial phi or a coefficient on tiles differs.
pub(super) fn check_domain(config: &Config, now: &Identity, begun: &Identity) -> Result<()> {
    let other = |what: String| {
        let error = Error::mesh("", what, remedy(config));
        match config.mesh().and_then(|mesh| mesh.path.as_deref()).map(|path| config.resolve(path)) {
            Some(Ok(path)) => error.in_file(&path),
            _ => error,
        }
    };
    let counts = |of: &Identity| format!("{} vertices and {} cells", of.n_vertices, of.n_cells);
    if (now.n_vertices, now.n_cells) != (begun.n_vertices, begun.n_cells) {
        return Err(other(format!(
            "differs from the mesh of the interrupted run: it has {}, not {}",
            counts(now),
            counts(begun)
        )));
    }
    if now.mesh != begun.mesh {
        return Err(other(format!(
            "differs from the mesh of the interrupted run: it also has {}, but other \
             coordinates or cells",
            counts(now)
        )));
    }
    for (name, hash) in &now.arrays {
        if begun.arrays.iter().any(|(other, begun)| name == other && hash != begun) {
            let what = "has other values than in the interrupted run";
            return Err(match config.mesh() {
                Some(_) => Error::mesh(name.as_str(), what, remedy(config)),
                None => config.error_at(name, format!("{name} {what}"), remedy(config)),
            });
        }
    }
    if now.initial != begun.initial {
        let what = "[initial] gives another phi than in the interrupted run, although its keys \
                    are the same: a file that it names has changed";
        return Err(config.error_at("initial", what, remedy(config)));
    }
    if now.patches != begun.patches {
        let what = "the mesh is partitioned into other patches than in the interrupted run, \
                    although the keys are the same: another system or program was used";
        return Err(other(what.into()));
    }
    Ok(())
}
