//! Tests of the recognition of each unsupported format.

use super::*;

fn name(extension: &str, bytes: &[u8]) -> &'static str {
    find(extension, bytes).map_or("", |format| format.name)
}

fn with(place: usize, word: &[u8], n: usize) -> Vec<u8> {
    let mut bytes = vec![0; n];
    bytes[place..place + word.len()].copy_from_slice(word);
    bytes
}

#[test]
fn text_is_recognized_by_its_words() {
    for (text, expected) in [
        ("(0 \"GAMBIT to Fluent File\")\n(2 3)\n", "a mesh of Fluent"),
        ("(2 2)\n(10 (0 1 9 0 2))\n", "a mesh of Fluent"),
        ("\r\n(1 \"ANSYS(R) TGLib(TM) 3D, revision 18\")", "a mesh of Fluent"),
        ("$ a remark\nBEGIN BULK\nGRID,1,,0.,0.,0.\n", "a Nastran mesh"),
        ("GRID           1              0.      0.      0.\n", "a Nastran mesh"),
        ("** a remark\n*Heading\n*Node\n1, 0, 0, 0\n", "an Abaqus mesh"),
        ("*KEYWORD\n*NODE\n", "an LS-DYNA keyword file"),
        ("% a remark\nNDIME= 2\n", "an SU2 mesh"),
        ("    -1\n  2411\n", "a universal file"),
        ("FoamFile\n{\n class polyMesh;\n}", "an OpenFOAM file"),
        ("FORMAT\ntype: ensight gold\n", "an EnSight case"),
        ("TITLE = \"a\"\nVARIABLES = \"X\"\nZONE N=3\n", "a Tecplot file"),
        ("# Created by COMSOL Multiphysics\n# Major & minor version\n0 1\n", "a COMSOL mesh"),
        ("# AmiraMesh 3D ASCII 2.0\n", "an Amira or Avizo file"),
        ("ISO-10303-21;\nHEADER;", "a STEP file"),
        ("Point(1) = {0, 0, 0};\nLine(1) = {1, 2};\n", "a Gmsh geometry"),
        ("{\"asset\": {\"version\": \"2.0\"}, \"meshes\": []}", "a glTF model"),
        ("#VRML V2.0 utf8\n", "a VRML or X3D scene"),
        ("<?xml version='1.0'?>\n<COLLADA version='1.4.1'>", "a COLLADA model"),
        ("  0\nSECTION\n", "a DXF drawing"),
        ("<!DOCTYPE html>\n<html>", "a web page"),
        ("L 1 2\n0 0 0\n1 0 0\n", "an MNI object of lines"),
        ("<VTKFile type=\"PImageData\" version=\"0.1\">", "an image in parts"),
        ("<VTKFile version='1' type='PStructuredGrid'>", "a structured or rectilinear"),
        ("# vtk DataFile Version 3.0\na\nASCII\nDATASET RECTILINEAR_GRID", "a structured or"),
    ] {
        let found = name("x", text.as_bytes());
        assert!(!found.is_empty() && found.starts_with(expected), "{text}: {found:?}");
        let marked = ["\u{feff}", text].concat();
        assert_eq!(name("ply", marked.as_bytes()), found, "with a byte-order mark");
    }
}

#[test]
fn binary_files_are_recognized_by_their_magic_bytes() {
    let hdf5 = |words: &[u8]| [b"\x89HDF\r\n\x1a\n", words].concat();
    for (bytes, expected) in [
        (with(128, b"DICM", 200), "a DICOM file"),
        (b"\x08\0\x05\0CS\x0a\0ISO_IR 100".to_vec(), "a DICOM file"),
        (hdf5(b"minc-2.0"), "a MINC volume"),
        (hdf5(b"CGNSLibraryVersion"), "a CGNS mesh"),
        (hdf5(b"_NCProperties"), "a netCDF file"),
        (hdf5(b""), "an HDF5 file"),
        (b"CDF\x01\0\0num_el_blk".to_vec(), "an Exodus mesh"),
        (b"CDF\x02".to_vec(), "a netCDF file"),
        (with(0, b"MATLAB 5.0 MAT-file", 200), "a MATLAB file"),
        (with(257, b"ustar", 512), "a tar archive"),
        (b"PK\x03\x04\0\0phi.npy".to_vec(), "a NumPy archive"),
        (b"PK\x03\x04".to_vec(), "compressed with"),
        (b"glTF\x02\0\0\0".to_vec(), "a glTF model"),
        (b"RIFF\0\0\0\0WEBPVP8 ".to_vec(), "a JPEG 2000, GIF"),
        (b"MM\x06\0\0\0".to_vec(), "a 3D Studio model"),
    ] {
        let found = name("x", &bytes);
        assert!(!found.is_empty() && found.starts_with(expected), "{bytes:?}: {found:?}");
    }
}

#[test]
fn files_that_are_read_are_not_foreign() {
    for text in [
        "solid a\nfacet normal 0 0 1\n",
        "-1\n2\n3\n",
        "-1 0 0\n2411 0 0\n",
        "x,y,z\n0,0,0\n",
        "P 0.3 0.3 0.4 10 1 3\n",
        "# vtk DataFile Version 3.0\na\nASCII\nDATASET STRUCTURED_POINTS\n",
        "<VTKFile type='UnstructuredGrid'>",
        "<VTKFile type='ImageData'>",
        "<VTKFile type='Collection'>",
        "v 0 0 0\np 1\n",
    ] {
        assert_eq!(name("x", text.as_bytes()), "", "{text}");
    }
    assert_eq!(name("x", &[0; 400]), "");
}
