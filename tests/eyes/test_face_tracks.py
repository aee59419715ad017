"""Face tracking and gaze target selection, with synthetic faces on virtual time."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from reachy_mind.body.pose import Pose
from reachy_mind.eyes.boxes import Box
from reachy_mind.eyes.face_tracks import Sighting, Tracks
from reachy_mind.eyes.faces import Face
from reachy_mind.eyes.gaze_target import Aim, GazeTarget
from reachy_mind.eyes.lens import SIMULATED

HZ = 12
DEGREE = math.radians(1)


def at(yaw: float, pitch: float = 0.0, size: float = 12.0, score: float = 0.8) -> Sighting:
    """A face there, in degrees."""
    return Sighting(yaw * DEGREE, pitch * DEGREE, size * DEGREE, score)


def watch(
    following: GazeTarget, seconds: float, shows: Callable[[float], list[Sighting]], start: float = 0
) -> list[Aim]:
    """Where to look, picture after picture."""
    aims = [following.update(shows(start + i / HZ), start + i / HZ) for i in range(int(seconds * HZ))]
    return [aim for aim in aims if aim is not None]


def test_a_face_is_where_it_is_wherever_the_head_looks() -> None:
    ahead, aside = Pose(), Pose(yaw=0.4, pitch=0.2)
    for pose in (ahead, aside):
        place = SIMULATED.project(0.3, 0.1, pose)
        assert place is not None
        box = Box(place[0] - 0.05, place[1] - 0.1, place[0] + 0.05, place[1] + 0.1)
        sighting = Sighting.of(Face(box, 0.9), SIMULATED, pose)
        assert (sighting.yaw, sighting.pitch) == pytest.approx((0.3, 0.1), abs=1e-6)
        assert sighting.size == pytest.approx(2 * math.atan(0.1 / SIMULATED.focal_y))


def test_one_who_walks_stays_one_and_is_expected_where_they_go() -> None:
    tracks = Tracks()
    for i in range(36):
        tracks.update([at(-40 + 30 * i / HZ)], i / HZ)
    [track] = tracks.people
    assert track.yaw_rate / DEGREE == pytest.approx(30, abs=1)
    assert track.predict(35 / HZ + 0.2)[0] / DEGREE == pytest.approx(-40 + 30 * (35 / HZ + 0.2), abs=1)


def test_who_walks_stays_the_same_though_pictures_are_few_and_one_is_late() -> None:
    tracks = Tracks()
    for moment in (0.0, 0.3, 0.6, 1.4, 1.7, 2.0):
        tracks.update([at(-30 + 30 * max(0.0, moment - 0.5))], moment)
    assert [track.number for track in tracks.people] == [1]


def test_a_face_elsewhere_is_somebody_else_and_who_is_gone_is_forgotten() -> None:
    tracks = Tracks()
    tracks.update([at(0)], 0.0)
    tracks.update([at(40)], 0.1)
    assert len(tracks.people) == 2
    tracks.update([], 3.0)
    assert tracks.people == []


def test_one_doubtful_picture_makes_nobody() -> None:
    tracks = Tracks()
    tracks.update([at(0, score=0.55), at(40, score=0.9)], 0.0)
    assert [round(track.yaw / DEGREE) for track in tracks.confirmed()] == [40]
    tracks.update([at(0, score=0.55), at(40, score=0.9)], 0.1)
    assert len(tracks.confirmed()) == 2


def test_who_stands_still_is_looked_at_and_the_head_rests() -> None:
    dice = random.Random(3)

    def shaky(_: float) -> list[Sighting]:
        return [at(20 + dice.gauss(0, 0.4), 5 + dice.gauss(0, 0.4))]

    aims = watch(GazeTarget(), 20, shaky)
    settled = {(aim.yaw, aim.pitch, aim.rate) for aim in aims[2 * HZ :]}
    assert len(settled) == 1, "not once moved after it had arrived"
    [(yaw, pitch, rate)] = settled
    assert yaw / DEGREE == pytest.approx(20, abs=1.5) and pitch / DEGREE == pytest.approx(5, abs=1.5)
    assert rate == (0.0, 0.0)
    assert aims[-1].seen_at == pytest.approx(20 - 1 / HZ), "but it is told that they are still there"


def test_a_small_step_aside_does_not_turn_the_head_and_a_large_one_does() -> None:
    following = GazeTarget()
    watch(following, 3, lambda t: [at(10)])
    [first, *_] = watch(following, 2, lambda t: [at(12)], start=3)
    assert first.yaw / DEGREE == pytest.approx(10, abs=0.1)
    last = watch(following, 2, lambda t: [at(17)], start=5)[-1]
    assert last.yaw / DEGREE == pytest.approx(17, abs=0.8)


def test_who_walks_is_told_with_the_pace_they_have() -> None:
    last = watch(GazeTarget(), 2, lambda t: [at(-30 + 25 * t)])[-1]
    assert last.rate[0] / DEGREE == pytest.approx(25, abs=2)
    assert last.yaw / DEGREE == pytest.approx(-30 + 25 * (2 - 1 / HZ), abs=1)


def crossing(hidden: str) -> Callable[[float], list[Sighting]]:
    """Two walk past each other; the farther one is behind the nearer for a moment."""

    def shows(t: float) -> list[Sighting]:
        nearer, farther = at(-35 + 10 * t, size=12), at(35 - 10 * t, size=11)
        met = abs(nearer.yaw - farther.yaw) < 6 * DEGREE
        if not met:
            return [nearer, farther]
        return [farther] if hidden == "nearer" else [nearer]

    return shows


@pytest.mark.parametrize("hidden", ["nearer", "farther"])
def test_two_who_cross_are_not_taken_for_each_other(hidden: str) -> None:
    following = GazeTarget()
    aims = watch(following, 7, crossing(hidden))
    assert aims[0].yaw < 0, "the nearer one is looked at"
    assert aims[-1].yaw / DEGREE == pytest.approx(35, abs=2), "and still is, on the other side"


def test_a_newcomer_must_be_clearly_larger_for_a_while() -> None:
    following = GazeTarget()
    watch(following, 2, lambda t: [at(-20, size=10)])
    aims = watch(following, 5, lambda t: [at(-20, size=10), at(20, size=12)], start=2)
    assert all(aim.yaw < 0 for aim in aims), "a little larger is not enough"
    aims = watch(following, 5, lambda t: [at(-20, size=10), at(20, size=15)], start=7)
    assert aims[0].yaw < 0 and aims[HZ // 2].yaw < 0 and aims[-1].yaw > 0


def test_who_passes_close_by_for_a_moment_does_not_draw_the_head() -> None:
    following = GazeTarget()
    watch(following, 2, lambda t: [at(-20, size=10)])
    passing = watch(following, 0.7, lambda t: [at(-20, size=10), at(10 + 40 * (t - 2), size=20)], start=2)
    after = watch(following, 2, lambda t: [at(-20, size=10)], start=2.75)
    assert all(aim.yaw < 0 for aim in passing + after)


def test_who_is_hidden_for_a_moment_is_waited_for_and_then_another_is_looked_at() -> None:
    following = GazeTarget()
    watch(following, 2, lambda t: [at(-20), at(20, size=10)])
    hidden = watch(following, 0.8, lambda t: [at(20, size=10)], start=2)
    assert hidden == [], "nothing is told: the head holds"
    back = watch(following, 1, lambda t: [at(-20), at(20, size=10)], start=2.8)
    assert all(aim.yaw < 0 for aim in back)
    gone = watch(following, 3, lambda t: [at(20, size=10)], start=3.8)
    assert gone[-1].yaw > 0


def test_who_comes_back_is_found_again() -> None:
    following = GazeTarget()
    watch(following, 2, lambda t: [at(0)])
    assert watch(following, 5, lambda t: [], start=2) == [] and not following.has_tracks
    assert watch(following, 1, lambda t: [at(30)], start=7)[-1].yaw / DEGREE == pytest.approx(30, abs=0.5)


def heard(following: GazeTarget, yaw: float, start: float, seconds: float, shows: list[Sighting]) -> list[Aim]:
    """Where to look while a voice comes from there."""
    aims = []
    for i in range(int(seconds * HZ)):
        moment = start + i / HZ
        following.hear(yaw * DEGREE, moment)
        aims.append(following.update(shows, moment))
    return [aim for aim in aims if aim is not None]


def test_of_two_faces_the_one_that_speaks_is_looked_at_also_when_the_other_is_larger() -> None:
    both = [at(25, size=14), at(-20, size=9)]
    following = GazeTarget()
    watch(following, 2, lambda _: both)
    assert watch(following, 0.5, lambda _: both, 2)[-1].yaw / DEGREE == pytest.approx(25, abs=1)
    assert heard(following, -14, 3, 0.5, both)[-1].yaw / DEGREE == pytest.approx(-20, abs=1)
    assert watch(following, 3, lambda _: both, 3.5)[-1].yaw / DEGREE == pytest.approx(-20, abs=1)
    assert watch(following, 4, lambda _: both, 6.5)[-1].yaw / DEGREE == pytest.approx(25, abs=1), "it was long silent"


def test_a_voice_between_two_faces_does_not_make_the_head_go_to_and_fro() -> None:
    both = [at(10), at(-10)]
    following = GazeTarget()
    heard(following, 9, 0, 1, both)
    looked = []
    for i in range(24):
        following.hear((1 if i % 2 else -1) * DEGREE, 1 + i / HZ)
        looked.append(following.update(both, 1 + i / HZ))
    assert {round(aim.yaw / DEGREE) for aim in looked if aim is not None} == {10}


def test_the_head_turns_to_a_voice_without_a_face_once_it_lasts_and_finds_the_face_there() -> None:
    following = GazeTarget()
    watch(following, 1, lambda _: [at(0)])
    brief = heard(following, 70, 1, 0.3, [at(0)])
    assert abs(brief[-1].yaw / DEGREE) < 1, "a short sound turns no head"
    lasting = heard(following, 70, 1.3, 0.7, [at(0)])
    assert lasting[-1].yaw / DEGREE == pytest.approx(70, abs=1)
    found = heard(following, 70, 2, 0.5, [at(64)])
    assert found[-1].yaw / DEGREE == pytest.approx(64, abs=1)


def test_a_voice_is_forgotten() -> None:
    following = GazeTarget()
    following.hear(1.0, 5.0)
    assert following.hears(5.5) and not following.hears(7.0)
