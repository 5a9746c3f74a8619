"""Meshes made from other meshes, and studies of several results."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import CORTEX, ROOT, square

import zeroset as zs


def torn() -> tuple[np.ndarray, np.ndarray]:
    """Return triangles whose corners are not shared, a degenerate one, and an unused point."""
    points, cells = square(4)
    corners = points[cells].reshape(-1, 3)
    corners = np.vstack([corners, [[5.0, 5.0, 0.0]]])
    own = np.arange(3 * len(cells)).reshape(-1, 3)
    return corners, np.vstack([own, [[0, 0, 1]]])


def test_cleaning_tells_where_points_and_cells_come_from():
    points, cells = torn()
    with pytest.warns(zs.ZerosetWarning, match="mesh cleaned"):
        found = zs.Mesh((points, cells)).clean()
    assert found.mesh.n_points == 25 and found.mesh.n_cells == 32
    assert found.point_map.shape == (97,) and found.point_map[-1] == -1
    kept = found.point_map >= 0
    assert np.array_equal(found.mesh.points[found.point_map[kept]], points[kept])
    assert np.array_equal(found.cell_map, np.arange(32))
    assert np.array_equal(found.point_map[cells[found.cell_map]], found.mesh.cells)
    apart = zs.Mesh((points[:-1], cells[:-1])).clean(weld="never")
    assert apart.mesh.n_points == 96


def test_meshes_are_changed_as_the_command_does(cli):
    surface = zs.Mesh(CORTEX)
    cli("convert", CORTEX, "small.vtp", "--decimate", 4000)
    small = surface.decimate(4000)
    read = zs.read(cli.folder / "small.vtp")
    assert np.array_equal(small.points, read.points) and np.array_equal(small.cells, read.cells)
    cli("generate", "torus", "--refine", 1, "-o", "torus.vtp")
    read, made = zs.read(cli.folder / "torus.vtp"), zs.generate("torus", refine=1)
    assert np.array_equal(made.points, read.points) and np.array_equal(made.cells, read.cells)
    assert np.array_equal(zs.generate("torus").refine().points, read.points)
    cube = zs.generate("cube", cells=[3, 3, 3])
    cube.write(cli.folder / "cube.vtu")
    cli("convert", "cube.vtu", "skin.vtp", "--boundary")
    skin, read = cube.boundary(), zs.read(cli.folder / "skin.vtp")
    assert np.array_equal(skin.points, read.points) and np.array_equal(skin.cells, read.cells)


def test_holes_are_filled():
    whole = zs.generate("sphere", subdivisions=2)
    with_hole = zs.Mesh((whole.points, whole.cells[1:]))
    with pytest.warns(zs.ZerosetWarning, match="invented"):
        assert with_hole.fill_holes().n_cells == whole.n_cells
    with pytest.warns(zs.ZerosetWarning, match="left open"):
        assert with_hole.fill_holes(1e-9).n_cells == whole.n_cells - 1


def test_files_hold_what_was_set(tmp_path):
    mesh = zs.Mesh(square(3))
    mesh.point_data["height"] = np.arange(16)
    mesh.write(tmp_path / "m.vtu")
    read = zs.read(tmp_path / "m.vtu")
    assert np.array_equal(read.points, mesh.points) and np.array_equal(read.cells, mesh.cells)
    assert np.array_equal(read.point_data["height"], np.arange(16))
    with pytest.warns(zs.ZerosetWarning, match="height"):
        mesh.write(tmp_path / "m.stl", ascii=True)
    assert (tmp_path / "m.stl").read_text().startswith("solid")
    with pytest.raises(ValueError, match="extension"):
        mesh.write(tmp_path / "m.xyz1")
    with pytest.raises(OSError, match="missing"):
        mesh.write(tmp_path / "missing" / "m.vtu")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: zs.generate("egg"), "egg"),
        (lambda: zs.generate("sphere", radios=2), "radios"),
        (lambda: zs.generate("square", cells=[0, 1]), "cells"),
        (lambda: zs.Mesh(square(2)).decimate(1.5), "triangles"),
        (lambda: zs.Mesh(square(2)).boundary(), "boundary"),
        (lambda: zs.Mesh(square(2)).clean(weld=-1.0), "weld|length"),
        (lambda: zs.voxelize(zs.generate("sphere"), size=3, spacing=1.0), "spacing"),
        (lambda: zs.voxelize(zs.Mesh(square(2)), spacing=0.5), "inside"),
    ],
)
def test_changes_that_cannot_be_made_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_voxels_are_those_of_the_command(cli):
    for surface in ((), ("--surface",)):
        cli("voxelize", CORTEX, "--size", 24, *surface, "-o", "v.npy")
        found = zs.voxelize(CORTEX, size=24, surface=bool(surface))
        assert np.array_equal(found.values, np.load(cli.folder / "v.npy"))
    x = found.affine @ [0, 0, 0, 1]
    assert np.all(x[:3] < zs.Mesh(CORTEX).points.min(axis=0) + found.affine[0, 0])


def test_paths_are_found_afterwards():
    mesh = zs.Mesh(square(12))
    options = {"speed": "1 + 0.5*(x > 0)", "front": "plane"}
    expected = mesh.distance([0, 5], paths_from=[100], **options).paths[0]
    for d in (mesh.distance([0, 5], **options), pickle.loads(pickle.dumps(mesh.distance(0)))):
        path = d.path(to=100)
        assert path.points.shape[1] == 3 and path.length > 0
    path = mesh.distance([0, 5], **options).path(to=100)
    assert np.array_equal(path.points, expected.points) and path.source == expected.source
    assert np.allclose(path.points[0], mesh.points[100])
    at = mesh.distance(0).path(to=(0.1, 0.2, 0.0))
    assert np.allclose(at.points[0], [0.1, 0.2, 0.0])
    with pytest.raises(ValueError, match="one point"):
        mesh.distance(0).path(to=[1, 2])


def test_sparse_rows_hold_the_distances_below_a_limit():
    pytest.importorskip("scipy")
    mesh = zs.Mesh(square(8))
    rows, near = mesh.distances(range(5)), mesh.distances(range(5), within=0.6)
    assert near.shape == rows.shape and near.nnz == (rows < 0.6).sum()
    dense = near.toarray()
    inside = rows < 0.6
    assert np.array_equal(dense[inside], rows[inside]) and not dense[~inside].any()


def test_results_are_compared(tmp_path):
    mesh = zs.Mesh(square(3))
    for name, value in (("a.vtu", 1.0), ("b.vtu", 1.25)):
        mesh.point_data["u"] = np.full(16, value)
        mesh.write(tmp_path / name)
    a, b = tmp_path / "a.vtu", tmp_path / "b.vtu"
    assert zs.compare(a, a)["equal"] and not zs.compare(a, b)["equal"]
    assert zs.compare(a, b, tolerance=0.3)["equal"]
    assert zs.compare(a, b)["sources"][0]["arrays"]
    with pytest.raises(ValueError, match="tolerance"):
        zs.compare(a, b, tolerance=-1)
    with pytest.raises(OSError, match="missing"):
        zs.compare(a, tmp_path / "missing.vtu")


def test_a_case_converges(tmp_path):
    case = ROOT / "configs" / "shrinking_circle.toml"
    options = {"overrides": {"evolve.max_steps": 3}, "folder": tmp_path / "study"}
    found = zs.converge(case, levels=2, **options)
    assert [level["level"] for level in found["levels"]] == [0, 1] and found["quantities"]
    assert all((tmp_path / "study" / name).exists() for name in ("converge.json", "converge.csv"))
    assert len(found["files"]) >= 2
    with pytest.raises(OSError, match="exists"):
        zs.converge(case, levels=2, **options)
    with pytest.raises(ValueError, match="levels"):
        zs.converge(case, levels=1)


def test_representations_state_sizes():
    mesh = zs.generate("sphere", subdivisions=2)
    assert repr(mesh) == "<zeroset.Mesh: 162 points, 320 triangles>"
    assert repr(mesh.clean()[0]) == repr(mesh)
    assert "162 points" in repr(mesh.distance(0))
    assert "length" in repr(mesh.distance(0).path(to=9))
    cloud = zs.sample(mesh, 30, normals=True)
    assert repr(cloud) == "<zeroset.Cloud: 30 points with normals>"
    assert repr(zs.nearest(cloud.points, cloud.points)) == "<zeroset.Nearest: 30 queries>"
    assert repr(zs.sdf(mesh, at=cloud.points)) == "<zeroset.Sdf: 30 points>"
    assert repr(zs.sdf(mesh, size=4, margin=0)) == "<zeroset.Sdf: 5 x 5 x 5 voxels>"
    assert repr(zs.voxelize(mesh, size=4)) == "<zeroset.Volume: 4 x 4 x 4 voxels, uint8>"
    surface = zs.isosurface(np.pad(np.ones((2, 2, 2)), 1), 0.5)
    assert repr(surface).endswith("triangles>") and "points" in repr(surface)
    found = zs.reconstruct(*zs.sample(mesh, 2000, normals=True))
    assert "triangles" in repr(found) and "iframe" in found._repr_html_()


MSH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
1 1 "wall"
2 2 "left"
2 3 "right"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 1 1 0
$EndNodes
$Elements
3
1 1 2 1 1 2 4
2 2 2 2 1 1 2 3
3 2 2 3 2 2 4 3
$EndElements
"""


def test_groups_have_members_and_are_pickled(tmp_path):
    (tmp_path / "m.msh").write_text(MSH)
    mesh = zs.read(tmp_path / "m.msh")
    for one in (mesh, pickle.loads(pickle.dumps(mesh)), mesh.clean().mesh):
        assert set(one.groups) >= {"wall", "left", "right"}
        assert one.groups["wall"].tolist() == [[1, 3]]
        assert one.groups["left"].tolist() == [0] and one.groups["right"].tolist() == [1]
        found = one.distance("group:wall").values
        assert np.array_equal(found, mesh.distance("group:wall").values) and found[1] == 0
    mesh.write(tmp_path / "again.vtu")
    assert set(zs.read(tmp_path / "again.vtu").groups) >= {"wall", "left", "right"}
