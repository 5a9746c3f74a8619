"""Pictures, facts, and selected voxels: without files, and as the command line gives them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import CORTEX, square

import zeroset as zs


def volume() -> np.ndarray:
    """Return values whose spheres around the center have equal values, nearly."""
    x, y, z = np.mgrid[-1:1:24j, -1:1:20j, -1:1:17j]
    return np.sqrt(x**2 + 1.1 * y**2 + 1.2 * z**2).astype(np.float32)


def test_pictures_of_meshes_are_those_of_the_command(cli):
    mesh = zs.Mesh(CORTEX)
    for name, words, options in (
        ("a", ["--size", "300x200"], {"size": (300, 200)}),
        (
            "b",
            ["--colors", "x + y", "--view", "left", "--size", 200, "--transparent"],
            {"colors": "x + y", "view": "left", "size": 200, "transparent": True},
        ),
        (
            "c",
            ["--view", "30,20", "--zoom", 2, "--perspective", 30, "--range", "0,40"],
            {"view": (30, 20), "zoom": 2, "perspective": 30, "range": (0, 40)},
        ),
    ):
        cli("render", CORTEX, "--title", "cortex", *words, "-o", f"{name}.png")
        found = zs.render(mesh, title="cortex", **options)
        assert found.png == (cli.folder / f"{name}.png").read_bytes()
    height, width, channels = found.pixels.shape
    assert (width, height, channels) == (1200, 900, 3)
    assert zs.render(mesh, size=64, transparent=True).pixels.shape == (64, 64, 4)


def test_pictures_show_arrays_that_were_set(tmp_path):
    mesh = zs.Mesh(square(20))
    plain = zs.render(mesh, size=100)
    mesh.point_data["phi"] = np.hypot(mesh.points[:, 0], mesh.points[:, 1]) - 0.5
    assert not np.array_equal(zs.render(mesh, size=100).pixels, plain.pixels)
    plain.save(tmp_path / "plain.png")
    assert (tmp_path / "plain.png").read_bytes() == plain.png == plain._repr_png_()
    assert repr(plain) == "<zeroset.Picture: 100 x 100 pixels>"


def test_pictures_of_volumes_are_those_of_the_command(cli):
    values = volume()
    np.save(cli.folder / "v.npy", values)
    for name, words, options in (
        ("a", ["--level", 0.7], {"level": 0.7}),
        ("b", ["--where", "v < 0.8 && x > 3"], {"where": "v < 0.8 && x > 3"}),
    ):
        cli("render", "v.npy", "--title", "t", "--size", 150, *words, "-o", f"{name}.png")
        found = zs.render(values, title="t", size=150, **options)
        assert found.png == (cli.folder / f"{name}.png").read_bytes()
    moved = zs.render(values, level=0.7, size=150, title="t", spacing=(1, 2, 1))
    assert moved.png != (cli.folder / "a.png").read_bytes()


@pytest.mark.parametrize(
    ("shown", "options", "message"),
    [
        (square(3), {"zoom": 0.0}, "--zoom"),
        (square(3), {"colors": "missing"}, "missing"),
        (square(3), {"colormap": "viridus"}, "viridis"),
        (square(3), {"level": 1.0}, "volumes"),
        (square(3), {"spacing": 1.0}, "volumes"),
        (square(3), {"size": 3}, "--size"),
        (square(3), {"device": "tpu"}, "tpu"),
        (np.zeros((2, 2, 2)), {}, "--level"),
        (np.zeros((2, 2)), {}, "3 dimensions"),
    ],
)
def test_pictures_that_cannot_be_drawn_are_refused(shown, options, message):
    with pytest.raises(ValueError, match=message):
        zs.render(shown, **options)


def test_facts_are_those_of_the_command(cli):
    mesh = zs.Mesh(square(4))
    mesh.point_data["height"] = np.arange(25)
    mesh.write(cli.folder / "m.vtu")
    np.save(cli.folder / "v.npy", volume())
    (cli.folder / "p.xyz").write_text("0 0 0\n1 2 3\n2 2 3\n")
    for path in (CORTEX, cli.folder / "m.vtu", cli.folder / "v.npy", cli.folder / "p.xyz"):
        assert zs.info(path) == json.loads(cli("info", path, "--json"))
    here, there = zs.info(mesh), zs.info(cli.folder / "m.vtu")
    assert set(here) == set(there)
    for key in ("vertices", "cells", "bounds", "euler", "boundary", "edge_mean", "arrays"):
        assert here[key] == there[key]
    with pytest.raises(OSError, match="missing"):
        zs.info(cli.folder / "missing.vtu")


def test_voxels_are_selected_as_the_command_does(cli):
    values = volume()
    np.save(cli.folder / "v.npy", values)
    for words, options in (
        (["--where", "v > 0.9 && i > 4"], {"where": "v > 0.9 && i > 4"}),
        (["--edge", 0.08], {"edge": 0.08}),
        (
            ["--where", "v < 1", "--edge", 0.05, "--order", "blocks"],
            {"where": "v < 1", "edge": 0.05, "order": "blocks"},
        ),
    ):
        cli("points", "v.npy", *words, "-o", "p.npy")
        table = np.load(cli.folder / "p.npy")
        found = zs.points(values, **options)
        assert len(table) == len(found.points) > 0
        assert np.array_equal(found.points, table[:, :3])
        assert np.array_equal(found.values, table[:, 3])
        assert np.array_equal(found.indices, table[:, 4:])
    assert len(zs.points(values, "v > 0.9").values) == (values > 0.9).sum()
    assert len(zs.points(values, "v > 99").values) == 0
    assert repr(zs.points(values, "v > 99")) == "<zeroset.Points: 0 voxels>"
    there = zs.points(zs.Volume(values, np.diag([2.0, 3, 4, 1])), "i == 1 && j == 1 && k == 1")
    assert there.points.tolist() == [[2, 3, 4]]


def test_octrees_are_those_of_the_command(cli):
    values = (volume() > 0.8).astype(np.uint8)
    np.save(cli.folder / "v.npy", values)
    for words, options in (([], {}), (["--where", "v > 0"], {"where": "v > 0"})):
        cli("points", "v.npy", "--tree", *words, "-o", "t.csv")
        table = np.loadtxt(cli.folder / "t.csv", delimiter=",", skiprows=1)
        found = zs.octree(values, **options)
        assert np.array_equal(found.indices, table[:, :3])
        assert np.array_equal(found.levels, table[:, 3])
        assert np.array_equal(found.values, table[:, 5])
    assert "blocks" in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "where"),
        ({"where": "v >"}, "where"),
        ({"where": "w > 1"}, "w"),
        ({"edge": -1.0}, "edge"),
        ({"where": "v", "order": "random"}, "order"),
        ({"where": "v", "affine": np.eye(3)}, "affine"),
    ],
)
def test_selections_that_cannot_be_made_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        zs.points(np.zeros((2, 2, 2)), **options)
