"""Distance transforms and isosurfaces of arrays of voxels."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays, _messages, _native, _options
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
        Spacing of the voxels along each axis, 1 by default.
    signed : bool
        Whether to measure to the surface instead: the faces between the two kinds of voxels.
        Distances are then negative where the mask is not zero.
    return_indices : bool
        Whether to also return the index of the nearest zero voxel along each axis.
    device, threads
        See `Mesh`. "auto" uses a GPU for at least 8 million voxels per thread.

    Returns
    -------
    distances : array
        Distances, float32, with the shape of the mask. They belong to the package and the device of
        the mask. For a mask on a GPU, they are computed there without a copy to the host, except
        with `return_indices`.
    indices : array
        Only with `return_indices`: indices, int64, with one more axis in front.

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
    if signed and return_indices:
        raise ValueError(
            "return_indices: voxels are nearest to faces with signed=True, not to voxels"
        )
    if _arrays.on_gpu(mask) and not return_indices:
        return _edt_on_gpu(mask, sampling, signed)
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
    found = _native.nearest_voxels(targets.reshape(-1), shape[::-1], steps[::-1], options)
    axes = np.stack(np.unravel_index(found.astype(np.int64), ordered.shape))
    indices = axes.reshape(array.ndim, *ordered.shape)
    if is_fortran:
        indices = np.stack([axis.T for axis in indices[::-1]])
    return convert(distances), convert(indices)


def _edt_on_gpu(mask: Any, sampling: Any, signed: bool) -> Any:
    """Compute the distances on the GPU that holds the mask, without copies to the host."""
    if not 1 <= mask.ndim <= 3:
        raise ValueError(f"mask: expected 1 to 3 dimensions, found {mask.ndim}")
    spacing = _per_axis(sampling, mask.ndim, "sampling")
    device = _arrays.on_device(mask)
    targets = (device != 0) if signed else (device == 0)
    if _arrays.package(device) == "torch":
        import torch

        targets = targets.contiguous()
        number = device.device.index
        distances = torch.empty(device.shape, dtype=torch.float32, device=device.device)
        addresses = targets.data_ptr(), distances.data_ptr()
        torch.cuda.current_stream(device.device).synchronize()
    else:
        import cupy

        targets = cupy.ascontiguousarray(cupy.asarray(targets))
        number = targets.device.id
        with cupy.cuda.Device(number):
            distances = cupy.empty(targets.shape, dtype=cupy.float32)
            addresses = targets.data.ptr, distances.data.ptr
            cupy.cuda.get_current_stream().synchronize()
    shape = [1] * (3 - mask.ndim) + list(mask.shape)
    steps = [1.0] * (3 - mask.ndim) + spacing
    _native.edt_between(*addresses, shape[::-1], steps[::-1], signed, number)
    # Without a target, every distance is infinite. Reading one is faster than counting the targets.
    # Signed distances to faces are infinite if there are voxels of only one kind.
    if not math.isfinite(distances.reshape(-1)[0]):
        what = "the voxels are of one kind" if signed else "no voxel is zero"
        raise ValueError(f"mask: {what}; there is nothing to measure to")
    if _arrays.package(mask) == _arrays.package(device):
        return distances
    return mask.__array_namespace__().from_dlpack(distances)


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
    """A volume from a file.

    Attributes
    ----------
    values : numpy.ndarray
        Values, indexed [i, j, k].
    affine : numpy.ndarray
        Matrix of shape (4, 4) from (i, j, k, 1) to world coordinates.
    """

    values: NDArray[Any]
    affine: NDArray[np.float64]


def read_volume(path: str | os.PathLike[str]) -> Volume:
    """Read a volume or a grayscale picture in any format that the command line reads.

    Raises
    ------
    OSError
        If the file cannot be used.
    """
    found = _native.read_volume(os.fspath(path))
    _messages.warn(found["warnings"])
    affine = np.eye(4)
    affine[:3, :3] = np.array(found["steps"]).T
    affine[:3, 3] = found["origin"]
    return Volume(found["values"].reshape(found["shape"], order="F"), affine)


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
    volume : array of three dimensions, path, or image from nibabel
        Values, indexed [i, j, k].
    level : float
        Value on the surface. The inside has the larger values.
    affine : array of shape (4, 4), optional
        Matrix from (i, j, k, 1) to coordinates. By default, that of the file or image.
    spacing : float or sequence of float, optional
        Spacing of the voxels along each axis, instead of `affine`.
    closed : bool
        Whether to close the surface where it leaves the volume.
    normals : bool
        Whether to return normals: the negative gradient of the values, scaled to length 1.
    largest : bool
        Whether to keep only the connected part with the largest area.
    fill_holes : bool or float
        Whether to fill holes, or the largest area of the holes to fill.
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
    if isinstance(volume, (str, os.PathLike)):
        values, of_file = read_volume(volume)
        affine = of_file if affine is None and spacing is None else affine
    else:
        values = np.asarray(_arrays.as_numpy(getattr(volume, "dataobj", volume)))
        if affine is None and spacing is None:
            affine = getattr(volume, "affine", None)
    if values.ndim != 3:
        raise ValueError(f"volume: expected 3 dimensions, found the shape {values.shape}")
    if affine is not None and spacing is not None:
        raise ValueError("spacing: give either an affine or a spacing")
    matrix = (
        np.diag([*_per_axis(spacing, 3, "spacing"), 1.0])
        if affine is None
        else np.asarray(affine, np.float64)
    )
    if matrix.shape != (4, 4):
        raise ValueError(f"affine: expected the shape (4, 4), found {matrix.shape}")
    kind = {"b": np.uint8, "f": np.float64 if values.dtype.itemsize > 4 else np.float32}.get(
        values.dtype.kind
    )
    ordered = np.asfortranarray(values, kind or values.dtype.newbyteorder("="))
    points, cells, arrays, warnings = _native.isosurface(
        ordered.reshape(-1, order="F"),
        list(ordered.shape),
        matrix[:3, 3].tolist(),
        matrix[:3, :3].T.tolist(),
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
