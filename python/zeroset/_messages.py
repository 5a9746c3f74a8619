"""Warnings and log records of the library."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Iterable

from . import _native


class ZerosetWarning(UserWarning):
    """A warning about a doubtful result or a repaired input, with counts and an explanation."""


_LOGGER = logging.getLogger("zeroset")
_LOGGER.addHandler(logging.NullHandler())


def warn(messages: Iterable[str]) -> None:
    """Issue a warning for each message, at the first caller outside this package."""
    log()
    for message in messages:
        level, frame = 1, sys._getframe(0)
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
            "zeroset."
        ):
            level, frame = level + 1, frame.f_back
        warnings.warn(message, ZerosetWarning, stacklevel=level)


def log() -> None:
    """Pass the events of the library to the logger ``zeroset``."""
    for level, text in _native.events():
        _LOGGER.log(level, text)
