"""`CameraBody`: one robot with physics, and the camera in its head: `see` is what the detector finds in its picture.

The physics is that of `PhysicsBody`, so that the camera alone is what differs from the level before. Compared with
`SimulatedWorld`, which has the scene too: there things fall while the robot decides, must not overlap anything, and a
step costs more. The picture is rendered by the simulator's camera process. Compared with a renderer in this process:
MuJoCo chooses how it renders when it is imported, so that whoever had made another body before would get no picture.
The detector is the simulator's own segmentation (`sim.segmentation`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import InvalidParameter
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.objects import DetectedObject
from reachy_mind.learning.environments.bodies import Array
from reachy_mind.learning.environments.camera_thread import BlockingCamera
from reachy_mind.learning.environments.physics import HEAD_HEIGHT_M, PhysicsBody
from reachy_mind.learning.environments.thing_kinds import ThingKind
from reachy_mind.sim.appearance import PersonLook, SceneAppearance
from reachy_mind.sim.camera import CameraProcess, SceneSnapshot
from reachy_mind.sim.drawn_pictures import drawn_person
from reachy_mind.sim.frame_objects import FrameNames, ObjectName

SCENE = "empty"
FLOOR_M = -HEAD_HEIGHT_M
"""Height of the floor above the pivot of the neutral head."""
FACE = "face"
DETECTOR = "sim"


@dataclass(frozen=True)
class PlacedThing:
    """`middle`: in metres from the pivot of the neutral head."""

    kind: ThingKind
    middle: Array
    yaw: float = 0.0


class CameraBody(PhysicsBody):
    """A batch of one. `description`: of the robot; `cache`: of compiled scenes. Raises AssetError without the
    description, InvalidParameter for more robots. The camera's process starts with the first picture, and ends with
    `close` or with this process."""

    def __init__(self, count: int, description: Path, cache: Path) -> None:
        if count != 1:
            hint = "one robot: its pictures keep all cores busy"
            raise InvalidParameter(f"{count} robots with a camera side by side", hint=hint)
        super().__init__(count, description, cache)
        from reachy_mind.sim.body_pool import BodyPool  # noqa: PLC0415 -- MuJoCo
        from reachy_mind.sim.scene import model  # noqa: PLC0415 -- MuJoCo

        scene = model(description, SCENE, "physics", cache)
        pool, self._scene = BodyPool(scene), self._mujoco.MjData(scene)
        self._things, self._people = pool.positions, pool.mocaps
        names = [self._model.joint(joint).name for joint in range(self._model.njnt)]
        self._own, self._shown = _columns(self._model, names), _columns(scene, names)
        self._camera = BlockingCamera(CameraProcess(description, SCENE, cache))
        person = drawn_person(FACE, 0)
        self._person = PersonLook(face=person.face.key, skin=person.skin, hair=person.hair, clothes=person.clothes)
        self._pictures = {person.face.key: person.face.pixels}
        self._appearance = SceneAppearance()
        self.looking_s = 0.0
        """Real seconds spent on pictures."""

    def see(self, things: Sequence[PlacedThing], face: Array | None = None) -> list[DetectedObject]:
        """What is visible of these things, and of a person whose head is at `face`, from where the head is now: boxes
        in the picture, by the names of the kinds and `face`. Raises NotReady where nothing can be rendered here."""
        self._scene.qpos[self._shown] = self._states[0, 1 + self._own]
        for slot, thing in enumerate(things):
            self._scene.qpos[self._things[slot] :][:7] = _position(thing)
        if face is not None:
            x, y, z = face
            half = (math.atan2(y, x) + math.pi) / 2  # it looks at the robot
            self._scene.mocap_pos[self._people[0]] = x, y, z + HEAD_HEIGHT_M
            self._scene.mocap_quat[self._people[0]] = math.cos(half), 0.0, 0.0, math.sin(half)
        scene, names = self._scene, [ObjectName(thing.kind.name, thing.kind.name) for thing in things]
        snapshot = SceneSnapshot(
            b"".join(each.tobytes() for each in (scene.qpos, scene.mocap_pos, scene.mocap_quat)),
            self._looks(things, face is not None),
            self._pictures,
            0,
            FrameNames(dict(enumerate(names)), {0: ObjectName(FACE, FACE)}),
        )
        began = time.perf_counter()
        found = self._camera.seen(snapshot)
        self.looking_s += time.perf_counter() - began
        return [
            DetectedObject(each["label"], 1.0, Box(*box), DETECTOR, float(each["distance_m"]))
            for each in found
            if (box := each["head"] if each["kind"] == "person" else each["box"]) is not None
        ]

    def close(self) -> None:
        super().close()
        self._camera.close()

    def _looks(self, things: Sequence[PlacedThing], has_person: bool) -> SceneAppearance:
        """The same object while nothing changes: only changes are sent to the camera."""
        looks = SceneAppearance(
            things={slot: thing.kind.look for slot, thing in enumerate(things)},
            people={0: self._person} if has_person else {},
        )
        if looks != self._appearance:
            self._appearance = looks
        return self._appearance


def _columns(model: Any, joints: list[str]) -> NDArray[np.int64]:
    """Where the positions of these joints are."""
    first = [int(model.joint(name).qposadr[0]) for name in joints]
    sizes = [len(model.joint(name).qpos0) for name in joints]
    return np.concatenate([np.arange(begin, begin + size) for begin, size in zip(first, sizes, strict=True)])


def _position(thing: PlacedThing) -> tuple[float, ...]:
    """Of its body, from the robot's foot, and how it is turned. Nothing holds it there: it is for the picture only."""
    from reachy_mind.sim.scene import OBJECTS, turned  # noqa: PLC0415 -- MuJoCo

    shape = thing.kind.look.shape
    upright = OBJECTS[shape][3] if shape in OBJECTS else ()
    x, y, z = (float(value) for value in thing.kind.origin(thing.middle, thing.yaw))
    return x, y, z + HEAD_HEIGHT_M, *turned((*upright, (0.0, 0.0, 1.0, math.degrees(thing.yaw))))
