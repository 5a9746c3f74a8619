//! Reader of `STRUCTURED_POINTS`: arrays on a regular grid, in the number type of the file.

use super::attributes::{self, Owner, Sink};
use super::cursor::Cursor;
use super::{Header, IMAGE};
use crate::VolumeFile;
use crate::scalar::Scalar;
use crate::vtk::image::{Lattice, Listed, choose};
use crate::vtk::source::{Source, one_line};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::DataArray;
use zeroset_core::volume::{Placement, Samples};

/// The arrays of an image. Numbers are kept for arrays with one number per voxel.
#[derive(Default)]
struct Arrays {
    listed: Vec<Listed>,
    samples: Vec<Samples>,
    warnings: Vec<String>,
}

impl Arrays {
    fn list(&mut self, owner: Owner, name: String, components: usize, samples: Samples) {
        let of_cells = match owner {
            Owner::Points(_) => false,
            Owner::Cells(_) => true,
            Owner::DataSet => return,
        };
        self.listed.push(Listed { name, of_cells, components, active: false });
        self.samples.push(samples);
    }
}

impl Sink for Arrays {
    fn numbers(
        &mut self,
        cursor: &mut Cursor,
        owner: Owner,
        name: String,
        scalar: Scalar,
        [rows, components]: [usize; 2],
    ) -> Result<(), Flaw> {
        let samples = cursor.samples(scalar, rows, components, &format!("array '{name}'"))?;
        let kept = if components == 1 { samples } else { Vec::<u8>::new().into() };
        self.list(owner, name, components, kept);
        Ok(())
    }

    fn colors(&mut self, owner: Owner, array: DataArray) {
        // Colors must not be chosen as the volume, even if they have a single component.
        self.list(owner, array.name, array.components.max(2), Vec::<u8>::new().into());
    }

    fn warn(&mut self, warning: String) {
        self.warnings.push(one_line(&warning));
    }
}

/// Reads an array of an image. Returns `None` if the data set is not an image.
pub(in crate::vtk) fn read_volume(
    source: &Source,
    header: &Header,
    wanted: Option<&str>,
) -> Result<Option<VolumeFile>, Flaw> {
    let mut cursor = Cursor::new(*source, header.end, header.binary);
    let mut is =
        |word: &str| cursor.word().is_some_and(|w| w.eq_ignore_ascii_case(word.as_bytes()));
    if !(is("DATASET") && is(IMAGE)) {
        return Ok(None);
    }
    let mut lattice = Lattice {
        dimensions: [0; 3],
        origin: [0.0; 3],
        spacing: [1.0; 3],
        directions: Placement::identity().steps(),
    };
    let mut arrays = Arrays::default();
    let mut owner = Owner::DataSet;
    while let Some(word) = cursor.word() {
        let keyword = String::from_utf8_lossy(word).to_ascii_uppercase();
        match keyword.as_str() {
            "DIMENSIONS" => {
                for n in &mut lattice.dimensions {
                    *n = cursor.count("the number of points along an axis")?;
                }
            }
            "ORIGIN" => lattice.origin = cursor.place("ORIGIN")?,
            "SPACING" | "ASPECT_RATIO" => lattice.spacing = cursor.place("SPACING")?,
            "POINT_DATA" => owner = Owner::Points(cursor.count("the number of points")?),
            "CELL_DATA" => owner = Owner::Cells(cursor.count("the number of cells")?),
            "METADATA" => attributes::skip_metadata(&mut cursor),
            other => attributes::read(&mut cursor, other, owner, &mut arrays)?,
        }
    }
    let chosen = choose(source, &arrays.listed, wanted)?;
    let samples = arrays.samples.swap_remove(chosen);
    let version = ("vtk", header.version_and_encoding());
    let mut file = lattice.volume(source, &arrays.listed, chosen, samples, version)?;
    file.warnings.extend(arrays.warnings);
    Ok(Some(file))
}
