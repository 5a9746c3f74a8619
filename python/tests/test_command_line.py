"""The functions return values that are bitwise identical to those of the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from conftest import CORTEX, ROOT, sphere, square

import zeroset as zs


def test_the_script_is_the_program(cli):
    assert cli("--version").strip() == f"zeroset {zs.__version__}"
    cli("distance", "missing.vtp", "--from", "vertex:0", "-o", "d.vtp", code=3)


def test_distances_are_those_of_the_command(cli, cortex):
    cli("distance", CORTEX, "--from", "vertex:0,512", "-o", "d.npy")
    d = cortex.distance(np.array([0]).tolist() + [512])
    assert np.array_equal(d.values, np.load(cli.folder / "d.npy"))
    cli(
        "distance",
        CORTEX,
        "--from",
        "point:-40,-20,10",
        "--snap",
        "--speed",
        "1 + 0.5*(z>0)",
        "-o",
        "s.npy",
    )
    d = zs.distance(CORTEX, (-40.0, -20.0, 10.0), snap=True, speed="1 + 0.5*(z>0)")
    assert np.array_equal(d.values, np.load(cli.folder / "s.npy"))


def test_gradients_of_misfits_are_those_of_the_command(cli, cortex):
    rows = [(100, 30.0, 2.0), (9000, 55.0, 0.5), (512, 1.0, 1.0)]
    text = "vertex,time,sigma\n" + "".join(f"{v},{t},{s}\n" for v, t, s in rows)
    (cli.folder / "seen.csv").write_text(text)
    speed = "1 + 0.5*(z>0)"
    given = ["--from", "vertex:0", "--from", "vertex:512", "--speed", speed]
    given += ["--misfit", "seen.csv"]
    cli("distance", CORTEX, *given, "-o", "d.npy")
    written = json.loads((cli.folder / "d_misfit.json").read_text())

    d = cortex.distance([0, 512], speed=speed)
    vertices, times, sigmas = (np.array(column) for column in zip(*rows, strict=True))
    off = (d.values[vertices] - times) / sigmas
    assert written["misfit"] == pytest.approx(0.5 * off @ off, rel=1e-14)
    weights = np.zeros(len(d))
    np.add.at(weights, vertices, off / sigmas)
    found = d.sensitivity(weights)
    assert written["observations"] == 3
    assert np.allclose(written["gradient"]["speed"], found.speed, rtol=1e-12, atol=1e-12)
    assert np.allclose(written["gradient"]["starts"], found.starts, rtol=1e-12)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_distance_transforms_are_those_of_the_command(cli, signed, order):
    mask = np.random.default_rng(3).random((17, 9, 12)) < 0.9
    np.save(cli.folder / "v.npy", mask.astype(np.uint8))
    where, options = ("v != 0", ["--signed"]) if signed else ("v == 0", [])
    cli("edt", "v.npy", "--where", where, *options, "-o", "d.npy")
    found = zs.edt(np.array(mask, order=order), signed=signed)
    assert np.array_equal(found, np.load(cli.folder / "d.npy"))


def test_isosurfaces_are_those_of_the_command(cli):
    x, y, z = np.mgrid[-1:1:21j, -1:1:17j, -1:1:25j]
    values = (x**2 + y**2 + z**2 + 0.1 * np.sin(9 * x)).astype(np.float32)
    np.save(cli.folder / "v.npy", values)
    cli("isosurface", "v.npy", "--level", 0.6, "-o", "s.vtp")
    read = zs.read(cli.folder / "s.vtp")
    for array in (values, np.asfortranarray(values)):
        found = zs.isosurface(array, 0.6)
        assert np.array_equal(found.points, read.points) and np.array_equal(found.cells, read.cells)


def test_signed_distances_are_those_of_the_command(cli):
    options = {"size": 20, "margin": 2, "band": 5.0}
    cli("sdf", CORTEX, "--size", 20, "--margin", 2, "--band", 5, "-o", "d.npy")
    with pytest.warns(zs.ZerosetWarning) if _warns(CORTEX) else _quiet():
        found = zs.sdf(CORTEX, **options)
    assert np.array_equal(found.values, np.load(cli.folder / "d.npy"))
    at = np.random.default_rng(0).uniform(-60, 60, (50, 3))
    np.save(cli.folder / "at.npy", at)
    cli("sdf", CORTEX, "--at", "at.npy", "--normals", "--triangles", "-o", "t.npy")
    table = np.load(cli.folder / "t.npy")
    found = zs.sdf(CORTEX, at, normals=True, triangles=True)
    assert np.array_equal(found.values, table[:, 3]) and np.array_equal(
        found.normals, table[:, 4:7]
    )
    assert np.array_equal(found.triangles, table[:, 7])


def _warns(path) -> bool:
    import warnings

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        zs.sdf(path, [[0.0, 0.0, 0.0]])
    return bool(found)


def _quiet():
    import contextlib

    return contextlib.nullcontext()


def test_reconstructions_are_those_of_the_command(cli):
    points = sphere(2000)
    np.savetxt(cli.folder / "p.xyz", np.hstack([points, points]), fmt="%.17g")
    cli("reconstruct", "p.xyz", "-o", "s.vtp", "--report", "r.json")
    read = zs.read(cli.folder / "s.vtp")
    surface, report = zs.reconstruct(points, points)
    assert np.array_equal(surface.points, read.points) and np.array_equal(surface.cells, read.cells)
    written = json.loads((cli.folder / "r.json").read_text())
    assert report["surface"] == written["surface"] and report["error"] == written["error"]


def test_motions_are_those_of_a_case(cli):
    points, cells = square(24)
    mesh = zs.Mesh((points, cells))
    case = cli.folder / "case.toml"
    case.write_text(
        """version = 1
