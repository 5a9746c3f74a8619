//! The axes of an NRRD array: the spatial axes, and the axes of layers, volumes and channels.

use super::header::{Header, quoted, show_text, vectors};
use crate::volume::{COLORS, Chosen, Counts, DAMAGED, ONE_VOLUME};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::volume::Samples;

/// The description of an array axis in the header.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub size: usize,
    /// Whether voxels lie along the axis, rather than frames or the components of a voxel.
    spatial: bool,
    kind: String,
    pub direction: Option<Vec<f64>>,
    pub spacing: f64,
    pub min: f64,
    pub max: f64,
    pub cell: bool,
    pub unit: String,
}

impl Axis {
    pub fn states_spacing(&self) -> bool {
        let by_bounds = (self.max - self.min).is_finite();
        self.direction.is_some() || !self.spacing.is_nan() || by_bounds
    }
}

/// The kinds of axes along which voxels lie.
const SPATIAL: [&str; 4] = ["domain", "space", "???", "none"];

fn axes(header: &Header) -> Result<Vec<Axis>, Flaw> {
    let n: usize = header.count(&["dimension"], 0)?;
    if !(1..=16).contains(&n) {
        let what = format!("dimension {n}, expected 1 to 16");
        return Err(header.fail(&["dimension"], what, DAMAGED));
    }
    let Some(sizes) = header.numbers::<usize>(&["sizes"], n)? else {
        return Err(header.fail(&[], "the field sizes is missing", DAMAGED));
    };
    if sizes.contains(&0) {
        return Err(header.fail(
            &["sizes"],
            format!("sizes {sizes:?}: there is no voxel"),
            DAMAGED,
        ));
    }
    let words =
        |names: &[&str]| -> Vec<String> { header.get(names).map(quoted).unwrap_or_default() };
    let kinds = words(&["kinds"]);
    let centers = words(&["centers", "centerings"]);
    let units = match header.get(&["spaceunits"]) {
        Some(text) => quoted(text),
        None => words(&["units"]),
    };
    let directions = match header.get(&["spacedirections"]) {
        None => vec![None; n],
        Some(text) => vectors(text).filter(|found| found.len() == n).ok_or_else(|| {
            let what = format!("{n} vectors expected, found {}", show_text(text));
            header.fail(&["spacedirections"], what, DAMAGED)
        })?,
    };
    let placed = header.get(&["spacedirections"]).is_some();
    let numbers = |names: &[&str], absent: f64| -> Result<Vec<f64>, Flaw> {
        let found = header.numbers(names, n)?.unwrap_or_else(|| vec![absent; n]);
        Ok(found.iter().map(|&x: &f64| if x.is_nan() { absent } else { x }).collect())
    };
    let spacing = numbers(&["spacings"], f64::NAN)?;
    let min = numbers(&["axismins"], f64::NAN)?;
    let max = numbers(&["axismaxs"], f64::NAN)?;
    let axis = |k: usize| {
        let kind = kinds.get(k).cloned().unwrap_or("???".into());
        let spatial = SPATIAL.contains(&kind.to_lowercase().as_str());
        Axis {
            size: sizes[k],
            spatial: spatial && !(placed && directions[k].is_none()),
            kind,
            direction: directions[k].clone(),
            spacing: spacing[k],
            min: min[k],
            max: max[k],
            cell: centers.get(k).is_some_and(|c| c == "cell"),
            unit: units.get(k).cloned().unwrap_or_default(),
        }
    };
    Ok((0..n).map(axis).collect())
}

/// The dimension to which a nonspatial axis belongs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Layer,
    Volume,
    Channel,
}

/// The axes of an array: the spatial ones, and those along which one entry is chosen.
pub(super) struct Axes {
    all: Vec<Axis>,
    /// The role of each axis. `None` means a spatial axis, or an axis of size 1.
    roles: Vec<Option<Role>>,
}

impl Axes {
    /// Assigns a role to each axis that is not spatial. Trailing spatial axes beyond the third are
    /// volumes of a series.
    pub fn of(header: &Header) -> Result<Self, Flaw> {
        let all = axes(header)?;
        let last = all.len() - 1;
        let mut n_spatial = 0;
        let role = |(k, axis): (usize, &Axis)| {
            n_spatial += usize::from(axis.spatial);
            match axis.kind.to_lowercase().as_str() {
                _ if axis.size == 1 || axis.spatial && n_spatial <= 3 => None,
                _ if axis.spatial => Some(Role::Volume),
                "list" => Some(Role::Layer),
                "time" => Some(Role::Volume),
                kind if SPATIAL.contains(&kind) && k == last => Some(Role::Volume),
                _ => Some(Role::Channel),
            }
        };
        let roles: Vec<Option<Role>> = all.iter().enumerate().map(role).collect();
        let named = roles.iter().flatten();
        if let Some(role) = named.clone().find(|a| named.clone().filter(|b| a == b).count() > 1) {
            let sizes: Vec<usize> = all.iter().map(|axis| axis.size).collect();
            let what = format!("sizes {sizes:?}: several axes of the kind {role:?}");
            return Err(header.fail(&["kinds", "sizes"], what.to_lowercase(), ONE_VOLUME));
        }
        Ok(Axes { all, roles })
    }

    /// Returns the spatial axes, at most three.
    pub fn spatial(&self) -> Vec<Axis> {
        self.all.iter().filter(|axis| axis.spatial).take(3).cloned().collect()
    }

    pub fn counts(&self) -> Counts {
        let count = |role: Role| {
            let k = self.roles.iter().position(|other| *other == Some(role));
            k.map_or(1, |k| self.all[k].size)
        };
        Counts {
            layers: count(Role::Layer),
            volumes: count(Role::Volume),
            channels: count(Role::Channel),
        }
    }

    /// Returns the names of the channels, as far as the kind of their axis implies them.
    pub fn channel_names(&self) -> Vec<String> {
        let k = self.roles.iter().position(|role| *role == Some(Role::Channel));
        let colors = k.filter(|&k| self.all[k].kind.to_lowercase().starts_with("rgb"));
        let names = colors.map_or(&[][..], |k| &COLORS[..self.all[k].size.min(COLORS.len())]);
        names.iter().map(|name| name.to_string()).collect()
    }

    /// Returns the numbers of the chosen layer, volume and channel.
    pub fn picked(&self, mut samples: Samples, chosen: Chosen) -> Samples {
        for (k, role) in self.roles.iter().enumerate().rev() {
            let index = match role {
                None => continue,
                Some(Role::Layer) => chosen.layer,
                Some(Role::Volume) => chosen.volume,
                Some(Role::Channel) => chosen.channel,
            };
            let inner = self.all[..k].iter().map(|axis| axis.size).product();
            samples = samples.picked(inner, self.all[k].size, index);
        }
        samples
    }
}
