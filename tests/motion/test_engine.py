"""The motion engine on virtual time: smooth, within limits, never stuck."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.limits import JOINT_RANGES, MAX_YAW_DIFFERENCE
from reachy_mind.body.pose import AWAKE, Pose
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.engine import Engine
from reachy_mind.motion.idle import IdleLooks, IdleMotion
from reachy_mind.motion.library.gestures import gesture
from reachy_mind.motion.limits import MOVING, NAMES, PERIOD_S, STOPPING, PoseTuple
from reachy_mind.motion.moves import Frames, Goto, sampled
from reachy_mind.motion.posture import NAMES as POSTURES

ZERO: PoseTuple = (0.0,) * 9
ROUNDING = 1.001


class Watch:
    """Runs an engine and checks every command against every limit."""

    def __init__(self, kinematics: Kinematics, *, idle: bool = False, seed: int = 1, start: PoseTuple = ZERO) -> None:
        self.kinematics = kinematics
        self.engine = Engine(kinematics, start, idle=idle, seed=seed)
        self.now = 100.0
        self.commands = [start] * 4
        self.limits = STOPPING.sent()

    def run(self, seconds: float) -> list[PoseTuple]:
        ticks = round(seconds / PERIOD_S)
        for _ in range(ticks):
            self.now += PERIOD_S
            self.commands.append(self.engine.tick(self.now))
            self.check()
        return self.commands[-ticks:]

    def until(self, test: Callable[[], bool], seconds: float = 30) -> None:
        for _ in range(round(seconds / PERIOD_S)):
            self.run(PERIOD_S)
            if test():
                return
        pytest.fail(f"not within {seconds} s of virtual time")

    def check(self) -> None:
        a, b, c, d = self.commands[-4:]
        for i, name in enumerate(NAMES):
            velocity = (d[i] - c[i]) / PERIOD_S
            acceleration = (d[i] - 2 * c[i] + b[i]) / PERIOD_S**2
            jerk = (d[i] - 3 * c[i] + 3 * b[i] - a[i]) / PERIOD_S**3
            assert abs(velocity) <= self.limits.velocity[i] * ROUNDING, f"{name} velocity"
            assert abs(acceleration) <= self.limits.acceleration[i] * ROUNDING, f"{name} acceleration"
            assert abs(jerk) <= self.limits.jerk[i] * ROUNDING + 1e-3, f"{name} jerk"
        joints = self.kinematics.joints(Pose(*d).head_matrix(), d[6])
        assert joints is not None, f"out of reach: {d}"
        for joint, (low, high) in zip(joints, JOINT_RANGES, strict=True):
            assert low - 1e-6 <= joint <= high + 1e-6, f"joint out of range: {d}"
        assert abs(d[5] - d[6]) <= MAX_YAW_DIFFERENCE + 1e-6

    def speed(self) -> float:
        return max(abs(x - y) for x, y in zip(self.commands[-1], self.commands[-2], strict=True)) / PERIOD_S


@pytest.fixture
def watch(kinematics: Kinematics) -> Watch:
    return Watch(kinematics)


def goto(duration: float = 0.5, **wish: float) -> Goto:
    return Goto(wish, duration)


def wild(dice: random.Random) -> float:
    return dice.choice([dice.uniform(-0.05, 0.05), dice.uniform(-1, 1), dice.uniform(-4, 4), math.nan, math.inf, 1e9])


def random_command(watch: Watch, dice: random.Random, number: int) -> None:
    """One of everything that can be asked of the engine, sane or not."""
    engine = watch.engine
    match dice.randrange(10):
        case 0 | 1:
            engine.play(str(number), goto(dice.uniform(0.05, 1.5), **{n: wild(dice) for n in dice.sample(NAMES, 4)}))
        case 2:
            frames = [tuple(dice.uniform(-1, 1) * s for s in (0.05, 0.05, 0.05, 1, 1, 3, 3, 3, 3)) for _ in range(30)]
            engine.play(str(number), Frames(frames, gazing=dice.random() < 0.5))  # type: ignore[arg-type]
        case 3:
            engine.stop()
        case 4:
            engine.clear()
        case 5:
            engine.cancel(str(number - dice.randrange(5)))
        case 6:
            loudness = [abs(wild(dice)) for _ in range(40)]
            engine.speech.play(loudness, watch.now + wild(dice) / 10, dice.choice([0, 0, 0, 40, 500]))
        case 7:
            engine.gaze.look(wild(dice), wild(dice), watch.now)
        case 8:
            engine.set_posture(dice.choice(POSTURES))
        case 9:
            engine.teleoperate(tuple(wild(dice) for _ in NAMES), str(number // 50))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(4))
def test_five_thousand_random_commands_break_no_limit_and_leave_it_able_to_move(
    kinematics: Kinematics, seed: int
) -> None:
    """Four seeds: 20,000 commands."""
    dice = random.Random(seed)
    watch = Watch(kinematics, idle=seed % 2 == 0, seed=seed)
    for number in range(5000):
        random_command(watch, dice, number)
        watch.run(dice.choice([0.0, 0.01, 0.02, 0.05]))
    watch.engine.clear()
    watch.engine.speech.stop()
    watch.engine.set_posture("none")
    watch.run(3.0)
    watch.engine.ended.clear()
    for wish in (replace(AWAKE, yaw=0.5, pitch=0.2), AWAKE):
        watch.engine.play("after", Goto.to(wish, 1.0))
        watch.until(lambda: any(e.move_id == "after" and e.how == "finished" for e in watch.engine.ended))
        watch.engine.ended.clear()
        assert Pose(*watch.commands[-1]).distance(wish) < math.radians(1)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.floats(-3, 3)] * 9), min_size=1, max_size=6))
def test_any_series_of_targets_is_shaped(kinematics: Kinematics, targets: list[PoseTuple]) -> None:
    watch = Watch(kinematics)
    for number, target in enumerate(targets):
        watch.engine.play(str(number), Frames([target]))
        watch.run(0.3)


def test_a_goto_takes_its_time_and_ends_exactly_there(watch: Watch) -> None:
    watch.engine.play("a", goto(1.0, yaw=0.5))
    half = watch.run(0.5)[-1][5]
    assert 0.2 < half < 0.3
    watch.until(lambda: bool(watch.engine.ended))
    assert watch.commands[-1][5] == pytest.approx(0.5, abs=2e-3)
    assert (watch.engine.ended[0].how, watch.engine.ended[0].clamped) == ("finished", ())


def test_parts_that_a_goto_does_not_name_stay(watch: Watch) -> None:
    watch.engine.play("a", goto(0.4, yaw=0.5))
    watch.engine.play("b", goto(0.4, pitch=0.3))
    watch.until(lambda: len(watch.engine.ended) == 2)
    assert watch.commands[-1][5] == pytest.approx(0.5, abs=5e-3)


def test_moves_wait_for_each_other(watch: Watch) -> None:
    for name in "abc":
        watch.engine.play(name, goto(0.3, yaw=0.1))
    watch.until(lambda: len(watch.engine.ended) == 3)
    assert [e.move_id for e in watch.engine.ended] == ["a", "b", "c"]


def test_cancelling_one_leaves_the_others(watch: Watch) -> None:
    for name in "abc":
        watch.engine.play(name, goto(0.3, yaw=0.1))
    watch.run(0.1)
    watch.engine.cancel("b")
    watch.until(lambda: len(watch.engine.ended) == 3)
    assert [(e.move_id, e.how) for e in watch.engine.ended] == [
        ("b", "cancelled"),
        ("a", "finished"),
        ("c", "finished"),
    ]


def test_a_change_in_mid_motion_is_a_curve_not_a_corner(watch: Watch) -> None:
    """From +30 to -30 degrees in one tick of the source's pattern; here every command is checked by `Watch`."""
    high, low = [(0.0,) * 5 + (sign * 0.52,) + (0.0,) * 3 for sign in (1, -1)]
    watch.engine.play("a", Frames([high] * 100))  # type: ignore[list-item]
    watch.run(0.5)
    watch.engine.clear()
    watch.engine.play("b", Frames([low] * 100))  # type: ignore[list-item]
    watch.until(lambda: watch.commands[-1][5] < -0.5)


