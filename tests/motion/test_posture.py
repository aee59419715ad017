"""Postures of listening, thinking and speaking, on virtual time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.motion.limits import MOVING, PoseTuple
from reachy_mind.motion.moves import Goto
from tests.motion.test_engine import Watch


@pytest.fixture
def watch(kinematics: Kinematics) -> Watch:
    watch = Watch(kinematics, start=AWAKE.as_tuple)
    watch.limits = MOVING.sent()
    return watch


def held(watch: Watch, name: str) -> Pose:
    watch.engine.set_posture(name)
    return Pose(*watch.run(1.0)[-1])


def spread(commands: list[PoseTuple], axis: int) -> float:
    return max(c[axis] for c in commands) - min(c[axis] for c in commands)


def test_listening_leans_in_with_a_tilt_and_antennas_that_keep_still(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True, start=AWAKE.as_tuple)
    watch.run(6)
    watch.engine.set_posture("listening")
    watch.run(1.0)
    still = watch.run(2.0)
    pose = Pose(*still[-1])
    assert pose.x > 0.004 and math.radians(4) < abs(pose.roll) < math.radians(12)
    assert spread(still, 7) < 0.01 and spread(still, 8) < 0.01


def test_thinking_looks_up_and_aside_and_is_never_quite_still(watch: Watch) -> None:
    pose = held(watch, "thinking")
    assert pose.pitch < math.radians(-5) and abs(pose.yaw) > math.radians(6)
    thinking = watch.run(8.0)
    assert all(c[4] < math.radians(-4) and abs(c[5]) > math.radians(4) for c in thinking)
    assert spread(thinking, 5) > math.radians(3)
    lefts, rights = [c[7] for c in thinking], [-c[8] for c in thinking]
    assert any(a > b + 0.2 for a, b in zip(lefts, rights, strict=True)), "the left antenna is out"
    assert any(b > a + 0.2 for a, b in zip(lefts, rights, strict=True)), "then the right one"


def test_speaking_stands_taller_and_forward(watch: Watch) -> None:
    pose = held(watch, "speaking")
    assert pose.z > 0.003 and pose.x > 0.002


@pytest.mark.parametrize("name", ["listening", "thinking", "speaking"])
def test_every_posture_is_eased_into_and_left_without_a_trace(watch: Watch, name: str) -> None:
    watch.engine.set_posture(name)
    first = Pose(*watch.run(0.05)[-1])
    assert first.distance(AWAKE) < math.radians(1)
    assert Pose(*watch.run(1.0)[-1]).distance(AWAKE) > math.radians(2)
    watch.engine.set_posture("none")
    assert Pose(*watch.run(1.0)[-1]).distance(AWAKE) < 1e-3


def test_changes_in_the_middle_are_smooth_too(watch: Watch) -> None:
    for name in ("listening", "thinking", "speaking", "thinking", "none", "listening"):
        watch.engine.set_posture(name)
        speeds = []
        for _ in range(22):
            watch.run(0.01)
            speeds.append(
                max(abs(a - b) for a, b in zip(watch.commands[-1][3:6], watch.commands[-2][3:6], strict=True))
            )
        assert max(speeds) * 100 < math.radians(60)


def test_it_is_a_little_different_each_time(watch: Watch) -> None:
    poses = []
    for _ in range(4):
        poses.append(held(watch, "thinking"))
        held(watch, "none")
    assert all(a.distance(b) > math.radians(0.5) for i, a in enumerate(poses) for b in poses[:i])


def test_the_same_again_changes_nothing(watch: Watch) -> None:
    pose = held(watch, "listening")
    assert held(watch, "listening").distance(pose) < 1e-6


def test_a_move_has_the_head_to_itself_and_the_posture_comes_back_after(watch: Watch) -> None:
    held(watch, "thinking")
    wish = replace(AWAKE, yaw=0.2, pitch=0.2)
    watch.engine.play("a", Goto.to(wish, 1.0))
    watch.until(lambda: bool(watch.engine.ended))
    assert Pose(*watch.commands[-1]).distance(wish) < math.radians(1)
    after = Pose(*watch.run(1.0)[-1])
    assert after.pitch < wish.pitch - math.radians(5)


def test_after_a_stop_it_stays_as_it_is(watch: Watch) -> None:
    watch.limits = Watch(watch.kinematics).limits
    held(watch, "listening")
    watch.engine.stop()
    stopped = watch.run(0.3)[-1]
    watch.engine.set_posture("thinking")
    assert all(command == pytest.approx(stopped, abs=1e-6) for command in watch.run(2.0))
    watch.engine.play("a", Goto.to(AWAKE, 0.5))
    watch.until(lambda: watch.commands[-1][4] < math.radians(-5))


def test_leaving_listening_leaves_another_posture_alone(watch: Watch) -> None:
    pose = held(watch, "thinking")
    watch.engine.listen(on=False)
    assert Pose(*watch.run(0.5)[-1]).pitch == pytest.approx(pose.pitch, abs=math.radians(4))
    watch.engine.listen(on=True)
    watch.engine.listen(on=False)
    assert Pose(*watch.run(1.0)[-1]).distance(AWAKE) < 1e-3


@pytest.mark.parametrize("ask", [lambda e: e.set_posture("sulking"), lambda e: e.set_posture("")])
def test_a_posture_nobody_knows_is_refused_and_changes_nothing(watch: Watch, ask: Callable[[object], None]) -> None:
    with pytest.raises(ValueError, match="posture"):
        ask(watch.engine)
    assert Pose(*watch.run(0.5)[-1]).distance(AWAKE) == 0.0
