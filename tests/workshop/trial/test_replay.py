"""Replays: small enough to store, and true to what was recorded."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest

from reachy_mind.workshop.trial import replay
from reachy_mind.workshop.trial.trial import TrialOutcome
from tests.conftest import MODELS

GEOMETRY = MODELS / "robot-description" / "kinematics_data.json"
KINDS = ("calls", "words", "frames", "sounds", "limits")


def pose(yaw: float = 0.0) -> list[float]:
    return [0.0, 0.0, 0.0, 0.0, 0.0, yaw, 0.0, 0.0, 0.0]


def case(poses: Sequence[tuple[float, float]], **record: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A record of yaws over time, and its result."""
    seen = {"poses": [{"t": t, "pose": pose(yaw)} for t, yaw in poses]} | {kind: [] for kind in KINDS} | record
    return seen, {"virtual_s": 1.0, "scene": []}


def outcome(*cases: tuple[dict[str, Any], dict[str, Any]]) -> TrialOutcome:
    return TrialOutcome({"passed": True, "results": [result for _, result in cases]}, tuple(seen for seen, _ in cases))


def yaw_at(played: dict[str, Any], t: float) -> float:
    """As the page shows it: interpolated between the poses before and after."""
    times, yaws = played["times"], [each[5] for each in played["poses"]]
    after = next((place for place, time in enumerate(times) if time >= t), len(times) - 1)
    before = max(after - 1, 0)
    span = times[after] - times[before]
    share = min(max((t - times[before]) / span, 0.0), 1.0) if span else 1.0
    return float(yaws[before] + (yaws[after] - yaws[before]) * share)


def test_an_hour_at_rest_takes_no_room_and_its_moves_are_where_they_were() -> None:
    waves = [(3000 + step * 0.04, 0.5 * math.sin(step * 0.1)) for step in range(100)]
    still = [(float(t), 0.0) for t in range(3000)] + waves + [(3600.0, waves[-1][1])]
    data = replay.encoded(outcome(case(still)), GEOMETRY)
    assert len(data) < 20_000
    (played,) = json.loads(data)["cases"]
    assert 3003 < played["duration_s"] < 3601 and {len(each) for each in played["poses"]} == {16}
    assert yaw_at(played, 2999.0) == pytest.approx(0.0, abs=0.01), "it held still until it moved"
    assert max(abs(yaw_at(played, t) - yaw) for t, yaw in waves) < 0.05
    assert len(played["times"]) < 80


def test_what_never_rests_is_stored_within_the_limit() -> None:
    restless = [(step * 0.04, math.sin(step * 0.05)) for step in range(50_000)]
    words = [{"t": float(t), "text": "words " * 100, "seconds": 1.0} for t in range(3000)]
    photos = [{"t": float(t), "digest": "x"} for t in range(3000)]
    data = replay.encoded(outcome(*[case(restless, words=words, frames=photos)] * 3), GEOMETRY)
    assert len(data) <= replay.MAX_REPLAY_BYTES
    for played in json.loads(data)["cases"]:
        assert played["times"][-1] > 1990 and played["marks"][-1]["t"] > 2900
        assert len(played["poses"]) > 100 and len(played["marks"]) > 100


def test_marks_say_what_happened_in_order() -> None:
    refused = {"code": "X", "message": "no", "hint": ""}
    seen, result = case(
        [(0.0, 0.0)],
        words=[{"t": 4.0, "text": "Something new!", "seconds": 1.0}],
        frames=[{"t": 1.0, "digest": "a"}],
        calls=[
            {"t": 2.0, "tool": "robot.nod", "args": {"times": 9}, "status": "error", "error": refused},
            {"t": 5.0, "tool": "voice.speak", "args": {"text": "Something new!"}, "status": "ok", "error": None},
        ],
    )
    result["scene"] = [{"at": 3.0, "add": "cup", "remove": "", "person": False}]
    (played,) = json.loads(replay.encoded(outcome((seen, result)), GEOMETRY))["cases"]
    assert [(mark["kind"], mark["text"]) for mark in played["marks"]] == [
        ("photo", ""),
        ("call", "nod(times=9): no"),
        ("scene", "cup appears"),
        ("words", "Something new!"),
    ]
    assert played["duration_s"] == 4.0


def test_a_refused_run_has_nothing_to_play() -> None:
    refused = TrialOutcome({"passed": False, "results": [{"virtual_s": None}]})
    assert json.loads(replay.encoded(refused, GEOMETRY)) == {"cases": []}
