//! Tests of the readers of most formats except VTK on the shared data: counts, contents, groups,
//! arrays.

use std::io::Write;

use zeroset_core::mesh::statistics::inspect;
use zeroset_core::mesh::{Group, Kind, Members, Mesh, Values, boundary};
use zeroset_io::{self as io, MeshFile};
use zeroset_testing::data;
use zeroset_testing::sound::assert_sound;

/// Reads a file of the shared data, or returns `None` if it is missing.
fn read(relative: &str) -> Option<MeshFile> {
    let path = data(relative)?;
    Some(io::read_mesh(&path).unwrap_or_else(|error| panic!("{relative}: {error}")))
}

/// File, number of vertices, number of cells and kind, from the README of the shared data. Polygons
/// are split into fans and STL corners are merged. A file that holds only points has no cells.
const COUNTS: &[(&str, usize, usize, Kind)] = {
    use Kind::{Planar, Surface, Volume};
    &[
        ("bench/irregcube_base.msh", 26_123, 140_886, Volume),
        ("cortex/bigbrain/lh.pial", 101_113, 202_222, Surface),
        ("cortex/conte69_32k_lh.gii", 32_492, 64_980, Surface),
        ("cortex/fsaverage5/flat_left.gii.gz", 10_242, 18_654, Surface),
        ("cortex/fsaverage5/infl_left.gii.gz", 10_242, 20_480, Surface),
        ("cortex/fsaverage5/lh.inflated", 10_242, 20_480, Surface),
        ("cortex/fsaverage5/pial_left.gii.gz", 10_242, 20_480, Surface),
        ("cortex/fsaverage5/sphere_left.gii.gz", 10_242, 20_480, Surface),
        ("cortex/fsaverage5/white_left.gii.gz", 10_242, 20_480, Surface),
        ("cortex/fsaverage_pial_left.gii.gz", 163_842, 327_680, Surface),
        ("cortex/fsaverage_sphere_left.gii.gz", 163_842, 327_680, Surface),
        ("cortex/nibabel_ascii.gii", 3, 1, Surface),
        ("cortex/spm_cortex_8196.surf.gii", 8_196, 16_384, Surface),
        // All five vertices of this file are the same point, so the kind is arbitrary.
        ("cortex/tiny/lh.tinysurface", 5, 3, Planar),
        ("cortex/tiny/lh.tinysurface.gii", 5, 3, Surface),
        ("scans/armadillo_26k.off", 26_002, 52_000, Surface),
        ("scans/bun_zipper.ply", 35_947, 69_451, Surface),
        ("scans/bunny_10k_normals.ply", 10_000, 0, Surface),
        ("scans/dragon_vrip.ply.gz", 437_645, 871_414, Surface),
        ("scans/dragon_vrip_res2.ply.gz", 100_250, 202_520, Surface),
        ("scans/hippo1.ply", 6_104, 0, Surface),
        ("scans/horse.ply", 48_485, 96_966, Surface),
        ("scans/kitten_points.off", 5_210, 0, Surface),
        ("scans/lucy_50k.ply", 49_987, 99_970, Surface),
        ("scans/range_bun000.ply.gz", 40_256, 0, Surface),
        ("sim/sci/sphere_1154verts.ply", 1_154, 2_304, Surface),
        ("sim/sci/sphere_266verts.ply", 266, 531, Surface),
        ("sim/sci/torus.ply", 12_992, 25_984, Surface),
        // 200 hexahedra, each split into 6 tetrahedra.
        ("sim/msh/3da_v1.msh", 462, 6 * 200, Volume),
        ("sim/msh/3da_v40.msh", 462, 6 * 200, Volume),
        ("sim/msh/3da_v41.msh", 462, 6 * 200, Volume),
        ("sim/msh/t5_tets_v40ascii.msh", 2_979, 14_079, Volume),
        ("sim/medit/cube.mesh", 152, 373, Volume),
        ("sim/medit/multi-mat.mesh", 3_664, 7_094, Planar),
        ("sim/medit/octopus-low.mesh", 452, 1_140, Volume),
        ("sim/medit/teapot.mesh", 5_917, 11_617, Surface),
        ("sim/sci/CubeMesh_size16.node", 4_096, 20_250, Volume),
        ("sim/sci/pyramid.ele", 7, 4, Volume),
        ("sim/sci/sphere334.ele", 334, 1_125, Volume),
        ("sim/sci/torus.node", 1_012, 3_444, Volume),
        ("cortex/tiny/lh.tinysurface.asc", 5, 3, Surface),
        ("scans/bunny_noised.xyz", 20_000, 0, Surface),
        ("scans/kitten.xyz", 5_210, 0, Surface),
        // The README counts only the 8 triangles. The 4 quads next to them cover the same square
        // and are split into two triangles each.
        ("sim/msh/compass_v22.msh", 13, 16, Planar),
        ("sim/msh/component8_tets_v41bin.msh", 759, 2_489, Volume),
        ("sim/msh/hole81_v20.msh", 109, 2 * 81, Planar),
        ("sim/msh/insulated_v22.msh", 67, 111, Planar),
        ("sim/msh/nested_cubes_v22.msh", 138, 520, Volume),
        ("sim/msh/periodic-annulus-sector_v22_order3.msh", 136, 26, Planar),
        ("sim/msh/sphere3_v22bin.msh", 4_556, 22_704, Volume),
        ("sim/msh/sphere3_v41ascii.msh", 4_556, 22_704, Volume),
        ("sim/msh/sphere3_v41bin.msh", 4_556, 22_704, Volume),
        ("sim/msh/t11_quads_v41ascii.msh", 3_519, 2 * 3_485, Planar),
        ("sim/msh/t4_plane_v22ascii.msh", 787, 1_449, Planar),
        ("sim/msh/t5_tets_order2_v22bin.msh", 7_801, 4_890, Volume),
        ("sim/stl/42400-IDGH.stl", 5_500, 11_036, Surface),
        ("sim/stl/featuretype.STL", 2_010, 3_476, Surface),
        ("sim/stl/multibody.stl", 20, 12 + 20, Surface),
        ("sim/stl/soup.stl", 300, 100, Surface),
        ("sim/stl/test_sphere.stl", 114, 224, Surface),
        ("sim/stl/test_sphere_ascii.stl", 114, 224, Surface),
        ("sim/off/3holes.off", 3_596, 7_200, Surface),
        ("sim/off/blobby-shuffled.off", 2_027, 4_050, Surface),
        ("sim/off/comments.off", 8, 12, Surface),
        ("sim/off/elephant-with-holes.off", 2_798, 4_463, Surface),
        ("sim/off/knot2.off", 5_760, 11_520, Surface),
        ("sim/off/mech-holes-shark.off", 5_246, 10_192, Surface),
        ("sim/off/whitespace.off", 8, 12, Surface),
        ("sim/obj/horse_quad.obj", 2_400, 4_796, Surface),
        ("sim/obj/moebius.obj", 280, 448, Surface),
        ("sim/obj/negative_indices.obj", 8, 12, Surface),
        ("sim/obj/spot.obj", 2_930, 5_856, Surface),
        ("sim/obj/triple_vierbein.obj", 75, 108, Surface),
        ("sim/ply/bob_small.ply", 250, 500, Surface),
        ("sim/ply/bone.ply", 1_872, 3_022, Surface),
        ("sim/ply/fixed_top.ply", 2_374, 4_772, Surface),
        ("sim/ply/points_with_lists.ply", 5, 0, Surface),
        ("sim/ply/shark_polygons.ply", 2_560, 5_116, Surface),
        ("bad/knot2_three_on_an_edge.off", 5_760, 11_521, Surface),
    ]
};

