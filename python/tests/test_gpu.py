"""Arrays on a GPU, and PyTorch tensors. The tests with arrays on a GPU need one, or an emulated one
(tests/emulated/cupy.py)."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pytest
from conftest import CORTEX, square

import zeroset as zs
from zeroset import _arrays, _inputs

needs_gpu = pytest.mark.skipif(not zs.devices(), reason="no GPU")


def devices(package):
    """The devices of a package on which arrays are tested."""
    if package == "cupy":
        return ["cuda"] if zs.devices() else []
    return ["cpu", *(["cuda"] if zs.devices() and package == "torch" else [])]


@pytest.mark.parametrize("package", ["array_api_strict", "torch", "cupy"])
def test_results_are_of_the_kind_of_the_arguments(package):
    module = pytest.importorskip(package)
    points, cells = square(9)
    solid = np.pad(np.ones((4, 5, 6)), 2)
    scan = np.random.default_rng(0).normal(size=(3000, 3))
    scan /= np.linalg.norm(scan, axis=1, keepdims=True)
    surface = zs.isosurface(solid, 0.5)

    for device in devices(package):

        def given(array, device=device):
            if package == "torch":
                return module.tensor(np.ascontiguousarray(array), device=device)
            return module.asarray(np.ascontiguousarray(array))

        def same(found, expected, device=device):
            assert type(found) is type(given(np.zeros(1)))
            if package == "torch":
                assert found.device.type == device
            assert np.array_equal(_as_numpy(found), expected, equal_nan=True)

        mesh = zs.Mesh((points, cells), device="cpu")
        plain = mesh.distance(0, labels=True, gradient=True)
        found = zs.distance(
            (given(points), given(cells)), 0, labels=True, gradient=True, device="cpu"
        )
        for name in ("values", "labels", "gradient"):
            same(getattr(found, name), getattr(plain, name))
        speed = np.linspace(1, 2, len(points))
        same(mesh.distance(0, speed=given(speed)).values, mesh.distance(0, speed=speed).values)
        same(mesh.distances(given(np.arange(3))), mesh.distances(np.arange(3)))

        phi = np.linalg.norm(points - points.mean(axis=0), axis=1) - 0.3
        sets = [zs.LevelSet(mesh, of(phi)) for of in (given, np.asarray)]
        states = [ls.step(normal_speed=1.0) for ls in sets]
        same(states[0].phi, states[1].phi)
        same(sets[0].phi, sets[1].phi)
        same(sets[0].gradient, sets[1].gradient)

        for options in ({}, {"signed": True}):
            same(zs.edt(given(solid), **options), zs.edt(solid, device="cpu", **options))
        distances, indices = zs.edt(given(solid), return_indices=True)
        same(distances, zs.edt(solid, device="cpu"))
        are_nearest(solid, _as_numpy(distances), indices)
        found = zs.isosurface(given(solid), 0.5, normals=True)
        plain = zs.isosurface(solid, 0.5, normals=True)
        same(found.points, plain.points)
        same(found.normals, plain.normals)
        assert found.mesh().n_cells == plain.mesh().n_cells
        same(
            zs.sdf(surface.mesh(), at=given(points)).values,
            zs.sdf(surface.mesh(), at=points).values,
        )
        found, _ = zs.reconstruct(given(scan), normals=given(scan), device="cpu")
        plain, _ = zs.reconstruct(scan, normals=scan, device="cpu")
        same(found.points, plain.points)


def are_nearest(mask, distances, indices, spacing=1.0):
    """Assert that the indices are those of zero voxels at the given distances."""
    indices = _as_numpy(indices)
    assert indices.shape == (mask.ndim, *mask.shape) and indices.dtype == np.int64
    assert not mask[tuple(indices)].any()
    steps = (indices - np.indices(mask.shape)).reshape(mask.ndim, -1).T * spacing
    assert np.allclose(np.sqrt((steps**2).sum(axis=1)), distances.ravel(), rtol=1e-6)


def _as_numpy(array):
    if hasattr(array, "get"):
        return array.get()
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


def test_tensors_that_require_gradients_are_read():
    torch = pytest.importorskip("torch")
    points, cells = square(5)
    expected = zs.distance((points, cells), 0).values
    found = zs.distance((torch.tensor(points, requires_grad=True), torch.tensor(cells)), 0)
    assert np.array_equal(found.values, expected)


class _OnlyDlpack:
    """An array that other packages can read only through DLPack."""

    def __init__(self, array):
        self._array = array
        self.ndim, self.shape = array.ndim, array.shape

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_arrays_are_read_through_dlpack():
    mask = np.array([[0, 1, 1], [1, 1, 1]], np.uint8)
    assert np.array_equal(zs.edt(_OnlyDlpack(mask)), zs.edt(mask))


@needs_gpu
def test_arrays_on_a_gpu_are_read_through_dlpack():
    cupy = pytest.importorskip("cupy")
    mask = np.pad(np.ones((4, 5, 6), np.uint8), 2)
    found = _arrays.as_numpy(_OnlyDlpack(cupy.asarray(mask)))
    assert np.array_equal(found, mask)


def test_signed_distances_have_gradients():
    torch = pytest.importorskip("torch")
    from zeroset.torch import signed_distance

    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    mesh = zs.Mesh((corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    points = torch.tensor([[0.1, 0.2, 0.3], [0.1, 0.2, -0.5]], dtype=torch.float64)
    points.requires_grad_()
    found = signed_distance(mesh, points)
    assert found.tolist() == [-0.1, 0.5]
    found.sum().backward()
    assert points.grad.tolist() == [[-1, 0, 0], [0, 0, -1]]
    assert torch.autograd.gradcheck(lambda x: signed_distance(mesh, x), (points + 0.01,))


def test_arrival_times_have_gradients():
    torch = pytest.importorskip("torch")
    from zeroset.torch import arrival_times

    corners = [[0, 0, 0], [3, 0, 0], [0, 4, 0]]
    mesh = zs.Mesh((corners, [[0, 1, 2]]), device="cpu")
    speed = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    times = arrival_times(mesh, 1, speed=speed)
    assert times.tolist() == [1.5, 0.0, 2.5]
    times[2].backward()
    assert speed.grad.item() == -1.25

    points, cells = square(9)
    mesh = zs.Mesh((points, cells), device="cpu")
    random = torch.Generator().manual_seed(0)

    def number(*shape):
        return torch.rand(*shape, generator=random, dtype=torch.float64) + 0.5

    source = torch.tensor([[0.31, 0.42, 0.0]], dtype=torch.float64, requires_grad=True)
    along, across = number(len(cells)).requires_grad_(), (0.3 * number(len(cells))).requires_grad_()
    starts = number(1).requires_grad_()
    fiber = np.tile([0.8, 0.6, 0.0], (len(cells), 1))

    def of_fibers(along, across, starts, source):
        speed = {"along": along, "across": across}
        in_plane = torch.cat([source[:, :2], torch.zeros(1, 1, dtype=torch.float64)], 1)
        return arrival_times(mesh, in_plane, speed=speed, starts=starts, fiber=fiber)

    assert torch.autograd.gradcheck(of_fibers, (along, across, starts, source))

    tensors = torch.diag_embed(number(len(cells), 3)).requires_grad_()

    def of_tensors(d):
        return arrival_times(mesh, 3, speed=(d + d.transpose(1, 2)) / 2)

    assert torch.autograd.gradcheck(of_tensors, (tensors,))


def test_arrival_times_check_their_arguments():
    torch = pytest.importorskip("torch")
    from zeroset.torch import arrival_times

    # No front reaches the last point.
    corners = [[0, 0, 0], [3, 0, 0], [0, 4, 0], [9, 9, 9]]
    mesh = zs.Mesh((corners, [[0, 1, 2]]), device="cpu")
    for keys in (["across"], ["Along", "across"], ["along", "across", "starts"], []):
        with pytest.raises(ValueError, match='expected the keys "along", "across"'):
            arrival_times(mesh, 1, speed={key: torch.tensor(2.0) for key in keys})
    times = arrival_times(mesh, 1, speed=torch.tensor(2))
    assert times.dtype == torch.float64 and times[:3].tolist() == [1.5, 0.0, 2.5]
    of_points = torch.ones(4, dtype=torch.float64, requires_grad=True)
    with pytest.raises(ValueError, match="speed: expected one number or one for each of 1 cells"):
        arrival_times(mesh, 1, speed=of_points)
    with pytest.raises(ValueError, match="across: expected one number or one for each"):
        arrival_times(mesh, 1, speed={"along": 1.0, "across": of_points})

    speed = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    times = arrival_times(mesh, 1, speed=speed)
    times.backward(torch.tensor([0.0, 0, 1, np.nan], dtype=torch.float64))
    assert speed.grad.item() == -1.25
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match="vertex 2"):
            times = arrival_times(mesh, 1, speed=speed)
            times.backward(torch.tensor([0.0, 0, wrong, 0], dtype=torch.float64))


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
@pytest.mark.parametrize("shape", [(40, 30, 50), (64, 65), (100,)])
@pytest.mark.parametrize("signed", [False, True])
def test_distance_transforms_stay_on_the_gpu(package, shape, signed):
    module = pytest.importorskip(package)
    mask = np.random.default_rng(0).random(shape) < 0.95
    expected = zs.edt(mask, signed=signed, device="cpu")
    if package == "torch":
        found = zs.edt(module.tensor(mask, device="cuda"), signed=signed)
        assert found.device.type == "cuda" and found.dtype == module.float32
        found = found.cpu().numpy()
    else:
        found = zs.edt(module.asarray(mask), signed=signed)
        assert isinstance(found, module.ndarray)
        found = found.get()
    if signed:
        assert np.allclose(found, expected, rtol=4e-7)
    else:
        assert np.array_equal(found, expected)


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
@pytest.mark.parametrize("shape", [(40, 30, 50), (7, 64, 65), (64, 65), (100,), (3, 1, 2)])
@pytest.mark.parametrize("share", [0.5, 0.999])
def test_nearest_voxels_stay_on_the_gpu(package, shape, share, monkeypatch):
    mask = np.random.default_rng(1).random(shape) < share
    mask.flat[mask.size // 3] = False
    expected = zs.edt(mask, device="cpu")
    # Copying the mask to the host would need this function.
    monkeypatch.setattr(_arrays, "as_numpy", None)
    distances, indices = zs.edt(on_gpu(package, mask), return_indices=True)
    assert is_on_gpu(distances) and is_on_gpu(indices)
    assert np.array_equal(_as_numpy(distances), expected)
    are_nearest(mask, expected, indices)
    again = zs.edt(on_gpu(package, mask), return_indices=True)[1]
    assert np.array_equal(_as_numpy(again), _as_numpy(indices))
    spacing = [1.0, 0.75, 2.5][: mask.ndim]
    distances, indices = zs.edt(on_gpu(package, mask), spacing, return_indices=True)
    are_nearest(mask, _as_numpy(distances), indices, spacing)
    with pytest.raises(ValueError, match="no voxel is zero"):
        zs.edt(on_gpu(package, np.ones(shape, bool)), return_indices=True)
    signed, indices = zs.edt(on_gpu(package, mask), signed=True, return_indices=True)
    assert is_on_gpu(signed) and is_on_gpu(indices)
    plain = zs.edt(on_gpu(package, mask), signed=True)
    assert np.array_equal(_as_numpy(signed), _as_numpy(plain))
    assert np.array_equal(mask[tuple(_as_numpy(indices))], ~mask)


@needs_gpu
def test_calls_wait_for_a_stream_without_stopping_the_host():
    torch = pytest.importorskip("torch")
    few = torch.tensor([0, 1, 1], device="cuda")
    zs.edt(few)  # opens the GPU
    gpu, stream = _arrays.Gpu(few), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(2_000_000_000)
        start = time.perf_counter()
        gpu.wait()
        waited = time.perf_counter() - start
        assert not stream.query()
    assert waited < 0.1
    # The next call on the stream of the library waits.
    assert zs.edt(few).tolist() == [0, 1, 2]
    assert stream.query()


class _Producer:
    """An array on a GPU that another package can read only through DLPack."""

    def __init__(self, array):
        self._array, self.streams = array, []
        self.ndim, self.shape = array.ndim, array.shape

    def __dlpack__(self, **options):
        self.streams.append(options.get("stream"))
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
@pytest.mark.parametrize("reader", ["torch", "cupy"])
def test_arrays_of_an_unknown_package_give_arrays_that_dlpack_reads(package, reader, monkeypatch):
    torch = pytest.importorskip("torch")
    pytest.importorskip(reader)
    monkeypatch.setattr(_arrays, "_READERS", (reader,))
    mask = np.pad(np.ones((4, 5, 6), np.uint8), 2)
    producer = _Producer(on_gpu(package, mask))
    found = zs.edt(producer)
    # The stream that the producer must wait for was stated.
    assert producer.streams and producer.streams[0] is not None
    assert _arrays.package(found) == reader and found.__dlpack_device__()[0] == 2
    # Functions that copy through the host return such arrays, too.
    points, cells = square(5)
    values = zs.distance((points, cells), _Producer(on_gpu(package, np.arange(2)))).values
    assert _arrays.package(values) == reader and is_on_gpu(values)
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            copy = torch.from_dlpack(found)
            assert np.array_equal((2 * copy).cpu().numpy(), 2 * zs.edt(mask, device="cpu"))


class _OnlyInterface:
    """An array on a GPU that other packages can read only by its interface, as those of Numba."""

    def __init__(self, array, stream):
        self._array, self.ndim, self.shape = array, array.ndim, tuple(array.shape)
        interface = array.__cuda_array_interface__
        self.__cuda_array_interface__ = {**interface, "version": 3, "stream": stream}


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
@pytest.mark.parametrize("reader", ["torch", "cupy"])
def test_arrays_with_only_an_interface_are_read_after_their_stream(package, reader, monkeypatch):
    torch = pytest.importorskip("torch")
    pytest.importorskip(reader)
    there = torch.ones((64, 64, 64), dtype=torch.uint8, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        there[0, 0, 0] = 0
    given = there if package == "torch" else pytest.importorskip("cupy").from_dlpack(there)
    monkeypatch.setattr(_arrays, "_READERS", (reader,))
    found = zs.edt(_OnlyInterface(given, stream.cuda_stream))
    assert _arrays.package(found) == reader
    assert float(found[0, 0, 5]) == 5 and float(found[0, 0, 0]) == 0


def on_gpu(package, array):
    """Return an array on the GPU, and a function that returns results as numpy arrays."""
    module = pytest.importorskip(package)
    if package == "torch":
        return module.tensor(np.ascontiguousarray(array), device="cuda")
    return module.asarray(np.ascontiguousarray(array))


def is_on_gpu(array) -> bool:
    return _arrays.package(array) == "cupy" or array.device.type == "cuda"


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_signed_distances_stay_on_the_gpu(package, dtype):
    mesh = zs.Mesh(CORTEX, device="cpu")
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    at = np.random.default_rng(0).uniform(low, high, (20_000, 3)).astype(dtype)
    expected = zs.sdf(mesh, at=at, normals=True, triangles=True)
    found = zs.sdf(mesh, at=on_gpu(package, at), normals=True, triangles=True)
    assert all(map(is_on_gpu, found[:3]))
    assert np.array_equal(_as_numpy(found.values), expected.values)
    same = _as_numpy(found.triangles) == expected.triangles
    assert same.mean() > 0.99
    assert np.allclose(_as_numpy(found.normals)[same], expected.normals[same], atol=1e-12)
    plain = zs.sdf(mesh, at=on_gpu(package, at))
    assert np.array_equal(_as_numpy(plain.values), expected.values) and plain.normals is None
    odd = np.array([[np.nan, 0, 0], [np.inf, np.inf, np.inf], [0, np.inf, -np.inf]], dtype)
    strange = _as_numpy(zs.sdf(mesh, at=on_gpu(package, odd)).values)
    assert np.array_equal(strange, [np.nan, np.inf, np.inf], equal_nan=True)
    flat = zs.sdf(mesh, at=on_gpu(package, at[:10, :2]))
    assert np.array_equal(_as_numpy(flat.values), zs.sdf(mesh, at=at[:10, :2]).values)


@needs_gpu
def test_signed_distances_on_a_gpu_have_gradients():
    torch = pytest.importorskip("torch")
    from zeroset.torch import signed_distance

    mesh = zs.generate("sphere", subdivisions=3)
    at = torch.randn(200, 3, dtype=torch.float64).requires_grad_()
    there = at.detach().cuda().requires_grad_()
    for points in (at, there):
        (signed_distance(mesh, points) ** 2).sum().backward()
    assert there.grad.device.type == "cuda"
    assert np.allclose(there.grad.cpu().numpy(), at.grad.numpy(), atol=1e-12)


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize("n", [1, 100, 50_000])
def test_nearest_points_stay_on_the_gpu(package, norm, n):
    random = np.random.default_rng(n)
    points, queries = random.normal(size=(3000, 3)), random.normal(size=(n, 3))
    expected = zs.nearest(points, queries, norm=norm, device="cpu")
    found = zs.nearest(points, on_gpu(package, queries), norm=norm)
    assert all(map(is_on_gpu, found))
    assert np.array_equal(_as_numpy(found.indices), expected.indices)
    assert np.array_equal(_as_numpy(found.distances), expected.distances)


@needs_gpu
def test_nearest_points_that_underflow_are_refused_on_a_gpu():
    torch = pytest.importorskip("torch")
    queries = torch.tensor([[0.0, 0, 0], [1e-170, 0, 0]], dtype=torch.float64, device="cuda")
    with pytest.raises(ValueError, match="underflows"):
        zs.nearest([[0.0, 0, 0]], queries)
    found = zs.nearest([[0.0, 0, 0]], queries[:1])
    assert found.distances.tolist() == [0.0]
    with pytest.raises(ValueError, match="not finite|finite"):
        zs.nearest([[0.0, 0, 0]], queries * float("nan"))


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64"])
@pytest.mark.parametrize("closed", [False, True])
def test_isosurfaces_stay_on_the_gpu(package, dtype, closed):
    x, y, z = np.mgrid[-1:1:33j, -1:1:29j, -1:1:41j]
    values = (90 * (x**2 + y**2 + z**2 + 0.1 * np.sin(9 * x))).astype(dtype)
    affine = np.array([[0.5, 0, 0, 1], [0, 0.6, 0.1, 2], [0, 0, 0.7, 3], [0, 0, 0, 1]])
    for normals in (False, True):
        options = {"affine": affine, "closed": closed, "normals": normals}
        expected = zs.isosurface(values, 60.5, device="cpu", **options)
        found = zs.isosurface(on_gpu(package, values), 60.5, **options)
        assert is_on_gpu(found.points) and is_on_gpu(found.cells)
        assert np.array_equal(_as_numpy(found.points), expected.points)
        assert np.array_equal(_as_numpy(found.cells), expected.cells)
        if normals:
            assert np.allclose(_as_numpy(found.normals), expected.normals, atol=1e-12)


@needs_gpu
def test_isosurfaces_that_need_the_host_come_back_to_the_gpu():
    torch = pytest.importorskip("torch")
    values = np.round(9 * np.random.default_rng(0).random((20, 21, 22))).astype(np.int16)
    there = torch.tensor(values, device="cuda")
    for options in ({}, {"largest": True}):
        expected = zs.isosurface(values, 4, device="cpu", **options)
        found = zs.isosurface(there, 4, **options)
        assert is_on_gpu(found.points)
        assert np.array_equal(_as_numpy(found.points), expected.points)
        assert np.array_equal(_as_numpy(found.cells), expected.cells)
    with pytest.raises(ValueError, match="there is no isosurface"):
        zs.isosurface(there, 100)


@pytest.fixture
def no_copies(monkeypatch):
    """Arrays on a GPU must not be copied to the host."""

    def refuse(values, original=_arrays.as_numpy):
        assert isinstance(values, np.ndarray) or not _arrays.on_gpu(values)
        return original(values)

    monkeypatch.setattr(_arrays, "as_numpy", refuse)
    monkeypatch.setattr(_inputs, "as_numpy", refuse)


def motion(points):
    """A level set and terms that change from step to step."""
    x, y = points[:, 0], points[:, 1]
    phi = np.linalg.norm(points - [0.1, 0, 0], axis=1) - 0.4
    speed, weight = 1 + 0.5 * np.sin(3 * x), 0.02 + 0.01 * np.cos(y)
    wind = np.column_stack([-y, x, np.zeros(len(x))])
    return phi, [
        {"normal_speed": speed},
        {"normal_speed": 2 * speed},
        {"velocity": wind, "normal_speed": -speed},
        {"velocity": -wind, "normal_speed": speed, "curvature": weight},
        {"velocity": wind, "normal_speed": 0.5 * speed, "curvature": 2 * weight},
        {"velocity": 2 * wind},
        {"velocity": (0.5, 0.0, 0.0), "curvature": weight},
        {"weighted_curvature": weight},
        {"normal_speed": 0 * speed, "curvature": weight},
        {"normal_speed": "1 + x", "curvature": weight},
        {"normal_speed": "1 + x", "curvature": 3 * weight},
        {"normal_speed": "cos(t)", "curvature": weight},
        {"normal_speed": 0.3},
    ]


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
@pytest.mark.parametrize("precision", ["f64", "f32"])
def test_level_sets_stay_on_the_gpu(package, precision, no_copies):
    points, cells = square(40)
    phi, terms = motion(points)
    given = lambda value: on_gpu(package, value) if isinstance(value, np.ndarray) else value  # noqa: E731
    mesh = zs.Mesh((points, cells), device="cuda", precision=precision)
    expected, found = zs.LevelSet(mesh, phi), zs.LevelSet(mesh, given(phi))
    assert is_on_gpu(found.phi) and found._native.gpu() == 0
    assert np.array_equal(_as_numpy(found.phi), expected.phi)
    for each in terms:
        a = expected.step(**each)
        b = found.step(**{name: given(value) for name, value in each.items()})
        assert is_on_gpu(b.phi), each
        assert np.array_equal(_as_numpy(b.phi), a.phi), each
        assert (a.time, a.step, a.dt, a.length, a.area) == (b.time, b.step, b.dt, b.length, b.area)
        assert np.array_equal(_as_numpy(found.gradient), expected.gradient, equal_nan=True)
    for ls, kind in ((expected, np.asarray), (found, given)):
        ls.phi = kind(phi + 0.1)
    assert np.array_equal(_as_numpy(found.phi), expected.phi)
    assert (found.time, found.step_count) == (expected.time, expected.step_count)
    options = {"until": found.time + 0.05, "every": 0.02}
    both = (
        expected.evolve(normal_speed=phi + 1, **options),
        found.evolve(normal_speed=given(phi + 1), **options),
    )
    for k, (a, b) in enumerate(zip(*both, strict=True)):
        assert np.array_equal(_as_numpy(b.phi), a.phi) and a.time == b.time
        if k == 0:
            expected.set_terms(normal_speed=phi - 1)
            found.set_terms(normal_speed=given(phi - 1))
        else:
            expected.phi, found.phi = phi, given(phi)


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_level_sets_of_tetrahedra_stay_on_the_gpu(package, no_copies):
    mesh = zs.generate("cube", cells=[6, 6, 6], device="cuda")
    phi, terms = motion(mesh.points)
    expected, found = zs.LevelSet(mesh, phi), zs.LevelSet(mesh, on_gpu(package, phi))
    for each in terms[:2]:
        a = expected.step(**each)
        b = found.step(normal_speed=on_gpu(package, each["normal_speed"]))
        assert np.array_equal(_as_numpy(b.phi), a.phi)
        assert np.array_equal(_as_numpy(found.gradient), expected.gradient, equal_nan=True)


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_level_sets_follow_the_device_of_phi(package):
    points, cells = square(12)
    # The last point belongs to no cell.
    points = np.vstack([points, [[9.0, 9, 0]]])
    phi = np.linalg.norm(points, axis=1) - 0.4
    mesh = zs.Mesh((points, cells))
    mesh.point_data["rate"] = np.ones(len(points))
    found = zs.LevelSet(mesh, on_gpu(package, phi))
    assert found._native.gpu() == 0 and np.isnan(_as_numpy(found.phi)[-1])
    found.step(normal_speed="rate")
    # Arrays of the GPU also work if phi is a numpy array, and on the CPU.
    for device in ("cuda", "cpu"):
        other = zs.LevelSet(zs.Mesh((points, cells), device=device), phi)
        state = other.step(normal_speed=on_gpu(package, np.ones(len(points))))
        assert isinstance(state.phi, np.ndarray)
    copy = pickle.loads(pickle.dumps(found))
    assert np.array_equal(_as_numpy(found.phi), copy.phi, equal_nan=True)
    a, b = found.step(normal_speed="rate"), copy.step(normal_speed="rate")
    assert np.array_equal(_as_numpy(a.phi), b.phi, equal_nan=True)
    # The mesh on the GPU follows arrays that are set later.
    mesh.point_data["rate"] = 2 * np.ones(len(points))
    faster = zs.LevelSet(mesh, on_gpu(package, phi)).step(normal_speed="rate")
    assert faster.dt < 0.9 * zs.LevelSet(mesh, on_gpu(package, phi)).step(normal_speed=1.0).dt


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_arrays_on_the_gpu_that_cannot_be_used_are_refused(package):
    points, cells = square(12)
    phi, ones = np.linalg.norm(points, axis=1) - 0.4, np.ones(len(points))
    mesh = zs.Mesh((points, cells), device="cuda")
    ls = zs.LevelSet(mesh, on_gpu(package, phi))
    broken = ones.copy()
    broken[7] = np.nan
    for name in ("normal_speed", "curvature", "weighted_curvature"):
        with pytest.raises(ValueError, match=f"vertex 7: {name} is not finite"):
            ls.step(**{name: on_gpu(package, broken)})
    with pytest.raises(ValueError, match="curvature is negative"):
        ls.step(curvature=on_gpu(package, -ones))
    with pytest.raises(ValueError, match="vertex 7: phi is not finite"):
        ls.phi = on_gpu(package, broken)
    for one_sided in (ones, -ones):
        with pytest.raises(ValueError, match="no interface"):
            ls.phi = on_gpu(package, one_sided)
        with pytest.raises(ValueError, match="no interface"):
            zs.LevelSet(mesh, on_gpu(package, one_sided))
    with pytest.raises(ValueError, match="phi: expected the shape"):
        zs.LevelSet(mesh, on_gpu(package, ones[1:]))
    with pytest.raises(ValueError, match="moves nothing"):
        ls.step(normal_speed=on_gpu(package, 0 * ones))
    assert ls.step(normal_speed=on_gpu(package, ones)).step == 1


@needs_gpu
@pytest.mark.parametrize("package", ["torch", "cupy"])
def test_joined_points_need_equal_values_on_the_gpu(package):
    points, cells = square(12)
    # The right half has its own copies of the points in the middle.
    right = points[cells].mean(axis=1)[:, 0] > 0
    middle = np.flatnonzero(np.abs(points[:, 0]) < 1e-9)
    copies = np.arange(len(points))
    copies[middle] = len(points) + np.arange(len(middle))
    cells = np.vstack([cells[~right], copies[cells[right]]])
    points = np.vstack([points, points[middle]])
    mesh = zs.Mesh((points, cells), device="cuda")
    phi = np.linalg.norm(points, axis=1) - 0.4
    expected, found = zs.LevelSet(mesh, phi), zs.LevelSet(mesh, on_gpu(package, phi))
    speed = 1 + points[:, 1] ** 2
    a, b = expected.step(normal_speed=speed), found.step(normal_speed=on_gpu(package, speed))
    assert np.array_equal(_as_numpy(b.phi), a.phi)
    speed[-1] += 1
    with pytest.raises(ValueError, match="normal_speed differs"):
        found.step(normal_speed=on_gpu(package, speed))


@needs_gpu
def test_steps_with_arrays_take_the_time_of_their_kernels():
    torch = pytest.importorskip("torch")
    mesh = zs.generate("square", cells=[700, 700], device="cuda")
    points = torch.tensor(mesh.points, device="cuda")
    ls = zs.LevelSet(mesh, points.norm(dim=1) - 0.3)
    times = []
    for _ in range(12):
        torch.cuda.synchronize()
        start = time.perf_counter()
        ls.step(normal_speed=1 + 0.1 * ls.gradient[:, 0].nan_to_num())
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    print(f"a step with an array on {mesh.n_points:,} points: {1e3 * min(times[2:]):.2f} ms")
    assert min(times[2:]) < 0.2 * times[0] or min(times[2:]) < 0.02


@needs_gpu
def test_large_calls_take_the_time_of_their_kernels():
    torch = pytest.importorskip("torch")

    def best(call) -> float:
        seconds = []
        for _ in range(5):
            torch.cuda.synchronize()
            start = time.perf_counter()
            call()
            torch.cuda.synchronize()
            seconds.append(time.perf_counter() - start)
        return 1e3 * min(seconds)

    mesh = zs.Mesh(CORTEX)
    at = 200 * (torch.rand((1_000_000, 3), device="cuda", dtype=torch.float64) - 0.5)
    host = at.cpu().numpy()
    there, here = best(lambda: zs.sdf(mesh, at=at)), best(lambda: zs.sdf(mesh, at=host))
    print(f"sdf at a million points: {there:.1f} ms on the GPU, {here:.1f} ms on the CPU")
    assert there < here
    values = torch.rand((512, 512, 512), device="cuda")
    smooth = torch.nn.functional.avg_pool3d(values[None, None], 9, 1, 4)[0, 0]
    # No number of 32 bits equals this level. Where a voxel does, the host computes the surface.
    level = 0.5 + 2.0**-40
    print(f"isosurface of 512^3: {best(lambda: zs.isosurface(smooth, level)):.1f} ms")
    points = np.random.default_rng(0).random((100_000, 3))
    print(f"nearest of a million queries: {best(lambda: zs.nearest(points, at)):.1f} ms")


@needs_gpu
def test_masks_of_one_kind_are_refused_on_a_gpu():
    cupy = pytest.importorskip("cupy")
    for mask, signed in ((cupy.ones((4, 5)), False), (cupy.zeros((4, 5)), True)):
        with pytest.raises(ValueError, match="nothing to measure to"):
            zs.edt(mask, signed=signed)


@needs_gpu
def test_work_on_another_stream_is_waited_for():
    torch = pytest.importorskip("torch")
    mask = torch.ones((256, 256, 256), dtype=torch.uint8, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        mask[0, 0, 0] = 0
        found = zs.edt(mask)
        twice = 2 * found
    stream.synchronize()
    assert twice[0, 0, 5].item() == 10 and twice[0, 0, 0].item() == 0


@needs_gpu
def test_a_large_transform_takes_the_time_of_its_kernels():
    torch = pytest.importorskip("torch")
    mask = torch.rand((512, 512, 512), device="cuda") < 0.999
    zs.edt(mask)
    # The kernels, by the timestamps of the profiler.
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profiled:
        for _ in range(10):
            zs.edt(mask)
    kernels = sum(
        event.self_device_time_total / 10
        for event in profiled.key_averages()
        if event.key.startswith("edt_")
    )
    seconds = []
    for _ in range(40):
        torch.cuda.synchronize()
        start = time.perf_counter()
        zs.edt(mask)
        seconds.append(time.perf_counter() - start)
    best, median = 1e3 * min(seconds), 1e3 * sorted(seconds)[len(seconds) // 2]
    print(
        f"edt of 512^3 voxels: {best:.2f} ms, median {median:.2f}; kernels {kernels / 1e3:.2f} ms"
    )
    assert kernels > 0
    assert best < 1.1 * kernels / 1e3
    seconds = []
    for _ in range(4):
        torch.cuda.synchronize()
        start = time.perf_counter()
        zs.edt(mask, signed=True)
        seconds.append(time.perf_counter() - start)
    print(f"signed, to the faces: {min(seconds) * 1e3:.2f} ms")
    seconds = []
    for _ in range(4):
        torch.cuda.synchronize()
        start = time.perf_counter()
        zs.edt(mask, return_indices=True)
        seconds.append(time.perf_counter() - start)
    print(f"with the nearest voxels: {min(seconds) * 1e3:.2f} ms")


@needs_gpu
def test_the_gpu_computes_what_the_cpu_computes():
    one, two = (zs.Mesh(CORTEX, device=device) for device in ("cpu", "cuda"))
    a, b = (mesh.distance([0, 512], labels=True) for mesh in (one, two))
    assert b.backend == "cuda" and np.allclose(a.values, b.values, rtol=1e-12)
    assert np.array_equal(a.labels, b.labels)
