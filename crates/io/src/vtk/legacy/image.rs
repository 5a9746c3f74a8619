//! Reader of `STRUCTURED_POINTS`: arrays on a regular grid, in the number type of the file.

use super::attributes::{self, Owner, Sink};
use super::cursor::Cursor;
use super::{Header, IMAGE};
use crate::scalar::Scalar;
use crate::volume::stored;
use crate::vtk::image::{Lattice, Listed, choose};
use crate::vtk::source::{Source, one_line};
use crate::{VolumeFile, VolumeOptions};
use zeroset_core::error::{Flaw, Result};
use zeroset_core::mesh::DataArray;
use zeroset_core::volume::{Placement, Samples};

/// The arrays of an image, with their values.
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
        self.list(owner, name, components, samples);
        Ok(())
    }

    fn colors(&mut self, owner: Owner, array: DataArray) {
        // A color with a single component must not be chosen as the volume. It is listed as an
        // array with two components but no numbers.
        let samples = match (array.components, stored::narrowed(Scalar::U8, array.values)) {
            (2.., Ok(samples)) => samples,
            _ => Vec::<u8>::new().into(),
        };
        self.list(owner, array.name, array.components.max(2), samples);
    }

    fn warn(&mut self, warning: String) {
        self.warnings.push(one_line(&warning));
    }
}

/// Reads an array of an image. Returns `None` if the data set is not an image.
pub(in crate::vtk) fn read_volume(
    source: &Source,
    header: &Header,
    options: &VolumeOptions,
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
    let chosen = choose(source, &arrays.listed, options)?;
    let samples = arrays.samples.swap_remove(chosen.0);
    let version = ("vtk", header.version_and_encoding());
    let mut file = lattice.volume(source, &arrays.listed, chosen, samples, version)?;
    file.warnings.extend(arrays.warnings);
    Ok(Some(file))
}
