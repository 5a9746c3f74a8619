//! Files that belong to another file: those that a reader opens along with the file it is given,
//! and those that a writer would create along with its output file.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::unpack::Unpack;
use super::{carp, load, medit, sniff, tetgen, text, volume, vtk};

/// The header of a volume is searched for file names only if it ends within this many bytes.
const HEAD: u64 = 4 << 20;

/// Returns the existing files that are read along with `path`, without `path` itself.
///
/// These are the parts of multi-file meshes, the `.sol` file of a `.mesh`, the data files of a
/// volume or GIFTI header, and the states of a `.pvd` list. For a folder, they are the `.pvd` and
/// `.vtkhdf` files in it, and the states of the `.pvd` lists. The result is empty for a file that
/// cannot be read, because the reader reports that.
pub fn companions_read(path: &Path) -> Vec<PathBuf> {
    if path.is_dir() {
        return in_folder(path);
    }
    let Some(head) = head(path) else { return Vec::new() };
    let head = text::without_mark(&head);
    let extension = sniff::extension(path);
    let extension = extension.as_str();
    let parts: &[&str] = match extension {
        extension if tetgen::EXTENSIONS.contains(&extension) => &tetgen::EXTENSIONS,
        extension if carp::EXTENSIONS.contains(&extension) => &carp::EXTENSIONS,
        "hdr" | "img" => &["hdr", "img"],
        _ if head.trim_ascii_start().starts_with(medit::MAGIC) => &["sol"],
        _ => &[],
    };
    let mut found: Vec<PathBuf> =
        parts.iter().filter_map(|part| load::partner(path, part)).collect();
    if extension == "pvd" || vtk::is_list(head) {
        found.extend(vtk::read_pvd(path).unwrap_or_default().into_iter().map(|(_, file)| file));
    }
    let begin = head.get(..4096).unwrap_or(head);
    let is_gifti = begin.windows(6).any(|word| word == b"<GIFTI");
    let names = match is_gifti {
        true => load::load(path).map_or_else(|_| Vec::new(), |file| external_names(&file.bytes)),
        false => volume::data_file_names(head),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    found.extend(names.into_iter().map(|name| folder.join(name)));
    found.retain(|file| file.is_file() && file != path);
    found
}

/// Returns the series in a folder and their states.
fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut lists: Vec<PathBuf> = paths.filter(|path| is_series(path) && path.is_file()).collect();
    lists.sort_unstable();
    let with_states = |list: PathBuf| {
        let states = companions_read(&list);
        std::iter::once(list).chain(states)
    };
    lists.into_iter().flat_map(with_states).collect()
}

/// Returns true if a file has the extension of a series: `.pvd` or `.vtkhdf`.
fn is_series(path: &Path) -> bool {
    ["pvd", "vtkhdf"].contains(&sniff::extension(path).as_str())
}

/// Returns the files that writing a mesh to `path` may create along with it. A reader of `path`
/// would use these files even if another program had created them.
pub fn companions_written(path: &Path) -> Vec<PathBuf> {
    let is_medit = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("mesh"));
    let endings: &[&str] = if is_medit { &["sol", "sol.gz"] } else { &[] };
    endings.iter().map(|ending| path.with_extension(ending)).collect()
}

/// Returns at most the first [`HEAD`] bytes of a regular file, decompressed if they are a gzip
/// stream. Other files, such as pipes, are not opened, because they can be read only once.
fn head(path: &Path) -> Option<Vec<u8>> {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(HEAD).read_to_end(&mut bytes).ok()?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Some(bytes);
    }
    let mut unpacked = Vec::new();
    // If the file is longer than the part read, the stream ends early. This error is ignored.
    let _ = Unpack::gzip(&bytes[..]).take(HEAD).read_to_end(&mut unpacked);
    Some(unpacked)
}

/// Returns the names of external data files in a GIFTI file.
fn external_names(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let values = text.split("ExternalFileName").skip(1).filter_map(|rest| {
        let rest = rest.trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        rest[1..].split(quote).next().map(String::from)
    });
    let mut names: Vec<String> = values.filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_read_along_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let volume = "NDims = 3\nDimSize = 2 1 1\nElementType = MET_UCHAR\nElementDataFile = ";
        let list =
            "<VTKFile><Collection><DataSet timestep=\"0\" file=\"s.vtp\"/></Collection></VTKFile>";
        for (name, text) in [
            ("a.mesh", "MeshVersionFormatted 2\n"),
            ("a.sol", ""),
            ("b.node", "1 3 0 0\n"),
            ("b.ele", ""),
            ("c.mhd", &format!("{volume}c.raw\n")),
            ("c.raw", "12"),
            ("d.mhd", &format!("{volume}LIST\nd1\nd2\n")),
            ("d1", "1"),
            ("d2", "2"),
            ("e.nhdr", "NRRD0004\ntype: uchar\ndimension: 1\nsizes: 2\ndata file: e.raw\n\n"),
            ("e.raw", "12"),
            (
                "f.gii",
                "<?xml version=\"1.0\"?><GIFTI><DataArray ExternalFileName=\"f.bin\"/></GIFTI>",
            ),
            ("f.bin", "1"),
            ("g.pvd", list),
            ("s.vtp", ""),
            ("h.hdr", ""),
            ("h.img", ""),
        ] {
            std::fs::write(path(name), text).unwrap();
        }
        for (name, along) in [
            ("a.mesh", &["a.sol"][..]),
            ("b.ele", &["b.node"]),
            ("c.mhd", &["c.raw"]),
            ("d.mhd", &["d1", "d2"]),
            ("e.nhdr", &["e.raw"]),
            ("f.gii", &["f.bin"]),
            ("g.pvd", &["s.vtp"]),
            ("h.img", &["h.hdr"]),
            ("s.vtp", &[]),
            ("none.mesh", &[]),
        ] {
            let along: Vec<PathBuf> = along.iter().map(|name| path(name)).collect();
            assert_eq!(companions_read(&path(name)), along, "{name}");
        }
        assert_eq!(companions_read(folder.path()), [path("g.pvd"), path("s.vtp")]);
        assert_eq!(companions_written(&path("a.MESH")), [path("a.sol"), path("a.sol.gz")]);
        assert!(companions_written(&path("a.sol")).is_empty());
    }
}
