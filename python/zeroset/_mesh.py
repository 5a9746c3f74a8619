"""Meshes and distances on them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arrays, _conduction, _inputs, _messages, _native, _options, _progress, _view
from ._progress import Progress
from ._sensitivity import Sensitivity

if TYPE_CHECKING:
    from numpy.typing import NDArray

Sources = int | str | Sequence[Any] | npt.NDArray[Any]


class Mesh:
    """A mesh of triangles or tetrahedra that is prepared once for many calls.

    Parameters
    ----------
    mesh : path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        Points have the shape (n, 3) or (n, 2). Cells have the shape (m, 3) for triangles or (m, 4)
        for tetrahedra. Any numeric type and memory order is accepted. Coordinates may have any unit
        of length, which the documentation calls mesh units.
    device : {"auto", "cpu", "cuda", "cuda:1"}
        "auto" uses a GPU if there is one and the mesh has at least 20,000 points.
    threads : int
        Number of CPU threads. 0 uses all cores. Results do not depend on it.
    precision : {"f64", "f32"}
        Number type of the solvers.
    weld : "auto", "never" or float
        Coincident points to join; a number is the largest distance between them, in mesh units.
    repair : {"auto", "never"}
        Treatment of degenerate cells.
    data : sequence of paths
        Files with more arrays and groups of points.
    frame : {"tkr", "scanner", "file"}, optional
        Frame of a cortical surface.
    skip_unsupported : bool
        Whether to leave out cells that cannot be cut into triangles or tetrahedra.

    Raises
    ------
    OSError
        If a file cannot be used. The message names the file, the place and the remedy.
    ValueError
        If the arrays are not a mesh, or an option is unknown.
    DeviceError
        If a GPU is requested but not available.

    Examples
    --------
    >>> import zeroset as zs
    >>> mesh = zs.Mesh(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    >>> mesh
    <zeroset.Mesh: 3 points, 1 triangle>
    """

    def __init__(
        self,
        mesh: Any,
        *,
        device: str = "auto",
        threads: int = 0,
        precision: str = "f64",
        weld: str | float | None = None,
        repair: str | None = None,
        data: Iterable[str | os.PathLike[str]] = (),
        frame: str | None = None,
        skip_unsupported: bool = False,
    ) -> None:
        options = _options.text(
            **_options.on(device, threads),
            precision=precision,
            weld=weld,
            repair=repair,
            frame=frame,
            data=[os.fspath(path) for path in data],
            skip_unsupported=skip_unsupported,
        )
        found = _inputs.as_mesh(mesh)
        if isinstance(found, _inputs.Cells):
            if data:
                raise ValueError(
                    "data: files can be added to a mesh in a file only; set arrays instead"
                )
            self._native = _native.Mesh.from_arrays(found.points, found.cells, [], options)
        else:
            self._native = _native.Mesh.read(os.fspath(found), options)
        self._options = options
        self._on_gpu: tuple[int, _native.Mesh] | None = None
        self._like = _arrays.like(mesh)
        _messages.warn(self._native.warnings)

    @classmethod
    def _of(cls, native: _native.Mesh, options: str) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._native, mesh._options, mesh._like, mesh._on_gpu = native, options, None, None
        return mesh

    @property
    def points(self) -> NDArray[np.float64]:
        """Coordinates of the points, shape (n, 3), in mesh units."""
        return self._native.vertices()

    @property
    def cells(self) -> NDArray[np.uint32]:
        """Point numbers of the triangles, shape (m, 3), or of the tetrahedra, shape (m, 4)."""
        return self._native.cells()

    @property
    def n_points(self) -> int:
        """Number of points."""
        return self._native.n_vertices

    @property
    def n_cells(self) -> int:
        """Number of triangles or tetrahedra."""
        return self._native.n_cells

    @property
    def point_data(self) -> Arrays:
        """Arrays of the points by name. Expressions can use the names of those that are set."""
        return Arrays(self, of_cells=False)

    @property
    def cell_data(self) -> Arrays:
        """Arrays of the cells by name. Expressions can use the names of those that are set."""
        return Arrays(self, of_cells=True)

    @property
    def groups(self) -> dict[str, NDArray[np.uint32]]:
        """Members of the groups by name: the numbers of cells, shape (k,), or the points of points,
        edges or triangles, shape (k, 1), (k, 2) or (k, 3). A group is also a source:
        ``sources="group:NAME"``."""
        return {
            name: members[:, 0] if of_cells else members
            for name, of_cells, members in self._native.groups()
        }

    def distance(
        self,
        sources: Sources,
        *,
        starts: Sequence[float] | float | None = None,
        within: float | None = None,
        speed: Any = None,
        fiber: Any = None,
        sheet: Any = None,
        front: str = "auto",
        signed: bool = False,
        snap: bool = False,
        mask: str | None = None,
        labels: bool = False,
        gradient: bool = False,
        velocity: bool = False,
        paths_from: Sources | None = None,
        progress: Progress | bool | None = None,
    ) -> Distances:
        """Compute the distance from sources to every point.

        Parameters
        ----------
        sources : int, array of int, array of shape (k, 3), str, or a list of these
            Point numbers, coordinates of points on the mesh, or sources as on the command line:
            "group:NAME", "sphere:X,Y,Z,RADIUS", "box:X,Y,Z,X,Y,Z", "vtx:FILE", "curve:FILE",
            "levelset:EXPRESSION", "surface:EXPRESSION".
        starts : float or sequence of float, optional
            Start values of the sources, 0 by default, in mesh units (times if a speed is given).
        within : float, optional
            Largest distance to compute, > 0, in the same unit. Points farther away get this value.
        speed : float, str, array, mapping or Volume, optional
            Speed of the front in mesh units per time: one number, an array of shape (n,) or (m,),
            or an expression. Values are then times.
            ``{"along": 0.6, "across": 0.24}`` gives speeds along and across fibers (and "sheet" the
            speed across the fibers but within the sheets). An array of shape (m, 3, 3), (m, 6) with
            xx, yy, zz, xy, yz, xz, or (3, 3) is a conduction tensor D: the times u satisfy
            grad u . D grad u = 1, in squared mesh units per squared time.
            ``{"volume": "speed.nii.gz"}`` takes the values of a volume at the centroids of the
            cells, interpolated trilinearly: a path, a `Volume`, an image from nibabel, or an array
            with its "affine" in the same mapping (see `isosurface`). Outside the volume, the value
            at its nearest point is used, with a warning. A `Volume` alone means the same.
        fiber, sheet : str, three numbers or expressions, or array of shape (m, 3), optional
            Directions of the fibers, and in the sheets: the name of a cell array, by default
            "fiber" and "sheet", or the direction in each cell.
        front : {"auto", "circular", "plane", "exact"}
            Shape of the front.
        signed : bool
            Whether the distance from the surface of a region is negative inside.
        snap : bool
            Whether to move a point or curve to the mesh from more than an edge length away.
        mask : str, optional
            Expression that is 0 or NaN where the mesh is to be left out.
        labels : bool
            Whether to compute the nearest source of each point.
        gradient : bool
            Whether to compute the gradient.
        velocity : bool
            Whether to compute the velocity of the front in each cell.
        paths_from : as `sources`, optional
            Where shortest paths begin.
        progress : bool or callable, optional
            True shows a line in terminals and notebooks. A function is called with a dict about
            every 20 ms.

        Returns
        -------
        Distances

        Raises
        ------
        ValueError
            If a source does not exist, or an option is out of range.
        NumericalError, DeviceError, MemoryError
            If the computation fails.

        Examples
        --------
        >>> import zeroset as zs
        >>> mesh = zs.Mesh(([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]]))
        >>> mesh.distance(1, labels=True).values.tolist()
        [3.0, 0.0, 5.0]
        """
        listed = _inputs.as_sources(sources)
        native_speed = _conduction.as_speed(speed, fiber, sheet, self.n_cells)
        options = {
            "starts": _inputs.as_starts(starts, len(listed)),
            "within": within,
            "front": front,
            "signed": signed,
            "snap": snap,
            "mask": mask,
        }
        with _progress.shown(progress) as call:
            found = self._native.distance(
                listed,
                native_speed,
                [] if paths_from is None else _inputs.as_sources(paths_from),
                _options.text(**options, labels=labels, gradient=gradient, velocity=velocity),
                call,
            )
        self._warn(found["warnings"])
        distances = Distances(self, found, self._converter(sources, speed))
        # The caller may change the arrays before a later call of `sensitivity` or `path`.
        distances._call = (listed, _conduction.copied(native_speed), _options.text(**options))
        return distances

    def distances(
        self,
        sources: Sources,
        *,
        within: float | None = None,
        speed: Any = None,
        fiber: Any = None,
        sheet: Any = None,
        front: str = "auto",
        mask: str | None = None,
        progress: Progress | bool | None = None,
    ) -> Any:
        """Compute the distance from each source separately.

        Parameters
        ----------
        sources, within, speed, fiber, sheet, front, mask, progress
            See `distance`.

        Returns
        -------
        numpy.ndarray or scipy.sparse.csr_array
            Distances of shape (k, n), one row for each source, in the unit of `Distances.values`.
            With `within`, a sparse array (scipy is needed) that holds the distances below `within`;
            a distance of zero is stored.

        Examples
        --------
        >>> import zeroset as zs
        >>> mesh = zs.Mesh(([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]]))
        >>> mesh.distances(range(3))[1].tolist()
        [3.0, 0.0, 5.0]
        """
        listed = _inputs.one_by_one(_inputs.as_sources(sources))
        options = _options.text(within=within, front=front, mask=mask)
        native_speed = _conduction.as_speed(speed, fiber, sheet, self.n_cells)
        if within is None:
            with _progress.shown(progress) as call:
                values, warnings = self._native.distances(listed, native_speed, options, call)
            self._warn(warnings)
            return self._converter(sources, speed)(values)
        from scipy.sparse import csr_array

        with _progress.shown(progress) as call:
            values, columns, ends, warnings = self._native.near_distances(
                listed, native_speed, within, options, call
            )
        self._warn(warnings)
        return csr_array((values, columns, ends), shape=(len(listed), self.n_points))

    def clean(self, *, weld: str | float = "auto") -> Cleaned:
        """Repair the mesh, and leave out what a solver cannot use.

        Coincident points are joined, degenerate cells are removed without disconnecting the mesh,
        cells are split at hanging points, and duplicate cells and unused points are left out.
        Triangles are turned to face outward. A warning states what was done and how often.

        Parameters
        ----------
        weld : "auto", "never" or float
            Coincident points to join: along torn edges, none, or all within this length in mesh
            units.

        Returns
        -------
        Cleaned

        Raises
        ------
        ValueError
            If the mesh has a defect that cannot be repaired.

        Examples
        --------
        >>> import warnings, zeroset as zs
        >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1], [9, 9, 9]]
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     mesh, point_map, cell_map = zs.Mesh((points, [[0, 1, 2], [3, 5, 4]])).clean()
        >>> mesh, point_map.tolist(), cell_map.tolist()
        (<zeroset.Mesh: 4 points, 2 triangles>, [0, 1, 2, 1, 2, 3, -1], [0, 1])
        """
        options = _without_data(self._options)
        native, points, cells, warnings = _native.cleaned(self._native, json.dumps(weld), options)
        _messages.warn(warnings)
        return Cleaned(Mesh._of(native, options), points, cells)

    def boundary(self, *, weld: str | float = "auto") -> Mesh:
        """Return the boundary of a tetrahedral mesh, as triangles that face outward.

        Parameters
        ----------
        weld
            Coincident points to join first. See `clean`.
        """
        return self._changed("boundary", weld)

    def fill_holes(self, area: float | None = None) -> Mesh:
        """Return the surface with its holes filled. Open sheets keep their outer boundary.

        Parameters
        ----------
        area : float, optional
            Largest area of a hole to fill, > 0, in squared mesh units. By default, all holes are
            filled.
        """
        return self._changed("fill_holes", True if area is None else float(area))

    def decimate(self, target: float) -> Mesh:
        """Return the surface with fewer triangles, and with small errors.

        Parameters
        ----------
        target : int or float
            Number of triangles to keep, or a fraction below 1.

        Examples
        --------
        >>> import zeroset as zs
        >>> zs.generate("sphere", subdivisions=3).decimate(500).n_cells
        500
        """
        return self._changed("decimate", target)

    def refine(self, times: int = 1) -> Mesh:
        """Return the mesh with each cell split at the midpoints of its edges.

        A triangle becomes four triangles, and a tetrahedron eight tetrahedra.
        """
        return self._changed("refine", times)

    def _changed(self, change: str, value: Any) -> Mesh:
        options = _without_data(self._options)
        native, warnings = _native.changed(self._native, json.dumps({change: value}), options)
        _messages.warn(warnings)
        return Mesh._of(native, options)

    def write(self, path: str | os.PathLike[str], *, ascii: bool = False) -> None:
        """Write the mesh with its arrays and groups. A file that exists is replaced.

        Parameters
        ----------
        path : path
            File. The ending selects the format: .vtu, .msh or .mesh for any mesh, and .vtp, .ply,
            .obj, .off, .stl or .gii for triangles.
        ascii : bool
            Whether to write text instead of binary (.msh, .ply, .stl).

        Raises
        ------
        ValueError
            If the format cannot hold the mesh.
        OSError
            If the file cannot be written.
        """
        _messages.warn(_native.write(self._native, os.fspath(path), ascii))

    def _warn(self, told: Iterable[tuple[str, str]]) -> None:
        """Issue warnings other than those of the reader, which this mesh has issued."""
        _messages.warn(told, said=self._native.warnings)

    def _converter(self, *arguments: Any) -> _arrays.Converter:
        """Return the function that converts results to the kind of the arguments or the mesh."""
        return _arrays.like(*arguments) or self._like or _arrays.identity

    def _native_on(self, gpu: int) -> _native.Mesh | None:
        """Return the native mesh for calls on a GPU, or None if the mesh is for another device."""
        chosen = json.loads(self._options)
        if chosen.get("device", "auto") != "auto":
            is_it = (chosen["device"], chosen["gpu"]) == ("cuda", gpu)
            return self._native if is_it else None
        if self._on_gpu is None or self._on_gpu[0] != gpu:
            self._on_gpu = (gpu, self._native.on_gpu(gpu))
        return self._on_gpu[1]

    def _for_gpu(self, gpu: int) -> Mesh:
        """Return the mesh for calls on a GPU for which `_native_on` returns a native mesh."""
        native = self._native_on(gpu)
        assert native is not None
        options = {**json.loads(self._options), "device": "cuda", "gpu": gpu}
        return Mesh._of(native, json.dumps(options))

    def view(
        self,
        arrays: Mapping[str, npt.ArrayLike] | None = None,
        *,
        title: str = "zeroset",
        triangles: int = 200_000,
    ) -> _view.View:
        """Return a 3-D view for a browser or a notebook.

        Parameters
        ----------
        arrays : mapping of names to arrays of shape (n,), optional
            Values that color the mesh. The first one is shown first.
        title : str
            Title of the page.
        triangles : int
            Larger surfaces are decimated to this number of triangles.
        """
        shown = [
            (str(name), _inputs.as_array(values, self.n_points, str(name))[:, :1])
            for name, values in (arrays or {}).items()
        ]
        shown = [(name, np.ascontiguousarray(values)) for name, values in shown]
        return _view.View(_native.view(self._native, shown, title, triangles))

    def to_pyvista(self) -> Any:
        """Return the mesh with its arrays as a pyvista mesh."""
        import pyvista

        cells = self.cells
        if cells.shape[1] == 3:
            found = pyvista.PolyData.from_regular_faces(self.points, cells.astype(int))
        else:
            found = pyvista.UnstructuredGrid(
                {pyvista.CellType.TETRA: cells.astype(np.int64)}, self.points
            )
        for name, values in self.point_data.items():
            found.point_data[name] = values
        for name, values in self.cell_data.items():
            found.cell_data[name] = values
        return found

    def __repr__(self) -> str:
        kind = "triangle" if self._native.corners == 3 else "tetrahedron"
        return f"<zeroset.Mesh: {_counted(self.n_points, 'point')}, {_counted(self.n_cells, kind)}>"

    def _repr_html_(self) -> str:
        return self.view()._repr_html_()

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = [dict(self.point_data.items()), dict(self.cell_data.items())]
        return _restored, (self.points, self.cells, self._native.groups(), *arrays, self._options)


def _counted(n: int, kind: str) -> str:
    plural = {"tetrahedron": "tetrahedra"}.get(kind, kind + "s")
    return f"{n:,} {kind if n == 1 else plural}"


def _restored(
    points: NDArray[np.float64],
    cells: NDArray[np.uint32],
    groups: list[tuple[str, bool, NDArray[np.uint32]]],
    point_data: dict[str, Any],
    cell_data: dict[str, Any],
    options: str,
) -> Mesh:
    native = _native.Mesh.from_arrays(points, cells, groups, _without_data(options))
    mesh = Mesh._of(native, options)
    mesh.point_data.update(point_data)
    mesh.cell_data.update(cell_data)
    return mesh


def _without_data(options: str) -> str:
    """Return the options without files, whose arrays a copy of the mesh already has."""
    return json.dumps({**json.loads(options), "data": []})


class Arrays:
    """The arrays of a mesh by name, like a dict."""

    def __init__(self, mesh: Mesh, of_cells: bool) -> None:
        self._mesh, self._of_cells = mesh, of_cells

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        values = self._mesh._native.array(name, self._of_cells)
        if values is None:
            raise KeyError(name)
        return values[:, 0] if values.shape[1] == 1 else values

    def __setitem__(self, name: str, values: npt.ArrayLike) -> None:
        rows = self._mesh.n_cells if self._of_cells else self._mesh.n_points
        self._mesh._native.set_array(name, _inputs.as_array(values, rows, name), self._of_cells)
        self._mesh._on_gpu = None

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def keys(self) -> list[str]:
        """Return the names."""
        return self._mesh._native.array_names(self._of_cells)

    def items(self) -> list[tuple[str, NDArray[np.float64]]]:
        """Return the names with the arrays, of shape (rows,) or (rows, components)."""
        return [(name, self[name]) for name in self]

    def update(self, arrays: Mapping[str, npt.ArrayLike]) -> None:
        """Set several arrays."""
        for name, values in arrays.items():
            self[name] = values

    def __repr__(self) -> str:
        return f"<arrays of {'cells' if self._of_cells else 'points'}: {', '.join(self) or 'none'}>"


class Cleaned(NamedTuple):
    """A clean mesh, and where its points and cells come from.

    Attributes
    ----------
    mesh : Mesh
        The clean mesh.
    point_map : numpy.ndarray
        For each point of the original mesh, the number of its point in the clean mesh, or -1 if it
        was left out, int64, shape (n,).
    cell_map : numpy.ndarray
        For each cell of the clean mesh, the number of the original cell that it comes from, int64,
        shape (m,).
    """

    mesh: Mesh
    point_map: NDArray[np.int64]
    cell_map: NDArray[np.int64]


class Path(NamedTuple):
    """A shortest path.

    Attributes
    ----------
    points : numpy.ndarray
        Points from the start to the source, shape (k, 3), in mesh units.
    length : float
        Length in mesh units.
    source : int or None
        Number of the source where the path ends.
    """

    points: NDArray[np.float64]
    length: float
    source: int | None

    def __repr__(self) -> str:
        return (
            f"<zeroset.Path: {_counted(len(self.points), 'point')}, length {self.length:.6g}, to "
            f"source {self.source}>"
        )


class Distances:
    """Distances on a mesh.

    Arrays belong to the package and the device of the array arguments: the sources, the speed, or
    the points of the mesh.

    Attributes
    ----------
    values : array
        Distance of each point, shape (n,), in mesh units (a time if a speed is given). NaN at
        points that no front reaches.
    labels : array or None
        Number of the nearest source of each point, or -1, shape (n,), int32.
    gradient : array or None
        Gradient at each point, shape (n, 3), in the unit of `values` per mesh unit. NaN where there
        is none.
    velocity : array or None
        Velocity of the front in each cell, shape (m, 3), in mesh units per unit of `values`, normal
        to the front. NaN in cells that the front does not cross or reach completely,
        or that contain a part of a source.
    paths : list of Path
        Paths from `paths_from`.
    backend : str
        "cpu" or "cuda".
    mesh : Mesh
        The mesh.
    """

    def __init__(self, mesh: Mesh, found: dict[str, Any], convert: _arrays.Converter) -> None:
        self.mesh = mesh
        self._values: NDArray[np.float64] = found["values"]
        self._convert = convert
        self.values: Any = convert(self._values)
        self.labels: Any = _converted(found["labels"], convert)
        self.gradient: Any = _converted(found["gradient"], convert)
        self.velocity: Any = _converted(found["velocity"], convert)
        self.paths = [Path(*path) for path in found["paths"]]
        self.backend: str = found["backend"]
        self._call: tuple[list[Any], Any, str] = ([], None, "{}")

    def path(self, to: Any) -> Path:
        """Return the shortest path between a point and its nearest source.

        The distances are computed again. Several paths are faster with the option `paths_from` of
        `Mesh.distance`. Arrays of the mesh must not change between the two calls.

        Parameters
        ----------
        to : int, three floats, or str
            A point number, the coordinates of a point on the mesh, or a source of one point.

        Returns
        -------
        Path
            The path from the point to the source.

        Raises
        ------
        ValueError
            If there is no such point, or no front reaches it.

        Examples
        --------
        >>> import zeroset as zs
        >>> mesh = zs.Mesh(([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]]))
        >>> mesh.distance(1).path(to=2).length
        5.0
        """
        ends = _inputs.one_by_one(_inputs.as_sources(to))
        if len(ends) != 1:
            raise ValueError(f"to: expected one point, found {len(ends)}")
        sources, speed, options = self._call
        found = self.mesh._native.distance(sources, speed, ends, options, None)
        return Path(*found["paths"][0])

    def sensitivity(self, weights: Any) -> Sensitivity:
        """Return the derivatives of a number J by the speeds and the sources of these distances.

        J is any number that depends on the distances, such as a sum of squared differences from
        observations. The derivatives are exact for the discrete solution up to rounding, except at
        kinks. They are computed on the CPU, for distances from any device. Shapes of the front
        other than "plane" have no derivatives, nor have zero sets as sources. On triangles with a
        uniform speed, call `Mesh.distance` with ``front="plane"``. Arrays of the mesh must not
        change between the two calls.

        Parameters
        ----------
        weights : array of shape (n,)
            Derivatives of J by the distances. They have no effect at points that no front reaches,
            and at those beyond `within`.

        Returns
        -------
        Sensitivity

        Raises
        ------
        ValueError
            If the front or a source has no derivatives, or weights are not finite.

        Examples
        --------
        >>> import zeroset as zs
        >>> mesh = zs.Mesh(([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]]))
        >>> d = mesh.distance(1, speed=2.0, front="plane")
        >>> d.values.tolist()
        [1.5, 0.0, 2.5]
        >>> found = d.sensitivity([0, 0, 1])  # J is the time at point 2: 5 / speed
        >>> found.speed.tolist(), found.starts.tolist()
        ([-1.25], [1.0])
        """
        array = np.ascontiguousarray(_arrays.as_numpy(weights), np.float64)
        if array.shape != (len(self),):
            raise ValueError(f"weights: expected the shape ({len(self)},), found {array.shape}")
        sources, speed, options = self._call
        found = _native.sensitivity(self.mesh._native, sources, speed, self._values, array, options)
        return Sensitivity(**{name: _converted(x, self._convert) for name, x in found.items()})

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self._values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        low, high = (
            (np.nanmin(self._values), np.nanmax(self._values)) if len(self) else (np.nan, np.nan)
        )
        return f"<zeroset.Distances: {_counted(len(self), 'point')}, {low:.6g} to {high:.6g}>"

    def plot(self, *, title: str = "distance") -> _view.View:
        """Return a 3-D view for a browser or a notebook, with the distance and its isolines."""
        return self.mesh.view({"distance": self._values}, title=title)

    def to_pyvista(self) -> Any:
        """Return the mesh with the array "distance" as a pyvista mesh."""
        found = self.mesh.to_pyvista()
        found.point_data["distance"] = self._values
        return found

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


def _converted(array: np.ndarray | None, convert: _arrays.Converter) -> Any:
    return None if array is None else convert(array)


def read(path: str | os.PathLike[str], **options: Any) -> Mesh:
    """Read a mesh.

    Parameters
    ----------
    path : path
        File in any format that the command line reads.
    **options
        See `Mesh`.

    Returns
    -------
    Mesh

    Raises
    ------
    OSError
        If the file cannot be used.

    Examples
    --------
    >>> import pathlib, tempfile, zeroset as zs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ball.ply"
    >>> zs.generate("sphere", subdivisions=1).write(path)
    >>> zs.read(path)
    <zeroset.Mesh: 42 points, 80 triangles>
    """
    return Mesh(os.fspath(path), **options)


def generate(shape: str, *, refine: int = 0, **options: Any) -> Mesh:
    """Generate a mesh of a simple shape.

    Parameters
    ----------
    shape : {"square", "cube", "sphere", "cylinder", "cone", "torus"}
        The shape.
    refine : int
        How often to split each cell at the midpoints of its edges.
    **options
        Options of the shape, as in ``generate`` of a case (docs/case-file.md), and those of `Mesh`.

    Returns
    -------
    Mesh

    Raises
    ------
    ValueError
        If an option is unknown or out of range. The message lists the options of the shape.

    Examples
    --------
    >>> import zeroset as zs
    >>> zs.generate("square", cells=[4, 4])
    <zeroset.Mesh: 25 points, 32 triangles>
    """
    device, threads = options.pop("device", "auto"), options.pop("threads", 0)
    precision = options.pop("precision", "f64")
    text = _options.text(**_options.on(device, threads), precision=precision)
    return Mesh._of(_native.generate(json.dumps({shape: options}), refine, text), text)


def distance(
    mesh: Any, sources: Sources, *, device: str = "auto", threads: int = 0, **options: Any
) -> Distances:
    """Compute the distance from sources to every point of a mesh.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        A `Mesh` is prepared only once for several calls.
    sources : int, array of int, array of shape (k, 3), str, or a list of these
        See `Mesh.distance`, which also describes the other options.
    device, threads
        See `Mesh`.

    Returns
    -------
    Distances

    Examples
    --------
    >>> import zeroset as zs
    >>> zs.distance(([[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]]), 1)
    <zeroset.Distances: 3 points, 0 to 5>
    """
    return as_mesh(mesh, device, threads).distance(sources, **options)


def as_mesh(mesh: Any, device: str, threads: int) -> Mesh:
    """Return a mesh as it is, or one that is made from anything with points and cells."""
    return mesh if isinstance(mesh, Mesh) else Mesh(mesh, device=device, threads=threads)
