"""Conversion of arguments: meshes of other packages, arrays, sources and coefficients.

Each converter recognizes the objects of one package by their attributes, so that no package is
imported before the user has imported it.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from ._arrays import as_numpy


class Cells(NamedTuple):
    """Points and simplices of a mesh.

    Attributes
    ----------
    points : numpy.ndarray
        Coordinates, float64, shape (n, 3).
    cells : numpy.ndarray
        Point numbers of triangles, uint32, shape (m, 3), or of tetrahedra, shape (m, 4).
    """

    points: np.ndarray
    cells: np.ndarray


def as_points(values: Any, name: str = "points", dtype: type = np.float64) -> np.ndarray:
    """Return coordinates as a C-contiguous array of shape (n, 3) and of the given type.

    Planar points with two coordinates get z = 0.

    Raises
    ------
    ValueError
        If the shape is neither (n, 2) nor (n, 3), or the values are not real numbers.
    """
    array = as_numpy(values)
    if array.ndim != 2 or array.shape[1] not in (2, 3):
        raise ValueError(f"{name}: expected shape (n, 3) or (n, 2), found {array.shape}")
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name}: expected real numbers, found {array.dtype}")
    if array.shape[1] == 2:
        array = np.column_stack([array, np.zeros(len(array), array.dtype)])
    return np.ascontiguousarray(array, dtype)


def as_cells(values: Any, n_points: int, name: str = "cells") -> np.ndarray:
    """Return point numbers as a C-contiguous uint32 array of shape (m, 3) or (m, 4).

    Raises
    ------
    ValueError
        If the shape is wrong, a value is not a whole number, or a point does not exist. The message
        names the first such cell.
    """
    array = as_numpy(values)
    if array.ndim != 2 or array.shape[1] not in (3, 4):
        raise ValueError(
            f"{name}: expected shape (m, 3) for triangles or (m, 4) for tetrahedra, "
            f"found {array.shape}"
        )
    is_whole = array.dtype.kind in "iu"
    if not is_whole and not (array.dtype.kind == "f" and np.array_equal(array, np.trunc(array))):
        raise ValueError(f"{name}: expected whole numbers, found {array.dtype}")
    wrong = ~((array >= 0) & (array < min(n_points, 2**32)))
    if wrong.any():
        row, column = np.argwhere(wrong)[0]
        raise ValueError(
            f"{name}: cell {row} names point {array[row, column]}, "
            f"but there are only {n_points} points (numbers start at 0)"
        )
    return np.ascontiguousarray(array, np.uint32)


def as_array(values: Any, rows: int, name: str) -> np.ndarray:
    """Return an array as a C-contiguous float64 array of shape (rows, components).

    Raises
    ------
    ValueError
        If the number of rows is wrong, or the values are not real numbers.
    """
    array = as_numpy(values)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name}: expected real numbers, found {array.dtype}")
    if array.ndim not in (1, 2) or len(array) != rows:
        raise ValueError(f"{name}: expected {rows} rows, found the shape {array.shape}")
    return np.ascontiguousarray(array.reshape(rows, -1), np.float64)


def as_values(values: Any, name: str) -> Any:
    """Return a coefficient: None, a number, the text of an expression, or a float64 array.

    Raises
    ------
    ValueError
        If an array has more than one dimension or does not hold real numbers.
    """
    if values is None or isinstance(values, str):
        return values
    array = as_numpy(values)
    if array.dtype.kind not in "fiub":
        raise ValueError(
            f"{name}: expected a number, an expression or real numbers, found {array.dtype}"
        )
    if array.ndim == 0:
        return float(array)
    if array.ndim != 1:
        raise ValueError(
            f"{name}: expected one number for each point or cell, found the shape {array.shape}"
        )
    return np.ascontiguousarray(array, np.float64)


def as_sources(sources: Any) -> list[Any]:
    """Return sources as the native part reads them: strings, tuples of coordinates, lists of
    numbers.

    An array of whole numbers is one source with several points. A list holds several sources.

    Raises
    ------
    ValueError
        If an entry is none of these.
    """
    if isinstance(sources, str):
        return [sources]
    if isinstance(sources, (list, tuple, range)):
        if _is_point(sources):
            return [tuple(map(float, sources))]
        return [_as_source(source) for source in sources]
    array = as_numpy(sources)
    if array.ndim == 2 and array.shape[1] == 3 and array.dtype.kind == "f":
        return [tuple(row) for row in array.tolist()]
    if array.ndim == 1 and array.dtype.kind in "iu":
        return [_as_source(number) for number in array.tolist()]
    return [_as_source(sources)]


def _is_point(sources: Any) -> bool:
    """Whether a list is the coordinates of a point: three numbers, at least one of them a float."""
    numbers = [isinstance(x, (int, float, np.number)) and not isinstance(x, bool) for x in sources]
    return (
        len(sources) == 3
        and all(numbers)
        and any(isinstance(x, (float, np.floating)) for x in sources)
    )


def _as_source(source: Any) -> Any:
    if isinstance(source, str):
        return source
    array = as_numpy(source)
    if array.dtype.kind in "iu" and array.ndim <= 1:
        wrong = (array < 0) | (array > 2**32 - 1)
        if wrong.any():
            first = array[wrong].flat[0] if array.ndim else array
            raise ValueError(f"sources: {first} is not the number of a point")
        return [int(array)] if array.ndim == 0 else array.tolist()
    if array.dtype.kind == "f" and array.shape == (3,):
        return tuple(array.tolist())
    raise ValueError(
        "sources: expected numbers of points (int), coordinates (three floats), or a text such as "
        f'"group:NAME", found {source!r}'
    )


def one_by_one(sources: list[Any]) -> list[Any]:
    """Return the sources, with a source of several points split into one source per point."""
    apart = []
    for source in sources:
        apart += [[number] for number in source] if isinstance(source, list) else [source]
    return apart


def as_starts(starts: Any, n: int) -> list[float]:
    """Return a start value for each of n sources, or an empty list."""
    if starts is None:
        return []
    array = np.asarray(starts, np.float64)
    return list(map(float, np.broadcast_to(array, (n,)) if array.ndim == 0 else array))


def as_mesh(mesh: Any) -> Cells | os.PathLike[str] | str:
    """Return the points and cells of a mesh, or the path of its file.

    Parameters
    ----------
    mesh : path, tuple of arrays, or a mesh from pyvista, trimesh, meshio or nibabel

    Raises
    ------
    TypeError
        If the object is none of these.
    ValueError
        If it has cells that are neither triangles nor tetrahedra.
    """
    if isinstance(mesh, (str, os.PathLike)):
        return mesh
    for convert in (_from_vtk, _from_trimesh, _from_meshio, _from_gifti, _from_tuple):
        found = convert(mesh)
        if found is not None:
            points = as_points(found[0])
            return Cells(points, as_cells(found[1], len(points)))
    raise TypeError(
        f"expected a path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel, "
        f"found {type(mesh).__name__}"
    )


def _from_tuple(mesh: Any) -> tuple[Any, Any] | None:
    """Return the points and cells of a tuple. Those of nibabel have metadata after the cells."""
    if isinstance(mesh, (tuple, list)) and len(mesh) >= 2:
        return mesh[0], mesh[1]
    return None


def _from_vtk(mesh: Any) -> tuple[Any, Any] | None:
    """pyvista's PolyData and UnstructuredGrid."""
    if not hasattr(mesh, "points") or not hasattr(mesh, "GetNumberOfCells"):
        return None
    if hasattr(mesh, "regular_faces"):
        polygons = mesh if mesh.is_all_triangles else mesh.triangulate()
        return polygons.points, polygons.regular_faces
    kinds = mesh.cells_dict
    return mesh.points, _simplices(
        {_VTK.get(int(kind), str(kind)): cells for kind, cells in kinds.items()}
    )


