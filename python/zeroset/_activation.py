"""Activation times of tissue that stimuli excite."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _arrays, _inputs, _native
from ._mesh import Distances, as_mesh
from ._sensitivity import Sensitivity
from ._view import View


class Activation:
    """Activation times on a mesh.

    Arrays belong to the package and the device of the array arguments of `activation`.

    Attributes
    ----------
    times : array
        Time at which the front arrives at each point, shape (n,), in the unit of time of the speed.
        NaN at points that no front reaches.
    stimulus : array
        Number of the stimulus whose front arrives first at each point, or -1, shape (n,), int32.
    names : list of (str or None)
        The names of the stimuli.
    mesh : Mesh
        The mesh.
    distances : Distances
        The same times as distances, with shortest paths and conversions.
    """

    def __init__(
        self, distances: Distances, names: list[str | None], within: float | None = None
    ) -> None:
        self.distances = distances
        self.names = names
        self._within = within
        self.mesh = distances.mesh
        self.times: Any = distances.values
        self.stimulus: Any = distances.labels

    @property
    def duration(self) -> float:
        """Total activation time: from the first to the last activation of a point."""
        times = self._reached()
        return float(np.nanmax(times) - np.nanmin(times))

    def _reached(self) -> np.ndarray:
        """Return the times, with NaN at points that no front reaches within the limit."""
        times = np.asarray(self.distances)
        return times if self._within is None else np.where(times < self._within, times, np.nan)

    def velocity(self) -> Any:
        """Return the conduction velocity in each cell, shape (m, 3), in mesh units per time.

        It is normal to the front, g / |g|^2 with the gradient g of the times. It is NaN in cells
        that the front does not cross or reach completely, or that contain a part of a stimulus.

        Examples
        --------
        >>> import zeroset as zs
        >>> heart = ([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]])
        >>> zs.activation(heart, stimuli=[[0, 2]], speed=0.5).velocity().round(3).tolist()
        [[0.5, 0.0, 0.0]]
        """
        return self.distances.velocity

    def regions(self, region: Any) -> dict[Any, tuple[float, float]]:
        """Return the earliest and the latest activation in each region of cells.

        Parameters
        ----------
        region : array of shape (m,), or str
            The region of each cell, or the name of a cell array.

        Returns
        -------
        dict
            Pairs of times. They are NaN for regions that no front reaches.

        Examples
        --------
        >>> import zeroset as zs
        >>> heart = ([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]])
        >>> zs.activation(heart, stimuli=0, speed=0.5).regions([7])
        {7: (0.0, 8.0)}
        """
        if isinstance(region, str):
            names = list(self.mesh.cell_data)
            if region not in names:
                raise ValueError(f"region: there is no cell array {region!r}; there are {names}")
            region = self.mesh.cell_data[region]
        array = _arrays.as_numpy(region)
        if array.shape != (self.mesh.n_cells,):
            raise ValueError(
                f"region: expected the shape ({self.mesh.n_cells},), found {array.shape}"
            )
        times = self._reached()[self.mesh.cells]
        found = {}
        for name in np.unique(array):
            here = times[array == name]
            reached = here[np.isfinite(here)]
            ends = (reached.min(), reached.max()) if len(reached) else (np.nan, np.nan)
            found[name.item()] = (float(ends[0]), float(ends[1]))
        return found

    def gradient(self, weights: Any) -> Sensitivity:
        """Return the derivatives of a number J by the speeds and the stimuli.

        `Distances.sensitivity` describes them. Entries of `starts` and `positions` are those of the
        stimuli.

        Parameters
        ----------
        weights : array of shape (n,)
            Derivatives of J by the times. They have no effect at points that no front reaches.

        Raises
        ------
        ValueError
            If the front has no derivatives: pass ``front="plane"`` to `activation`.

        Examples
        --------
        >>> import zeroset as zs
        >>> heart = ([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]])
        >>> found = zs.activation(heart, stimuli=1, speed=2.0, front="plane").gradient([0, 0, 1])
        >>> found.speed.tolist()  # J is the time at point 2: 5 / speed
        [-1.25]
        """
        return self.distances.sensitivity(weights)

    def plot(self, *, title: str = "activation time") -> View:
        """Return a 3-D view for a browser or a notebook, with the times and isochrones."""
        return self.mesh.view({"activation time": np.asarray(self.distances)}, title=title)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.distances.__array__(dtype, copy)

    def __len__(self) -> int:
        return len(self.distances)

    def __repr__(self) -> str:
        return repr(self.distances).replace("Distances", "Activation")

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


def activation(
    mesh: Any,
    *,
    stimuli: Any,
    speed: Any,
    fibers: Any = None,
    sheets: Any = None,
    device: str = "auto",
    threads: int = 0,
    **options: Any,
) -> Activation:
    """Compute when fronts from stimuli arrive at every point, along fibers if there are any.

    Tissue is excited once: later stimuli have no effect on points that a front has reached, and
    nor has the duration of a stimulus.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        A `Mesh` is prepared only once for several calls.
    stimuli : source, mapping, list of these, or path
        Where and when fronts start. A source is what `Mesh.distance` accepts; a list of point
        numbers within the list is one stimulus. A mapping has one of these keys: "at", a source;
        "sphere", the center and the radius in mesh units; "box", two opposite corners. It may also
        have a "time" (0 by default), a "duration" and a "name". A sphere or a box stimulates the
        points of the mesh in it that cells inside the `mask` use, and the edges and faces between
        them. A path names a file of stimuli: .toml, .csv, or a CARP list of points, .vtx.
    speed : float, str, array, mapping or Volume
        Speed of the front in mesh units per time. ``{"along": 0.6, "across": 0.24}`` gives speeds
        along and across the fibers. See `Mesh.distance`.
    fibers, sheets : str, three numbers or expressions, or array of shape (m, 3), optional
        Directions of the fibers, and in the sheets: the name of a cell array, by default "fiber"
        and "sheet", or the direction in each cell.
    device, threads
        See `Mesh`.
    **options
        `front`, `mask`, `within`, `snap` and `progress` of `Mesh.distance`.

    Returns
    -------
    Activation

    Raises
    ------
    ValueError
        If a stimulus does not exist or contains no point, or an option is out of range.
    NumericalError, DeviceError, MemoryError
        If the computation fails.

    Examples
    --------
    >>> import zeroset as zs
    >>> heart = zs.generate("square", cells=[20, 20])
    >>> found = zs.activation(
    ...     heart,
    ...     stimuli=[{"box": ([0, 0, 0], [0.1, 0.1, 0])}, {"at": (1.0, 1.0, 0.0), "time": 0.5}],
    ...     speed={"along": 0.6, "across": 0.24},
    ...     fibers=(1, 0, 0),
    ... )
    >>> found.stimulus[[0, -1]].tolist(), found.times[[0, -1]].tolist()
    ([0, 1], [0.0, 0.5])
    """
    used = as_mesh(mesh, device, threads)
    sources, starts, names = _sources(stimuli)
    found = used.distance(
        sources,
        starts=starts,
        speed=speed,
        fiber=fibers,
        sheet=sheets,
        labels=True,
        velocity=True,
        **options,
    )
    return Activation(found, names, options.get("within"))


_KEYS = {"at", "sphere", "box", "time", "duration", "name"}


def _sources(stimuli: Any) -> tuple[list[Any], list[float], list[str | None]]:
    """Return the sources of stimuli, their times and their names."""
    if _is_file(stimuli):
        stimuli = [
            {"at": at, "time": time, "name": name}
            for at, time, name, _ in _native.read_stimuli(stimuli)
        ]
    listed = [stimuli] if isinstance(stimuli, Mapping) else stimuli
    if isinstance(listed, (list, tuple)) and not listed:
        raise ValueError("stimuli: there is none; give at least one source")
    if not any(isinstance(stimulus, Mapping) for stimulus in _entries(listed)):
        sources = _inputs.as_sources(listed)
        return sources, [0.0] * len(sources), [None] * len(sources)
    sources, starts, names = [], [], []
    for k, stimulus in enumerate(listed):
        if not isinstance(stimulus, Mapping):
            stimulus = {"at": stimulus}
        places = stimulus.keys() & {"at", "sphere", "box"}
        if len(places) != 1 or not stimulus.keys() <= _KEYS:
            raise ValueError(
                f'stimuli: number {k} needs one of the keys "at", "sphere" and "box", and perhaps '
                f'"time", "duration" and "name", found {sorted(map(str, stimulus))}'
            )
        at = _inputs.as_sources(_place_of(stimulus, k))
        if len(at) > 1 and all(isinstance(source, list) for source in at):
            at = [[point for source in at for point in source]]
        if len(at) != 1:
            raise ValueError(f"stimuli: number {k} has {len(at)} places; list each by itself")
        sources += at
        starts.append(_number(stimulus.get("time", 0.0), k, "time"))
        names.append(stimulus.get("name"))
        if stimulus.get("duration") is not None:
            _positive(stimulus["duration"], k, "duration")
    return sources, starts, names


def _is_file(stimuli: Any) -> bool:
    """Whether stimuli are the path of a file, and not a source such as "group:apex"."""
    if isinstance(stimuli, os.PathLike):
        return True
    endings = (".toml", ".csv", ".vtx", ".vtx.gz")
    is_source = isinstance(stimuli, str) and re.match("[a-z]{3,}:", stimuli)
    return isinstance(stimuli, str) and not is_source and stimuli.lower().endswith(endings)


def _number(value: Any, k: int, name: str) -> float:
    array = np.asarray(value)
    if array.ndim > 0 or array.dtype.kind not in "iuf" or not np.isfinite(array):
        raise ValueError(f'stimuli: number {k} needs a finite number as "{name}", found {value!r}')
    return float(array)


def _positive(value: Any, k: int, name: str) -> float:
    number = _number(value, k, name)
    if number <= 0:
        raise ValueError(f"stimuli: number {k} has the {name} {number}; it must be > 0")
    return number


def _corners(values: Any, k: int, name: str, shape: tuple[int, ...]) -> list[float]:
    array = np.array(values, object)
    if array.shape == shape and all(isinstance(x, (int, float, np.number)) for x in array.flat):
        array = array.astype(np.float64)
        if np.isfinite(array).all():
            return array.ravel().tolist()
    what = {"sphere": "(x, y, z) and a radius", "box": "two corners (x, y, z)"}[name]
    raise ValueError(f'stimuli: number {k} needs {what} as "{name}", found {values!r}')


def _entries(listed: Any) -> list[Any]:
    return list(listed) if isinstance(listed, (list, tuple)) else []


def _place_of(stimulus: Mapping[str, Any], k: int) -> Any:
    """Return the source of a stimulus."""
    if "at" in stimulus:
        return stimulus["at"]
    if "box" in stimulus:
        numbers = _corners(stimulus["box"], k, "box", (2, 3))
        return "box:" + ",".join(map(repr, numbers))
    sphere = stimulus["sphere"]
    is_pair = isinstance(sphere, (list, tuple)) and len(sphere) == 2
    # What is no pair is refused as a center.
    center, radius = sphere if is_pair else (sphere, 1.0)
    numbers = [*_corners(center, k, "sphere", (3,)), _positive(radius, k, "radius")]
    return "sphere:" + ",".join(map(repr, numbers))
