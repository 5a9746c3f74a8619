#!/usr/bin/env python3
"""Compares `zeroset reconstruct` without options with screened Poisson surfaces of Open3D.

usage: compare-poisson.py ZEROSET FILE...

Prints a row of a Markdown table for each file: the mean and the largest distance, in percent of the
diagonal, of the samples from the surface, of points on the surface from the nearest sample and, if
the file has triangles, of points on these triangles from the surface (the distance back); the
components, the genus of a closed surface, and the boundary loops; first for zeroset, then for
Poisson. The samples are the points of the file.

It needs open3d 0.20, scipy and trimesh (the first needs libusb).
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import open3d as o3d
import trimesh
from scipy.spatial import cKDTree

DEPTH = 8
POINTS_BACK = 200_000


def describe(surface, samples, truth, diagonal):
    """Returns the columns of a surface."""
    scene = o3d.t.geometry.RaycastingScene()
    scene.add_triangles(o3d.t.geometry.TriangleMesh.from_legacy(surface))

    def percent(found):
        return f"{100 * found.mean() / diagonal:.2g}, {100 * found.max() / diagonal:.2g}"

    def distances(points):
        return percent(scene.compute_distance(o3d.core.Tensor(points.astype(np.float32))).numpy())

    mesh = trimesh.Trimesh(np.asarray(surface.vertices), np.asarray(surface.triangles), process=False)
    mesh.remove_unreferenced_vertices()
    parts = trimesh.graph.connected_components(mesh.face_adjacency, nodes=np.arange(len(mesh.faces)))
    edges = mesh.edges_sorted
    at_boundary = edges[trimesh.grouping.group_rows(edges, require_count=1)]
    loops = len(trimesh.graph.connected_components(at_boundary)) if len(at_boundary) else 0
    genus = "open" if loops else (2 * len(parts) - mesh.euler_number) // 2
    back = distances(truth) if truth is not None else "-"
    on_surface = np.asarray(surface.sample_points_uniformly(POINTS_BACK).points)
    to_samples = percent(cKDTree(samples).query(on_surface)[0])
    return f"{distances(samples)} | {to_samples} | {back} | {len(parts)}, {genus} | {loops}"


def main(zeroset, *files):
    for file in map(Path, files):
        with tempfile.TemporaryDirectory() as folder:
            points, ours = Path(folder) / "points.ply", Path(folder) / "ours.ply"
            options = ["--device", "cpu", "--json", "-o", ours]
            start = time.perf_counter()
            done = subprocess.run([zeroset, "reconstruct", file, *options], capture_output=True)
            seconds = time.perf_counter() - start
            if not ours.exists():
                print(f"| `{file.name}` | {done.stderr.decode().strip()} |")
                continue
            report = json.loads(done.stdout)
            # Open3D does not read all formats.
            subprocess.run([zeroset, "convert", file, points], capture_output=True, check=True)
            cloud = o3d.io.read_point_cloud(str(points))
            truth = o3d.io.read_triangle_mesh(str(points))
            if len(truth.triangles) and not cloud.has_normals():
                cloud.normals = truth.compute_vertex_normals().vertex_normals
            if not cloud.has_normals():
                cloud.estimate_normals(o3d.geometry.KDTreeSearchParamKNN(16))
                cloud.orient_normals_consistent_tangent_plane(16)
            # Distances are computed in single precision, so coordinates must be small.
            center = cloud.get_center()
            cloud.translate(-center)
            truth.translate(-center)
            samples = np.asarray(cloud.points)
            diagonal = report["error"]["diagonal"]
            back = None
            if len(truth.triangles):
                back = np.asarray(truth.sample_points_uniformly(POINTS_BACK).points)
            start = time.perf_counter()
            poisson = o3d.geometry.TriangleMesh.create_from_point_cloud_poisson
            other, _ = poisson(cloud, depth=DEPTH, n_threads=1)
            seconds_other = time.perf_counter() - start
            surface = o3d.io.read_triangle_mesh(str(ours)).translate(-center)
            rows = [describe(mesh, samples, back, diagonal) for mesh in (surface, other)]
            print(f"| `{file.name}` | {rows[0]} | {seconds:.1f} | {rows[1]} | {seconds_other:.1f} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
