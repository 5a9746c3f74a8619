"""Moving interfaces on a mesh."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays, _inputs, _messages, _native, _options, _progress, _view
from ._mesh import Mesh, as_mesh
from ._progress import Progress

if TYPE_CHECKING:
    from numpy.typing import NDArray


class State:
    """A state of a moving interface.

    Lengths are in mesh units, and times in the time unit of the terms.

    Attributes
    ----------
    time : float
        Time of the state.
    step : int
        Number of steps since the beginning.
    dt : float
        Length of the last step.
    phi : array
        Level set of each point, negative inside, shape (n,), in mesh units. NaN at points without a
        cell. It belongs to the package and the device of the array that began the motion.
    length : float
        Length of the interface in mesh units (on tetrahedra, area in squared mesh units).
    area : float
        Area of the inside in squared mesh units (on tetrahedra, volume in cubed mesh units).
    components : int
        Number of connected parts of the inside.
    euler_number : int
        Euler number of the inside.
    """

    def __init__(self, found: dict[str, Any], phi: Any) -> None:
        self.time: float = found["time"]
        self.step: int = found["step"]
        self.dt: float = found["dt"]
        self.phi: Any = phi
        self.length: float = found["interface"]
        self.area: float = found["enclosed"]
        self.components: int = found["components"]
        self.euler_number: int = found["euler_number"]

    def __repr__(self) -> str:
        return (
            f"<zeroset.State: time {self.time:.6g}, step {self.step}, {len(self.phi):,} points, "
            f"length {self.length:.6g}, area {self.area:.6g}>"
        )


class LevelSet:
    """A level set that moves on a mesh.

    Parameters
    ----------
    mesh : Mesh, path, (points, cells), or a mesh from pyvista, trimesh, meshio or nibabel
        The mesh.
    phi : array of shape (n,), str or callable
        The initial level set, negative inside: values, an expression, or a function of the points,
        shape (n, 3). Only its zero set matters.
    device, threads
        See `Mesh`.
    cfl : float, optional
        Step length relative to the largest stable step, > 0 and at most 2, 1 by default.
    mask : str, optional
        Expression that is 0 or NaN where the mesh is to be left out.
    start_time : float, optional
        Time at which the motion begins, in the time unit of the terms, 0 by default.
    volume_correction : "none", "local" or "global", optional
        Correction of the volume of the inside, "none" by default. "local" undoes the changes by
        reinitializations. "global" also corrects the changes by steps, for motion by `velocity`
        alone.
    advection : str, optional
        Scheme of the motion by `velocity`: "taylor-galerkin" (default), "positive-coefficient",
        "cone" or "characteristic-map". The last one is for motion by `velocity` alone on planar
        meshes, on the CPU, and is far more accurate for thin shapes.

    Raises
    ------
    ValueError
        If the zero set does not cross the mesh, or an option is out of range.

    Examples
    --------
    >>> import numpy as np, zeroset as zs
    >>> x, y = np.meshgrid(np.linspace(-1, 1, 41), np.linspace(-1, 1, 41))
    >>> points = np.column_stack([x.ravel(), y.ravel()])
    >>> i = np.arange(40 * 41).reshape(40, 41)[:, :40].ravel()
    >>> lower, upper = np.array([i, i + 1, i + 42]).T, np.array([i, i + 42, i + 41]).T
    >>> cells = np.vstack([lower, upper])
    >>> disk = zs.LevelSet((points, cells), lambda p: np.linalg.norm(p, axis=1) - 0.3)
    >>> for s in disk.evolve(normal_speed=1, until=0.2, every=0.1):
    ...     print(f"{s.time:.1f} {s.length / (2 * np.pi):.2f}")
    0.1 0.40
    0.2 0.50
    """

    def __init__(
        self,
        mesh: Any,
        phi: Any,
        *,
        device: str = "auto",
        threads: int = 0,
        cfl: float | None = None,
        mask: str | None = None,
        start_time: float | None = None,
        volume_correction: str = "none",
        advection: str | None = None,
    ) -> None:
        self.mesh: Mesh = as_mesh(mesh, device, threads)
        self._convert = self.mesh._converter(phi)
        options = {
            "cfl": cfl,
            "mask": mask,
            "start_time": start_time,
            "volume_correction": volume_correction,
            "advection": advection,
        }
        text = _options.text(**options)
        # The GPU of phi, if the motion is computed there. Its arrays then stay there.
        self._gpu = self._gpu_of(phi)
        if self._gpu is not None:
            native = self.mesh._native_on(self._gpu.number)
            assert native is not None
            values = self._gpu.rows(phi, (self.mesh.n_points,), "phi")
            self._begun: tuple[Any, dict[str, Any]] = (None, options)
            self._native = _native.LevelSet.between(
                native, self._gpu.address(values), self._gpu.stream(), text
            )
        else:
            self._begun = (self._phi(phi), options)
            self._native = _native.LevelSet(self.mesh._native, self._begun[0], text)
        self._warned = 0
        # The terms and the options of the motion that `evolve` has begun and not ended.
        self._motion: tuple[dict[str, Any], dict[str, Any] | None, str] | None = None
        self._warn()

    def _gpu_of(self, values: Any) -> _arrays.Gpu | None:
        """Return the GPU that holds an array, if the mesh can be used there."""
        if not _arrays.on_gpu(values):
            return None
        gpu = _arrays.Gpu(values)
        return gpu if self.mesh._native_on(gpu.number) is not None else None

    def _phi(self, phi: Any) -> Any:
        if isinstance(phi, str):
            return phi
        values = phi(self.mesh.points) if callable(phi) else phi
        return np.ascontiguousarray(_inputs.as_array(values, self.mesh.n_points, "phi")[:, 0])

    def _warn(self) -> None:
        """Issue the warnings that are new."""
        told = self._native.warnings()
        said, new = told[: self._warned], told[self._warned :]
        self._warned = len(told)
        # A new phi repeats the warnings about the mesh.
        self.mesh._warn(warning for warning in new if warning not in said)

    def _terms(
        self, velocity: Any, normal_speed: Any, curvature: Any, weighted_curvature: Any
    ) -> dict[str, Any]:
        if velocity is None:
            pass
        elif _is_texts(velocity):
            velocity = tuple(velocity)
        else:
            velocity = _arrays.as_numpy(velocity)
            if velocity.shape == (3,):
                velocity = tuple(map(float, velocity))
            else:
                velocity = _inputs.as_array(velocity, self.mesh.n_points, "velocity")
        return {
            "velocity": velocity,
            "normal_speed": _inputs.as_values(normal_speed, "normal_speed"),
            "curvature": _inputs.as_values(curvature, "curvature"),
            "weighted_curvature": _inputs.as_values(weighted_curvature, "weighted_curvature"),
        }

    def _split(self, terms: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Return the terms for the native part, and those that are arrays on the GPU of the motion.

        The second part is None if there are none.
        """
        arrays: dict[str, Any] = dict.fromkeys(terms)
        if any(map(_arrays.on_gpu, terms.values())) and self._native.gpu() is not None:
            for name, values in terms.items():
                n = self.mesh.n_points
                shape = (n, 3) if name == "velocity" else (n,)
                if not _arrays.on_gpu(values) or tuple(values.shape) != shape:
                    continue
                gpu = _arrays.Gpu(values)
                if gpu.number == self._native.gpu():
                    arrays[name] = (gpu, gpu.rows(values, shape, name))
                    terms = {**terms, name: None}
        is_none = all(array is None for array in arrays.values())
        return self._terms(**terms), None if is_none else arrays

    def _continue(self, terms: dict[str, Any], arrays: dict[str, Any] | None, text: str) -> None:
        if arrays is None:
            self._native.continue_with(terms, text)
        else:
            self._native.continue_between(terms, *_addresses(arrays), text)

    def evolve(
        self,
        *,
        until: float | None = None,
        every: float | None = None,
        velocity: Any = None,
        normal_speed: Any = None,
        curvature: Any = None,
        weighted_curvature: Any = None,
        max_steps: int | None = None,
        steady: float | None = None,
        max_step: float | None = None,
        progress: Progress | bool | None = None,
    ) -> Iterator[State]:
        """Move the interface, and return its states one after another.

        Lengths are in mesh units, and times in the time unit of the terms.

        Parameters
        ----------
        until : float, optional
            Time at which the motion ends. Times are absolute.
        every : float, optional
            Time between states, > 0. Without it, only the last state is returned.
        velocity : three numbers, three expressions, or array of shape (n, 3), optional
            Velocity in mesh units per time.
        normal_speed : float, str or array of shape (n,) or (m,), optional
            Speed along the normal in mesh units per time. The inside grows where it is > 0.
        curvature : float, str or array of shape (n,) or (m,), optional
            Coefficient of the curvature in mesh units^2 per time, >= 0.
        weighted_curvature : float, str or array of shape (n,) or (m,), optional
            Weight of the weighted curvature flow in mesh units^2 per time, >= 0.
        max_steps : int, optional
            Largest number of steps of this call.
        steady : float, optional
            Ends the motion when phi near the interface changes at most this fast, in mesh units per
            time, > 0.
        max_step : float, optional
            Longest step if a term depends on the time t, > 0.
        progress : bool or callable, optional
            True shows a line in terminals and notebooks. A function is called with a dict about
            every 20 ms.

        Yields
        ------
        State

        Raises
        ------
        ValueError
            If a term or an option cannot be used.
        NumericalError, DeviceError, MemoryError
            If the computation fails.
        """
        if max_steps is not None:
            max_steps += self.step_count
        options = _options.text(
            until=until,
            every=every,
            max_steps=max_steps,
            steady=steady,
            cfl=self._begun[1]["cfl"],
            volume_correction=self._begun[1]["volume_correction"],
            advection=self._begun[1]["advection"],
            max_step=max_step,
        )
        terms = {
            "velocity": velocity,
            "normal_speed": normal_speed,
            "curvature": curvature,
            "weighted_curvature": weighted_curvature,
        }
        self._motion = (*self._split(terms), options)
        self._continue(*self._motion)
        self._warn()
        return self._states(progress)

    def _states(self, progress: Progress | bool | None) -> Iterator[State]:
        has_ended = False
        while not has_ended:
            with _progress.shown(progress) as call:
                found = self._native.advance(call, self._gpu is None)
            if found is None:
                break
            self._warn()
            # The caller may replace phi, which begins another motion.
            has_ended = self._native.ended_by() is not None
            yield self._state(found)
        self._motion = None

    def set_terms(
        self,
        *,
        velocity: Any = None,
        normal_speed: Any = None,
        curvature: Any = None,
        weighted_curvature: Any = None,
    ) -> None:
        """Replace all terms of the motion that `evolve` has begun, from the next step on.

        The end of the motion and the times of its states stay as they are. After the last state,
        nothing moves.

        Parameters
        ----------
        velocity, normal_speed, curvature, weighted_curvature
            See `evolve`.

        Raises
        ------
        ValueError
            If a term cannot be used, or if no motion is under way.
        """
        if self._motion is None:
            raise ValueError("no motion is under way: call evolve with these terms")
        terms = {
            "velocity": velocity,
            "normal_speed": normal_speed,
            "curvature": curvature,
            "weighted_curvature": weighted_curvature,
        }
        given, arrays = self._split(terms)
        if arrays is None:
            self._native.set_terms(given)
        else:
            self._native.set_terms_between(given, *_addresses(arrays))
        self._motion = (given, arrays, self._motion[2])

    def step(
        self,
        *,
        velocity: Any = None,
        normal_speed: Any = None,
        curvature: Any = None,
        weighted_curvature: Any = None,
        until: float | None = None,
    ) -> State:
        """Take one step, with terms that may differ from those of the last step.

        Parameters
        ----------
        velocity, normal_speed, curvature, weighted_curvature
            See `evolve`.
        until : float, optional
            Time that the step must not pass, in the time unit of the terms.

        Returns
        -------
        State
            The state after the step, or the current one if the motion has ended.
        """
        states = self.evolve(
            velocity=velocity,
            normal_speed=normal_speed,
            curvature=curvature,
            weighted_curvature=weighted_curvature,
            until=until,
            max_steps=1,
        )
        state = next(states, None) or self.state()
        self._motion = None
        return state

    def state(self) -> State:
        """Return the current state."""
        return self._state(self._native.state(self._gpu is None))

    def _state(self, found: dict[str, Any]) -> State:
        """Return a state from its parts. Without phi, phi is on the GPU."""
        if self._gpu is None:
            return State(found, self._convert(found["phi"]))
        phi = self._gpu.empty((self.mesh.n_points,), "float64")
        self._native.phi_to(self._gpu.address(phi), self._gpu.stream())
        return State(found, self._gpu.result(phi))

    @property
    def phi(self) -> Any:
        """Level set of each point, negative inside, shape (n,), in mesh units. Assign to it to
        replace it, even while `evolve` returns states."""
        return self.state().phi

    @phi.setter
    def phi(self, phi: Any) -> None:
        motion = self._motion if self._native.ended_by() is None else None
        gpu = self._gpu_of(phi)
        if gpu is not None and gpu.number == self._native.gpu():
            values = gpu.rows(phi, (self.mesh.n_points,), "phi")
            self._native.set_phi_between(gpu.address(values), gpu.stream())
            values = None
        else:
            values = self._phi(phi)
            self._native.set_phi(values)
        self._begun = (values, {**self._begun[1], "start_time": self.time})
        if motion is not None:
            self._continue(*motion)
        self._warn()

    def write_checkpoint(self, path: str | os.PathLike[str]) -> None:
        """Write the current state to a file, from which `resume` continues bitwise identically.

        A file that exists is replaced.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        self._native.write_checkpoint(os.fspath(path))

    def resume(self, path: str | os.PathLike[str]) -> None:
        """Continue from a state that `write_checkpoint` has written, perhaps in another process.

        This level set must have the mesh, phi, start time and mask of the one that was written, and
        must not have moved. The next `evolve` or `step` continues from the state.

        Raises
        ------
        OSError
            If the file is not a complete checkpoint, or if the mesh is another one.
        ValueError
            If the motion is another one.
        """
        self._native.resume(os.fspath(path))
        self._warn()

    @property
    def gradient(self) -> Any:
        """Gradient of the level set at each point, shape (n, 3), without a unit."""
        if self._gpu is None:
            return self._convert(self._native.gradient())
        gradient = self._gpu.empty((self.mesh.n_points, 3), "float64")
        self._native.gradient_to(self._gpu.address(gradient), self._gpu.stream())
        return self._gpu.result(gradient)

    @property
    def interface(self) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
        """Interface: points in mesh units, shape (k, 3), and the point numbers of segments, (j, 2),
        or of triangles, (j, 3)."""
        return self._native.interface()

    @property
    def time(self) -> float:
        """Current time, in the time unit of the terms."""
        return self._native.clock()[0]

    @property
    def step_count(self) -> int:
        """Number of steps since the beginning."""
        return self._native.clock()[1]

    @property
    def ended_by(self) -> str | None:
        """Reason why the last motion ended: "end_time reached", "max_steps done", "steady state" or
        "interface gone"."""
        return self._native.ended_by()

    def plot(self, *, title: str = "level set") -> _view.View:
        """Return a 3-D view for a browser or a notebook, with phi and its isolines."""
        return self.mesh.view({"phi": _arrays.as_numpy(self.phi)}, title=title)

    def __reduce__(self) -> tuple[Any, ...]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "state")
            self.write_checkpoint(path)
            phi, options = self._begun
            phi = self._native.given_phi() if phi is None else phi
            mesh = self.mesh if self._gpu is None else self.mesh._for_gpu(self._gpu.number)
            return _restored, (mesh, phi, options, path.read_bytes())

    def __repr__(self) -> str:
        return f"<zeroset.LevelSet: {self.mesh!r}, time {self.time:.6g}>"

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()


def _restored(mesh: Mesh, phi: Any, options: dict[str, Any], state: bytes) -> LevelSet:
    """Return a level set that continues from the bytes of a checkpoint."""
    with warnings.catch_warnings():
        # The original has issued them.
        warnings.simplefilter("ignore", _messages.ZerosetWarning)
        found = LevelSet(mesh, phi, **options)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "state")
            path.write_bytes(state)
            found.resume(path)
    return found


def _addresses(arrays: dict[str, Any]) -> tuple[dict[str, int | None], int]:
    """Return the addresses of arrays on a GPU, or None, and the stream of their package."""
    found = {
        name: None if array is None else array[0].address(array[1])
        for name, array in arrays.items()
    }
    stream = next(array[0].stream() for array in arrays.values() if array is not None)
    return found, stream


def _is_texts(velocity: Any) -> bool:
    return (
        isinstance(velocity, (list, tuple))
        and len(velocity) == 3
        and all(isinstance(x, str) for x in velocity)
    )
