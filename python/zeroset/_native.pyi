"""The native part of the package. Options are the text of a JSON object."""

import os
from collections.abc import Callable
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DeviceError",
    "LevelSet",
    "Mesh",
    "NumericalError",
    "__version__",
    "check",
    "devices",
    "edt",
    "edt_between",
    "events",
    "isosurface",
    "main",
    "nearest_voxels",
    "read_volume",
    "reconstruct",
    "run",
    "sdf_at",
    "sdf_grid",
    "view",
]

__version__: str

class NumericalError(RuntimeError):
    """A computation failed: a value is NaN, or an iteration does not converge."""

class DeviceError(RuntimeError):
    """The requested device is missing, too small, or fails."""

_Progress = Callable[[dict[str, Any]], object] | None
_Arrays = dict[str, NDArray[np.float64]]

@final
class Mesh:
    @staticmethod
    def read(path: str | os.PathLike[str], options: str) -> Mesh: ...
    @staticmethod
    def from_arrays(
        vertices: NDArray[np.float64], cells: NDArray[np.uint32], options: str
    ) -> Mesh: ...
    @property
    def n_vertices(self) -> int: ...
    @property
    def n_cells(self) -> int: ...
    @property
    def warnings(self) -> list[str]: ...
    def vertices(self) -> NDArray[np.float64]: ...
    def cells(self) -> NDArray[np.uint32]: ...
    @property
    def corners(self) -> int: ...
    def array_names(self, of_cells: bool) -> list[str]: ...
    def array(self, name: str, of_cells: bool) -> NDArray[np.float64] | None: ...
    def groups(self) -> list[str]: ...
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
    ) -> tuple[NDArray[np.float64], list[str]]: ...

@final
class LevelSet:
    def __new__(cls, mesh: Mesh, phi: str | NDArray[np.float64], options: str) -> LevelSet: ...
    def continue_with(self, terms: dict[str, Any], options: str) -> list[str]: ...
    def advance(self, progress: _Progress) -> dict[str, Any] | None: ...
    def set_phi(self, phi: str | NDArray[np.float64]) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def clock(self) -> tuple[float, int]: ...
    def gradient(self) -> NDArray[np.float64]: ...
    def interface(self) -> tuple[NDArray[np.float64], NDArray[np.uint32]]: ...
    def ended_by(self) -> str | None: ...
    def warnings(self) -> list[str]: ...

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
    of: NDArray[np.float64], normals: NDArray[np.float32] | None, options: str
) -> tuple[NDArray[np.float64], NDArray[np.uint32], _Arrays, str, list[str]]: ...
def sdf_at(mesh: Mesh, at: NDArray[np.float64], options: str) -> dict[str, Any]: ...
def sdf_grid(mesh: Mesh, options: str) -> dict[str, Any]: ...
def view(
    mesh: Mesh, arrays: list[tuple[str, NDArray[np.float64]]], title: str, triangles: int
) -> str: ...
def edt(
    targets: NDArray[np.bool_], shape: list[int], spacing: list[float], signed: bool, options: str
) -> tuple[NDArray[np.float32], list[str]]: ...
def edt_between(
    targets: int,
    distances: int,
    shape: list[int],
    spacing: list[float],
    signed: bool,
    gpu: int,
) -> None: ...
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
) -> tuple[NDArray[np.float64], NDArray[np.uint32], _Arrays, list[str]]: ...
def read_volume(path: str | os.PathLike[str]) -> dict[str, Any]: ...
