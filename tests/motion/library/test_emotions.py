"""Every emotion, dance and gesture of our own: what the robot is sent for it, and what it does in the simulation."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import AWAKE, Pose, PoseTuple
from reachy_mind.body.protocol import MotorMode
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.engine import Engine
from reachy_mind.motion.library.dances import DANCES, dance
from reachy_mind.motion.library.emotions import EMOTIONS, emotion
from reachy_mind.motion.library.gestures import GESTURES, gesture
from reachy_mind.motion.limits import MOVING, NAMES, PERIOD_S
from reachy_mind.motion.moves import Frames
from reachy_mind.sim.world import SimulatedWorld

WANTED = {
    *("happy", "sad", "surprised", "curious", "confused", "excited", "tired", "angry", "scared", "bored", "proud"),
    *("shy", "loving", "attentive", "thinking", "grateful", "relieved", "disappointed", "playful", "sleepy"),
    *("welcoming", "agreeing", "disagreeing", "neutral"),
}
INTENSITIES = (0.1, 0.5, 1.0)
LONGEST = math.radians(12)
"""How far the command may be from what is written, best delay counted: the composition must be one the limits allow."""

performances: dict[str, Callable[[], Frames]] = {
    **{
        f"{name} {level:g}": partial(EMOTIONS[name].frames, level, seed=3) for name in EMOTIONS for level in INTENSITIES
    },
    **{f"{name} at {bpm}": partial(DANCES[name].frames, 1, bpm, seed=3) for name in DANCES for bpm in (70, None, 150)},
    **{f"{name} {level:g}": partial(gesture, name, level, seed=3) for name in GESTURES for level in INTENSITIES},
}
"""How each is made: all of them take seconds, which whoever collects tests should not wait for."""


def sent(kinematics: Kinematics, frames: Frames) -> tuple[Engine, list[PoseTuple]]:
    engine = Engine(kinematics, AWAKE.as_tuple, idle=False)
    engine.play("move", frames)
    return engine, [engine.tick(tick * PERIOD_S) for tick in range(len(frames.frames) + 250)]


def within(values: Iterable[PoseTuple], most: PoseTuple) -> bool:
    return all(abs(value) <= limit * 1.001 for row in values for value, limit in zip(row, most, strict=True))


def slope(rows: list[PoseTuple]) -> list[PoseTuple]:
    return [tuple((b - a) / PERIOD_S for a, b in zip(*pair, strict=True)) for pair in pairwise(rows)]  # type: ignore[misc]


@pytest.mark.parametrize("name", performances)
def test_it_plays_to_its_end_within_every_limit_and_in_reach(kinematics: Kinematics, name: str) -> None:
    frames = performances[name]()
    engine, commands = sent(kinematics, frames)
    (ended,) = engine.ended
    assert (ended.how, ended.clamped) == ("finished", ())
    assert all(kinematics.reachable(Pose(*command)) for command in commands[::3])
    limits = MOVING.sent()
    speeds = slope(commands)
    assert within(speeds, limits.velocity)
    assert within(slope(speeds), limits.acceleration)
    assert Pose(*commands[-1]).distance(AWAKE) < math.radians(1)
    delay = min(range(8), key=lambda ticks: _off(commands, frames, ticks))
    assert _off(commands, frames, delay) < LONGEST


def _off(commands: list[PoseTuple], frames: Frames, delay: int) -> float:
    return max(
        abs(command[index] - frame[index])
        for command, frame in zip(commands[60 + delay :], frames.frames[60:], strict=False)
        for index in (3, 4, 5, 6)
    )


def test_every_one_of_them_moves_the_simulated_robot(description: Path, compiled: Path, kinematics: Kinematics) -> None:
    world = SimulatedWorld(description, "empty", compiled)
    world.set_mode(MotorMode.ENABLED)

    def drive(command: PoseTuple, steps: int) -> Pose:
        pose = Pose(*command)
        world.drive(kinematics.joints(pose.head_matrix(), pose.body_yaw), pose.antennas)
        world.step(steps)
        return Pose.from_head_matrix(world.head(), body_yaw=world.joints()[0], antennas=world.antennas())

    drive(AWAKE.as_tuple, 500)
    emotions = [(name, made()) for name, made in list(performances.items())[: len(EMOTIONS) * 3]]
    written = [*emotions, *((name, one.frames(seed=3)) for name, one in DANCES.items())]
    for name, frames in written:
        _, commands = sent(kinematics, frames)
        measured = [drive(command, 10) for command in commands[: len(frames.frames) : 2]]
        far = max(Pose(*command).distance(AWAKE) for command in commands)
        reached = max(pose.distance(AWAKE) for pose in measured)
        assert reached > 0.6 * far, f"{name} commands {math.degrees(far):.0f} degrees, the robot did {reached}"
        assert drive(AWAKE.as_tuple, 300).distance(AWAKE) < math.radians(4), f"{name} does not come back"


def test_the_feelings_people_ask_for_are_there() -> None:
    assert set(EMOTIONS) >= WANTED
    assert len(DANCES) >= 10
    assert {"nod", "shake", "wave", "tilt", "shrug", "peekaboo"} <= set(GESTURES)


def test_intensity_makes_it_larger() -> None:
    for name in set(EMOTIONS) - {"neutral", "calm"}:
        sizes = [
            max(Pose(*frame).distance(AWAKE) for frame in emotion(name, level, seed=1).frames) for level in INTENSITIES
        ]
        assert sizes == sorted(sizes) and sizes[2] > 1.4 * sizes[0], name


def test_never_the_same_twice_unless_asked() -> None:
    first, second = emotion("happy"), emotion("happy")
    assert first.frames != second.frames
    assert emotion("happy", seed=7) == emotion("happy", seed=7)
    assert dance("twist", seed=7) == dance("twist", seed=7)
    assert dance("twist").frames != dance("twist").frames


def test_the_two_antennas_are_never_quite_alike() -> None:
    for name in EMOTIONS:
        apart = max(abs(frame[7] + frame[8]) for frame in emotion(name, seed=2).frames)
        assert apart > math.radians(2), name


def test_it_gets_ready_before_it_jumps() -> None:
    heights = [frame[2] for frame in emotion("surprised", 1.0, seed=1).frames]
    top = heights.index(max(heights))
    assert min(heights[:top]) < -0.002 < 0.008 < heights[top]


def test_antennas_follow_through() -> None:
    """The head stops, they swing on."""
    frames = gesture("nod", 1.0, seed=1, times=1).frames
    lowest = max(range(len(frames)), key=lambda tick: frames[tick][4])
    widest = max(range(len(frames)), key=lambda tick: frames[tick][7])
    assert widest > lowest + 3


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("joyful", "happy"),
        ("Cheerful", "happy"),
        ("thank you", "grateful"),
        ("AFRAID", "scared"),
        ("puzzled", "confused"),
    ],
)
def test_other_words_mean_the_same(word: str, name: str) -> None:
    assert emotion(word, seed=1) == emotion(name, seed=1)


@pytest.mark.parametrize("intensity", [0.0, 0.05, 1.5, -1.0, math.nan, math.inf])
def test_an_intensity_that_is_none_is_refused(intensity: float) -> None:
    with pytest.raises(InvalidParameter, match="intensity"):
        emotion("happy", intensity)


def test_an_unknown_feeling_names_the_nearest() -> None:
    with pytest.raises(InvalidParameter) as error:
        emotion("hapy")
    assert "happy" in error.value.hint


def test_a_dance_keeps_the_beat() -> None:
    slow, quick = dance("rocker", bpm=80, seed=1), dance("rocker", bpm=160, seed=1)
    assert slow.duration == pytest.approx(16 * 60 / 80, abs=0.02)
    assert quick.duration == pytest.approx(16 * 60 / 160, abs=0.02)
    pitches = [frame[4] for frame in slow.frames]
    bangs = [
        tick / 100
        for tick in range(100, len(pitches) - 100)
        if pitches[tick] == max(pitches[tick - 20 : tick + 21]) and pitches[tick] > 0.1
    ]
    gaps = [b - a for a, b in pairwise(bangs)]
    assert len(bangs) > 10 and all(gap == pytest.approx(60 / 80, abs=0.03) for gap in gaps)


def test_a_dance_repeats_without_a_seam() -> None:
    once, twice = dance("two_step", seed=1), dance("two_step", repeat=2, seed=1)
    assert twice.duration == pytest.approx(2 * once.duration, abs=0.02)
    seam = round(once.duration * 100)
    jump = max(abs(a - b) for a, b in zip(twice.frames[seam - 1], twice.frames[seam], strict=True))
    assert jump < math.radians(4)
    assert max(abs(value) for value in twice.frames[seam - 50][:6]) > 0.01  # in full swing, not at rest


@pytest.mark.parametrize(("repeat", "bpm"), [(0, None), (21, None), (1, 0), (1, 1000), (1, math.nan)])
def test_a_dance_nobody_can_dance_is_refused(repeat: int, bpm: float | None) -> None:
    with pytest.raises(InvalidParameter):
        dance("twist", repeat, bpm)


def test_random_is_one_of_them() -> None:
    assert {dance("random", seed=seed).duration for seed in range(30)} <= {
        one.frames().duration for one in DANCES.values()
    }


def test_gestures_do_what_their_parameters_say() -> None:
    def nods(times: int) -> int:
        pitches = [frame[4] for frame in gesture("nod", 1.0, seed=1, times=times).frames]
        return sum(a < 0.1 <= b for a, b in pairwise(pitches))

    assert [nods(times) for times in (1, 2, 5)] == [1, 2, 5]
    assert gesture("nod", seed=1, speed="slow").duration > 1.3 * gesture("nod", seed=1).duration
    left, right = (gesture("tilt", side=side, degrees=25).frames for side in ("left", "right"))
    assert min(frame[3] for frame in left) == pytest.approx(-math.radians(25), abs=0.02)
    assert max(frame[3] for frame in right) == pytest.approx(math.radians(25), abs=0.02)
    waving = gesture("wave", side="right").frames
    swings = {side: max(f[side] for f in waving) - min(f[side] for f in waving) for side in (7, 8)}
    assert swings[NAMES.index("antenna_right")] > 2 * swings[NAMES.index("antenna_left")]


@pytest.mark.parametrize(
    "parameters", [{"times": 0}, {"times": 6}, {"speed": "warp"}, {"times": "many"}, {"nonsense": 1}]
)
def test_a_gesture_with_a_wrong_parameter_is_refused(parameters: dict[str, object]) -> None:
    with pytest.raises(InvalidParameter, match="nod"):
        gesture("nod", **parameters)  # type: ignore[arg-type]
