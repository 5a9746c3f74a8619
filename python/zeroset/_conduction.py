"""Speeds of a front, which may depend on the direction or come from a volume."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrays import as_numpy
from ._inputs import as_values


def as_speed(speed: Any, fiber: Any, sheet: Any, n_cells: int) -> Any:
    """Return a speed as the native part reads it: None, a number, a text, an array, a mapping, or
    a tuple with the numbers of a volume, its shape, its origin and its steps.

    Parameters
    ----------
    speed : None, float, str, array, mapping, or Volume
        An array of shape (m, 6), (m, 3, 3) or (3, 3) is a conduction tensor. A mapping has the
        speeds "along" and "across" and perhaps "sheet", or a "volume" and perhaps its "affine".
    fiber, sheet : None, str, three numbers, three expressions, or array of shape (m, 3)
        Directions for a mapping.
    n_cells : int
        Number of cells.

    Raises
    ------
    ValueError
        If the shape of an array, a key or a direction is wrong.
    """
    # That module imports this one.
    from ._volumes import Volume

    is_volume = isinstance(speed, Volume) or (isinstance(speed, Mapping) and "volume" in speed)
    if isinstance(speed, Mapping) and not is_volume:
        return _fibers(speed, fiber, sheet)
    for name, direction in (("fiber", fiber), ("sheet", sheet)):
        if direction is not None:
            raise ValueError(f'{name}: has no effect without speed={{"along": ..., "across": ...}}')
    if is_volume:
        return _volume(speed if isinstance(speed, Mapping) else {"volume": speed})
    if speed is not None and not isinstance(speed, str):
        array = as_numpy(speed)
        if array.ndim >= 2:
            return _tensors(array, n_cells)
    return as_values(speed, "speed")


def copied(speed: Any) -> Any:
    """Return a speed from `as_speed` with copies of its arrays."""
    if isinstance(speed, dict):
        return {name: copied(value) for name, value in speed.items()}
    if isinstance(speed, tuple):
        return tuple(map(copied, speed))
    return speed.copy() if isinstance(speed, np.ndarray) else speed


def _volume(speed: Mapping[str, Any]) -> tuple[Any, ...]:
    from ._volumes import _as_native, _placed

    unknown = set(speed) - {"volume", "affine"}
    if unknown:
        raise ValueError(
            f'speed: expected the keys "volume" and perhaps "affine", found {sorted(speed)}'
        )
    return _as_native(*_placed(speed["volume"], speed.get("affine"), None))


def check_keys(speed: Mapping[str, Any]) -> None:
    """Check the keys of a mapping with the speeds along and across fibers.

    Raises
    ------
    ValueError
        If a key is unknown or missing.
    """
    unknown = set(speed) - {"along", "across", "sheet"}
    if unknown or not {"along", "across"} <= set(speed):
        raise ValueError(
            f'speed: expected the keys "along", "across" and perhaps "sheet", found {sorted(speed)}'
        )


def _fibers(speed: Mapping[str, Any], fiber: Any, sheet: Any) -> dict[str, Any]:
    check_keys(speed)
    if sheet is not None and "sheet" not in speed:
        raise ValueError('sheet: has no effect without a speed "sheet"')
    return {
        "along": as_values(speed["along"], "along"),
        "across": as_values(speed["across"], "across"),
        "sheet": as_values(speed.get("sheet"), "sheet"),
        "fiber": _direction("fiber" if fiber is None else fiber, "fiber"),
        "in_sheet": _direction("sheet" if sheet is None else sheet, "sheet"),
    }


def _direction(direction: Any, name: str) -> Any:
    if isinstance(direction, str):
        return direction
    if isinstance(direction, (list, tuple)) and any(isinstance(x, str) for x in direction):
        if len(direction) != 3:
            raise ValueError(f"{name}: expected three components, found {len(direction)}")
        return tuple(str(x) for x in direction)
    array = as_numpy(direction)
    if array.dtype.kind not in "fiu" or array.ndim not in (1, 2) or array.shape[-1] != 3:
        raise ValueError(
            f"{name}: expected the name of a cell array, three components, or an array of shape "
            f"(m, 3), found the shape {array.shape}"
        )
    if array.ndim == 1:
        return tuple(map(float, array))
    return np.ascontiguousarray(array, np.float64)


def _tensors(array: np.ndarray, n_cells: int) -> np.ndarray:
    if array.dtype.kind not in "fiu":
        raise ValueError(f"speed: expected real numbers, found {array.dtype}")
    if array.shape == (3, 3):
        array = np.broadcast_to(array, (n_cells, 3, 3))
    if array.shape == (n_cells, 3, 3):
        if not np.allclose(array, np.swapaxes(array, 1, 2), rtol=1e-6, atol=0, equal_nan=True):
            raise ValueError("speed: a conduction tensor is symmetric")
        rows, columns = [0, 1, 2, 0, 1, 0], [0, 1, 2, 1, 2, 2]
        array = array[:, rows, columns]
    if array.shape != (n_cells, 6):
        raise ValueError(
            f"speed: expected tensors of shape ({n_cells}, 3, 3) or ({n_cells}, 6), found "
            f"{array.shape}"
        )
    return np.ascontiguousarray(array, np.float64)