#[test]
fn counts_are_those_of_the_readme() {
    for &(relative, n_vertices, n_cells, kind) in COUNTS {
        let Some(file) = read(relative) else { continue };
        let found = (file.mesh.n_vertices(), file.mesh.n_cells(), file.mesh.kind);
        assert_eq!(found, (n_vertices, n_cells, kind), "{relative}");
        assert_sound(&file.mesh, relative);
        let mm = relative.starts_with("cortex").then_some("mm");
        assert_eq!(file.units.as_deref(), mm, "{relative}");
    }
}

/// Returns the name, the dimension and the number of members of each group. Cells have the
/// dimension of the mesh.
fn groups(mesh: &Mesh) -> Vec<(&str, usize, usize)> {
    let size = |group: &Group| match &group.members {
        Members::Cells(cells) => (mesh.kind.dimension(), cells.len()),
        Members::Simplices { dimension, vertices } => {
            (*dimension, vertices.len() / (dimension + 1))
        }
    };
    mesh.groups.iter().map(|g| (g.name.as_str(), size(g).0, size(g).1)).collect()
}

/// Returns the tetrahedra with their corners as bits of coordinates, in an order that does not
/// depend on the numbering.
fn tetrahedra(mesh: &Mesh) -> Vec<[[u64; 3]; 4]> {
    let corner = |&v: &u32| mesh.vertices[v as usize].map(f64::to_bits);
    let mut all: Vec<_> = mesh
        .iter_cells()
        .map(|cell| {
            let mut corners: Vec<_> = cell.iter().map(corner).collect();
            corners.sort();
            [corners[0], corners[1], corners[2], corners[3]]
        })
        .collect();
    all.sort();
    all
}

