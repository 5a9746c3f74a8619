"""Distance transforms and isosurfaces of arrays of voxels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays, _messages, _native, _options
from ._mesh import as_mesh
from ._surfaces import Surface, as_surface

if TYPE_CHECKING:
    from numpy.typing import NDArray


def edt(
    mask: npt.ArrayLike,
    sampling: float | Sequence[float] | None = None,
    *,
    signed: bool = False,
    return_indices: bool = False,
    device: str = "auto",
    threads: int = 0,
) -> Any:
    """Compute the exact distance transform, as `scipy.ndimage.distance_transform_edt` does.

    Parameters
    ----------
    mask : array of one to three dimensions
        Voxels other than zero get their distance to the nearest voxel that is zero.
    sampling : float or sequence of float, optional
        Spacing of the voxels along each axis, > 0, in any unit of length, 1 by default.
    signed : bool
        Whether to measure to the surface instead: the faces between the two kinds of voxels.
        Distances are then negative where the mask is not zero.
    return_indices : bool
        Whether to also return the index of the nearest zero voxel along each axis. With `signed`,
        it is that of the voxel of the other kind whose center is nearest.
    device, threads
        See `Mesh`. "auto" uses a GPU for at least 8 million voxels per thread.

    Returns
    -------
    distances : array
        Distances, float32, with the shape of the mask, in the unit of the spacing. They belong to
        the package and the device of the mask. For a mask on a GPU, distances and indices are
        computed there without a copy to the host.
    indices : array
        Only with `return_indices`: indices, int64, with one more axis in front. Among voxels at the
        same distance, a GPU may choose another one than the CPU.

    Raises
    ------
    ValueError
        If no voxel is zero, or with `signed` if all are, or if an option cannot be used.

    Examples
    --------
    >>> import numpy as np, zeroset as zs
    >>> zs.edt(np.array([[0, 1, 1], [1, 1, 1]])).round(2).tolist()
    [[0.0, 1.0, 2.0], [1.0, 1.409999966621399, 2.240000009536743]]
    """
    if _arrays.on_gpu(mask):
        return _edt_on_gpu(mask, sampling, signed, return_indices)
    convert = _arrays.like(mask) or _arrays.identity
    array = _arrays.as_numpy(mask)
    if not 1 <= array.ndim <= 3:
        raise ValueError(f"mask: expected 1 to 3 dimensions, found {array.ndim}")
    spacing = _per_axis(sampling, array.ndim, "sampling")
    if array.size == 0:
        raise ValueError(f"mask: the shape {array.shape} has no voxel")
    # The distances are the same for any order of the axes, so the order in memory is used.
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    ordered = array.T if is_fortran else np.ascontiguousarray(array)
    lengths = spacing[::-1] if is_fortran else spacing
    inside = ordered.astype(bool, copy=False)
    targets = inside if signed else ~inside
    shape = [1] * (3 - array.ndim) + list(ordered.shape)
    steps = [1.0] * (3 - array.ndim) + lengths
    options = _options.text(**_options.on(device, threads))
    try:
        values, warnings = _native.edt(
            targets.reshape(-1), shape[::-1], steps[::-1], signed, options
        )
    except ValueError as error:
        if targets.any():
            raise
        what = "is not zero" if signed else "is zero"
        raise ValueError(f"mask: no voxel {what}; there is nothing to measure to") from error
    _messages.warn(warnings)
    distances = values.reshape(ordered.shape)
    distances = distances.T if is_fortran else distances
    if not return_indices:
        return convert(distances)

    def nearest(targets: NDArray[np.bool_]) -> NDArray[np.uint64]:
        return _native.nearest_voxels(targets.reshape(-1), shape[::-1], steps[::-1], options)

    if signed:
        found = np.where(inside.reshape(-1), nearest(~inside), nearest(inside))
    else:
        found = nearest(targets)
    axes = np.stack(np.unravel_index(found.astype(np.int64), ordered.shape))
    indices = axes.reshape(array.ndim, *ordered.shape)
    if is_fortran:
        indices = np.stack([axis.T for axis in indices[::-1]])
    return convert(distances), convert(indices)


def _edt_on_gpu(mask: Any, sampling: Any, signed: bool, return_indices: bool) -> Any:
    """Compute the distances on the GPU that holds the mask, without copies to the host."""
    if not 1 <= mask.ndim <= 3:
        raise ValueError(f"mask: expected 1 to 3 dimensions, found {mask.ndim}")
    spacing = _per_axis(sampling, mask.ndim, "sampling")
    gpu = _arrays.Gpu(mask)
    # Booleans are read as they are. Of other numbers, only whether they are zero matters.
    is_bool = str(gpu.array.dtype).rpartition(".")[2] == "bool"
    marks = gpu.read(gpu.array if is_bool else gpu.array != 0, "bool")
    distances = gpu.empty(tuple(mask.shape), "float32")
    shape = [1] * (3 - mask.ndim) + list(mask.shape)
    steps = [1.0] * (3 - mask.ndim) + spacing

    has_targets = True

    def nearest(to_zeros: bool) -> Any:
        """Compute the distances without signs, and return the indices of the nearest targets."""
        nonlocal has_targets
        found = gpu.empty((3, *shape), "int64")
        gpu.wait()
        addresses = gpu.address(distances), gpu.address(found)
        has_targets &= _native.nearest_voxels_between(
            gpu.address(marks), to_zeros, *addresses, shape[::-1], steps[::-1], gpu.number
        )
        return found[3 - mask.ndim :].reshape(mask.ndim, *mask.shape)

    indices = None
    if return_indices and signed:
        indices = gpu.where(marks, nearest(True), nearest(False))
    elif return_indices:
        indices = nearest(True)
    if signed or not return_indices:
        gpu.wait()
        has_targets &= _native.edt_between(
            gpu.address(marks),
            not signed,
            gpu.address(distances),
            shape[::-1],
            steps[::-1],
            signed,
            gpu.number,
        )
    if not has_targets:
        what = "the voxels are of one kind" if signed else "no voxel is zero"
        raise ValueError(f"mask: {what}; there is nothing to measure to")
    if indices is None:
        return gpu.result(distances)
    return gpu.result(distances), gpu.result(indices)


def _per_axis(values: Any, n: int, name: str) -> list[float]:
    """Return a positive length for each of n axes."""
    array = np.ones(n) if values is None else np.asarray(values, np.float64)
    if array.shape not in ((), (n,)):
        raise ValueError(f"{name}: expected one number or {n}, found the shape {array.shape}")
    array = np.broadcast_to(array, (n,))
    if not np.all(np.isfinite(array) & (array > 0)):
        raise ValueError(f"{name}: expected positive numbers, found {array.tolist()}")
    return list(map(float, array))


class Volume(NamedTuple):
    """Voxels and their place in space.

    Attributes
    ----------
    values : numpy.ndarray
        Values, indexed [i, j, k].
    affine : numpy.ndarray
        Matrix of shape (4, 4) from (i, j, k, 1) to world coordinates.
    """

    values: NDArray[Any]
    affine: NDArray[np.float64]

    def __repr__(self) -> str:
        shape = " x ".join(map(str, self.values.shape))
        return f"<zeroset.Volume: {shape} voxels, {self.values.dtype}>"


def read_volume(path: str | os.PathLike[str]) -> Volume:
    """Read a volume or a grayscale picture in any format that the command line reads.

    Parameters
    ----------
    path : path
        File.

    Returns
    -------
    Volume

    Raises
    ------
    OSError
        If the file cannot be used.

    Examples
    --------
    >>> import pathlib, tempfile, zeroset as zs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "six.nrrd"
    >>> lines = ["NRRD0004", "type: uchar", "dimension: 3", "sizes: 3 2 1", "encoding: ascii", ""]
    >>> _ = path.write_text("\\n".join([*lines, "1 2 3 4 5 6"]))
    >>> zs.read_volume(path).values[:, :, 0].tolist()
    [[1, 4], [2, 5], [3, 6]]
    """
    found = _native.read_volume(os.fspath(path))
    _messages.warn(found["warnings"])
    affine = np.eye(4)
    affine[:3, :3] = np.array(found["steps"]).T
    affine[:3, 3] = found["origin"]
    return Volume(found["values"].reshape(found["shape"], order="F"), affine)


def voxelize(
    mesh: Any,
    *,
    size: int | None = None,
    spacing: float | None = None,
    margin: int = 0,
    surface: bool = False,
    threads: int = 0,
) -> Volume:
    """Mark the voxels inside a closed surface or a tetrahedral mesh.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        The mesh.
    size : int, optional
        Number of voxels along the longest side, 128 by default.
    spacing : float, optional
        Edge length of a voxel in mesh units, > 0, instead of a size.
    margin : int
        Number of voxels to add on each side.
    surface : bool
        Whether to mark the voxels that the surface passes through instead.
    threads
        See `Mesh`.

    Returns
    -------
    Volume
        Values are 1 in marked voxels and 0 in others, uint8.

    Raises
    ------
    ValueError
        If the mesh has no inside, or an option cannot be used.

    Examples
    --------
    >>> import zeroset as zs
    >>> cube = zs.generate("cube", cells=[2, 2, 2])
    >>> voxels = zs.voxelize(cube, spacing=0.25)
    >>> voxels.values.shape, int(voxels.values.sum())
    ((4, 4, 4), 64)
    """
    if size is not None and spacing is not None:
        raise ValueError("spacing: give either a size or a spacing")
    if margin < 0:
        raise ValueError(f"margin: expected a number of at least 0, found {margin}")
    used = as_mesh(mesh, "cpu", threads)
    if spacing is None:
        longest = float(np.ptp(used.points, axis=0).max()) if used.n_points else 0.0
        spacing = longest / (128 if size is None else size)
    marks, shape, origin, warnings = _native.voxelize(used._native, spacing, margin, surface)
    _messages.warn(warnings)
    affine = np.diag([spacing, spacing, spacing, 1.0])
    affine[:3, 3] = origin
    return Volume(marks.reshape(shape, order="F"), affine)


def isosurface(
    volume: Any,
    level: float,
    *,
    affine: npt.ArrayLike | None = None,
    spacing: float | Sequence[float] | None = None,
    closed: bool = False,
    normals: bool = False,
    largest: bool = False,
    fill_holes: bool | float = False,
    smooth: int = 0,
    device: str = "auto",
    threads: int = 0,
) -> Surface:
    """Extract the surface where the values of a volume cross a level, by marching cubes.

    Parameters
    ----------
    volume : array of three dimensions, Volume, path, or image from nibabel
        Values, indexed [i, j, k]. If they are on a GPU, the surface is extracted there, without a
        copy to the host, unless a voxel equals the level exactly, a value is not finite, or holes,
        components or smoothness are changed.
    level : float
        Value on the surface, in the unit of the values. The inside has the larger values.
    affine : array of shape (4, 4), optional
        Matrix from (i, j, k, 1) to coordinates. By default, that of the file or image.
    spacing : float or sequence of float, optional
        Spacing of the voxels along each axis, > 0, in any unit of length, instead of `affine`.
    closed : bool
        Whether to close the surface where it leaves the volume.
    normals : bool
        Whether to return normals: the negative gradient of the values, scaled to length 1.
    largest : bool
        Whether to keep only the connected part with the largest area.
    fill_holes : bool or float
        Whether to fill holes, or the largest area of the holes to fill, in squared units of the
        coordinates.
    smooth : int
        Rounds of Taubin smoothing, which does not shrink the surface.
    device, threads
        See `Mesh`.

    Returns
    -------
    Surface

    Raises
    ------
    ValueError
        If the level is not between the values, or an option cannot be used.

    Examples
    --------
    >>> import numpy as np, zeroset as zs
    >>> x, y, z = np.mgrid[-2:3, -2:3, -2:3]
    >>> ball = zs.isosurface(-np.sqrt(x**2 + y**2 + z**2), -1.5)
    >>> len(ball.points) - len(ball.cells) // 2
    2
    """
    # Cleaning up a surface needs the host.
    values, matrix = _placed(volume, affine, spacing, not (largest or fill_holes or smooth))
    if not isinstance(values, np.ndarray):
        found = _isosurface_on_gpu(values, level, matrix, closed, normals)
        if found is not None:
            return found
        values = np.asarray(_arrays.as_numpy(values))
    points, cells, arrays, warnings = _native.isosurface(
        *_as_native(values, matrix),
        float(level),
        _options.text(
            **_options.on(device, threads),
            closed=closed,
            normals=normals,
            largest=largest,
            fill_holes=fill_holes,
            smooth=smooth,
        ),
    )
    _messages.warn(warnings)
    return as_surface(points, cells, arrays, volume)


def _placed(
    volume: Any, affine: Any, spacing: Any, may_stay_on_gpu: bool = False
) -> tuple[Any, NDArray[np.float64]]:
    """Return the values of a volume, indexed [i, j, k], and the matrix of its voxels.

    Parameters
    ----------
    volume : array of three dimensions, path, or image from nibabel
    affine : array of shape (4, 4), or None
    spacing : float, sequence of float, or None
    may_stay_on_gpu : bool
        Whether to return values on a GPU as they are, instead of as a numpy array.

    Raises
    ------
    ValueError
        If a shape is wrong, or if both an affine and a spacing are given.
    """
    if isinstance(volume, (str, os.PathLike)):
        values, of_file = read_volume(volume)
        affine = of_file if affine is None and spacing is None else affine
    else:
        volume, of_volume = volume if isinstance(volume, Volume) else (volume, None)
        values = getattr(volume, "dataobj", volume)
        if affine is None and spacing is None:
            affine = getattr(volume, "affine", of_volume)
        if not (may_stay_on_gpu and _arrays.on_gpu(values)):
            values = np.asarray(_arrays.as_numpy(values))
    if values.ndim != 3:
        raise ValueError(f"volume: expected 3 dimensions, found the shape {tuple(values.shape)}")
    if affine is not None and spacing is not None:
        raise ValueError("spacing: give either an affine or a spacing")
    matrix = (
        np.diag([*_per_axis(spacing, 3, "spacing"), 1.0])
        if affine is None
        else np.asarray(affine, np.float64)
    )
    if matrix.shape != (4, 4):
        raise ValueError(f"affine: expected the shape (4, 4), found {matrix.shape}")
    return values, matrix


def _as_native(
    values: NDArray[Any], matrix: NDArray[np.float64]
) -> tuple[NDArray[Any], list[int], list[float], list[list[float]]]:
    """Return the numbers of a volume with x fastest, its shape, its origin, and its steps."""
    kind = {"b": np.uint8, "f": np.float64 if values.dtype.itemsize > 4 else np.float32}.get(
        values.dtype.kind
    )
    ordered = np.asfortranarray(values, kind or values.dtype.newbyteorder("="))
    return (
        ordered.reshape(-1, order="F"),
        list(ordered.shape),
        matrix[:3, 3].tolist(),
        matrix[:3, :3].T.tolist(),
    )


def _isosurface_on_gpu(
    values: Any, level: float, matrix: NDArray[np.float64], closed: bool, normals: bool
) -> Surface | None:
    """Extract a surface on the GPU that holds the values.

    Return None if there is no surface, or if it must be cleaned up on the host.
    """
    gpu = _arrays.Gpu(values)
    name = str(gpu.array.dtype).rpartition(".")[2]
    kind = {"bool": "uint8", "float16": "float32", "bfloat16": "float32"}.get(name, name)
    ordered = gpu.read(gpu.reversed(gpu.array), kind)
    gpu.wait()
    made = _native.isosurface_between(
        gpu.address(ordered),
        kind,
        list(values.shape),
        matrix[:3, 3].tolist(),
        matrix[:3, :3].T.tolist(),
        float(level),
        _options.text(closed=closed, normals=normals),
        gpu.number,
    )
    if made.n_triangles == 0 or made.has_missing:
        return None
    points = gpu.empty((made.n_vertices, 3), "float64")
    numbers = gpu.empty((made.n_triangles, 3), "int32")
    directions = gpu.empty((made.n_vertices, 3), "float64") if normals else None
    gpu.wait()
    made.copy_to(*map(gpu.address, (points, numbers, directions)))
    cells = gpu.unsigned(numbers)
    corners = [points[cells[:, k]] for k in range(3)]
    for k in range(3):
        if bool((corners[k] == corners[k - 1]).all(1).any()):
            return None
    if directions is not None and bool((directions != directions).any()):
        return None
    return Surface(gpu.result(points), gpu.result(cells), gpu.result(directions))
