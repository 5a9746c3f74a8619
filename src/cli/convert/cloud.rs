//! `zeroset convert` of point clouds: selects, projects, thins, merges and writes points.

use std::path::Path;

use super::Args;
use crate::atomic::check_folder;
use crate::cli::Ui;
use crate::cli::point_options::Projecting;
use crate::cli::reconstruct::of_origin;
use crate::cloud::{PointCloud, thin};
use crate::error::{Error, Result, shown};
use crate::io::{
    Attributes, CloudOptions, CloudReport, MeshFile, check_cloud_target, check_target,
    cloud_of_mesh, is_cloud, is_cloud_target, read_cloud_with, read_mesh_with, write_cloud_with,
};
use crate::mesh::{Group, Members};
use crate::words::counted;

/// Options that change a point cloud.
#[derive(Debug, clap::Args)]
pub struct Changes {
    /// In a point cloud, keep only the points in a box, including its faces
    #[arg(long, value_name = "XMIN,XMAX,YMIN,YMAX,ZMIN,ZMAX", allow_hyphen_values = true)]
    pub crop: Option<Crop>,
    /// In a point cloud, keep one point per cube of this edge length: the one nearest to the center
    #[arg(long, value_name = "SPACING", value_parser = length)]
    pub thin: Option<f64>,
    #[command(flatten)]
    pub projecting: Projecting,
}

impl Changes {
    /// Returns the first given option.
    fn given(&self) -> Option<&'static str> {
        let options = [
            ("--crop", self.crop.is_some()),
            ("--thin", self.thin.is_some()),
            ("--project", self.projecting.project.is_some()),
        ];
        options.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }
}

fn length(text: &str) -> std::result::Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(length) if length > 0.0 && length.is_finite() => Ok(length),
        _ => Err("expected a length > 0".into()),
    }
}

/// A box: the smallest and the largest coordinate along each axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crop([[f64; 2]; 3]);

impl std::str::FromStr for Crop {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        const EXPECTED: &str = "expected XMIN,XMAX,YMIN,YMAX,ZMIN,ZMAX, such as 0,10,0,10,-inf,inf";
        let numbers: Option<Vec<f64>> =
            text.split(',').map(|word| word.trim().parse().ok()).collect();
        let Some(&[a, b, c, d, e, f]) = numbers.as_deref() else { return Err(EXPECTED.into()) };
        let ranges = [[a, b], [c, d], [e, f]];
        match ranges.iter().find(|[low, high]| low.is_nan() || high.is_nan() || low > high) {
            None => Ok(Crop(ranges)),
            Some([low, high]) => Err(format!("{low} must not exceed {high}; {EXPECTED}")),
        }
    }
}

impl Crop {
    fn holds(&self, x: &[f64; 3]) -> bool {
        x.iter().zip(self.0).all(|(x, [low, high])| (low..=high).contains(x))
    }
}

/// Returns an error if several inputs or an option for point clouds are given, because the output
/// is a volume.
pub(super) fn refuse_for_others(args: &Args) -> Result<()> {
    let what = match (args.points.given(), args.inputs().len()) {
        (None, 1) => return Ok(()),
        (Some(option), _) => format!("{option} is for point clouds, not for volumes"),
        (None, n) => format!("{n} inputs: only point clouds can be merged"),
    };
    let what = format!("{}: {what}", args.output().display());
    Err(Error::usage(what, format!("end the name in {ENDINGS}")))
}

/// Returns true if the command works on points: an input holds only points, there are several
/// inputs, an option applies only to points, or only points can be written to the output.
///
/// # Errors
/// Returns [`Error::Input`] if a file cannot be read.
pub(super) fn is_meant(args: &Args) -> Result<bool> {
    let is_mesh_target = check_target(args.output(), &args.options()?, None).is_ok();
    if args.inputs().len() > 1 || args.points.given().is_some() || !is_mesh_target {
        return Ok(true);
    }
    let is_cloud = is_cloud(args.input())?;
    if is_cloud && !is_cloud_target(args.output()) {
        let what = "no triangles or tetrahedra: there is nothing to write in this format";
        let remedy = format!(
            "these are points: write them as {ENDINGS}, or `zeroset reconstruct` a surface from them"
        );
        return Err(Error::input(args.input(), "", what, remedy));
    }
    Ok(is_cloud)
}

/// The extensions of point files, for messages.
const ENDINGS: &str = ".ply, .pcd, .las, .xyz, .txt, .csv or .vtp";