#[test]
fn three_encodings_of_gmsh_hold_the_same_mesh() {
    let names = ["v22bin", "v41bin", "v41ascii"];
    let files = names.map(|name| read(&format!("sim/msh/sphere3_{name}.msh")));
    let [Some(v22), Some(v41), Some(text)] = files else { return };
    assert!(v41.mesh.vertices == text.mesh.vertices, "the text has all digits");
    assert!(v41.mesh.cells == text.mesh.cells);
    assert!(v41.mesh.groups == text.mesh.groups);
    // Gmsh renumbered nodes and elements between the versions.
    assert!(tetrahedra(&v22.mesh) == tetrahedra(&v41.mesh));
    assert_eq!(groups(&v22.mesh), groups(&v41.mesh));
    assert_eq!(v22.version, "2.2 binary");
    assert_eq!((v41.version.as_str(), text.version.as_str()), ("4.1 binary", "4.1 ascii"));
}

#[test]
fn physical_groups_with_names_and_numbers() {
    let Some(file) = read("sim/msh/sphere3_v41bin.msh") else { return };
    let expected = [
        ("3", 3, 6_834),
        ("4", 3, 7_601),
        ("5", 3, 8_269),
        ("1003", 2, 2_352),
        ("1004", 2, 2_724),
        ("1005", 2, 2_750),
    ];
    assert_eq!(groups(&file.mesh), expected);
    let n_members: usize = expected.iter().map(|g| g.2).sum();
    assert_eq!(n_members, 22_704 + 7_826, "the README's tetrahedra and triangles");

    let Some(file) = read("sim/msh/component8_tets_v41bin.msh") else { return };
    assert_eq!(groups(&file.mesh), [("part1", 3, 2_489), ("skin", 2, 1_342)]);
    assert_eq!(file.cells_by_type["triangle"], 1_342);

    let Some(file) = read("sim/msh/insulated_v22.msh") else { return };
    assert_eq!(groups(&file.mesh), [("wire", 2, 45), ("insulation", 2, 66), ("convection", 1, 21)]);

    let Some(file) = read("sim/msh/compass_v22.msh") else { return };
    assert_eq!(file.mesh.groups.len(), 17);
    assert_eq!(groups(&file.mesh)[0], ("Base", 2, 8), "four quads");
    let Some(Members::Cells(cells)) = file.mesh.group("N Even").map(|g| &g.members) else {
        panic!("N Even are cells")
    };
    assert_eq!(file.mesh.iter_cells().nth(cells[0] as usize), Some(&[0, 1, 7][..]));
    let Some(Members::Simplices { dimension: 1, vertices }) =
        file.mesh.group("NNW").map(|g| &g.members)
    else {
        panic!("NNW are lines")
    };
    assert_eq!(vertices, &[7, 8]);
}

