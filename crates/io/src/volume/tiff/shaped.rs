//! Descriptions written by tifffile (Python): `{"shape": [2, 12, 40, 30], "axes": "TZYX"}`.

use super::stack::{Order, Stack};
use super::{AGAIN, refuse, unsupported};
use zeroset_core::error::{Flaw, Result};

/// Returns the stack that a description declares for a file of `pages` pages of `width` and
/// `height` pixels. Returns `None` for any other description, and for pages of a different size.
///
/// # Errors
/// Returns a [`Flaw`] if the shape contradicts the number of pages, or if it has more axes than
/// slices, channels and volumes.
pub(super) fn stack(
    text: &str,
    [width, height]: [u32; 2],
    pages: usize,
) -> Result<Option<Stack>, Flaw> {
    let Some(shape) = sizes(text) else { return Ok(None) };
    let (w, h) = (width as usize, height as usize);
    let n = shape.len();
    let Some(end) = [n, n.saturating_sub(1)]
        .into_iter()
        .find(|&end| end >= 2 && shape[end - 2..end] == [h, w] && (end == n || shape[n - 1] <= 16))
    else {
        return Ok(None);
    };
    let leading = &shape[..end - 2];
    let axes: Vec<char> = axes(text).filter(|axes| axes.len() == n).unwrap_or_default();
    let long: Vec<(char, usize)> = (0..leading.len())
        .filter(|&k| leading[k] > 1)
        .map(|k| (axes.get(k).copied().unwrap_or('?'), leading[k]))
        .collect();
    // The samples of a pixel in separate planes are not pages.
    let long: Vec<(char, usize)> = long.into_iter().filter(|axis| axis.0 != 'S').collect();
    let known: Vec<(char, usize)> = match long.as_slice() {
        [(name, n)] if !"CT".contains(*name) => vec![('Z', *n)],
        [('?', volumes), ('?', slices)] => vec![('T', *volumes), ('Z', *slices)],
        other => other.to_vec(),
    };
    let named = |name: char| known.iter().filter(|axis| axis.0 == name).count();
    if known.iter().any(|axis| !"ZCT".contains(axis.0)) || "ZCT".chars().any(|c| named(c) > 1) {
        let what = format!("the description declares pages of the shape {leading:?}");
        let remedy = "write one volume to a separate file, or state the axes (TZCYX)";
        return unsupported(what, remedy);
    }
    let mut sizes = [('Z', 1), ('C', 1), ('T', 1)];
    for (place, axis) in sizes.iter_mut().zip(known.iter().rev()) {
        *place = *axis;
    }
    let missing: Vec<char> = "ZCT".chars().filter(|name| named(*name) == 0).collect();
    for (place, name) in sizes[known.len()..].iter_mut().zip(missing) {
        *place = (name, 1);
    }
    let order = Order::new(sizes);
    // Planes of samples may also be declared as leading pages.
    if order.count() != pages && pages != 1 {
        let what = format!(
            "the description declares {} pictures, but the file has {pages} pages",
            order.count()
        );
        return refuse(what, AGAIN);
    }
    Stack::new(order, pages, "tifffile").map(Some)
}

/// Returns the text after a key of an object.
fn after<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let rest = text.trim_start().strip_prefix('{')?;
    let (_, rest) = rest.split_once(&format!("\"{key}\""))?;
    Some(rest.trim_start().strip_prefix(':')?.trim_start())
}

fn sizes(text: &str) -> Option<Vec<usize>> {
    let (list, _) = after(text, "shape")?.strip_prefix('[')?.split_once(']')?;
    list.split(',').map(|word| word.trim().parse().ok()).collect()
}

fn axes(text: &str) -> Option<Vec<char>> {
    let (axes, _) = after(text, "axes")?.strip_prefix('"')?.split_once('"')?;
    Some(axes.chars().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_become_slices_channels_and_volumes() {
        let of = |text: &str, pages| {
            let found = stack(text, [30, 40], pages).unwrap();
            found.map(|stack| (stack.slices, stack.channels, stack.volumes))
        };
        assert_eq!(of("{\"shape\": [12, 40, 30]}", 12), Some((12, 1, 1)));
        assert_eq!(of("{\"shape\": [12, 40, 30], \"truncated\": true}", 1), Some((12, 1, 1)));
        assert_eq!(of("{\"shape\": [2, 12, 40, 30]}", 24), Some((12, 1, 2)));
        let axes = "{\"shape\": [2, 12, 3, 40, 30], \"axes\": \"TZCYX\"}";
        assert_eq!(of(axes, 72), Some((12, 3, 2)));
        assert_eq!(of("{\"shape\": [40, 30, 3]}", 1), Some((1, 1, 1)));
        assert_eq!(of("{\"shape\": [7, 7]}", 5), None);
        assert_eq!(of("a photo", 5), None);
        assert!(stack("{\"shape\": [12, 40, 30]}", [30, 40], 11).is_err());
        assert!(stack("{\"shape\": [2, 2, 2, 40, 30]}", [30, 40], 8).is_err());
    }
}
