//! Detection of file formats. The content takes precedence. The name counts only if the content
//! does not identify the format.

mod content;
mod foreign;
mod unsupported;

use std::path::Path;

use super::text::{show, without_mark, words};
use super::volume;
use super::{carp, cloud, columns, freesurfer, medit, mni, off, stl, tetgen};
use content::Content;
use unsupported::foreign;
pub use unsupported::instead_of_a_case;
use zeroset_core::error::{Flaw, FlawKind, Result};

/// The supported file formats.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Format {
    /// Gmsh meshes.
    Msh,
    /// VTK: legacy, XML and HDF files.
    Vtk,
    /// PLY, the Stanford polygon format.
    Ply,
    /// OBJ, Wavefront's polygon format.
    Obj,
    /// MNI objects, neuroimaging polygons with the same extension as Wavefront's OBJ.
    Mni,
    /// OFF, Geomview's polygon format.
    Off,
    /// STL, triangles for stereolithography.
    Stl,
    /// GIFTI, surfaces and vertex data in neuroimaging.
    Gifti,
    /// FreeSurfer surfaces.
    FreeSurfer,
    /// MEDIT meshes.
    Medit,
    /// TetGen and Triangle meshes.
    TetGen,
    /// Meshes of CARP, the Cardiac Arrhythmia Research Package.
    Carp,
    /// Points in text form.
    Xyz,
    /// PCD, the format of the Point Cloud Library.
    Pcd,
    /// LAS and LAZ, lidar points, plain or compressed.
    Las,
    /// E57, points from terrestrial scanners.
    E57,
    /// PTX, the text format of Leica scanners.
    Ptx,
    /// FreeSurfer values per vertex.
    Morph,
    /// FreeSurfer labels: sets of vertices of a surface.
    Label,
    /// CARP lists of vertices.
    VertexList,
    /// MEDIT values per vertex.
    Solution,
    /// Values per vertex in text form.
    Columns,
    /// NIfTI, the volume format of neuroimaging.
    Nifti,
    /// NRRD, the volume format of Teem.
    Nrrd,
    /// MetaImage, the volume format of ITK.
    MetaImage,
    /// MGH, the volume format of FreeSurfer, which also holds values per vertex.
    Mgh,
    /// NumPy arrays.
    Npy,
    /// PNG pictures.
    Png,
    /// TIFF pictures.
    Tiff,
    /// Portable anymaps (PNM). Only PGM can be read.
    Pnm,
    /// Raw numbers of a volume, whose layout the user must state.
    Raw,
}

impl Format {
    /// Returns true for volumes and pictures. Returns false for VTK, whose files hold a mesh or a
    /// volume.
    pub fn is_volume(self) -> bool {
        self.volume().is_some()
    }

    /// Returns the common name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Format::Msh => "Gmsh",
            Format::Vtk => "VTK",
            Format::Ply => "PLY",
            Format::Obj => "OBJ",
            Format::Mni => "MNI object",
            Format::Off => "OFF",
            Format::Stl => "STL",
            Format::Gifti => "GIFTI",
            Format::FreeSurfer | Format::Morph | Format::Label => "FreeSurfer",
            Format::Medit | Format::Solution => "MEDIT",
            Format::TetGen => "TetGen",
            Format::Carp | Format::VertexList => "CARP",
            Format::Xyz => "XYZ",
            Format::Pcd => "PCD",
            Format::Las => "LAS",
            Format::E57 => "E57",
            Format::Ptx => "PTX",
            Format::Columns => "columns of text",
            Format::Nifti => "NIfTI",
            Format::Nrrd => "NRRD",
            Format::MetaImage => "MetaImage",
            Format::Mgh => "MGH",
            Format::Npy => "numpy",
            Format::Png => "PNG",
            Format::Tiff => "TIFF",
            Format::Pnm => "PGM",
            Format::Raw => "raw numbers",
        }
    }

    /// Returns the kind of content that the format holds.
    fn kind(self) -> &'static str {
        match self {
            Format::Png | Format::Tiff | Format::Pnm => "a picture",
            _ if self.is_volume() => "a volume",
            Format::Vtk => "a mesh or a volume",
            Format::Xyz | Format::Pcd | Format::Las | Format::E57 | Format::Ptx => "a point cloud",
            Format::VertexList => "a list of vertices",
            Format::Morph | Format::Label | Format::Solution | Format::Columns => "numbers",
            _ => "a mesh",
        }
    }

    /// Returns a phrase such as "a NIfTI volume", or `None` if the format does not hold volumes.
    pub fn volume(self) -> Option<&'static str> {
        Some(match self {
            Format::Nifti => "a NIfTI volume",
            Format::Nrrd => "an NRRD volume",
            Format::MetaImage => "a MetaImage volume",
            Format::Mgh => "an MGH volume",
            Format::Npy => "a NumPy array",
            Format::Png | Format::Tiff | Format::Pnm => "a picture",
            Format::Raw => "raw numbers",
            _ => return None,
        })
    }
}

