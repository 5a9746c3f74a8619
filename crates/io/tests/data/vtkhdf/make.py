"""Write the files of this folder: python3 make.py (needs the packages vtk and h5py).

The meshes come from VTK 9.7.2, the images and the multi-part file from h5py 3.16.
crates/io/tests/vtkhdf_read.rs checks their content.
"""

import gzip
import os

import h5py
import numpy as np
import vtk
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline

TIMES = [0.0, 0.5, 1.5]


class Strip(VTKPythonAlgorithmBase):
    """A strip of triangles that gets longer: 3, 4 and 6 points."""

    def __init__(self, kind):
        super().__init__(nInputPorts=0, nOutputPorts=1, outputType=kind)
        self.kind = kind

    def RequestInformation(self, request, inputs, outputs):
        info = outputs.GetInformationObject(0)
        info.Set(Pipeline.TIME_STEPS(), TIMES, len(TIMES))
        info.Set(Pipeline.TIME_RANGE(), [TIMES[0], TIMES[-1]], 2)
        return 1

    def RequestData(self, request, inputs, outputs):
        info = outputs.GetInformationObject(0)
        t = info.Get(Pipeline.UPDATE_TIME_STEP()) if info.Has(Pipeline.UPDATE_TIME_STEP()) else 0.0
        n = 3 + int(2 * t)
        out = getattr(vtk, self.kind).GetData(outputs)
        points = vtk.vtkPoints()
        points.SetDataTypeToDouble()
        for k in range(n):
            points.InsertNextPoint(k, k % 2 + t, 0)
        out.SetPoints(points)
        n_cells = n - 2
        if self.kind == "vtkPolyData":
            triangles, lines = vtk.vtkCellArray(), vtk.vtkCellArray()
            for k in range(n - 2):
                triangles.InsertNextCell(3, [k, k + 1, k + 2])
            lines.InsertNextCell(2, [0, 1])
            out.SetPolys(triangles)
            out.SetLines(lines)
            n_cells += 1
        else:
            out.AllocateExact(10, 40)
            for k in range(n - 2):
                out.InsertNextCell(vtk.VTK_TRIANGLE, 3, [k, k + 1, k + 2])
        for name, rows, data in (("phi", n, out.GetPointData()), ("c", n_cells, out.GetCellData())):
            array = vtk.vtkDoubleArray()
            array.SetName(name)
            for k in range(rows):
                array.InsertNextValue(k + 10 * t)
            data.AddArray(array)
        vectors = vtk.vtkFloatArray()
        vectors.SetName("v")
        vectors.SetNumberOfComponents(3)
        for k in range(n):
            vectors.InsertNextTuple3(k, t, 0)
        out.GetPointData().AddArray(vectors)
        out.GetInformation().Set(vtk.vtkDataObject.DATA_TIME_STEP(), t)
        return 1


def packed(name):
    """Compress a file: most of its bytes are 0."""
    with open(name, "rb") as file:
        content = file.read()
    with open(name + ".gz", "wb") as file:
        file.write(gzip.compress(content, 9, mtime=0))
    os.remove(name)


def word(group, name, text):
    group.attrs.create(name, text.encode(), dtype=h5py.string_dtype("ascii", len(text)))


def root(file, kind):
    group = file.create_group("VTKHDF", track_order=True)
    group.attrs["Version"] = (2, 0)
    word(group, "Type", kind)
    return group


def image(name, states):
    with h5py.File(name, "w") as file:
        group = root(file, "ImageData")
        group.attrs["WholeExtent"] = (2, 5, 0, 2, 0, 1)
        group.attrs["Origin"] = (0.0, 2.0, 3.0)
        group.attrs["Spacing"] = (0.5, 0.25, 2.0)
        group.attrs["Direction"] = np.eye(3).ravel()
        values = np.arange(24, dtype=">f4").reshape(2, 3, 4)
        if not states:
            group.create_dataset("PointData/other", data=values + 1000)
            phi = group.create_dataset(
                "PointData/phi", data=values, chunks=(1, 3, 2), compression="gzip", shuffle=True
            )
            word(phi, "Attribute", "Scalars")
            group.create_dataset("FieldData/TimeValue", data=[2.5])
            return
        group.create_dataset("PointData/phi", data=[values + 100 * k for k in range(states)])
        steps = group.create_group("Steps")
        steps.attrs["NSteps"] = states
        steps["Values"] = np.arange(states) * 0.5
        steps["PointDataOffsets/phi"] = np.arange(states)


def parts(name):
    """Two squares of two triangles each, in two parts, with superblock version 3."""
    square = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], dtype="f4")
    with h5py.File(name, "w", libver=("earliest", "v110")) as file:
        group = root(file, "UnstructuredGrid")
        group["NumberOfPoints"] = [4, 4]
        group["NumberOfCells"] = [2, 2]
        group["NumberOfConnectivityIds"] = [6, 6]
        options = dict(compression="gzip", compression_opts=9, shuffle=True, fletcher32=True)
        group.create_dataset("Points", data=np.vstack([square, square + (1, 0, 0)]), **options)
        group.create_dataset("Connectivity", data=[0, 1, 2, 1, 3, 2] * 2, **options)
        group.create_dataset("Offsets", data=[0, 3, 6] * 2, dtype="u4", **options)
        group.create_dataset("Types", data=[5] * 4, dtype="u1", **options)
        group.create_dataset("PointData/x", data=np.arange(8, dtype="i2"), **options)
        group.create_dataset("CellData/vtkGhostType", data=[0, 0, 0, 1], dtype="u1", **options)
        group.create_dataset("CellData/names", data=["a", "b", "c", "d"])


if __name__ == "__main__":
    for kind, name in (("vtkPolyData", "polydata"), ("vtkUnstructuredGrid", "grid")):
        source = Strip(kind)
        writer = vtk.vtkHDFWriter()
        writer.SetInputConnection(source.GetOutputPort())
        writer.SetWriteAllTimeSteps(True)
        writer.SetCompressionLevel(4)
        writer.SetChunkSize(4)
        writer.SetFileName(f"{name}_series.vtkhdf")
        writer.Write()
        packed(f"{name}_series.vtkhdf")
    image("image.vtkhdf", 0)
    image("image_series.vtkhdf", 3)
    parts("parts.vtkhdf")
    for name in ("image.vtkhdf", "image_series.vtkhdf", "parts.vtkhdf"):
        packed(name)