def test_stop_at_full_speed_brakes_at_once_and_holds_within_300_ms(watch: Watch) -> None:
    watch.engine.play("a", goto(0.2, yaw=1.0, body_yaw=0.0, antenna_left=3.0, roll=0.3, z=-0.02))
    watch.run(0.14)
    speed = watch.speed()
    assert speed > 3
    watch.engine.stop()
    watch.run(0.05)
    assert watch.speed() < speed
    held = watch.run(0.25)[-1]
    assert watch.speed() < 1e-2
    later = watch.run(1.0)[-1]
    assert max(abs(a - b) for a, b in zip(held, later, strict=True)) < 1e-3
    assert watch.engine.ended[-1].how == "stopped"


def test_what_had_to_give_is_told(watch: Watch) -> None:
    watch.engine.play("a", goto(0.5, pitch=2.0, yaw=0.2))
    watch.until(lambda: bool(watch.engine.ended))
    assert watch.engine.ended[0].clamped == ("pitch",)


def test_idle_breathes_from_where_the_robot_is_and_keeps_its_gaze(kinematics: Kinematics) -> None:
    start = (0.0, 0.0, 0.0, 0.1, 0.2, 0.6, 0.1, 0.0, 0.0)
    watch = Watch(kinematics, idle=True, start=start)
    breathing = watch.run(4.5)
    assert max(abs(c[5] - 0.6) for c in breathing) < 0.01 and max(abs(c[4] - 0.2) for c in breathing) < 0.01
    heights = [c[2] for c in breathing]
    assert max(heights) - min(heights) > 0.005
    looks = watch.run(60)
    assert max(c[5] for c in looks) - min(c[5] for c in looks) > 0.3, "it looks around"
    assert all(abs(c[5] - 0.6) < math.radians(45) for c in looks)


