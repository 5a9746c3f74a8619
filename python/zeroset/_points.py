"""Point clouds: samples of a surface, files, and nearest points."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays, _inputs, _messages, _native, _options
from ._mesh import as_mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Cloud(NamedTuple):
    """A point cloud. It can be passed on: ``zs.reconstruct(*cloud)``.

    Attributes
    ----------
    points : numpy.ndarray
        Coordinates, shape (n, 3).
    normals : numpy.ndarray or None
        Unit normals, float32, shape (n, 3), if there are any.
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float32] | None

    def __repr__(self) -> str:
        normals = "" if self.normals is None else " with normals"
        return f"<zeroset.Cloud: {len(self.points):,} points{normals}>"


def read_points(path: str | os.PathLike[str]) -> Cloud:
    """Read a point cloud in any format that the command line reads.

    Parameters
    ----------
    path : path
        A file such as .ply, .pcd, .las, .laz, .e57, .ptx or .xyz.

    Returns
    -------
    Cloud

    Raises
    ------
    OSError
        If the file cannot be used.

    Examples
    --------
    >>> import pathlib, tempfile, zeroset as zs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.xyz")
    ...     _ = path.write_text("0 0 0\\n1 2 3\\n")
    ...     zs.read_points(path).points.tolist()
    [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]
    """
    (points, normals), warnings = _native.read_points(os.fspath(path))
    _messages.warn(warnings)
    return Cloud(points, normals)


def sample(
    mesh: Any,
    n: int,
    *,
    normals: bool = False,
    noise: float | str = 0.0,
    outliers: int = 0,
    seed: int = 1,
    threads: int = 0,
) -> Cloud:
    """Draw random points on a surface, distributed uniformly over its area.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        The surface.
    n : int
        Number of points on the surface.
    normals : bool
        Whether to return the normals of the triangles.
    noise : float or str
        Standard deviation of Gaussian noise for each coordinate, in the units of the mesh, or as a
        percentage of the diagonal of the bounding box: ``"0.1%"``.
    outliers : int
        Number of additional random points around the surface. They come last.
    seed : int
        Seed of the random numbers. The same seed gives the same points.
    threads
        See `Mesh`.

    Returns
    -------
    Cloud

    Raises
    ------
    ValueError
        If the mesh has no triangles, or an option is out of range.

    Examples
    --------
    >>> import zeroset as zs
    >>> cloud = zs.sample(zs.generate("sphere", subdivisions=2), 1000, normals=True)
    >>> cloud.points.shape, cloud.normals.shape
    ((1000, 3), (1000, 3))
    """
    numbers = {"n": n, "outliers": outliers, "seed": seed}
    for name, number in numbers.items():
        if number < (1 if name == "n" else 0):
            raise ValueError(f"{name}: expected a number of at least 0, found {number}")
    options = _options.text(normals=normals, noise=str(noise), **numbers)
    return Cloud(*_native.sample(as_mesh(mesh, "cpu", threads)._native, options))


class Nearest(NamedTuple):
    """The nearest point of each query.

    Attributes
    ----------
    distances : array
        Distances, float64, shape (k,). They are infinite if there is no point.
    indices : array
        Numbers of the nearest points, int64, shape (k,), or -1.
    """

    distances: Any
    indices: Any

    def __repr__(self) -> str:
        return f"<zeroset.Nearest: {len(self.distances):,} queries>"


def nearest(
    points: npt.ArrayLike,
    queries: npt.ArrayLike,
    *,
    norm: str = "l2",
    direction: npt.ArrayLike | None = None,
    angle: float | None = None,
    cylinder: float | None = None,
    device: str = "auto",
    threads: int = 0,
) -> Nearest:
    """Find the nearest point of each query.

    The result is exact. Of several points at the same distance, the first one is returned.

    Parameters
    ----------
    points : array of shape (n, 3) or (n, 2)
        Coordinates to measure to.
    queries : array of shape (k, 3) or (k, 2)
        Coordinates to measure from. If they are on a GPU, they and the results stay there, except
        with a cone or with other norms than "l1", "l2" and "linf".
    norm : str
        Norm of distances: "l1", "l2", "linf", or "l" with an order of at least 1, such as "l3".
    direction : array of shape (3,) or (k, 3), optional
        Considers only points in a cone around this direction. Needs an angle.
    angle : float, optional
        Half angle of the cone in degrees.
    cylinder : float, optional
        Also considers points this close to the ray in this direction.
    device, threads
        See `Mesh`. "auto" uses a GPU if the CPU would take more than half a second.

    Returns
    -------
    Nearest

    Raises
    ------
    ValueError
        If an array has a wrong shape, coordinates are not finite, or an option cannot be used.

    Examples
    --------
    >>> import zeroset as zs
    >>> distances, indices = zs.nearest([[0, 0, 0], [5, 1, 2]], [[4, 1, 0], [0, 0, -3]])
    >>> distances.round(3).tolist(), indices.tolist()
    ([2.236, 3.0], [1, 0])
    """
    if (direction is None) != (angle is None):
        raise ValueError("direction: a cone needs both a direction and an angle")
    if cylinder is not None and direction is None:
        raise ValueError("cylinder: has no effect without a direction")
    directions = None
    if direction is not None:
        directions = _inputs.as_points(np.atleast_2d(_arrays.as_numpy(direction)), "direction")
    elif _arrays.on_gpu(queries) and norm in ("l1", "l2", "linf"):
        found = _nearest_on_gpu(points, queries, norm)
        if found is not None:
            return found
    distances, indices, warnings = _native.nearest(
        _inputs.as_points(points),
        _inputs.as_points(queries, "queries"),
        directions,
        _options.text(**_options.on(device, threads), norm=norm, angle=angle, cylinder=cylinder),
    )
    _messages.warn(warnings)
    convert = _arrays.like(queries, points) or _arrays.identity
    return Nearest(convert(distances), convert(indices))


# Squares of distances below this number may have lost digits.
_LEAST = 1e-290


def _nearest_on_gpu(points: Any, queries: Any, norm: str) -> Nearest | None:
    """Search on the GPU that holds the queries. Return None if there is nothing to find there, or
    if squares of distances underflow."""
    sites = _inputs.as_points(points)
    gpu = _arrays.Gpu(queries)
    given = gpu.points(gpu.array, "queries")
    n = len(given)
    if n == 0 or len(sites) == 0:
        return None
    keys, numbers = gpu.empty((n,), "float64"), gpu.empty((n,), "int32")
    corners = [[float(x) for x in corner] for corner in gpu.corners(given)]
    gpu.wait()
    _native.nearest_between(
        sites,
        gpu.address(given),
        n,
        corners,
        gpu.address(keys),
        gpu.address(numbers),
        norm,
        gpu.number,
    )
    indices = gpu.read(gpu.unsigned(numbers), "int64")
    if norm == "l2":
        small = keys < _LEAST
        if bool(small.any()):
            there = gpu.read(sites, "float64")[indices[small]]
            if bool((there != given[small]).any()):
                return None
        keys = gpu.sqrt(keys)
    return Nearest(gpu.result(keys), gpu.result(indices))
