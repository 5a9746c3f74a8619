"""Warnings and log records of the library."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Collection, Iterable

from . import _native


class ZerosetWarning(UserWarning):
    """A warning about an input, a result or a device, with counts and an explanation.

    Its subclasses state the subject. `run` and `compare` use this class itself, because their
    reports list warnings of all subjects.
    """


class FileWarning(ZerosetWarning):
    """Something in a file that is unusual or was left out, or that a format cannot hold."""


class MeshWarning(ZerosetWarning):
    """Repairs and defects of a mesh."""


class AccuracyWarning(ZerosetWarning):
    """A result that may be inaccurate."""


class DeviceWarning(ZerosetWarning):
    """A GPU that cannot be used, so that the CPU computes."""


_CATEGORIES = {
    "file": FileWarning,
    "mesh": MeshWarning,
    "accuracy": AccuracyWarning,
    "device": DeviceWarning,
}

_LOGGER = logging.getLogger("zeroset")
_LOGGER.addHandler(logging.NullHandler())


def warn(told: Iterable[tuple[str, str]], said: Collection[tuple[str, str]] = ()) -> None:
    """Issue warnings, at the first caller outside this package.

    Parameters
    ----------
    told : iterable of (str, str)
        Subjects, which determine the categories, and texts.
    said : collection of (str, str)
        Warnings that were issued before.
    """
    log()
    for subject, text in told:
        if (subject, text) in said:
            continue
        level, frame = 1, sys._getframe(0)
        while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
            "zeroset."
        ):
            level, frame = level + 1, frame.f_back
        warnings.warn(text, _CATEGORIES.get(subject, ZerosetWarning), stacklevel=level)


def warn_of_any(texts: Iterable[str]) -> None:
    """Issue warnings whose subjects are not known."""
    warn(("", text) for text in texts)


def log() -> None:
    """Pass the events of the library to the logger ``zeroset``."""
    for level, text in _native.events():
        _LOGGER.log(level, text)
