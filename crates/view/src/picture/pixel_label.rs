//! The label that a pixel shows.

use super::color::Light;
use super::drawing::LabelColors;
use super::raster::{NONE, Painter, SAMPLES};

impl Painter<'_> {
    /// Returns the color of the label that the most samples of a pixel show. Among equally frequent
    /// labels, the first in the order of the labels is chosen. A pixel shows a single label,
    /// because a mixture of two colors would look like a third label.
    ///
    /// The label of a sample is that of the corner with the largest weight. Returns `None` if no
    /// sample shows a colored triangle.
    pub(super) fn label(
        &self,
        labels: &LabelColors,
        samples: impl Iterator<Item = (u32, usize, usize)>,
    ) -> Option<Light> {
        let mut found = [u32::MAX; SAMPLES * SAMPLES];
        let mut n = 0;
        for (t, x, y) in samples {
            if t == NONE || t as usize >= self.drawing.n_colored {
                continue;
            }
            let of @ [a, b, c] = labels.of[t as usize];
            let label = if a == b && b == c { Some(a) } else { self.nearest(t, x, y, of) };
            if let Some(label) = label {
                found[n] = label;
                n += 1;
            }
        }
        let found = &mut found[..n];
        found.sort_unstable();
        let runs = found.chunk_by(|a, b| a == b);
        let most = runs.reduce(|best, run| if run.len() > best.len() { run } else { best })?;
        Some(labels.lights[most[0] as usize])
    }

    /// Returns the label of the corner with the largest weight at a sample, or `None` outside the
    /// triangle.
    fn nearest(&self, t: u32, x: usize, y: usize, of: [u32; 3]) -> Option<u32> {
        let weights = self.weights(t, x, y)?;
        let largest = (1..3).fold(0, |best, k| if weights[k] > weights[best] { k } else { best });
        Some(of[largest])
    }
}