/// Returns true if a file that has been read holds only points, and if points can be written to the
/// output.
pub(super) fn holds_points(file: &MeshFile, args: &Args) -> bool {
    let is_of_points =
        |group: &Group| matches!(group.members, Members::Simplices { dimension: 0, .. });
    let has_cells = file.mesh.n_cells() > 0 || !file.mesh.groups.iter().all(is_of_points);
    !has_cells && is_cloud_target(args.output())
}

/// Merges the points of all inputs, and writes them. `first` is the first input, if it has been
/// read already.
///
/// # Errors
/// Returns [`Error::Case`] if an option applies only to meshes or volumes, if a selection cannot be
/// evaluated or keeps no point, or if the units of the inputs differ; [`Error::Input`] if an input
/// cannot be read or is a mesh; [`Error::Output`] if the output cannot be written.
pub(super) fn run(args: &Args, mut first: Option<MeshFile>, ui: &Ui) -> Result<u8> {
    refuse_for_meshes(args)?;
    check_cloud_target(args.output())?;
    check_folder(args.output())?;
    let mut merged: Option<(PointCloud, CloudReport)> = None;
    let mut counts = Counts::default();
    for path in args.inputs() {
        let (mut cloud, report) = read(path, first.take(), args, ui)?;
        counts.add(&report);
        select(&mut cloud, args)?;
        counts.selected += cloud.len();
        match &mut merged {
            None => merged = Some((cloud, report)),
            Some((all, first)) => merge(all, first, cloud, &report, [args.input(), path], ui)?,
        }
    }
    let Some((mut cloud, mut report)) = merged else {
        return Err(Error::usage("no input", "name a point cloud"));
    };
    if cloud.is_empty() {
        let n = counts.read;
        let what = format!("none of the {n} points is selected by --where and --crop");
        let remedy = "see `zeroset info` for the ranges of the coordinates, the attributes and the \
                      classes";
        return Err(Error::usage(what, remedy));
    }
    report.warnings.clear();
    let origin = args.points.projecting.apply(args.input(), &mut cloud, &mut report)?;
    ui.warn_of(args.input(), &report.warnings);
    if let Some(spacing) = args.points.thin {
        let kept = thin(&cloud.points, spacing)?;
        cloud.retain(&kept);
    }
    let warnings = write_cloud_with(args.output(), &cloud, &args.options()?)?;
    ui.warn_of(args.output(), warnings);
    let mut said = words(args, &cloud, &counts);
    if let Some(origin) = origin {
        said += &of_origin(&origin);
    }
    ui.print(&said)?;
    Ok(0)
}

/// The numbers of points of all inputs.
#[derive(Default)]
struct Counts {
    /// The number of points in the files, and how many of them were left out while reading.
    stored: u64,
    not_finite: u64,
    without_normal: u64,
    withheld: u64,
    /// Points that were read and selected.
    read: u64,
    selected: usize,
}

impl Counts {
    fn add(&mut self, report: &CloudReport) {
        self.stored += report.stored;
        self.not_finite += report.not_finite;
        self.without_normal += report.without_normal;
        self.withheld += report.withheld;
        let left_out = report.not_finite + report.without_normal + report.withheld;
        self.read += report.stored - left_out;
    }
}

/// Returns an error for an option that applies only to meshes, volumes or series.
fn refuse_for_meshes(args: &Args) -> Result<()> {
    let options = [
        ("--repair", args.repair),
        ("--weld", args.weld.is_some()),
        ("--fill-holes", args.holes.size().is_some()),
        ("--decimate", args.decimate.is_some()),
        ("--boundary", args.boundary),
        ("--normals", args.normals),
        ("--frame", args.frame.is_some()),
        (args.source.first_given().unwrap_or_default(), args.source.first_given().is_some()),
        ("--time", args.time.is_some()),
    ];
    match options.into_iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => {
            let what = format!("{}: {option} is not for point clouds", shown(args.input()));
            Err(Error::usage(what, "leave it out"))
        }
    }
}