const READABLE: &str = "supported formats are Gmsh (.msh), VTK (.vtk, .vtu, .vtp, .vtkhdf, .pvd), PLY, OBJ, OFF, STL, GIFTI \
                        (.gii), FreeSurfer surfaces (lh.pial, ...), MEDIT (.mesh), TetGen (.node, \
                        .ele), CARP (.pts, .elem); points as text (.xyz), PCD, LAS, LAZ, E57; for volumes NIfTI (.nii), \
                        NRRD, MetaImage (.mha, .mhd), MGH (.mgz), VTK (.vti), NumPy (.npy), PNG, TIFF, PGM; \
                        any of them also as .gz";

/// The file extensions and their formats.
const EXTENSIONS: [(&str, Format); 40] = [
    ("msh", Format::Msh),
    ("vtk", Format::Vtk),
    ("vtu", Format::Vtk),
    ("vtp", Format::Vtk),
    ("vti", Format::Vtk),
    ("pvd", Format::Vtk),
    ("vtkhdf", Format::Vtk),
    ("ply", Format::Ply),
    ("obj", Format::Obj),
    ("off", Format::Off),
    ("coff", Format::Off),
    ("noff", Format::Off),
    ("stl", Format::Stl),
    ("stla", Format::Stl),
    ("gii", Format::Gifti),
    ("label", Format::Label),
    ("vtx", Format::VertexList),
    ("mesh", Format::Medit),
    ("sol", Format::Solution),
    ("xyz", Format::Xyz),
    ("pcd", Format::Pcd),
    ("las", Format::Las),
    ("laz", Format::Las),
    ("e57", Format::E57),
    ("ptx", Format::Ptx),
    ("nii", Format::Nifti),
    ("hdr", Format::Nifti),
    ("img", Format::Nifti),
    ("nrrd", Format::Nrrd),
    ("nhdr", Format::Nrrd),
    ("mha", Format::MetaImage),
    ("mhd", Format::MetaImage),
    ("mgh", Format::Mgh),
    ("mgz", Format::Mgh),
    ("npy", Format::Npy),
    ("png", Format::Png),
    ("tif", Format::Tiff),
    ("tiff", Format::Tiff),
    ("pgm", Format::Pnm),
    ("raw", Format::Raw),
];

