//! Reader of curves: polylines from the line elements of a mesh file or from a text file of points.

use std::path::Path;

use super::load::{self, Loaded};
use super::moment::{Moment, StateTime};
use super::series::{self, Opened};
use super::sniff::Format;
use super::text::{Lines, parse, words};
use super::{MeshOptions, read_as, sniff, text};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::{Members, Mesh};

/// A polyline, open or closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Corners in order, in mesh units. There are at least two, and the first is not repeated at
    /// the end.
    pub points: Vec<[f64; 3]>,
    /// Whether the last corner is joined to the first.
    pub closed: bool,
}

impl Curve {
    /// Returns the segments of the curve, each given by its two endpoints, in mesh units.
    pub fn segments(&self) -> impl Iterator<Item = [[f64; 3]; 2]> + '_ {
        let n = self.points.len();
        let pieces = if self.closed { n } else { n.saturating_sub(1) };
        (0..pieces).map(move |i| [self.points[i], self.points[(i + 1) % n]])
    }

    /// Returns the length of the longest segment, in mesh units.
    pub fn longest_segment(&self) -> f64 {
        self.segments().map(|[a, b]| gap(a, b)).fold(0.0, f64::max)
    }
}

/// The curves of one file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Curves {
    /// The curves. There is at least one.
    pub curves: Vec<Curve>,
    /// Short name of the format as in [`MeshFile::format`](super::MeshFile), or "text".
    pub format: &'static str,
    /// One sentence for each thing that was dropped or changed during reading.
    pub warnings: Vec<String>,
    /// The time of the curves, if the file states one, and the times of its series.
    pub state: StateTime,
}

impl Curves {
    /// Returns the corners of all curves in one list, in mesh units, and all segments as pairs of
    /// indices into it.
    pub fn segments(&self) -> (Vec<[f64; 3]>, Vec<[u32; 2]>) {
        let (mut points, mut segments) = (Vec::new(), Vec::new());
        for curve in &self.curves {
            let first = points.len() as u32;
            let last = first + curve.points.len() as u32 - 1;
            points.extend_from_slice(&curve.points);
            segments.extend((first..last).map(|k| [k, k + 1]));
            segments.extend(curve.closed.then_some([last, first]));
        }
        (points, segments)
    }
}

/// Reads the curves of a file, which may be compressed with gzip.
///
/// The curves of a mesh file are its line elements: VTK lines, `l` records of OBJ, or lines in Gmsh
/// groups. They are joined where they share a point and where open ends have exactly the same
/// coordinates. A curve ends at a point that belongs to one segment or to more than two segments.
/// Each curve runs in the direction of most of its segments.
///
/// A text file holds `x y z` (or `x y`, with z = 0) in each line, separated by blanks, tabs or
/// commas. `#` begins a comment, and an empty line separates curves. A curve whose last point
/// equals its first is closed.
///
/// # Errors
/// Returns [`Error::Input`](zeroset_core::Error::Input), which names the file and the position, for
/// the reasons given at [`read_mesh`](super::read_mesh), and if the file has no lines.
pub fn read_curves(path: &Path) -> Result<Curves> {
    read_curves_at(path, None)
}

/// Reads curves like [`read_curves`], from the state of a series at the given time. `None` means
/// the last state.
///
/// # Errors
/// Returns the errors of [`read_curves`], and [`Error::Case`](zeroset_core::Error::Case) if the
/// file has no state at this time.
pub fn read_curves_at(path: &Path, time: Option<Moment>) -> Result<Curves> {
    curves(path, time).map_err(|flaw| flaw.in_file(path))
}

fn curves(path: &Path, time: Option<Moment>) -> Result<Curves, Flaw> {
    let (file, warning) = match series::open(path, load::load(path)?)? {
        Opened::Series(series) => {
            let (state, warning) = series.pick(time)?;
            (series.mesh(state, &MeshOptions::default())?, warning)
        }
        Opened::Single(Loaded { bytes, budget }) => {
            let (format, warning) = sniff::format(path, &bytes)?;
            if let Format::Columns | Format::Xyz = format {
                Moment::check_single(time, &StateTime::default())?;
                return read_text(text::without_mark(&bytes));
            }
            let file = read_as(format, path, &bytes, budget)?;
            Moment::check_single(time, &file.about.state)?;
            (file, warning)
        }
    };
    let mut found = of_mesh(&file.mesh)?;
    found.format = file.format;
    found.state = file.about.state;
    found.warnings.extend(warning);
    Ok(found)
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b','
}

