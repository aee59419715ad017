"""`verdict`: whether a tool passed its trial, from the host's own record of each case.

    {"passed": bool, "results": [{"test", "status": "pass" | "fail" | "warn", ...}], "errors": [...], "warnings": [...]}

What the tool claims is compared with what the host saw: a result that speaks of photos, words or gestures that did not
happen fails, as does one that misses an expectation on the robot. A case without an expectation passes when the run
ends in time, without a crash, a refused call or an attempt at a capability that the tool does not have. Generated edge
cases and those that a model proposed only warn, and so does a long run of which the real time was over first, if
another case came to its end. A tool none of whose runs ends without an error fails.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from reachy_mind.errors import NotReady
from reachy_mind.tools.result_limits import plain
from reachy_mind.workshop.run_report import RunReport
from reachy_mind.workshop.trial.cases import TrialCase
from reachy_mind.workshop.trial.claims import unfounded
from reachy_mind.workshop.trial.expectations import mismatch

FRAMES = frozenset(("media.get_frame", "media.get_frame_jpeg"))
"""Calls that give the code a picture."""
TAKE_PHOTO = "perception.take_photo"
LONG_S = 30.0
"""A run that is cut after so much virtual time was waiting, as it should, and not computing."""
MAX_RESULT, MAX_WORDS, MAX_CALLS = 4000, 1000, 100
"""Characters and calls of each case that a verdict has."""
LACKING = {"web": "network", "http": "network", "memory": "memory of people"}
"""Groups of calls that fail in every trial."""
MOVED_RAD, MOVED_M = math.radians(2.0), 0.002


def verdict(cases: Sequence[TrialCase], outcomes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The verdict on a tool. `outcomes`: the report and the record of each case, in the same order."""
    pairs = list(zip(cases, outcomes, strict=True))
    ended = any(outcome["report"]["status"] == "ok" for outcome in outcomes)
    results = [_judged(number, *pair, ended=ended) for number, pair in enumerate(pairs)]
    lines = {
        status: [
            f"Test {result['test']} ({result['case']}): {result['reason']}"
            for result in results
            if result["status"] == status
        ]
        for status in ("fail", "warn")
    }
    if not ended and not lines["fail"] and _is_useless(pairs):
        lines["fail"].append("no case came to its end without an error")
    passed = bool(results) and not lines["fail"]
    calls = sorted({name for outcome in outcomes for name in calls_by_name(outcome["report"])})
    return {
        "passed": passed,
        "results": results,
        "errors": lines["fail"],
        "warnings": lines["warn"],
        "calls": calls[:MAX_CALLS],
    }


def _is_useless(pairs: Sequence[tuple[TrialCase, Mapping[str, Any]]]) -> bool:
    """Whether the usual arguments led to an error, for another reason than what a trial lacks."""
    usual = [outcome for case, outcome in pairs if case.origin == "generated"]
    return bool(usual) and not any(_untried(each["report"], each.get("record") or {}) for each in usual)


def _judged(number: int, case: TrialCase, outcome: Mapping[str, Any], *, ended: bool) -> dict[str, Any]:
    report = outcome["report"]
    seen = what_happened(report, outcome.get("record") or {})
    denied = [name for name, ends in calls_by_name(report).items() if "denied" in ends]
    unfinished = ended and case.origin in ("generated", "fault") and _is_long(report)
    if denied:
        status, reason = "fail", f"{denied[0]} was denied: the tool does not have this capability"
    elif case.origin != "given" and (missing := _untried(report, outcome.get("record") or {})):
        status, reason = "warn", missing
    elif unfinished:
        cut = f"it was cut after {report['virtual_s']:g} s of virtual time, because the real time was over"
        status, reason = "warn", cut
    else:
        reason = _reason(case, report, seen)
        status = ("warn" if case.origin in ("edge", "proposed") else "fail") if reason else "pass"
    return {
        "test": number,
        "case": case.title,
        "origin": case.origin,
        "fault": case.fault,
        "status": status,
        "reason": reason,
        "input": case.input,
        "expected": case.expected,
        "scene": [change.as_dict() for change in case.scene],
        "result": plain(report["result"], MAX_RESULT),
        "error": report["error"],
        "output": report["output"][:MAX_WORDS],
        "robot": seen | {"words": seen["words"][:MAX_WORDS], "calls": seen["calls"][:MAX_CALLS]},
        "virtual_s": report["virtual_s"],
        "wall_ms": report["wall_ms"],
    }


