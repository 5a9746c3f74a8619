"""Speeds that depend on the direction or come from a volume."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import CORTEX, square

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


def written_volume(folder, low=1.0):
    """Write the speeds low, low + 0.5, .. along x, then y and z, around a cortex, as a file."""
    numbers = low + 0.5 * np.arange(5 * 5 * 5)
    head = [
        "NRRD0004",
        "type: double",
        "dimension: 3",
        "space dimension: 3",
        "sizes: 5 5 5",
        "space directions: (50,0,0) (0,50,0) (0,0,50)",
        "space origin: (-100,-100,-100)",
        "encoding: ascii",
        "",
        " ".join(map(str, numbers)),
    ]
    (folder / "speed.nrrd").write_text("\n".join(head))
    return folder / "speed.nrrd"


def test_volumes_are_speeds_of_the_command(cli, cortex):
    path = written_volume(cli.folder)
    cli("distance", CORTEX, "--from", "vertex:0", "--speed", "volume=speed.nrrd", "-o", "d.npy")
    of_command = np.load(cli.folder / "d.npy")
    volume = zs.read_volume(path)
    table = {"volume": volume.values.astype(np.float32), "affine": volume.affine}
    for speed in (volume, {"volume": path}, {"volume": volume}, table):
        assert np.array_equal(cortex.distance(0, speed=speed).values, of_command)
    assert np.array_equal(cortex.distances([0], speed=volume)[0], of_command)
    found = cortex.distance(0, speed=volume, paths_from=77)
    copy = pickle.loads(pickle.dumps(found))
    assert np.array_equal(found.paths[0].points, copy.path(to=77).points)


def test_speeds_of_a_volume_are_interpolated_at_centroids():
    points, cells = square(9)
    mesh = zs.Mesh((points, cells), device="cpu")
    x = points[cells].mean(axis=1)[:, 0]
    # The voxels are centered at -1, 0 and 1, and interpolation is exact for linear values.
    values = np.array([1.0, 2.0, 3.0])[:, None, None] * np.ones((1, 3, 1))
    affine = np.eye(4)
    affine[:2, 3] = -1
    found = mesh.distance(0, speed=zs.Volume(values, affine)).values
    assert np.allclose(found, mesh.distance(0, speed=2 + x).values, rtol=1e-12)
    with pytest.warns(zs.AccuracyWarning, match="outside the volume"):
        mesh.distance(0, speed={"volume": values[:2], "affine": affine})
    with pytest.raises(ValueError, match="not finite"):
        mesh.distance(0, speed={"volume": np.where(values == 2, np.nan, values)})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"speed": {"along": 1.0}}, "across"),
        ({"speed": {"along": 1.0, "across": 1.0, "side": 2.0}}, "side"),
        ({"speed": {"along": 1.0, "across": 1.0}}, "fiber"),
        ({"speed": {"along": 1.0, "across": 1.0}, "fiber": (1, 0)}, "shape"),
        ({"speed": {"along": 1.0, "across": 1.0}, "sheet": (1, 0, 0)}, "sheet"),
        ({"speed": 1.0, "fiber": (1, 0, 0)}, "no effect"),
        ({"speed": {"volume": np.ones((2, 2, 2))}, "fiber": (1, 0, 0)}, "no effect"),
        ({"speed": {"volume": np.ones((2, 2))}}, "3 dimensions"),
        ({"speed": {"volume": np.ones((2, 2, 2)), "along": 1.0}}, "volume"),
        ({"speed": {"volume": np.zeros((2, 2, 2)), "affine": 9 * np.eye(4)}}, "between"),
        ({"speed": np.ones((2, 6))}, "shape"),
        ({"speed": np.array([[1.0, 2, 0], [0, 1, 0], [0, 0, 1]])}, "symmetric"),
        ({"speed": np.diag([1.0, -1.0, 1.0])}, "positive definite"),
    ],
)
def test_bad_input_is_refused(options, message):
    points, cells = square(3)
    with pytest.raises(ValueError, match=message):
        zs.distance((points, cells), 0, **options)


def test_sensitivities_are_those_of_differences():
    points, cells = square(13)
    mesh = zs.Mesh((points, cells), device="cpu")
    random = np.random.default_rng(0)
    weights = random.normal(size=len(points))
    fiber = np.tile([0.8, 0.6, 0.0], (len(cells), 1))
    change = random.normal(size=len(cells))
    # With equal speeds, two cells at an edge would give the same time.
    along = random.uniform(0.8, 1.2, len(cells))

    def times(h, start=0.0, at=(0.31, 0.42, 0.0)):
        speed = {"along": along + 0.1 * h * change, "across": 0.2}
        return mesh.distance([at], speed=speed, fiber=fiber, starts=[start])

    def difference(of):
        return weights @ (of(1e-5).values - of(-1e-5).values) / 2e-5

    found = times(0.0).sensitivity(weights)
    assert found.speed is None and found.sheet is None and found.tensor.shape == (len(cells), 6)
    assert 0.1 * found.along @ change == pytest.approx(difference(times), rel=1e-6)
    assert found.starts[0] == pytest.approx(difference(lambda h: times(0.0, h)), rel=1e-6)
    moved = difference(lambda h: times(0.0, at=(0.31 + h, 0.42, 0.0)))
    assert found.positions[0, 0] == pytest.approx(moved, rel=1e-6)
    assert "along, across, tensor" in repr(found)


def test_later_calls_use_the_speeds_of_the_first_call():
    points, cells = square(6)
    mesh = zs.Mesh((points, cells), device="cpu")
    m, weights = len(cells), np.ones(len(points))
    tensors = np.tile([4.0, 1, 1, 0, 0, 0], (m, 1))
    along, fiber = np.full(m, 2.0), np.tile([1.0, 0, 0], (m, 1))
    fibers = {"along": along, "across": 1.0}
    calls = [
        ((along,), {"speed": along}),
        ((tensors,), {"speed": tensors}),
        ((along, fiber), {"speed": fibers, "fiber": fiber}),
    ]
    for arrays, options in calls:
        given = [array.copy() for array in arrays]
        d = mesh.distance(1, front="plane", **options)
        expected, path = d.sensitivity(weights), d.path(30)
        for array in arrays:
            array[: m // 2] = array[: m // 2, ::-1] if array.ndim > 1 else 9
        found = d.sensitivity(weights)
        for name in ("speed", "along", "across", "tensor", "starts"):
            assert np.array_equal(getattr(found, name), getattr(expected, name)), name
        assert np.array_equal(d.path(30).points, path.points)
        for array, values in zip(arrays, given, strict=True):
            array[...] = values


def test_what_has_no_sensitivity_is_refused():
    points, cells = square(5)
    mesh = zs.Mesh((points, cells), device="cpu")
    weights = np.ones(len(points))
    with pytest.raises(ValueError, match="circular fronts"):
        mesh.distance(0).sensitivity(weights)
    with pytest.raises(ValueError, match=r"weights: expected the shape \(36,\)"):
        mesh.distance(0, front="plane").sensitivity(weights[1:])
    with pytest.raises(ValueError, match="zero set"):
        mesh.distance("levelset:x-0.4").sensitivity(weights)
