"""Arrays of other packages: numpy, PyTorch, CuPy, JAX and others that support DLPack.

Arguments become numpy arrays. Results become arrays of the same package, on the same device.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _native

Converter = Callable[[np.ndarray], Any]

_GPU = 2  # kDLCUDA, the type of a device in DLPack

# Packages that read the arrays of others on a GPU. The first one that is installed is used.
_READERS = ("cupy", "torch")


def package(values: Any) -> str:
    """Return the name of the package that defines the type of an object."""
    return type(values).__module__.partition(".")[0]


def on_gpu(values: Any) -> bool:
    """Whether the values are a CuPy array, a PyTorch tensor on a GPU, or something similar."""
    if isinstance(values, np.ndarray):
        return False
    if hasattr(values, "__cuda_array_interface__"):
        return True
    return hasattr(values, "__dlpack_device__") and values.__dlpack_device__()[0] == _GPU


def as_numpy(values: Any) -> Any:
    """Return arrays and tensors as numpy arrays, with a copy if they are on a GPU."""
    if hasattr(values, "detach"):
        values = values.detach()
    if on_gpu(values):
        values = on_device(values)
        return values.get() if hasattr(values, "get") else values.cpu().numpy()
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return np.asarray(values)


def on_device(values: Any) -> Any:
    """Return an array on a GPU as a PyTorch tensor or a CuPy array, without a copy.

    The current stream of that package waits for the work of the other one, through DLPack or
    through the stream that ``__cuda_array_interface__`` states.

    Raises
    ------
    ValueError
        If neither package is installed.
    """
    if package(values) in ("torch", "cupy"):
        return values
    for name in _READERS:
        if name in sys.modules or importlib.util.find_spec(name) is not None:
            module = importlib.import_module(name)
            if hasattr(values, "__dlpack__"):
                return module.from_dlpack(values)
            return _from_interface(module, values)
    raise ValueError(
        f"an array of {package(values)} is on a GPU; install CuPy or PyTorch, or pass a copy on "
        "the CPU"
    )


def _from_interface(module: Any, values: Any) -> Any:
    """Return an array of CuPy or PyTorch for an object with only ``__cuda_array_interface__``."""
    if module.__name__ == "cupy":
        return module.asarray(values)  # CuPy waits for the stream.
    found = module.as_tensor(values, device="cuda")
    stream = values.__cuda_array_interface__.get("stream")
    if stream is not None:
        other = module.cuda.ExternalStream(stream, device=found.device)
        module.cuda.current_stream(found.device).wait_stream(other)
    return found


class Gpu:
    """The GPU that holds an array, for functions that compute there.

    Attributes
    ----------
    array : torch.Tensor or cupy.ndarray
        The array, without a copy.
    number : int
        Number of the GPU.
    """

    def __init__(self, values: Any) -> None:
        self.array = on_device(values.detach() if hasattr(values, "detach") else values)
        self._is_torch = package(self.array) == "torch"
        # JAX and others, for which DLPack carries the results.
        self._source: Any = values if package(values) != package(self.array) else None
        device = self.array.device
        self.number: int = device.index if self._is_torch else device.id
        self._module = importlib.import_module("torch" if self._is_torch else "cupy")

    def read(self, values: Any, dtype: str) -> Any:
        """Return values as an array of a type in C order on this GPU, without a copy if possible.

        Raises
        ------
        ValueError
            If the values are on another device.
        """
        array = on_device(values) if on_gpu(values) else values
        if self._is_torch:
            array = self._module.as_tensor(array, device=self.array.device)
            return array.detach().to(getattr(self._module, dtype)).contiguous()
        with self._module.cuda.Device(self.number):
            return self._module.ascontiguousarray(self._module.asarray(array), dtype)

    def points(self, values: Any, name: str) -> Any:
        """Return coordinates as a float64 array of shape (n, 3). Planar points get z = 0.

        Raises
        ------
        ValueError
            If the shape is neither (n, 2) nor (n, 3).
        """
        if values.ndim != 2 or values.shape[1] not in (2, 3):
            raise ValueError(
                f"{name}: expected shape (n, 3) or (n, 2), found {tuple(values.shape)}"
            )
        given = self.read(values, "float64")
        if values.shape[1] == 3:
            return given
        points = self.empty((len(given), 3), "float64")
        points[:, :2], points[:, 2] = given, 0.0
        return points

    def rows(self, values: Any, shape: tuple[int, ...], name: str) -> Any:
        """Return values as a float64 array of a shape in C order on this GPU.

        Raises
        ------
        ValueError
            If the values have another shape, or are on another device.
        """
        found = tuple(values.shape)
        if found != shape:
            raise ValueError(f"{name}: expected the shape {shape}, found {found}")
        return self.read(values, "float64")

    def corners(self, points: Any) -> tuple[Any, Any]:
        """Return the lowest and the highest coordinates of points, NaN if one of them is NaN."""
        if self._is_torch:
            return points.amin(0), points.amax(0)
        return points.min(0), points.max(0)

    def unsigned(self, array: Any) -> Any:
        """Return the numbers of an int32 array as unsigned: int64 in PyTorch, otherwise uint32."""
        if self._is_torch:
            return array.to(self._module.int64) & 0xFFFFFFFF
        return array.view("uint32")

    def reversed(self, array: Any) -> Any:
        """Return a view of an array with its axes in reverse order."""
        return array.permute(*range(array.ndim - 1, -1, -1)) if self._is_torch else array.T

    def where(self, condition: Any, first: Any, second: Any) -> Any:
        """Return the entries of one array where a condition is true, and otherwise of another."""
        return self._module.where(condition, first, second)

    def sqrt(self, array: Any) -> Any:
        """Return the square roots of an array on this GPU."""
        return self._module.sqrt(array)

    def empty(self, shape: tuple[int, ...], dtype: str) -> Any:
        """Return a new array with undefined values."""
        if self._is_torch:
            kind = getattr(self._module, dtype)
            return self._module.empty(shape, dtype=kind, device=self.array.device)
        with self._module.cuda.Device(self.number):
            return self._module.empty(shape, dtype)

    @staticmethod
    def address(array: Any) -> int:
        """Return the address of an array on the GPU, or 0 for None."""
        if array is None:
            return 0
        return int(array.data_ptr() if hasattr(array, "data_ptr") else array.data.ptr)

    def stream(self) -> int:
        """Return the handle of the current stream."""
        if self._is_torch:
            return int(self._module.cuda.current_stream(self.array.device).cuda_stream)
        with self._module.cuda.Device(self.number):
            return int(self._module.cuda.get_current_stream().ptr)

    def wait(self) -> None:
        """Let the next native call wait for the work that is now in the current stream.

        An event makes the stream of the library wait. The host does not wait.
        """
        _native.wait_for_stream(self.stream(), self.number)

    def result(self, array: Any) -> Any:
        """Return a result, or None, as an array of the package of the argument."""
        if array is None or not hasattr(self._source, "__array_namespace__"):
            return array
        return self._source.__array_namespace__().from_dlpack(array)


def like(*arguments: Any) -> Converter | None:
    """Return a function that converts numpy arrays to the kind of the arguments.

    The first argument that is an array of another package determines the package and the device.
    Returns None if there is no such argument. A tuple of arrays counts as its first entry.
    """
    for argument in arguments:
        model = argument[0] if isinstance(argument, tuple) and argument else argument
        if on_gpu(model) and not hasattr(model, "__array_namespace__"):
            model = on_device(model)
        if package(model) == "torch":
            return _to_torch(model.device)
        if package(model) == "cupy":
            return _to_cupy(model.device)
        if not isinstance(model, (np.ndarray, np.generic)) and hasattr(model, "__dlpack__"):
            return _to_namespace(model)
    return None


def identity(array: np.ndarray) -> np.ndarray:
    """Return a numpy array as it is."""
    return array


def _to_torch(device: Any) -> Converter:
    import torch

    def convert(array: np.ndarray) -> Any:
        # Most functions of PyTorch do not support unsigned integers.
        if array.dtype.kind == "u":
            array = array.astype(np.int64)
        return torch.from_numpy(array).to(device)

    return convert


def _to_cupy(device: Any) -> Converter:
    import cupy

    def convert(array: np.ndarray) -> Any:
        with device:
            return cupy.asarray(array)

    return convert


def _to_namespace(model: Any) -> Converter:
    """Convert by the functions of the array API standard (https://data-apis.org)."""
    if not hasattr(model, "__array_namespace__"):
        return identity
    namespace, device = model.__array_namespace__(), model.device

    def convert(array: np.ndarray) -> Any:
        return namespace.asarray(array, device=device)

    return convert
