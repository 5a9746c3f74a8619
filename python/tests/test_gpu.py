"""Arrays on a GPU, and PyTorch tensors. The tests with arrays on a GPU need one."""

from __future__ import annotations

import time

import numpy as np
import pytest
from conftest import CORTEX, square

import zeroset as zs
from zeroset import _arrays

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
        for one, two in zip(
            zs.edt(given(solid), return_indices=True),
            zs.edt(solid, return_indices=True, device="cpu"),
            strict=True,
        ):
            same(one, two)
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
    seconds = []
    for _ in range(8):
        torch.cuda.synchronize()
        start = time.perf_counter()
        zs.edt(mask)
        seconds.append(time.perf_counter() - start)
    print(f"edt of 512^3 voxels on the GPU: {min(seconds) * 1e3:.2f} ms")
    assert min(seconds) < 0.05
    seconds = []
    for _ in range(4):
        torch.cuda.synchronize()
        start = time.perf_counter()
        zs.edt(mask, signed=True)
        seconds.append(time.perf_counter() - start)
    print(f"signed, to the faces: {min(seconds) * 1e3:.2f} ms")


@needs_gpu
def test_the_gpu_computes_what_the_cpu_computes():
    one, two = (zs.Mesh(CORTEX, device=device) for device in ("cpu", "cuda"))
    a, b = (mesh.distance([0, 512], labels=True) for mesh in (one, two))
    assert b.backend == "cuda" and np.allclose(a.values, b.values, rtol=1e-12)
    assert np.array_equal(a.labels, b.labels)
