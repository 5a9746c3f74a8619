"""Opens files with VTK itself: python3 check_vtk.py FILE... (.vtu, .vtp, .pvd, .vtkhdf; needs
package vtk).

Prints what VTK found in each file. Exit code 1 if VTK complains about a file, if a cell names a
point that does not exist, if an array has the wrong number of rows, if points, phi or distance are
not finite, if a .pvd names a file that does not exist or its times are not in order, or if a
.vtkhdf has no states or not the same states as the .pvd given just before it.
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
    """Yields one line of text per array, and appends errors to `problems`."""
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
    return check_output(path, reader, complaints)


def check_output(path, reader, complaints):
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
    """Returns the problems of a series: those of its files, and those in the order of its times."""
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


def states(path):
    """Yields the time and the data of each state of a series."""
    if path.suffix == ".pvd":
        for entry in xml.etree.ElementTree.parse(path).getroot().iter("DataSet"):
            file = path.parent / entry.get("file")
            reader = READERS[file.suffix]()
            reader.SetFileName(str(file))
            reader.Update()
            yield float(entry.get("timestep")), reader.GetOutput()
        return
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    for step in range(reader.GetNumberOfSteps()):
        reader.SetStep(step)
        reader.Update()
        data = reader.GetOutput().NewInstance()
        data.DeepCopy(reader.GetOutput())
        yield reader.GetTimeValue(), data


def check_hdf(path, series):
    """Checks all states of one file. They must equal those of `series`, if given."""
    complaints = vtk.vtkStringOutputWindow()
    vtk.vtkOutputWindow.SetInstance(complaints)
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    problems, n = [], reader.GetNumberOfSteps()
    for step in range(n):
        reader.SetStep(step)
        reader.Update()
        problems += [f"step {step}: {problem}" for problem in check_output(path, reader, complaints)]
    print(f"{path}: {n} states")
    if n == 0:
        problems.append("no states")
    if series is None:
        return problems
    found, expected = list(states(path)), list(states(series))
    if [time for time, _ in found] != [time for time, _ in expected]:
        problems.append(f"times differ from those of {series}")
    for (time, one), (_, other) in zip(found, expected):
        pairs = [(one.GetPoints().GetData(), other.GetPoints().GetData())]
        pairs += [
            (mine.GetConnectivityArray(), theirs.GetConnectivityArray())
            for mine, theirs in zip(cell_arrays(one), cell_arrays(other))
            if theirs is not None and theirs.GetNumberOfCells()
        ]
        for k in range(other.GetPointData().GetNumberOfArrays()):
            theirs = other.GetPointData().GetArray(k)
            pairs.append((one.GetPointData().GetArray(theirs.GetName()), theirs))
        for mine, theirs in pairs:
            same = mine is not None and (vtk_to_numpy(mine) == vtk_to_numpy(theirs)).all()
            if not same:
                problems.append(f"{theirs.GetName()} at time {time} differs from {series}")
    print(f"  compared with {len(expected)} states of {series}")
    return problems


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    failed, series = False, None
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        if path.suffix not in (*READERS, ".pvd", ".vtkhdf"):
            sys.exit(f"{path}: expected .vtu, .vtp, .pvd or .vtkhdf")
        if not path.is_file():
            problems = ["no such file"]
        else:
            checks = {".pvd": check_series, ".vtkhdf": lambda file: check_hdf(file, series)}
            problems = checks.get(path.suffix, check_data)(path)
        series = path if path.suffix == ".pvd" else None
        for problem in problems:
            print(f"{path}: ERROR: {problem}", file=sys.stderr)
        failed |= bool(problems)
    sys.exit(failed)


main()
