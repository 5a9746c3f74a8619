//! Reader of `.pvd` files, which list the states of a series.

use std::path::{Path, PathBuf};

use quick_xml::XmlVersion;
use quick_xml::events::Event;

use super::source::Source;
use crate::load;
use zeroset_core::error::{Flaw, Result};

/// Reads the times and files of the states of a series, in the order of the list. File names in the
/// list are relative to it. The returned paths can be opened directly.
///
/// # Errors
/// Returns [`Error::Input`](zeroset_core::Error::Input) if the file is not such a list or lists
/// nothing.
pub fn read_pvd(path: &Path) -> Result<Vec<(f64, PathBuf)>> {
    list(path).map_err(|flaw| flaw.in_file(path))
}

fn list(path: &Path) -> Result<Vec<(f64, PathBuf)>, Flaw> {
    const REMEDY: &str = "use the .pvd file of a run, or the file of one state";
    let bytes = load::load(path)?.bytes;
    let source = Source::new(&bytes);
    let mut reader = quick_xml::Reader::from_reader(source.bytes);
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut states = Vec::new();
    loop {
        let at = reader.buffer_position() as usize;
        let fail = |what: String| source.fail(source.line(at), what, REMEDY);
        let tag = match reader.read_event().map_err(|e| fail(format!("not a list in XML: {e}")))? {
            Event::Start(tag) | Event::Empty(tag) if tag.name().as_ref() == "DataSet" => tag,
            Event::Eof => break,
            _ => continue,
        };
        let (mut time, mut file) = (0.0, None);
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|e| fail(format!("DataSet: {e}")))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|e| fail(format!("DataSet: {e}")))?;
            match attribute.key.as_ref() {
                "timestep" => {
                    let found = value.trim().parse().ok().filter(|t: &f64| t.is_finite());
                    time = found.ok_or_else(|| fail(format!("timestep {value:?} is not valid")))?;
                }
                "file" => file = Some(folder.join(&*value)),
                _ => {}
            }
        }
        states.push((time, file.ok_or_else(|| fail("DataSet has no file".into()))?));
    }
    match states.is_empty() {
        true => Err(source.fail("", "lists no states", REMEDY)),
        false => Ok(states),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vtk::write_pvd;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pvd");
        write_pvd(&path, &[(0.0, "a_0.vtu"), (0.5, "b/<a>&1.vtu")]).unwrap();
        let expected = [(0.0, "a_0.vtu"), (0.5, "b/<a>&1.vtu")];
        assert_eq!(read_pvd(&path).unwrap(), expected.map(|(t, f)| (t, folder.path().join(f))));
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pvd");
        let message = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_pvd(&path).unwrap_err().to_string()
        };
        assert!(message("<VTKFile><Collection/></VTKFile>").contains("lists no states"));
        assert!(message("<a><DataSet timestep=\"1\"/></a>").contains("has no file"));
        assert!(message("<a>\n<DataSet timestep=\"now\" file=\"b\"/></a>").contains("line 2"));
        assert!(message("<DataSet timestep=\"NaN\" file=\"b\"/>").contains("timestep \"NaN\""));
        assert!(message("<a><b></a>").contains("not a list in XML"));
        assert!(message("solid a").contains("lists no states"));
    }
}