fn read_text(bytes: &[u8]) -> Result<Curves, Flaw> {
    let mut curves: Vec<Curve> = Vec::new();
    let mut points: Vec<[f64; 3]> = Vec::new();
    let mut lines = Lines::new(bytes);
    let mut single = 0;
    loop {
        let line = lines.next_line();
        let is_comment = line.is_some_and(|l| l.trim_ascii_start().starts_with(b"#"));
        let text = line.and_then(|l| l.split(|&b| b == b'#').next()).unwrap_or_default();
        if is_comment {
            continue;
        }
        if words(text).next().is_some() {
            let mut x = [0.0; 3];
            let mut n = 0;
            for word in text.split(|&b| is_separator(b)).filter(|w| !w.is_empty()) {
                let value = parse::<f64>(word).filter(|x| x.is_finite()).ok_or_else(|| {
                    lines.expected(
                        "a finite number is",
                        text::show(word),
                        "write x y z in each line, and an empty line between curves",
                    )
                })?;
                if let Some(slot) = x.get_mut(n) {
                    *slot = value;
                }
                n += 1;
            }
            if n != 2 && n != 3 {
                let what = format!("{n} numbers, expected x y z");
                return Err(lines.fail(what, "write one point in each line"));
            }
            points.push(x);
        } else if let Some(curve) = chain(std::mem::take(&mut points), &mut single) {
            curves.push(curve);
        }
        if line.is_none() {
            break;
        }
    }
    finish(curves, single, "text")
}

/// Builds a curve from ordered points. Drops each point that equals its predecessor. If the last
/// point equals the first, the curve is closed. Returns `None` if there are no points or if the
/// curve is degenerate (a single point, or a segment traversed back and forth). Degenerate curves
/// are counted in `single`.
fn chain(mut points: Vec<[f64; 3]>, single: &mut usize) -> Option<Curve> {
    if points.is_empty() {
        return None;
    }
    points.dedup();
    let closed = points.first() == points.last();
    if closed {
        points.pop();
    }
    if points.len() < if closed { 3 } else { 2 } {
        *single += 1;
        return None;
    }
    Some(Curve { points, closed })
}

fn finish(curves: Vec<Curve>, single: usize, format: &'static str) -> Result<Curves, Flaw> {
    if curves.is_empty() {
        return Err(Flaw::whole(
            "the file holds no lines",
            "choose a file with line elements (.vtp, .vtk, .obj), or a text with x y z in each line",
        ));
    }
    let mut warnings = Vec::new();
    if single > 0 {
        warnings.push(format!(
            "{single} curves that degenerate to a point or a double line are left out"
        ));
    }
    Ok(Curves { curves, format, warnings, state: StateTime::default() })
}

/// Extracts and joins the line elements of a mesh.
fn of_mesh(mesh: &Mesh) -> Result<Curves, Flaw> {
    let mut segments: Vec<[u32; 2]> = Vec::new();
    for group in &mesh.groups {
        if let Members::Simplices { dimension: 1, vertices } = &group.members {
            segments.extend(vertices.as_chunks::<2>().0);
        }
    }
    // A line may belong to several groups, and a damaged file may contain it twice.
    let mut by_ends: Vec<(u32, u32, usize)> =
        segments.iter().enumerate().map(|(k, &[a, b])| (a.min(b), a.max(b), k)).collect();
    by_ends.sort_unstable();
    by_ends.dedup_by_key(|s| (s.0, s.1));
    let mut kept: Vec<usize> = by_ends.iter().filter(|s| s.0 != s.1).map(|s| s.2).collect();
    kept.sort_unstable();
    let mut segments: Vec<[u32; 2]> = kept.iter().map(|&k| segments[k]).collect();
    glue_open_ends(mesh, &mut segments);
    let (chains, turned) = chains(&segments);
    let mut single = 0;
    let mut curves = Vec::new();
    for (vertices, closed) in chains {
        let mut points: Vec<[f64; 3]> =
            vertices.iter().map(|&v| mesh.vertices[v as usize]).collect();
        if closed {
            points.extend(points.first().copied());
        }
        if let Some(curve) = chain(points, &mut single) {
            curves.push(curve);
        }
    }
    let mut found = finish(curves, single, "")?;
    if turned > 0 {
        let what = format!("{turned} segments run against the direction of their curve");
        found.warnings.push(what);
    }
    Ok(found)
}

/// Merges open ends that have exactly the same coordinates.
fn glue_open_ends(mesh: &Mesh, segments: &mut [[u32; 2]]) {
    let mut ends: Vec<u32> = segments.iter().flatten().copied().collect();
    ends.sort_unstable();
    let open = ends.chunk_by(|a, b| a == b).filter(|run| run.len() == 1).map(|run| run[0]);
    // Adding 0 turns -0 into 0.
    let place = |v: u32| mesh.vertices[v as usize].map(|x| (x + 0.0).to_bits());
    let mut open: Vec<([u64; 3], u32)> = open.map(|v| (place(v), v)).collect();
    open.sort_unstable();
    let mut renamed: Vec<(u32, u32)> = Vec::new();
    for run in open.chunk_by(|a, b| a.0 == b.0) {
        renamed.extend(run[1..].iter().map(|&(_, v)| (v, run[0].1)));
    }
    renamed.sort_unstable();
    for v in segments.iter_mut().flatten() {
        if let Ok(k) = renamed.binary_search_by_key(v, |r| r.0) {
            *v = renamed[k].1;
        }
    }
}

