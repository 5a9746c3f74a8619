use super::*;
use crate::mesh::generate::{Generate, Sphere, generate};

/// Vertices and triangles of several parts.
#[derive(Default)]
struct Parts {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<u32>,
}

impl Parts {
    fn with(mut self, vertices: &[[f64; 3]], triangles: &[u32]) -> Self {
        let first = self.vertices.len() as u32;
        self.vertices.extend(vertices);
        self.triangles.extend(triangles.iter().map(|v| v + first));
        self
    }

    fn with_box(self, low: [f64; 3], high: [f64; 3]) -> Self {
        let corner = |k: usize| [0, 1, 2].map(|i| if k >> i & 1 == 1 { high[i] } else { low[i] });
        let vertices: Vec<[f64; 3]> = (0..8).map(corner).collect();
        let quads =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles: Vec<u32> =
            quads.iter().flat_map(|&[a, b, c, d]| [a, b, c, a, c, d]).collect();
        self.with(&vertices, &triangles)
    }

    fn with_sphere(self, x: f64, subdivisions: u32) -> Self {
        let options = Sphere { subdivisions: Some(subdivisions), ..Sphere::default() };
        let mut sphere = generate(&Generate::Sphere(options)).unwrap();
        sphere.vertices.iter_mut().for_each(|v| v[0] += x);
        self.with(&sphere.vertices, &sphere.cells)
    }

    /// Rotates all parts and rounds the coordinates to 32 bits, as in an STL file.
    fn turned(mut self) -> Self {
        let axis = nalgebra::Unit::new_normalize(Vec3::new(0.3, 1.0, -0.7));
        let turn = nalgebra::Rotation3::from_axis_angle(&axis, 0.9);
        for x in &mut self.vertices {
            let y = turn * Vec3::from(*x) + Vec3::new(3.0, -2.0, 5.0);
            *x = [y.x, y.y, y.z].map(|c| f64::from(c as f32));
        }
        self
    }

    fn envelope(&self) -> Option<Envelope> {
        Envelope::of(&self.vertices, &self.triangles)
    }

    fn index(&self) -> TriangleIndex {
        let index = TriangleIndex::new(&self.vertices, &self.triangles);
        self.envelope().map_or_else(|| index.clone(), |e| index.clone().with_envelope(&e))
    }
}

fn area(vertices: &[[f64; 3]], triangles: &[u32]) -> f64 {
    let corners = |t: &[u32; 3]| t.map(|v| Vec3::from(vertices[v as usize]));
    let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(&(c - a)).norm();
    triangles.as_chunks().0.iter().map(|t| area(corners(t))).sum()
}

fn boxes() -> Parts {
    Parts::default().with_box([0.0; 3], [1.0; 3]).with_box([0.5; 3], [1.5; 3])
}

#[test]
fn overlapping_boxes_have_the_area_and_the_distances_of_their_union() {
    for parts in [boxes(), boxes().turned()] {
        let envelope = parts.envelope().unwrap();
        assert_eq!((envelope.ignored, envelope.cut), (0, 12));
        let found = area(&envelope.vertices, &envelope.triangles);
        assert!((found - 10.5).abs() < 1e-5, "{found}");
    }
    let index = boxes().index();
    let at = |x: [f64; 3]| index.signed_distances(&[x]).values[0];
    // The nearest points of the envelope are on its inner edges.
    let near = at([0.75; 3]);
    assert!((near + 0.125_f64.sqrt()).abs() < 1e-12, "{near}");
    assert_eq!(at([0.5, 0.5, 0.75]), -(0.25_f64.min(0.5)));
    assert_eq!([at([1.0, 0.3, 0.4]), at([0.2, 0.2, 1.0]), at([1.5, 1.0, 1.0])], [0.0; 3]);
    assert!((at([0.25, 0.25, 0.25]) + 0.25).abs() < 1e-15);
}

