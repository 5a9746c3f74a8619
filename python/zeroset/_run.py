"""Cases in files, and the devices of this machine."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from . import _messages, _native, _progress
from ._progress import Progress


class Report(dict):  # type: ignore[type-arg]
    """The report of a run, with the keys of report.json.

    Attributes
    ----------
    folder : pathlib.Path
        Folder with the files of the run.
    """

    folder: Path

    def __repr__(self) -> str:
        return (
            f"<zeroset.Report: {self.get('status')}, {self.get('ended_by')}, "
            f"{self.get('steps', 0):,} steps, in {self.folder}>"
        )

    def _repr_html_(self) -> str:
        from . import _view

        page = self.folder / "report.html"
        return _view.View(page.read_text("utf-8"))._repr_html_() if page.exists() else repr(self)


class CaseCheck(NamedTuple):
    """The result of a check.

    Attributes
    ----------
    plan : str
        What a run would do.
    problems : list of str
        What would prevent the run, each with its remedy.
    """

    plan: str
    problems: list[str]


def run(
    case: str | os.PathLike[str],
    *,
    overrides: Mapping[str, Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    resume: bool = False,
    progress: Progress | bool | None = None,
) -> Report:
    """Run a case, as `zeroset run` does.

    Ctrl-C ends the run cleanly: it writes the current state and a checkpoint.

    Parameters
    ----------
    case : path
        Case file.
    overrides : mapping, optional
        Values of the case to replace, such as ``{"evolve.cfl": 0.5}``.
    folder : path, optional
        Folder for the results. By default, the folder in the case, or results/NAME.
    overwrite : bool
        Whether to replace an earlier run in the folder.
    resume : bool
        Whether to continue an interrupted run in the folder.
    progress : bool or callable, optional
        True shows a line in terminals and notebooks. A function is called with a dict about every
        20 ms. An exception in it ends the run cleanly.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        If the case cannot be used.
    OSError
        If a file cannot be read or written.
    NumericalError, DeviceError, MemoryError
        If the computation fails.
    KeyboardInterrupt
        If the user presses Ctrl-C. ``resume=True`` then continues the run.

    Examples
    --------
    >>> import pathlib, tempfile, zeroset as zs
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> case = folder / "disk.toml"
    >>> lines = [
    ...     "version = 1",
    ...     "domain.mesh.generate.square.cells = [16, 16]",
    ...     "initial.ball = { center = [0.5, 0.5, 0], radius = 0.2 }",
    ...     "evolve = { normal_speed = 1, end_time = 0.1 }",
    ... ]
    >>> _ = case.write_text("\\n".join(lines))
    >>> report = zs.run(case, folder=folder / "results")
    >>> report["status"], report["time"]
    ('finished', 0.1)
    """
    with _progress.shown(progress) as call:
        report, where, is_interrupted, _ = _native.run(
            os.fspath(case),
            as_overrides(overrides),
            folder and os.fspath(folder),
            overwrite,
            resume,
            call,
        )
    if is_interrupted:
        raise KeyboardInterrupt
    found = Report(json.loads(report))
    found.folder = Path(where)
    _messages.warn_of_any(found.get("warnings", []))
    return found


def check(
    case: str | os.PathLike[str],
    *,
    overrides: Mapping[str, Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
) -> CaseCheck:
    """Check a case without running it, as `zeroset check` does.

    Parameters
    ----------
    case, overrides, folder, overwrite
        See `run`.

    Returns
    -------
    CaseCheck

    Raises
    ------
    ValueError
        If the case file cannot be parsed.

    Examples
    --------
    >>> import pathlib, tempfile, zeroset as zs
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> case = folder / "disk.toml"
    >>> lines = [
    ...     "version = 1",
    ...     "domain.mesh.generate.square.cells = [16, 16]",
    ...     "initial.ball = { center = [0.5, 0.5, 0], radius = 0.2 }",
    ...     "evolve = { normal_speed = 1, end_time = 0.1 }",
    ... ]
    >>> _ = case.write_text("\\n".join(lines))
    >>> zs.check(case).problems
    []
    >>> problems = zs.check(case, overrides={"initial.ball.radius": 3}).problems
    >>> "the whole mesh is inside" in problems[0]
    True
    """
    plan, problems = _native.check(
        os.fspath(case), as_overrides(overrides), folder and os.fspath(folder), overwrite
    )
    _messages.log()
    return CaseCheck(plan, problems)


def as_overrides(overrides: Mapping[str, Any] | None) -> list[str]:
    """Return overrides as KEY=VALUE, with values in TOML."""
    return [f"{key}={_toml(value)}" for key, value in (overrides or {}).items()]


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(x)}" for key, x in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, (bool, str)):
        return json.dumps(value)
    if isinstance(value, os.PathLike):
        return json.dumps(os.fspath(value))
    return repr(value.item() if hasattr(value, "item") else value)


def devices() -> list[dict[str, Any]]:
    """Return the GPUs that can be used, as dicts with the keys gpu, name, capability and memory.

    The logger "zeroset" receives the reason if there is none.

    Examples
    --------
    >>> import zeroset as zs
    >>> all(gpu["memory"] > 0 for gpu in zs.devices())
    True
    """
    found, reason = _native.devices()
    if not found:
        _messages._LOGGER.info("no GPU: %s", reason)
    return found
