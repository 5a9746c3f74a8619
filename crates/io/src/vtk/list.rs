//! Reader of `.pvd` files, which list the states of a series.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use quick_xml::XmlVersion;
use quick_xml::events::Event;

use super::source::Source;
use crate::load;
use zeroset_core::error::{Flaw, Result};

/// Reads the times, in the unit of the series, and the files of the states of a series, in the
/// order of the list. File names in the list are relative to it. The returned paths can be opened
/// directly.
///
/// # Errors
/// Returns [`Error::Input`](zeroset_core::Error::Input) if the file is not such a list or lists
/// nothing.
pub fn read_pvd(path: &Path) -> Result<Vec<(f64, PathBuf)>> {
    let entries = load::load(path).and_then(|loaded| entries(path, &loaded.bytes));
    let entries = entries.map_err(|flaw| flaw.in_file(path))?;
    Ok(entries.into_iter().map(|entry| (entry.time, entry.file)).collect())
}

const REMEDY: &str = "use the .pvd file of a run, or the file of one state";

/// A file that the list names.
struct ListEntry {
    time: f64,
    /// The number of the part and the name of the group to which the file belongs.
    part: (String, String),
    file: PathBuf,
}

/// The files of a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ListedState {
    pub time: f64,
    /// The files of the parts. There is at least one.
    pub files: Vec<PathBuf>,
    /// The number of ignored entries. An entry is ignored if a later one with the same time has the
    /// same part or names the same file.
    pub replaced: usize,
}

/// Returns true if the bytes look like a `.pvd` list.
pub(crate) fn is_list(bytes: &[u8]) -> bool {
    let text = Source::new(bytes).bytes;
    let head = text.get(..4096).unwrap_or(text);
    let holds = |word: &[u8]| head.windows(word.len()).any(|found| found == word);
    text.starts_with(b"<") && holds(b"<VTKFile") && holds(b"<Collection")
}

/// Reads the states in a list, in the order of their times. `path` is the path of the list.
///
/// # Errors
/// Returns the errors of [`read_pvd`].
pub(crate) fn states(path: &Path, bytes: &[u8]) -> Result<Vec<ListedState>, Flaw> {
    let mut entries = entries(path, bytes)?;
    entries.sort_by(|a, b| a.time.total_cmp(&b.time));
    let same = |a: &ListEntry, b: &ListEntry| a.time == b.time;
    Ok(entries.chunk_by(same).map(state).collect())
}

/// Builds the state from all entries of the same time. Of several entries with the same part, the
/// last counts. A file that several parts name is read once.
fn state(entries: &[ListEntry]) -> ListedState {
    let (mut parts, mut files, mut kept) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut replaced = 0;
    for entry in entries.iter().rev() {
        match parts.insert(&entry.part) && files.insert(&entry.file) {
            true => kept.push(entry.file.clone()),
            false => replaced += 1,
        }
    }
    kept.reverse();
    ListedState { time: entries[0].time, files: kept, replaced }
}

fn entries(path: &Path, bytes: &[u8]) -> Result<Vec<ListEntry>, Flaw> {
    let source = Source::new(bytes);
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
        let (mut time, mut file, mut part) = (0.0, None, <(String, String)>::default());
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|e| fail(format!("DataSet: {e}")))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|e| fail(format!("DataSet: {e}")))?;
            match attribute.key.as_ref() {
                "timestep" => {
                    let found = value.trim().parse().ok().filter(|t: &f64| t.is_finite());
                    time = found.ok_or_else(|| fail(format!("timestep {value:?} is not valid")))?;
                }
                "part" => part.0 = value.trim().to_string(),
                "group" => part.1 = value.to_string(),
                "file" => file = Some(folder.join(&*value)),
                _ => {}
            }
        }
        let file = file.ok_or_else(|| fail("DataSet has no file".into()))?;
        states.push(ListEntry { time, part, file });
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
    fn parts_belong_together_and_later_entries_replace_earlier_ones() {
        let list = "<VTKFile type=\"Collection\">\n<Collection>\
            <DataSet timestep=\"2\" part=\"0\" file=\"c\"/>\
            <DataSet timestep=\"1\" part=\"0\" file=\"a\"/>\
            <DataSet timestep=\"1\" part=\"1\" file=\"b\"/>\
            <DataSet timestep=\"2\" part=\"0\" file=\"d\"/>\
            </Collection></VTKFile>";
        assert!(is_list(list.as_bytes()) && !is_list(b"<VTKFile type=\"PolyData\">"));
        let found = states(Path::new("x/a.pvd"), list.as_bytes()).unwrap();
        let state = |time, names: &[&str], replaced| {
            let files = names.iter().map(|name| Path::new("x").join(name)).collect();
            ListedState { time, files, replaced }
        };
        assert_eq!(found, [state(1.0, &["a", "b"], 0), state(2.0, &["d"], 1)]);
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
