//! Checks that byte-order marks, line endings and compression do not change the content of text
//! files.

use std::io::Write;
use std::path::{Path, PathBuf};

use zeroset_core::mesh::{DataArray, Group, Mesh};
use zeroset_io as io;

/// The inputs, each a list of files. The first file is read, and the others are in the same folder.
const INPUTS: &[&[(&str, &str)]] = &[
    &[(
        "v1.msh",
        "$NOD\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$ENDNOD\n$ELM\n1\n1 2 5 6 3 1 2 3\n$ENDELM\n",
    )],
    &[(
        "v2.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 5 \"a b\"\n$EndPhysicalNames\n\
         $Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n2\n1 2 2 5 6 1 2 3\n\
         2 1 1 0 1 2\n$EndElements\n$NodeData\n1\n\"u v\"\n1\n0.5\n3\n0\n1\n2\n1 2.5\n3 4\n\
         $EndNodeData\n",
    )],
    &[(
        "v41.msh",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 5 0\n\
         $EndEntities\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n\
         1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n",
    )],
    &[(
        "old.vtk",
        "# vtk DataFile Version 3.0\ntitle\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0\n1 0 0\n\
         0 1 0\nPOLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\nSCALARS a double 1\nLOOKUP_TABLE default\n1\n\
         2.5\n3\n",
    )],
    &[(
        "new.vtk",
        "# vtk DataFile Version 5.1\ntitle\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0\n1 0 0\n\
         0 1 0\nPOLYGONS 2 3\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n0 1 2\n",
    )],
    &[(
        "a.vtp",
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\">\n<PolyData>\n<Piece \
         NumberOfPoints=\"3\"\n NumberOfPolys=\"1\">\n<Points>\n<DataArray type=\"Float64\" \
         NumberOfComponents=\"3\" format=\"ascii\">\n0 0 0\n1 0 0\n0 1 0\n</DataArray>\n</Points>\n\
         <Polys>\n<DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">\n0 1\n2\n\
         </DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>\n\
         </Polys>\n</Piece>\n</PolyData>\n</VTKFile>\n",
    )],
    &[(
        "a.ply",
        "ply\nformat ascii 1.0\ncomment a\nelement vertex 3\nproperty float x\nproperty float y\n\
         property float z\nproperty int k\nelement face 1\nproperty list uchar int vertex_indices\n\
         end_header\n0 0 0 7\n1 0 0 8\n0 1 0 9\n3 0 1 2\n",
    )],
    &[("a.obj", "# a\no part\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\ng b\nf 3 2 1\nl 1 2\n")],
    &[("a.off", "OFF # a\n3 1 0\n\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")],
    &[(
        "a.stl",
        "solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
         endfacet\nendsolid a b\nsolid c\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n\
         vertex 1 0 0\nvertex 0 -1 0\nendloop\nendfacet\nendsolid c\n",
    )],
    &[(
        "a.gii",
        "<?xml version=\"1.0\"?>\n<GIFTI Version=\"1.0\">\n<LabelTable>\n<Label Key=\"1\">one</Label>\n\
         </LabelTable>\n<DataArray Intent=\"NIFTI_INTENT_LABEL\"\n DataType=\"NIFTI_TYPE_INT32\" \
         Dimensionality=\"1\" Dim0=\"3\" Encoding=\"ASCII\">\n<MetaData><MD>\n<Name>Name</Name>\n\
         <Value>x</Value></MD></MetaData>\n<Data>\n0\n1\n1\n</Data>\n</DataArray>\n</GIFTI>\n",
    )],
    &[("lh.asc", "#!ascii version of lh.a\n3 1\n0 0 0 0\n1 0 0 0\n0 1 1 0\n0 1 2 0\n")],
    &[("lh.a.label", "#!ascii label, from subject a\n2\n7 1 2 3 0.5\n2 0 0 0 1\n")],
    &[
        (
            "a.mesh",
            "MeshVersionFormatted 2\nDimension\n3\n# a remark\nVertices\n3\n0 0 0 0\n1 0 0 4\n\
             0 1 0 0\nTriangles 1\n1 2 3 9\nEnd\n",
        ),
        ("a.sol", "MeshVersionFormatted 2\nDimension 3\nSolAtVertices 3\n1 1\n1\n2.5\n-3\nEnd\n"),
    ],
    &[(
        "alone.sol",
        "MeshVersionFormatted 2\nDimension 3\nSolAtVertices 2\n1 2\n1 2 3\n4 5 6\nEnd\n",
    )],
    &[
        ("a.ele", "# a\n1 4 2\n1 1 2 3 4 -7 0.25\n"),
        ("a.node", "4 3 1 1\n1 0 0 0 0.5 0\n2 1 0 0 1.5 1\n3 0 1 0 2.5 1\n4 0 0 1 3.5 2\n"),
        ("a.face", "2 1\n1 1 2 3 5\n2 1 2 4 0\n"),
        ("a.edge", "1 0\n1 3 4\n"),
    ],
    &[
        ("a.elem", "2\nTt 0 1 2 3 7\nTr 0 1 2 3\n"),
        ("a.pts", "4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"),
        ("a.lon", "1\n1 0 0\n0 1 0\n"),
    ],
    &[("a.xyz", "# points\n0 0 0 1\n1 0 0 2\n\n0 1 0 3.5\n")],
    &[("a.csv", "time,\"label\",x\n0.5,3,1\n1.5, -4,2\n")],
    &[("a.dat", "# one\n0.5\n1\n-2e1\n")],
    &[("curve.txt", "# two\n0 0 0\n1 0 0\n1 1 0\n\n5,0,0\n6,0,0\n")],
];

