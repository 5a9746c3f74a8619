//! The lower envelope of the windows on one side of a cell: at every point, only the window with
//! the smallest value remains.

use super::window::{NARROW, Window, equal_points};

/// The owner of a piece that belongs to the new window.
const NEW: usize = usize::MAX;

/// The number of windows for which a list allocates memory when it gets its first window.
const CAPACITY: usize = 8;

/// A piece of the envelope: the index of its window, or [`NEW`], and its ends.
pub(super) type Piece = (usize, f64, f64);

/// Memory that insertions reuse.
#[derive(Default)]
pub(super) struct Scratch {
    pieces: Vec<Piece>,
    old: Vec<Window>,
}

/// Inserts a window into an envelope: disjoint windows on an edge of length `length`, in ascending
/// order. Returns whether any part of the window became part of the envelope. Where two windows
/// have the same value, the window that was inserted first remains.
pub(super) fn insert(
    list: &mut Vec<Window>,
    new: Window,
    length: f64,
    scratch: &mut Scratch,
) -> bool {
    let narrow = NARROW * length;
    // False for NaN, too.
    let is_wide = new.to - new.from > narrow;
    if !is_wide {
        return false;
    }
    let first = list.partition_point(|old| old.to <= new.from);
    let n = list[first..].iter().take_while(|old| old.from < new.to).count();
    if n == 0 {
        if list.capacity() == 0 {
            list.reserve(CAPACITY);
        }
        list.insert(first, new);
        return true;
    }
    let Scratch { pieces, old: copies } = scratch;
    pieces.clear();
    let mut at = new.from;
    for (k, old) in list[first..first + n].iter().enumerate() {
        if old.from < new.from {
            add(pieces, k, old.from, new.from);
        }
        if at < old.from {
            add(pieces, NEW, at, old.from);
        }
        let (from, end) = (old.from.max(new.from), old.to.min(new.to));
        compare(pieces, &new, (k, old), from, end);
        if old.to > new.to {
            add(pieces, k, new.to, old.to);
        }
        at = end;
    }
    if at < new.to {
        add(pieces, NEW, at, new.to);
    }
    pieces.retain(|piece| piece.2 - piece.1 > narrow);
    if pieces.iter().all(|piece| piece.0 != NEW) {
        return false;
    }
    copies.clear();
    copies.extend_from_slice(&list[first..first + n]);
    let of = |&(owner, from, to): &Piece| {
        let owner = if owner == NEW { new } else { copies[owner] };
        Window { from, to, ..owner }
    };
    if pieces.len() == n {
        list[first..first + n].iter_mut().zip(&*pieces).for_each(|(w, piece)| *w = of(piece));
    } else {
        list.splice(first..first + n, pieces.iter().map(of));
    }
    true
}

/// Adds a piece, or extends the last one if it has the same owner.
fn add(pieces: &mut Vec<Piece>, owner: usize, from: f64, to: f64) {
    match pieces.last_mut() {
        Some(last) if last.0 == owner && last.2 == from => last.2 = to,
        _ => pieces.push((owner, from, to)),
    }
}

/// Adds the pieces between `a` and `b`, where a new and an old window overlap.
#[inline]
fn compare(pieces: &mut Vec<Piece>, new: &Window, (k, old): (usize, &Window), a: f64, b: f64) {
    let owner = |is_new: bool| if is_new { NEW } else { k };
    let is_new = |t: f64| new.value(t) < old.value(t);
    let (at_a, at_b) = (is_new(a), is_new(b));
    let is_circle = new.is_point && old.is_point;
    // The points that a source reaches first form a convex set if this source starts later than the
    // other. A convex set that contains both ends contains everything between them.
    let later = if at_a { new.before >= old.before } else { old.before >= new.before };
    if is_circle && at_a == at_b && later {
        return add(pieces, owner(at_a), a, b);
    }
    let mut cuts = [b; 2];
    let n = equal_points(new, old, a, b, &mut cuts);
    if n == 1 && at_a != at_b {
        add(pieces, owner(at_a), a, cuts[0]);
        return add(pieces, owner(at_b), cuts[0], b);
    }
    let mut from = a;
    for to in cuts[..n].iter().copied().chain([b]) {
        add(pieces, owner(is_new(0.5 * (from + to))), from, to);
        from = to;
    }
}
