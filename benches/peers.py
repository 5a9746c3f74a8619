"""Compares zeroset with the Python packages that people use for the same tasks.

    python3 benches/peers.py ZEROSET CORTEX [--out FILE] [--device cpu|cuda|both] [--size 512]

ZEROSET is the program. CORTEX is a surface that zeroset reads, such as fsaverage_pial_left.gii.gz.
Needs numpy, scipy, scikit-image, potpourri3d, pygeodesic and edt.

The time of a package is that of its calls on arrays in memory. The time of zeroset is that of the
whole command, including the start of the program, reading its input and writing its results. Each
time is the smallest of several runs. The error of a geodesic distance is the mean of |d - exact| /
exact over all vertices. The exact distances on the polyhedron come from pygeodesic.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np


def best(call, runs=3):
    """Returns the smallest time of several runs in seconds, and the last result."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - begin)
    return min(times), result


class Table:
    """Rows of the tables, as Markdown."""

    def __init__(self):
        self.lines = []

    def head(self, title, *columns):
        self.lines += ["", f"## {title}", "", "| " + " | ".join(columns) + " |"]
        self.lines.append("|" + "---|" * len(columns))

    def row(self, *values):
        self.lines.append("| " + " | ".join(str(value) for value in values) + " |")
        print(self.lines[-1], flush=True)


def number(x):
    return f"{x:.3g}" if x < 100 else f"{x:.0f}"


def geodesics(table, zeroset, cortex, devices, folder):
    import potpourri3d as pp3d
    import pygeodesic.geodesic as geodesic

    obj = folder / "surface.obj"
    zeroset("convert", cortex, obj)
    lines = [line.split() for line in obj.read_text().splitlines()]
    points = np.array([line[1:4] for line in lines if line and line[0] == "v"], float)
    corner = [[word.split("/")[0] for word in line[1:4]] for line in lines if line and line[0] == "f"]
    faces = np.array(corner, int) - 1
    source = 0
    title = f"Geodesic distances from one vertex of a cortex with {len(points):,} vertices"
    table.head(title, "tool", "seconds", "mean error", "largest error")
    seconds, (exact, _) = best(
        lambda: geodesic.PyGeodesicAlgorithmExact(points, faces).geodesicDistances([source], None),
        1,
    )
    far = exact > 0

    def add(tool, seconds, d):
        error = np.abs(d[far] - exact[far]) / exact[far]
        table.row(tool, number(seconds), f"{100 * error.mean():.2f} %", f"{100 * error.max():.0f} %")

    table.row("pygeodesic (exact)", number(seconds), "0", "0")
    seconds, d = best(lambda: pp3d.MeshHeatMethodDistanceSolver(points, faces).compute_distance(source))
    add("potpourri3d, heat method", seconds, d)
    solver = lambda: pp3d.MeshFastMarchingDistanceSolver(points, faces).compute_distance([[(source, [])]])
    seconds, d = best(solver)
    add("potpourri3d, fast marching", seconds, d)
    out = folder / "distance.npy"
    for device in devices:
        command = ["distance", obj, "--from", f"vertex:{source}", "-o", out, "--device", device]
        seconds, _ = best(lambda: zeroset(*command), 5)
        add(f"zeroset, {device}", seconds, np.load(out))


def edt(table, zeroset, size, devices, folder):
    import edt as edt_package
    from scipy import ndimage

    random = np.random.default_rng(1)
    mask = np.ones((size,) * 3, bool)
    grid = np.ogrid[:size, :size, :size]
    for _ in range(60):
        center, radius = random.uniform(0, size, 3), random.uniform(0.02, 0.1) * size
        mask &= sum((x - c) ** 2 for x, c in zip(grid, center)) > radius**2
    spacing = (1.0, 1.0, 2.5)
    title = f"Exact distance transform of {size}^3 voxels with spacing 1, 1, 2.5"
    table.head(title, "tool", "seconds", "largest difference")
    cores = os.cpu_count()
    # edt takes values, treats 0 as background, and computes in f32.
    call = lambda: edt_package.edt(mask, anisotropy=spacing, black_border=False, parallel=cores)
    seconds, fast = best(call)
    table.row(f"edt, {cores} threads", number(seconds), "reference")
    begin = time.perf_counter()
    slow = ndimage.distance_transform_edt(mask, sampling=spacing)
    table.row("scipy", number(time.perf_counter() - begin), number(np.abs(slow - fast).max()))
    del slow
    volume, out = folder / "mask.npy", folder / "edt.npy"
    np.save(volume, mask.astype(np.uint8))
    for device in devices:
        command = ["edt", volume, "--where", "v == 0", "-o", out, "--device", device]
        seconds, _ = best(lambda: zeroset(*command, "--spacing", "1,1,2.5"), 3)
        table.row(f"zeroset, {device}", number(seconds), number(np.abs(np.load(out) - fast).max()))


def isosurface(table, zeroset, size, devices, folder):
    from skimage import measure

    x = np.linspace(0, 6 * np.pi, size, dtype=np.float32)
    x, y, z = np.meshgrid(x, x, x, indexing="ij", sparse=True)
    volume = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)
    volume = volume.astype(np.float32)
    table.head(f"Isosurface of a gyroid on {size}^3 points", "tool", "seconds", "triangles")
    seconds, found = best(lambda: measure.marching_cubes(volume, 0.0), 2)
    table.row("scikit-image", number(seconds), f"{len(found[1]):,}")
    file, out = folder / "gyroid.npy", folder / "gyroid.ply"
    np.save(file, volume)
    for device in devices:
        command = ["isosurface", file, "--level", "0", "-o", out, "--device", device, "--json"]
        seconds, done = best(lambda: zeroset(*command), 3)
        table.row(f"zeroset, {device}", number(seconds), f"{json.loads(done)['surface']['triangles']:,}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("zeroset", type=pathlib.Path)
    parser.add_argument("cortex", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda", "both"])
    parser.add_argument("--size", default=512, type=int, help="voxels per side of the volumes")
    options = parser.parse_args()
    devices = ["cpu", "cuda"] if options.device == "both" else [options.device]

    def zeroset(*arguments):
        command = [str(options.zeroset.resolve()), "-q", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stderr}")
        return done.stdout

    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        geodesics(table, zeroset, options.cortex, devices, folder)
        edt(table, zeroset, options.size, devices, folder)
        isosurface(table, zeroset, options.size, devices, folder)
    if options.out:
        options.out.write_text("\n".join(table.lines[1:]) + "\n")


if __name__ == "__main__":
    main()
