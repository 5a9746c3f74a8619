"""Comparisons of results, convergence studies, and batches."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from . import _messages, _native, _progress, _run
from ._progress import Progress


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    tolerance: float = 0.0,
    relative: float = 0.0,
) -> dict[str, Any]:
    """Compare two files, or the folders of two runs, as `zeroset compare` does.

    Parameters
    ----------
    a, b : path
        Meshes with arrays, point clouds, volumes, tables, series, or folders of runs.
    tolerance : float
        Largest difference that counts as equal, in the unit of each array.
    relative : float
        Largest difference that counts as equal, relative to the range of each array. With both,
        the larger one counts. With neither, only bitwise identical values are equal.

    Returns
    -------
    dict
        The comparison, with the keys of ``zeroset compare --json``: "equal", "sources" with the
        differences of arrays, shapes and all others, and "tolerance".

    Raises
    ------
    ValueError
        If the two hold different things, or a tolerance is negative.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile, zeroset as zs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [pathlib.Path(folder, name) for name in ("a.ply", "b.ply")]
    ...     for path in paths:
    ...         zs.generate("sphere", subdivisions=1).write(path)
    ...     zs.compare(*paths)["equal"]
    True
    """
    for name, value in (("tolerance", tolerance), ("relative", relative)):
        if not 0 <= value < float("inf"):
            raise ValueError(f"{name}: expected a number of at least 0, found {value}")
    found: dict[str, Any] = json.loads(
        _native.compare(os.fspath(a), os.fspath(b), tolerance, relative)
    )
    _messages.warn_of_any(found["warnings"])
    return found


def converge(
    case: str | os.PathLike[str],
    *,
    levels: int = 3,
    overrides: Mapping[str, Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Run a case on several levels, each twice as fine as the one before, as `zeroset converge`.

    Parameters
    ----------
    case : path
        Case file.
    levels : int
        Number of levels, 2 to 9.
    overrides, overwrite, progress
        See `run`.
    folder : path, optional
        Folder for the results, results/NAME-converge by default.

    Returns
    -------
    dict
        "levels" lists the runs, "quantities" the results with errors, orders and extrapolated
        values, and "files" the files of the study.

    Raises
    ------
    ValueError
        If the case cannot be used or refined, or the number of levels is out of range.
    OSError
        If a file cannot be read or written.
    NumericalError, DeviceError, MemoryError
        If a computation fails. The results of the levels before it are written.

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
    >>> study = zs.converge(case, levels=2, folder=folder / "study")
    >>> [level["cells"] for level in study["levels"]]
    [512, 2048]
    """
    if not 2 <= levels <= 9:
        raise ValueError(f"levels: expected a number from 2 to 9, found {levels}")
    with _progress.shown(progress) as call:
        results, files = _native.converge(
            os.fspath(case),
            levels,
            _run.as_overrides(overrides),
            folder and os.fspath(folder),
            overwrite,
            call,
        )
    _messages.log()
    return {**json.loads(results), "files": [os.fspath(file) for file in files]}


def batch(
    case: str | os.PathLike[str],
    table: str | os.PathLike[str],
    *,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    shard: tuple[int, int] | None = None,
    overrides: Mapping[str, Any] | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress | bool | None = None,
) -> dict[str, Any]:
    """Run a case for each row of a table, as `zeroset batch` does.

    The case refers to a column of the table as ``{{column}}``. A row that fails does not stop the
    others.

    Parameters
    ----------
    case : path
        Case file.
    table : path
        CSV file with titles.
    name : str, optional
        Column whose cells name the rows and their folders. By default, rows are numbered.
    folder : path, optional
        Folder for the results, results/NAME-batch by default.
    jobs : int, optional
        Number of rows that run at the same time. By default, as many as cores and memory allow, and
        one if the case may use a GPU.
    shard : tuple of two int, optional
        ``(i, n)`` runs every n-th row, beginning with row i, which is at least 1.
    overrides, overwrite, progress
        See `run`. Overrides may refer to columns, too.
    resume : bool
        Whether to continue the batch in the folder: rows that are done are kept.

    Returns
    -------
    dict
        "rows" lists the rows that have run, with "name", "status", "values" (the results by name)
        and "error". "missing_shards" is the number of shards that are not complete.

    Raises
    ------
    ValueError
        If the case and the table do not fit together.
    OSError
        If a file cannot be read or written, or exists already.

    Examples
    --------
    >>> import pathlib, tempfile, zeroset as zs
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> lines = [
    ...     "version = 1",
    ...     "domain.mesh.generate.square.cells = [16, 16]",
    ...     "initial.ball = { center = [0.5, 0.5, 0], radius = {{radius}} }",
    ...     "evolve = { normal_speed = 1, end_time = 0.1 }",
    ... ]
    >>> _ = (folder / "disk.toml").write_text("\\n".join(lines))
    >>> _ = (folder / "radii.csv").write_text("radius\\n0.1\\n0.2\\n")
    >>> found = zs.batch(folder / "disk.toml", folder / "radii.csv", folder=folder / "runs")
    >>> [row["status"] for row in found["rows"]]
    ['finished', 'finished']
    """
    if jobs is not None and not 1 <= jobs <= 1024:
        raise ValueError(f"jobs: expected a number from 1 to 1024, found {jobs}")
    with _progress.shown(progress) as call:
        rows, missing = _native.batch(
            os.fspath(case),
            os.fspath(table),
            _run.as_overrides(overrides),
            folder and os.fspath(folder),
            name,
            jobs,
            None if shard is None else "{}/{}".format(*shard),
            resume,
            overwrite,
            call,
        )
    _messages.log()
    return {"rows": json.loads(rows), "missing_shards": missing}