/// Determines the format of `bytes`, the content of `path`. Also returns a warning if the file name
/// suggests another format.
///
/// # Errors
/// Returns a [`Flaw`] if the format is known but not supported. Returns a [`Flaw`] that lists the
/// supported formats if the format cannot be determined.
pub(super) fn format(path: &Path, bytes: &[u8]) -> Result<(Format, Option<String>), Flaw> {
    let extension = extension(path);
    if let Some((what, remedy)) = foreign(&extension, bytes) {
        return Err(Flaw::whole(what, remedy).kind_of(FlawKind::Unsupported));
    }
    // Scanners also write plain points under the CARP extension `.pts`.
    let is_mesh = |format: &Format| *format != Format::Carp || carp::is_mesh(path, &extension);
    let named = by_name(&extension).map(|f| if is_mesh(&f) { f } else { Format::Xyz });
    match (by_content(bytes), named) {
        // Both formats have the extension .obj.
        (Some(Format::Mni), Some(Format::Obj)) => Ok((Format::Mni, None)),
        (Some(format), Some(other)) if format != other => {
            let name = format.name();
            let what =
                format!("the extension is .{extension}, but the content is {name}: read as {name}");
            Ok((format, Some(what)))
        }
        (Some(format), _) | (None, Some(format)) => Ok((format, None)),
        (None, None) => {
            if let Some(format) = by_guess(bytes) {
                return Ok((format, None));
            }
            let head = show(bytes.split(|&b| b == b'\n').next().unwrap_or(bytes));
            let near = nearest(&extension);
            let near = near.map_or(String::new(), |n| format!("did you mean .{n}? "));
            let what = format!("unknown format, the content begins with {head}");
            let flaw = Flaw::whole(what, format!("{near}{READABLE}"));
            Err(flaw.kind_of(FlawKind::Unsupported))
        }
    }
}

/// Returns true for a FreeSurfer annotation, which is data of a mesh in another file.
pub(super) fn is_annotation(path: &Path, bytes: &[u8]) -> bool {
    let extension = extension(path);
    extension == "annot" || Content::new(&extension, bytes).is_annotation()
}

/// Returns the extension of a file name in lower case. A final ".gz" is ignored.
pub(super) fn extension(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.rsplit_once('.').map_or("", |(_, extension)| extension).to_string()
}

fn by_name(extension: &str) -> Option<Format> {
    if freesurfer::SURFACE_NAMES.contains(&extension) {
        return Some(Format::FreeSurfer);
    }
    if let Some(&(_, format)) = EXTENSIONS.iter().find(|(name, _)| *name == extension) {
        return Some(format);
    }
    if tetgen::EXTENSIONS.contains(&extension) {
        return Some(Format::TetGen);
    }
    if carp::EXTENSIONS.contains(&extension) {
        return Some(Format::Carp);
    }
    if columns::DATA_NAMES.contains(&extension) {
        return Some(Format::Columns);
    }
    freesurfer::MORPH_NAMES.contains(&extension).then_some(Format::Morph)
}

/// Guesses the format if neither the content nor the name identifies it. Returns `None` if nothing
/// suggests a format.
fn by_guess(bytes: &[u8]) -> Option<Format> {
    // FreeSurfer's old data format has no magic bytes, but the file size identifies it.
    if freesurfer::old_count(bytes).is_some() {
        return Some(Format::Morph);
    }
    let text = without_mark(bytes);
    let head = text.get(..columns::HEAD).unwrap_or(text);
    if !head.iter().all(|&b| b >= b' ' || b.is_ascii_whitespace()) {
        return None;
    }
    if columns::count_of_points(head).is_some() {
        return Some(Format::Xyz);
    }
    let is_table = columns::begins_with_number(head) || columns::begins_with_names(head);
    is_table.then_some(Format::Columns)
}

/// Returns the supported extension for which `extension` may be a typo, or `None` if none is close.
fn nearest(extension: &str) -> Option<&'static str> {
    let others = [&freesurfer::SURFACE_NAMES[..], &tetgen::EXTENSIONS, &carp::EXTENSIONS];
    let known = EXTENSIONS.iter().map(|&(name, _)| name).chain(others.concat());
    let near = known.map(|name| (strsim::damerau_levenshtein(name, extension), name));
    let limit = if extension.len() < 3 { 1 } else { extension.len() / 3 };
    near.min().filter(|&(distance, _)| distance <= limit && !extension.is_empty()).map(|n| n.1)
}