#[test]
fn groups_that_share_a_number_or_have_none() {
    let Some(file) = read("sim/msh/nested_cubes_v22.msh") else { return };
    assert_eq!(file.mesh.groups.len(), 14);
    let names = groups(&file.mesh);
    assert_eq!(
        names[..4],
        [("1", 3, 350), ("2", 3, 170), ("1-triangles", 2, 26), ("2-triangles", 2, 26)]
    );
    assert_eq!(file.warnings.len(), 2, "{:?}", file.warnings);

    let Some(file) = read("sim/msh/t4_plane_v22ascii.msh") else { return };
    assert_eq!(groups(&file.mesh), [("lines", 1, 159), ("points", 0, 25)]);
    assert!(file.warnings.is_empty(), "{:?}", file.warnings);
}

#[test]
fn what_is_given_up_is_said() {
    for (relative, types, warnings) in [
        (
            "sim/msh/3da_v41.msh",
            &[("hexahedron", 200), ("quad", 460)][..],
            &["200 hexahedron cells are split into tetrahedra"][..],
        ),
        (
            "sim/msh/t5_tets_order2_v22bin.msh",
            &[("tetra10", 4_890)],
            &["4890 tetra10 cells are reduced"],
        ),
        (
            "sim/msh/periodic-annulus-sector_v22_order3.msh",
            &[("line4", 12), ("triangle10", 26)],
            &[
                "12 line4 cells are reduced",
                "26 triangle10 cells are reduced",
                "two groups are named 1",
            ],
        ),
        (
            "sim/ply/shark_polygons.ply",
            &[("polygon", 83 + 6 + 2 + 29 + 1), ("quad", 2_253), ("triangle", 188)],
            &[],
        ),
        ("scans/hippo1.ply", &[], &[]),
    ] {
        let Some(file) = read(relative) else { continue };
        let found: Vec<_> = file.cells_by_type.iter().map(|(k, &n)| (k.as_str(), n)).collect();
        assert_eq!(found, types, "{relative}");
        assert_eq!(file.warnings.len(), warnings.len(), "{relative}: {:?}", file.warnings);
        for (found, expected) in file.warnings.iter().zip(warnings) {
            assert!(found.starts_with(expected), "{relative}: {found}");
        }
    }
}

/// Checks that the tetrahedra of a hexahedral mesh fit together, and that its faces, which are
/// stored as quads, match them.
#[test]
fn three_versions_of_gmsh_hold_the_same_hexahedra() {
    let files = ["v1", "v40", "v41"].map(|name| read(&format!("sim/msh/3da_{name}.msh")));
    let [Some(v1), Some(v40), Some(v41)] = files else { return };
    for file in [&v1, &v40, &v41] {
        let found = inspect(&file.mesh);
        // All hexahedra of these files are mirrored.
        assert_eq!((found.nonmanifold, found.inverted, found.degenerate), (0, 1200, 0));
        assert_eq!(found.components, 1);
        assert_eq!(groups(&file.mesh), groups(&v1.mesh));
        let mut outer = boundary(&file.mesh, None).unwrap().surface;
        let mut quads = outer.clone();
        let Some(Members::Simplices { vertices, .. }) =
            file.mesh.groups.iter().map(|g| &g.members).find(|m| !matches!(m, Members::Cells(_)))
        else {
            panic!("no triangles")
        };
        quads.cells.clone_from(vertices);
        for mesh in [&mut outer, &mut quads] {
            mesh.cells.chunks_mut(3).for_each(|t| t.sort_unstable());
        }
        let mut all: Vec<_> = quads.cells.chunks(3).collect();
        all.sort_unstable();
        let missing = outer.cells.chunks(3).filter(|t| all.binary_search(t).is_err()).count();
        assert_eq!(missing, 0, "a face of the boundary is cut otherwise than its quad");
    }
    // Nodes are in a different order in version 1, so that quads are split along other diagonals.
    assert!(tetrahedra(&v40.mesh) == tetrahedra(&v41.mesh));
}

