"""What is planned for what people say: each sentence of the tables, as the brain would take it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from reachy_mind.brains.reflex import personality
from reachy_mind.brains.reflex.plan import Ask, Before, Pause, Plan, Step, Talk
from reachy_mind.brains.reflex.planner import MOST_STEPS
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import LONGEST, Understanding
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.tools.builtin import TOOLS
from tests.brains.reflex.sentences import MISREAD, MOVES_ANYWAY, NOTHING, TABLES

UNDERSTAND = Understanding(Reader.load()).plan


def plan(said: str, before: list[Before] | None = None) -> Plan:
    return Plan((Step("stop"),)) if is_stop(said) else UNDERSTAND(said, before or ())


def written(made: Plan) -> list[tuple[str, dict[str, Any]]]:
    """A plan as the tables have it."""
    out: list[tuple[str, dict[str, Any]]] = []
    for part in made.parts:
        if isinstance(part, Step):
            out.append((part.tool, part.args))
        elif isinstance(part, Pause):
            out.append((f"pause={part.seconds:g}", {}))
    return out


def expected(line: str) -> list[tuple[str, dict[str, Any]]]:
    steps = []
    for step in line.split(" + ") if line else ():
        name, *pairs = shlex.split(step)
        steps.append((name, {key: value_of(key, value) for key, _, value in (pair.partition("=") for pair in pairs)}))
    return steps


def value_of(key: str, value: str) -> Any:
    if value in ("true", "false"):
        return value == "true"
    if key in ("task_id", "timer_id", "at"):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def known(said: str, faults: frozenset[str]) -> Any:
    """Sentences known to be read wrongly fail as expected, and tell when they no longer do."""
    return pytest.mark.xfail(strict=True, reason="known to be misread") if said in faults else ()


CASES = [
    pytest.param(said, line, id=f"{table}: {said}", marks=known(said, MISREAD))
    for table, rows in TABLES.items()
    for said, line in rows.items()
]


@pytest.mark.parametrize(("said", "line"), CASES)
def test_a_request_becomes_its_plan(said: str, line: str) -> None:
    assert written(plan(said)) == expected(line)


@pytest.mark.parametrize("said", [pytest.param(said, marks=known(said, MOVES_ANYWAY)) for said in NOTHING])
def test_what_is_no_request_moves_nothing_and_is_answered(said: str) -> None:
    """What is wanted later or under a condition may become a program to be written, which moves nothing by itself."""
    made = plan(said)
    assert {step.tool for step in made.steps} <= {"create_tool"} and not any(isinstance(p, Pause) for p in made.parts)
    assert made.parts or not any(letter.isalnum() for letter in said)


WORKSHOP = frozenset(("create_tool", "list_tools", "rollback_tool"))
"""Registered with a workshop."""


@pytest.mark.slow
def test_the_tools_take_what_is_planned() -> None:
    tools = {tool.name: tool for tool in TOOLS}
    for said in (said for rows in TABLES.values() for said in rows if "background task" not in said):
        for step in plan(said).steps:
            if step.tool in WORKSHOP:
                continue
            tool = tools[step.tool]
            given = step.args.items()
            tool.check({key: value for key, value in given if key != "background" or not tool.supports_background})


@pytest.mark.slow
def test_every_tool_for_brains_can_be_asked_for() -> None:
    planned = {step.tool for rows in TABLES.values() for said in rows for step in plan(said).steps}
    asked = (personality.plan(said, lambda: ("poet",)) for said in ("be a poet", "who can you be?"))
    planned |= {step.tool for made in asked if made for step in made.steps}  # whose names are known when it is said
    untaught = {"set_light"}  # a Reachy Mini has no light: models and code of people set ours, no sentence does
    made_tools = {"deactivate_tool"}  # asked for by the name of a tool that was made: test_made_tools.py
    lessons = {"list_lessons", "undo_lesson"}  # asked for before a brain is: tests/feedback/test_reviser.py
    assert {tool.name for tool in TOOLS if not tool.hidden} <= planned | untaught | made_tools | lessons


def test_a_negation_is_answered_in_words() -> None:
    made = plan("please don't wiggle your antennas")
    assert [part.kind for part in made.parts if isinstance(part, Talk)] == ["@forbid"] and not made.steps


def test_a_timer_without_a_time_asks_for_it() -> None:
    (asked,) = plan("set a timer").parts
    assert isinstance(asked, Ask) and asked.what == "duration"


def test_a_task_of_the_turn_before_is_known() -> None:
    before = [Before("background_demo", {}, {"task_id": "abc"})]
    assert plan("cancel the task", before).steps[0].args == {"task_id": "abc"}


def test_no_more_steps_than_a_turn_should_have() -> None:
    made = plan(", ".join(["look left", "nod", "wave", "look right", "look up", "shake your head", "turn left"] * 2))
    assert len(made.steps) == MOST_STEPS and not made.understood


PIECES = [
    "look left and ", "a ", "1 ", "and ", "if ", '"', "remind me to ", "5 minutes ", "e\u0301", "x", "nod, ", "very ",
]  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", PIECES)
def test_a_long_text_is_read_or_refused(piece: str) -> None:
    assert plan(piece * (100 * LONGEST // len(piece))).unknown[0].why == "too_much"
    assert plan((piece * LONGEST)[:LONGEST]).parts
