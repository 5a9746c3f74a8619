"""Speeds that depend on the direction."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import square

import zeroset as zs


def test_fibers_and_tensors_give_ellipses():
    points, cells = square(33)
    mesh = zs.Mesh((points, cells), device="cpu")
    source = len(points) // 2
    step = points - points[source]
    exact = np.sqrt((step[:, 0] / 0.6) ** 2 + (step[:, 1] / 0.2) ** 2)
    speed = {"along": 0.6, "across": 0.2}
    found = mesh.distance(source, speed=speed, fiber=(1, 0, 0)).values
    assert np.all(found > exact - 1e-12) and np.abs(found - exact).mean() < 0.02 * exact.max()

    rows = np.tile([1.0, 0.0, 0.0], (len(cells), 1))
    for fiber in (rows, rows[:, ::-1][:, ::-1], ["1", "0*x", "0"]):
        assert np.array_equal(mesh.distance(source, speed=speed, fiber=fiber).values, found)
    mesh.cell_data["fiber"] = rows
    assert np.array_equal(mesh.distance(source, speed=speed).values, found)

    tensor = np.diag([0.6**2, 0.2**2, 1.0])
    tensors = np.tile([0.6**2, 0.2**2, 1.0, 0.0, 0.0, 0.0], (len(cells), 1))
    for speed in (tensor, np.tile(tensor, (len(cells), 1, 1)), tensors):
        assert np.allclose(mesh.distance(source, speed=speed).values, found, rtol=1e-12)
    assert np.array_equal(mesh.distances([source], speed={"along": 0.6, "across": 0.2})[0], found)


def test_regions_scale_the_speeds():
    points, cells = square(17)
    mesh = zs.Mesh((points, cells), device="cpu")
    slow = {"along": "if(x > 0.5, 0.3, 0.6)", "across": 0.2}
    a = mesh.distance(0, speed=slow, fiber=(1, 0, 0)).values
    b = mesh.distance(0, speed={"along": 0.6, "across": 0.2}, fiber=(1, 0, 0)).values
    assert np.all(a >= b - 1e-12) and a[17] > 1.2 * b[17]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"speed": {"along": 1.0}}, "across"),
        ({"speed": {"along": 1.0, "across": 1.0, "side": 2.0}}, "side"),
        ({"speed": {"along": 1.0, "across": 1.0}}, "fiber"),
        ({"speed": {"along": 1.0, "across": 1.0}, "fiber": (1, 0)}, "shape"),
        ({"speed": {"along": 1.0, "across": 1.0}, "sheet": (1, 0, 0)}, "sheet"),
        ({"speed": 1.0, "fiber": (1, 0, 0)}, "no effect"),
        ({"speed": np.ones((2, 6))}, "shape"),
        ({"speed": np.array([[1.0, 2, 0], [0, 1, 0], [0, 0, 1]])}, "symmetric"),
        ({"speed": np.diag([1.0, -1.0, 1.0])}, "positive definite"),
    ],
)
def test_bad_input_is_refused(options, message):
    points, cells = square(3)
    with pytest.raises(ValueError, match=message):
        zs.distance((points, cells), 0, **options)