fn by_content(bytes: &[u8]) -> Option<Format> {
    if freesurfer::is_quad_surface(bytes) {
        return Some(Format::FreeSurfer);
    }
    if bytes.starts_with(&freesurfer::MORPH) {
        return Some(Format::Morph);
    }
    if bytes.starts_with(&[0xff, 0xff]) && matches!(bytes.get(2), Some(0xfb | 0xfd | 0xfe)) {
        return Some(Format::FreeSurfer);
    }
    if bytes.starts_with(b"LASF") {
        return Some(Format::Las);
    }
    if bytes.starts_with(b"ASTM-E57") {
        return Some(Format::E57);
    }
    if Content::new("", bytes).is_vtk_hdf() {
        return Some(Format::Vtk);
    }
    if let Some(format) = volume::by_content(bytes) {
        return Some(format);
    }
    let bytes = without_mark(bytes);
    let head = bytes.get(..4096).unwrap_or(bytes);
    let text = head.trim_ascii_start();
    let holds = |word: &[u8]| head.windows(word.len()).any(|w| w.eq_ignore_ascii_case(word));
    if text.starts_with(b"ply\n") || text.starts_with(b"ply\r") {
        return Some(Format::Ply);
    }
    let pcd = holds(b"FIELDS ") && holds(b"\nPOINTS ") && holds(b"\nDATA ");
    if text.starts_with(b"# .PCD") || pcd {
        return Some(Format::Pcd);
    }
    if text.starts_with(b"$MeshFormat") || text.starts_with(b"$NOD") {
        return Some(Format::Msh);
    }
    if text.starts_with(b"$Comments") && holds(b"$MeshFormat") {
        return Some(Format::Msh);
    }
    if text.starts_with(medit::MAGIC) {
        let solution = holds(b"SolAt") && !holds(b"\nVertices");
        return Some(if solution { Format::Solution } else { Format::Medit });
    }
    if mni::is_polygons(text) {
        return Some(Format::Mni);
    }
    if cloud::is_ptx(text) {
        return Some(Format::Ptx);
    }
    if text.starts_with(freesurfer::TEXT_SURFACE) {
        return Some(Format::FreeSurfer);
    }
    if text.starts_with(freesurfer::LABEL) {
        return Some(Format::Label);
    }
    if text.starts_with(b"# vtk DataFile") {
        return Some(Format::Vtk);
    }
    if text.starts_with(b"<") && holds(b"<VTKFile") {
        return Some(Format::Vtk);
    }
    if text.starts_with(b"<") && holds(b"<GIFTI") {
        return Some(Format::Gifti);
    }
    let solid = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    if stl::has_binary_size(bytes) || (solid && (holds(b"facet") || holds(b"endsolid"))) {
        return Some(Format::Stl);
    }
    let mut lines = head.split(|&b| b == b'\n' || b == b'\r').map(<[u8]>::trim_ascii);
    let first = lines.clone().find(|line| !line.is_empty() && !line.starts_with(b"#"));
    if first.is_some_and(|line| off::keyword(line).is_some()) {
        return Some(Format::Off);
    }
    // OBJ has no magic word. Instead, every line begins with one of a few keywords, and some lines
    // begin with "v".
    let cut = bytes.len() > head.len();
    let n_lines = lines.clone().count();
    let mut vertices = false;
    let obj = lines.by_ref().take(if cut { n_lines - 1 } else { n_lines }).all(|line| {
        let word = words(line).next().unwrap_or(b"#");
        vertices |= word == b"v";
        word.starts_with(b"#") || OBJ_WORDS.contains(&word)
    });
    (obj && vertices).then_some(Format::Obj)
}