#[test]
fn touching_boxes_have_no_wall_between_them() {
    let touching =
        Parts::default().with_box([0.0; 3], [1.0; 3]).with_box([1.0, 0.25, 0.25], [2.0, 1.5, 0.75]);
    for parts in [touching.turned(), {
        Parts::default().with_box([0.0; 3], [1.0; 3]).with_box([1.0, 0.0, 0.0], [2.0, 1.0, 1.0])
    }] {
        let before = area(&parts.vertices, &parts.triangles);
        let envelope = parts.envelope().unwrap();
        let after = area(&envelope.vertices, &envelope.triangles);
        let wall = if before < 11.0 { 0.75 * 0.5 } else { 1.0 };
        assert!((before - after - 2.0 * wall).abs() < 1e-5, "{before} {after}");
    }
    let cubes =
        Parts::default().with_box([0.0; 3], [1.0; 3]).with_box([1.0, 0.0, 0.0], [2.0, 1.0, 1.0]);
    let found = cubes.index().signed_distances(&[[1.0, 0.5, 0.5], [1.0, 0.4, 0.3]]);
    assert_eq!(found.values, [-0.5, -0.3]);
}

#[test]
fn spheres_that_overlap_are_one_part() {
    let parts = Parts::default().with_sphere(0.0, 4).with_sphere(1.0, 4);
    let index = parts.index();
    let found = index.signed_distances(&[[0.5, 0.0, 0.0], [-0.5, 0.0, 0.0], [0.5, 2.0, 0.0]]);
    // The union ends at the circle where the spheres meet.
    assert!((found.values[0] + 0.75_f64.sqrt()).abs() < 3e-3, "{}", found.values[0]);
    assert!((found.values[1] + 0.5).abs() < 3e-3, "{}", found.values[1]);
    let outside = 4.25_f64.sqrt() - 1.0;
    assert!((found.values[2] - outside).abs() < 3e-3, "{}", found.values[2]);
    let closest = index.closest([0.5, 2.0, 0.0]).unwrap();
    let source = &parts.triangles[3 * closest.triangle as usize..][..3];
    let corners: [Vec3; 3] = std::array::from_fn(|k| parts.vertices[source[k] as usize].into());
    let back = simplex::closest_point(closest.point.into(), &corners);
    assert!((back - Vec3::from(closest.point)).norm() < 1e-12);
}

#[test]
fn shells_are_swallowed_or_remain_as_cavities() {
    let outer = || Parts::default().with_box([0.0; 3], [1.0; 3]);
    let alike = outer().with_box([0.3; 3], [0.6; 3]);
    let envelope = alike.envelope().unwrap();
    assert_eq!((envelope.ignored, envelope.cut), (12, 0));
    assert_eq!(alike.index().signed_distances(&[[0.45; 3]]).values, [-0.45]);
    let mut cavity = outer().with_box([0.3; 3], [0.6; 3]);
    cavity.triangles[36..].as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(1, 2));
    assert_eq!(cavity.envelope(), None);
}

#[test]
fn surfaces_without_overlap_are_whole() {
    assert_eq!(Parts::default().envelope(), None);
    assert_eq!(Parts::default().with_sphere(0.0, 3).envelope(), None);
    assert_eq!(Parts::default().with_sphere(0.0, 2).with_sphere(5.0, 2).envelope(), None);
    let mut open = Parts::default().with_sphere(0.0, 3);
    open.triangles.truncate(600);
    assert_eq!(open.envelope(), None);
}

#[test]
fn a_large_face_is_cut_by_many_small_triangles() {
    let parts = Parts::default().with_box([-2.0, -2.0, -2.0], [2.0, 2.0, 0.0]).with_sphere(0.0, 4);
    let envelope = parts.envelope().unwrap();
    let found = area(&envelope.vertices, &envelope.triangles);
    let pi = std::f64::consts::PI;
    // The disk is a polygon with many sides.
    let exact = 2.0 * 16.0 + 4.0 * 8.0 - pi + 2.0 * pi;
    assert!((found - exact).abs() < 0.02, "{found} {exact}");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert_eq!(pool.install(|| parts.envelope()).unwrap(), envelope);
}
