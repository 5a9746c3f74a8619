"""Points that are far from one another along a mesh."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _arrays, _conduction, _native, _options, _progress
from ._mesh import as_mesh
from ._progress import Progress


class FarthestPoints(NamedTuple):
    """Points that are far from one another along a mesh, and the part that is nearest to each.

    Arrays belong to the package and the device of the points of the mesh.

    Attributes
    ----------
    indices : array
        Numbers of the chosen points in the order of their choice, int64, shape (k,).
    separations : array
        Distance of each chosen point from the earlier ones, in descending order, shape (k,), in
        mesh units (a time if a speed is given). Infinite for the first one.
    values : array
        Distance of each point of the mesh from the nearest chosen point, shape (n,), in the same
        unit. NaN at points that no front from the first one reaches.
    labels : array
        Position in `indices` of the nearest chosen point, int32, shape (n,), or -1. The parts with
        the same label are the cells of the geodesic Voronoi diagram.
    """

    indices: Any
    separations: Any
    values: Any
    labels: Any

    def __repr__(self) -> str:
        return f"<zeroset.FarthestPoints: {len(self.indices):,} of {len(self.values):,} points>"


def farthest_points(
    mesh: Any,
    n: int,
    *,
    first: int = 0,
    speed: Any = None,
    fiber: Any = None,
    sheet: Any = None,
    front: str = "auto",
    mask: str | None = None,
    device: str = "auto",
    threads: int = 0,
    progress: Progress | bool | None = None,
) -> FarthestPoints:
    """Choose points of a mesh that are far from one another along the mesh.

    Each next point is the one that is farthest from the earlier ones, so the first k of n points
    are the same as for ``n=k``.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        The mesh.
    n : int
        Number of points, at least 1.
    first : int
        Number of the first point.
    speed, fiber, sheet, front, mask
        See `Mesh.distance`.
    device, threads
        See `Mesh`.
    progress : bool or callable, optional
        See `Mesh.distance`.

    Returns
    -------
    FarthestPoints

    Raises
    ------
    ValueError
        If fronts from the first point reach fewer than `n` points at different places, or an option
        is out of range.
    NumericalError, DeviceError, MemoryError
        If the computation fails.

    Examples
    --------
    >>> import zeroset as zs
    >>> found = zs.farthest_points(zs.generate("square", cells=[4, 4]), 3)
    >>> found.indices.tolist()
    [0, 24, 4]
    >>> found.separations.round(3).tolist()
    [inf, 1.414, 1.0]
    """
    for name, number in (("n", n), ("first", first)):
        if not 0 <= number < 2**32:
            raise ValueError(f"{name}: expected 0 to {2**32 - 1}, found {number}")
    made = as_mesh(mesh, device, threads)
    native_speed = _conduction.as_speed(speed, fiber, sheet, made.n_cells)
    options = _options.text(front=front, mask=mask)
    with _progress.shown(progress) as call:
        found = _native.farthest_points(made._native, n, first, native_speed, options, call)
    made._warn(found["warnings"])
    convert = _arrays.like(speed) or made._converter()
    return FarthestPoints(
        convert(found["vertices"].astype("int64")),
        convert(found["separations"]),
        convert(found["values"]),
        convert(found["labels"]),
    )
