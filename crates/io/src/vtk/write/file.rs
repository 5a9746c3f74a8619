//! Writer of the XML tags around appended arrays, and of `.pvd` files, which list the states of a
//! series.

use std::path::Path;

use super::encode::{Encoded, Numbers};
use super::{Field, VtkOutput};
use zeroset_core::atomic;
use zeroset_core::error::{Error, Result};

/// Writes the list of a series: the time and the file of each state, named relative to the folder
/// of `path`.
///
/// # Errors
/// Returns [`Error::Output`] if the file cannot be written.
pub fn write_pvd(path: &Path, series: &[(f64, impl AsRef<str>)]) -> Result<()> {
    atomic::write(path, |out| {
        out.write_all(
            b"<?xml version=\"1.0\"?>\n\
              <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n  \
              <Collection>\n",
        )?;
        for (time, file) in series {
            let file = escaped(file.as_ref());
            writeln!(out, "    <DataSet timestep=\"{time}\" part=\"0\" file=\"{file}\"/>")?;
        }
        out.write_all(b"  </Collection>\n</VTKFile>\n")
    })
}

/// A file being assembled: its tags, and the arrays to append.
pub(super) struct VtkFile<'a> {
    path: &'a Path,
    output: &'a VtkOutput<'a>,
    dataset: &'static str,
    tags: String,
    arrays: Vec<Array<'a>>,
    offset: u64,
}

/// An array of the geometry, or one encoded for this file.
enum Array<'a> {
    Shared(&'a Encoded<'a>),
    Own(Encoded<'a>),
}

impl<'a> Array<'a> {
    fn encoded(&self) -> &Encoded<'a> {
        match self {
            Array::Shared(encoded) => encoded,
            Array::Own(encoded) => encoded,
        }
    }
}

/// Returns the tag of an array that holds the text `value`, as the codes of its bytes and a final
/// 0.
pub(super) fn text_array(name: &str, value: &str) -> String {
    let codes: String = value.bytes().map(|byte| format!("{byte} ")).collect();
    format!(
        "      <DataArray type=\"String\" Name=\"{}\" NumberOfTuples=\"1\" \
         format=\"ascii\">{codes}0</DataArray>\n",
        escaped(name)
    )
}

/// Returns the tags of the field data: the time, if there is one, and other arrays.
pub(super) fn field_data(time: Option<f64>, others: &[String]) -> String {
    let time = time.map(|time| {
        format!(
            "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" \
             format=\"ascii\">{time}</DataArray>\n"
        )
    });
    match (&time, others) {
        (None, []) => String::new(),
        _ => {
            let (time, others) = (time.unwrap_or_default(), others.concat());
            format!("    <FieldData>\n{time}{others}    </FieldData>\n")
        }
    }
}

impl<'a> VtkFile<'a> {
    /// Creates a file with the tags before the piece.
    pub fn new(path: &'a Path, dataset: &'static str, output: &'a VtkOutput<'a>) -> Self {
        let compressor = output.geometry.compression.attribute();
        let mut tags = format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"{dataset}\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\"{compressor}>\n  <{dataset}>\n"
        );
        let texts = output.metadata.iter().map(|(name, value)| text_array(name, value));
        let texts: Vec<String> = texts.collect();
        tags += &field_data(output.time, &texts);
        VtkFile { path, output, dataset, tags, arrays: Vec::new(), offset: 0 }
    }

    /// Adds tags verbatim.
    pub fn text(&mut self, text: impl AsRef<str>) {
        self.tags += text.as_ref();
    }

    /// Adds a section whose content `body` writes.
    pub fn section(&mut self, name: &str, attributes: &str, body: impl FnOnce(&mut Self)) {
        self.text(format!("      <{name}{attributes}>\n"));
        body(self);
        self.text(format!("      </{name}>\n"));
    }

    fn tag(&mut self, name: &str, components: usize, array: Array<'a>, unit: Option<&str>) {
        let (name, type_name) = (escaped(name), array.encoded().type_name());
        let offset = self.offset;
        let end = match unit {
            None => "/>\n".to_string(),
            Some(unit) => format!(
                ">\n          <InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">{}\
                 </InformationKey>\n        </DataArray>\n",
                escaped(unit)
            ),
        };
        self.text(format!(
            "        <DataArray type=\"{type_name}\" Name=\"{name}\" \
             NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"{end}"
        ));
        self.offset += array.encoded().stored();
        self.arrays.push(array);
    }

    /// Adds an array of the geometry.
    pub fn array(&mut self, name: &str, components: usize, array: &'a Encoded<'a>) {
        self.tag(name, components, Array::Shared(array), None);
    }

    /// Adds point data, cell data and points, which `.vtu` and `.vtp` have in common.
    pub fn data_and_points(&mut self) -> Result<()> {
        let VtkOutput { geometry, point_data, cell_data, array_units, .. } = self.output;
        for (section, fields, rows) in [
            ("PointData", point_data, geometry.n_points),
            ("CellData", cell_data, geometry.n_cells),
        ] {
            for Field { name, components, values } in fields {
                let (found, expected) = (values.len(), components.checked_mul(rows));
                if Some(found) != expected || *components == 0 {
                    let what = format!(
                        "{section} '{name}' has {found} numbers, expected {components} times {rows}"
                    );
                    return Err(Error::output(self.path, what, "give every row all components"));
                }
            }
            let active = fields.iter().find(|field| field.components == 1);
            let active = active.map(|f| format!(" Scalars=\"{}\"", escaped(f.name)));
            self.section(section, &active.unwrap_or_default(), |file| {
                for &Field { name, components, values } in fields {
                    let encoded = Encoded::new(Numbers::Field(values), geometry.compression);
                    let unit = array_units.iter().find(|(array, _)| array == name);
                    let unit = unit.map(|(_, unit)| unit.as_str());
                    file.tag(name, components, Array::Own(encoded), unit);
                }
            });
        }
        self.section("Points", "", |file| file.array("Points", 3, &geometry.points));
        Ok(())
    }

    /// Closes the tags and writes the file.
    pub fn finish(mut self) -> Result<()> {
        let dataset = self.dataset;
        self.text(format!("    </Piece>\n  </{dataset}>\n  <AppendedData encoding=\"raw\">\n   _"));
        atomic::write(self.path, |out| {
            out.write_all(self.tags.as_bytes())?;
            self.arrays.iter().try_for_each(|array| array.encoded().write(out))?;
            out.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
        })
    }
}

/// Escapes text for the value of an XML attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML does not allow most control characters.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
