//! Doubts about coordinates that are rounded coarsely compared with the edges.

use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::mesh::rounding::Step;
use crate::words::short;

/// A cell is doubtful if the spacing of the rounded coordinates is at least this fraction of its
/// mean edge.
const DOUBTFUL: f64 = 0.03;
/// Results are unreliable if the spacing is at least this fraction of the mean edge in half of the
/// cells. Rounding then turns cells over, and the sides of torn edges no longer match.
const UNRELIABLE: f64 = 0.25;
/// The smallest fraction of doubtful cells that is reported.
const SHARE: f64 = 0.01;
/// The number of cells that are examined in large meshes.
const SAMPLE: usize = 1 << 16;

/// The rounding of the coordinates of a mesh, if it is coarse compared with the edges.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Coarse {
    /// The spacing of the numbers that the coordinates are rounded to, in mesh units, or 0 if it is
    /// fine enough.
    pub spacing: f64,
    /// The fraction of the cells in which the spacing is at least 3 % of the mean edge.
    pub share: f64,
    /// The median of the mean edges of the cells that `share` counts, in mesh units.
    pub edge: f64,
    /// Whether the spacing is at least a quarter of the mean edge in half of all cells.
    pub is_unreliable: bool,
    /// Whether the spacing is that of 32-bit numbers. Otherwise, the coordinates have few decimals
    /// or digits, and may be exact.
    pub is_single: bool,
}

impl Coarse {
    /// Compares the rounding of the coordinates with the edges of the cells.
    pub(super) fn find(mesh: &Mesh) -> Self {
        let cells = sample(mesh);
        let mut edges: Vec<f64> = cells.iter().map(|cell| mean_edge(mesh, cell)).collect();
        edges.sort_unstable_by(f64::total_cmp);
        let coarse = |step: Step| {
            let doubtful = edges.partition_point(|&edge| DOUBTFUL * edge <= step.spacing);
            let share = doubtful as f64 / edges.len().max(1) as f64;
            (doubtful > 0 && share >= SHARE).then(|| Coarse {
                spacing: step.spacing,
                share,
                edge: edges[doubtful / 2],
                is_unreliable: UNRELIABLE * edges[edges.len() / 2] <= step.spacing,
                is_single: step.is_single,
            })
        };
        let single = Step::of_singles(mesh).and_then(coarse);
        let text = || Step::of_text(mesh).and_then(coarse);
        single
            .or_else(|| text().filter(|found| looks_rounded(mesh, &cells, found.spacing)))
            .unwrap_or_default()
    }

    fn describe(&self) -> String {
        let percent = |fraction: f64| short((1000.0 * fraction).round() / 10.0);
        let spacing = short(self.spacing);
        let rounded = match self.is_single {
            true => format!("the coordinates are 32-bit numbers with steps of {spacing}"),
            false => format!(
                "the coordinates are multiples of {spacing}, so they were probably rounded to that"
            ),
        };
        let cells = match self.share {
            1.0 => "all cells".into(),
            share => format!("{} % of the cells", percent(share)),
        };
        let (part, edge) = (percent(self.spacing / self.edge), short(self.edge));
        format!("{rounded}, which is {part} % of the typical edge ({edge}) of {cells}")
    }

    fn remedy(&self) -> &'static str {
        match self.is_single {
            true => {
                "subtract an origin near the mesh from the coordinates before the export, or write \
                 64-bit numbers"
            }
            false => "write more digits, or ignore this if the coordinates are exact",
        }
    }

    /// Refuses a mesh whose rounding makes all results unreliable.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] with the spacing, the edge length and the remedy.
    pub(super) fn refuse(&self) -> Result<()> {
        if !self.is_unreliable {
            return Ok(());
        }
        let remedy = format!(
            "{}; `repair = \"never\"` (--repair never) uses the mesh nevertheless",
            self.remedy()
        );
        let what = format!("{}: a result would be unreliable", self.describe());
        Err(Error::mesh("", what, remedy))
    }

    /// Returns a sentence about the rounding if it is coarse.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        let effect = match self.is_unreliable {
            true => {
                "results are unreliable: cells may be turned over, torn edges may not be joined, \
                 and distances and areas may be far off"
            }
            false => {
                "positions, distances and areas are no more accurate than that, and torn edges and \
                 hanging nodes may not be recognized"
            }
        };
        let text = || format!("{}: {effect}; {}", self.describe(), self.remedy());
        (self.spacing > 0.0).then(text).into_iter()
    }
}

/// Returns the corners of evenly spread cells.
fn sample(mesh: &Mesh) -> Vec<&[u32]> {
    mesh.iter_cells().step_by(mesh.n_cells().div_ceil(SAMPLE).max(1)).collect()
}

/// Returns the edges of a cell as vectors.
fn edges<'a>(mesh: &'a Mesh, cell: &'a [u32]) -> impl Iterator<Item = [f64; 3]> + 'a {
    let at = |v: u32| mesh.vertices[v as usize];
    cell.iter().enumerate().flat_map(move |(k, &b)| {
        cell[..k].iter().map(move |&a| std::array::from_fn(|axis| at(b)[axis] - at(a)[axis]))
    })
}

fn norm(x: [f64; 3]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn mean_edge(mesh: &Mesh, cell: &[u32]) -> f64 {
    let n = cell.len() * (cell.len() - 1) / 2;
    edges(mesh, cell).map(norm).sum::<f64>() / n as f64
}

/// Returns whether coordinates that are multiples of `spacing` look rounded. Exact coordinates, as
/// of voxels, quadtrees and grids, have edges along the axes, or edges of one or two steps.
fn looks_rounded(mesh: &Mesh, cells: &[&[u32]], spacing: f64) -> bool {
    /// Fewer cells do not show a pattern, and may be written by hand.
    const CELLS: usize = 50;
    /// The largest fraction of edges along an axis that rounded meshes have.
    const ALONG_AXES: f64 = 0.35;
    /// The smallest median of the edges of rounded meshes, in steps.
    const STEPS: f64 = 2.5;
    if mesh.n_cells() < CELLS {
        return false;
    }
    let steps = lattice(mesh, spacing);
    let mut lengths = Vec::new();
    let mut along_axes = 0;
    for edge in cells.iter().flat_map(|cell| edges(mesh, cell)) {
        let scaled: [f64; 3] = std::array::from_fn(|k| (edge[k] / steps[k]).round());
        along_axes += usize::from(scaled.iter().filter(|&&x| x != 0.0).count() <= 1);
        lengths.push(norm(scaled));
    }
    let middle = lengths.len() / 2;
    let (_, median, _) = lengths.select_nth_unstable_by(middle, f64::total_cmp);
    *median >= STEPS && (along_axes as f64) < ALONG_AXES * lengths.len() as f64
}

/// Returns, for each axis, the largest number of which all differences of coordinates are
/// multiples. It is a multiple of `spacing`, and infinite if all coordinates are equal.
fn lattice(mesh: &Mesh, spacing: f64) -> [f64; 3] {
    fn divisor(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    std::array::from_fn(|k| {
        let origin = mesh.vertices[0][k];
        let steps = mesh.vertices.iter().map(|x| ((x[k] - origin) / spacing).round().abs() as u64);
        match steps.fold(0, divisor) {
            0 => f64::INFINITY,
            n => n as f64 * spacing,
        }
    })
}