def test_a_move_interrupts_idling_and_idling_resumes_after_it(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True)
    watch.run(12)
    watch.engine.play("a", goto(0.5, yaw=0.4))
    watch.until(lambda: bool(watch.engine.ended))
    assert watch.commands[-1][5] == pytest.approx(0.4, abs=0.01)
    after = watch.run(4)
    assert max(c[2] for c in after) - min(c[2] for c in after) > 0.004


def test_listening_freezes_the_antennas_softly(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True)
    watch.run(6)
    watch.engine.listen(on=True)
    watch.run(1.0)
    still = watch.run(2.0)
    assert max(c[7] for c in still) - min(c[7] for c in still) < 0.01
    watch.engine.listen(on=False)
    swaying = watch.run(3.0)
    assert max(c[7] for c in swaying) - min(c[7] for c in swaying) > 0.2


def test_gaze_is_followed_while_it_is_seen_and_let_go_after(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True)
    watch.run(1.0)
    for _ in range(30):
        watch.engine.gaze.look(0.4, 0.1, watch.now)
        watch.run(0.05)
    assert watch.commands[-1][5] == pytest.approx(0.4, abs=0.05)
    watch.run(1.9)
    assert watch.commands[-1][5] == pytest.approx(0.4, abs=0.05), "it may come back"
    watch.run(1.5)
    assert abs(watch.commands[-1][5]) < 0.05


def test_gaze_that_is_let_go_does_not_wait_for_what_was_seen(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=False)
    watch.run(2.0)
    watch.engine.gaze.look(0.4, 0.1, watch.now)
    watch.run(1.0)
    assert watch.commands[-1][5] == pytest.approx(0.4, abs=0.05), "it need not breathe to look at somebody"
    watch.engine.gaze.release(watch.now)
    watch.run(1.4)
    assert abs(watch.commands[-1][5]) < 0.02