/// Joins segments into chains of vertices. Returns each chain with a flag that is set if the chain
/// is closed. Also returns the number of segments that run against the direction of their chain.
fn chains(segments: &[[u32; 2]]) -> (Vec<(Vec<u32>, bool)>, usize) {
    let mut at: Vec<(u32, u32)> = Vec::with_capacity(2 * segments.len());
    for (s, ends) in segments.iter().enumerate() {
        at.extend(ends.iter().map(|&v| (v, s as u32)));
    }
    at.sort_unstable();
    let around = |v: u32| &at[at.partition_point(|a| a.0 < v)..at.partition_point(|a| a.0 <= v)];
    let mut used = vec![false; segments.len()];
    // Chains that start at ends and branches are built first, so that only closed chains remain.
    let is_end = |v: u32| around(v).len() != 2;
    let starts = segments.iter().enumerate().flat_map(|(s, &[a, b])| [(s, a), (s, b)]);
    let starts = starts.filter(|&(_, v)| is_end(v)).collect::<Vec<_>>();
    let rest = segments.iter().enumerate().map(|(s, &[a, _])| (s, a));
    let mut chains = Vec::new();
    let mut turned_in_all = 0;
    for (first, start) in starts.into_iter().chain(rest) {
        if used[first] {
            continue;
        }
        let (mut chain, mut turned, mut count) = (vec![start], 0, 0);
        let (mut s, mut v) = (first, start);
        loop {
            used[s] = true;
            count += 1;
            let [a, b] = segments[s];
            turned += usize::from(v != a);
            v = if v == a { b } else { a };
            chain.push(v);
            if v == start || is_end(v) {
                break;
            }
            match around(v).iter().find(|next| !used[next.1 as usize]) {
                Some(next) => s = next.1 as usize,
                None => break,
            }
        }
        let closed = v == start;
        if closed {
            chain.pop();
        }
        if 2 * turned > count {
            chain.reverse();
            turned = count - turned;
        }
        turned_in_all += turned;
        chains.push((chain, closed));
    }
    (chains, turned_in_all)
}

fn gap(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Curves> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        read_curves(&path)
    }

    fn shape(curves: &Curves) -> Vec<(usize, bool)> {
        curves.curves.iter().map(|c| (c.points.len(), c.closed)).collect()
    }

    #[test]
    fn text_holds_curves_between_empty_lines() {
        let text = "# two curves\n0 0 0\n1,0,0\n# not the end\n1 1 # corner\n0 0 0\n\n\n5 5 5\n\n2 0 0\n3 0 0\n3 1 0\n";
        let found = read("curve.txt", text).unwrap();
        assert_eq!(shape(&found), [(3, true), (3, false)]);
        assert_eq!(
            found.warnings,
            ["1 curves that degenerate to a point or a double line are left out"]
        );
        assert_eq!(found.curves[0].points[2], [1.0, 1.0, 0.0]);
        assert_eq!(found.curves[0].segments().count(), 3);
        assert_eq!(found.curves[1].segments().count(), 2);
        assert_eq!(found.curves[1].longest_segment(), 1.0);
    }

    #[test]
    fn wrong_texts_are_named_with_their_line() {
        for (text, expected) in [
            ("0 0 0\n1 x 0\n", "line 2: a finite number is expected, found \"x\""),
            ("0 0 0\n1 nan 0\n", "line 2: a finite number"),
            ("0 0 0\n1 2 3 4\n", "line 2: 4 numbers, expected x y z"),
            ("1 2 3\n", "holds no lines"),
            ("hello\n", "line 1: a finite number is expected, found \"hello\""),
            ("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n", "holds no lines"),
        ] {
            let error = read("curve.xyz", text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }

    #[test]
    fn pieces_are_joined_where_they_share_a_point() {
        // A square in arbitrary order with one reversed segment, and an open line of two segments.
        let points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 7 0 0\n";
        let found = read("c.obj", &format!("{points}l 1 2\nl 3 4\nl 3 2\nl 4 1\nl 7 6\nl 6 5\n"));
        let found = found.unwrap();
        assert_eq!(shape(&found), [(3, false), (4, true)]);
        assert_eq!(found.curves[0].points[0], [7.0, 0.0, 0.0]);
        let square = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
        assert_eq!(found.curves[1].points, square);
        assert_eq!(found.warnings, ["1 segments run against the direction of their curve"]);
        assert_eq!(found.format, "obj");
    }

    #[test]
    fn open_ends_in_one_place_are_glued_and_branches_end_curves() {
        let points = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv -0 0 0\nv 2 0 0\n";
        let found = read("c.obj", &format!("{points}l 1 2 3 4\n")).unwrap();
        assert_eq!(shape(&found), [(3, true)]);
        let branched = read("c.obj", &format!("{points}l 1 2 3 1\nl 2 5\n")).unwrap();
        // Three segments meet at point 2. The closed curve therefore begins and ends there.
        assert_eq!(shape(&branched), [(3, true), (2, false)]);
    }

    #[test]
    fn figures_of_eight_are_two_closed_curves() {
        let points = "v 0 0 0\nv 1 1 0\nv 1 -1 0\nv -1 1 0\nv -1 -1 0\n";
        let found = read("c.obj", &format!("{points}l 1 2 3 1 4 5 1\n")).unwrap();
        assert_eq!(shape(&found), [(3, true), (3, true)]);
    }
}
