"""`Renderer`: renders one view of a scene, in the camera process.

Shadows and reflections cost five times the rest in software rendering, so they are off.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import mujoco
import numpy as np
from PIL import Image

from reachy_mind.sim.appearance import FACE_SIZE, PICTURE_SIZE, Light, SceneAppearance
from reachy_mind.sim.body_pool import PEOPLE, THINGS, BodyPool, person_name, thing_name
from reachy_mind.sim.scene import model
from reachy_mind.sim.segmentation import Segments


class Renderer:
    """One view at one size. `set_appearance` sets what it shows besides the bare scene."""

    def __init__(
        self,
        description: Path,
        scene: str,
        cache: Path,
        view: Literal["eye", "studio"],
        camera: str,
        size: tuple[int, int],
    ) -> None:
        self._model = model(description, scene, view, cache)
        self._model.vis.quality.offsamples = 0 if view == "eye" else 4
        self._pool = BodyPool(self._model)
        self._data = mujoco.MjData(self._model)
        self._renderer = mujoco.Renderer(self._model, height=size[1], width=size[0])
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            self._renderer.scene.flags[flag] = 0
        self._camera, self._number = camera, ("eye", "studio").index(view)
        self._appearance: SceneAppearance | None = None
        self._segments = Segments(self._model, camera)
        self._shown: dict[str, str] = {}
        head, lamp = self._model.vis.headlight, self._model.light_diffuse
        self._full = np.copy(head.ambient), np.copy(head.diffuse), np.copy(lamp), np.copy(self._texture("sky"))

    def close(self) -> None:
        """Give back the graphics context, in the thread that made it."""
        self._renderer.close()

    def set_appearance(self, appearance: SceneAppearance, pictures: Mapping[str, bytes]) -> None:
        """Show these objects and people, in this light."""
        if appearance is self._appearance:
            return
        for slot in range(THINGS):
            thing = appearance.things.get(slot)
            self._pool.set_look(slot, thing)
            if thing is not None and thing.picture is not None:
                side = np.frombuffer(pictures[thing.picture], np.uint8).reshape(PICTURE_SIZE, PICTURE_SIZE, 3)
                self._show(thing_name(slot), thing.picture, _around(side))
        for slot in range(PEOPLE):
            person = appearance.people.get(slot)
            self._pool.set_person_look(slot, person)
            if person is not None:
                face = np.frombuffer(pictures[person.face], np.uint8).reshape(FACE_SIZE, FACE_SIZE, 3)
                self._show(person_name(slot), person.face, face)
        if self._appearance is None or appearance.light != self._appearance.light:
            self._set_light(appearance.light)
        self._appearance = appearance

    def _texture(self, name: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
        """A view of a texture's bytes in the model."""
        texture = self._model.texture(name)
        first = int(texture.adr[0])
        length = int(texture.width[0] * texture.height[0] * texture.nchannel[0])
        bytes_: np.ndarray[tuple[int], np.dtype[np.uint8]] = self._model.tex_data[first : first + length]
        return bytes_

    def _show(self, texture: str, key: str, pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> None:
        if self._shown.get(texture) != key:
            self._texture(texture)[:] = pixels.ravel()
            self._upload(texture)
            self._shown[texture] = key

    def _upload(self, texture: str) -> None:
        # The renderer has no public way to upload a texture again; MuJoCo needs its drawing context for that.
        self._renderer._gl_context.make_current()
        mujoco.mjr_uploadTexture(self._model, self._renderer._mjr_context, self._model.texture(texture).id)

    def _set_light(self, light: Light) -> None:
        ambient, diffuse, lamps, sky = self._full
        self._model.vis.headlight.ambient = np.minimum(ambient * light.level, 1.0)
        self._model.vis.headlight.diffuse = np.minimum(diffuse * light.level, 1.0)
        self._model.light_diffuse[:] = np.minimum(lamps * light.level, 1.0)
        self._model.light_dir[:] = np.array(light.direction) / np.linalg.norm(light.direction)
        self._texture("sky")[:] = np.clip(sky * light.level, 0, 255).astype(np.uint8)
        self._upload("sky")

    def draw(self, positions: bytes, moment: int) -> bytes:
        """A JPEG of the scene at these positions, with noise from the seed and the moment."""
        self._place(positions)
        pixels = self._renderer.render()
        if self._appearance is not None and self._appearance.noise > 0:
            chance = np.random.default_rng((self._appearance.seed, moment, self._number))
            grain = chance.standard_normal(pixels.shape, dtype=np.float32) * self._appearance.noise
            pixels = np.clip(pixels + grain, 0, 255).astype(np.uint8)
        picture = io.BytesIO()
        Image.fromarray(pixels).save(picture, "JPEG", quality=90)
        return picture.getvalue()

    def seen(self, positions: bytes, moment: int) -> bytes:  # noqa: ARG002 -- the same signature as `draw`
        """JSON of the objects visible in the frame at these positions."""
        self._place(positions)
        noise = self._appearance.noise if self._appearance is not None else 0.0
        return json.dumps(self._segments.read(self._renderer, noise)).encode()

    def _place(self, positions: bytes) -> None:
        state, joints, bodies = np.frombuffer(positions), self._model.nq, self._model.nmocap
        self._data.qpos[:] = state[:joints]
        self._data.mocap_pos[:] = state[joints : joints + 3 * bodies].reshape(-1, 3)
        self._data.mocap_quat[:] = state[joints + 3 * bodies :].reshape(-1, 4)
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)
        self._renderer.update_scene(self._data, camera=self._camera)


def _around(side: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """The same picture on all six sides of a box, upright on each side; on top, as seen from the robot.

    OpenGL lays out the sides of a cube (+x, -x, +y, -y, +z, -z) with y upwards, and our z is upwards.
    """
    quarters = (1, -1, 2, 0, -1, 0)
    return np.concatenate([np.rot90(side, quarter) for quarter in quarters])
