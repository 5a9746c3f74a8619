"""The native part of the package. Options are the text of a JSON object."""

import os
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Cloud",
    "DeviceError",
    "IsosurfaceOnGpu",
    "LevelSet",
    "Mesh",
    "NumericalError",
    "__version__",
    "batch",
    "changed",
    "check",
    "cleaned",
    "compare",
    "converge",
    "devices",
    "draw_mesh",
    "draw_volume",
    "edt",
    "edt_between",
    "events",
    "farthest_points",
    "generate",
    "info",
    "info_of_mesh",
    "isosurface",
    "isosurface_between",
    "main",
    "nearest",
    "nearest_between",
    "nearest_voxels",
    "nearest_voxels_between",
    "octree",
    "points",
    "read_points",
    "read_stimuli",
    "read_volume",
    "reconstruct",
    "run",
    "sample",
    "sdf_at",
    "sdf_between",
    "sdf_grid",
    "sensitivity",
    "view",
    "voxelize",
    "wait_for_stream",
    "write",
]

__version__: str

class NumericalError(RuntimeError):
    """A computation failed: a value is NaN, or an iteration does not converge."""

class DeviceError(RuntimeError):
    """The requested device is missing, too small, or fails."""

_Told = list[tuple[str, str]]
_Progress = Callable[[dict[str, Any]], object] | None
_Arrays = dict[str, NDArray[np.float64]]

@final
class Mesh:
    @staticmethod
    def read(path: str | os.PathLike[str], options: str) -> Mesh: ...
    @staticmethod
    def from_arrays(
        vertices: NDArray[np.float64],
        cells: NDArray[np.uint32],
        groups: list[tuple[str, bool, NDArray[np.uint32]]],
        options: str,
    ) -> Mesh: ...
    def on_gpu(self, gpu: int) -> Mesh: ...
    @property
    def n_vertices(self) -> int: ...
    @property
    def n_cells(self) -> int: ...
    @property
    def warnings(self) -> _Told: ...
    def vertices(self) -> NDArray[np.float64]: ...
    def cells(self) -> NDArray[np.uint32]: ...
    @property
    def corners(self) -> int: ...
    def array_names(self, of_cells: bool) -> list[str]: ...
    def array(self, name: str, of_cells: bool) -> NDArray[np.float64] | None: ...
    def groups(self) -> list[tuple[str, bool, NDArray[np.uint32]]]: ...
    def set_array(self, name: str, values: NDArray[np.float64], of_cells: bool) -> None: ...
    def distance(
        self,
        sources: list[Any],
        speed: Any,
        paths_from: list[Any],
        options: str,
        progress: _Progress,
    ) -> dict[str, Any]: ...
    def distances(
        self,
        sources: list[Any],
        speed: Any,
        options: str,
        progress: _Progress,
    ) -> tuple[NDArray[np.float64], _Told]: ...
    def near_distances(
        self,
        sources: list[Any],
        speed: Any,
        within: float,
        options: str,
        progress: _Progress,
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], _Told]: ...

@final
class LevelSet:
    def __new__(cls, mesh: Mesh, phi: str | NDArray[np.float64], options: str) -> LevelSet: ...
    @staticmethod
    def between(mesh: Mesh, phi: int, stream: int, options: str) -> LevelSet: ...
    def gpu(self) -> int | None: ...
    def continue_with(self, terms: dict[str, Any], options: str) -> None: ...
    def continue_between(
        self, terms: dict[str, Any], arrays: dict[str, int | None], stream: int, options: str
    ) -> None: ...
    def set_terms_between(
        self, terms: dict[str, Any], arrays: dict[str, int | None], stream: int
    ) -> None: ...
    def set_phi_between(self, phi: int, stream: int) -> None: ...
    def phi_to(self, phi: int, stream: int) -> None: ...
    def gradient_to(self, gradient: int, stream: int) -> None: ...
    def given_phi(self) -> NDArray[np.float64] | None: ...
    def advance(self, progress: _Progress, with_phi: bool) -> dict[str, Any] | None: ...
    def set_phi(self, phi: str | NDArray[np.float64]) -> None: ...
    def set_terms(self, terms: dict[str, Any]) -> None: ...
    def write_checkpoint(self, path: str | os.PathLike[str]) -> None: ...
    def resume(self, path: str | os.PathLike[str]) -> None: ...
    def state(self, with_phi: bool) -> dict[str, Any]: ...
    def clock(self) -> tuple[float, int]: ...
    def gradient(self) -> NDArray[np.float64]: ...
    def interface(self) -> tuple[NDArray[np.float64], NDArray[np.uint32]]: ...
    def ended_by(self) -> str | None: ...
    def warnings(self) -> _Told: ...

@final
class Cloud:
    def __new__(
        cls, coordinates: NDArray[np.float64], normals: NDArray[np.float32] | None
    ) -> Cloud: ...

@final
class IsosurfaceOnGpu:
    @property
    def n_vertices(self) -> int: ...
    @property
    def n_triangles(self) -> int: ...
    @property
    def has_missing(self) -> bool: ...
    def copy_to(self, vertices: int, triangles: int, normals: int) -> None: ...

