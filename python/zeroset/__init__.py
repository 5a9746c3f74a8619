"""Level sets and distances on triangle meshes, tetrahedral meshes and grids.

Results are numpy arrays that refer to the points and cells of the input. They are bitwise
identical to those of the command line, for any number of threads and in every run. Lengths are in
the units of the mesh.

>>> import numpy as np, zeroset as zs
>>> points = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
>>> d = zs.distance((points, [[0, 1, 2], [1, 3, 2]]), sources=0)
>>> d.values.round(3).tolist()
[0.0, 1.0, 1.0, 1.414]
"""

from ._activation import Activation, activation
from ._farthest import FarthestPoints, farthest_points
from ._levelset import LevelSet, State
from ._mesh import Cleaned, Distances, Mesh, Path, distance, generate, read
from ._messages import (
    AccuracyWarning,
    DeviceWarning,
    FileWarning,
    MeshWarning,
    ZerosetWarning,
)
from ._native import DeviceError, NumericalError, __version__
from ._pictures import Picture, info, render
from ._points import Cloud, Nearest, nearest, read_points, sample
from ._run import CaseCheck, Report, check, devices, run
from ._sensitivity import Sensitivity
from ._studies import batch, compare, converge
from ._surfaces import Reconstruction, Sdf, Surface, reconstruct, sdf
from ._volumes import Volume, edt, isosurface, read_volume, voxelize
from ._voxels import Octree, Points, octree, points

__all__ = [
    "AccuracyWarning",
    "Activation",
    "CaseCheck",
    "Cleaned",
    "Cloud",
    "DeviceError",
    "DeviceWarning",
    "Distances",
    "FarthestPoints",
    "FileWarning",
    "LevelSet",
    "Mesh",
    "MeshWarning",
    "Nearest",
    "NumericalError",
    "Octree",
    "Path",
    "Picture",
    "Points",
    "Reconstruction",
    "Report",
    "Sdf",
    "Sensitivity",
    "State",
    "Surface",
    "Volume",
    "ZerosetWarning",
    "__version__",
    "activation",
    "batch",
    "check",
    "compare",
    "converge",
    "devices",
    "distance",
    "edt",
    "farthest_points",
    "generate",
    "info",
    "isosurface",
    "nearest",
    "octree",
    "points",
    "read",
    "read_points",
    "read_volume",
    "reconstruct",
    "render",
    "run",
    "sample",
    "sdf",
    "voxelize",
]
