"""Warnings have categories that state their subjects."""

from __future__ import annotations

import pathlib
import warnings

import numpy as np
import pytest
from conftest import square

import zeroset as zs

CATEGORIES = (zs.FileWarning, zs.MeshWarning, zs.AccuracyWarning, zs.DeviceWarning)


def issued(call) -> list[type[Warning]]:
    """Return the categories of the warnings of a call, in order."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [warning.category for warning in found]


def torn(n: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return triangles whose corners are not shared."""
    points, cells = square(n)
    return points[cells].reshape(-1, 3), np.arange(3 * len(cells)).reshape(-1, 3)


def test_categories_have_one_base():
    assert all(issubclass(category, zs.ZerosetWarning) for category in CATEGORIES)
    assert issubclass(zs.ZerosetWarning, UserWarning)


def test_repairs_are_about_the_mesh():
    mesh = zs.Mesh(torn())
    for call in (
        lambda: mesh.distance(0),
        lambda: mesh.distances([0, 1]),
        lambda: mesh.clean(),
        lambda: zs.LevelSet(mesh, "x^2 + y^2 - 0.25"),
    ):
        assert issued(call) == [zs.MeshWarning]
    whole = zs.generate("sphere", subdivisions=2)
    with_hole = zs.Mesh((whole.points, whole.cells[1:]))
    assert set(issued(with_hole.fill_holes)) == {zs.MeshWarning}


def test_doubts_are_about_the_accuracy():
    mesh = zs.Mesh(square(8))
    # The point is far from the mesh, and is moved to it.
    assert zs.AccuracyWarning in issued(lambda: mesh.distance((0.0, 0.0, 0.9), snap=True))
    scan = np.random.default_rng(0).normal(size=(3000, 3))
    scan /= np.linalg.norm(scan, axis=1, keepdims=True)
    half = scan[scan[:, 2] > 0]
    assert set(issued(lambda: zs.reconstruct(half, half))) == {zs.AccuracyWarning}


def test_the_content_of_a_file_is_warned_of_once(tmp_path: pathlib.Path):
    path = tmp_path / "m.off"
    path.write_text("OFF\n4 3 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n3 0 1 2\n3 1 3 2\n2 0 1\n")
    whole = zs.Mesh(square(3))
    whole.point_data["height"] = np.arange(16)
    assert set(issued(lambda: whole.write(tmp_path / "m.stl"))) == {zs.FileWarning}
    read = issued(lambda: zs.read(path))
    assert read == [zs.FileWarning] * len(read)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mesh = zs.read(path)
    assert zs.FileWarning not in issued(lambda: mesh.distance(0))


def test_one_subject_can_be_an_error():
    mesh = zs.Mesh(torn())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", zs.AccuracyWarning)
        mesh.distance(0)
        warnings.simplefilter("error", zs.MeshWarning)
        with pytest.raises(zs.MeshWarning, match="repaired"):
            mesh.distance(0)
