"""Surfaces from point clouds, and signed distances to surfaces."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays, _inputs, _messages, _native, _options
from ._mesh import Mesh, as_mesh

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Surface(NamedTuple):
    """A triangulated surface.

    Arrays belong to the package and the device of the array from which the surface was made.

    Attributes
    ----------
    points : array
        Coordinates, shape (n, 3).
    cells : array
        Point numbers of the triangles, shape (m, 3).
    normals : array or None
        Unit normals of the points, shape (n, 3), if requested.
    """

    points: Any
    cells: Any
    normals: Any

    def mesh(self, **options: Any) -> Mesh:
        """Return the surface as a mesh. The options are those of `Mesh`."""
        return Mesh((self.points, self.cells), **options)

    def __repr__(self) -> str:
        return f"<zeroset.Surface: {len(self.points):,} points, {len(self.cells):,} triangles>"

    def _repr_html_(self) -> str:
        return self.mesh()._repr_html_()


def as_surface(
    points: NDArray[np.float64],
    cells: NDArray[np.uint32],
    arrays: dict[str, NDArray[np.float64]],
    model: Any,
) -> Surface:
    """Return a surface whose arrays are of the kind of a model. The arrays nx, ny and nz are its
    normals."""
    convert = _arrays.like(model) or _arrays.identity
    axes = [arrays[name] for name in ("nx", "ny", "nz") if name in arrays]
    normals = convert(np.column_stack(axes)) if len(axes) == 3 else None
    return Surface(convert(points), convert(cells), normals)


class Reconstruction(NamedTuple):
    """A reconstructed surface.

    Attributes
    ----------
    surface : Surface
        Triangles, in the units of the points.
    report : dict
        What was done, the topology of the surface, and its distances from the points. The keys are
        those of `zeroset reconstruct --json`.
    """

    surface: Surface
    report: dict[str, Any]

    def __repr__(self) -> str:
        points, cells = len(self.surface.points), len(self.surface.cells)
        return f"<zeroset.Reconstruction: {points:,} points, {cells:,} triangles>"

    def _repr_html_(self) -> str:
        return self.surface._repr_html_()


def reconstruct(
    points: npt.ArrayLike,
    normals: npt.ArrayLike | None = None,
    *,
    method: str = "auto",
    depth: int | None = None,
    cell: float | None = None,
    outliers: float | None = None,
    curvature: float | None = None,
    trim: float | None = None,
    largest: bool = False,
    fill_holes: bool | float = False,
    smooth: int = 0,
    device: str = "auto",
    threads: int = 0,
) -> Reconstruction:
    """Reconstruct a surface from a point cloud.

    A warning states if the surface does not follow its points.

    Parameters
    ----------
    points : array of shape (n, 3)
        Coordinates.
    normals : array of shape (n, 3), optional
        Outward normals of any length.
    method : {"auto", "spheres", "directed", "levelset"}
        "auto" uses "spheres" with normals and "levelset" without.
    depth : int, optional
        2^depth cubes along the longest side of the cloud. By default, it follows from the density.
    cell : float, optional
        Edge length of a cube, instead of a depth.
    outliers : float, optional
        Points whose distance from their neighbors exceeds this many times the median distance are
        left out; 0 keeps all points.
    curvature : float, optional
        Weight of the curvature in the method "levelset", 0 to 1.
    trim : float, optional
        Removes triangles that are farther from every point than this many mean spacings.
    largest : bool
        Whether to keep only the connected part with the largest area.
    fill_holes : bool or float
        Whether to fill holes, or the largest area of the holes to fill.
    smooth : int
        Rounds of Taubin smoothing, which does not shrink the surface.
    device, threads
        See `Mesh`. "auto" uses a GPU for at least 100,000 points.

    Returns
    -------
    Reconstruction

    Raises
    ------
    ValueError
        If the points have no extent, or an option cannot be used.
    NumericalError
        If there is no surface.

    Examples
    --------
    >>> import numpy as np, zeroset as zs
    >>> points = np.random.default_rng(0).normal(size=(3000, 3))
    >>> points /= np.linalg.norm(points, axis=1, keepdims=True)
    >>> surface, report = zs.reconstruct(points, normals=points)
    >>> report["surface"]["closed"], report["surface"]["genus"]
    (True, 0)
    """
    cloud = _cloud(points, normals)
    options = _options.text(
        **_options.on(device, threads),
        method=method,
        depth=depth,
        cell=cell,
        outliers=outliers,
        curvature=curvature,
        trim=trim,
        largest=largest,
        fill_holes=fill_holes,
        smooth=smooth,
    )
    vertices, cells, arrays, report, warnings = _native.reconstruct(cloud, options)
    _messages.warn(warnings)
    return Reconstruction(as_surface(vertices, cells, arrays, points), json.loads(report))


def _cloud(points: Any, normals: Any) -> _native.Cloud:
    """Return a cloud for the native part. Arrays of converted numbers are freed on return."""
    coordinates, directions = _inputs.as_points(points), None
    if normals is not None:
        directions = _inputs.as_points(normals, "normals", np.float32)
        if directions.shape != coordinates.shape:
            raise ValueError(f"normals: expected {len(coordinates)} rows, found {len(directions)}")
    return _native.Cloud(coordinates, directions)


class Sdf(NamedTuple):
    """Signed distances, negative inside.

    Attributes
    ----------
    values : array
        Distances of points, shape (n,), or of the voxels of a grid, indexed [i, j, k]. At points of
        another package, all arrays belong to that package and are on the device of the points.
    normals : array or None
        Unit vectors along which the distances grow, with an axis of 3 at the end, if requested.
    triangles : array or None
        Numbers of the nearest triangles, if requested.
    affine : numpy.ndarray or None
        Matrix of shape (4, 4) from (i, j, k, 1) to coordinates, for a grid.
    """

    values: Any
    normals: Any
    triangles: Any
    affine: NDArray[np.float64] | None

    def __repr__(self) -> str:
        shape = " x ".join(f"{n:,}" for n in self.values.shape)
        return f"<zeroset.Sdf: {shape} {'points' if self.affine is None else 'voxels'}>"


def sdf(
    mesh: Any,
    at: npt.ArrayLike | None = None,
    *,
    size: int | None = None,
    spacing: float | None = None,
    margin: int | None = None,
    bounds: Sequence[Sequence[float]] | None = None,
    band: float | None = None,
    normals: bool = False,
    triangles: bool = False,
    device: str = "auto",
    threads: int = 0,
) -> Sdf:
    """Compute exact signed distances to a surface, at points or on a grid.

    A point is inside if the absolute value of the winding number exceeds 1/2. Parts that overlap
    count as their union. The surface of a tetrahedral mesh is its boundary.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        The surface.
    at : array of shape (n, 3), optional
        Points, instead of a grid. If they are on a GPU, the distances are computed there, without
        a copy to the host.
    size : int, optional
        Number of voxels along the longest side, 128 by default.
    spacing : float, optional
        Edge length of a voxel, instead of a size.
    margin : int, optional
        Number of voxels to add on each side of the surface, 4 by default.
    bounds : ((x, y, z), (x, y, z)), optional
        Lowest and highest corner of the box of voxel centers, instead of that of the surface.
    band : float, optional
        Largest distance to compute, in voxels.
    normals : bool
        Whether to return the direction in which the distance grows.
    triangles : bool
        Whether to return the nearest triangle.
    device, threads
        See `Mesh`.

    Returns
    -------
    Sdf

    Raises
    ------
    ValueError
        If the mesh is not a surface, or an option cannot be used.

    Examples
    --------
    >>> import zeroset as zs
    >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> cells = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> zs.sdf((points, cells), at=[[0.1, 0.2, 0.3], [0.1, 0.2, -0.5]]).values.tolist()
    [-0.1, 0.5]
    """
    used: Mesh = as_mesh(mesh, device, threads)
    if at is not None:
        if any(option is not None for option in (size, spacing, margin, bounds, band)):
            raise ValueError("at: size, spacing, margin, bounds and band are for grids")
        if _arrays.on_gpu(at):
            return _sdf_on_gpu(used, at, normals, triangles)
        options = _options.text(normals=normals, triangles=triangles)
        found = _native.sdf_at(used._native, _inputs.as_points(at, "at"), options)
        _messages.warn(found["warnings"])
        convert = _arrays.like(at) or _arrays.identity
        values, directions, nearest = (
            None if found[name] is None else convert(found[name])
            for name in ("values", "normals", "triangles")
        )
        return Sdf(values, directions, nearest, None)
    if size is not None and spacing is not None:
        raise ValueError("spacing: give either a size or a spacing")
    box = None if bounds is None else np.asarray(bounds, np.float64).reshape(2, 3).tolist()
    found = _native.sdf_grid(
        used._native,
        _options.text(
            normals=normals,
            triangles=triangles,
            size=size,
            spacing=spacing,
            margin=margin,
            bounds=box,
            band=band,
        ),
    )
    _messages.warn(found["warnings"])

    def on_grid(values: NDArray[Any]) -> NDArray[Any]:
        return values.reshape(found["shape"], order="F")

    affine = np.diag([*[found["spacing"]] * 3, 1.0])
    affine[:3, 3] = found["origin"]
    directions = None
    if found["normals"] is not None:
        directions = np.stack([on_grid(axis) for axis in found["normals"]], axis=-1)
    nearest = None if found["triangles"] is None else on_grid(found["triangles"])
    return Sdf(on_grid(found["values"]), directions, nearest, affine)


def _sdf_on_gpu(mesh: Mesh, at: Any, normals: bool, triangles: bool) -> Sdf:
    """Compute the signed distances of points on the GPU that holds them."""
    gpu, n = _arrays.Gpu(at), len(at)
    points = gpu.points(gpu.array, "at")
    values = gpu.empty((n,), "float64")
    directions = gpu.empty((n, 3), "float64") if normals else None
    nearest = gpu.empty((n,), "int64") if triangles else None
    gpu.wait()
    addresses = map(gpu.address, (values, directions, nearest))
    _messages.warn(
        _native.sdf_between(mesh._native, gpu.number, gpu.address(points), n, *addresses)
    )
    return Sdf(gpu.result(values), gpu.result(directions), gpu.result(nearest), None)
