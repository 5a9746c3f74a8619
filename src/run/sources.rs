//! The sources of a distance on a mesh: the shape of its front, its seeds, and the starting points
//! of its paths.

use std::cell::OnceCell;
use std::path::Path;

use super::CleanedMesh;
use super::fields::vertex_values;
use super::offsets::Offsets;
use super::region::Region;
use crate::config::{Config, FrontShape, Seed};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::io;
use crate::levelset::eikonal::source::{self, Source, StartBalls};
use crate::levelset::eikonal::{Front, Slowness, path};
use crate::mesh::{Group, Kind, Members};
use crate::surface::Locator;
use crate::words::counted;

/// The method of a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Fronts of this shape.
    Fronts(Front),
    /// Exact fronts, at this slowness, in time per mesh unit.
    Exact(f64),
}

impl Method {
    /// Returns the shape of the fronts, or `None` for exact ones.
    pub fn front(self) -> Option<Front> {
        match self {
            Method::Fronts(front) => Some(front),
            Method::Exact(_) => None,
        }
    }
}

/// Returns the method of a distance: the one that the case requests, or by default circular fronts
/// if the circular formula is valid, and plane ones otherwise.
///
/// # Errors
/// Returns [`Error::Case`] with the reason if the case requests a circular or exact front where it
/// is not valid.
pub fn method(config: &Config, slowness: &Slowness<f64>, cleaned: &CleanedMesh) -> Result<Method> {
    let Some(distance) = &config.distance else { return Ok(Method::Fronts(Front::Plane)) };
    let from = &distance.from;
    let is_point = |seed: &Seed| matches!(seed, Seed::Vertices { .. } | Seed::Point { .. });
    let needs_triangles = if cleaned.mesh.kind == Kind::Volume {
        Some("its formula is for triangles, but the mesh has tetrahedra".to_string())
    } else if matches!(slowness, Slowness::PerCell(_)) {
        Some("the speed differs between cells".to_string())
    } else if matches!(slowness, Slowness::Tensor(_)) {
        Some("the speed depends on the direction".to_string())
    } else {
        None
    };
    if distance.front == FrontShape::Exact {
        return match (slowness, needs_triangles) {
            (Slowness::Uniform(slowness), None) => Ok(Method::Exact(*slowness)),
            (_, wrong) => {
                let what = format!("distance.front cannot be exact: {}", wrong.unwrap_or_default());
                Err(config.error_at("distance.front", what, "use \"auto\" or \"plane\""))
            }
        };
    }
    let wrong = if needs_triangles.is_some() {
        needs_triangles
    } else if from.is_empty() {
        Some("the zero set of [initial] is not a point".to_string())
    } else if let Some(other) = from.iter().find(|seed| !is_point(seed)) {
        Some(format!("{other} is neither a vertex nor a point"))
    } else if from.iter().any(|seed| seed.start() != from[0].start()) {
        Some("the seeds have different start values".to_string())
    } else {
        None
    };
    match (distance.front, wrong) {
        (FrontShape::Circular, Some(wrong)) => {
            let what = format!("distance.front cannot be circular: {wrong}");
            Err(config.error_at("distance.front", what, "use \"auto\" or \"plane\""))
        }
        (FrontShape::Plane, _) | (_, Some(_)) => Ok(Method::Fronts(Front::Plane)),
        (_, None) => Ok(Method::Fronts(Front::Circular)),
    }
}

