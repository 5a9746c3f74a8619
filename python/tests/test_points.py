"""Point clouds: samples, files, and nearest points."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import CORTEX, sphere

import zeroset as zs


def test_samples_and_files_are_those_of_the_command(cli):
    options = ["-n", 500, "--normals", "--noise", "0.1%", "--outliers", 20, "--seed", 7]
    cli("sample", CORTEX, *options, "-o", "cloud.ply")
    read = zs.read_points(cli.folder / "cloud.ply")
    cloud = zs.sample(CORTEX, 500, normals=True, noise="0.1%", outliers=20, seed=7)
    assert np.array_equal(read.points, cloud.points) and cloud.points.shape == (520, 3)
    # The reader scales normals to length 1 again.
    assert np.allclose(read.normals, cloud.normals, atol=1e-6)
    assert cloud.normals.shape == (520, 3)
    assert zs.sample(CORTEX, 10).normals is None


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n": 0}, "n:"), ({"n": 1, "noise": "x"}, "noise"), ({"n": 1, "outliers": -1}, "outliers")],
)
def test_samples_that_cannot_be_drawn_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        zs.sample(CORTEX, **options)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf", "l3"])
def test_nearest_points_are_those_of_the_definition(norm):
    random = np.random.default_rng(4)
    points, queries = random.normal(size=(70, 3)), random.normal(size=(400, 3))
    order = {"l1": 1, "l2": 2, "linf": np.inf, "l3": 3}[norm]
    every = np.linalg.norm(queries[:, None] - points[None], order, axis=2)
    found = zs.nearest(points, queries, norm=norm, device="cpu")
    assert np.allclose(found.distances, every.min(axis=1), rtol=1e-12)
    assert np.array_equal(found.indices, every.argmin(axis=1))
    two = zs.nearest(points[:, :2], queries[:, :2].astype(np.float32).astype(float), norm=norm)
    assert two.distances.shape == (400,)


def test_nearest_points_in_a_cone_are_those_of_the_command(cli):
    points, queries = sphere(300), 0.5 * sphere(40, seed=1)
    for name, array in (("p.xyz", points), ("q.xyz", queries)):
        np.savetxt(cli.folder / name, array, fmt="%.17g")
    cone = ["--direction", "0,0,1", "--angle", 10, "--cylinder", 0.01]
    cli("dt", "--points", "p.xyz", "--queries", "q.xyz", *cone, "-o", "d.csv")
    table = np.loadtxt(cli.folder / "d.csv", delimiter=",", skiprows=1)
    found = zs.nearest(points, queries, direction=(0, 0, 1), angle=10, cylinder=0.01)
    assert np.array_equal(found.distances, table[:, 3])
    assert np.array_equal(found.indices, table[:, 4]) and (found.indices == -1).any()
    assert np.isinf(found.distances[found.indices == -1]).all()
    each = zs.nearest(points, queries, direction=np.tile([0, 0, 1], (40, 1)), angle=10)
    one = zs.nearest(points, queries, direction=[0, 0, 2.0], angle=10)
    assert np.array_equal(each.indices, one.indices)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[0, 0, 0]], [[0, 0]]), {"norm": "l0"}, "norm"),
        (([[0, 0, 0]], [[0, 0, np.nan]]), {}, "query 0"),
        (([[0, 0, 0]], [[0]]), {}, "queries"),
        (([[0, 0, 0]], [[0, 0]]), {"angle": 10}, "direction"),
        (([[0, 0, 0]], [[0, 0]]), {"cylinder": 10}, "cylinder"),
    ],
)
def test_searches_that_cannot_be_made_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        zs.nearest(*arguments, **options)


def test_without_points_nothing_is_near():
    found = zs.nearest(np.zeros((0, 3)), [[0, 0, 0]])
    assert found.indices.tolist() == [-1] and np.isinf(found.distances).all()


def test_points_far_from_one_another_are_those_of_the_command(cli, cortex):
    cli("sample", CORTEX, "--geodesic", 12, "--first", 100, "-o", "far.csv")
    rows = np.loadtxt(cli.folder / "far.csv", delimiter=",", skiprows=1)
    found = zs.farthest_points(cortex, 12, first=100)
    assert np.array_equal(found.indices, rows[:, 3])
    assert found.separations[0] == np.inf
    assert np.array_equal(found.separations[1:], rows[1:, 4])
    assert np.array_equal(cortex.points[found.indices], rows[:, :3])
    assert found.labels[found.indices].tolist() == list(range(12))
    assert found.values.max() <= found.separations[-1]
    nearest = cortex.distances(found.indices).min(axis=0)
    assert np.allclose(found.values, nearest, rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n": 0}, "0 points"), ({"n": -1}, "n:"), ({"n": 2, "first": 9**9}, "vertex 387420489")],
)
def test_points_far_from_one_another_that_do_not_exist_are_refused(options, message, cortex):
    with pytest.raises(ValueError, match=message):
        zs.farthest_points(cortex, **options)