const OBJ_WORDS: [&[u8]; 12] =
    [b"v", b"vt", b"vn", b"vp", b"f", b"l", b"p", b"g", b"o", b"s", b"usemtl", b"mtllib"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        for (text, name, expected) in [
            ("ply\nformat", "x.stl", Format::Ply),
            ("\u{feff}ply\r\nformat", "x", Format::Ply),
            ("$MeshFormat\n", "x.mesh", Format::Msh),
            ("<?xml?>\n<!-- a --> <VTKFile", "x.xml", Format::Vtk),
            ("<?xml?>\n<GIFTI ", "x.xml", Format::Gifti),
            ("# vtk DataFile Version 3.0", "x.ply", Format::Vtk),
            ("# a\n\n COFF\n", "x", Format::Off),
            ("# a\nmtllib a\nv 0 0 0\nf 1 1 1\n", "x", Format::Obj),
            ("SOLID a\n facet normal", "x", Format::Stl),
            ("solid a", "x.STL.gz", Format::Stl),
            ("anything", "lh.pial", Format::FreeSurfer),
            ("MeshVersionFormatted 2\nDimension 3\nVertices", "x.sol", Format::Medit),
            ("MeshVersionFormatted 2\nDimension 3\nSolAtVertices 1", "x", Format::Solution),
            ("#!ascii version of lh.pial\n1 1", "lh.pial.asc", Format::FreeSurfer),
            ("#!ascii label, from subject a\n1", "lh.V1", Format::Label),
            ("1\n0 0 0 0 0", "lh.V1.label", Format::Label),
            ("1 3 0 0", "x.1.node.gz", Format::TetGen),
            ("1\n0 0 0", "x.PTS", Format::Xyz),
            ("1\n0 0 0", "/dev/stdin", Format::Xyz),
            ("2\n0 0 0 9 1 2 3\n", "scan", Format::Xyz),
            ("1\nTt 0 1 2 3 1", "x.elem", Format::Carp),
            ("0 0 0", "x.xyz", Format::Xyz),
            ("# .PCD v.7\nVERSION .7", "x.ply", Format::Pcd),
            ("LASF", "x.laz", Format::Las),
            ("ASTM-E57", "x", Format::E57),
            ("a b\n0 0", "x.csv", Format::Columns),
            ("# of no name\n-0.5 0\n", "values", Format::Columns),
            ("x,y,z,v\r\n0,1,2,3\r\n", "/dev/stdin", Format::Columns),
            ("# made\nx y z\n0 1 2\n", "/dev/stdin", Format::Columns),
            ("x,y,z,v,i,j,k\n", "/dev/stdin", Format::Columns),
        ] {
            let found = format(Path::new(name), text.as_bytes()).unwrap();
            assert_eq!(found.0, expected, "{text:?} in {name}");
        }
        let warning = format(Path::new("x.stl"), b"ply\nformat").unwrap().1;
        assert_eq!(warning.unwrap(), "the extension is .stl, but the content is PLY: read as PLY");
    }

    #[test]
    fn volumes_are_known_by_content() {
        let mut nifti = vec![0; 348];
        nifti[344..].copy_from_slice(b"n+1\0");
        for (bytes, expected) in [
            (nifti.as_slice(), Format::Nifti),
            (b"\x1c\x02\0\0n+2\0\r\n\x1a\n", Format::Nifti),
            (b"NRRD0004\n", Format::Nrrd),
            (b"ObjectType = Image\n", Format::MetaImage),
            (b"NDims = 3\nDimSize = 1 1 1\nElementType = MET_CHAR\n", Format::MetaImage),
            (b"\x93NUMPY\x01\0", Format::Npy),
            (b"P5 3 3 255 ", Format::Pnm),
            (b"P2\n# made\n3 3 255", Format::Pnm),
            (b"\x89PNG\r\n", Format::Png),
            (b"II*\0\x08\0\0\0", Format::Tiff),
            (b"MM\0*\0\0\0\x08", Format::Tiff),
        ] {
            assert_eq!(format(Path::new("x"), bytes).unwrap().0, expected);
            assert!(expected.is_volume());
        }
        let columns = format(Path::new("x.txt"), b"P2 is a word\n1 2\n").unwrap().0;
        assert_eq!(columns, Format::Columns);
    }

    #[test]
    fn unknown_content_names_what_is_readable() {
        let error = format(Path::new("a/x.gi"), b"hello\nworld").unwrap_err().to_string();
        let found =
            "unknown format, the content begins with \"hello\"; did you mean .gii? supported";
        assert!(error.contains(found), "{error}");
        for text in ["hello", "x\ty\n", "two words\n1 2 3\n", "a b\nc d\n"] {
            let error = format(Path::new("x"), text.as_bytes()).unwrap_err().to_string();
            assert!(!error.contains("did you mean"), "{error}");
        }
    }
}