/// Returns the sources of a distance on the cleaned mesh, each with the index of its seed in
/// `from`.
///
/// For circular fronts, every vertex is a separate source. If `with_parts` is true, the result
/// includes the simplices where paths end. A point or curve that does not lie on the mesh is moved
/// to it. A warning states the distance. Moving a point or curve by more than one edge length
/// requires `snap`.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::vertex`], [`CleanedMesh::group`], [`io::read_curves`],
/// [`io::read_data`] and [`vertex_values`]. Returns [`Error::Case`] for a point that is too far
/// from the mesh, for a sphere or box without vertices, and for a zero set that does not meet the
/// mesh.
pub fn sources(
    config: &Config,
    slowness: &Slowness<f64>,
    method: Method,
    cleaned: &CleanedMesh,
    with_parts: bool,
) -> Result<Vec<(u32, Source)>> {
    let Some(distance) = &config.distance else { return Ok(Vec::new()) };
    let (snap, locator) = (distance.snap, OnceCell::new());
    let front = method.front().unwrap_or(Front::Plane);
    let is_exact = method.front().is_none();
    // Exact fronts start at the parts, and balls are found from them.
    let has_balls = matches!(slowness, Slowness::Tensor(_));
    let with_parts = with_parts || is_exact || has_balls;
    let offsets = Offsets::default();
    let around =
        Around { config, cleaned, slowness, front, is_exact, with_parts, snap, locator, offsets };
    let mut of_vertices = around.vertices(&distance.from)?;
    let mut sources = Vec::new();
    for (number, seed) in (0_u32..).zip(&distance.from) {
        let key = format!("distance.from.{number}");
        let found = match seed {
            Seed::Vertices { ids, .. } => {
                let n = if front == Front::Circular { ids.len() } else { ids.len().min(1) };
                of_vertices.by_ref().take(n).collect()
            }
            _ => around.seed(seed, &key).map_err(config.locate(&key))?,
        };
        // Circular fronts are computed with the value 0 at their sources. The start value is added
        // at the end.
        let start = if front == Front::Circular { 0.0 } else { seed.start() };
        let numbered = |source: Source| (number, source.numbered(number, start));
        sources.extend(found.into_iter().map(numbered));
    }
    around.offsets.note(cleaned);
    if has_balls && sources.iter().any(|(_, source)| source.is_point()) {
        let balls = StartBalls::new(around.locator(), slowness);
        sources.iter_mut().for_each(|(_, source)| balls.extend(source));
    }
    Ok(sources)
}

/// Returns the problems of all seeds, with the keys of the seeds. They do not depend on the speed,
/// so they are found even if the speed has a problem.
pub fn problems(config: &Config, cleaned: &CleanedMesh) -> Vec<(String, Error)> {
    let Some(distance) = &config.distance else { return Vec::new() };
    let around = Around {
        config,
        cleaned,
        slowness: &Slowness::Uniform(1.0),
        front: Front::Plane,
        is_exact: false,
        with_parts: false,
        snap: distance.snap,
        locator: OnceCell::new(),
        offsets: Offsets::default(),
    };
    let mut problems = Vec::new();
    for (number, seed) in distance.from.iter().enumerate() {
        let key = format!("distance.from.{number}");
        let found: Vec<Error> = match seed {
            Seed::Vertices { ids, .. } => {
                ids.iter().filter_map(|&id| cleaned.vertex(id).err()).collect()
            }
            _ => around.seed(seed, &key).err().into_iter().collect(),
        };
        let located = found.into_iter().map(config.locate(&key));
        problems.extend(located.map(|error| (key.clone(), error)));
    }
    around.offsets.note(cleaned);
    problems
}

/// The data needed to find the vertices around a seed.
struct Around<'a> {
    config: &'a Config,
    cleaned: &'a CleanedMesh,
    slowness: &'a Slowness<f64>,
    front: Front,
    is_exact: bool,
    with_parts: bool,
    snap: bool,
    /// Created for the first seed that is a point or curve.
    locator: OnceCell<Locator<'a>>,
    offsets: Offsets,
}