def test_gaze_far_aside_turns_the_body_along_and_back(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=False)
    watch.run(2.0)
    for _ in range(40):
        watch.engine.gaze.look(1.4, 0.0, watch.now)
        watch.run(0.05)
    yaw, body = watch.commands[-1][5:7]
    assert yaw == pytest.approx(1.4, abs=0.05) and body == pytest.approx(1.4 - math.radians(35), abs=0.05)
    watch.run(3.5)
    assert abs(watch.commands[-1][5]) < 0.02 and abs(watch.commands[-1][6]) < 0.02


def test_gaze_leads_what_moves_so_that_the_head_is_on_it(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=False)
    watch.run(2.0)
    late, rate, began = 0.1, 0.4, watch.now
    for _ in range(30):
        seen_at = watch.now - late
        watch.engine.gaze.look(-0.5 + rate * (seen_at - began), 0.0, seen_at, (rate, 0.0))
        watch.run(0.08)
    ahead = watch.commands[-1][5] - (-0.5 + rate * (watch.now - began))
    assert 0 <= ahead < 0.04, "on it, and as far ahead as a robot trails its command"


def test_gaze_waits_after_a_stop_until_it_may_go_on(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True)
    watch.run(2.0)
    watch.engine.stop()
    for _ in range(40):
        watch.engine.gaze.look(0.4, 0.0, watch.now)
        watch.run(0.05)
    assert abs(watch.commands[-1][5]) < 0.02
    watch.engine.resume()
    for _ in range(40):
        watch.engine.gaze.look(0.4, 0.0, watch.now)
        watch.run(0.05)
    assert watch.commands[-1][5] == pytest.approx(0.4, abs=0.05)


def test_gaze_does_not_bend_an_explicit_look(watch: Watch) -> None:
    watch.engine.gaze.look(0.8, 0.0, watch.now)
    watch.engine.play("a", goto(0.5, yaw=-0.3))
    watch.until(lambda: bool(watch.engine.ended))
    assert watch.commands[-1][5] == pytest.approx(-0.3, abs=0.01)


def test_teleoperation_follows_and_ends_by_itself(watch: Watch) -> None:
    for step in range(40):
        watch.engine.teleoperate((0.0,) * 5 + (step * 0.01,) + (0.0,) * 3, "lease")  # type: ignore[arg-type]
        watch.run(0.03)
    assert watch.commands[-1][5] == pytest.approx(0.39, abs=0.03)
    assert watch.engine.busy
    watch.run(0.7)
    assert not watch.engine.busy and watch.engine.ended[-1].move_id == "teleoperation"


class Wave:
    duration = 2.0

    def evaluate(self, t: float) -> Pose:
        return Pose(yaw=0.3 * math.sin(2 * math.pi * t))


def test_a_move_written_in_python_needs_only_duration_and_evaluate(watch: Watch) -> None:
    watch.engine.play("wave", sampled(Wave()))
    yaws = [c[5] for c in watch.run(2.0)[60:]]
    assert max(yaws) == pytest.approx(0.3, abs=0.05) and min(yaws) == pytest.approx(-0.3, abs=0.05)


@pytest.mark.parametrize(
    ("duration", "evaluate", "told"),
    [
        (math.nan, lambda t: Pose(), "nan"),
        (-1.0, lambda t: Pose(), "-1"),
        (1e9, lambda t: Pose(), "600"),
        ("long", lambda t: Pose(), "duration"),
        (1.0, lambda t: 1 / 0, "ZeroDivisionError"),
        (1.0, lambda t: Pose(yaw=math.nan), "finite"),
        (1.0, lambda t: None, "failed"),
    ],
)
def test_a_broken_move_is_refused_with_the_reason(duration: object, evaluate: object, told: str) -> None:
    move = type("Broken", (), {"duration": duration, "evaluate": lambda self, t: evaluate(t)})()  # type: ignore[operator]
    with pytest.raises(InvalidParameter) as caught:
        sampled(move)
    assert told in f"{caught.value.message} {caught.value.hint}"


