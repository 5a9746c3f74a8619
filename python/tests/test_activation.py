"""Activation times of stimuli."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from conftest import square

import zeroset as zs

SPEED = {"along": 0.6, "across": 0.24}


def heart(n: int = 24) -> zs.Mesh:
    return zs.Mesh(square(n), device="cpu")


def test_activation_times_are_those_of_the_command(cli):
    tissue = heart()
    tissue.write(cli.folder / "heart.vtu")
    given = ["--from", "vertex:0@0", "--from", "vertex:624@0.5", "--speed", "1 + 0.5*x"]
    cli("distance", "heart.vtu", *given, "-o", "d.npy")
    stimuli = [{"at": 0}, {"at": 624, "time": 0.5}]
    found = zs.activation(tissue, stimuli=stimuli, speed="1 + 0.5*x")
    assert np.array_equal(found.times, np.load(cli.folder / "d.npy"))


def test_stimuli_have_places_and_times():
    tissue = heart()
    x = tissue.points
    center = np.array([0.4, 0.3, 0.0])
    stimuli = [
        {"box": ([-0.9, -0.5, 0], [-1, -1, 0]), "time": 0.25},
        {"sphere": (center, 0.2)},
        [0, 24],
        {"at": (0.9, -0.9, 0.0), "time": 10.0},
    ]
    found = zs.activation(tissue, stimuli=stimuli, speed=SPEED, fibers=(1, 0, 0))
    ball = np.linalg.norm(x - center, axis=1) <= 0.2
    box = (x[:, 0] <= -0.9) & (x[:, 1] <= -0.5)
    assert np.all(found.times[ball] == 0) and np.all(found.stimulus[ball] == 1)
    # The corner at point 0 is in the box, but it is excited by itself before.
    assert found.times[0] == 0 and found.stimulus[0] == found.stimulus[24] == 2
    assert np.all(found.times[box] <= 0.25) and 0 in found.stimulus[box]
    assert set(found.stimulus) == {0, 1, 2}
    assert found.duration == np.max(found.times)
    assert np.array_equal(np.asarray(pickle.loads(pickle.dumps(found))), found.times)
    assert "activation time" in found._repr_html_() and "Activation" in repr(found)


def test_a_plane_wave_along_fibers_has_their_speed():
    tissue = heart()
    left = np.flatnonzero(tissue.points[:, 0] == -1)
    found = zs.activation(tissue, stimuli=left, speed=SPEED, fibers=(1, 0, 0))
    assert np.allclose(found.times, (tissue.points[:, 0] + 1) / 0.6, atol=1e-12)
    assert np.allclose(found.velocity(), [0.6, 0, 0], atol=1e-9)
    centers = tissue.points[tissue.cells].mean(axis=1)
    regions = found.regions(np.where(centers[:, 0] < 0, "left", "right"))
    assert np.allclose(regions["left"], (0, 1 / 0.6))
    assert np.allclose(regions["right"], (1 / 0.6, 2 / 0.6))


def test_points_beyond_the_limit_are_not_reached():
    tissue = heart()
    left = np.flatnonzero(tissue.points[:, 0] == -1)
    found = zs.activation(tissue, stimuli=left, speed=1.0, front="plane", within=1.01)
    reached = (tissue.points[:, 0][tissue.cells] <= 1e-9).all(axis=1)
    velocity = found.velocity()
    assert np.allclose(velocity[reached], [1, 0, 0], atol=1e-9)
    assert np.isnan(velocity[~reached]).all()
    assert found.duration == pytest.approx(1.0)
    first, last = found.regions(np.where(reached, 1, 2))[2]
    assert (first, last) == (pytest.approx(1.0), pytest.approx(1.0))


def test_velocities_in_tetrahedra():
    cube = zs.generate("cube", cells=[4, 4, 4])
    left = np.flatnonzero(cube.points[:, 0] == cube.points[:, 0].min())
    found = zs.activation(cube, stimuli=left, speed=2.0, device="cpu")
    assert np.allclose(found.velocity(), [2, 0, 0], atol=1e-9)


def test_gradients_are_those_of_the_distances():
    tissue = heart()
    stimuli = [{"at": (-0.9, -0.9, 0.0)}, {"at": [300, 301], "time": 0.1}]
    found = zs.activation(tissue, stimuli=stimuli, speed=SPEED, fibers=(1, 0, 0))
    weights = np.zeros(len(found))
    weights[[200, 550]] = [1.0, -2.0]
    gradient = found.gradient(weights)
    assert gradient.starts.shape == (2,) and abs(gradient.starts.sum() + 1) < 1e-12
    # The times are inversely proportional to the speeds, except for the time of a stimulus.
    both = gradient.along.sum() * SPEED["along"] + gradient.across.sum() * SPEED["across"]
    times = found.times - np.array([0, 0.1])[found.stimulus]
    assert both == pytest.approx(-(weights @ times), rel=1e-9)


def test_files_give_the_times_of_mappings(cli):
    tissue = heart()
    tissue.write(cli.folder / "heart.vtu")
    path = cli.folder / "stimuli.toml"
    path.write_text(
        '[[stimulus]]\nname = "apex"\nat = "sphere:0.4,0.3,0,0.2"\n'
        '[[stimulus]]\nat = "box:-0.9,-0.5,0,-1,-1,0"\ntime = 0.25\nduration = 2\n'
    )
    stimuli = [
        {"sphere": ((0.4, 0.3, 0.0), 0.2), "name": "apex"},
        {"box": ([-0.9, -0.5, 0], [-1, -1, 0]), "time": 0.25, "duration": 2},
    ]
    for speed in (0.7, "1 + 0.5*x"):
        expected = zs.activation(tissue, stimuli=stimuli, speed=speed)
        for given in (path, str(path)):
            found = zs.activation(tissue, stimuli=given, speed=speed)
            assert found.names == expected.names == ["apex", None]
            assert np.array_equal(found.times, expected.times)
            assert np.array_equal(found.stimulus, expected.stimulus)
        cli("distance", "heart.vtu", "--stimuli", path, "--speed", speed, "-o", "d.npy")
        assert np.array_equal(expected.times, np.load(cli.folder / "d.npy"))
    path.write_text("[[stimulus]]\nat = 'vertex:0'\ntime = nan\n")
    with pytest.raises(ValueError, match="stimuli.toml:3: stimulus 0: the time is NaN"):
        zs.activation(tissue, stimuli=path, speed=1.0)


@pytest.mark.parametrize(
    ("stimuli", "message"),
    [
        ({"sphere": ((5, 5, 5), 0.1)}, "no vertex lies in it; make it larger"),
        ({"ball": 1}, "needs one of the keys"),
        ([{"at": 0, "box": ([0, 0, 0], [1, 1, 1])}], "needs one of the keys"),
        ([0, {"time": 3}], "number 1 needs"),
        ({"at": [(0.0, 0.0, 0.0), (1.0, 1.0, 0.0)]}, "list each by itself"),
        ({"at": "group:atria"}, "atria"),
        ([], "there is none"),
        ({"sphere": (0, 0, 0, 1.0)}, "a radius"),
        ({"sphere": ((0, 0, 0), -1.0)}, "must be > 0"),
        ({"sphere": ((0, 0), 1.0)}, "a radius"),
        ({"at": 0, "duration": 0.0}, "must be > 0"),
        ({"at": 0, "duration": np.nan}, "finite number"),
        ({"box": (0, 1)}, "two corners"),
        ({"box": ([0, 0], [1, 1])}, "two corners"),
        ({"box": ([0, 0, np.nan], [1, 1, 1])}, "two corners"),
        ({"at": 0, "time": None}, "finite number"),
        ({"at": 0, "time": np.nan}, "finite number"),
    ],
)
def test_wrong_stimuli_are_refused(stimuli, message):
    with pytest.raises(ValueError, match=message):
        zs.activation(heart(4), stimuli=stimuli, speed=1.0)


def test_points_without_cells_are_no_stimuli():
    points, cells = square(4)
    tissue = zs.Mesh((np.vstack([points, [[0.01, 0.01, 0]]]), cells), device="cpu")
    with pytest.raises(ValueError, match="no vertex"):
        zs.activation(tissue, stimuli={"sphere": ((0.02, 0.02, 0), 0.015)}, speed=1.0)
    with pytest.raises(ValueError, match="region"):
        zs.activation(tissue, stimuli=0, speed=1.0).regions([1, 2])
    with pytest.raises(ValueError, match="no cell array 'scar'"):
        zs.activation(tissue, stimuli=0, speed=1.0).regions("scar")