impl Around<'_> {
    fn locator(&self) -> &Locator<'_> {
        self.locator.get_or_init(|| Locator::new(&self.cleaned.mesh))
    }

    /// Returns the sources of all seeds that are vertices, without their start values. If fronts
    /// are circular, each vertex is a separate source.
    fn vertices(&self, seeds: &[Seed]) -> Result<impl Iterator<Item = Source> + use<>> {
        let mut vertices = Vec::new();
        let mut n_sources = 0;
        for (number, seed) in seeds.iter().enumerate() {
            let Seed::Vertices { ids, .. } = seed else { continue };
            for (k, &id) in ids.iter().enumerate() {
                let locate = |e| self.config.locate(&format!("distance.from.{number}"))(e);
                let vertex = self.cleaned.vertex(id).map_err(locate)?;
                let is_next = k == 0 || self.front == Front::Circular;
                n_sources += usize::from(is_next);
                vertices.push((vertex, n_sources as u32 - 1));
            }
        }
        let (mesh, slowness) = (&self.cleaned.mesh, self.slowness);
        let with_parts = self.with_parts;
        let sources = source::around_vertices(mesh, &vertices, n_sources, slowness, with_parts);
        Ok(sources.into_iter())
    }

    /// Returns the sources of a seed that does not consist of vertices, without its start value.
    fn seed(&self, seed: &Seed, key: &str) -> Result<Vec<Source>> {
        let (mesh, slowness) = (&self.cleaned.mesh, self.slowness);
        match seed {
            // `Around::vertices` finds all vertices in one pass.
            Seed::Vertices { .. } => Ok(Vec::new()),
            Seed::Group { name, .. } => {
                let (simplices, arity) = self.cleaned.group(name)?;
                match arity {
                    1 => Ok(self.group_of_vertices(
                        &simplices,
                        &format!("the group \"{name}\""),
                        false,
                    )),
                    _ => Ok(self.simplices(&simplices, arity)),
                }
            }
            Seed::Sphere { center, radius, .. } => {
                let center = Vec3::from(*center);
                self.vertices_in(seed, |x| (x - center).norm_squared() <= radius * radius)
            }
            Seed::Box { corners: [low, high], .. } => {
                self.vertices_in(seed, |x| (0..3).all(|k| low[k] <= x[k] && x[k] <= high[k]))
            }
            Seed::VertexList { path, .. } => {
                let vertices = vertex_list(&self.config.resolve(path)?, self.cleaned)?;
                Ok(self.group_of_vertices(&vertices, &format!("the list {path}"), false))
            }
            Seed::Surface { .. } => {
                let region = Region::new(self.config, self.cleaned, seed, key)?;
                Ok(match &region {
                    Region::Cells(_) => self.simplices(&region.facets(mesh), mesh.kind.arity() - 1),
                    Region::Vertices(_) => {
                        vec![source::around_zero_set(mesh, &region.level_set(), slowness)]
                    }
                })
            }
            Seed::Point { at, .. } => {
                let around = source::around_point(self.locator(), *at, 0.0, slowness)
                    .ok_or_else(|| Error::mesh("", "has no cells", ""))?;
                let nearest = Some(around.closest);
                let what = seed.to_string();
                self.offsets.check(&what, around.gap, around.edge, nearest, self.snap)?;
                Ok(vec![around.into_source()])
            }
            Seed::Curve { path, .. } => {
                let path = self.config.resolve(path)?;
                let (points, segments) = io::read_curves(&path)?.segments();
                let (locator, parts) = (self.locator(), self.with_parts);
                let around = source::around_curve(locator, &points, &segments, slowness, parts)?
                    .ok_or_else(|| Error::mesh("", "has no cells", ""))?;
                let [x, y, z] = around.farthest;
                let what = format!("{seed} at {x:.6},{y:.6},{z:.6}");
                self.offsets.check(&what, around.gap, around.edge, None, self.snap)?;
                Ok(vec![around.source])
            }
            Seed::LevelSet { expression, .. } => {
                let phi = vertex_values(self.config, self.cleaned, key, expression, 0.0)?;
                let inside = phi.iter().filter(|&&x| x < 0.0).count();
                if inside == 0 || inside == phi.len() {
                    let side = if inside == 0 { "nowhere negative" } else { "negative everywhere" };
                    let what = format!("{seed}: it is {side} on the mesh, so it has no zero set");
                    return Err(Error::usage(what, "use an expression that changes sign"));
                }
                Ok(vec![source::around_zero_set(mesh, &phi, slowness)])
            }
        }
    }

    /// Returns the sources of a seed that consists of the vertices whose positions satisfy a
    /// condition.
    fn vertices_in(&self, seed: &Seed, is_inside: impl Fn(Vec3) -> bool) -> Result<Vec<Source>> {
        let vertices = (0..).zip(&self.cleaned.mesh.vertices);
        let inside = vertices.filter(|(_, x)| is_inside(Vec3::from(**x)));
        let inside: Vec<u32> = inside.map(|(v, _)| v).collect();
        if inside.is_empty() {
            let within = if self.cleaned.n_outside_mask() > 0 { " inside the mask" } else { "" };
            let what = format!("{seed}: no vertex{within} lies in it");
            return Err(Error::usage(what, "make it larger, or use point:x,y,z"));
        }
        Ok(self.group_of_vertices(&inside, &seed.to_string(), true))
    }

    /// Returns the sources of a group that lists vertices without edges or faces. `name` is its
    /// name in warnings. `is_region` states whether it consists of the vertices in a sphere or box.
    fn group_of_vertices(&self, vertices: &[u32], name: &str, is_region: bool) -> Vec<Source> {
        let mesh = &self.cleaned.mesh;
        let found = source::PointGroup::new(mesh, vertices);
        if found.doubtful_cells > 0 {
            let cells = counted(found.doubtful_cells, ["cell", "cells"]);
            let remedy = match is_region {
                true => "make it larger or smaller if they are not part of it",
                false => {
                    "store its edges or faces as cells of a group (Gmsh physical group, MEDIT \
                     edges) if they are not part of it"
                }
            };
            self.cleaned.note_doubt(format!(
                "{name} lists vertices without edges or faces: all corners of {cells} belong to \
                 it, so the source includes the edges across them, although it looks like a line \
                 or a wall; {remedy}"
            ));
        }
        if self.is_exact && found.arity == 1 {
            let parts = source::parts_between_vertices(mesh, &found.simplices);
            return vec![Source::default().with_parts(parts)];
        }
        self.simplices(&found.simplices, found.arity)
    }

    /// Returns the sources of simplices of the mesh with `arity` vertices each.
    fn simplices(&self, simplices: &[u32], arity: usize) -> Vec<Source> {
        let (mesh, slowness) = (&self.cleaned.mesh, self.slowness);
        let classes = source::classes(mesh, simplices, arity);
        let of_class = |class: &Vec<u32>| {
            Source::new(source::around_simplices(mesh, class, arity, 0.0, slowness))
        };
        if classes.have_inner {
            self.cleaned.note_doubt(
                "the edges between the vertices of a source are so many that some of them count as \
                 the source"
                    .into(),
            );
        }
        let mut sources: Vec<Source> = classes.simplices.iter().map(of_class).collect();
        // Paths may end at any of the simplices, so the first source holds the simplices of all
        // classes.
        if let (Some(first), true) = (sources.first_mut(), self.with_parts) {
            first.parts = source::parts_of_simplices(mesh, simplices, arity);
        }
        sources
    }
}