def test_the_limits_of_moving_are_kept_when_nobody_stops(watch: Watch) -> None:
    watch.limits = MOVING.sent()
    watch.engine.play("a", goto(0.05, yaw=2.0, roll=0.6, x=0.04))
    watch.run(2.0)


def test_after_a_stop_it_holds_still_until_it_is_asked_for_something(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True)
    watch.run(5)
    watch.engine.teleoperate((0.0,) * 9, "mine")
    watch.run(0.1)
    watch.engine.stop()
    watch.run(0.3)
    held = watch.commands[-1]
    for _ in range(100):
        watch.engine.teleoperate((0.0,) * 5 + (0.5,) + (0.0,) * 3, "mine")  # type: ignore[arg-type]
        watch.run(0.1)
    assert max(abs(a - b) for a, b in zip(held, watch.commands[-1], strict=True)) < 1e-6
    watch.engine.teleoperate((0.0,) * 5 + (0.5,) + (0.0,) * 3, "a new lease")  # type: ignore[arg-type]
    watch.run(0.4)
    assert watch.commands[-1][5] > 0.3


def test_gaze_counts_from_straight_ahead_wherever_the_robot_idles(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True, start=(0.0, 0.0, 0.0, 0.0, 0.1, 0.6, 0.0, 0.0, 0.0))
    watch.run(3)
    yaws = []
    for _ in range(300):
        watch.engine.gaze.look(0.2, 0.0, watch.now)
        yaws.append(watch.run(0.1)[-1][5])
    assert all(yaw == pytest.approx(0.2, abs=0.02) for yaw in yaws[30:]), "and it does not look around meanwhile"


def test_queued_gotos_arrive_before_the_next_begins(watch: Watch) -> None:
    for number, roll in enumerate((0.26, 0.0)):
        watch.engine.play(str(number), goto(0.25, roll=roll))
    watch.until(lambda: len(watch.engine.ended) == 2)
    assert max(c[3] for c in watch.commands) > 0.23


def test_a_move_after_one_that_was_cut_short_far_out_takes_its_time(watch: Watch) -> None:
    """It starts from the edge of reach, not from where the other one wanted to go."""
    watch.run(0.1)
    watch.engine.teleoperate((0.0, 1e6, 0.0) + (0.0,) * 6, "lease")  # type: ignore[arg-type]
    watch.run(0.45)
    watch.engine.clear()
    reached = watch.commands[-1][1]
    watch.engine.play("a", goto(1.0, y=0.0))
    assert reached > 0.02 and watch.run(0.75)[-1][1] < reached / 2


def test_from_the_very_edge_of_its_reach_it_gets_away(kinematics: Kinematics) -> None:
    """Axes that do not arrive together once led out of reach, from any start."""
    dice = random.Random(4)
    edges = [(-0.02102, 0.04453, -0.00376, 0.12776, 0.27850, 0.83030, 0.50842, 2.03, 1.50)]
    while len(edges) < 60:
        x, y, z = dice.uniform(-0.045, 0.05), dice.uniform(-0.047, 0.047), dice.uniform(-0.05, 0.023)
        turn, body = dice.uniform(-1.1, 1.1), dice.uniform(-2.7, 2.7)
        pose = (x, y, z, dice.uniform(-0.69, 0.69), dice.uniform(-0.69, 0.69), turn + body, body, 0.0, 0.0)
        if 0.04 <= kinematics.joint_margin(pose) < 0.07:
            edges.append(pose)
    for edge in edges:
        watch = Watch(kinematics, start=edge)
        watch.engine.play("away", Goto.to(replace(AWAKE, yaw=0.5, pitch=0.2), 0.5))
        watch.run(4)
        assert [ended.how for ended in watch.engine.ended] == ["finished"]
        assert Pose(*watch.commands[-1]).distance(replace(AWAKE, yaw=0.5, pitch=0.2)) < 0.01


