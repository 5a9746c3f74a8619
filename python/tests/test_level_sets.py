"""Moving interfaces: steps, terms that change, and arrays."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import square

import zeroset as zs


def disk(n: int = 40, radius: float = 0.4) -> zs.LevelSet:
    return zs.LevelSet(square(n), lambda p: np.linalg.norm(p, axis=1) - radius)


def test_a_disk_grows_and_shrinks():
    ls = disk()
    (s,) = ls.evolve(normal_speed=1.0, until=0.1)
    assert s.time == 0.1 and s.length == pytest.approx(2 * np.pi * 0.5, rel=0.02)
    (s,) = ls.evolve(normal_speed=-1.0, until=0.2)
    assert s.time == 0.2 and s.length == pytest.approx(2 * np.pi * 0.4, rel=0.02)
    (s,) = ls.evolve(velocity=(0.5, 0, 0), until=0.3)
    points, segments = ls.interface
    assert points[:, 0].mean() == pytest.approx(0.05, abs=0.01) and segments.max() < len(points)
    last = list(ls.evolve(normal_speed=-1.0, until=1.0, every=0.1))[-1]
    assert last.components == 0 and ls.ended_by == "interface gone"


def test_steps_take_arrays_that_python_computes():
    ls, speeds = disk(), []
    for _ in range(10):
        before = ls.step_count
        gradient = np.linalg.norm(ls.gradient, axis=1)
        speed = np.where(gradient > 0, 1.0, 1.0)
        s = ls.step(normal_speed=speed)
        speeds.append(s.dt)
        assert s.step == before + 1
    assert ls.time == pytest.approx(sum(speeds)) and ls.ended_by == "max_steps done"
    assert s.length == pytest.approx(2 * np.pi * (0.4 + ls.time), rel=0.02)


def test_phi_can_be_replaced_on_the_way():
    ls = disk()
    list(ls.evolve(normal_speed=1.0, until=0.1))
    steps = ls.step_count
    ls.phi = np.hypot(ls.mesh.points[:, 0] - 0.3, ls.mesh.points[:, 1]) - 0.2
    assert ls.time == 0.1 and ls.step_count == steps
    assert ls.state().area == pytest.approx(np.pi * 0.04, rel=0.05)
    (s,) = ls.evolve(normal_speed=1.0, until=0.2)
    assert s.time == 0.2 and s.length == pytest.approx(2 * np.pi * 0.3, rel=0.03)


def test_a_motion_goes_on_after_an_interruption():
    def stop(news: dict[str, object]) -> None:
        raise InterruptedError

    ls = disk(200, 0.2)
    with pytest.raises(InterruptedError):
        list(ls.evolve(curvature=0.01, normal_speed="0.1 + 0*x", until=2.0, progress=stop))
    before = ls.time
    assert before < 2.0
    states = list(ls.evolve(normal_speed=0.1, until=before + 0.1))
    assert [s.time for s in states] == [pytest.approx(before + 0.1, rel=1e-12)]


def test_two_ways_give_the_same_bits():
    whole, parts = disk(), disk()
    terms = {"normal_speed": "1 + 0.5*sin(9*x)", "curvature": 0.05}
    states = list(whole.evolve(until=0.1, every=0.02, **terms))
    assert len(states) == 5
    stepped = [s.phi for s in parts.evolve(until=0.1, every=0.02, **terms)]
    assert all(np.array_equal(a.phi, b) for a, b in zip(states, stepped, strict=True))


def test_velocities_have_three_forms():
    found = []
    ls = disk()
    n = ls.mesh.n_points
    for velocity in ((0.5, 0.25, 0.0), ("0.5", "0.25", "0"), np.tile([0.5, 0.25, 0.0], (n, 1))):
        ls = disk()
        (s,) = ls.evolve(velocity=velocity, until=0.1)
        found.append(s.phi)
    assert np.allclose(found[0], found[1], atol=1e-12) and np.allclose(
        found[0], found[2], atol=1e-12
    )


@pytest.mark.parametrize(
    ("terms", "what"),
    [
        ({"normal_speed": "1 +"}, "expected"),
        ({"normal_speed": [1, 2]}, "given normal speed"),
        ({"curvature": -1.0, "until": 1}, "curvature"),
        ({"velocity": [[1, 2, 3]]}, "rows"),
        ({"normal_speed": 1.0, "until": -1.0}, "end_time"),
    ],
)
def test_terms_that_cannot_be_used_are_refused(terms, what):
    with pytest.raises(ValueError, match=what):
        list(disk(10).evolve(**{"until": 1.0, **terms}))


def test_views_are_pages():
    ls = disk(10)
    assert ls.plot().html.startswith("<!doctype html>") and "iframe" in ls._repr_html_()
    assert "41 x" not in repr(ls) and "121 points" in repr(ls)


def test_the_area_is_corrected():
    def change(correction: str) -> float:
        ls = zs.LevelSet(
            square(24),
            lambda p: np.hypot(p[:, 0] - 0.3, p[:, 1]) - 0.3,
            volume_correction=correction,
        )
        first = ls.state().area
        (s,) = ls.evolve(velocity=["-4*y", "4*x", "0"], until=1.0)
        return abs(s.area / first - 1)

    assert change("global") < 1e-6 < change("none")
    with pytest.raises(ValueError, match="volume_correction"):
        zs.LevelSet(square(4), lambda p: p[:, 0], volume_correction="some")


def test_a_characteristic_map_returns_a_disk():
    ls = zs.LevelSet(
        square(32),
        lambda p: np.linalg.norm(p - [0.3, 0, 0], axis=1) - 0.3,
        advection="characteristic-map",
    )
    first = ls.state().area
    (s,) = ls.evolve(velocity=["-4*y", "4*x", "0"], until=np.pi / 2)
    assert s.area == pytest.approx(first, rel=0.01)
    with pytest.raises(ValueError, match="velocity"):
        list(ls.evolve(curvature=1.0, until=3.0))
    with pytest.raises(ValueError, match="advection"):
        zs.LevelSet(square(4), lambda p: p[:, 0], advection="some")


def test_terms_change_while_states_are_returned():
    ls, times = disk(), []
    for s in ls.evolve(normal_speed=1.0, until=0.2, every=0.1):
        times.append(s.time)
        ls.set_terms(normal_speed=-1.0)
    assert times == [0.1, 0.2] and s.length == pytest.approx(2 * np.pi * 0.4, rel=0.02)
    with pytest.raises(ValueError, match="no motion"):
        ls.set_terms(normal_speed=1.0)
    for _ in ls.evolve(normal_speed=1.0, until=0.3):
        # The motion has ended with this state, so it does not go on from another phi.
        ls.phi = np.linalg.norm(ls.mesh.points, axis=1) - 0.2
    assert ls.time == 0.3 and ls.state().length == pytest.approx(2 * np.pi * 0.2, rel=0.03)


def test_phi_can_be_replaced_while_states_are_returned():
    ls, times = disk(), []
    for s in ls.evolve(normal_speed=1.0, until=0.2, every=0.1):
        times.append(s.time)
        if len(times) == 1:
            ls.phi = np.linalg.norm(ls.mesh.points, axis=1) - 0.2
    assert times == [0.1, 0.2] and s.length == pytest.approx(2 * np.pi * 0.3, rel=0.03)


def test_a_motion_continues_from_a_checkpoint(tmp_path):
    terms = {"normal_speed": "0.2*cos(3*t)", "curvature": 0.02}
    whole = disk()
    list(whole.evolve(until=0.1, **terms))
    whole.write_checkpoint(tmp_path / "state")
    (expected,) = whole.evolve(until=0.2, **terms)
    again = disk()
    again.resume(tmp_path / "state")
    assert again.time == 0.1
    (found,) = again.evolve(until=0.2, **terms)
    assert np.array_equal(found.phi, expected.phi) and found.step == expected.step
    with pytest.raises(OSError, match="checkpoint|missing"):
        disk().resume(tmp_path / "missing")
    with pytest.raises(OSError, match="169 vertices"):
        disk(12).resume(tmp_path / "state")
