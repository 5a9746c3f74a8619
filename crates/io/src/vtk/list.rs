//! Reading the list of a series, `.pvd`.

use std::path::{Path, PathBuf};

use quick_xml::XmlVersion;
use quick_xml::events::Event;

use super::source::Source;
use crate::load;
use zeroset_core::error::{Flaw, Result};

/// Reads a list of the states of a series: times and files, in the order of the list. Files stand
/// relative to the list; here they are paths that can be opened.
///
/// # Errors
/// [`Error::Input`](zeroset_core::Error::Input) for a file that is no such list, or lists nothing.
pub fn read_pvd(path: &Path) -> Result<Vec<(f64, PathBuf)>> {
    list(path).map_err(|flaw| flaw.in_file(path))
}

fn list(path: &Path) -> Result<Vec<(f64, PathBuf)>, Flaw> {
    const REMEDY: &str = "give the .pvd file of a run, or the file of one state";
    let bytes = load::load(path)?;
    let source = Source::new(&bytes);
    let mut reader = quick_xml::Reader::from_reader(source.bytes);
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut states = Vec::new();
    loop {
        let at = reader.buffer_position() as usize;
        let fail = |what: String| source.fail(source.line(at), what, REMEDY);
        let tag = match reader.read_event().map_err(|e| fail(format!("no list in XML: {e}")))? {
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
                    time = found.ok_or_else(|| fail(format!("the time {value:?}")))?;
                }
                "file" => file = Some(folder.join(&*value)),
                _ => {}
            }
        }
        states.push((time, file.ok_or_else(|| fail("DataSet without a file".into()))?));
    }
    match states.is_empty() {
        true => Err(source.fail("", "lists no state", REMEDY)),
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
        assert!(message("<VTKFile><Collection/></VTKFile>").contains("lists no state"));
        assert!(message("<a><DataSet timestep=\"1\"/></a>").contains("without a file"));
        assert!(message("<a>\n<DataSet timestep=\"now\" file=\"b\"/></a>").contains("line 2"));
        assert!(message("<DataSet timestep=\"NaN\" file=\"b\"/>").contains("the time \"NaN\""));
        assert!(message("<a><b></a>").contains("no list in XML"));
        assert!(message("solid a").contains("lists no state"));
    }
}
