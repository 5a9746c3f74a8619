//! The formats that are recognized but not supported: how to recognize each of them, and which
//! program converts it to a supported format.

#[cfg(test)]
mod tests;

use super::content::Content;

/// A format that is recognized but not supported.
pub(super) struct Foreign {
    /// The name of the format, which completes the sentence "The file is ...".
    pub(super) name: &'static str,
    /// Returns true if a file has this format.
    is: fn(&Content) -> bool,
    /// The remedy, usually a program that converts such a file.
    pub(super) remedy: &'static str,
}

/// Returns the unsupported format of a file, or `None` if no unsupported format matches.
pub(super) fn find(extension: &str, bytes: &[u8]) -> Option<&'static Foreign> {
    let content = Content::new(extension, bytes);
    TABLE.iter().find(|format| (format.is)(&content))
}

const PARAVIEW: &str = "open it in ParaView and save it as .vtu or .vtp";
const TETRAHEDRALIZE: &str =
    "open it in ParaView, apply the filter Tetrahedralize, and save the result as .vtu";
const MERGE: &str = "open it in ParaView, merge its parts (filter Merge Blocks), and save the result as .vtu \
                     or .vtp";
const MESHIO: &str = "convert it: `meshio convert IN OUT.vtu`";
const GMSH: &str =
    "convert it: `gmsh IN -save -format msh -o OUT.msh`, or `meshio convert IN OUT.vtu`";
const BLENDER: &str = "import it into Blender and export it as .ply, .stl or .obj";
const CAD: &str =
    "mesh it with Gmsh: `gmsh IN -2 -o OUT.msh` (surface) or `gmsh IN -3 -o OUT.msh` (volume)";
const IMAGEJ: &str = "open it in ImageJ (Bio-Formats) and save it as .tif or .nrrd";
const UNPACK: &str = "unpack it, and give the file inside it, which may be compressed with gzip";

