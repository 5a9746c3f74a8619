"""Arrays on a GPU, and PyTorch tensors. The tests with arrays on a GPU need one."""

from __future__ import annotations

import time

import numpy as np
import pytest
from conftest import CORTEX, square

import zeroset as zs

needs_gpu = pytest.mark.skipif(not zs.devices(), reason="no GPU")


def test_tensors_are_read_like_arrays():
    torch = pytest.importorskip("torch")
    points, cells = square(5)
    expected = zs.distance((points, cells), 0).values
    found = zs.distance((torch.tensor(points, requires_grad=True), torch.tensor(cells)), 0)
    assert np.array_equal(found.values, expected)


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
def test_distance_transforms_stay_on_the_gpu(package, shape):
    module = pytest.importorskip(package)
    mask = np.random.default_rng(0).random(shape) < 0.95
    expected = zs.edt(mask, device="cpu")
    if package == "torch":
        found = zs.edt(module.tensor(mask, device="cuda"))
        assert found.device.type == "cuda" and found.dtype == module.float32
        found = found.cpu().numpy()
    else:
        found = zs.edt(module.asarray(mask))
        assert isinstance(found, module.ndarray)
        found = found.get()
    assert np.array_equal(found, expected)


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


@needs_gpu
def test_the_gpu_computes_what_the_cpu_computes():
    one, two = (zs.Mesh(CORTEX, device=device) for device in ("cpu", "cuda"))
    a, b = (mesh.distance([0, 512], labels=True) for mesh in (one, two))
    assert b.backend == "cuda" and np.allclose(a.values, b.values, rtol=1e-12)
    assert np.array_equal(a.labels, b.labels)
    with pytest.raises(ValueError, match="signed"):
        cupy = pytest.importorskip("cupy")
        zs.edt(cupy.ones((4, 4, 4)), signed=True)
