"""Replays of trials: what the robot did in each case, small enough to be stored with a version and played on the page.

    {"cases": [{"duration_s", "times": [...], "poses": [[...], ...], "marks": [{"t", "kind", "text", "status"}]}, ...]}

A pose has the nine values of `Pose` and the seven joints for it. Poses are left out where nothing moves and where more
than 20 a second were recorded. What was said, called, seen and heard is a mark on the time line. A replay is a picture
of the host's record: the verdict does not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reachy_mind.body.kinematics import Kinematics
from reachy_mind.body.pose import Pose
from reachy_mind.workshop.shelf.versions import canonical
from reachy_mind.workshop.trial.trial import TrialOutcome

INTERVAL_S = 0.05
"""Shortest time from one pose to the next."""
STILL_M, STILL_RAD = 0.0005, 0.003
"""A smaller difference of two poses is none."""
MAX_POSES, MAX_MARKS = 5000, 1500
"""Of all cases together."""
MAX_REPLAY_BYTES = 1 << 20
MAX_MARK_TEXT, MAX_VALUE_TEXT = 200, 40
SPEAK = "voice.speak"
NO_JOINTS = (0.0,) * 7

Recorded = Mapping[str, Any]
Solve = Callable[[Sequence[float]], Sequence[float] | None]


def encoded(outcome: TrialOutcome, geometry: Path) -> bytes:
    """The replay of a trial as JSON, at most `MAX_REPLAY_BYTES` of it. Blocks for up to some seconds.

    `geometry`: see `Kinematics`. Raises AssetError.
    """
    if not outcome.records:  # the run was refused: nothing happened
        return canonical({"cases": []})
    kinematics = Kinematics(geometry)

    def solve(pose: Sequence[float]) -> Sequence[float] | None:
        return kinematics.joints(Pose(*pose).head_matrix(), pose[6])

    most_poses, most_marks = MAX_POSES, MAX_MARKS
    while True:
        data = canonical({"cases": replay(outcome, solve, most_poses, most_marks)})
        if len(data) <= MAX_REPLAY_BYTES or most_marks <= 1:
            return data
        most_poses, most_marks = most_poses // 2, most_marks // 2


def replay(
    outcome: TrialOutcome, solve: Solve, most_poses: int = MAX_POSES, most_marks: int = MAX_MARKS
) -> list[dict[str, Any]]:
    """Each case in the order of the verdict. `solve`: the seven joints for a pose, None out of reach."""
    share = max(len(outcome.records), 1)
    results = outcome.verdict["results"][: len(outcome.records)]
    return [
        _case(record, result, solve, max(most_poses // share, 2), max(most_marks // share, 1))
        for record, result in zip(outcome.records, results, strict=True)
    ]


def _case(record: Recorded, result: Recorded, solve: Solve, most_poses: int, most_marks: int) -> dict[str, Any]:
    poses = thinned(record["poses"], most_poses)
    marks = sorted(_marks(record, result, most_marks), key=lambda mark: float(mark["t"]))
    ends = [each["t"] for each in poses[-1:]] + [mark["t"] for mark in marks[-1:]]
    return {
        "duration_s": round(max([result["virtual_s"] or 0.0, *ends]), 3),
        "times": [round(each["t"], 3) for each in poses],
        "poses": _with_joints([each["pose"] for each in poses], solve),
        "marks": marks,
    }


def thinned(poses: Sequence[Recorded], most: int) -> list[Recorded]:
    """At most `most` poses, and only where something moves; a pose that is held has its beginning and its end."""
    interval = INTERVAL_S
    while True:
        kept = _moving(poses, interval)
        if len(kept) <= most:
            return kept
        interval *= 2


def _moving(poses: Sequence[Recorded], interval: float) -> list[Recorded]:
    kept: list[Recorded] = list(poses[:1])
    before = poses[0] if poses else None
    for each in poses[1:]:
        since = each["t"] - kept[-1]["t"]
        if since >= interval and _differs(each["pose"], kept[-1]["pose"]):
            if before is not None and before is not kept[-1] and before["t"] - kept[-1]["t"] >= 2 * interval:
                kept.append(before)  # until then nothing moved
            kept.append(each)
        before = each
    if before is not None and before is not kept[-1] and _differs(before["pose"], kept[-1]["pose"]):
        kept.append(before)
    return kept


def _differs(one: Sequence[float], other: Sequence[float]) -> bool:
    pairs = enumerate(zip(one, other, strict=True))
    return any(abs(a - b) > (STILL_M if axis < 3 else STILL_RAD) for axis, (a, b) in pairs)


def _with_joints(poses: Iterable[Sequence[float]], solve: Solve) -> list[list[float]]:
    shown: list[list[float]] = []
    joints: Sequence[float] = NO_JOINTS
    for pose in poses:
        joints = solve(pose) or joints
        shown.append([round(value, 4) for value in (*pose, *joints)])
    return shown


def _marks(record: Recorded, result: Recorded, most: int) -> list[dict[str, Any]]:
    """Words first: where there are too many marks, the rarest kinds are kept whole."""
    kinds = [
        [_mark(each["t"], "words", each["text"]) for each in record["words"]],
        [_mark(change["at"], "scene", _change(change)) for change in result.get("scene", ())],
        [_mark(each["t"], "sound", each["name"]) for each in record["sounds"]],
        [_mark(each["t"], "call", _call(each), str(each["status"])) for each in record["calls"] if not _is_said(each)],
        [_mark(each["t"], "limit", ", ".join(each["axes"])) for each in record["limits"]],
        [_mark(each["t"], "photo", "") for each in record["frames"]],
    ]
    marks: list[dict[str, Any]] = []
    for kind in kinds:
        marks += _spread(kind, most - len(marks))
    return marks


def _mark(at: float, kind: str, text: str, status: str = "") -> dict[str, Any]:
    return {"t": round(at, 3), "kind": kind, "text": text[:MAX_MARK_TEXT], "status": status}


def _is_said(call: Recorded) -> bool:
    """Whether the words of this call are a mark already."""
    return bool(call["tool"] == SPEAK and call["status"] == "ok")


def _call(call: Recorded) -> str:
    given = ", ".join(f"{name}={str(value)[:MAX_VALUE_TEXT]}" for name, value in call["args"].items())
    error = f": {call['error']['message']}" if call["error"] else ""
    return f"{call['tool'].rpartition('.')[2]}({given}){error}"


def _change(change: Recorded) -> str:
    if change["person"]:
        return "a person comes"
    return f"{change['add']} appears" if change["add"] else f"{change['remove']} is taken away"


def _spread(marks: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """At most `most` of them, evenly."""
    if len(marks) <= most:
        return marks
    return [marks[number * len(marks) // most] for number in range(most)] if most > 0 else []
