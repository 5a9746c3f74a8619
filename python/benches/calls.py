"""CPU seconds of calls on one thread, to compare two builds of the package.

Usage: python python/benches/calls.py
Prints the smallest of several calls of each kind. Run it in turn for both packages, pinned to one
core, because other programs also slow down CPU seconds.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable

import numpy as np

import zeroset as zs

CALLS = 4


def square(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit square, cut into n x n squares of two triangles each."""
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1))
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    first = np.arange((n + 1) * n).reshape(n, n + 1)[:, :-1].ravel()
    below = np.column_stack([first, first + 1, first + n + 2])
    above = np.column_stack([first, first + n + 2, first + n + 1])
    return points, np.vstack([below, above])


def ball(n: int) -> np.ndarray:
    """Return n^3 voxels with the distance from the center; 1 is the distance of the faces."""
    axis = np.linspace(-1, 1, n)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    return np.sqrt(x**2 + y**2 + z**2)


def evolve(mesh: zs.Mesh) -> np.ndarray:
    """Return the level set of a circle that moves under two terms."""
    start = np.linalg.norm(mesh.points - [0.4, 0.5, 0], axis=1) - 0.2
    motion = zs.LevelSet(mesh, start)
    for _ in motion.evolve(normal_speed="0.5 + 0.2*sin(5*x)", curvature=0.01, until=0.1):
        pass
    return motion.phi


def calls() -> dict[str, Callable[[], np.ndarray]]:
    """Return the calls, each of which returns an array that depends on all of its work."""
    options = {"device": "cpu", "threads": 1}
    random = np.random.default_rng(1)
    fine, coarse = (zs.Mesh(square(n), **options) for n in (300, 160))
    mask, shell = ball(150) > 0.02, ball(110)
    sphere = zs.generate("sphere", subdivisions=5, **options)
    near, at = random.uniform(-1.2, 1.2, (20_000, 3)), random.random((100_000, 3))
    normals = random.normal(size=(30_000, 3))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    points = random.random((100_000, 3))
    return {
        "distance on 300 x 300 squares": lambda: fine.distance(0).values,
        "LevelSet.evolve on 160 x 160 squares": lambda: evolve(coarse),
        "edt of 150^3 voxels": lambda: zs.edt(mask, **options),
        "edt(signed=True) of 150^3 voxels": lambda: zs.edt(mask, signed=True, **options),
        "isosurface of 110^3 voxels": lambda: zs.isosurface(shell, level=0.7, **options).points,
        "sdf at 20,000 points": lambda: zs.sdf(sphere, at=near).values,
        "reconstruct of 30,000 points": lambda: (
            zs.reconstruct(normals, normals, depth=6, **options)[0].points
        ),
        "nearest of 100,000 queries": lambda: zs.nearest(points, at, **options)[0],
    }


def main() -> None:
    print(zs.__file__, file=sys.stderr)
    for name, call in calls().items():
        result = np.ascontiguousarray(call())
        seconds = []
        for _ in range(CALLS):
            start = time.process_time()
            call()
            seconds.append(time.process_time() - start)
        digest = hashlib.sha256(result.tobytes()).hexdigest()[:12]
        print(f"{min(seconds):.3f}  {digest}  {name}", flush=True)


if __name__ == "__main__":
    main()
