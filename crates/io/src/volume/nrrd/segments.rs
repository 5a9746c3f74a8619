//! Segments of an NRRD segmentation, as 3D Slicer writes them: pairs such as
//! `Segment0_Name:=liver`, `Segment0_Layer:=0` and `Segment0_LabelValue:=1`.

use std::collections::BTreeMap;

use crate::volume::VolumeOptions;
use zeroset_core::error::{Flaw, FlawKind, Result};
use zeroset_core::volume::Samples;
use zeroset_core::words::suggest;

/// A segment: the voxels of a layer that have its label.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Segment {
    pub name: String,
    pub layer: usize,
    pub label: f64,
}

/// Returns the segments that the key-value pairs of a header describe, in the order of their
/// numbers. A segment without a layer is in layer 0, and one without a label has the label 1.
pub(super) fn of_pairs(pairs: &BTreeMap<String, String>) -> Vec<Segment> {
    let number = |key: &String| -> Option<usize> {
        key.strip_prefix("Segment")?.strip_suffix("_ID")?.parse().ok()
    };
    let mut numbers: Vec<usize> = pairs.keys().filter_map(number).collect();
    numbers.sort_unstable();
    let segment = |k: usize| {
        let value = |field: &str| pairs.get(&format!("Segment{k}_{field}")).map(|v| v.trim());
        let name = value("Name").or(value("ID")).unwrap_or_default().to_string();
        let layer = value("Layer").and_then(|v| v.parse().ok()).unwrap_or(0);
        let label = value("LabelValue").and_then(|v| v.parse().ok()).unwrap_or(1.0);
        Segment { name, layer, label }
    };
    numbers.into_iter().map(segment).collect()
}

/// Returns the segment that the options name, if they name one.
///
/// # Errors
/// Returns a [`Flaw`] that lists the segments if none has this name, if several have it, or if the
/// options also choose a different layer.
pub(super) fn wanted<'a>(
    segments: &'a [Segment],
    options: &VolumeOptions,
) -> Result<Option<&'a Segment>, Flaw> {
    let Some(name) = &options.segment else { return Ok(None) };
    let asked = |what: String, remedy: String| {
        Err(Flaw::at("header", what, remedy).kind_of(FlawKind::Asked))
    };
    let found: Vec<&Segment> = segments.iter().filter(|segment| segment.name == *name).collect();
    match found.as_slice() {
        [] if segments.is_empty() => asked(
            format!("the file names no segments, but \"{name}\" is requested"),
            format!("leave out {}", options.name_of("segment")),
        ),
        [] => {
            let names: Vec<&str> = segments.iter().map(|segment| segment.name.as_str()).collect();
            let remedy = suggest(name, &names).replace("allowed:", "there are:");
            asked(format!("there is no segment \"{name}\""), remedy)
        }
        [segment] => match options.layer.filter(|layer| *layer != segment.layer) {
            None => Ok(Some(segment)),
            Some(layer) => asked(
                format!("the segment \"{name}\" is in layer {}, not {layer}", segment.layer),
                format!("leave out {}", options.name_of("layer")),
            ),
        },
        several => asked(
            format!("{} segments have the name \"{name}\"", several.len()),
            "choose a layer, and select the label of the segment".into(),
        ),
    }
}

/// Describes each of `n` layers by the names of its segments.
pub(super) fn layer_names(segments: &[Segment], n: usize) -> Vec<String> {
    if segments.is_empty() {
        return Vec::new();
    }
    let of_layer = |k: usize| {
        let names = segments.iter().filter(|segment| segment.layer == k);
        let names: Vec<&str> = names.map(|segment| segment.name.as_str()).collect();
        format!("({})", names.join(", "))
    };
    (0..n.min(segments.len())).map(of_layer).collect()
}

/// Returns 1 for each number that equals the label of a segment, and 0 for all others.
pub(super) fn mask(samples: &Samples, segment: &Segment) -> Samples {
    let inside = |i: usize| u8::from(samples.get(i) == segment.label);
    (0..samples.len()).map(inside).collect::<Vec<u8>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_found_by_their_names() {
        let pairs = [
            ("Segment1_ID", "b"),
            ("Segment1_Name", "spleen"),
            ("Segment1_Layer", "1"),
            ("Segment1_LabelValue", "2"),
            ("Segment0_ID", "a"),
            ("Segmentation_Version", "1"),
        ];
        let pairs = pairs.map(|(key, value)| (key.to_string(), value.to_string()));
        let segments = of_pairs(&BTreeMap::from(pairs));
        assert_eq!(segments[0], Segment { name: "a".into(), layer: 0, label: 1.0 });
        assert_eq!(segments[1], Segment { name: "spleen".into(), layer: 1, label: 2.0 });
        assert_eq!(layer_names(&segments, 2), ["(a)", "(spleen)"]);
        let options = |name: &str| VolumeOptions::default().segment(Some(name.into()));
        let found = wanted(&segments, &options("spleen")).unwrap();
        assert_eq!(found, Some(&segments[1]));
        let labels = Samples::from(vec![0_i16, 2, 1, 2]);
        assert_eq!(mask(&labels, &segments[1]), vec![0_u8, 1, 0, 1].into());
        let error = wanted(&segments, &options("splen")).unwrap_err().to_string();
        assert!(error.contains("no segment \"splen\"") && error.contains("spleen"), "{error}");
        let error = wanted(&segments, &options("a").layer(Some(1))).unwrap_err().to_string();
        assert!(error.contains("is in layer 0, not 1"), "{error}");
    }
}