/// Returns the vertices of a CARP list of vertices, in the order of the cleaned mesh. Vertices that
/// no cell inside the mask uses are left out, as they are for groups.
fn vertex_list(path: &Path, cleaned: &CleanedMesh) -> Result<Vec<u32>> {
    let n = cleaned.stored_vertices.len();
    let data = io::read_data(path)?;
    let listed = match data.groups.as_slice() {
        [Group { members: Members::Simplices { dimension: 0, vertices }, .. }]
            if data.arrays.is_empty() && data.partial.is_empty() =>
        {
            vertices
        }
        _ => {
            let remedy = "use a .vtx file; other files are data of the mesh, with groups for seeds \
                          group:NAME";
            return Err(Error::input(path, "", "is not a CARP list of vertices", remedy));
        }
    };
    if let Some(vertex) = listed.iter().find(|&&vertex| vertex as usize >= n) {
        let range = format!("vertices are numbered 0 to {}", n.saturating_sub(1));
        return Err(Error::input(path, "", format!("there is no vertex {vertex}"), range));
    }
    let mut found: Vec<u32> = listed.iter().filter_map(|&v| cleaned.vertex(v).ok()).collect();
    // Joined vertices have the same index.
    found.sort_unstable();
    found.dedup();
    if found.is_empty() {
        let within = if cleaned.n_outside_mask() > 0 { " inside the mask" } else { "" };
        let what = format!("no cell{within} uses any of its vertices");
        return Err(Error::input(path, "", what, "choose vertices of cells, see `zeroset info`"));
    }
    Ok(found)
}

