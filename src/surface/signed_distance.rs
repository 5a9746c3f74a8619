//! Signed distances to a triangulated surface that may have holes and other defects.

mod cuda;

pub(super) use self::cuda::kernel_arguments::{DipoleArgument, FAR, NodeArgument, ON_TRIANGLE};
use self::cuda::kernel_arguments::{UNDECIDED_FROM, UNDECIDED_TO};
pub use self::cuda::{DeviceResults, DeviceTriangleIndex};
use super::bvh::{Tree, box_of};
use super::envelope::Envelope;
use super::winding::{self, Dipole};
use crate::geometry::{Vec3, simplex};
use crate::parallel::*;

/// Points per block. Within a block, each search starts at the triangle found for the previous
/// point. The number is fixed, so that results do not depend on the number of threads.
const BLOCK: usize = 512;
/// The distance, relative to the largest coordinate, up to which points are on the surface.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// The distance, relative to the diagonal of the box, up to which the side of a point does not
/// matter.
const ON: f64 = 1e-9;

/// The point of a surface closest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Closest {
    /// Distance between the two points, in the unit of the vertices.
    pub distance: f64,
    /// The point of the surface, in the unit of the vertices.
    pub point: [f64; 3],
    /// The index of a triangle that contains the point of the surface, in the order of the
    /// triangles given to [`TriangleIndex::new`].
    pub triangle: u32,
}

/// Signed distances, and the reliability of their signs.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SignedDistances {
    /// Distance to the surface for each point, `[n_points]`, in the unit of the vertices, negative
    /// inside.
    pub values: Vec<f64>,
    /// Number of points off the surface whose winding number has an absolute value in the range
    /// [`UNDECIDED`].
    pub undecided: usize,
    /// Number of points that count as inside because of a negative winding number. Normals point
    /// inward there.
    pub inverted: usize,
}

/// The range of absolute values of winding numbers, which have no unit, that do not clearly tell
/// inside from outside, because the surface has a hole there.
pub const UNDECIDED: std::ops::Range<f64> = UNDECIDED_FROM..UNDECIDED_TO;

/// An index of triangles. It finds the triangle nearest to a point, and whether the point is
/// inside.
///
/// All lengths are in the unit of the coordinates.
///
/// ```
/// use zeroset::mesh::generate::{Generate, Sphere, generate};
/// use zeroset::surface::TriangleIndex;
///
/// let sphere = generate(&Generate::Sphere(Sphere::default()))?;
/// let index = TriangleIndex::new(&sphere.vertices, &sphere.cells);
/// let found = index.signed_distances(&[[0.0, 0.0, 0.0], [0.0, 3.0, 0.0]]);
/// assert!((found.values[0] + 1.0).abs() < 0.01 && (found.values[1] - 2.0).abs() < 0.01);
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TriangleIndex {
    /// The tree of the triangles to which distances are measured.
    pub(super) tree: Tree,
    /// Corners, in tree order.
    pub(super) triangles: Vec<[Vec3; 3]>,
    dipoles: Vec<Dipole>,
    /// The whole surface, if distances are measured only to its envelope.
    whole: Option<Box<Whole>>,
}

/// The whole surface, which determines winding numbers.
#[derive(Clone, Debug)]
struct Whole {
    tree: Tree,
    triangles: Vec<[Vec3; 3]>,
    /// For each triangle of the envelope, the surface triangle that contains it.
    sources: Vec<u32>,
}

impl TriangleIndex {
    /// Creates the index of triangles, given by their vertices, `[n * 3]` indices into `vertices`.
    /// The vertices must exist and be finite.
    pub fn new(vertices: &[[f64; 3]], triangles: &[u32]) -> Self {
        let (tree, triangles) = tree_of(vertices, triangles);
        let dipoles = winding::dipoles(&tree, &triangles);
        TriangleIndex { tree, triangles, dipoles, whole: None }
    }

