"""Cases, expectations and verdicts of trials, without running any code."""

from __future__ import annotations

from typing import Any

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.workshop.trial.cases import TrialCase, faulty, generated, parse
from reachy_mind.workshop.trial.expectations import mismatch
from reachy_mind.workshop.trial.verdict import verdict

PARAMETERS = [
    {"name": "interval", "type": "int", "required": True},
    {"name": "duration", "type": "int", "required": False, "default": "60"},
]


def outcome(status: str = "ok", result: Any = None, **more: Any) -> dict[str, Any]:
    report = {
        "status": status,
        "result": result,
        "error": None,
        "calls": [],
        "output": "",
        "virtual_s": 1,
        "wall_ms": 1,
    }
    return {"report": report | more, "record": {"poses": [], "words": [], "frames": [], "calls": []}}


@pytest.mark.parametrize(
    ("expected", "got", "matches"),
    [
        ({"count": {">=": 4, "<=": 6}}, {"count": 5}, True),
        ({"count": {">=": 4}}, {"count": 3}, False),
        ({"count": {">=": 4}}, {"count": "many"}, False),
        ({"a": {"b": 1}}, {"a": {"b": 1.001, "c": 2}}, True),
        ({"a": 1}, {}, False),
        ({"message": "hello"}, {"message": "Hello, Ada!"}, True),
        ({"alerts": {"type": "list"}}, {"alerts": []}, True),
        ({"ok": True}, {"ok": 1}, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [1], False),
        ({"calls": "nod"}, {"calls": ["wave", "nod"]}, True),
        ({"calls": "nod"}, {"calls": ["wave"]}, False),
    ],
)
def test_expectations(expected: Any, got: Any, matches: bool) -> None:
    assert (mismatch(expected, got) == "") is matches


def test_sentences_become_cases_where_they_are_clear() -> None:
    found = parse(
        ["interval 0 gives an error", "interval=2, duration=6: about 3 photos", "it should feel nice"], PARAMETERS
    )
    assert found.cases[0] == TrialCase({"interval": 0}, {"status": "error"})
    assert found.cases[1].input == {"interval": 2, "duration": 6}
    assert found.cases[1].robot == {"photos": {">=": 2, "<=": 4}}
    assert found.not_understood == ("it should feel nice",)


@pytest.mark.parametrize("given", ["x", [1], [{"inputs": {}}], [{"input": 1}], [{"scene": [{"add": "cup"}]}]])
def test_cases_that_are_none_are_refused(given: Any) -> None:
    with pytest.raises(InvalidParameter):
        parse(given, PARAMETERS)


def test_generated_cases_have_usual_values_and_edges() -> None:
    cases = generated(PARAMETERS, {"interval": 5})
    assert cases[0].input == {"interval": 5, "duration": 60}
    assert {"interval": 0, "duration": 60} in [case.input for case in cases]
    assert [case.fault for case in faulty(cases[0])] == ["no_frame", "link_lost", "nobody_there"]


def test_a_tool_that_lies_fails_by_what_the_host_saw() -> None:
    case = TrialCase({}, {"moved": True}, {"moved": True})
    found = verdict([case], [outcome(result={"moved": True})])
    assert not found["passed"] and "robot.moved" in found["errors"][0]


def test_killed_denied_and_failed_runs_fail_and_edges_only_warn() -> None:
    error = {"code": "TOOL_FAILED", "message": "KeyError: 'x'", "hint": ""}
    denied = [{"name": "speak", "args": {}, "status": "denied"}]
    for bad in (outcome("killed", error=error), outcome(calls=denied), outcome("error", error=error)):
        assert not verdict([TrialCase()], [bad])["passed"]
    edge = verdict([TrialCase(origin="edge")], [outcome("killed", error=error)])
    assert edge["passed"] and edge["warnings"]


def test_an_error_that_was_expected_passes() -> None:
    error = {"code": "TOOL_FAILED", "message": "ValueError: no", "hint": ""}
    for got in (outcome("error", error=error), outcome(result={"status": "error", "message": "no"})):
        assert verdict([TrialCase({}, {"status": "error"})], [got])["passed"]
