"""The worlds agree on where the robot looks; with a camera it finds the apple where it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from reachy_mind.learning.look_at.scene import LookAtScene
from reachy_mind.learning.look_at.worlds import KinematicWorld, PhysicsWorld

AHEAD, ASIDE = LookAtScene(5.0, -12.0, 0.45), LookAtScene(-40.0, 10.0, 0.9)
SEE = """
import json, sys
from pathlib import Path
from reachy_mind.learning.look_at.scene import LookAtScene
from reachy_mind.learning.look_at.worlds import CameraWorld

world = CameraWorld(Path(sys.argv[1]), Path(sys.argv[2]))
scenes = [LookAtScene(*values) for values in json.loads(sys.argv[3])]
print(json.dumps([world.situation(scene) for scene in scenes]))
world.close()
"""
"""In a process of its own: MuJoCo chooses how to render when it is imported."""


@pytest.mark.simulator
def test_with_physics_the_head_gets_where_it_is_told(description: Path, compiled: Path) -> None:
    world, geometry = PhysicsWorld(description, compiled), KinematicWorld()
    for scene in (AHEAD, ASIDE):
        real, ideal = (each.look(scene, scene.azimuth + 8, scene.elevation - 3) for each in (world, geometry))
        assert real.left == pytest.approx(ideal.left, abs=2) and real.up == pytest.approx(ideal.up, abs=3)
        assert real.left < -5 and not real.hit


@pytest.mark.process
def test_the_camera_finds_the_apple_where_it_is(description: Path, compiled: Path) -> None:
    scenes = [[each.azimuth, each.elevation, each.distance] for each in (AHEAD, ASIDE)]
    told = subprocess.run(
        [sys.executable, "-c", SEE, str(description), str(compiled), json.dumps(scenes)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    for scene, seen in zip((AHEAD, ASIDE), json.loads(told.stdout.splitlines()[-1]), strict=True):
        assert seen["azimuth"] == pytest.approx(scene.azimuth, abs=1.5)
        assert seen["elevation"] == pytest.approx(scene.elevation, abs=1.5)
        assert seen["distance"] == pytest.approx(scene.distance, abs=0.06), "its surface is nearer than its middle"
