//! Projection of points to a picture, and of picture positions to rays.

use super::camera::Axes;
use super::vector::{V, add, dot, length, scaled, sub, unit};

/// A parallel or perspective projection that maps points to pixels and pixels to rays.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub(super) axes: Axes,
    /// The number of pixels per mesh unit. In perspective, it applies to the plane through
    /// `Eye::middle`.
    pub(super) scale: f64,
    /// The pixel that shows the mesh origin, or `Eye::middle` in perspective.
    pub(super) origin: [f64; 2],
    /// The unit of line widths in pixels, which is 1 in a picture of 1200 x 900.
    pub(crate) unit: f64,
    /// The height of the point nearest to the eye.
    pub(super) front: f64,
    pub(super) eye: Option<Eye>,
}

/// The eye of a perspective view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eye {
    /// The point that the eye looks at.
    pub(super) middle: V,
    /// The distance of the eye from `middle`.
    pub(super) distance: f64,
}

/// The extent of points as seen in a picture: horizontally, vertically, and toward the eye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The smallest coordinates to the right and upward, in mesh units.
    pub low: [f64; 2],
    /// The largest coordinates to the right and upward, in mesh units.
    pub high: [f64; 2],
    /// The height of the point nearest to the eye.
    pub front: f64,
}

impl Extent {
    /// Returns the ratio of the width to the height.
    pub(crate) fn aspect(&self) -> f64 {
        (self.high[0] - self.low[0]) / (self.high[1] - self.low[1])
    }

    pub(crate) fn of(points: &[V], axes: &Axes, eye: Option<&Eye>) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut front = f64::NEG_INFINITY;
        for x in points {
            let [right, up, toward] = [axes.right, axes.up, axes.toward].map(|axis| match eye {
                None => dot(*x, axis),
                Some(eye) => dot(sub(*x, eye.middle), axis),
            });
            front = front.max(toward);
            let shrink = eye.map_or(1.0, |eye| eye.distance / (eye.distance - toward));
            for (k, x) in [right, up].into_iter().enumerate() {
                low[k] = low[k].min(x * shrink);
                high[k] = high[k].max(x * shrink);
            }
        }
        Extent { low, high, front }
    }
}

/// A ray: a half-line from a point, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ray {
    /// The start of the ray. In perspective, it is the eye. In parallel views, it is a point on the
    /// plane that touches the front of the content.
    pub from: [f64; 3],
    /// The unit direction away from the eye.
    pub along: [f64; 3],
}

impl Ray {
    /// Creates a ray with a direction of any nonzero length.
    pub fn new(from: [f64; 3], along: [f64; 3]) -> Self {
        Ray { from, along: unit(along) }
    }

    /// Returns the point at the distance `t` from the start, in world units.
    pub fn at(&self, t: f64) -> [f64; 3] {
        add(self.from, scaled(self.along, t))
    }
}

impl Frame {
    /// Returns a frame in which `points` fill `area` (left, top, right, bottom in pixels),
    /// magnified by `zoom`.
    ///
    /// With a `perspective` angle in degrees, the eye is at the distance from which a ball around
    /// the points spans that angle.
    pub(crate) fn fit(
        axes: Axes,
        perspective: Option<f64>,
        points: &[V],
        area: [f64; 4],
        zoom: f64,
        unit: f64,
    ) -> Self {
        let eye = perspective.map(|angle| Eye::around(points, angle));
        let extent = Extent::of(points, &axes, eye.as_ref());
        Self::filling(axes, eye, &extent, area, zoom, unit)
    }

    /// Returns a frame in which content of the given extent fills `area`, as in [`Frame::fit`].
    pub(crate) fn filling(
        axes: Axes,
        eye: Option<Eye>,
        extent: &Extent,
        area: [f64; 4],
        zoom: f64,
        unit: f64,
    ) -> Self {
        let Extent { low, high, front } = *extent;
        let [left, top, right, bottom] = area;
        let (width, height) = (high[0] - low[0], high[1] - low[1]);
        let scale = ((right - left) / width).min((bottom - top) / height);
        let scale = if scale.is_finite() { scale * zoom } else { zoom };
        let middle = [0, 1].map(|k| low[k] + 0.5 * (high[k] - low[k]));
        let origin =
            [0.5 * (left + right) - middle[0] * scale, 0.5 * (top + bottom) + middle[1] * scale];
        Frame { axes, scale, origin, unit, front, eye }
    }

    /// Returns a frame that looks from `eye`, in world coordinates, in the viewing direction of a
    /// camera, whose zoom is ignored. `angle` is the vertical angle of view of a picture of `size`
    /// pixels, in degrees, above 0 and below 180.
    pub fn from_eye(eye: [f64; 3], camera: &super::Camera, angle: f64, size: [u32; 2]) -> Self {
        let axes = Axes::new(camera);
        let half = 0.5 * angle.to_radians();
        let [width, height] = size.map(f64::from);
        let scale = 0.5 * height * libm::cos(half) / libm::sin(half);
        let eye = Eye { middle: sub(eye, axes.toward), distance: 1.0 };
        let origin = [0.5 * width, 0.5 * height];
        Frame { axes, scale, origin, unit: 1.0, front: 0.0, eye: Some(eye) }
    }

