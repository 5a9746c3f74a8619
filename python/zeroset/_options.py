"""Options of the native functions."""

from __future__ import annotations

import json
from typing import Any


def text(**options: Any) -> str:
    """Return the options that are given, as the native part reads them."""
    return json.dumps({name: value for name, value in options.items() if value is not None})


def on(device: str, threads: int) -> dict[str, Any]:
    """Return the options that select a device.

    `device` is ``"auto"``, ``"cpu"``, ``"cuda"``, or a GPU by number, such as ``"cuda:1"``.

    Raises
    ------
    ValueError
        If `device` has none of these forms, or the number of threads is negative.
    """
    kind, _, number = str(device).partition(":")
    if kind not in ("auto", "cpu", "cuda") or (number and (kind != "cuda" or not number.isdigit())):
        raise ValueError(f'device: expected "auto", "cpu", "cuda" or "cuda:1", found {device!r}')
    if threads < 0:
        raise ValueError(f"threads: expected 0 (all cores) or more, found {threads}")
    return {"device": kind, "gpu": int(number or 0), "threads": int(threads)}
