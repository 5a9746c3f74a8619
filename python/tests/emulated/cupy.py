"""A stand-in for CuPy whose arrays are in the memory of the emulated GPU (tests/emulator).

It has only what the package uses, and computes with numpy, which can read this memory. Run it in
the folder `python`, with the native part built:

    PYTHONPATH=tests/emulated ../scripts/emulated-gpu.sh python -m pytest tests/test_gpu.py -k cupy
"""

from __future__ import annotations

import ctypes
import operator
import types
from typing import Any

import numpy as np

_driver = ctypes.CDLL("libcuda.so")
_context = ctypes.c_void_p()
_driver.cuInit(0)
_driver.cuDevicePrimaryCtxRetain(ctypes.byref(_context), 0)
_driver.cuCtxSetCurrent(_context)


class _Device:
    """The only GPU."""

    id = 0

    def __init__(self, number: int = 0) -> None:
        assert number == 0

    def __enter__(self) -> _Device:
        return self

    def __exit__(self, *error: object) -> None:
        return None


cuda = types.SimpleNamespace(
    Device=_Device,
    get_current_stream=lambda: types.SimpleNamespace(ptr=0),
)


class ndarray:  # noqa: N801
    """An array in the memory of the emulated GPU."""

    __hash__ = None  # type: ignore[assignment]
    __cuda_array_interface__: dict[str, Any] = {}

    def __init__(self, host: np.ndarray) -> None:
        self._host = host
        self.shape, self.ndim, self.dtype = host.shape, host.ndim, host.dtype
        self.data = types.SimpleNamespace(ptr=host.ctypes.data)
        self.device = _Device()

    def get(self) -> np.ndarray:
        return self._host.copy()

    @property
    def T(self) -> ndarray:  # noqa: N802
        return ndarray(self._host.T)

    def __getattr__(self, name: str) -> Any:
        if name not in ("all", "any", "max", "min", "reshape", "view"):
            raise AttributeError(name)
        method = getattr(self._host, name)
        return lambda *arguments: ndarray(np.asarray(method(*arguments)))

    def __len__(self) -> int:
        return len(self._host)

    def __bool__(self) -> bool:
        return bool(self._host)

    def __float__(self) -> float:
        return float(self._host)

    def __getitem__(self, key: Any) -> ndarray:
        return ndarray(np.asarray(self._host[_on_host(key)]))

    def __setitem__(self, key: Any, values: Any) -> None:
        self._host[_on_host(key)] = _on_host(values)

    def __eq__(self, other: object) -> Any:
        return ndarray(operator.eq(self._host, _on_host(other)))

    def __ne__(self, other: object) -> Any:
        return ndarray(operator.ne(self._host, _on_host(other)))

    def __lt__(self, other: object) -> Any:
        return ndarray(operator.lt(self._host, _on_host(other)))


def _on_host(values: Any) -> Any:
    if isinstance(values, tuple):
        return tuple(map(_on_host, values))
    return values._host if isinstance(values, ndarray) else values


def empty(shape: tuple[int, ...], dtype: Any) -> ndarray:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    address = ctypes.c_uint64()
    code = _driver.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
    assert code == 0, f"the emulated driver returned {code}"
    memory = (ctypes.c_char * size).from_address(address.value)
    return ndarray(np.frombuffer(memory, dtype).reshape(shape))


def asarray(values: Any) -> ndarray:
    if isinstance(values, ndarray):
        return values
    host = np.asarray(values)
    array = empty(host.shape, host.dtype)
    array._host[...] = host
    return array


def ascontiguousarray(values: Any, dtype: Any = None) -> ndarray:
    return asarray(np.ascontiguousarray(_on_host(values), dtype))


def where(condition: ndarray, first: ndarray, second: ndarray) -> ndarray:
    return asarray(np.where(condition._host, first._host, second._host))


def sqrt(values: ndarray) -> ndarray:
    return asarray(np.sqrt(values._host))


def ones(shape: tuple[int, ...]) -> ndarray:
    return asarray(np.ones(shape))


def zeros(shape: tuple[int, ...]) -> ndarray:
    return asarray(np.zeros(shape))
