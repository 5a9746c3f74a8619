"""Opens files with VTK itself: python3 check_vtk.py FILE... (.vtu, .vtp, .pvd; needs package vtk).

Prints what VTK found in each file. Exit code 1 if VTK complains about one, if a file is empty of
points though it has cells, if a cell names a point that does not exist, if phi or distance is
missing numbers or not finite, or if a .pvd names a file that is not there.
"""

import math
import pathlib
import sys
import xml.etree.ElementTree

import vtk
from vtk.util.numpy_support import vtk_to_numpy

READERS = {".vtu": vtk.vtkXMLUnstructuredGridReader, ".vtp": vtk.vtkXMLPolyDataReader}
FINITE = ("phi", "distance")


def arrays(attributes, rows, problems):
    """One line per array; what is wrong is appended to `problems`."""
    for k in range(attributes.GetNumberOfArrays()):
        array = attributes.GetAbstractArray(k)
        name, found = array.GetName(), array.GetNumberOfTuples()
        if found != rows:
            problems.append(f"array {name} has {found} rows, expected {rows}")
        text = f"{name}[{array.GetNumberOfComponents()}] {array.GetDataTypeAsString()}"
        if isinstance(array, vtk.vtkDataArray) and found:
            values = vtk_to_numpy(array)
            text += f" {values.min():.6g}..{values.max():.6g}"
            if name in FINITE and not math.isfinite(values.sum(dtype=float)):
                problems.append(f"array {name} is not finite everywhere")
        yield text


def cell_arrays(data):
    if isinstance(data, vtk.vtkPolyData):
        return [data.GetVerts(), data.GetLines(), data.GetPolys(), data.GetStrips()]
    return [data.GetCells()]


def check_data(path):
    complaints = vtk.vtkStringOutputWindow()
    vtk.vtkOutputWindow.SetInstance(complaints)
    reader = READERS[path.suffix]()
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutput()
    problems = [line for line in complaints.GetOutput().splitlines() if line.strip()]
    if reader.GetErrorCode():
        problems.append(f"error code {reader.GetErrorCode()}")
    points, cells = data.GetNumberOfPoints(), data.GetNumberOfCells()
    for array in cell_arrays(data):
        if array is None or array.GetNumberOfCells() == 0:
            continue
        ids = vtk_to_numpy(array.GetConnectivityArray())
        if len(ids) and (ids.min() < 0 or ids.max() >= points):
            problems.append(f"cells name points {ids.min()} to {ids.max()} of {points}")
    if points and not math.isfinite(vtk_to_numpy(data.GetPoints().GetData()).sum(dtype=float)):
        problems.append("points are not finite everywhere")
    point_data = list(arrays(data.GetPointData(), points, problems))
    cell_data = list(arrays(data.GetCellData(), cells, problems))
    time = data.GetFieldData().GetArray("TimeValue")
    when = f", t = {time.GetValue(0):g}" if time else ""
    print(f"{path}: {points} points, {cells} cells{when}")
    for kind, lines in (("point", point_data), ("cell", cell_data)):
        for line in lines:
            print(f"  {kind} data {line}")
    return problems


def check_series(path):
    """All files of a series must be there, be readable, and come in order of time."""
    problems, times = [], []
    for entry in xml.etree.ElementTree.parse(path).getroot().iter("DataSet"):
        times.append(float(entry.get("timestep")))
        file = path.parent / entry.get("file")
        if not file.is_file():
            problems.append(f"{file} is not there")
            continue
        problems += [f"{file}: {problem}" for problem in check_data(file)]
    if times != sorted(times):
        problems.append("times are not in order")
    print(f"{path}: {len(times)} data sets")
    return problems


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    failed = False
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        if path.suffix not in (*READERS, ".pvd"):
            sys.exit(f"{path}: expected .vtu, .vtp or .pvd")
        if not path.is_file():
            problems = ["no such file"]
        else:
            problems = check_series(path) if path.suffix == ".pvd" else check_data(path)
        for problem in problems:
            print(f"{path}: ERROR: {problem}", file=sys.stderr)
        failed |= bool(problems)
    sys.exit(failed)


main()
