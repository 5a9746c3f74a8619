//! The Euclidean distance transform of a volume: the distance from each voxel to the nearest voxel
//! of a set.
//!
//! The transform is exact, with one pass per axis. The first pass counts steps along rows. The
//! other passes find the lowest of the parabolas that the previous pass defines (Felzenszwalb and
//! Huttenlocher 2012), either by their lower envelope or, if few steps suffice, by an outward
//! search. Both find the same distances. Between the passes, each voxel stores the integer steps to
//! its nearest voxel, so that nothing is rounded before the distance itself. Voxels need not be
//! cubes.
//!
//! Distances are measured to the centers of voxels, or to the faces between the two sides
//! (`faces`).

mod cuda;
mod envelope;
mod faces;
mod nearest;
mod pass_state;
mod search;

use envelope::Envelope;
use pass_state::Pair;
use search::Search;
use zeroset_core::Cpu;
use zeroset_core::error::{Error, Result};
use zeroset_core::parallel::*;

pub use cuda::{DeviceEdt, DeviceFaces};

/// The number of neighboring lines that are read together. Memory accesses are then contiguous.
const LINES: usize = 32;

/// The options of a distance transform. `zeroset edt` uses the spacing of the volume, and its
/// option `--signed` sets both `signed` and `faces`.
///
/// ```
/// use zeroset_cloud::point_distance::Edt;
/// let to_faces = Edt::default().spacing([2.0, 1.0, 1.0]).faces(true).signed(true);
/// let inside = [true, true, false, false];
/// let distances = to_faces.transform(&zeroset_core::Cpu::current(), &inside, [4, 1, 1])?;
/// assert_eq!(distances, [-3.0, -1.0, 1.0, 3.0]);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edt {
    /// The spacing of voxels along x, y and z, in any unit of length. Distances have this unit.
    pub spacing: [f64; 3],
    /// Whether distances inside are negative: minus the distance to the nearest voxel outside.
    pub signed: bool,
    /// Whether distances are measured to the nearest face between voxels inside and outside, from
    /// both sides, instead of to the nearest center.
    pub faces: bool,
}

/// The voxels to which a transform measures.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Targets {
    /// Voxels inside.
    Inside,
    /// Voxels on the other side.
    OtherSide,
    /// The faces of voxels on the other side.
    Faces,
}

impl Default for Edt {
    fn default() -> Self {
        Edt { spacing: [1.0; 3], signed: false, faces: false }
    }
}

impl Edt {
    /// Sets the spacing of voxels along x, y and z, in any unit of length, > 0.
    pub fn spacing(mut self, spacing: [f64; 3]) -> Self {
        self.spacing = spacing;
        self
    }

    /// Sets whether the distances inside are negative.
    pub fn signed(mut self, signed: bool) -> Self {
        self.signed = signed;
        self
    }

    /// Sets whether distances are measured to the faces between voxels inside and outside.
    pub fn faces(mut self, faces: bool) -> Self {
        self.faces = faces;
        self
    }

    fn targets(&self) -> Targets {
        match (self.faces, self.signed) {
            (true, _) => Targets::Faces,
            (false, true) => Targets::OtherSide,
            (false, false) => Targets::Inside,
        }
    }

    /// Returns the number of steps per voxel: 2 if steps also end at faces, and 1 otherwise.
    fn steps_per_voxel(&self) -> usize {
        if self.faces { 2 } else { 1 }
    }

    /// Returns the distance from the center of each voxel of `shape`, x fastest, to the center of
    /// the nearest voxel that is `inside`, `[n_voxels]`, in the unit of the spacing.
    ///
    /// Inside, the distance is 0 or, with [`Edt::signed()`], minus the distance to the nearest
    /// voxel outside. With [`Edt::faces()`], it is the distance to the nearest face between the two
    /// sides: half a spacing next to a flat face. It is infinite if there is no such voxel or face.
    /// The result is exact up to the rounding to 32 bits, and bitwise identical for any number of
    /// threads.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if `shape` does not match `inside`, if spacings are not positive or
    /// have a ratio beyond 10^100, or if an axis has 2^31 voxels or more (2^30 with faces).
    pub fn transform(&self, cpu: &Cpu, inside: &[bool], shape: [usize; 3]) -> Result<Vec<f32>> {
        self.check(inside.len(), shape)?;
        let most = <u32 as Pair>::MOST / self.steps_per_voxel();
        Ok(cpu.run(|| match shape.iter().all(|&n| n <= most) {
            true => self.distances::<u32>(inside, shape),
            false => self.distances::<u64>(inside, shape),
        }))
    }