/// Returns the starting points of the paths of a distance on the cleaned mesh, with their names.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::vertex`]. Returns [`Error::Case`] for a point that is too
/// far from the mesh.
pub fn path_starts(config: &Config, cleaned: &CleanedMesh) -> Result<Vec<(String, path::Start)>> {
    let Some(distance) = &config.distance else { return Ok(Vec::new()) };
    let mut starts = Vec::new();
    let (locator, offsets) = (OnceCell::new(), Offsets::default());
    for (k, seed) in distance.paths_from.iter().enumerate() {
        let key = format!("distance.paths_from.{k}");
        match seed {
            Seed::Vertices { ids, .. } => {
                for &id in ids {
                    let vertex = cleaned.vertex(id).map_err(config.locate(&key))?;
                    starts.push((format!("vertex:{id}"), path::Start::Vertex(vertex)));
                }
            }
            Seed::Point { at, .. } => {
                let locator = locator.get_or_init(|| Locator::new(&cleaned.mesh));
                if let Some(found) = locator.closest(Vec3::from(*at)) {
                    let edge = locator.longest_edge(found.cell);
                    let nearest = Some(found.point.into());
                    offsets
                        .check(&seed.to_string(), found.gap, edge, nearest, distance.snap)
                        .map_err(config.locate(&key))?;
                }
                starts.push((seed.to_string(), path::Start::Point(*at)));
            }
            // Config validation refuses other seeds.
            _ => {}
        }
    }
    offsets.note(cleaned);
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::super::cleaned_mesh::tests::cleaned;
    use super::*;

    fn config(tables: &str) -> Config {
        let text = format!("version = 1\n[domain.mesh]\npath = \"m\"\n{tables}");
        Config::parse(&text, Path::new("case.toml"), &[]).unwrap()
    }

    #[test]
    fn seeds_are_found_whatever_they_name() {
        let cleaned = cleaned();
        let seeds = |from: &str| {
            let case = config(&format!("[distance]\nfrom = [\"{from}\"]\n"));
            let plain = Slowness::Uniform(1.0);
            let sources =
                super::sources(&case, &plain, Method::Fronts(Front::Plane), &cleaned, true)?;
            assert!(sources.iter().all(|(_, source)| !source.parts.is_empty()));
            Ok::<_, Error>(sources.into_iter().flat_map(|(_, s)| s.values).collect::<Vec<_>>())
        };
        assert_eq!(seeds("vertex:4@0.5").unwrap().last(), Some(&(3, 0.5)));
        assert_eq!(seeds("group:rim").unwrap()[2], (2, 0.0));
        assert_eq!(seeds("point:1,0,0").unwrap()[1], (1, 0.0));
        let message = seeds("point:0,0,5").unwrap_err().to_string();
        assert!(message.contains("is 5.000e0 off the mesh") && message.contains("--snap"));
    }
}