#[test]
fn references_and_solutions_of_medit() {
    let Some(file) = read("sim/medit/multi-mat.mesh") else { return };
    assert!(file.mesh.groups.len() > 1, "several materials");
    let path = data("sim/medit/multi-mat-sol.sol").unwrap();
    let arrays = io::read_data(&path).unwrap().arrays;
    assert_eq!((arrays[0].name.as_str(), arrays[0].rows()), ("sol", 3_664));
    let file = read("sim/medit/teapot.mesh").unwrap();
    let solution = file.mesh.vertex_array("sol").unwrap();
    assert_eq!((solution.rows(), solution.components), (5_917, 1), "of the file beside the mesh");
}

#[test]
fn the_same_surface_in_two_formats() {
    let (Some(gifti), Some(freesurfer)) =
        (read("cortex/fsaverage5/infl_left.gii.gz"), read("cortex/fsaverage5/lh.inflated"))
    else {
        return;
    };
    assert_eq!(gifti.mesh.vertices, freesurfer.mesh.vertices);
    assert_eq!(gifti.mesh.cells, freesurfer.mesh.cells);
    assert_eq!((gifti.format, freesurfer.format), ("gifti", "freesurfer"));

    let (Some(binary), Some(text)) =
        (read("sim/stl/test_sphere.stl"), read("sim/stl/test_sphere_ascii.stl"))
    else {
        return;
    };
    assert_eq!(binary.mesh.cells, text.mesh.cells);
    for (a, b) in binary.mesh.vertices.iter().flatten().zip(text.mesh.vertices.iter().flatten()) {
        assert!((a - b).abs() < 1e-6, "text has six digits: {a} {b}");
    }
}

#[test]
fn other_properties_become_arrays() {
    let Some(file) = read("scans/horse.ply") else { return };
    let names: Vec<_> = file.mesh.vertex_data.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["confidence", "red", "green", "blue"]);
    assert!(matches!(file.mesh.vertex_data[0].values, Values::Float(_)));
    assert!(matches!(file.mesh.vertex_data[1].values, Values::Int(_)));

    let Some(file) = read("sim/ply/fixed_top.ply") else { return };
    let alpha = file.mesh.cell_array("alpha").unwrap();
    assert_eq!((alpha.rows(), alpha.components), (4_772, 1));
    assert!(alpha.values.to_f64().iter().all(|&v| v == 255.0));
}

#[test]
fn data_files_give_arrays() {
    for (relative, name, rows, least, most) in [
        ("cortex/bigbrain/lh.curv", "curv", 101_113, -3.79, 3.6),
        ("cortex/bigbrain/lh.thickness", "thickness", 101_113, 0.0, 4.99),
        ("cortex/fsaverage/lh.curv", "curv", 163_842, -0.674, 0.54),
        ("cortex/fsaverage5/curv_left.gii.gz", "curv", 10_242, -0.405, 0.35),
        ("cortex/fsaverage5/sulc_left.gii.gz", "sulc", 10_242, -1.494, 1.807),
        ("cortex/fsaverage5/thick_left.gii.gz", "thickness", 10_242, 0.0, 4.66),
    ] {
        let Some(path) = data(relative) else { continue };
        let arrays = io::read_data(&path).unwrap().arrays;
        assert_eq!(arrays.len(), 1, "{relative}");
        assert_eq!((arrays[0].name.as_str(), arrays[0].rows()), (name, rows), "{relative}");
        let values = arrays[0].values.to_f64();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!(
            (low - least).abs() < 0.01 && (high - most).abs() < 0.01,
            "{relative} {low} {high}"
        );
        let error = io::read_mesh(&path).unwrap_err();
        assert!(error.to_string().contains("holds numbers per vertex, no"), "{error}");
    }
    let Some(path) = data("scans/bunny_10k_normals.ply") else { return };
    let names: Vec<_> = io::read_data(&path).unwrap().arrays.into_iter().map(|a| a.name).collect();
    assert_eq!(names, ["nx", "ny", "nz"]);
    let Some(path) = data("sim/obj/spot.obj") else { return };
    let error = io::read_data(&path).unwrap_err().to_string();
    assert!(error.contains("holds no numbers per vertex"), "{error}");
}