def _is_long(report: Mapping[str, Any]) -> bool:
    """Whether the real time for a run was over while it waited in virtual time."""
    timed_out = report["status"] == "killed" and (report["error"] or {}).get("code") == "TIMEOUT"
    return timed_out and (report["virtual_s"] or 0.0) >= LONG_S


def _untried(report: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """What the run failed for because a trial lacks it; empty when it did not fail for that."""
    if report["status"] != "error":
        return ""
    failed = [each["tool"].partition(".")[0] for each in record.get("calls", ()) if _is_missing(each)]
    failed += ["http" for name, ends in calls_by_name(report).items() if name.startswith("http") and "error" in ends]
    return next((f"it was not tried: a trial has no {LACKING[each]}" for each in failed if each in LACKING), "")


def _is_missing(call: Mapping[str, Any]) -> bool:
    return (call["error"] or {}).get("code") == NotReady.code


def calls_by_name(report: Mapping[str, Any]) -> Mapping[str, Mapping[str, int]]:
    """How often each call ended how; the list of calls in a report is cut."""
    known: Mapping[str, Mapping[str, int]] | None = report.get("calls_by_name")
    return RunReport("ok", calls=tuple(report["calls"])).calls_by_name if known is None else known


def _reason(case: TrialCase, report: Mapping[str, Any], seen: Mapping[str, Any]) -> str:
    status, error = report["status"], report["error"] or {}
    if status in ("killed", "refused"):
        return f"{status}: {error.get('message', '')}"
    if case.fault:
        failed = status != "ok" and error.get("code") != "TOOL_FAILED"
        return str(error.get("message", status)) if failed else unfounded(report["result"], seen)
    claimed = {"status": "error", "message": error.get("message", "")} if status == "error" else report["result"]
    if case.expected is not None:
        if why := mismatch(case.expected, claimed):
            return why
    elif (status == "error" and case.origin in ("given", "proposed")) or _is_crash(case, error):
        return str(error.get("message", "it failed"))
    return (mismatch(case.robot, seen, "robot") if case.robot else "") or unfounded(report["result"], seen)


def _is_crash(case: TrialCase, error: Mapping[str, Any]) -> bool:
    """Whether a generated case failed in another way than by refusing its arguments."""
    message = str(error.get("message", ""))
    return bool(error) and case.origin in ("generated", "edge") and not message.startswith(("ValueError", "ToolError"))


def what_happened(report: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """What the host saw the robot do, in a few figures."""
    done = [each["tool"] for each in record.get("calls", ()) if each["status"] == "ok"]
    frames = sum(ends.get("ok", 0) for name, ends in calls_by_name(report).items() if name in FRAMES)
    pictures = len(record.get("frames", ()))
    poses = [each["pose"] for each in record.get("poses", ())]
    words = [each["text"] for each in record.get("words", ())]
    calls = [each["tool"].rpartition(".")[2] for each in record.get("calls", ())]
    return {
        "moved": _moved(poses),
        "words": " ".join(words),
        "sentences": len(words),
        "photos": min(done.count(TAKE_PHOTO) + frames, pictures),
        "pictures": pictures,
        "calls": calls,
        "sounds": len(record.get("sounds", ())),
        "seconds": report["virtual_s"],
        "limits_hit": sorted({axis for each in record.get("limits", ()) for axis in each["axes"]}),
    }


def _moved(poses: Sequence[Sequence[float]]) -> bool:
    if not poses:
        return False
    return any(
        max(pose[axis] for pose in poses) - min(pose[axis] for pose in poses) > (MOVED_M if axis < 3 else MOVED_RAD)
        for axis in range(9)
    )
