"""`WarpBody`: as `PhysicsBody`, thousands of robots on a GPU, stepped by MuJoCo Warp. Needs the extra `gpu`.

Numbers are single precision: the head is within 0.01 degrees of where `PhysicsBody` has it after a second. A GPU pays
off from about a thousand robots on; the first step on a machine compiles for a minute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from reachy_mind.errors import MissingExtra, NotReady
from reachy_mind.learning.environments.bodies import Array, Mask
from reachy_mind.learning.environments.physics import COMMANDS, STEP_S, PhysicsBody, head_poses


class WarpBody(PhysicsBody):
    """`device`: as Warp names it; its CPU device is for tests. Raises NotReady without a CUDA device."""

    def __init__(
        self, count: int, description: Path, cache: Path, *, step_s: float = STEP_S, device: str = "cuda:0"
    ) -> None:
        try:
            import mujoco_warp  # noqa: PLC0415 -- slow to load
            import warp  # noqa: PLC0415
        except ImportError as error:
            raise MissingExtra("physics on a GPU", "gpu") from error
        super().__init__(count, description, cache, step_s=step_s, threads=1)
        warp.config.quiet = True
        warp.init()
        if device not in {str(each) for each in warp.get_devices()}:
            raise NotReady(f"there is no device {device} for Warp", hint="without a CUDA driver use the body physics")
        self._warp, self._library, self._device = warp, mujoco_warp, device
        with warp.ScopedDevice(device):
            self._worlds = self._made_worlds()
            self._graph = self._captured() if device.startswith("cuda") else None

    def reset(self, rows: Mask) -> None:
        super().reset(rows)
        if not hasattr(self, "_worlds"):
            return
        nq = self._model.nq
        awake_positions, awake_velocities = self._awake[1 : 1 + nq], self._awake[1 + nq : 1 + nq + self._model.nv]
        for name, value in (("qpos", awake_positions), ("qvel", awake_velocities), ("qacc_warmstart", 0.0)):
            device_array = getattr(self._worlds, name)
            table = device_array.numpy()
            table[rows] = value
            device_array.assign(table)

    def move(self, targets: Array) -> None:
        """Raises ValueError for targets out of the rods' reach: the safety filter comes first."""
        controls = self._controls(targets)[:, :: self._repeats].astype(np.float32)
        with self._warp.ScopedDevice(self._device):
            for command in range(COMMANDS):
                self._worlds.ctrl.assign(np.ascontiguousarray(controls[:, command]))
                self._advance()
            self._library.kinematics(self._engine, self._worlds)
            positions = self._worlds.qpos.numpy().astype(np.float64)
            heads = [self._worlds.site_xpos.numpy()[:, self._head], self._worlds.site_xmat.numpy()[:, self._head]]
        self._commanded = targets.copy()
        places = np.concatenate([part.reshape(self.count, -1) for part in heads], axis=1).astype(np.float64)
        self.poses = head_poses(places, positions[:, self._joints])
        unstable = ~np.isfinite(positions).all(axis=1)
        if unstable.any():
            self.reset(unstable)

    def _made_worlds(self) -> Any:
        mujoco, data = self._mujoco, self._scratch[0]
        mujoco.mj_setState(self._model, data, self._awake, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self._engine = self._library.put_model(self._model)
        return self._library.put_data(self._model, data, nworld=self.count)

    def _captured(self) -> Any:
        """The steps of a command as one launch."""
        self._library.step(self._engine, self._worlds)  # compiles; the episodes begin with a reset
        with self._warp.ScopedCapture() as capture:
            for _ in range(self._repeats):
                self._library.step(self._engine, self._worlds)
        return capture.graph

    def _advance(self) -> None:
        if self._graph is not None:
            self._warp.capture_launch(self._graph)
            return
        for _ in range(self._repeats):
            self._library.step(self._engine, self._worlds)
