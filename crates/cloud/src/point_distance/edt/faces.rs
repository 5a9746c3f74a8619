//! Passes of a transform that measures to the faces between the two sides.
//!
//! Along each axis, the point of a voxel that is nearest to the center of another voxel lies at its
//! center or on a face. Steps are therefore half as long as a voxel: a line of n voxels has 2 n + 1
//! places, the faces at the even ones and the centers at the odd ones. A voxel contributes the same
//! parabola at its center and at its two faces.

use super::envelope::Envelope;
use super::pass_state::Pair;

/// Converts the number of steps from a voxel to the center of another voxel in its row into the
/// number of half steps to the face of that voxel.
pub(super) fn to_face<P: Pair>(pair: P) -> P {
    pair.steps().map_or(pair, |(voxels, _)| P::new((2 * voxels).saturating_sub(1), 0))
}

/// Processes one line of a pass. `height` and `result` are the functions of the pass (see
/// [`super::across`]), in half steps.
pub(super) fn both_sides<P: Pair>(
    line: &mut [P],
    envelopes: &mut [Envelope<P>; 2],
    height: impl Fn(P) -> Option<f64>,
    result: impl Fn(Option<P>, usize) -> P,
) {
    for (envelope, inside) in envelopes.iter_mut().zip([false, true]) {
        envelope.build((0..2 * line.len() + 1).map(|place| at(line, place, inside, &height)));
    }
    // Voxels keep their side when they are written, so that each side finds its own voxels.
    for (envelope, inside) in envelopes.iter().zip([false, true]) {
        if envelope.is_empty() {
            super::write(line, inside, |_| result(None, 0));
        }
        for (stretch, place, near) in envelope.stretches(2 * line.len() + 1) {
            // Odd positions are the centers of voxels.
            let (first, end) = (stretch.start / 2, stretch.end / 2);
            let found = |i: usize| result(Some(near), (2 * (first + i) + 1).abs_diff(place));
            super::write(&mut line[first..end], inside, found);
        }
    }
}

/// Returns the height of the parabola at a place of a line, for voxels on the side `inside`, and
/// the state that belongs to it. A face has the lower of the parabolas of the two voxels that share
/// it.
fn at<P: Pair>(
    line: &[P],
    place: usize,
    inside: bool,
    height: &impl Fn(P) -> Option<f64>,
) -> (Option<f64>, P) {
    let center = |voxel: usize| {
        let pair = line.get(voxel).copied()?;
        match pair.is_inside() == inside {
            true => height(pair).map(|height| (height, pair)),
            // A voxel on the other side is a target itself.
            false => Some((0.0, P::new(0, 0))),
        }
    };
    let (before, after) = (place.checked_sub(1).map(|p| p / 2), place / 2);
    let found = match place % 2 {
        1 => center(after),
        _ => match (before.and_then(center), center(after)) {
            (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
            (a, b) => a.or(b),
        },
    };
    found.map_or((None, P::none()), |(height, pair)| (Some(height), pair))
}

#[cfg(test)]
mod tests {
    use super::super::Edt;
    use zeroset_core::Cpu;

    /// Marks the voxels of one side with their faces, edges and corners, in a volume with 2 n + 1
    /// places along an axis of n voxels.
    fn closed_side(inside: &[bool], shape: [usize; 3], side: bool) -> Vec<u8> {
        let fine = shape.map(|n| 2 * n + 1);
        let mark = |place: usize| {
            let at = [place % fine[0], place / fine[0] % fine[1], place / fine[0] / fine[1]];
            // The voxels that touch the place: one along an axis, or two if it lies on a face.
            let touching = |k: usize| at[k].saturating_sub(1) / 2..(at[k] / 2 + 1).min(shape[k]);
            let of_side = |z: usize, y: usize| {
                touching(0).any(|x| inside[x + shape[0] * (y + shape[1] * z)] == side)
            };
            u8::from(touching(2).any(|z| touching(1).any(|y| of_side(z, y))))
        };
        (0..fine.iter().product()).map(mark).collect()
    }

    /// Returns the place that the center of a voxel has in the volume of [`closed_side`].
    fn center(voxel: usize, [nx, ny, _]: [usize; 3]) -> usize {
        let [x, y, z] = [voxel % nx, voxel / nx % ny, voxel / nx / ny].map(|i| 2 * i + 1);
        x + (2 * nx + 1) * (y + (2 * ny + 1) * z)
    }

    /// Compares the distances with those of the transform that the GPU uses, on a volume that
    /// contains the faces.
    #[test]
    fn distances_are_those_of_a_volume_with_faces() {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        let cpu = Cpu::current();
        for (shape, one_in) in
            [([7, 6, 5], 2), ([1, 9, 12], 5), ([40, 1, 33], 40), ([33, 34, 35], 900)]
        {
            for spacing in [[1.0; 3], [0.7, 1.0, 2.5]] {
                let n = shape.iter().product::<usize>();
                let inside: Vec<bool> = (0..n).map(|_| next() % one_in == 0).collect();
                let edt = Edt::default().spacing(spacing).faces(true);
                let found = edt.transform(&cpu, &inside, shape).unwrap();
                let signed = edt.signed(true).transform(&cpu, &inside, shape).unwrap();
                let fine = Edt::default().spacing(spacing.map(|s| s / 2.0));
                let sides = [false, true].map(|side| {
                    let marks: Vec<bool> =
                        closed_side(&inside, shape, side).iter().map(|&mark| mark == 1).collect();
                    fine.transform(&cpu, &marks, shape.map(|n| 2 * n + 1)).unwrap()
                });
                for voxel in 0..n {
                    let expected = sides[usize::from(!inside[voxel])][center(voxel, shape)];
                    let off = (found[voxel] - expected).abs();
                    assert!(
                        off <= 2e-7 * expected,
                        "{shape:?} {voxel}: {} {expected}",
                        found[voxel]
                    );
                    let sign = if inside[voxel] { -1.0 } else { 1.0 };
                    assert_eq!(signed[voxel], sign * found[voxel]);
                }
            }
        }
    }

    #[test]
    fn a_flat_face_is_half_a_voxel_away() {
        let inside: Vec<bool> = (0..4 * 3 * 6).map(|n| n / 12 >= 2).collect();
        let edt = Edt::default().spacing([1.0, 2.0, 3.0]).faces(true).signed(true);
        let found = edt.transform(&Cpu::current(), &inside, [4, 3, 6]).unwrap();
        let column: Vec<f32> = (0..6).map(|k| found[5 + 12 * k]).collect();
        assert_eq!(column, [4.5, 1.5, -1.5, -4.5, -7.5, -10.5]);
        let one = Edt::default().faces(true).transform(&Cpu::current(), &[true], [1; 3]).unwrap();
        assert_eq!(one, [f32::INFINITY]);
    }
}
