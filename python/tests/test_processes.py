"""Signals, threads, processes, exceptions, and memory."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest
from conftest import CORTEX, ROOT, square

import zeroset as zs


def _distance(source: int) -> float:
    return float(zs.distance(CORTEX, source).values[5])


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_compute_what_the_parent_computes(method, cortex):
    expected = [float(cortex.distance(k).values[5]) for k in range(3)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map_async(_distance, range(3)).get(timeout=120) == expected


class _Rows:
    """A data set for a data loader: distances from one point per item."""

    def __len__(self):
        return 4

    def __getitem__(self, item):
        return zs.distance(CORTEX, item).values[:5]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_data_loader_compute_distances(method, cortex):
    torch = pytest.importorskip("torch")
    expected = np.array([cortex.distance(k).values[:5] for k in range(4)])
    loader = torch.utils.data.DataLoader(
        _Rows(), batch_size=2, num_workers=2, multiprocessing_context=method
    )
    assert np.array_equal(np.concatenate([batch.numpy() for batch in loader]), expected)


def test_a_forked_child_can_use_a_mesh_but_no_level_set(cortex):
    expected = cortex.distance(0).values
    ls = zs.LevelSet(square(8), "x^2 + y^2 - 0.25")
    child = os.fork()
    if child == 0:
        good = np.array_equal(cortex.distance(0).values, expected)
        try:
            ls.state()
        except RuntimeError as error:
            good = good and "another process" in str(error)
        else:
            good = False
        os._exit(0 if good else 1)
    deadline = time.monotonic() + 60
    while (done := os.waitpid(child, os.WNOHANG)) == (0, 0):
        assert time.monotonic() < deadline, "the child hangs"
        time.sleep(0.05)
    assert os.waitstatus_to_exitcode(done[1]) == 0


def test_threads_work_at_the_same_time(cortex):
    expected = [cortex.distance(k).values for k in range(8)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda k: zs.distance(cortex, k).values, range(8)))
    assert all(np.array_equal(a, b) for a, b in zip(expected, found, strict=True))


def test_other_threads_run_during_a_call():
    points, cells = square(300)
    mesh, count, done = zs.Mesh((points, cells)), 0, threading.Event()

    def work() -> None:
        mesh.distance(0)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        count += 1
    thread.join()
    assert count > 1000


def test_the_number_of_threads_does_not_matter():
    points, cells = square(60)
    one, two = (zs.distance((points, cells), 7, threads=n, speed="1 + x^2") for n in (1, 2))
    assert np.array_equal(one.values, two.values)


SLOW = """
import sys, zeroset as zs
try:
    long = {"output.interval": 1e3, "evolve.end_time": 1e3}
    zs.run(sys.argv[1], folder=sys.argv[2], overrides=long,
           progress=lambda news: news.get("step") and print("moves", flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_ctrl_c_ends_a_run_with_a_checkpoint(tmp_path):
    case, folder = ROOT / "configs" / "expanding_flow.toml", tmp_path / "run"
    run = subprocess.Popen(
        [sys.executable, "-c", SLOW, case, folder], stdout=subprocess.PIPE, text=True
    )
    assert run.stdout.readline().strip() == "moves"
    start = time.monotonic()
    run.send_signal(signal.SIGINT)
    rest, _ = run.communicate(timeout=60)
    assert "interrupted" in rest and time.monotonic() - start < 5
    assert (folder / "checkpoint.zeroset").exists() or list(folder.glob("*checkpoint*"))
    with pytest.raises(ValueError, match="too late"):
        zs.run(
            case,
            folder=folder,
            resume=True,
            overrides={"output.interval": 1e3, "evolve.end_time": 1e3},
            progress=_raise,
        )


LONG = """
import os, signal, sys, threading, time, numpy as np, zeroset as zs
one = {"threads": 1, "device": "cpu"}
random = np.random.default_rng(1)
volume = random.random((260, 260, 260))
points, queries = random.random((2, 400_000, 3))
sphere = points[:60_000] - 0.5
sphere /= np.linalg.norm(sphere, axis=1)[:, None]
square = zs.generate("square", cells=[700, 700], **one)
square.distance(0)
ball = zs.generate("sphere", subdivisions=6, **one)
calls = {
    "edt": lambda: zs.edt(volume < 0.999, **one),
    "nearest": lambda: zs.nearest(points, queries, **one),
    "isosurface": lambda: zs.isosurface(volume[:120, :120, :120], level=0.5, **one),
    "reconstruct": lambda: zs.reconstruct(sphere, normals=sphere, **one),
    "distance": lambda: square.distance(0),
    "exact": lambda: ball.distance(0, front="exact"),
    "sdf": lambda: zs.sdf(ball, at=points[:100_000], **one),
}
call = calls[sys.argv[1]]
start = time.monotonic()
call()
whole = time.monotonic() - start
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(whole / 4, interrupt).start()
try:
    call()
except KeyboardInterrupt:
    print(whole, time.monotonic() - sent[0])
"""


@pytest.mark.parametrize(
    "call", ["edt", "nearest", "isosurface", "reconstruct", "distance", "exact", "sdf"]
)
def test_ctrl_c_ends_a_function(call):
    run = [sys.executable, "-c", LONG, call]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300, check=True)
    whole, late = map(float, done.stdout.split())
    # The goal is 0.5 s. Everything takes longer on a machine with other work.
    assert late < max(0.5, whole / 3)


def _raise(news: dict[str, object]) -> None:
    raise ValueError("too late")


def test_exceptions_of_a_callback_come_out(cortex):
    points, cells = square(400)
    with pytest.raises(ValueError, match="too late"):
        zs.Mesh((points, cells)).distance(0, progress=_raise)


def test_errors_have_types_and_remedies(tmp_path):
    with pytest.raises(OSError, match="missing.ply"):
        zs.read(tmp_path / "missing.ply")
    with pytest.raises(ValueError, match="expected `auto` or `never`|weld"):
        zs.Mesh(square(2), weld="sometimes")
    with pytest.raises(ValueError, match="device"):
        zs.Mesh(square(2), device="tpu")
    if not zs.devices():
        with pytest.raises(zs.DeviceError, match="NVIDIA|GPU|driver"):
            zs.Mesh(square(2), device="cuda")
    with pytest.raises(ValueError, match="finite|extent|points"):
        zs.reconstruct(np.zeros((5, 3)))


def test_warnings_are_python_warnings():
    # A sliver: its angles are below 10 degrees.
    points = [[0, 0, 0], [1, 0, 0], [0.5, 0.01, 0.0], [0.5, -1, 0.1]]
    with pytest.warns(zs.ZerosetWarning) as found:
        zs.distance((points, [[0, 1, 2], [0, 3, 1]]), 2)
    assert found[0].filename == __file__


def test_objects_can_be_pickled(cortex):
    mesh = zs.Mesh(square(5), threads=1)
    mesh.point_data["a"] = np.arange(36)
    copy = pickle.loads(pickle.dumps(mesh))
    assert np.array_equal(copy.points, mesh.points) and np.array_equal(
        copy.point_data["a"], np.arange(36)
    )
    d = pickle.loads(pickle.dumps(mesh.distance(0, labels=True)))
    assert np.array_equal(d.values, mesh.distance(0).values)
    s = pickle.loads(pickle.dumps(zs.LevelSet(mesh, "x^2 + y^2 - 0.25").state()))
    assert s.area == pytest.approx(np.pi / 4, rel=0.3)


def test_level_sets_go_on_after_pickling():
    terms = {"normal_speed": "0.2*cos(3*t)", "curvature": 0.02}
    for mesh in (zs.Mesh(square(30)), zs.Mesh(CORTEX)):
        ls = zs.LevelSet(mesh, f"x - {mesh.points[:, 0].mean()}", start_time=0.5, cfl=0.8)
        early = pickle.loads(pickle.dumps(ls))
        assert early.time == 0.5 and np.array_equal(early.phi, ls.phi, equal_nan=True)
        list(ls.evolve(until=0.6, **terms))
        # The level set and its time are replaced, so the copy begins with another phi.
        ls.phi = ls.phi + 0.01
        list(ls.evolve(until=0.65, **terms))
        copy = pickle.loads(pickle.dumps(ls))
        assert (copy.time, copy.step_count) == (0.65, ls.step_count)
        (expected,), (found,) = (list(one.evolve(until=0.7, **terms)) for one in (ls, copy))
        assert np.array_equal(found.phi, expected.phi, equal_nan=True)
        assert (found.step, found.dt) == (expected.step, expected.dt)


def test_all_results_can_be_pickled(tmp_path):
    mesh = zs.generate("sphere", subdivisions=2)
    d = mesh.distance(0, labels=True, gradient=True, paths_from=9)
    cloud = zs.sample(mesh, 2000, normals=True)
    voxels = zs.voxelize(mesh, size=8, margin=1)
    results = [
        d,
        d.path(to=5),
        d.plot(),
        mesh.clean(),
        zs.LevelSet(mesh, "z").state(),
        cloud,
        zs.nearest(cloud.points, cloud.points[:5]),
        zs.reconstruct(*cloud),
        zs.sdf(mesh, size=4, normals=True, triangles=True),
        voxels,
        zs.isosurface(voxels, 0.5, normals=True),
        zs.points(voxels, "v"),
        zs.octree(voxels),
        zs.render(mesh, size=32),
        zs.info(mesh),
        zs.check(ROOT / "configs" / "shrinking_circle.toml", folder=tmp_path / "new"),
        zs.run(
            ROOT / "configs" / "shrinking_circle.toml",
            overrides={"evolve.max_steps": 1},
            folder=tmp_path / "run",
        ),
    ]
    for result in results:
        copy = pickle.loads(pickle.dumps(result))
        assert type(copy) is type(result) and repr(copy) == repr(result)
    assert copy.folder == results[-1].folder and dict(copy) == dict(results[-1])


def test_nothing_is_kept_after_a_call(cortex):
    resource = pytest.importorskip("resource")
    mask = np.random.default_rng(0).random((60, 60, 60)) < 0.5

    def calls(n: int) -> None:
        for k in range(n):
            cortex.distance(k, labels=True, gradient=True)
            zs.edt(mask)
            zs.isosurface(mask, 0.5)
            zs.Mesh(square(20)).distance(0)

    calls(10)
    before, references = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, sys.getrefcount(mask)
    calls(40)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 20_000 and sys.getrefcount(mask) == references  # kB


def test_a_reconstruction_keeps_no_converted_array():
    from zeroset import _surfaces

    points = np.random.default_rng(0).normal(size=(100_000, 3)).astype(np.float32)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        cloud = _surfaces._cloud(points, points[::-1])
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 100_000 and cloud is not None
