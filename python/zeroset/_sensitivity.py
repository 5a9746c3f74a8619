"""Derivatives of a number that depends on distances or arrival times."""

from __future__ import annotations

from typing import Any, NamedTuple


class Sensitivity(NamedTuple):
    """Derivatives of a number J, which depends on distances, by what determines the distances.

    Derivatives by numbers that the call did not have are None. If one number applies to many
    cells, such as the speed of a region, its derivative is the sum over these cells, for example
    ``found.speed[region == 3].sum()``. Cells outside a mask have the derivative 0.

    Attributes
    ----------
    speed : array or None
        Derivative by the speed of each cell, shape (m,).
    along, across, sheet : array or None
        Derivatives by the speeds of each cell along and across the fibers, and within the sheets,
        shape (m,).
    tensor : array or None
        Derivative by xx, yy, zz, xy, yz and xz of the conduction tensor of each cell, shape (m, 6).
        xy stands for both entries at its place.
    starts : array
        Derivative by the start value of each source, shape (k,).
    positions : array
        Derivative by the position of each source along the mesh, shape (k, 3). NaN for sources that
        are not points.
    kinks : array
        Points of the mesh where two cells give almost the same time over different paths, and on
        which J depends, uint32. J has a kink there, and the derivative is that of one side.
    """

    speed: Any
    along: Any
    across: Any
    sheet: Any
    tensor: Any
    starts: Any
    positions: Any
    kinks: Any

    def __repr__(self) -> str:
        names = [name for name in self._fields[:5] if getattr(self, name) is not None]
        return f"<zeroset.Sensitivity: by {', '.join(names)}, starts, positions>"