def test_an_anchored_move_is_played_where_the_robot_faces(kinematics: Kinematics) -> None:
    aside = replace(AWAKE, yaw=1.2, body_yaw=0.9).as_tuple
    watch = Watch(kinematics, start=aside)
    offsets = [(0.0002 * t, 0, 0, 0, 0, 0.003 * t, 0, 0, 0) for t in range(100)]
    lean = [tuple(a + b for a, b in zip(AWAKE.as_tuple, offset, strict=True)) for offset in offsets]
    watch.engine.play("lean", Frames(lean, anchored=True))  # type: ignore[arg-type]
    commands = watch.run(2)
    x, y, *_, yaw, body = commands[-1][:7]
    assert yaw == pytest.approx(1.2 + 0.297, abs=0.01) and body == pytest.approx(0.9, abs=0.01)
    assert math.hypot(x, y) == pytest.approx(0.0198, abs=0.001)
    assert math.atan2(y, x) == pytest.approx(1.2, abs=0.02)  # forward is where the head faces
    watch.engine.play("ahead", Frames([AWAKE.as_tuple] * 50))
    watch.run(3)
    assert watch.commands[-1][5] == pytest.approx(0.0, abs=0.01)


def test_a_move_that_starts_where_the_robot_is_starts_at_once(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, start=AWAKE.as_tuple)
    nod = [replace(AWAKE, pitch=0.3 * math.sin(math.pi * t / 60) ** 2).as_tuple for t in range(61)]
    watch.engine.play("nod", Frames(nod))
    assert max(command[4] for command in watch.run(0.4)) > 0.25


def test_an_emotion_keeps_looking_at_whom_it_sees(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True, start=AWAKE.as_tuple)
    for _ in range(60):
        watch.engine.gaze.look(0.6, 0.0, watch.now)
        watch.run(0.1)
    assert watch.commands[-1][5] == pytest.approx(0.6, abs=0.03)
    watch.engine.play("nod", gesture("nod", seed=1))
    for _ in range(10):
        watch.engine.gaze.look(0.6, 0.0, watch.now)
        watch.run(0.1)
        assert watch.commands[-1][5] == pytest.approx(0.6, abs=0.1)


def test_a_stop_while_it_looks_at_somebody_holds_the_head(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True, start=AWAKE.as_tuple)
    for _ in range(60):
        watch.engine.gaze.look(0.6, 0.0, watch.now)
        watch.run(0.1)
    watch.engine.stop()
    watch.run(0.5)
    held = watch.commands[-1]
    watch.run(1)
    assert watch.commands[-1] == pytest.approx(held, abs=1e-6)


def test_idle_that_is_paused_ends_where_it_is(kinematics: Kinematics) -> None:
    watch = Watch(kinematics, idle=True)
    watch.run(20)
    watch.engine.idle = False
    watch.run(3)
    still = watch.run(5)
    assert max(max(abs(a - b) for a, b in zip(pose, still[0], strict=True)) for pose in still) < 1e-6
    watch.engine.idle = True
    watch.engine.rest_idle(on=True)
    assert max(abs(a - b) for a, b in zip(watch.run(5)[-1], still[0], strict=True)) < 1e-6, "it rests"
    watch.engine.rest_idle(on=False)
    watch.run(1)
    assert len({pose[2] for pose in watch.run(5)}) > 100, "it breathes again"


def test_interval_and_range_of_the_looks_around_are_settings() -> None:
    def turns(looks: IdleLooks) -> list[float]:
        idle = IdleMotion(ZERO, looks, seed=3)
        return [idle.at(t / 10)[5] for t in range(6000)]

    wide, narrow, seldom = turns(IdleLooks()), turns(IdleLooks(range_rad=0.1)), turns(IdleLooks(interval_s=120))
    assert max(map(abs, wide)) > 0.4 and 0.02 < max(map(abs, narrow)) < 0.2
    moves = [sum(abs(b - a) > 1e-4 for a, b in itertools.pairwise(yaws)) for yaws in (wide, seldom)]
    assert moves[1] < moves[0] / 4