[domain.mesh]
generate = { square = { cells = [24, 24], min = [-1, -1], max = [1, 1] } }
[initial]
expression = "sqrt(x^2 + y^2) - 0.5"
[evolve]
normal_speed = "0.3 * cos(3*t)"
curvature = 0.05
end_time = 0.1
[output]
interval = 0.05
"""
    )
    report = zs.run(case, folder=cli.folder / "run")
    series = zs.read(report.folder / "case.pvd")
    phi = series.point_data["phi"]
    ls = zs.LevelSet((series.points, series.cells), "sqrt(x^2 + y^2) - 0.5")
    states = list(ls.evolve(normal_speed="0.3 * cos(3*t)", curvature=0.05, until=0.1, every=0.05))
    assert [s.time for s in states] == [0.05, 0.1] and ls.ended_by == "end_time reached"
    assert np.array_equal(states[-1].phi, phi)
    assert mesh.n_cells == series.n_cells


def test_a_case_runs_with_overrides(cli):
    report = zs.run(
        ROOT / "configs" / "shrinking_circle.toml",
        overrides={"evolve.max_steps": 3},
        folder=cli.folder / "r",
    )
    assert report["status"] == "finished" and (report.folder / "report.json").exists()
    with pytest.raises(OSError, match="overwrite"):
        zs.run(ROOT / "configs" / "shrinking_circle.toml", folder=cli.folder / "r")
    with pytest.raises(ValueError, match="evolve"):
        zs.run(ROOT / "configs" / "shrinking_circle.toml", overrides={"evolve.clf": 1})
    found = zs.check(ROOT / "configs" / "shrinking_circle.toml", folder=cli.folder / "new")
    assert not found.problems and "mesh" in found.plan


def test_rows_are_distances_of_the_command(cli, cortex):
    rows = cortex.distances([0, 512])
    for row, source in zip(rows, (0, 512), strict=True):
        cli("distance", CORTEX, "--from", f"vertex:{source}", "-o", f"{source}.npy")
        assert np.array_equal(row, np.load(cli.folder / f"{source}.npy"))


def test_paths_are_those_of_the_command(cli, cortex):
    words = ["--from", "vertex:0", "--path-from", "vertex:99"]
    cli("distance", CORTEX, *words, "-o", "d.vtp", "--paths", "p.vtp")
    written = zs.read_points(cli.folder / "p.vtp").points
    assert np.array_equal(cortex.distance(0).path(to=99).points, written)


def test_files_are_read_as_the_command_reads_them(cli):
    mesh = zs.read(CORTEX)
    cli("convert", CORTEX, "m.vtu")
    read = zs.read(cli.folder / "m.vtu")
    assert np.array_equal(read.points, mesh.points) and np.array_equal(read.cells, mesh.cells)
    points = sphere(50)
    np.savetxt(cli.folder / "p.xyz", points, fmt="%.17g")
    assert np.array_equal(zs.read_points(cli.folder / "p.xyz").points, points)
    cli("convert", "p.xyz", "p.ply")
    assert np.array_equal(zs.read_points(cli.folder / "p.ply").points, points)
    values = np.random.default_rng(0).integers(0, 99, (5, 6, 7)).astype(np.int16)
    np.save(cli.folder / "v.npy", values)
    cli("convert", "v.npy", "v.nrrd")
    for name in ("v.npy", "v.nrrd"):
        assert np.array_equal(zs.read_volume(cli.folder / name).values, values)


def test_files_are_written_as_the_command_writes_them(cli):
    torus = zs.generate("torus")
    for name in ("m.vtp", "m.vtu", "m.msh", "m.ply", "m.stl", "m.obj", "m.off", "m.gii"):
        torus.write(cli.folder / name)
        cli("generate", "torus", "-o", f"c-{name}")
        assert (cli.folder / name).read_bytes() == (cli.folder / f"c-{name}").read_bytes()


def test_holes_are_filled_as_the_command_does(cli):
    whole = zs.generate("sphere", subdivisions=3)
    open_one = zs.Mesh((whole.points, whole.cells[3:]))
    open_one.write(cli.folder / "open.vtp")
    cli("convert", "open.vtp", "closed.vtp", "--fill-holes")
    read, filled = zs.read(cli.folder / "closed.vtp"), open_one.fill_holes()
    assert np.array_equal(filled.points, read.points) and np.array_equal(filled.cells, read.cells)


CASE = ROOT / "configs" / "shrinking_circle.toml"


def without_clock(report):
    """Return a report without the times that differ between runs, and without names of folders."""
    if isinstance(report, dict):
        # A page shows times, so its size and hash differ.
        changing = ("seconds", "per_second", "started", "memory", "folder", "date", ".html")
        return {
            key: without_clock(value)
            for key, value in report.items()
            if not any(word in key for word in changing)
        }
    if isinstance(report, list):
        return [without_clock(value) for value in report]
    return report


def test_runs_are_those_of_the_command(cli):
    # So few steps do not meet the expected results.
    cli("run", CASE, "--set", "evolve.max_steps=5", "-o", "a", code=1)
    report = zs.run(CASE, overrides={"evolve.max_steps": 5}, folder=cli.folder / "b")
    written = json.loads((cli.folder / "a" / "report.json").read_text())
    assert without_clock(dict(report)) == without_clock(written)
    assert zs.compare(cli.folder / "a", cli.folder / "b")["equal"]


def test_checks_are_those_of_the_command(cli):
    plan, problems = zs.check(CASE, folder=cli.folder / "new")
    assert not problems
    assert plan.strip() in cli("check", CASE, "-o", cli.folder / "new")
    _, (problem,) = zs.check(CASE, overrides={"evolve.normal_speed": "missing"})
    assert "missing" in problem


def test_comparisons_are_those_of_the_command(cli):
    mesh = zs.Mesh(square(3))
    for name, value in (("a.vtu", 1.0), ("b.vtu", 1.25)):
        mesh.point_data["u"] = np.full(16, value)
        mesh.write(cli.folder / name)
    a, b = cli.folder / "a.vtu", cli.folder / "b.vtu"
    assert zs.compare(a, b) == json.loads(cli("compare", a, b, "--json", code=1))
    close = zs.compare(a, b, tolerance=0.3, relative=0.1)
    words = ["--tolerance", 0.3, "--relative", 0.1, "--json"]
    assert close == json.loads(cli("compare", a, b, *words)) and close["equal"]


def test_studies_are_those_of_the_command(cli):
    words = ["--levels", 2, "--set", "evolve.max_steps=3"]
    cli("converge", CASE, *words, "-o", "a", code=1)
    found = zs.converge(CASE, levels=2, overrides={"evolve.max_steps": 3}, folder=cli.folder / "b")
    written = json.loads((cli.folder / "a" / "converge.json").read_text())
    assert without_clock(found["quantities"]) == without_clock(written["quantities"])


def test_batches_are_those_of_the_command(cli):
    case, table = cli.folder / "case.toml", cli.folder / "table.csv"
    case.write_text(
        "version = 1\n"
        "domain.mesh.generate.square.cells = [8, 8]\n"
        "initial.ball = { center = [0.5, 0.5, 0], radius = {{radius}} }\n"
        "evolve = { normal_speed = 1, max_steps = 2 }\n"
    )
    table.write_text("id,radius\nsmall,0.2\nlarge,0.3\nwrong,-1\n")
    cli("batch", case, "--table", table, "--name", "id", "-o", "a", code=1)
    found = zs.batch(case, table, name="id", folder=cli.folder / "b", jobs=2)
    written = json.loads((cli.folder / "a" / "batch.json").read_text())

    def comparable(rows):
        return [
            {key: row[key] for key in ("row", "name", "status", "exit_code", "values", "error")}
            for row in rows
        ]

    assert comparable(found["rows"]) == comparable(written["rows"])
    assert found["missing_shards"] == 0
    with pytest.raises(OSError, match="resume"):
        zs.batch(case, table, name="id", folder=cli.folder / "b")
    again = zs.batch(case, table, name="id", folder=cli.folder / "b", resume=True, shard=None)
    assert comparable(again["rows"]) == comparable(found["rows"])
    part = zs.batch(case, table, folder=cli.folder / "c", shard=(2, 2))
    assert [row["row"] for row in part["rows"]] == [2] and part["missing_shards"] == 1
    for options, part in (({"jobs": 0}, "jobs"), ({"shard": (3, 2)}, "shard")):
        with pytest.raises(ValueError, match=part):
            zs.batch(case, table, folder=cli.folder / "d", **options)
