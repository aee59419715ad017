"""Worlds to look at things in: by geometry alone, with the physics of the robot, and with physics and camera."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Literal, get_args

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import InvalidParameter
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.lens import IN_HEAD_M, SIMULATED
from reachy_mind.learning.look_at.scene import MOST_PITCH, MOST_YAW, LookAtScene, LookAtWorld, Miss, Perceived, miss
from reachy_mind.system.desktop import choose_off_screen_opengl
from reachy_mind.tools.builtin.aiming import NECK
from reachy_mind.tools.builtin.head import facing

WorldName = Literal["kinematic", "physics", "camera"]
WORLDS: tuple[WorldName, ...] = get_args(WorldName)
SETTLE_S, CHECK_STEPS, STILL_DEGREES = 1.6, 50, 0.05
"""The head is still when it moves less than this in a tenth of a second. After the time it is within half a degree."""
APPLE_M = 0.037
"""Height of the middle of the apple above its foot."""
LOWEST_AIM = -30.0
"""Degrees up: below, the simulated robot stays some degrees short of any command, and no aim hits."""
LOWEST_M = -0.13
"""An apple lower than this, from the pivot of the head, would be in the floor."""
PICTURE = (640, 360)
EDGE = 0.004
"""A box that touches the edge of the picture may show a part of the thing only."""
SEARCH = ((0.0, -5.0), (35.0, -5.0), (-35.0, -5.0), (0.0, 20.0), (0.0, -30.0), (40.0, 15.0), (-40.0, 15.0))
"""Where the robot looks for the thing: degrees left and up."""


def open_world(name: WorldName, description: Path, cache: Path) -> LookAtWorld:
    """`description`: of the robot; `cache`: of compiled scenes. The kinematic world needs neither."""
    if name == "kinematic":
        return KinematicWorld()
    return PhysicsWorld(description, cache) if name == "physics" else CameraWorld(description, cache)


def bounded(yaw: float, pitch: float) -> Pose:
    """The head pose, within the range that is used."""
    left, up = min(max(yaw, -MOST_YAW), MOST_YAW), min(max(pitch, -MOST_PITCH), MOST_PITCH)
    return Pose(yaw=math.radians(left), pitch=-math.radians(up))


class KinematicWorld:
    """The head is where it is told to be, and the robot knows where the thing is."""

    name = "kinematic"

    def fits(self, scene: LookAtScene) -> bool:  # noqa: ARG002
        return True

    def situation(self, scene: LookAtScene) -> Perceived:
        return scene.as_dict()

    def look(self, scene: LookAtScene, yaw: float, pitch: float) -> Miss:
        return miss(bounded(yaw, pitch).head_matrix(), scene.place)

    def close(self) -> None:
        pass


class PhysicsWorld:
    """The simulated robot turns its head, with motors, rods and gravity; the robot knows where the thing is."""

    name = "physics"

    def __init__(self, description: Path, cache: Path) -> None:
        from reachy_mind.sim.world import SimulatedWorld  # noqa: PLC0415 -- MuJoCo

        self._world = SimulatedWorld(description, "empty", cache)
        self._kinematics = Kinematics(description / "kinematics_data.json")
        self._commanded = AWAKE
        self._world.set_mode(MotorMode.ENABLED)
        self.turn(0.0, 0.0)

    def fits(self, scene: LookAtScene) -> bool:
        camera_up = math.degrees(math.asin(IN_HEAD_M[2] / scene.distance))
        return scene.elevation - camera_up > LOWEST_AIM

    def situation(self, scene: LookAtScene) -> Perceived:
        return scene.as_dict()

    def look(self, scene: LookAtScene, yaw: float, pitch: float) -> Miss:
        self.turn(yaw, pitch)
        return miss(self._world.head(), scene.place)

    def turn(self, yaw: float, pitch: float) -> None:
        """Turn the head, the body with it where the neck would bend too far, and wait until it is still."""
        pose, _ = self._kinematics.within_reach(facing(self._commanded, bounded(yaw, pitch), NECK))
        joints = self._kinematics.joints(pose.head_matrix(), pose.body_yaw)
        assert joints is not None
        self._commanded = pose
        self._world.drive(joints=joints, antennas=AWAKE.antennas)
        before, end = self._pose(), self._world.time + SETTLE_S
        while self._world.time < end:
            self._world.step(CHECK_STEPS)
            now = self._pose()
            if math.degrees(max(abs(now.yaw - before.yaw), abs(now.pitch - before.pitch))) < STILL_DEGREES:
                break
            before = now

    def _pose(self) -> Pose:
        return Pose.from_head_matrix(self._world.head())

    def close(self) -> None:
        pass


class CameraWorld(PhysicsWorld):
    """With physics; the robot finds an apple in the picture of its camera, and knows no more than that."""

    name = "camera"

    def __init__(self, description: Path, cache: Path) -> None:
        from reachy_mind.sim.camera import CAMERAS  # noqa: PLC0415 -- before MuJoCo

        choose_off_screen_opengl()
        super().__init__(description, cache)
        from reachy_mind.sim.appearance import SceneAppearance, ThingLook  # noqa: PLC0415 -- MuJoCo
        from reachy_mind.sim.renderer import Renderer  # noqa: PLC0415 -- MuJoCo

        self._apple = self._world.things.add(ThingLook(shape="apple"), (0.5, 0.0, 0.0), name="apple")
        self._renderer = Renderer(description, "empty", cache, "eye", CAMERAS["eye"], PICTURE)
        self._renderer.set_appearance(SceneAppearance(things={self._apple.slot: self._apple.look}), {})

    def fits(self, scene: LookAtScene) -> bool:
        return super().fits(scene) and float(scene.place[2]) > LOWEST_M

    def situation(self, scene: LookAtScene) -> Perceived:
        if (found := self._seen(scene)) is not None:
            return found
        for yaw, pitch in SEARCH:
            self.turn(yaw, pitch)
            if (found := self._seen(scene)) is not None:
                return found
        raise InvalidParameter(f"the apple is nowhere to be seen: {scene}", hint="scenes lie within view of the search")

    def _seen(self, scene: LookAtScene) -> Perceived | None:
        """Where the detector sees the apple in the picture; None: not, or cut off by the edge."""
        x, y, z = (float(value) for value in scene.place)
        # It is put there for the picture only: nothing holds it in the air.
        self._world.things.move("apple", (x, y, z + self._kinematics.head_height - APPLE_M))
        seen = json.loads(self._renderer.seen(self._world.snapshot(), 0))
        self._world.things.move("apple", (0.5, 0.0, 0.0))
        apple = next((each for each in seen if each.get("slot") == self._apple.slot), None)
        if apple is None:
            return None
        box = Box(*apple["box"])
        if min(box.left, box.top) < EDGE or max(box.right, box.bottom) > 1 - EDGE:
            return None
        # Where it is does not depend on where the head happens to look: the camera moves with it.
        ahead, left, up = SIMULATED.place(*box.centre, float(apple["distance_m"]), self._pose())
        return {
            "azimuth": math.degrees(math.atan2(left, ahead)),
            "elevation": math.degrees(math.atan2(up, math.hypot(ahead, left))),
            "distance": math.sqrt(ahead * ahead + left * left + up * up),
        }

    def close(self) -> None:
        self._renderer.close()