    /// Measures distances only to the envelope of the surface. Winding numbers remain those of the
    /// whole surface.
    pub fn with_envelope(self, envelope: &Envelope) -> Self {
        let (tree, triangles) = tree_of(&envelope.vertices, &envelope.triangles);
        let sources = envelope.sources.clone();
        let whole = Whole { tree: self.tree, triangles: self.triangles, sources };
        TriangleIndex { tree, triangles, dipoles: self.dipoles, whole: Some(Box::new(whole)) }
    }

    /// Returns whether distances are measured only to the envelope of the surface.
    pub(super) fn has_envelope(&self) -> bool {
        self.whole.is_some()
    }

    /// Returns the number of triangles to which distances are measured.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Returns true if there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Returns the point of the surface closest to `point`, or `None` if there are no triangles.
    pub fn closest(&self, point: [f64; 3]) -> Option<Closest> {
        self.closest_from(point.into(), 0).map(|found| self.named(found))
    }

    /// Returns the winding number of `point`: 1 inside a closed surface with outward normals, -1
    /// inside one with inward normals, and 0 outside. The winding numbers of several surfaces add
    /// up. In all experiments, the error was below 0.02.
    pub fn winding_number(&self, point: [f64; 3]) -> f64 {
        self.winding_number_without(point.into(), &[])
    }

    /// Returns the winding number with respect to the triangles that are not in `without`, given by
    /// their positions in the tree of the whole surface.
    pub(super) fn winding_number_without(&self, point: Vec3, without: &[usize]) -> f64 {
        let (tree, triangles) = match &self.whole {
            Some(whole) => (&whole.tree, &whole.triangles),
            None => (&self.tree, &self.triangles),
        };
        winding::number(tree, triangles, &self.dipoles, point, without)
    }

    /// Returns the distance below which a point is on the surface, up to the rounding of
    /// coordinates as large as those of the point.
    pub(super) fn rounding(&self, point: Vec3) -> f64 {
        let largest = self.tree.nodes[0].farthest(Vec3::zeros()).max(point.amax());
        ROUNDING * largest
    }

    /// Returns the distance of each point to the surface, negative where the absolute value of the
    /// winding number is above 1/2, and zero on the surface. If there are no triangles, every
    /// distance is infinite.
    pub fn signed_distances(&self, points: &[[f64; 3]]) -> SignedDistances {
        self.search(points, false).0
    }

    /// Returns the same distances as [`TriangleIndex::signed_distances`], and the point of the
    /// surface closest to each point, `[n_points]`. There must be triangles.
    pub fn signed_closest(&self, points: &[[f64; 3]]) -> (SignedDistances, Vec<Closest>) {
        self.search(points, true)
    }

    /// Computes the distances of points, and lists the closest points if they are requested.
    fn search(&self, points: &[[f64; 3]], wanted: bool) -> (SignedDistances, Vec<Closest>) {
        // Points on the surface are on neither side.
        let on = ON * self.tree.nodes[0].diagonal();
        let blocks: Vec<(SignedDistances, Vec<Closest>)> = points
            .par_chunks(BLOCK)
            .map(|points| {
                let (mut found, mut near) = (SignedDistances::default(), Vec::new());
                // Neighbors in the list are usually neighbors in space.
                let mut guess = 0;
                for &x in points {
                    let Some(closest) = self.closest_from(x.into(), guess) else {
                        found.values.push(f64::INFINITY);
                        continue;
                    };
                    guess = closest.2;
                    if wanted {
                        near.push(self.named(closest));
                    }
                    // Infinite if a coordinate is infinite, and NaN if one is NaN.
                    let size: f64 = x.iter().map(|c| c.abs()).sum();
                    if !size.is_finite() {
                        found.values.push(size);
                        continue;
                    }
                    let distance = closest.0.sqrt();
                    if distance <= self.rounding(x.into()) {
                        found.values.push(0.0);
                        continue;
                    }
                    let winding = self.winding_number(x);
                    if distance > on {
                        found.undecided += usize::from(UNDECIDED.contains(&winding.abs()));
                        found.inverted += usize::from(winding < -0.5);
                    }
                    found.values.push(if winding.abs() > 0.5 { -distance } else { distance });
                }
                (found, near)
            })
            .collect();
        let mut all = SignedDistances::default();
        let mut near = Vec::new();
        for (found, closest) in blocks {
            all.values.extend(found.values);
            all.undecided += found.undecided;
            all.inverted += found.inverted;
            near.extend(closest);
        }
        (all, near)
    }

