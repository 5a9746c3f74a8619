"""Writes the files of this folder with VTK's own writers: python3 make.py (needs the package vtk).

The files hold one small volume mesh and one small surface, each in every encoding that VTK writes.
The files in the repository come from VTK 9.7.1. crates/io/tests/vtk.rs checks their content.
"""

import vtk
from vtk.util.numpy_support import numpy_to_vtk  # noqa: F401  (fails early without numpy)

CORNERS = [(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)]
# The twelve triangles of the unit cube, facing outward.
FACES = [
    (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4),
    (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
]


def array(kind, name, rows, components=1):
    out = kind()
    out.SetName(name)
    out.SetNumberOfComponents(components)
    for row in rows:
        out.InsertNextTuple(row if components > 1 else (row,))
    return out


def attach(data, n_points, n_cells):
    point, cell = data.GetPointData(), data.GetCellData()
    point.AddArray(array(vtk.vtkDoubleArray, "phi", [i / 3 - 1 for i in range(n_points)]))
    velocity = array(vtk.vtkFloatArray, "velocity", [(i, 0.5, -i) for i in range(n_points)], 3)
    for k, letter in enumerate("xyz"):
        velocity.SetComponentName(k, letter)
    point.AddArray(velocity)
    point.AddArray(array(vtk.vtkUnsignedCharArray, "mask", [i % 2 for i in range(n_points)]))
    point.AddArray(array(vtk.vtkTypeInt64Array, "big label", [i << 33 for i in range(n_points)]))
    cell.AddArray(array(vtk.vtkIntArray, "id", [100 + i for i in range(n_cells)]))
    cell.AddArray(array(vtk.vtkDoubleArray, "quality", [i / 8 for i in range(n_cells)]))
    time = array(vtk.vtkDoubleArray, "TimeValue", [0.25])
    data.GetFieldData().AddArray(time)


def points(more=()):
    out = vtk.vtkPoints()
    out.SetDataTypeToDouble()
    for x in [*CORNERS, *more]:
        out.InsertNextPoint(x)
    return out


def volume():
    """Returns 12 tetrahedra that fill a cube, plus 2 triangles, a quad, a line and a vertex."""
    grid = vtk.vtkUnstructuredGrid()
    grid.SetPoints(points([(0.5, 0.5, 0.5)]))
    cells = [(vtk.VTK_VERTEX, (8,)), (vtk.VTK_TRIANGLE, FACES[0]), (vtk.VTK_TRIANGLE, FACES[1])]
    cells += [(vtk.VTK_TETRA, (a, c, b, 8)) for a, b, c in FACES]
    cells += [(vtk.VTK_QUAD, (4, 5, 7, 6)), (vtk.VTK_LINE, (0, 1))]
    for kind, ids in cells:
        grid.InsertNextCell(kind, len(ids), ids)
    attach(grid, 9, len(cells))
    return grid


def surface():
    """Returns the cube as 2 triangles, 3 quads and a strip, plus a vertex and a polyline."""
    poly = vtk.vtkPolyData()
    poly.SetPoints(points())
    sections = {
        "Verts": [(7,)],
        "Lines": [(0, 1, 3, 2)],
        "Polys": [FACES[0], FACES[1], (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3)],
        "Strips": [(0, 4, 2, 6)],
    }
    for name, cells in sections.items():
        out = vtk.vtkCellArray()
        for ids in cells:
            out.InsertNextCell(len(ids), ids)
        getattr(poly, "Set" + name)(out)
    attach(poly, 8, 8)
    return poly


def write_xml(data, writer, name, mode, encode=False, compressor=None, wide=True, big=False):
    writer.SetInputData(data)
    writer.SetFileName(name)
    getattr(writer, "SetDataModeTo" + mode)()
    writer.SetEncodeAppendedData(encode)
    writer.SetCompressor(compressor)
    if compressor:
        writer.SetBlockSize(64)
    getattr(writer, "SetHeaderTypeTo" + ("UInt64" if wide else "UInt32"))()
    getattr(writer, "SetByteOrderTo" + ("BigEndian" if big else "LittleEndian"))()
    assert writer.Write()


def write_legacy(data, writer, name, version, binary):
    writer.SetInputData(data)
    writer.SetFileName(name)
    writer.SetFileVersion(version)
    if binary:
        writer.SetFileTypeToBinary()
    else:
        writer.SetFileTypeToASCII()
    assert writer.Write()


def main():
    zlib, lz4 = vtk.vtkZLibDataCompressor, vtk.vtkLZ4DataCompressor
    for data, writer, ending in [
        (volume(), vtk.vtkXMLUnstructuredGridWriter, "vtu"),
        (surface(), vtk.vtkXMLPolyDataWriter, "vtp"),
    ]:
        stem = "volume" if ending == "vtu" else "surface"
        for name, options in {
            "ascii": dict(mode="Ascii"),
            "inline": dict(mode="Binary", wide=False),
            "inline_big": dict(mode="Binary", big=True),
            "inline_zlib": dict(mode="Binary", compressor=zlib()),
            "inline_lz4": dict(mode="Binary", compressor=lz4(), wide=False),
            "raw": dict(mode="Appended"),
            "raw_big": dict(mode="Appended", big=True, wide=False),
            "raw_zlib": dict(mode="Appended", compressor=zlib(), wide=False),
            "raw_lz4_big": dict(mode="Appended", compressor=lz4(), big=True),
            "base64": dict(mode="Appended", encode=True, wide=False),
            "base64_lz4": dict(mode="Appended", encode=True, compressor=lz4()),
            "base64_zlib_big": dict(mode="Appended", encode=True, compressor=zlib(), big=True),
        }.items():
            write_xml(data, writer(), f"{stem}_{name}.{ending}", **options)
        legacy = vtk.vtkUnstructuredGridWriter if ending == "vtu" else vtk.vtkPolyDataWriter
        for version in (42, 51):
            for binary in (False, True):
                encoding = "binary" if binary else "ascii"
                write_legacy(data, legacy(), f"{stem}_{version}_{encoding}.vtk", version, binary)


main()
