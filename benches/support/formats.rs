//! Writes a triangle mesh in many of the formats that zeroset reads.

use std::io::Write;
use std::path::{Path, PathBuf};

use base64::Engine;
use zeroset::io::vtk::{Compression, Geometry, VtkOutput, write};
use zeroset::mesh::Mesh;

/// Writes all files into `folder`. Returns the names of the formats and the paths.
pub fn write_all(mesh: &Mesh, folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let mut files: Vec<(&'static str, PathBuf)> = Vec::new();
    for (name, file, compression) in [
        ("VTU appended raw", "raw.vtu", Compression::None),
        ("VTU appended LZ4", "lz4.vtu", Compression::Lz4),
        ("VTU appended zlib", "zlib.vtu", Compression::Zlib),
        ("VTP appended zlib", "zlib.vtp", Compression::Zlib),
    ] {
        let path = folder.join(file);
        write(&path, &VtkOutput::new(&Geometry::mesh(mesh, compression))).expect("file");
        files.push((name, path));
    }
    type Writer = fn(&Mesh) -> Vec<u8>;
    let writers: [(&str, &str, Writer); 8] = [
        ("Gmsh 4.1 binary", "m.msh", msh),
        ("VTK legacy binary", "m.vtk", vtk),
        ("PLY binary", "m.ply", ply),
        ("STL binary", "m.stl", stl),
        ("GIFTI base64 zlib", "m.gii", gifti),
        ("PLY text", "text.ply", ply_text),
        ("OFF text", "m.off", off),
        ("OBJ text", "m.obj", obj),
    ];
    for (name, file, bytes) in writers {
        let path = folder.join(file);
        std::fs::write(&path, bytes(mesh)).expect("file");
        files.push((name, path));
    }
    files
}

fn msh(mesh: &Mesh) -> Vec<u8> {
    let (n, m) = (mesh.n_vertices() as u64, mesh.n_cells() as u64);
    let mut out = b"$MeshFormat\n4.1 1 8\n".to_vec();
    out.extend(1i32.to_le_bytes());
    out.extend(b"\n$EndMeshFormat\n$Nodes\n");
    [1, n, 1, n].iter().for_each(|x| out.extend(x.to_le_bytes()));
    [2i32, 1, 0].iter().for_each(|x| out.extend(x.to_le_bytes()));
    out.extend(n.to_le_bytes());
    (1..=n).for_each(|tag| out.extend(tag.to_le_bytes()));
    mesh.vertices.iter().flatten().for_each(|x| out.extend(x.to_le_bytes()));
    out.extend(b"\n$EndNodes\n$Elements\n");
    [1, m, 1, m].iter().for_each(|x| out.extend(x.to_le_bytes()));
    [2i32, 1, 2].iter().for_each(|x| out.extend(x.to_le_bytes()));
    out.extend(m.to_le_bytes());
    for (tag, cell) in (1u64..).zip(mesh.iter_cells()) {
        out.extend(tag.to_le_bytes());
        cell.iter().for_each(|&v| out.extend((u64::from(v) + 1).to_le_bytes()));
    }
    out.extend(b"\n$EndElements\n");
    out
}

fn vtk(mesh: &Mesh) -> Vec<u8> {
    let (n, m) = (mesh.n_vertices(), mesh.n_cells());
    let mut out = b"# vtk DataFile Version 4.2\nmesh\nBINARY\nDATASET UNSTRUCTURED_GRID\n".to_vec();
    out.extend(format!("POINTS {n} double\n").bytes());
    mesh.vertices.iter().flatten().for_each(|x| out.extend(x.to_be_bytes()));
    out.extend(format!("\nCELLS {m} {}\n", 4 * m).bytes());
    for cell in mesh.iter_cells() {
        out.extend(3u32.to_be_bytes());
        cell.iter().for_each(|v| out.extend(v.to_be_bytes()));
    }
    out.extend(format!("\nCELL_TYPES {m}\n").bytes());
    (0..m).for_each(|_| out.extend(5u32.to_be_bytes()));
    out.push(b'\n');
    out
}

fn ply_head(mesh: &Mesh, format: &str) -> Vec<u8> {
    format!(
        "ply\nformat {format} 1.0\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.n_vertices(),
        mesh.n_cells()
    )
    .into_bytes()
}

fn ply(mesh: &Mesh) -> Vec<u8> {
    let mut out = ply_head(mesh, "binary_little_endian");
    mesh.vertices.iter().flatten().for_each(|&x| out.extend((x as f32).to_le_bytes()));
    for cell in mesh.iter_cells() {
        out.push(3);
        cell.iter().for_each(|v| out.extend(v.to_le_bytes()));
    }
    out
}

fn stl(mesh: &Mesh) -> Vec<u8> {
    let mut out = vec![0; 80];
    out.extend((mesh.n_cells() as u32).to_le_bytes());
    for cell in mesh.iter_cells() {
        out.extend([0; 12]);
        for &v in cell {
            mesh.vertices[v as usize].iter().for_each(|&x| out.extend((x as f32).to_le_bytes()));
        }
        out.extend([0; 2]);
    }
    out
}

fn gifti(mesh: &Mesh) -> Vec<u8> {
    let packed = |bytes: Vec<u8>| {
        let mut encoder =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&bytes).expect("memory");
        base64::engine::general_purpose::STANDARD.encode(encoder.finish().expect("memory"))
    };
    let array = |intent: &str, kind: &str, rows: usize, bytes: Vec<u8>| {
        format!(
            "<DataArray Intent=\"NIFTI_INTENT_{intent}\" DataType=\"NIFTI_TYPE_{kind}\" \
             ArrayIndexingOrder=\"RowMajorOrder\" Dimensionality=\"2\" Dim0=\"{rows}\" Dim1=\"3\" \
             Encoding=\"GZipBase64Binary\" Endian=\"LittleEndian\"><Data>{}</Data></DataArray>\n",
            packed(bytes)
        )
    };
    let points = mesh.vertices.iter().flatten().flat_map(|&x| (x as f32).to_le_bytes()).collect();
    let cells = mesh.cells.iter().flat_map(|&v| (v as i32).to_le_bytes()).collect();
    let mut out =
        String::from("<?xml version=\"1.0\"?>\n<GIFTI Version=\"1.0\" NumberOfDataArrays=\"2\">\n");
    out += &array("POINTSET", "FLOAT32", mesh.n_vertices(), points);
    out += &array("TRIANGLE", "INT32", mesh.n_cells(), cells);
    out += "</GIFTI>\n";
    out.into_bytes()
}

fn rows(mesh: &Mesh, vertex: &str, face: &str, first: u32) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for [x, y, z] in &mesh.vertices {
        let _ = writeln!(out, "{vertex}{x:.7} {y:.7} {z:.7}");
    }
    for cell in mesh.iter_cells() {
        let [a, b, c] = [cell[0], cell[1], cell[2]].map(|v| v + first);
        let _ = writeln!(out, "{face}{a} {b} {c}");
    }
    out
}

fn ply_text(mesh: &Mesh) -> Vec<u8> {
    let mut out = ply_head(mesh, "ascii");
    out.extend(rows(mesh, "", "3 ", 0).bytes());
    out
}

fn off(mesh: &Mesh) -> Vec<u8> {
    let head = format!("OFF\n{} {} 0\n", mesh.n_vertices(), mesh.n_cells());
    (head + &rows(mesh, "", "3 ", 0)).into_bytes()
}

fn obj(mesh: &Mesh) -> Vec<u8> {
    rows(mesh, "v ", "f ", 1).into_bytes()
}
