"""Every kind of array and of mesh is accepted, and leads to the same results."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest
from conftest import CORTEX, square
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import zeroset as zs

POINTS, CELLS = square(6)
EXPECTED = zs.distance((POINTS, CELLS), 0).values


def variants(array: np.ndarray, dtypes: list[str]) -> st.SearchStrategy[np.ndarray]:
    """Return arrays of the same numbers in different types, orders and strides."""

    def change(dtype: str, how: str) -> np.ndarray:
        typed = array.astype(dtype)
        if how == "fortran":
            return np.asfortranarray(typed)
        if how == "strided":
            wide = np.zeros((2 * len(typed), *typed.shape[1:]), typed.dtype)
            wide[::2] = typed
            return wide[::2]
        if how == "reversed":
            return typed[::-1].copy()[::-1]
        if how == "read-only":
            typed.setflags(write=False)
        if how == "swapped":
            return typed.astype(typed.dtype.newbyteorder())
        return typed

    hows = ["as it is", "fortran", "strided", "reversed", "read-only", "swapped"]
    return st.builds(change, st.sampled_from(dtypes), st.sampled_from(hows))


@settings(max_examples=60, deadline=None)
@given(
    points=variants(POINTS, ["f8"]) | variants(POINTS[:, :2], ["f8"]),
    cells=variants(CELLS, ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]),
)
def test_types_and_orders_do_not_matter(points, cells):
    assert np.array_equal(zs.distance((points, cells), 0).values, EXPECTED)


@settings(max_examples=40, deadline=None)
@given(
    mask=hnp.arrays(
        st.sampled_from(["?", "u1", "i8", "f4"]),
        hnp.array_shapes(min_dims=1, max_dims=3, max_side=7),
        elements=st.integers(0, 1),
    ),
    spacing=st.floats(0.1, 10),
)
def test_distance_transforms_are_those_of_the_definition(mask, spacing):
    steps = spacing * np.arange(1, mask.ndim + 1)
    zeros = np.argwhere(mask == 0)
    if len(zeros) == 0:
        with pytest.raises(ValueError, match="no voxel is zero"):
            zs.edt(mask, steps)
        return
    for array in (mask, np.asfortranarray(mask), mask[::-1]):
        found, indices = zs.edt(array, steps, return_indices=True)
        at = np.argwhere(array == 0)
        every = np.argwhere(np.ones(array.shape))
        squares = (((every[:, None] - at[None]) * steps) ** 2).sum(axis=2)
        assert np.allclose(found.ravel(), np.sqrt(squares.min(axis=1)), rtol=1e-6)
        assert found.shape == array.shape and indices.shape == (array.ndim, *array.shape)
        assert not array[tuple(indices)].any()
        apart = (indices - np.indices(array.shape)) * steps.reshape(-1, *[1] * array.ndim)
        assert np.allclose(np.sqrt((apart**2).sum(axis=0)), found, rtol=1e-6)


@pytest.mark.parametrize("shape", [(30,), (9, 13), (7, 8, 9)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_signed_distances_have_the_nearest_voxels_of_the_other_kind(shape, order):
    mask = np.array(np.random.default_rng(2).random(shape) < 0.8, order=order)
    steps = 0.5 * np.arange(1, mask.ndim + 1)
    found, indices = zs.edt(mask, steps, signed=True, return_indices=True)
    assert np.array_equal(found, zs.edt(mask, steps, signed=True))
    assert np.array_equal(mask[tuple(indices)], ~mask)
    every = np.argwhere(np.ones(shape))
    for at, to in zip(every, indices.reshape(mask.ndim, -1).T, strict=True):
        others = np.argwhere(mask != mask[tuple(at)])
        squares = (((others - at) * steps) ** 2).sum(axis=1)
        assert (((to - at) * steps) ** 2).sum() == pytest.approx(squares.min())
    with pytest.raises(ValueError, match="is not zero"):
        zs.edt(np.zeros(shape), signed=True, return_indices=True)


@pytest.mark.parametrize(
    ("points", "cells", "what"),
    [
        (POINTS, [[0, 1, 2**32]], "cell 0 names point 4294967296"),
        (POINTS, [[0, 1, -1]], "cell 0 names point -1"),
        (POINTS, [[0, 1, 2, 3, 4]], "expected shape"),
        (POINTS, [[0, 1, 2.5]], "whole numbers"),
        (POINTS[:, :1], CELLS, "expected shape"),
        (POINTS.astype(str), CELLS, "real numbers"),
        (POINTS * np.nan, CELLS, "not finite"),
        (np.zeros((0, 3)), np.zeros((0, 3), int), "no triangles"),
    ],
)
def test_arrays_that_are_no_mesh_are_refused(points, cells, what):
    with pytest.raises(ValueError, match=what):
        zs.distance((points, cells), 0)


@pytest.mark.parametrize(
    "source", [-1, 2**40, 10**6, "group:x", "vertex", [1.5], [[0.0, 1.0]], {"a": 1}]
)
def test_sources_that_do_not_exist_are_refused(source):
    with pytest.raises(ValueError):
        zs.distance((POINTS, CELLS), source)


def test_sources_have_several_forms():
    mesh = zs.Mesh((POINTS, CELLS))
    one = mesh.distance([3, 40], labels=True)
    assert set(one.labels) == {0, 1} and one.values[3] == one.values[40] == 0
    assert np.array_equal(mesh.distance(np.array([3, 40])).values, one.values)
    assert np.array_equal(mesh.distance("vertex:3,40").values, one.values)
    assert set(mesh.distance([[3, 40]], labels=True).labels) == {0}
    both = POINTS[[3, 40]]
    assert np.allclose(mesh.distance(both).values, one.values)
    assert np.allclose(mesh.distance([tuple(both[0]), tuple(both[1])]).values, one.values)
    assert np.array_equal(mesh.distance(tuple(both[0])).values, mesh.distance([both[0]]).values)
    late = mesh.distance([3, 40], starts=[0, 0.5])
    assert late.values[40] == 0.5
    rows = mesh.distances([3, 40])
    assert rows.shape == (2, len(POINTS)) and np.array_equal(rows[1], mesh.distance(40).values)
    near = mesh.distances([3, 40], within=0.5)
    assert near.shape == rows.shape and near.nnz == (rows < 0.5).sum()


def test_speeds_are_numbers_expressions_and_arrays():
    mesh = zs.Mesh((POINTS, CELLS))
    twice = mesh.distance(0, speed=2.0, front="plane").values
    for speed in (2, "2", np.full(len(CELLS), 2.0), np.full(len(POINTS), 2, np.int8)):
        assert np.array_equal(mesh.distance(0, speed=speed, front="plane").values, twice)
    mesh.point_data["two"] = np.full(len(POINTS), 2.0)
    assert np.array_equal(mesh.distance(0, speed="two", front="plane").values, twice)
    assert (
        list(mesh.point_data) == ["two"] and "two" in mesh.point_data and len(mesh.point_data) == 1
    )
    with pytest.raises(ValueError, match="rows"):
        mesh.point_data["three"] = [1, 2, 3]


def test_meshes_of_other_packages_are_read(tmp_path: pathlib.Path):
    surface = zs.read(CORTEX)
    expected = surface.distance(0).values
    points, cells = surface.points, surface.cells.astype(np.int64)

    def same(mesh) -> None:
        assert np.array_equal(zs.distance(mesh, 0).values, expected)

    nibabel = pytest.importorskip("nibabel")
    same(nibabel.load(CORTEX))
    same(tuple(image.data for image in nibabel.load(CORTEX).darrays))
    meshio = pytest.importorskip("meshio")
    same(meshio.Mesh(points, [("triangle", cells)]))
    trimesh = pytest.importorskip("trimesh")
    same(trimesh.Trimesh(points, cells, process=False))
    pyvista = pytest.importorskip("pyvista")
    same(pyvista.PolyData.from_regular_faces(points, cells))
    there = surface.distance(0).to_pyvista()
    assert np.array_equal(there.point_data["distance"], expected)
    same(there)
    tetrahedron = ([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 2, 3]])
    same_mesh = zs.Mesh(zs.Mesh(tetrahedron).to_pyvista())
    assert same_mesh.cells.shape == (1, 4)
    with pytest.raises(TypeError, match="pyvista"):
        zs.Mesh(object())


def test_meshes_make_round_trips_through_other_packages(tmp_path: pathlib.Path):
    surface = zs.read(CORTEX)
    solid = zs.generate("cube", cells=[3, 2, 2])

    def same(mesh, expected: zs.Mesh) -> None:
        found = zs.Mesh(mesh)
        assert np.array_equal(found.points, expected.points)
        assert np.array_equal(found.cells, expected.cells)

    nibabel = pytest.importorskip("nibabel")
    surface.write(tmp_path / "s.gii")
    same(nibabel.load(tmp_path / "s.gii"), surface)
    nibabel.freesurfer.write_geometry(tmp_path / "lh.white", surface.points, surface.cells)
    again = nibabel.freesurfer.read_geometry(tmp_path / "lh.white")
    same(again, zs.read(tmp_path / "lh.white", frame="file"))
    meshio = pytest.importorskip("meshio")
    for mesh, kind in ((surface, "triangle"), (solid, "tetra")):
        mesh.write(tmp_path / "m.vtu")
        same(meshio.read(tmp_path / "m.vtu"), mesh)
        meshio.Mesh(mesh.points, [(kind, mesh.cells)]).write(tmp_path / "o.vtu")
        same(tmp_path / "o.vtu", mesh)
    trimesh = pytest.importorskip("trimesh")
    surface.write(tmp_path / "s.ply")
    same(trimesh.load(tmp_path / "s.ply", process=False), surface)
    trimesh.Trimesh(surface.points, surface.cells, process=False).export(tmp_path / "o.off")
    same(tmp_path / "o.off", zs.Mesh(trimesh.load(tmp_path / "o.off", process=False)))
    pytest.importorskip("pyvista")
    for mesh in (surface, solid):
        same(mesh.to_pyvista(), mesh)
