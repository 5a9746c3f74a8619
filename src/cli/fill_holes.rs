//! The option `--fill-holes` of the commands that write a surface.

use crate::surface::HoleSize;

/// Options for the holes of a surface.
#[derive(Debug, clap::Args)]
pub struct FillHoles {
    /// Fill holes, up to an area in squared units if given; without an area, open sheets keep their
    /// outer boundary. Give this option after the file names
    #[arg(long, value_name = "AREA", num_args = 0..=1, value_parser = area)]
    fill_holes: Option<Option<f64>>,
}

impl FillHoles {
    /// Returns the size of the holes to be filled, or `None` if the option is not given.
    pub fn size(&self) -> Option<HoleSize> {
        self.fill_holes.map(|area| area.map_or(HoleSize::Any, HoleSize::UpTo))
    }
}

fn area(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(area) if area > 0.0 && area.is_finite() => Ok(area),
        _ => Err("expected an area > 0; give the option after the file names".into()),
    }
}
