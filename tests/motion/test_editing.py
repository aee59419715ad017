"""Changing moves: what comes out is what was asked for, and nothing jumps at a seam."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.body.pose import AWAKE, Pose, PoseTuple
from reachy_mind.errors import InvalidParameter
from reachy_mind.motion.editing import (
    Edit,
    looped,
    mirrored,
    on_beat,
    scaled,
    sequence,
    slowed,
    trim_still_ends,
    trimmed,
)
from reachy_mind.motion.moves import MAX_DURATION_S, Frames

NUMBER = st.floats(-3, 3, allow_nan=False, width=32)
POSE = st.tuples(*[NUMBER] * 9)
MOVES = st.lists(POSE, min_size=2, max_size=30).map(Frames)


def ramp(seconds: float = 1.0, top: float = 1.0, **flags: bool) -> Frames:
    """Yaw rises evenly from 0 to `top`; all else is as in the awake pose."""
    count = round(seconds * 100)
    return Frames([replace(AWAKE, yaw=top * i / count).as_tuple for i in range(count + 1)], **flags)


def wave(seconds: float = 2.0) -> Frames:
    """Pitch swings once and ends where it began."""
    count = round(seconds * 100)
    return Frames([replace(AWAKE, pitch=0.3 * math.sin(math.tau * i / count)).as_tuple for i in range(count + 1)])


def table(frames: Frames) -> np.ndarray:
    return np.array(frames.frames)


def largest_step(frames: Frames) -> float:
    return float(np.abs(np.diff(table(frames), axis=0)).max())


def test_half_the_scale_is_half_the_way_from_the_awake_pose() -> None:
    pose = Pose(0.02, 0.01, -0.01, 0.2, 0.1, 0.4, 0.3, 0.8, -0.5)
    assert scaled(Frames([pose.as_tuple] * 2), 0.5).frames[0] == pytest.approx(AWAKE.blend(pose, 0.5).as_tuple)
    assert scaled(Frames([pose.as_tuple] * 2), 0.0).frames[1] == pytest.approx(AWAKE.as_tuple)
    assert scaled(Frames([pose.as_tuple] * 2), 2.0, about=pose).frames[0] == pytest.approx(pose.as_tuple)


def test_mirrored_looks_and_leans_the_other_way() -> None:
    left = Pose(
        x=0.01, y=0.02, z=0.03, roll=0.1, pitch=0.2, yaw=0.3, body_yaw=0.4, antenna_left=0.5, antenna_right=-0.1
    )
    right = Pose(*mirrored(Frames([left.as_tuple])).frames[0])
    assert right == Pose(
        x=0.01, y=-0.02, z=0.03, roll=-0.1, pitch=0.2, yaw=-0.3, body_yaw=-0.4, antenna_left=0.1, antenna_right=-0.5
    )
    assert Pose(*mirrored(Frames([AWAKE.as_tuple])).frames[0]) == AWAKE


@given(MOVES)
def test_mirrored_twice_is_as_before(frames: Frames) -> None:
    assert table(mirrored(mirrored(frames))) == pytest.approx(table(frames))


def test_trimmed_keeps_the_part_between() -> None:
    part = trimmed(ramp(), 0.25, 0.755)
    assert part.duration == pytest.approx(0.51)
    assert part.evaluate(0).yaw == pytest.approx(0.25)
    assert part.evaluate(0.3).yaw == pytest.approx(0.55)
    assert part.frames[-1][5] == pytest.approx(0.755)
    assert trimmed(ramp(), 0.5).frames[-1] == ramp().frames[-1]


def test_stillness_at_both_ends_is_cut_off() -> None:
    held = Frames([ramp().frames[0]] * 300 + list(ramp().frames) + [ramp().frames[-1]] * 500)
    part = trim_still_ends(held, margin_s=0.2)
    assert part.duration == pytest.approx(1.4, abs=0.05)
    assert (part.frames[0], part.frames[-1]) == (held.frames[0], held.frames[-1])
    assert trim_still_ends(ramp()).frames == ramp().frames
    still = Frames([AWAKE.as_tuple] * 300)
    assert trim_still_ends(still) == still


def test_a_move_that_returns_is_not_cut_in_its_middle() -> None:
    still = [AWAKE.as_tuple] * 200
    there_and_back = Frames([*still, *wave().frames, *still, *wave().frames, *still])
    assert trim_still_ends(there_and_back).duration == pytest.approx(2 + 2 + 2 + 0.4, abs=0.1)


@given(MOVES, st.floats(0.25, 8))
@settings(deadline=None)
def test_slowed_takes_so_many_times_as_long_and_goes_the_same_way(frames: Frames, factor: float) -> None:
    slow = slowed(frames, factor)
    assert slow.duration == pytest.approx(max(frames.duration * factor, 0.01), abs=0.0051)
    assert slow.frames[0] == pytest.approx(frames.frames[0])
    assert slow.frames[-1] == pytest.approx(frames.frames[-1])
    assert table(slow).max() <= table(frames).max() + 1e-9


def test_slowed_is_where_the_move_was_at_half_the_time() -> None:
    slow = slowed(wave(), 2.0)
    assert slow.duration == pytest.approx(4.0)
    for t in (0.5, 1.3, 2.9):
        assert slow.evaluate(t).pitch == pytest.approx(wave().evaluate(t / 2).pitch, abs=1e-4)


def test_a_loop_lasts_exactly_as_long_as_its_repetitions() -> None:
    loop = looped(wave(), 3)
    assert loop.duration == pytest.approx(6.0)
    for t in (0.3, 2.3, 4.3):  # a move that ends where it began is repeated as it is
        assert loop.evaluate(t).pitch == pytest.approx(wave().evaluate(0.3).pitch)


@given(MOVES, st.integers(2, 5), st.floats(0.0, 1.0))
@settings(deadline=None)
def test_each_repetition_starts_where_the_last_one_ended(frames: Frames, times: int, seam_s: float) -> None:
    loop = looped(frames, times, seam_s)
    assert loop.duration == pytest.approx(frames.duration * times)
    assert loop.frames[0] == frames.frames[0]
    repeat = len(frames.frames) - 1
    if seam_s * 100 <= repeat:
        assert loop.frames[2 * repeat] == pytest.approx(frames.frames[-1], abs=1e-6)


def test_a_seam_does_not_jump() -> None:
    assert largest_step(looped(ramp(top=1.0), 3, seam_s=0.2)) < 0.1  # without a seam it would be 1.0
    assert largest_step(sequence(ramp(top=1.0), wave(), seam_s=0.5)) < 0.05


def test_a_sequence_plays_each_move_in_turn() -> None:
    both = sequence(ramp(1.0), wave(2.0), seam_s=0.25)
    assert both.duration == pytest.approx(3.0)
    assert both.evaluate(0.5) == ramp().evaluate(0.5)
    assert both.evaluate(1.6).as_tuple == pytest.approx(wave().evaluate(0.6).as_tuple)


def test_on_a_beat_it_lasts_that_many_beats() -> None:
    assert on_beat(wave(2.0), 4, 120).duration == pytest.approx(2.0)
    assert on_beat(wave(2.0), 8, 114).duration == pytest.approx(8 * 60 / 114, abs=0.006)


def test_a_loop_on_a_beat_does_not_drift() -> None:
    edit = Edit(beats=4, bpm=114, times=50)
    assert edit.applied(wave(2.0)).duration == pytest.approx(200 * 60 / 114, abs=0.006)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: scaled(f, 0.5),
        mirrored,
        lambda f: trimmed(f, 0.1, 0.6),
        lambda f: slowed(f, 2),
        lambda f: on_beat(f, 2, 100),
        lambda f: looped(f, 3),
        lambda f: sequence(f, f),
        Edit(scale=0.5, mirror=True, start=0.1, times=2, slow=1.5).applied,
    ],
)
def test_what_is_said_of_a_move_stays_said(change: Callable[[Frames], Frames]) -> None:
    for flag in (True, False):
        changed = change(ramp(gazing=flag, anchored=flag))
        assert (changed.gazing, changed.anchored) == (flag, flag)
    mixed = sequence(ramp(gazing=True, anchored=True), ramp())
    assert not mixed.gazing and not mixed.anchored


def test_an_edit_cuts_then_mirrors_scales_repeats_and_slows() -> None:
    edited = Edit(start=0.0, end=0.5, mirror=True, scale=2.0, times=2, slow=2.0).applied(ramp())
    assert edited.duration == pytest.approx(2.0)
    assert edited.evaluate(1.0).yaw == pytest.approx(-1.0)
    assert edited.evaluate(2.0).yaw == pytest.approx(-1.0)
    assert Edit().applied(ramp()) == ramp()


ENDLESS = ramp(400.0)


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda: scaled(ramp(), -1),
        lambda: scaled(ramp(), math.nan),
        lambda: scaled(ramp(), 1e9),
        lambda: trimmed(ramp(), 0.5, 0.5),
        lambda: trimmed(ramp(), 0.5, 0.2),
        lambda: trimmed(ramp(), -0.1),
        lambda: trimmed(ramp(), 0.0, 1.5),
        lambda: trimmed(ramp(), math.nan),
        lambda: slowed(ramp(), 0.1),
        lambda: slowed(ramp(), 9),
        lambda: slowed(ramp(), math.inf),
        lambda: slowed(ENDLESS, 2),
        lambda: looped(ramp(), 0),
        lambda: looped(ramp(), 10**12),
        lambda: looped(ramp(), times=True),
        lambda: looped(ramp(), 2, seam_s=-1),
        lambda: looped(ramp(), 2, seam_s=math.nan),
        sequence,
        lambda: sequence(ENDLESS, ENDLESS),
        lambda: on_beat(ramp(), 4, 0),
        lambda: on_beat(ramp(), math.nan, 100),
        lambda: on_beat(ramp(), 400, 100),
        lambda: mirrored(Frames([])),
        lambda: mirrored(Frames([(math.nan,) * 9])),  # type: ignore[list-item]
        lambda: on_beat(Frames([AWAKE.as_tuple]), 1, 100),
        lambda: Edit(beats=4).applied(ramp()),
        lambda: Edit(bpm=100).applied(ramp()),
        lambda: Edit(beats=4, bpm=100, slow=2).applied(ramp()),
    ],
)
def test_nonsense_is_refused(nonsense: Callable[[], object]) -> None:
    with pytest.raises(InvalidParameter) as refused:
        nonsense()
    assert refused.value.hint


@given(MOVES, st.floats(0, 4), st.booleans(), st.integers(1, 4), st.floats(0.25, 8))
@settings(deadline=None)
def test_whatever_is_asked_the_result_is_a_playable_move(
    frames: Frames, scale: float, mirror: bool, times: int, slow: float
) -> None:
    edited = Edit(scale=scale, mirror=mirror, times=times, slow=slow).applied(frames)
    assert edited.finite and 0 < edited.duration <= MAX_DURATION_S
    first: PoseTuple = edited.frames[0]
    assert type(first) is tuple and len(first) == 9