    /// Returns the pixel coordinates of a point, with y downward, and its height toward the eye in
    /// pixels. In perspective, heights are transformed so that planes stay planes. Near
    /// `Eye::middle`, transformed heights are still approximately in pixels.
    pub(crate) fn project(&self, x: V) -> V {
        let Frame { axes, scale, origin, .. } = self;
        match &self.eye {
            None => [
                origin[0] + dot(x, axes.right) * scale,
                origin[1] - dot(x, axes.up) * scale,
                dot(x, axes.toward) * scale,
            ],
            Some(eye) => {
                let x = sub(x, eye.middle);
                let grown = eye.distance / (eye.distance - dot(x, axes.toward));
                [
                    origin[0] + dot(x, axes.right) * grown * scale,
                    origin[1] - dot(x, axes.up) * grown * scale,
                    (grown - 1.0) * eye.distance * scale,
                ]
            }
        }
    }

    /// Returns the magnification of objects at the projected height `z`, relative to those at
    /// `Eye::middle`.
    pub(crate) fn growth(&self, z: f64) -> f64 {
        self.eye.map_or(1.0, |eye| z / (eye.distance * self.scale) + 1.0)
    }

    /// Returns the ray through a position in the picture, in pixels from its upper left corner.
    pub fn ray(&self, [px, py]: [f64; 2]) -> Ray {
        let Axes { right, up, toward, .. } = self.axes;
        let aside = add(
            scaled(right, (px - self.origin[0]) / self.scale),
            scaled(up, (self.origin[1] - py) / self.scale),
        );
        match &self.eye {
            None => {
                Ray { from: add(aside, scaled(toward, self.front)), along: scaled(toward, -1.0) }
            }
            Some(eye) => {
                let back = scaled(toward, eye.distance);
                Ray::new(add(eye.middle, back), sub(aside, back))
            }
        }
    }

    /// Returns the axes of the picture.
    pub(crate) fn axes(&self) -> &Axes {
        &self.axes
    }

    /// Returns true for a perspective projection.
    pub(crate) fn is_perspective(&self) -> bool {
        self.eye.is_some()
    }

    /// Returns the unit direction from the content at a position in the picture to the eye.
    pub(crate) fn toward_eye(&self, [px, py]: [f64; 2]) -> V {
        match self.eye {
            None => self.axes.toward,
            Some(_) => scaled(self.ray([px, py]).along, -1.0),
        }
    }
}

impl Eye {
    /// Returns an eye for which a ball around the center of the bounding box of the points spans
    /// the given angle in degrees.
    pub(crate) fn around(points: &[V], angle: f64) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in points {
            for k in 0..3 {
                low[k] = low[k].min(x[k]);
                high[k] = high[k].max(x[k]);
            }
        }
        let middle = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
        let radius = points.iter().map(|x| length(sub(*x, middle))).fold(0.0, f64::max);
        let radius = if radius > 0.0 && radius.is_finite() { radius } else { 1.0 };
        Eye { middle, distance: radius / libm::sin(0.5 * angle.to_radians()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Camera;

    const AREA: [f64; 4] = [10.0, 20.0, 210.0, 120.0];

    fn corners() -> Vec<V> {
        (0..8)
            .map(|k| [0, 1, 2].map(|j| f64::from(k >> j & 1) * [3.0, 5.0, 2.0][j] - 1.0))
            .collect()
    }

    fn frame(perspective: Option<f64>, from: V) -> Frame {
        let camera = Camera::new(from);
        Frame::fit(Axes::new(&camera), perspective, &corners(), AREA, 1.0, 1.0)
    }

    #[test]
    fn points_fill_the_area_and_rays_go_back_to_them() {
        for perspective in [None, Some(2.0), Some(40.0), Some(120.0)] {
            for from in [[0.0, 0.0, 1.0], [1.0, -2.0, 0.5]] {
                let frame = frame(perspective, from);
                let seen: Vec<V> = corners().iter().map(|x| frame.project(*x)).collect();
                let extent = |k: usize| {
                    let low = seen.iter().map(|x| x[k]).fold(f64::INFINITY, f64::min);
                    (low, seen.iter().map(|x| x[k]).fold(f64::NEG_INFINITY, f64::max))
                };
                let fills = |(low, high): (f64, f64), k: usize| {
                    (low - AREA[k]).abs() < 1e-9 && (high - AREA[k + 2]).abs() < 1e-9
                };
                let (x, y) = (extent(0), extent(1));
                assert!(fills(x, 0) || fills(y, 1), "{perspective:?}: {x:?} {y:?}");
                assert!(x.0 > AREA[0] - 1e-9 && x.1 < AREA[2] + 1e-9);
                assert!(y.0 > AREA[1] - 1e-9 && y.1 < AREA[3] + 1e-9);
                for (x, p) in corners().iter().zip(&seen) {
                    let ray = frame.ray([p[0], p[1]]);
                    let t = dot(sub(*x, ray.from), ray.along);
                    assert!(t > -1e-9, "nothing lies behind the start of a ray");
                    assert!(length(sub(ray.at(t), *x)) < 1e-9);
                }
            }
        }
    }

    #[test]
    fn nearer_things_are_larger_and_higher_in_perspective() {
        let frame = frame(Some(60.0), [0.0, 0.0, 1.0]);
        let [near, far] = [1.0, -1.0].map(|z| {
            let [a, b] = [0.0, 0.01].map(|x| frame.project([x, 0.0, z]));
            assert!((frame.growth(a[2]) * frame.scale * 0.01 - (b[0] - a[0])).abs() < 1e-9);
            a[2]
        });
        assert!(near > far && frame.growth(near) > 1.0 && frame.growth(far) < 1.0);
        let tiny = self::frame(Some(1e-3), [0.0, 0.0, 1.0]);
        let parallel = self::frame(None, [0.0, 0.0, 1.0]);
        for x in corners() {
            let (a, b) = (tiny.project(x), parallel.project(x));
            assert!((a[0] - b[0]).abs() < 0.01 && (a[1] - b[1]).abs() < 0.01);
        }
    }
}
