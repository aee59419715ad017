"""Cases, expectations and verdicts of trials, without running any code."""

from __future__ import annotations

import json
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
        ({"year": 2010}, {"year": 2011}, False),
        ({"price": 9.99}, {"price": 10}, True),
        ({"count": 1}, {"count": True}, False),
        ({"words": ""}, {"words": "hello"}, False),
        ({"words": ""}, {"words": ""}, True),
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


@pytest.mark.parametrize("said", ["interval 4 gives no error", "interval 4 doesn't fail", "interval 4 ohne Fehler"])
def test_a_sentence_that_denies_an_error_expects_none(said: str) -> None:
    assert parse([said], PARAMETERS).cases == (TrialCase({"interval": 4}),)


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


@pytest.mark.parametrize("name", ["no_numbers", "too_deep", "too_long", "scene_is_no_list", "never", "long_name"])
def test_cases_that_can_not_be_stored_or_played_are_refused(name: str) -> None:
    deep: Any = []
    for _ in range(5000):
        deep = [deep]
    cases: dict[str, Any] = {
        "no_numbers": {"input": {"interval": float("nan")}},
        "too_deep": {"input": {"interval": deep}},
        "too_long": {"expected": "x" * 100_000},
        "scene_is_no_list": {"scene": "cup"},
        "never": {"scene": [{"at": float("inf"), "add": "cup"}]},
        "long_name": {"scene": [{"at": 1, "add": "cup" * 1000}]},
    }
    with pytest.raises(InvalidParameter):
        parse([cases[name]], PARAMETERS)


def test_a_call_that_is_denied_after_a_thousand_others_fails_also_in_an_edge_case() -> None:
    calls = {"get_time": {"ok": 1000}, "take_photo": {"denied": 1}}
    for origin in ("given", "edge", "proposed"):
        case = TrialCase(origin=origin)  # type: ignore[arg-type]
        found = verdict([case], [outcome(calls_by_name=calls)])
        assert not found["passed"] and "take_photo" in found["errors"][0]
        assert found["calls"] == ["get_time", "take_photo"]


def test_a_long_run_is_not_failed_for_its_length_unless_nothing_shows_that_the_tool_ends() -> None:
    error = {"code": "TIMEOUT", "message": "it ran longer than 10 s", "hint": ""}
    usual = TrialCase({"duration_s": 3600}, origin="generated")
    waiting, computing = outcome("killed", error=error, virtual_s=500.0), outcome("killed", error=error, virtual_s=0.2)
    found = verdict([TrialCase(), usual], [outcome(), waiting])
    assert found["passed"] and "500 s of virtual time" in found["warnings"][0]
    assert not verdict([TrialCase(), usual], [outcome(), computing])["passed"]
    assert not verdict([usual], [waiting])["passed"]
    assert not verdict([TrialCase({"duration_s": 3600}), TrialCase()], [waiting, outcome()])["passed"]


def test_a_verdict_stays_small_whatever_a_tool_returns_prints_and_calls() -> None:
    many = [{"tool": "robot.get_pose", "status": "ok"}] * 5000
    loud = outcome(result={"list": ["é" * 50_000] * 20}, output="ü" * 64_000)
    loud["record"] |= {"calls": many, "words": [{"text": "ö" * 100_000}]}
    found = verdict([TrialCase()], [loud])
    assert len(json.dumps(found)) < 50_000


def test_what_a_trial_lacks_is_told_and_does_not_fail_a_tool() -> None:
    error = {"code": "TOOL_FAILED", "message": "ToolError: NOT_READY: there is no network", "hint": ""}
    failed = outcome("error", error=error)
    failed["record"]["calls"] = [{"tool": "web.get_weather", "status": "error", "error": {"code": "NOT_READY"}}]
    found = verdict([TrialCase(origin="generated")], [failed])
    assert found["passed"] and "not tried" in found["warnings"][0]
    assert not verdict([TrialCase({}, {"status": "success"})], [failed])["passed"], "what was asked for was not shown"


def test_somebody_comes_and_speaks_in_a_scene() -> None:
    (case,) = parse([{"scene": [{"at": 1, "add": "person"}, {"at": 2, "say": "good morning"}]}], PARAMETERS).cases
    assert (case.scene[0].person, case.scene[0].add, case.scene[1].say) == (True, "", "good morning")


def test_a_tool_that_only_ever_refuses_fails() -> None:
    error = {"code": "TOOL_FAILED", "message": "ToolError: NOT_FOUND: there is none", "hint": ""}
    cases = [TrialCase(origin="generated"), TrialCase(origin="edge"), *faulty(TrialCase())]
    found = verdict(cases, [outcome("error", error=error)] * len(cases))
    assert not found["passed"] and "no case" in found["errors"][0]
