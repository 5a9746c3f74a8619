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

Converter = Callable[[np.ndarray], Any]

_GPU = 2  # kDLCUDA, the type of a device in DLPack


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

    DLPack makes the current stream wait for the work of the other package.

    Raises
    ------
    ValueError
        If neither package is installed.
    """
    if package(values) in ("torch", "cupy"):
        return values
    for name in ("cupy", "torch"):
        if name in sys.modules or importlib.util.find_spec(name) is not None:
            return importlib.import_module(name).from_dlpack(values)
    raise ValueError(
        f"an array of {package(values)} is on a GPU; install CuPy or PyTorch, or pass a copy on "
        "the CPU"
    )


def like(*arguments: Any) -> Converter | None:
    """Return a function that converts numpy arrays to the kind of the arguments.

    The first argument that is an array of another package determines the package and the device.
    Returns None if there is no such argument. A tuple of arrays counts as its first entry.
    """
    for argument in arguments:
        model = argument[0] if isinstance(argument, tuple) and argument else argument
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