/// Reads a point cloud with all attributes, and warns about points that are left out.
fn read(
    path: &Path,
    file: Option<MeshFile>,
    args: &Args,
    ui: &Ui,
) -> Result<(PointCloud, CloudReport)> {
    let options = CloudOptions::default().attributes(Attributes::All);
    let (cloud, report) = if file.is_none() && is_cloud(path)? {
        read_cloud_with(path, &options)?
    } else {
        let file = file.map_or_else(|| read_mesh_with(path, &args.reading()), Ok)?;
        if file.mesh.n_cells() > 0 {
            let cells = counted(file.mesh.n_cells(), ["cell", "cells"]);
            let what = format!("holds a mesh with {cells}, expected points");
            let remedy = "`zeroset sample` draws points from a surface; for a mesh, name the output \
                          .vtu, .vtp, .ply or .msh, and leave out the options for points";
            return Err(Error::input(path, "", what, remedy));
        }
        cloud_of_mesh(path, file, &options)?
    };
    ui.warn_of(path, &report.warnings);
    let left_out = [(report.not_finite, "finite coordinates"), (report.without_normal, "a normal")];
    for (n, what) in left_out.into_iter().filter(|(n, _)| *n > 0) {
        let points = counted(n, ["point", "points"]);
        ui.warn_of(path, [format!("left out: {points} of {} without {what}", report.stored)]);
    }
    Ok((cloud, report))
}

/// Keeps the points that the options select.
fn select(cloud: &mut PointCloud, args: &Args) -> Result<()> {
    if let Some(crop) = args.points.crop {
        let kept: Vec<bool> = cloud.points.iter().map(|x| crop.holds(x)).collect();
        cloud.retain(&kept);
    }
    if let Some(selection) = &args.selection {
        let kept = cloud.select(selection, &[])?;
        cloud.retain(&kept);
    }
    Ok(())
}

/// Appends a cloud, and warns about the arrays that only one of the two has.
///
/// # Errors
/// Returns [`Error::Case`] if the units differ.
fn merge(
    all: &mut PointCloud,
    first: &CloudReport,
    cloud: PointCloud,
    report: &CloudReport,
    [path, other]: [&Path; 2],
    ui: &Ui,
) -> Result<()> {
    let units =
        [&first.units, &report.units].map(|unit| unit.as_deref().unwrap_or("unknown units"));
    if units[0] != units[1] {
        let what =
            format!("{} has {}, but {} has {}", shown(path), units[0], shown(other), units[1]);
        if first.units.is_some() && report.units.is_some() {
            return Err(Error::usage(what, "convert the points to the same units first"));
        }
        ui.warn(format_args!("{what}; the coordinates are merged as they are"));
    }
    let dropped = all.append(cloud);
    if !dropped.is_empty() {
        let names = dropped.join(", ");
        ui.warn_of(other, [format!("dropped, because not all inputs have them: {names}")]);
    }
    Ok(())
}

/// Returns the line about the output: what was written, and how many points were left out and why.
fn words(args: &Args, cloud: &PointCloud, counts: &Counts) -> String {
    let mut parts = Vec::new();
    parts.extend(cloud.normals.iter().map(|_| "normals".to_string()));
    parts.extend(cloud.colors.iter().map(|_| "colors".to_string()));
    parts.extend(cloud.attributes.iter().map(|attribute| attribute.name.clone()));
    let with = if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(", ")) };
    let mut said =
        format!("{}: {}{with}", args.output().display(), counted(cloud.len(), ["point", "points"]));
    let lost = [
        (counts.not_finite, "not finite"),
        (counts.without_normal, "without normal"),
        (counts.withheld, "withheld"),
    ];
    let is_selected = args.selection.is_some() || args.points.crop.is_some();
    if counts.stored != cloud.len() as u64 || is_selected {
        said += &format!("; {} in the input", counts.stored);
        for (n, what) in lost.into_iter().filter(|(n, _)| *n > 0) {
            said += &format!(", {n} {what}");
        }
        if is_selected {
            said += &format!(", {} selected", counts.selected);
        }
        if args.points.thin.is_some() {
            said += &format!(", {} left after thinning", cloud.len());
        }
    }
    said + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_six_numbers_in_order() {
        let crop: Crop = "0, 1,-2,-1,-inf,inf".parse().unwrap();
        assert!(crop.holds(&[0.0, -1.0, 1e9]) && !crop.holds(&[1.1, -1.5, 0.0]));
        for (text, found) in [
            ("0,1,0,1", "expected XMIN,XMAX"),
            ("1,0,0,1,0,1", "1 must not exceed 0"),
            ("0,1,0,1,0,nan", "must not exceed"),
        ] {
            let error = text.parse::<Crop>().unwrap_err();
            assert!(error.contains(found), "{error}");
        }
    }
}
