//! The choice of a color map.

use colorous::Gradient;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A color map for values, such as `colormap = "viridis"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColorMap {
    /// Diverging if the range is symmetric about 0, otherwise sequential (default).
    #[default]
    Auto,
    /// From indigo through teal to straw yellow.
    Sequential,
    /// From blue through white to terracotta.
    Diverging,
    /// From dark gray to nearly white.
    Gray,
    /// From violet through teal to yellow.
    Viridis,
    /// From black through purple to light yellow.
    Magma,
    /// From black through red to light yellow.
    Inferno,
    /// From blue through magenta to yellow.
    Plasma,
    /// From dark blue through gray to yellow. Looks nearly the same to color-blind people.
    Cividis,
    /// The colors of the rainbow.
    Turbo,
}

impl ColorMap {
    /// Returns the map from the crate `colorous`, or `None` for the maps of zeroset.
    pub(super) fn gradient(self) -> Option<Gradient> {
        Some(match self {
            ColorMap::Auto | ColorMap::Sequential | ColorMap::Diverging | ColorMap::Gray => {
                return None;
            }
            ColorMap::Viridis => colorous::VIRIDIS,
            ColorMap::Magma => colorous::MAGMA,
            ColorMap::Inferno => colorous::INFERNO,
            ColorMap::Plasma => colorous::PLASMA,
            ColorMap::Cividis => colorous::CIVIDIS,
            ColorMap::Turbo => colorous::TURBO,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::color::Map;

    #[test]
    fn every_map_has_its_colors() {
        let ends = |map: ColorMap| {
            let map = Map::new([0.0, 1.0], map);
            [0.0, 1.0].map(|x| map.color(x).unwrap().iter().sum::<f32>())
        };
        for map in [
            ColorMap::Sequential,
            ColorMap::Gray,
            ColorMap::Viridis,
            ColorMap::Magma,
            ColorMap::Inferno,
            ColorMap::Plasma,
            ColorMap::Cividis,
        ] {
            let [dark, light] = ends(map);
            assert!(dark + 0.5 < light, "{map:?} gets lighter: {dark} to {light}");
        }
        let [low, high] = ends(ColorMap::Diverging);
        let middle = Map::new([0.0, 1.0], ColorMap::Diverging).color(0.5).unwrap();
        assert!(middle.iter().sum::<f32>() > low.max(high), "the middle is the lightest");
        let symmetric = |map| Map::new([-1.0, 1.0], map).color(0.0);
        assert_eq!(symmetric(ColorMap::Auto), symmetric(ColorMap::Diverging));
        assert_ne!(symmetric(ColorMap::Auto), symmetric(ColorMap::Sequential));
    }
}