/// The formats in the order in which they are tried.
const TABLE: &[Foreign] = &[
    // Neuroimaging and medicine.
    Foreign {
        name: "a CIFTI file, which holds numbers of several surfaces and volumes",
        is: |c| c.is_cifti(),
        remedy: "extract one surface: `wb_command -cifti-separate IN COLUMN -metric CORTEX_LEFT \
                 OUT.func.gii` (-label for a .dlabel.nii file)",
    },
    Foreign {
        name: "a DICOM file",
        is: |c| c.is_dicom(),
        remedy: "convert the folder of its series: `dcm2niix -z y FOLDER` writes .nii.gz",
    },
    Foreign {
        name: "a FreeSurfer annotation, which holds labels of the vertices of a surface",
        is: |c| c.extension == "annot" || c.is_annotation(),
        remedy: "use it with a surface (--data lh.a.annot), or convert it to GIFTI: \
                 mris_convert --annot lh.a.annot lh.white lh.a.label.gii",
    },
    Foreign {
        name: "a MINC volume",
        is: |c| c.is_hdf5() && c.has(b"minc-2.0") || c.is_netcdf() && c.has(b"MINC"),
        remedy: "convert it: `mnc2nii IN OUT.nii`",
    },
    Foreign {
        name: "an AFNI header",
        is: |c| c.starts(b"\ntype") && c.mentions(b"DATASET_RANK"),
        remedy: "convert it: `3dAFNItoNIFTI -prefix OUT.nii.gz IN+orig`",
    },
    Foreign {
        name: "an MNI object of lines, not of polygons",
        is: |c| c.is_mni_lines(),
        remedy: "save its polygons with the program that wrote it",
    },
    Foreign {
        name: "a surface of Surf Ice (.mz3)",
        is: |c| c.starts(b"MZ") && matches!(c.bytes.get(2..4), Some([1..=31, 0])),
        remedy: "save it as .ply, .obj or .gii with Surf Ice",
    },
    // Files that contain other files, and files that are not data.
    Foreign {
        name: "a NumPy archive (.npz)",
        is: |c| c.is_zip() && c.has(b".npy"),
        remedy: "save one array: `numpy.save(\"OUT.npy\", numpy.load(\"IN.npz\")[NAME])`",
    },
    Foreign { name: "a 3MF model", is: |c| c.is_zip() && c.has(b"3dmodel.model"), remedy: BLENDER },
    Foreign {
        name: "compressed with xz, bzip2, zstd, zip, 7z or rar",
        is: |c| {
            let magics: [&[u8]; 5] =
                [b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a"];
            c.is_zip() || magics.iter().any(|magic| c.starts(magic))
        },
        remedy: "decompress it, or compress it with gzip",
    },
    Foreign { name: "a tar archive", is: |c| c.at(257, b"ustar"), remedy: UNPACK },
    Foreign {
        name: "a git-lfs pointer, not the file itself",
        is: |c| c.starts(b"version https://git-lfs"),
        remedy: "fetch it with `git lfs pull`",
    },
    Foreign {
        name: "a web page, not the file that was to be downloaded",
        is: |c| c.begins(b"<!doctype html") || c.begins(b"<html"),
        remedy: "download the file again; the page may say why it was not delivered",
    },
    Foreign {
        name: "a PDF document",
        is: |c| c.starts(b"%PDF-"),
        remedy: "use the data that it was made from",
    },
    // Pictures.
    Foreign {
        name: "a JPEG picture, whose numbers are not exact",
        is: |c| c.starts(b"\xff\xd8\xff"),
        remedy: "use its source as PNG, TIFF or PGM",
    },
    Foreign {
        name: "a JPEG 2000, GIF, BMP, WebP or HEIF picture",
        is: |c| {
            c.at(4, b"jP  \r\n") || c.starts(b"GIF8") || c.is_bmp() || c.is_webp() || c.is_heif()
        },
        remedy: "convert it to PNG or TIFF: `magick IN OUT.png`",
    },
    Foreign {
        name: "a microscope image of Zeiss (CZI), Leica (LIF), Nikon (ND2) or Imaris",
        is: |c| {
            c.starts(b"ZISRAWFILE")
                || c.starts(b"\x70\0\0\0") && c.at(8, b"\x2a")
                || c.starts(b"\xda\xce\xbe\x0a")
                || c.is_hdf5() && c.has(b"ImarisDataSet")
        },
        remedy: IMAGEJ,
    },
    Foreign {
        name: "an ICS image",
        is: |c| c.starts(b"ics_version") || c.starts(b"\t\r\nics_version"),
        remedy: IMAGEJ,
    },
    Foreign {
        name: "an OpenVDB grid",
        is: |c| c.starts(b" BDV"),
        remedy: "save a dense grid as .npy with `openvdb` (`grid.copyToArray`) and numpy",
    },
    // Point clouds.
    Foreign {
        name: "a file of Expe points in a binary layout, which is not supported",
        is: |c| c.starts(b"[Expe/PointSet"),
        remedy: "convert the points to .ply or .xyz",
    },
    // Simulation results in HDF5 and netCDF. Specific formats come before the general ones.
    Foreign {
        name: "a CGNS mesh",
        is: |c| {
            let nodes = || c.has(b"GridCoordinates") && c.has(b"CoordinateX");
            c.is_adf() || c.is_hdf5() && (c.has(b"CGNSLibraryVersion") || nodes())
        },
        remedy: "open it in ParaView and save it as .vtu, or convert it: `meshio convert IN OUT.vtu`",
    },
    Foreign {
        name: "a MED mesh (Salome)",
        is: |c| c.is_hdf5() && (c.has(b"INFOS_GENERALES") || c.has(b"ENS_MAA")),
        remedy: GMSH,
    },
    Foreign {
        name: "an Exodus mesh",
        is: |c| (c.is_netcdf() || c.is_hdf5()) && c.has(b"num_el_blk"),
        remedy: "open it in ParaView and save it as .vtu, or convert it: `meshio convert IN OUT.vtu`",
    },
    Foreign {
        name: "an HDF5 mesh of Fluent",
        is: |c| c.is_hdf5() && c.has(b"meshes") && c.has(b"zoneTopology"),
        remedy: PARAVIEW,
    },
    Foreign {
        name: "a MATLAB file",
        is: |c| c.starts(b"MATLAB 5.0 MAT") || c.starts(b"MATLAB 7.3 MAT"),
        remedy: "save one array as .npy: `numpy.save` with `scipy.io.loadmat` or h5py",
    },
    Foreign {
        name: "a netCDF file",
        is: |c| c.is_netcdf() || c.is_hdf5() && c.has(b"_NCProperties"),
        remedy: "open it in ParaView and save it as .vtu or .vti, or save one array as .npy",
    },
    Foreign {
        name: "an HDF5 file, but not a VTKHDF file",
        is: |c| c.is_hdf5() && !c.is_vtk_hdf(),
        remedy: "if an .xdmf file describes it, convert that to .vtu with ParaView or `meshio`; \
                 otherwise save its arrays as .npy or .vtu with h5py",
    },
    Foreign {
        name: "an XDMF file",
        is: |c| c.is_xml(b"<xdmf"),
        remedy: "open it in ParaView and save it as .vtu, or convert it: `meshio convert IN OUT.vtu`",
    },
    Foreign { name: "a DOLFIN mesh (FEniCS)", is: |c| c.is_xml(b"<dolfin"), remedy: MESHIO },
    // VTK data sets other than meshes and images.
    Foreign {
        name: "a multi-block VTK file (.vtm), which only lists other files",
        is: |c| c.is_vtk(b"vtkMultiBlockDataSet"),
        remedy: MERGE,
    },
    Foreign {
        name: "a VTK collection of parts (.vtpc), which only lists other files",
        is: |c| c.is_vtk(b"vtkPartitionedDataSetCollection") || c.is_vtk(b"vtkPartitionedDataSet"),
        remedy: MERGE,
    },
    Foreign {
        name: "a structured or rectilinear VTK grid (.vts, .vtr), which is not read",
        is: |c| {
            ["StructuredGrid", "RectilinearGrid", "PStructuredGrid", "PRectilinearGrid"]
                .iter()
                .any(|kind| c.is_vtk(kind.as_bytes()))
        },
        remedy: TETRAHEDRALIZE,
    },
    Foreign {
        name: "a structured or rectilinear VTK grid (legacy .vtk), which is not read",
        is: |c| {
            c.starts(b"# vtk DataFile")
                && (c.mentions(b"DATASET STRUCTURED_GRID")
                    || c.mentions(b"DATASET RECTILINEAR_GRID"))
        },
        remedy: TETRAHEDRALIZE,
    },
    Foreign {
        name: "an image in parts (.pvti), which only lists other files",
        is: |c| c.is_vtk(b"PImageData"),
        remedy: "open it in ParaView and save it as .vti",
    },
    Foreign {
        name: "an adaptive VTK grid (.vth, .htg)",
        is: |c| {
            [
                "vtkOverlappingAMR",
                "vtkNonOverlappingAMR",
                "vtkHierarchicalBoxDataSet",
                "HyperTreeGrid",
            ]
            .iter()
            .any(|kind| c.is_vtk(kind.as_bytes()))
        },
        remedy: "open it in ParaView, apply the filter Resample To Image, and save the result as .vti",
    },
    Foreign {
        name: "a VTK table",
        is: |c| c.is_vtk(b"Table"),
        remedy: "save it as .csv with ParaView",
    },
    // Text meshes of simulation programs.
    Foreign { name: "a mesh of Fluent", is: |c| c.is_fluent(), remedy: PARAVIEW },
    Foreign {
        name: "an LS-DYNA keyword file",
        is: |c| c.has_line(b"*KEYWORD") && (c.has_line(b"*NODE") || c.has_line(b"*PART")),
        remedy: "open it in LS-PrePost and save it as Nastran or STL, or in ParaView",
    },
    Foreign {
        name: "an Abaqus mesh",
        is: |c| c.begins(b"*") && (c.has_line(b"*NODE") || c.has_line(b"*HEADING")),
        remedy: GMSH,
    },
    Foreign {
        name: "a Nastran mesh",
        is: |c| {
            c.has_line(b"BEGIN BULK")
                || [&b"GRID,"[..], b"GRID  ", b"GRID*"].iter().any(|word| c.has_line(word))
        },
        remedy: GMSH,
    },
    Foreign {
        name: "an SU2 mesh",
        is: |c| c.has_line(b"NDIME=") || c.has_line(b"NDIME ="),
        remedy: GMSH,
    },
    Foreign {
        name: "a Netgen mesh",
        is: |c| c.has_line(b"mesh3d") && c.has_line(b"dimension"),
        remedy: "export it from Netgen in the format Gmsh2, or convert it: `meshio convert IN OUT.vtu`",
    },
    Foreign { name: "a universal file (UNV)", is: |c| c.is_universal(), remedy: GMSH },
    Foreign {
        name: "an OpenFOAM file",
        is: |c| c.has_line(b"FoamFile") && c.mentions(b"class"),
        remedy: "convert the case: `foamToVTK` writes .vtu and .vtp",
    },
    Foreign {
        name: "an EnSight case",
        is: |c| c.has_line(b"FORMAT") && c.mentions(b"ensight"),
        remedy: PARAVIEW,
    },
    Foreign {
        name: "a Tecplot file",
        is: |c| c.starts(b"#!TDV") || c.has_line(b"VARIABLES") && c.has_line(b"ZONE"),
        remedy: "open it in ParaView and save it as .vtu, or convert it: `meshio convert IN OUT.vtu`",
    },
    Foreign {
        name: "a COMSOL mesh",
        is: |c| c.begins(b"# Created by COMSOL") && c.mentions(b"# Major & minor version"),
        remedy: "export it from COMSOL as .vtu or Nastran",
    },
    Foreign {
        name: "an Amira or Avizo file",
        is: |c| c.begins(b"# AmiraMesh") || c.begins(b"# Avizo") || c.begins(b"# HyperSurface"),
        remedy: "export a surface from Amira as .ply, .stl or .obj, and a volume as NIfTI or raw \
                 numbers",
    },
    Foreign {
        name: "a binary MEDIT file, but only text is supported",
        is: |c| c.is_binary_medit(),
        remedy: "save the mesh as text: name it .mesh in the program that wrote it, \
                 or convert it with `gmsh in.meshb -save -format mesh -o out.mesh`",
    },
    // Geometry from design and graphics programs.
    Foreign { name: "a STEP file", is: |c| c.begins(b"ISO-10303-21"), remedy: CAD },
    Foreign {
        name: "an IGES file",
        is: |c| c.at(72, b"S      1") || c.at(72, b"S0000001"),
        remedy: CAD,
    },
    Foreign {
        name: "an Open CASCADE shape (BREP)",
        is: |c| c.begins(b"DBRep_DrawableShape") || c.begins(b"CASCADE Topology"),
        remedy: CAD,
    },
    Foreign {
        name: "a Gmsh geometry (.geo)",
        is: |c| c.extension == "geo" || c.has_line(b"Point(") && c.has(b"Line("),
        remedy: "mesh it: `gmsh IN -2 -o OUT.msh` or `gmsh IN -3 -o OUT.msh`",
    },
    Foreign {
        name: "a TetGen or Triangle input (.poly, .smesh), not a mesh",
        is: |c| c.extension == "poly" || c.extension == "smesh",
        remedy: "mesh it: `tetgen -pq IN` or `triangle -pq IN` writes .node and .ele",
    },
    Foreign {
        name: "a glTF model",
        is: |c| {
            c.starts(b"glTF") || c.begins(b"{") && c.mentions(b"\"asset\"") && c.has(b"\"meshes\"")
        },
        remedy: BLENDER,
    },
    Foreign {
        name: "an FBX model",
        is: |c| c.starts(b"Kaydara FBX") || c.begins(b"; FBX"),
        remedy: BLENDER,
    },
    Foreign { name: "a COLLADA model", is: |c| c.is_xml(b"<COLLADA"), remedy: BLENDER },
    Foreign {
        name: "a VRML or X3D scene",
        is: |c| c.begins(b"#VRML") || c.begins(b"#X3D") || c.is_xml(b"<X3D"),
        remedy: "open it in MeshLab and export it as .ply, .obj or .stl",
    },
    Foreign { name: "an AMF model", is: |c| c.is_xml(b"<amf"), remedy: BLENDER },
    Foreign {
        name: "a Blender file",
        is: |c| c.starts(b"BLENDER"),
        remedy: "export its object from Blender as .ply, .stl or .obj",
    },
    Foreign {
        name: "a USD scene",
        is: |c| c.starts(b"PXR-USDC") || c.begins(b"#usda"),
        remedy: BLENDER,
    },
    Foreign {
        name: "a 3D Studio model (.3ds)",
        is: |c| c.starts(b"MM") && c.length_at(2) == Some(c.bytes.len()),
        remedy: BLENDER,
    },
    Foreign {
        name: "a DXF drawing",
        is: |c| c.begins(b"0\nSECTION") || c.begins(b"0\r\nSECTION"),
        remedy: "export its faces as .stl, .ply or .obj with the program that wrote it",
    },
];
