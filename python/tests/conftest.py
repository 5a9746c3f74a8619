"""Inputs of the tests."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import zeroset as zs

# Only tests with the emulated GPU import it.
collect_ignore = ["emulated"]

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORTEX = ROOT / "meshes" / "fsaverage5_pial_left.gii.gz"


def square(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles of n x n cells on [-1, 1]^2."""
    x, y = np.meshgrid(np.linspace(-1, 1, n + 1), np.linspace(-1, 1, n + 1))
    points = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    i = np.arange(n * (n + 1)).reshape(n, n + 1)[:, :n].ravel()
    return points, np.vstack(
        [np.column_stack([i, i + 1, i + n + 2]), np.column_stack([i, i + n + 2, i + n + 1])]
    )


def sphere(n: int, seed: int = 0) -> np.ndarray:
    """Return n random points on the unit sphere."""
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@pytest.fixture(scope="session")
def cortex() -> zs.Mesh:
    return zs.Mesh(CORTEX)


@pytest.fixture
def cli(tmp_path: pathlib.Path):
    """Return a function that runs the command line of the package in an empty folder."""

    def run(*words: object, code: int = 0) -> str:
        command = [sys.executable, "-m", "zeroset", *map(str, words)]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, env=dict(os.environ)
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    run.folder = tmp_path
    return run