/// Small text files that cover most text formats.
const TEXTS: [&str; 15] = [
    "sim/msh/3da_v1.msh",
    "sim/msh/compass_v22.msh",
    "sim/msh/3da_v40.msh",
    "sim/msh/3da_v41.msh",
    "sim/vtk/beam-tet.vtk",
    "sim/vtk/tri_ascii.vtu",
    "sim/sci/sphere_1154verts.ply",
    "sim/obj/negative_indices.obj",
    "sim/off/comments.off",
    "sim/stl/multibody.stl",
    "cortex/nibabel_ascii.gii",
    "cortex/tiny/lh.tinysurface.asc",
    "sim/medit/cube.mesh",
    "sim/sci/pyramid.ele",
    "scans/kitten.xyz",
];

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn marks_line_ends_and_gzip_change_nothing() {
    for relative in TEXTS {
        let Some(path) = data(relative) else { continue };
        let expected = io::read_mesh(&path).unwrap();
        let names = match path.extension().unwrap().to_str() {
            Some("ele") => vec![path.clone(), path.with_extension("node")],
            _ => vec![path.clone()],
        };
        for (mark, windows, gzip) in
            [(true, false, false), (false, true, false), (true, true, true), (false, false, true)]
        {
            let folder = tempfile::tempdir().unwrap();
            let mut first = None;
            for name in &names {
                let mut text = String::from_utf8(std::fs::read(name).unwrap()).unwrap();
                text = text.replace("\r\n", "\n");
                if windows {
                    text = text.replace('\n', "\r\n");
                }
                let text = if mark { format!("\u{feff}{text}") } else { text };
                let mut copy = folder.path().join(name.file_name().unwrap());
                let mut bytes = text.into_bytes();
                if gzip {
                    bytes = packed(&bytes);
                    copy = format!("{}.gz", copy.display()).into();
                }
                std::fs::write(&copy, bytes).unwrap();
                first.get_or_insert(copy);
            }
            let what = format!("{relative}, mark {mark}, CR LF {windows}, gzip {gzip}");
            let found = io::read_mesh(&first.unwrap()).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(found.mesh.vertices == expected.mesh.vertices, "{what}");
            assert!(found.mesh.cells == expected.mesh.cells, "{what}");
            assert!(found.mesh.groups == expected.mesh.groups, "{what}");
            assert!(found.mesh.vertex_data == expected.mesh.vertex_data, "{what}");
            assert_eq!((found.format, &found.version), (expected.format, &expected.version));
        }
    }
}

#[test]
fn content_beats_the_name() {
    let Some(path) = data("sim/ply/bob_small.ply") else { return };
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("bob.stl");
    std::fs::copy(path, &copy).unwrap();
    let file = io::read_mesh(&copy).unwrap();
    assert_eq!((file.format, file.mesh.n_cells()), ("ply", 500));
    assert!(
        file.warnings[0].contains("the extension is .stl, but the content is PLY"),
        "{:?}",
        file.warnings
    );
}

#[test]
fn shape_and_morph_files_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let values: Vec<f32> = (0..50_000).map(|i| (i as f32 * 0.37).sin() * 1e3).collect();
    let expected = Values::Float(values.iter().map(|&v| f64::from(v)).collect());

    let path = folder.path().join("x.shape.gii");
    io::gifti::write_shape(&path, "phi <&> \"x\"", &values, &[]).unwrap();
    let arrays = io::read_data(&path).unwrap().arrays;
    assert_eq!((arrays.len(), arrays[0].components), (1, 1));
    assert_eq!(arrays[0].name, "phi <&> \"x\"");
    assert!(arrays[0].values == expected);

    let path = folder.path().join("lh.phi");
    io::freesurfer::write_morph(&path, &values, 99_996).unwrap();
    let arrays = io::read_data(&path).unwrap().arrays;
    assert_eq!((arrays[0].name.as_str(), arrays[0].components), ("phi", 1));
    assert!(arrays[0].values == expected);

    let error = io::gifti::write_shape(&folder.path().join("no/x.gii"), "phi", &values, &[]);
    assert_eq!(error.unwrap_err().exit_code(), 6);
}
