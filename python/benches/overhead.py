"""Time that a call from Python adds to the same call of the C interface.

Usage: python python/benches/overhead.py target/release/libzeroset_c.so
Needs the installed package, and the library of `cargo build --release -p zeroset -p zeroset-c`. The
C interface calls the library directly: the mesh is prepared once, and the values are copied once.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

import numpy as np

import zeroset as zs

CALLS = 3000


def seconds(call: Callable[[], object]) -> float:
    """Return the wall time of a call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def square(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a square of n x n vertices."""
    x, y = np.meshgrid(np.arange(n), np.arange(n))
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()]).astype(np.float64)
    first = np.arange(n * (n - 1)).reshape(n - 1, n)[:, :-1].ravel()
    below = np.column_stack([first, first + 1, first + n + 1])
    above = np.column_stack([first, first + n + 1, first + n])
    return points, np.vstack([below, above]).astype(np.uint32)


def main() -> None:
    c = ctypes.CDLL(sys.argv[1])
    points, cells = square(48)
    mesh = zs.Mesh((points, cells), device="cpu")
    prepared = ctypes.c_void_p()
    c.zeroset_mesh_new(
        points.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_size_t(len(points)),
        cells.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_size_t(len(cells)),
        ctypes.c_uint32(3),
        ctypes.byref(prepared),
    )
    source, values = (ctypes.c_uint32 * 1)(0), np.empty(len(points))

    def solve() -> None:
        status = c.zeroset_distance(
            prepared, source, ctypes.c_size_t(1), values.ctypes.data_as(ctypes.c_void_p)
        )
        assert status == 0

    solve()
    assert np.array_equal(mesh.distance(0).values, values)
    # In turn, so that both see the same load of the machine.
    times = np.array([(seconds(lambda: mesh.distance(0)), seconds(solve)) for _ in range(CALLS)])
    for name, of in (("Python", times[:, 0]), ("C", times[:, 1])):
        print(f"{name}: smallest {1e3 * of.min():.3f} ms, median {1e3 * np.median(of):.3f} ms")
    print(f"difference of the smallest: {1e3 * (times[:, 0].min() - times[:, 1].min()):.3f} ms")


if __name__ == "__main__":
    main()
