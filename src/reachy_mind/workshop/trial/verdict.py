"""`verdict`: whether a tool passed its trial, from the host's own record of each case.

    {"passed": bool, "results": [{"test", "status": "pass" | "fail" | "warn", ...}], "errors": [...], "warnings": [...]}

What the tool claims is compared with what the host saw: a result that speaks of photos or moves that did not happen
fails through the expectations on the robot. A case without an expectation passes when the run ends in time, without a
crash, a refused call or an attempt at a capability that the tool does not have. Generated edge cases only warn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from reachy_mind.workshop.trial.cases import TrialCase
from reachy_mind.workshop.trial.expectations import mismatch

PICTURES = frozenset(("media.get_frame", "media.get_frame_jpeg", "take_photo", "capture_image", "camera"))
"""Calls that give the code a picture."""
MOVED_RAD, MOVED_M = math.radians(2.0), 0.002


def verdict(cases: Sequence[TrialCase], outcomes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The verdict on a tool. `outcomes`: the report and the record of each case, in the same order."""
    results = [_judged(number, *pair) for number, pair in enumerate(zip(cases, outcomes, strict=True))]
    lines = {
        status: [
            f"Test {result['test']} ({result['case']}): {result['reason']}"
            for result in results
            if result["status"] == status
        ]
        for status in ("fail", "warn")
    }
    passed = bool(results) and not lines["fail"]
    return {"passed": passed, "results": results, "errors": lines["fail"], "warnings": lines["warn"]}


def _judged(number: int, case: TrialCase, outcome: Mapping[str, Any]) -> dict[str, Any]:
    report = outcome["report"]
    seen = what_happened(report, outcome.get("record") or {})
    reason = _reason(case, report, seen)
    return {
        "test": number,
        "case": case.title,
        "origin": case.origin,
        "fault": case.fault,
        "status": ("warn" if case.origin == "edge" else "fail") if reason else "pass",
        "reason": reason,
        "input": case.input,
        "expected": case.expected,
        "scene": [change.as_dict() for change in case.scene],
        "result": report["result"],
        "error": report["error"],
        "output": report["output"][:2000],
        "robot": seen,
        "virtual_s": report["virtual_s"],
        "wall_ms": report["wall_ms"],
    }


def _reason(case: TrialCase, report: Mapping[str, Any], seen: Mapping[str, Any]) -> str:
    status, error = report["status"], report["error"] or {}
    denied = [call["name"] for call in report["calls"] if call["status"] == "denied"]
    if status in ("killed", "refused"):
        return f"{status}: {error.get('message', '')}"
    if denied:
        return f"{denied[0]} was denied: the tool does not have this capability"
    if case.fault:
        return "" if status == "ok" or error.get("code") == "TOOL_FAILED" else error.get("message", status)
    claimed = {"status": "error", "message": error.get("message", "")} if status == "error" else report["result"]
    if case.expected is not None:
        if why := mismatch(case.expected, claimed):
            return why
    elif (status == "error" and case.origin == "given") or _is_crash(case, error):
        return str(error.get("message", "it failed"))
    return mismatch(case.robot, seen, "robot") if case.robot else ""


def _is_crash(case: TrialCase, error: Mapping[str, Any]) -> bool:
    """Whether a generated case failed in another way than by refusing its arguments."""
    message = str(error.get("message", ""))
    return bool(error) and case.origin in ("generated", "edge") and not message.startswith(("ValueError", "ToolError"))


def what_happened(report: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """What the host saw the robot do, in a few figures."""
    done = [call["name"] for call in report["calls"] if call["status"] == "ok"]
    poses = [each["pose"] for each in record.get("poses", ())]
    words = [each["text"] for each in record.get("words", ())]
    calls = [each["tool"].rpartition(".")[2] for each in record.get("calls", ())]
    return {
        "moved": _moved(poses),
        "words": " ".join(words),
        "sentences": len(words),
        "photos": min(sum(name in PICTURES for name in done), len(record.get("frames", ()))),
        "calls": calls,
        "sounds": len(record.get("sounds", ())),
        "limits_hit": sorted({axis for each in record.get("limits", ()) for axis in each["axes"]}),
    }


def _moved(poses: Sequence[Sequence[float]]) -> bool:
    if not poses:
        return False
    return any(
        max(pose[axis] for pose in poses) - min(pose[axis] for pose in poses) > (MOVED_M if axis < 3 else MOVED_RAD)
        for axis in range(9)
    )
