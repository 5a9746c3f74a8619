//! Regular grids: legacy `STRUCTURED_POINTS`, and `ImageData` in XML and VTKHDF files. They hold
//! volumes, not meshes.

use super::source::{Source, one_line};
use crate::volume::{Counts, Found, VolumeFile, VolumeOptions, stored};
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::volume::{Placement, Samples};
use zeroset_core::words::suggest;

/// The size and placement of a grid of points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub dimensions: [usize; 3],
    /// Coordinates of the first point.
    pub origin: [f64; 3],
    pub spacing: [f64; 3],
    /// The direction of each axis, as one row per axis.
    pub directions: [[f64; 3]; 3],
}

/// The description of an array before its numbers are read.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub name: String,
    pub of_cells: bool,
    pub components: usize,
    /// Whether the file declares this array as the active scalars of its points or cells.
    pub active: bool,
}

/// Returns the index of the array to use as the volume, and the component to read. This is the
/// array that the options name. Otherwise, it is a scalar array other than a ghost array, or an
/// array of several components if the options choose a channel. Point arrays are preferred to cell
/// arrays and, within each of these groups, active scalars to other arrays. Among equals, the first
/// array is chosen.
///
/// # Errors
/// Returns a [`Flaw`] if there is no array of the requested name, if there is no scalar array, or
/// if the array has several components and the options do not choose one of them.
pub(super) fn choose(
    source: &Source,
    arrays: &[Listed],
    options: &VolumeOptions,
) -> Result<(usize, usize), Flaw> {
    let component = |k: usize| {
        let Listed { name, components, .. } = &arrays[k];
        if options.channel.is_none() && *components > 1 {
            return Err(several(source, name, *components, options));
        }
        let counts = Counts { channels: *components, ..Counts::ONE };
        options.choose(counts, &[]).map(|chosen| (k, chosen.channel))
    };
    if let Some(wanted) = options.array.as_deref() {
        let found = arrays.iter().position(|array| array.name == wanted);
        let Some(k) = found else {
            let names: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
            let what = format!("there is no array \"{wanted}\"");
            let remedy = suggest(wanted, &names).replace("allowed:", "there are:");
            return Err(source.fail("", what, one_line(&remedy)).kind_of(FlawKind::Asked));
        };
        return component(k);
    }
    let no_vector = arrays.iter().all(|array| array.components < 2);
    let wants_scalar = options.channel.is_none() || no_vector;
    let rank = |array: &Listed| (array.of_cells, !array.active);
    let fits = |array: &Listed| {
        (array.components == 1) == wants_scalar && !array.name.starts_with("vtkGhost")
    };
    let best = (0..arrays.len()).filter(|&k| fits(&arrays[k])).min_by_key(|&k| rank(&arrays[k]));
    match (best, arrays.first()) {
        (Some(k), _) => component(k),
        (None, Some(array)) => Err(several(source, &array.name, array.components, options)),
        (None, None) => {
            Err(source.fail("", "the image has no data", "write it with an array of numbers"))
        }
    }
}

fn several(source: &Source, name: &str, n: usize, options: &VolumeOptions) -> Flaw {
    let what = format!("array '{name}' has {n} numbers in each voxel");
    let channel = options.written("channel");
    let remedy = format!("choose one with {channel} N, from 0 to {}", n.saturating_sub(1));
    source.fail("", what, remedy)
}

impl Lattice {
    /// Creates the grid of points whose first point has the index `first`. The stated `origin`
    /// belongs to index 0. `rows` lists the rows of the matrix whose columns are the axis
    /// directions.
    pub fn new(
        (first, dimensions): ([i64; 3], [usize; 3]),
        origin: [f64; 3],
        spacing: [f64; 3],
        rows: [f64; 9],
    ) -> Self {
        let directions = [0, 1, 2].map(|k| [rows[k], rows[3 + k], rows[6 + k]]);
        let mut lattice = Lattice { dimensions, origin, spacing, directions };
        for k in 0..3 {
            let shift = first[k] as f64 * spacing[k];
            lattice.origin.iter_mut().zip(directions[k]).for_each(|(x, d)| *x += shift * d);
        }
        lattice
    }

    /// Returns the number of points, or of cells between them, along each axis. An axis with one
    /// point counts as one layer of cells without thickness.
    pub fn shape(&self, of_cells: bool) -> [usize; 3] {
        self.dimensions.map(|n| if of_cells && n > 1 { n - 1 } else { n })
    }

    /// Returns the total number of points, or of cells if `of_cells` is set.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if there are none, or if their number exceeds `usize`.
    pub fn count(&self, source: &Source, of_cells: bool) -> Result<usize, Flaw> {
        let n = stored::count(self.shape(of_cells)).filter(|&n| n > 0);
        n.ok_or_else(|| {
            let [x, y, z] = self.dimensions;
            let what = format!("an image cannot have {x} x {y} x {z} points");
            source.fail("", what, "the file is damaged; write it again")
        })
    }

    /// Builds the volume from a component of the array `chosen`, whose values are `samples`. A
    /// warning names the other arrays.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the number of samples does not fit the grid.
    pub fn volume(
        self,
        source: &Source,
        arrays: &[Listed],
        (chosen, component): (usize, usize),
        samples: Samples,
        (format, version): (&'static str, String),
    ) -> Result<VolumeFile, Flaw> {
        let Listed { name, of_cells, components, .. } = &arrays[chosen];
        let samples = samples.picked(1, *components, component);
        let shape = self.shape(*of_cells);
        let (n, found) = (self.count(source, *of_cells)?, samples.len());
        if n != found {
            let what = format!("array '{name}' has {found} numbers, but its grid needs {n}");
            return Err(source.fail("", what, "the file is damaged; write it again"));
        }
        let mut origin = self.origin;
        for k in (0..3).filter(|&k| *of_cells && self.dimensions[k] > 1) {
            // The center of a cell is half a step beyond its first point.
            let half = 0.5 * self.spacing[k];
            origin.iter_mut().zip(self.directions[k]).for_each(|(x, d)| *x += half * d);
        }
        let placement = Placement::from_spacing(shape, origin, self.spacing, self.directions);
        let found = Found { placement, name: name.clone(), ..Found::new(shape, samples) };
        let others: Vec<&str> =
            (0..arrays.len()).filter(|&k| k != chosen).map(|k| arrays[k].name.as_str()).collect();
        let left = (!others.is_empty()).then(|| {
            one_line(&format!(
                "array '{name}' is read, the others are ignored: {}",
                others.join(", ")
            ))
        });
        Ok(VolumeFile {
            volume: found.volume()?,
            format,
            version,
            space: None,
            stated_spacing: [true; 3],
            state: Default::default(),
            warnings: left.into_iter().collect(),
        })
    }
}

/// Returns the first index and the number of points along each axis, or `None` if an
/// axis has a negative number of points.
pub(super) fn extent([x, x1, y, y1, z, z1]: [i64; 6]) -> Option<([i64; 3], [usize; 3])> {
    let size = |low: i64, high: i64| usize::try_from(high.checked_sub(low)?.checked_add(1)?).ok();
    Some(([x, y, z], [size(x, x1)?, size(y, y1)?, size(z, z1)?]))
}

/// The direction matrix of an image that is aligned with the coordinate axes, in row order.
pub(super) const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// The remedy for an image that is given as a mesh.
pub(super) const NO_MESH: &str = "`zeroset info` describes it, and `zeroset convert` writes \
                                  it as .nii.gz, .nrrd or another volume; for a mesh, convert it to \
                                  triangles or tetrahedra first";
