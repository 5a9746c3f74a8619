"""PyTorch functions whose gradients are exact. PyTorch must be installed."""

from __future__ import annotations

from typing import Any

import torch

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
        Points.

    Returns
    -------
    torch.Tensor
        Distances, shape (n,), with the type and on the device of the points.
    """
    found: torch.Tensor = _SignedDistance.apply(points, as_mesh(mesh, "auto", 0))
    return found