/// The content of a file, read as a mesh, as data and as curves.
#[allow(dead_code)] // Only the debug text is used.
#[derive(Debug)]
struct Found {
    mesh: Option<Mesh>,
    warnings: Vec<String>,
    arrays: Option<Vec<DataArray>>,
    partial: Vec<io::PartialArray>,
    groups: Vec<Group>,
    curves: Option<Vec<io::Curve>>,
}

/// Returns the content as text, in which NaN equals NaN.
fn read(path: &Path) -> String {
    let (mesh, warnings) = match io::read_mesh(path) {
        Ok(file) => (Some(file.mesh), file.warnings),
        Err(_) => (None, Vec::new()),
    };
    let (arrays, partial, groups) = match io::read_data(path) {
        Ok(data) => (Some(data.arrays), data.partial, data.groups),
        Err(_) => Default::default(),
    };
    let curves = io::read_curves(path).ok().map(|found| found.curves);
    let found = Found { mesh, warnings, arrays, partial, groups, curves };
    let any = found.mesh.is_some() || found.arrays.is_some() || found.curves.is_some();
    assert!(any, "{}: {:?}", path.display(), io::read_mesh(path).err());
    format!("{found:?}")
}

/// Writes one variant of the files of an input and returns the path of the first file.
fn put(
    folder: &Path,
    files: &[(&str, &str)],
    mark: bool,
    end: &str,
    gzip: bool,
) -> Option<PathBuf> {
    let mut first = None;
    for (name, text) in files {
        let text = text.replace('\n', end);
        let mut bytes = if mark { format!("\u{feff}{text}") } else { text }.into_bytes();
        let mut path = folder.join(name);
        if gzip {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packer.write_all(&bytes).unwrap();
            bytes = packer.finish().unwrap();
            path = folder.join(format!("{name}.gz"));
        }
        std::fs::write(&path, bytes).unwrap();
        first.get_or_insert(path);
    }
    first
}

#[test]
fn marks_line_ends_and_gzip_change_nothing_in_any_format() {
    for &files in INPUTS {
        let form = |mark, end, gzip| {
            let folder = tempfile::tempdir().unwrap();
            read(&put(folder.path(), files, mark, end, gzip).unwrap())
        };
        let expected = form(false, "\n", false);
        for (mark, end, gzip) in [
            (true, "\n", false),
            (false, "\r\n", false),
            (false, "\r", false),
            (true, "\r\n", true),
            (false, "\n", true),
        ] {
            let name = files[0].0;
            assert_eq!(form(mark, end, gzip), expected, "{name}: {mark}, {end:?}, {gzip}");
        }
    }
}

/// Checks that a set of files is read even if only some of its files are compressed.
#[test]
fn files_of_a_set_need_not_be_compressed_alike() {
    for &files in INPUTS.iter().filter(|files| files.len() > 1) {
        let whole = tempfile::tempdir().unwrap();
        let expected = read(&put(whole.path(), files, false, "\n", false).unwrap());
        for k in 0..files.len() {
            let folder = tempfile::tempdir().unwrap();
            put(folder.path(), &files[..k], false, "\n", true);
            let (plain, packed) = (files[k].0, format!("{}.gz", files[0].0));
            put(folder.path(), &files[k..], true, "\n", false);
            let named = if k == 0 { folder.path().join(plain) } else { folder.path().join(packed) };
            assert_eq!(read(&named), expected, "{plain}");
        }
    }
}

/// Checks that files that cannot be read are rejected with a message that states what was found in
/// them, and a remedy.
#[test]
fn what_is_not_read_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let annotation = [&3_i32.to_be_bytes()[..], &[0; 24], &1_i32.to_be_bytes()].concat();
    let binary_40 = [&b"$MeshFormat\n4.0 1 8\n"[..], &[1, 0, 0, 0], b"\n$EndMeshFormat\n"].concat();
    for (name, bytes, found, remedy) in [
        ("lh.aparc.annot", annotation.as_slice(), "is a FreeSurfer annotation", "mris_convert"),
        ("a.msh", &binary_40, "MSH version 4.0 binary is not supported", "gmsh"),
        ("a.meshb", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0], "is a binary MEDIT file", "gmsh"),
        ("a.pts", b"2\n0 0 0\n1 0 0\n", "", ""),
        ("a.elem", b"1\nOc 0 1 0 1 0 1\n", "unknown type \"Oc\"", "split other elements"),
        ("a.off", b"OFF BINARY\n\0\0", "binary", "text"),
        (
            "a.vtk",
            b"# vtk DataFile Version 3.0\na\nASCII\nDATASET RECTILINEAR_GRID\n",
            "rectilinear VTK grid (legacy .vtk)",
            "Tetrahedralize",
        ),
        ("a.h5", b"\x89HDF\r\n\x1a\n\0\0\0", "HDF5 file", ".vtu"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        if found.is_empty() {
            continue;
        }
        let error = io::read_mesh(&path).unwrap_err().to_string();
        let (what, way) = error.split_once("; ").unwrap_or_else(|| panic!("{error}"));
        assert!(what.contains(found) && way.contains(remedy), "{name}: {error}");
    }
}