    fn distances<P: Pair>(&self, inside: &[bool], shape: [usize; 3]) -> Vec<f32> {
        let signed = |distance: f32| if self.signed { distance } else { distance.abs() };
        self.passes::<P>(inside, shape).into_iter().map(P::distance).map(signed).collect()
    }

    fn check(&self, n_voxels: usize, shape: [usize; 3]) -> Result<()> {
        let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size));
        let most = <u64 as Pair>::MOST / self.steps_per_voxel();
        if n != Some(n_voxels) || shape.iter().any(|&n| n > most) {
            let what = format!("a volume of {shape:?} voxels, but {n_voxels} marks");
            let remedy =
                format!("give one mark per voxel, and at most {most} voxels along an axis");
            return Err(Error::usage(what, remedy));
        }
        let [low, high] =
            [f64::min, f64::max].map(|f| self.spacing.into_iter().reduce(f).unwrap_or(1.0));
        if !(low > 0.0 && high.is_finite() && high / low < 1e100)
            || self.spacing.iter().any(|s| s.is_nan())
        {
            let what = format!("voxels with the spacing {:?}", self.spacing);
            return Err(Error::usage(what, "give positive numbers of similar size"));
        }
        Ok(())
    }

    /// Returns the state of each voxel after the passes along the three axes.
    fn passes<P: Pair>(&self, inside: &[bool], [nx, ny, _]: [usize; 3]) -> Vec<P> {
        if inside.is_empty() {
            return Vec::new();
        }
        let [sx, sy, sz] = self.spacing.map(|spacing| spacing / self.steps_per_voxel() as f64);
        let targets = self.targets();
        let mut pairs = vec![P::none(); inside.len()];
        let rows = pairs.par_chunks_mut(nx).zip(inside.par_chunks(nx));
        rows.with_min_len(LINES).for_each(|(row, inside)| along_row(row, inside, targets));
        // Squared lengths are in units of a step along the axis of the pass. They are integers if
        // voxels are cubes.
        let ratio = sx / sy;
        let height = |pair: P| pair.steps().map(|(x, _)| (f64::from(x) * ratio).powi(2));
        let joined = |near: Option<P>, y: usize| {
            let steps = near.and_then(P::steps);
            steps.map_or_else(P::none, |(x, _)| P::new(x, y as u32))
        };
        let slabs = pairs.par_chunks_mut(nx * ny);
        slabs.for_each(|slab| across(slab, nx, targets, height, joined));
        let (rx, ry) = (sx / sz, sy / sz);
        let square = |x: u32, y: u32| (f64::from(x) * rx).powi(2) + (f64::from(y) * ry).powi(2);
        let height = |pair: P| pair.steps().map(|(x, y)| square(x, y));
        let distance = |near: Option<P>, z: usize| {
            let found = near.and_then(height).map(|h| sz * (h + (z * z) as f64).sqrt());
            P::ended(near, z, found.unwrap_or(f64::INFINITY) as f32)
        };
        across(&mut pairs, nx * ny, targets, height, distance);
        pairs
    }
}

/// First pass: counts the steps along a row to the nearest voxel inside. Unless only voxels inside
/// are targets, the row also stores, for each voxel inside, the steps to the nearest voxel outside.
fn along_row<P: Pair>(row: &mut [P], inside: &[bool], targets: Targets) {
    let signed = targets != Targets::Inside;
    let far = row.len() as u32;
    let mut steps = Steps::new(far, signed);
    for (pair, &of) in row.iter_mut().zip(inside) {
        let n = steps.to(of);
        *pair = if n < far { P::new(n, 0) } else { P::none() };
    }
    let mut steps = Steps::new(far, signed);
    for (pair, &of) in row.iter_mut().zip(inside).rev() {
        let n = steps.to(of);
        if n < pair.steps().map_or(far, |(x, _)| x) {
            *pair = P::new(n, 0);
        }
        if targets == Targets::Faces {
            *pair = faces::to_face(*pair);
        }
        *pair = pair.on_side(of && signed);
    }
}

/// Counts steps while walking along a row.
struct Steps {
    /// The steps since the last voxel outside and since the last voxel inside. They are `far`
    /// before the first such voxel.
    since: [u32; 2],
    far: u32,
    signed: bool,
}

impl Steps {
    fn new(far: u32, signed: bool) -> Self {
        Steps { since: [far; 2], far, signed }
    }

    /// Moves to the next voxel. Returns the number of steps from it back to the last voxel inside.
    /// If the voxel itself is inside, returns 0 or, in a signed transform, the number of steps back
    /// to the last voxel outside.
    fn to(&mut self, inside: bool) -> u32 {
        self.since = self.since.map(|n| (n + 1).min(self.far));
        self.since[usize::from(inside)] = 0;
        if self.signed || !inside { self.since[usize::from(!inside)] } else { 0 }
    }
}

