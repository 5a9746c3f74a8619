"""Pictures of meshes and volumes, and facts about files."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _messages, _native
from ._mesh import Mesh, as_mesh
from ._volumes import Volume, _as_native, _placed

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Picture:
    """A picture in memory.

    Attributes
    ----------
    png : bytes
        Content of a PNG file.
    pixels : numpy.ndarray
        Red, green and blue of each pixel, uint8, shape (height, width, 3), from top to bottom. With
        a transparent background, the shape is (height, width, 4), and the last number is the
        opacity.
    """

    def __init__(self, png: bytes, pixels: NDArray[np.uint8]) -> None:
        self.png = png
        self.pixels = pixels

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a PNG file. A file that exists is replaced."""
        with open(path, "wb") as out:
            out.write(self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"<zeroset.Picture: {width:,} x {height:,} pixels>"


def render(
    shown: Any,
    *,
    colors: str | None = None,
    level: float | None = None,
    where: str | None = None,
    view: str | Sequence[float] = "auto",
    size: int | Sequence[int] | None = None,
    zoom: float = 1.0,
    perspective: float | None = None,
    title: str = "",
    unit: str | None = None,
    colormap: str | None = None,
    range: Sequence[float] | None = None,
    transparent: bool = False,
    light: Sequence[float] | None = None,
    affine: npt.ArrayLike | None = None,
    spacing: float | Sequence[float] | None = None,
    device: str = "auto",
) -> Picture:
    """Draw a mesh or a volume, as `zeroset render` does.

    Parameters
    ----------
    shown : Mesh, (points, cells), Volume, array of three dimensions, or that of a package
        A mesh or a volume. For a file, pass ``zs.read(path)`` or ``zs.read_volume(path)``.
    colors : str, optional
        Name of an array or group of a mesh, or an expression in arrays and x, y, z (in a volume: in
        v, x, y, z, i, j, k). By default, a mesh shows the array "phi" or "distance" if it has one,
        and otherwise the height.
    level : float, optional
        Shows the isosurface of a volume at this value.
    where : str, optional
        Shows the voxels of a volume where this expression is true.
    view : str or (azimuth, elevation)
        Side: "auto", "front", "back", "left", "right", "top", "bottom", "+x" to "-z", or angles in
        degrees.
    size : int or (width, height), optional
        Size in pixels, 16 to 8192. By default, 1200 x 900, or fitted to the content.
    zoom : float
        Magnification, 0.1 to 50.
    perspective : float, optional
        Angle of the view, 1 to 120 degrees. By default, the projection is parallel.
    title, unit : str
        Title of the picture, and the unit of the values.
    colormap : str, optional
        "auto", "sequential", "diverging", "gray", "viridis", "magma", "inferno", "plasma",
        "cividis" or "turbo".
    range : (low, high), optional
        Values at the ends of the color bar.
    transparent : bool
        Whether the background is transparent instead of white.
    light : (x, y, z), optional
        Direction to the lamp: right, up, and toward the eye.
    affine, spacing
        Position of the voxels of a volume. See `isosurface`.
    device : {"auto", "cpu", "cuda"}
        Device. The pixels are the same.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If an option cannot be used. The message names the option of the command line.

    Examples
    --------
    >>> import zeroset as zs
    >>> zs.render(zs.generate("sphere", subdivisions=2), colors="x", size=(300, 200))
    <zeroset.Picture: 300 x 200 pixels>
    """
    words = ["--title", title, "--zoom", repr(float(zoom)), "--device", device]
    for name, value in (
        ("colors", colors),
        ("level", None if level is None else repr(float(level))),
        ("where", where),
        ("view", view if isinstance(view, str) else _joined(view)),
        ("size", None if size is None else str(size) if isinstance(size, int) else _pair(size)),
        ("perspective", None if perspective is None else repr(float(perspective))),
        ("unit", unit),
        ("colormap", colormap),
        ("range", None if range is None else _joined(range)),
        ("light", None if light is None else _joined(light)),
    ):
        if value is not None:
            words += [f"--{name}", value]
    if transparent:
        words.append("--transparent")
    if _is_volume(shown):
        given = _as_native(*_placed(shown, affine, spacing))
        found = _native.draw_volume(*given, words)
    elif affine is not None or spacing is not None:
        raise ValueError("affine, spacing: are for volumes, but this is a mesh")
    else:
        found = _native.draw_mesh(as_mesh(shown, "cpu", 0)._native, words)
    png, colored, opacity, height, width, told = found
    _messages.warn(told)
    pixels = colored.reshape(height, width, 3)
    if len(opacity):
        pixels = np.dstack([pixels, opacity.reshape(height, width)])
    return Picture(png, pixels)


def _is_volume(shown: Any) -> bool:
    """Whether an object is a volume, and not a mesh or the path of a mesh."""
    if isinstance(shown, (Volume, np.ndarray)):
        return True
    return hasattr(shown, "dataobj") or getattr(shown, "ndim", None) == 3


def _joined(numbers: Sequence[float]) -> str:
    return ",".join(repr(float(x)) for x in numbers)


def _pair(size: Sequence[int]) -> str:
    return "x".join(str(int(n)) for n in size)


def info(of: Any) -> dict[str, Any]:
    """Describe a file or a mesh, as `zeroset info --json` does.

    Parameters
    ----------
    of : path, Mesh, (points, cells), or a mesh of another package
        A mesh, point cloud, volume, picture or data file, or a mesh in memory.

    Returns
    -------
    dict
        The facts, with the keys of ``zeroset info --json``: counts, bounds, topology, quality,
        arrays and groups, and what a solver would repair.

    Raises
    ------
    OSError
        If the file cannot be used.

    Examples
    --------
    >>> import zeroset as zs
    >>> facts = zs.info(zs.generate("sphere", subdivisions=2))
    >>> facts["vertices"], facts["euler"], facts["boundary"]
    (162, 2, 0)
    """
    if isinstance(of, (str, os.PathLike)):
        text, told = _native.info(os.fspath(of))
        _messages.warn(told)
    else:
        mesh: Mesh = as_mesh(of, "cpu", 0)
        text = _native.info_of_mesh(mesh._native)
    found: dict[str, Any] = json.loads(text)
    return found