def changed(mesh: Mesh, change: str, options: str) -> tuple[Mesh, _Told]: ...
def cleaned(
    mesh: Mesh, weld: str, options: str
) -> tuple[Mesh, NDArray[np.int64], NDArray[np.int64], _Told]: ...
def generate(shape: str, refine: int, options: str) -> Mesh: ...
def voxelize(
    mesh: Mesh, spacing: float, margin: int, surface: bool
) -> tuple[NDArray[np.uint8], list[int], list[float], _Told]: ...
def write(mesh: Mesh, path: str | os.PathLike[str], ascii: bool) -> _Told: ...
def nearest(
    sites: NDArray[np.float64],
    queries: NDArray[np.float64],
    directions: NDArray[np.float64] | None,
    options: str,
) -> tuple[NDArray[np.float64], NDArray[np.int64], _Told]: ...
def nearest_between(
    sites: NDArray[np.float64],
    queries: int,
    n: int,
    corners: list[list[float]],
    keys: int,
    numbers: int,
    norm: str,
    gpu: int,
) -> None: ...
def read_points(
    path: str | os.PathLike[str],
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float32] | None], _Told]: ...
def read_stimuli(
    path: str | os.PathLike[str],
) -> list[tuple[str, float, str | None, float | None]]: ...
def sample(mesh: Mesh, options: str) -> tuple[NDArray[np.float64], NDArray[np.float32] | None]: ...
def compare(
    a: str | os.PathLike[str], b: str | os.PathLike[str], absolute: float, relative: float
) -> str: ...
def batch(
    case: str | os.PathLike[str],
    table: str | os.PathLike[str],
    overrides: list[str],
    folder: str | os.PathLike[str] | None,
    name: str | None,
    jobs: int | None,
    shard: str | None,
    resume: bool,
    overwrite: bool,
    progress: _Progress,
) -> tuple[str, int]: ...
def converge(
    case: str | os.PathLike[str],
    levels: int,
    overrides: list[str],
    folder: str | os.PathLike[str] | None,
    overwrite: bool,
    progress: _Progress,
) -> tuple[str, list[str | os.PathLike[str]]]: ...
def farthest_points(
    mesh: Mesh,
    n: int,
    first: int,
    speed: Any,
    options: str,
    progress: _Progress,
) -> dict[str, Any]: ...
def sensitivity(
    mesh: Mesh,
    sources: list[Any],
    speed: Any,
    distances: NDArray[np.float64],
    weights: NDArray[np.float64],
    options: str,
) -> dict[str, Any]: ...
def events() -> list[tuple[int, str]]: ...
def devices() -> tuple[list[dict[str, Any]], str]: ...
def main(words: list[str]) -> int: ...
def check(
    case: str | os.PathLike[str],
    overrides: list[str],
    folder: str | os.PathLike[str] | None,
    overwrite: bool,
) -> tuple[str, list[str]]: ...
def run(
    case: str | os.PathLike[str],
    overrides: list[str],
    folder: str | os.PathLike[str] | None,
    overwrite: bool,
    resume: bool,
    progress: _Progress,
) -> tuple[str, str | os.PathLike[str], bool, bool]: ...
def reconstruct(
    of: Cloud, options: str
) -> tuple[NDArray[np.float64], NDArray[np.uint32], _Arrays, str, _Told]: ...
def sdf_at(mesh: Mesh, at: NDArray[np.float64], options: str) -> dict[str, Any]: ...
def sdf_between(
    mesh: Mesh, gpu: int, points: int, n: int, values: int, normals: int, triangles: int
) -> _Told: ...
def sdf_grid(mesh: Mesh, options: str) -> dict[str, Any]: ...
def view(
    mesh: Mesh, arrays: list[tuple[str, NDArray[np.float64]]], title: str, triangles: int
) -> str: ...
def edt(
    targets: NDArray[np.bool_], shape: list[int], spacing: list[float], signed: bool, options: str
) -> tuple[NDArray[np.float32], _Told]: ...
def edt_between(
    marks: int,
    to_zeros: bool,
    distances: int,
    shape: list[int],
    spacing: list[float],
    signed: bool,
    gpu: int,
) -> bool: ...
def nearest_voxels_between(
    marks: int,
    to_zeros: bool,
    distances: int,
    indices: int,
    shape: list[int],
    spacing: list[float],
    gpu: int,
) -> bool: ...
def wait_for_stream(stream: int, gpu: int) -> None: ...
def draw_mesh(
    mesh: Mesh, options: list[str]
) -> tuple[bytes, NDArray[np.uint8], NDArray[np.uint8], int, int, _Told]: ...
def draw_volume(
    values: NDArray[Any],
    shape: list[int],
    origin: list[float],
    steps: list[list[float]],
    options: list[str],
) -> tuple[bytes, NDArray[np.uint8], NDArray[np.uint8], int, int, _Told]: ...
def info(path: str | os.PathLike[str]) -> tuple[str, _Told]: ...
def info_of_mesh(mesh: Mesh) -> str: ...
def points(
    values: NDArray[Any],
    shape: list[int],
    origin: list[float],
    steps: list[list[float]],
    condition: str | None,
    edge: float | None,
    in_blocks: bool,
) -> dict[str, Any]: ...
def octree(
    values: NDArray[Any],
    shape: list[int],
    origin: list[float],
    steps: list[list[float]],
    condition: str | None,
) -> dict[str, Any]: ...
def nearest_voxels(
    targets: NDArray[np.bool_], shape: list[int], spacing: list[float], options: str
) -> NDArray[np.uint64]: ...
def isosurface(
    values: NDArray[Any],
    shape: list[int],
    origin: list[float],
    steps: list[list[float]],
    level: float,
    options: str,
) -> tuple[NDArray[np.float64], NDArray[np.uint32], _Arrays, _Told]: ...
def isosurface_between(
    values: int,
    stored: str,
    shape: list[int],
    origin: list[float],
    steps: list[list[float]],
    level: float,
    options: str,
    gpu: int,
) -> IsosurfaceOnGpu: ...
def read_volume(path: str | os.PathLike[str]) -> dict[str, Any]: ...
