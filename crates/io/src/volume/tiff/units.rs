//! Units of length in descriptions, and spacings in a common unit.

/// The names of a unit, the unit in which lengths are given instead, and the number of these units
/// as a quotient. Quotients keep decimal fractions exact.
const UNITS: [(&[&str], &str, f64, f64); 8] = [
    (
        &[
            "um",
            "\u{b5}m",
            "\u{3bc}m",
            "micron",
            "microns",
            "micrometer",
            "micrometers",
            "micrometre",
        ],
        "um",
        1.0,
        1.0,
    ),
    (&["nm", "nanometer", "nanometers"], "um", 1.0, 1e3),
    (&["\u{c5}", "\u{212b}", "angstrom"], "um", 1.0, 1e4),
    (&["pm", "picometer"], "um", 1.0, 1e6),
    (&["mm", "millimeter", "millimeters", "millimetre"], "mm", 1.0, 1.0),
    (&["cm", "centimeter", "centimeters", "centimetre"], "mm", 10.0, 1.0),
    (&["inch", "inches", "in"], "mm", 25.4, 1.0),
    (&["m", "meter", "meters", "metre"], "m", 1.0, 1.0),
];

/// Names that state that there is no unit.
const NO_UNIT: [&str; 5] = ["", "pixel", "pixels", "voxel", "reference frame"];

/// Lengths in um per unit, to compare the units of axes.
const IN_UM: [(&str, f64); 3] = [("um", 1.0), ("mm", 1e3), ("m", 1e6)];

/// A spacing along an axis, with its unit if the file names one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Length {
    pub value: Option<f64>,
    pub unit: Option<String>,
}

/// Converts a length to um, mm or m if its unit is known.
pub(super) fn length(value: Option<f64>, unit: &str) -> Length {
    let unit = unit.trim().replace("\\u00B5", "\u{b5}").replace("\\u00b5", "\u{b5}");
    if NO_UNIT.contains(&unit.to_lowercase().as_str()) {
        return Length { value, unit: None };
    }
    let known = UNITS.iter().find(|(names, ..)| {
        names.contains(&unit.as_str()) || names.contains(&unit.to_lowercase().as_str())
    });
    match known {
        Some(&(_, name, times, over)) => {
            Length { value: value.map(|value| value * times / over), unit: Some(name.to_string()) }
        }
        None => Length { value, unit: Some(unit) },
    }
}

/// Returns whether two names stand for the same unit of length, such as "um" and "micron".
pub fn is_same_length(a: &str, b: &str) -> bool {
    let names = |of: &str| UNITS.iter().position(|(names, ..)| names.contains(&of));
    a == b || names(a).is_some() && names(a) == names(b)
}

/// The spacing of a stack.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spacing {
    /// The spacing along each axis, or `None` where the file does not state it.
    pub values: [Option<f64>; 3],
    pub units: Option<String>,
    pub warnings: Vec<String>,
}

/// Returns the spacing of a stack of `slices` slices in the unit of x.
pub(super) fn common(axes: [Length; 3], slices: usize) -> Spacing {
    let mut warnings = Vec::new();
    let units = axes.iter().find(|axis| axis.value.is_some()).and_then(|axis| axis.unit.clone());
    let in_um = |unit: &Option<String>| {
        IN_UM.iter().find(|known| Some(known.0) == unit.as_deref()).map(|known| known.1)
    };
    let mut values = axes.each_ref().map(|axis| axis.value);
    for (k, axis) in axes.iter().enumerate() {
        let Some(value) = axis.value.filter(|_| axis.unit != units) else { continue };
        match (in_um(&axis.unit), in_um(&units)) {
            (Some(one), Some(all)) => values[k] = Some(value * (one / all)),
            _ => warnings.push(format!(
                "the spacings along x and {} have different units ({} and {}): they are not \
                 converted",
                ["x", "y", "z"][k],
                units.as_deref().unwrap_or("none"),
                axis.unit.as_deref().unwrap_or("none")
            )),
        }
    }
    if let ([Some(x), _, None], true) = (values, slices > 1)
        && x != 1.0
    {
        let unit = units.as_ref().map_or(String::new(), |unit| format!(" {unit}"));
        warnings.push(format!(
            "the file states a spacing of pixels ({x}{unit}) but none of slices: 1{unit} is assumed; \
             state it with --spacing, or with `spacing` in a case"
        ));
    }
    Spacing { values, units, warnings }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_converted_to_common_units() {
        let of = |value, unit: &str| {
            let found = length(Some(value), unit);
            (found.value.unwrap(), found.unit.unwrap_or_default())
        };
        for (unit, expected) in [
            ("micron", (0.5, "um")),
            ("\\u00B5m", (0.5, "um")),
            ("\u{b5}m", (0.5, "um")),
            ("Microns", (0.5, "um")),
            ("nm", (0.0005, "um")),
            ("cm", (5.0, "mm")),
            ("inch", (12.7, "mm")),
            ("pixel", (0.5, "")),
            ("parsec", (0.5, "parsec")),
        ] {
            assert_eq!(of(0.5, unit), (expected.0, expected.1.to_string()), "{unit}");
        }
        let axes = [length(Some(0.5), "um"), length(Some(500.0), "nm"), length(Some(0.25), "mm")];
        let found = common(axes, 3);
        assert_eq!(found.values, [Some(0.5), Some(0.5), Some(250.0)]);
        assert_eq!((found.units.as_deref(), found.warnings.len()), (Some("um"), 0));
        let axes = [length(Some(0.5), "um"), length(Some(0.5), "um"), length(None, "")];
        let found = common(axes, 3);
        assert!(found.warnings[0].contains("0.5 um) but none of slices"), "{found:?}");
    }
}
