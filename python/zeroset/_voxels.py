"""Selected voxels of a volume: points and octrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _native
from ._volumes import _as_native, _placed

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Points(NamedTuple):
    """Selected voxels.

    Attributes
    ----------
    points : numpy.ndarray
        Coordinates of the voxel centers, shape (n, 3), in the unit of the affine.
    values : numpy.ndarray
        Value of each voxel, float64, shape (n,).
    indices : numpy.ndarray
        Indices i, j, k of each voxel, uint32, shape (n, 3).
    """

    points: NDArray[np.float64]
    values: NDArray[np.float64]
    indices: NDArray[np.uint32]

    def __repr__(self) -> str:
        return f"<zeroset.Points: {len(self.points):,} voxels>"


def points(
    volume: Any,
    where: str | None = None,
    *,
    edge: float | None = None,
    order: str = "lines",
    affine: npt.ArrayLike | None = None,
    spacing: float | Sequence[float] | None = None,
) -> Points:
    """List the voxels where an expression is true, as `zeroset points` does.

    Parameters
    ----------
    volume : array of three dimensions, Volume, path, or image from nibabel
        Values, indexed [i, j, k].
    where : str, optional
        Expression of the value v, the coordinates x, y, z and the indices i, j, k, such as
        "v > 300 && z > 40".
    edge : float, optional
        Smallest size of the gradient, >= 0, in the unit of the values per length. With `where`,
        both conditions must hold.
    order : {"lines", "blocks"}
        Order of the voxels: i fastest, or in Z-order, where neighbors in the list are close in
        space.
    affine : array of shape (4, 4), optional
        Matrix from (i, j, k, 1) to coordinates. By default, that of the file or image.
    spacing : float or sequence of float, optional
        Spacing of the voxels along each axis, > 0, instead of `affine`.

    Returns
    -------
    Points

    Raises
    ------
    ValueError
        If there is no condition, or if an expression or option cannot be used.

    Examples
    --------
    >>> import numpy as np, zeroset as zs
    >>> found = zs.points(np.arange(8).reshape(2, 2, 2), "v > 5", spacing=0.5)
    >>> found.points.tolist(), found.values.tolist()
    ([[0.5, 0.5, 0.0], [0.5, 0.5, 0.5]], [6.0, 7.0])
    """
    if where is None and edge is None:
        raise ValueError("where: give an expression, or an edge")
    if edge is not None and not 0 <= edge < float("inf"):
        raise ValueError(f"edge: expected a number of at least 0, found {edge}")
    if order not in ("lines", "blocks"):
        raise ValueError(f'order: expected "lines" or "blocks", found {order!r}')
    given = _as_native(*_placed(volume, affine, spacing))
    found = _native.points(*given, where, edge, order == "blocks")
    return Points(found["points"], found["values"], found["indices"])


class Octree(NamedTuple):
    """Blocks of voxels in Z-order.

    Attributes
    ----------
    indices : numpy.ndarray
        Indices i, j, k of the first voxel of each block, uint32, shape (n, 3).
    levels : numpy.ndarray
        Level of each block, uint32, shape (n,): a block has 2^level voxels along each axis, and
        fewer at the edge of the volume.
    values : numpy.ndarray
        Value of each block, or of its first voxel with a condition, float64, shape (n,).
    """

    indices: NDArray[np.uint32]
    levels: NDArray[np.uint32]
    values: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"<zeroset.Octree: {len(self.levels):,} blocks>"


def octree(
    volume: Any,
    where: str | None = None,
    *,
    affine: npt.ArrayLike | None = None,
    spacing: float | Sequence[float] | None = None,
) -> Octree:
    """List the largest blocks of voxels with a single value, as `zeroset points --tree` does.

    Parameters
    ----------
    volume, affine, spacing
        See `points`.
    where : str, optional
        Expression as for `points`. The blocks are then the largest ones where it is true
        everywhere.

    Returns
    -------
    Octree

    Raises
    ------
    ValueError
        If the expression cannot be used.

    Examples
    --------
    >>> import numpy as np, zeroset as zs
    >>> values = np.zeros((4, 4, 4))
    >>> values[2:, 2:, 2:] = 1
    >>> blocks = zs.octree(values, "v > 0")
    >>> blocks.indices.tolist(), blocks.levels.tolist()
    ([[2, 2, 2]], [1])
    """
    found = _native.octree(*_as_native(*_placed(volume, affine, spacing)), where)
    return Octree(found["indices"], found["levels"], found["values"])
