//! Lighting: ambient light, light from the eye, light from a lamp, and a little gloss.

use super::camera::Axes;
use super::vector::{V, add, dot, unit};

/// The effect of lighting on a color.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Shade {
    /// The factor by which the color is multiplied.
    pub strength: f32,
    /// The gloss that is added.
    pub gloss: f32,
}

impl Shade {
    /// Computes the lighting of a surface with a `normal` of any length. Both sides are lit.
    /// `to_eye` is the unit direction to the eye, which is `axes.toward` in parallel views.
    pub(crate) fn new(normal: V, axes: &Axes, to_eye: V) -> Self {
        let normal = unit(normal);
        let mut n = [dot(normal, axes.right), dot(normal, axes.up), dot(normal, axes.toward)];
        let mut head = dot(normal, to_eye);
        if head < 0.0 {
            n = n.map(|x| -x);
            head = -head;
        }
        let lamp = dot(n, axes.lamp).max(0.0);
        let middle = unit(add(axes.lamp, [0.0, 0.0, 1.0]));
        let mut gloss = dot(n, middle).max(0.0);
        for _ in 0..4 {
            gloss *= gloss;
        }
        Shade { strength: (0.30 + 0.36 * head + 0.42 * lamp) as f32, gloss: gloss as f32 }
    }

    /// Applies the light to a color, given as red, green and blue.
    pub(crate) fn on(self, color: [f32; 3]) -> [f32; 3] {
        color.map(|c| (c * self.strength + 0.05 * self.gloss).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Camera;

    #[test]
    fn light_comes_from_the_eye_and_both_sides_are_lit() {
        let axes = Axes::new(&Camera::new([0.0, 0.0, 1.0]));
        let at = |n: V| Shade::new(n, &axes, axes.toward).on([0.5; 3])[0];
        assert!(at([0.0, 0.0, 1.0]) > at([0.9, 0.0, 0.3]));
        assert_eq!(at([0.1, 0.2, 0.9]), at([-0.1, -0.2, -0.9]));
        assert!(at([-0.5, 0.5, 0.7]) > at([0.5, -0.5, 0.7]));
        let axes = axes.lit(Some([2.0, -2.0, 3.0]));
        let at = |n: V| Shade::new(n, &axes, axes.toward).on([0.5; 3])[0];
        assert!(at([-0.5, 0.5, 0.7]) < at([0.5, -0.5, 0.7]));
    }
}