/// Performs a pass across the planes of `block`, which have `plane` voxels each. `height` returns
/// the squared distance that the previous passes have found for a voxel. `result` computes the
/// value of a voxel from the nearest voxel of its line, if there is one, and the number of steps to
/// it.
fn across<P: Pair>(
    block: &mut [P],
    plane: usize,
    targets: Targets,
    height: impl Fn(P) -> Option<f64> + Copy + Sync,
    result: impl Fn(Option<P>, usize) -> P + Copy + Sync,
) {
    let n = block.len() / plane;
    // Each entry holds the same interval of every plane. Together, its intervals make up at most
    // `LINES` neighboring lines.
    let mut stretches: Vec<Vec<&mut [P]>> = Vec::new();
    stretches.resize_with(plane.div_ceil(LINES), || Vec::with_capacity(n));
    for plane in block.chunks_mut(plane) {
        for (stretch, rows) in plane.chunks_mut(LINES).zip(&mut stretches) {
            rows.push(stretch);
        }
    }
    // The lines are stored one after another with a small gap. Without the gap, the distance
    // between lines could be a power of two, which would map them to the same few cache sets.
    let pitch = n + 16;
    let places = if targets == Targets::Faces { 2 * n + 1 } else { n };
    let envelopes = || [(); 2].map(|()| Envelope::new(places));
    let scratch = || (Search::new(n), envelopes(), vec![P::none(); LINES * pitch]);
    stretches.into_par_iter().for_each_init(scratch, |(search, envelopes, lines), mut rows| {
        if targets != Targets::Faces && search.take(&rows, height) {
            return search.find(&mut rows, targets == Targets::OtherSide, result);
        }
        for (i, row) in rows.iter().enumerate() {
            for (line, &pair) in lines[i..].iter_mut().step_by(pitch).zip(&**row) {
                *line = pair;
            }
        }
        for line in lines.chunks_mut(pitch).take(rows[0].len()) {
            let line = &mut line[..n];
            match targets {
                Targets::Inside => one_side(line, &mut envelopes[0], height, result),
                Targets::OtherSide => both_sides(line, envelopes, height, result),
                Targets::Faces => faces::both_sides(line, envelopes, height, result),
            }
        }
        for (i, row) in rows.iter_mut().enumerate() {
            for (line, pair) in lines[i..].iter().step_by(pitch).zip(&mut **row) {
                *pair = *line;
            }
        }
    });
}

/// Processes one line of a pass of an unsigned transform.
fn one_side<P: Pair>(
    line: &mut [P],
    envelope: &mut Envelope<P>,
    height: impl Fn(P) -> Option<f64>,
    result: impl Fn(Option<P>, usize) -> P,
) {
    envelope.build(line.iter().map(|&pair| (height(pair), pair)));
    if envelope.is_empty() {
        line.fill(result(None, 0));
    }
    for (stretch, place, near) in envelope.stretches(line.len()) {
        let first = stretch.start;
        for (i, pair) in line[stretch].iter_mut().enumerate() {
            *pair = result(Some(near), (first + i).abs_diff(place));
        }
    }
}

/// Processes one line of a pass of a signed transform, in which each voxel needs the nearest voxel
/// on the other side.
fn both_sides<P: Pair>(
    line: &mut [P],
    envelopes: &mut [Envelope<P>; 2],
    height: impl Fn(P) -> Option<f64>,
    result: impl Fn(Option<P>, usize) -> P,
) {
    for (envelope, inside) in envelopes.iter_mut().zip([false, true]) {
        envelope.build(line.iter().map(|&pair| match pair.is_inside() == inside {
            true => (height(pair), pair),
            false => (Some(0.0), P::new(0, 0)),
        }));
    }
    // Voxels keep their side when they are written, so that each side finds its own voxels.
    for (envelope, inside) in envelopes.iter().zip([false, true]) {
        if envelope.is_empty() {
            write(line, inside, |_| result(None, 0));
        }
        for (stretch, place, near) in envelope.stretches(line.len()) {
            let first = stretch.start;
            let found = |i: usize| result(Some(near), (first + i).abs_diff(place));
            write(&mut line[stretch], inside, found);
        }
    }
}

/// Writes the result of `found` to each voxel of one side.
fn write<P: Pair>(line: &mut [P], inside: bool, found: impl Fn(usize) -> P) {
    for (i, pair) in line.iter_mut().enumerate() {
        if pair.is_inside() == inside {
            *pair = found(i).on_side(inside);
        }
    }
}