_VTK = {1: "vertex", 3: "line", 5: "triangle", 10: "tetra"}


def _from_trimesh(mesh: Any) -> tuple[Any, Any] | None:
    if hasattr(mesh, "vertices") and hasattr(mesh, "faces"):
        return mesh.vertices, mesh.faces
    return None


def _from_meshio(mesh: Any) -> tuple[Any, Any] | None:
    if not hasattr(mesh, "points") or not hasattr(mesh, "cells_dict"):
        return None
    return mesh.points, _simplices(mesh.cells_dict)


def _from_gifti(mesh: Any) -> tuple[Any, Any] | None:
    """A surface image from nibabel."""
    if not hasattr(mesh, "agg_data"):
        return None
    parts = mesh.agg_data(("pointset", "triangle"))
    if len(parts) != 2 or any(np.size(part) == 0 for part in parts):
        raise ValueError(
            "the GIFTI image has no surface (arrays of the intents POINTSET and TRIANGLE)"
        )
    return parts[0], parts[1]


def _simplices(kinds: dict[str, np.ndarray]) -> np.ndarray:
    """Return the tetrahedra of a mesh, or its triangles if there are none.

    If there are tetrahedra, triangles are their boundary, and lines and vertices mark parts.
    """
    others = sorted(set(kinds) - {"vertex", "line", "triangle", "tetra"})
    if others:
        raise ValueError(
            f"the mesh has cells of the type {', '.join(others)}; write it to a file and pass its "
            "path, since the reader splits such cells into triangles and tetrahedra"
        )
    for kind in ("tetra", "triangle"):
        if len(kinds.get(kind, ())):
            return kinds[kind]
    raise ValueError("the mesh has neither triangles nor tetrahedra")
