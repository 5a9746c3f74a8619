"""PyTorch functions whose gradients are exact. PyTorch must be installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from ._arrays import as_numpy
from ._conduction import check_keys
from ._mesh import as_mesh
from ._surfaces import sdf


class _SignedDistance(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, points: torch.Tensor, mesh: Any) -> torch.Tensor:
        found = sdf(mesh, at=points.detach(), normals=True)
        ctx.save_for_backward(found.normals.to(points.dtype))
        return found.values.to(points.dtype)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        (normals,) = ctx.saved_tensors
        return gradient.unsqueeze(-1) * normals, None


def signed_distance(mesh: Any, points: torch.Tensor) -> torch.Tensor:
    """Compute the signed distances of points to a surface, negative inside.

    The gradient with respect to a point is the unit vector along which the distance grows. Points
    on a GPU never leave it.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        The surface. A `Mesh` is prepared only once for several calls.
    points : torch.Tensor of shape (n, 3)
        Points in mesh units.

    Returns
    -------
    torch.Tensor
        Distances in mesh units, shape (n,), with the type and on the device of the points.
    """
    found: torch.Tensor = _SignedDistance.apply(points, as_mesh(mesh, "auto", 0))
    return found


class _ArrivalTimes(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, *arguments: Any) -> torch.Tensor:
        mesh, sources, options, names = arguments[:4]
        tensors = dict(zip(names, arguments[4:], strict=True))
        found = mesh.distance(**_call(sources, options, tensors))
        ctx.found, ctx.names = found, names
        ctx.save_for_backward(*arguments[4:])
        values = torch.as_tensor(np.asarray(found))
        first = arguments[4]
        return values.to(first.device, first.dtype)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        weights = gradient.detach().to("cpu", torch.float64).numpy()
        # The time is NaN at points that no front reaches, and so may be the gradient.
        found = ctx.found.sensitivity(np.where(np.isnan(np.asarray(ctx.found)), 0.0, weights))
        gradients: list[torch.Tensor | None] = []
        for name, given in zip(ctx.names, ctx.saved_tensors, strict=True):
            by_cell = torch.as_tensor(as_numpy(getattr(found, _FIELDS[name])))
            if name == "tensor" and given.shape[-2:] == (3, 3):
                by_cell = _as_matrices(by_cell)
            # One number or one tensor for all cells.
            if name != "sources" and given.ndim < by_cell.ndim:
                by_cell = by_cell.sum(0)
            gradients.append(by_cell.to(given.device, given.dtype).reshape(given.shape))
        return (None, None, None, None, *gradients)


# The derivative in `Sensitivity` for each argument that may be a tensor.
_FIELDS = {
    "speed": "speed",
    "along": "along",
    "across": "across",
    "sheet": "sheet",
    "tensor": "tensor",
    "starts": "starts",
    "sources": "positions",
}


def _as_matrices(rows: torch.Tensor) -> torch.Tensor:
    """Return derivatives by xx, yy, zz, xy, yz, xz as symmetric matrices."""
    xx, yy, zz, xy, yz, xz = rows.unbind(1)
    xy, yz, xz = xy / 2, yz / 2, xz / 2
    return torch.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], dim=1).reshape(-1, 3, 3)


def _call(
    sources: Any, options: dict[str, Any], tensors: dict[str, torch.Tensor]
) -> dict[str, Any]:
    """Return the arguments of `Mesh.distance`, with numpy arrays for tensors."""
    given = {name: x.detach().to("cpu", torch.float64).numpy() for name, x in tensors.items()}
    given = {name: float(x) if x.ndim == 0 else x for name, x in given.items()}
    call = {"sources": given.get("sources", sources), **options}
    if "along" in given:
        names = ("along", "across", "sheet")
        call["speed"] = {name: given[name] for name in names if name in given}
    for name in ("speed", "tensor"):
        if name in given:
            call["speed"] = given[name]
    if "starts" in given:
        call["starts"] = np.atleast_1d(given["starts"])
    return call


def _as_tensor(value: Any) -> torch.Tensor:
    """Return a tensor of floating-point numbers."""
    is_floating = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value if is_floating else torch.as_tensor(value, dtype=torch.float64)


def _check_speed(name: str, speed: torch.Tensor, n_cells: int) -> None:
    if speed.ndim == 1 and len(speed) != n_cells:
        raise ValueError(
            f"{name}: expected one number or one for each of {n_cells} cells, found the shape "
            f"{tuple(speed.shape)}; for speeds at points, take the mean over the points of each "
            f"cell, as in speed[cells].mean(1)"
        )


def arrival_times(
    mesh: Any,
    sources: Any,
    *,
    speed: Any,
    starts: torch.Tensor | None = None,
    **options: Any,
) -> torch.Tensor:
    """Compute the arrival times of plane fronts, with exact gradients.

    The gradients are those of the discrete solution, except at kinks (`Distances.sensitivity`).
    They are computed on the CPU.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        The mesh. A `Mesh` is prepared only once for several calls.
    sources : as for `Mesh.distance`, or torch.Tensor of shape (k, 3)
        Points, or other sources. The times depend on the coordinates of a tensor.
    speed : torch.Tensor, or mapping of torch.Tensor
        One speed for all cells, shape (), or one for each cell, shape (m,), in mesh units per time;
        conduction tensors, shape (m, 6), (m, 3, 3) or (3, 3); or the speeds "along" and "across"
        fibers and perhaps "sheet", each of shape () or (m,).
    starts : torch.Tensor of shape (k,), optional
        Start times of the sources.
    **options
        Further options of `Mesh.distance`, such as `fiber`, `sheet`, `within` and `mask`.

    Returns
    -------
    torch.Tensor
        Arrival times, shape (n,), with the type (float64 for whole numbers) and on the device of
        the first tensor. NaN at points that no front reaches; their gradients have no effect.

    Raises
    ------
    ValueError
        If the keys of a mapping or the shape of a speed are wrong, and as for `Mesh.distance`. In
        the backward pass, if a gradient is not finite at a point that a front reaches.
    """
    mesh = as_mesh(mesh, "auto", 0)
    tensors: dict[str, torch.Tensor] = {}
    if isinstance(speed, Mapping):
        check_keys(speed)
        tensors.update({name: _as_tensor(value) for name, value in speed.items()})
    else:
        speed = _as_tensor(speed)
        tensors["tensor" if speed.ndim > 1 else "speed"] = speed
    for name, tensor in tensors.items():
        _check_speed(name, tensor, mesh.n_cells)
    if starts is not None:
        tensors["starts"] = _as_tensor(starts)
    if isinstance(sources, torch.Tensor) and sources.is_floating_point():
        tensors["sources"] = sources
    options = {"front": "plane", **options}
    found: torch.Tensor = _ArrivalTimes.apply(
        mesh, sources, options, tuple(tensors), *tensors.values()
    )
    return found
