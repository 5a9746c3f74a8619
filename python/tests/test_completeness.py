"""Every public function has a comparison with the command line, or a reason why it needs none."""

from __future__ import annotations

import inspect
import pathlib

import pytest

import zeroset as zs

# The test that compares a function or method with the command line, or a reason after "-".
COMPARED = {
    "activation": "test_activation_times_are_those_of_the_command",
    "batch": "test_batches_are_those_of_the_command",
    "check": "test_checks_are_those_of_the_command",
    "compare": "test_comparisons_are_those_of_the_command",
    "converge": "test_studies_are_those_of_the_command",
    "devices": "- the command tests kernels, and its output is for readers",
    "distance": "test_distances_are_those_of_the_command",
    "edt": "test_distance_transforms_are_those_of_the_command",
    "farthest_points": "test_points_far_from_one_another_are_those_of_the_command",
    "generate": "test_meshes_are_changed_as_the_command_does",
    "info": "test_facts_are_those_of_the_command",
    "isosurface": "test_isosurfaces_are_those_of_the_command",
    "nearest": "test_nearest_points_in_a_cone_are_those_of_the_command",
    "octree": "test_octrees_are_those_of_the_command",
    "points": "test_voxels_are_selected_as_the_command_does",
    "read": "test_files_are_read_as_the_command_reads_them",
    "read_points": "test_files_are_read_as_the_command_reads_them",
    "read_volume": "test_files_are_read_as_the_command_reads_them",
    "reconstruct": "test_reconstructions_are_those_of_the_command",
    "render": "test_pictures_of_meshes_are_those_of_the_command",
    "run": "test_runs_are_those_of_the_command",
    "sample": "test_samples_and_files_are_those_of_the_command",
    "sdf": "test_signed_distances_are_those_of_the_command",
    "voxelize": "test_voxels_are_those_of_the_command",
    "Mesh.boundary": "test_meshes_are_changed_as_the_command_does",
    "Mesh.clean": "- the command line repairs meshes only while it uses them",
    "Mesh.decimate": "test_meshes_are_changed_as_the_command_does",
    "Mesh.distance": "test_distances_are_those_of_the_command",
    "Mesh.distances": "test_rows_are_distances_of_the_command",
    "Mesh.fill_holes": "test_holes_are_filled_as_the_command_does",
    "Mesh.refine": "test_meshes_are_changed_as_the_command_does",
    "Mesh.to_pyvista": "- it returns an object of another package",
    "Mesh.view": "- a page of the command states its file",
    "Mesh.write": "test_files_are_written_as_the_command_writes_them",
    "LevelSet.evolve": "test_motions_are_those_of_a_case",
    "LevelSet.plot": "- a page of the command states its file",
    "LevelSet.resume": "- the command resumes folders of runs",
    "LevelSet.set_terms": "- a case has the same terms until its end",
    "LevelSet.state": "test_motions_are_those_of_a_case",
    "LevelSet.step": "test_motions_are_those_of_a_case",
    "LevelSet.write_checkpoint": "- the command writes folders of runs",
    "Activation.gradient": "- it returns `Distances.sensitivity`",
    "Activation.plot": "- a page of the command states its file",
    "Activation.regions": "- the command writes no times by region",
    "Activation.velocity": "- the command writes no velocities",
    "Distances.path": "test_paths_are_those_of_the_command",
    "Distances.sensitivity": "test_gradients_of_misfits_are_those_of_the_command",
    "Distances.plot": "- a page of the command states its file",
    "Distances.to_pyvista": "- it returns an object of another package",
}


def public() -> set[str]:
    """Return the names of the public functions, and of the public methods of the classes that
    compute."""
    names = {name for name in zs.__all__ if inspect.isfunction(getattr(zs, name))}
    for kind in (zs.Mesh, zs.LevelSet, zs.Distances, zs.Activation):
        methods = inspect.getmembers(kind, inspect.isfunction)
        names |= {f"{kind.__name__}.{name}" for name, _ in methods if not name.startswith("_")}
    return names


def test_every_function_is_listed():
    assert public() == set(COMPARED)


def test_every_function_has_an_example():
    names = [name for name in zs.__all__ if inspect.isfunction(getattr(zs, name))]
    assert [name for name in names if ">>>" not in getattr(zs, name).__doc__] == []


@pytest.mark.parametrize("test", sorted(set(COMPARED.values())))
def test_listed_tests_exist(test):
    folder = pathlib.Path(__file__).parent
    text = "".join(path.read_text("utf-8") for path in folder.glob("test_*.py"))
    assert test.startswith("- ") or f"\ndef {test}(cli" in text