    /// Returns the squared distance, the closest point, and the position of its triangle in tree
    /// order. The search starts with the triangle at position `guess`.
    fn closest_from(&self, p: Vec3, guess: usize) -> Option<(f64, Vec3, usize)> {
        let measure = |k: usize| {
            let x = simplex::closest_point(p, &self.triangles[k]);
            ((x - p).norm_squared(), x, k)
        };
        let mut best = (guess < self.len()).then(|| measure(guess))?;
        self.tree.nearest(p, best.0, |k, bound| {
            let found = measure(k);
            if found.0 < bound {
                best = found;
            }
            best.0
        });
        Some(best)
    }

    fn named(&self, (distance2, point, k): (f64, Vec3, usize)) -> Closest {
        Closest { distance: distance2.sqrt(), point: point.into(), triangle: self.triangle(k) }
    }

    /// Returns the triangle of the surface that contains the triangle at a position in tree order.
    fn triangle(&self, k: usize) -> u32 {
        let triangle = self.tree.order[k];
        self.whole.as_ref().map_or(triangle, |whole| whole.sources[triangle as usize])
    }
}

/// Returns the tree of triangles, and their corners in tree order.
fn tree_of(vertices: &[[f64; 3]], triangles: &[u32]) -> (Tree, Vec<[Vec3; 3]>) {
    let corners = |t: &[u32; 3]| t.map(|v| Vec3::from(vertices[v as usize]));
    let given: Vec<[Vec3; 3]> = triangles.as_chunks().0.par_iter().map(corners).collect();
    let tree = Tree::new(&given.par_iter().map(|t| box_of(t)).collect::<Vec<_>>());
    let triangles = tree.order.iter().map(|&k| given[k as usize]).collect();
    (tree, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::mesh::generate::{Generate, Sphere, Torus, generate};
    use proptest::prelude::*;

    fn sphere(subdivisions: u32) -> Mesh {
        let options = Sphere { subdivisions: Some(subdivisions), ..Sphere::default() };
        generate(&Generate::Sphere(options)).unwrap()
    }

    fn torus() -> Mesh {
        generate(&Generate::Torus(Torus::default())).unwrap()
    }

    fn index(mesh: &Mesh) -> TriangleIndex {
        TriangleIndex::new(&mesh.vertices, &mesh.cells)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn distances_are_those_of_a_search_through_all(
            p in proptest::array::uniform3(-2.0f64..2.0),
        ) {
            let mesh = sphere(2);
            let all = mesh.iter_cells().enumerate().map(|(k, t)| {
                let x: [Vec3; 3] = std::array::from_fn(|i| mesh.vertices[t[i] as usize].into());
                let closest = simplex::closest_point(p.into(), &x);
                ((closest - Vec3::from(p)).norm_squared(), k)
            });
            let expected = all.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            let found = index(&mesh).closest(p).unwrap();
            prop_assert_eq!(found.distance, expected.0.sqrt());
            let gap = (Vec3::from(found.point) - Vec3::from(p)).norm();
            prop_assert!((gap - found.distance).abs() < 1e-14);
        }

        #[test]
        fn winding_numbers_of_closed_surfaces_are_zero_or_one(
            p in proptest::array::uniform3(-1.5f64..1.5),
        ) {
            let mesh = torus();
            let [x, y, z] = p;
            let exact = ((x * x + y * y).sqrt() - 1.0).hypot(z) - 0.4;
            prop_assume!(exact.abs() > 0.01);
            let winding = index(&mesh).winding_number(p);
            let expected = if exact < 0.0 { 1.0 } else { 0.0 };
            prop_assert!((winding - expected).abs() < 0.02, "{winding} at {exact}");
        }
    }

    #[test]
    fn a_sphere_has_the_distances_of_its_formula() {
        let mesh = sphere(4);
        let n = 4000;
        // A spiral of points from far inside to far outside.
        let points: Vec<[f64; 3]> = (0..n)
            .map(|k| {
                let (s, r) = (f64::from(k), 2.0 * f64::from(k) / f64::from(n));
                let z = 2.0 * ((s * 0.618).fract()) - 1.0;
                let (sin, cos) = (2.4 * s).sin_cos();
                let flat = (1.0 - z * z).sqrt();
                [r * flat * cos, r * flat * sin, r * z]
            })
            .collect();
        let found = index(&mesh).signed_distances(&points);
        assert_eq!((found.undecided, found.inverted), (0, 0));
        // The polyhedron lies inside the sphere, by at most the sagitta of its longest edges.
        for (x, d) in points.iter().zip(&found.values) {
            let exact = Vec3::from(*x).norm() - 1.0;
            assert!(*d >= exact - 1e-12 && *d <= exact + 2e-3, "{d} for {exact}");
        }
    }

    #[test]
    fn approximated_winding_numbers_are_near_the_sum_of_all() {
        // An open surface also has winding numbers other than 0 and 1.
        let mesh = torus();
        let half = &mesh.cells[..mesh.cells.len() / 2];
        let index = TriangleIndex::new(&mesh.vertices, half);
        let mut worst: f64 = 0.0;
        for k in 0..2000 {
            let s = f64::from(k);
            let p = [0.731, 0.417, 0.593].map(|f| 3.0 * (s * f).fract() - 1.5);
            let mut exact = 0.0;
            for t in half.chunks_exact(3) {
                let [a, b, c] =
                    [0, 1, 2].map(|i| Vec3::from(mesh.vertices[t[i] as usize]) - Vec3::from(p));
                let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
                let down = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
                exact += 2.0 * a.dot(&b.cross(&c)).atan2(down);
            }
            worst =
                worst.max((index.winding_number(p) - exact / (4.0 * std::f64::consts::PI)).abs());
        }
        assert!(worst < 0.02, "{worst}");
        assert!(worst > 1e-9, "nothing was approximated");
    }

    #[test]
    fn infinite_points_are_infinitely_far() {
        let points = [[f64::INFINITY; 3], [f64::INFINITY, f64::NEG_INFINITY, 0.0], [f64::NAN; 3]];
        let found = index(&sphere(1)).signed_distances(&points);
        assert_eq!(found.values[..2], [f64::INFINITY; 2]);
        assert!(found.values[2].is_nan());
    }

    #[test]
    fn inverted_surfaces_keep_their_inside_and_are_counted() {
        let mut mesh = sphere(2);
        mesh.cells.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(0, 1));
        let found = index(&mesh).signed_distances(&[[0.1, 0.2, 0.3], [2.0, 0.0, 0.0]]);
        assert!(found.values[0] < 0.0 && found.values[1] > 0.0);
        assert_eq!(found.inverted, 1);
    }

    #[test]
    fn results_do_not_depend_on_threads_and_nothing_is_far_from_everything() {
        let (mesh, index) = (sphere(3), index(&torus()));
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| index.signed_distances(&mesh.vertices))
        };
        assert_eq!(run(1), run(3));
        let none = TriangleIndex::new(&[], &[]);
        assert_eq!(none.signed_distances(&[[0.0; 3]]).values, [f64::INFINITY]);
        assert!(none.closest([0.0; 3]).is_none() && none.winding_number([0.0; 3]) == 0.0);
    }
}
