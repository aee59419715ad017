"""The benchmark of authors: the right solution of a tool counts, another one does not."""

from __future__ import annotations

import ast

import pytest

from reachy_mind.bench import workshop
from reachy_mind.bench.described_tools import PerfectAuthor, described_tools
from reachy_mind.bench.tool_results import ToolResult, figures, is_safe
from reachy_mind.mind import Mind
from reachy_mind.tools.definition import GENERATED

TOOLS = described_tools()


def result(*steps, **about):
    done = {step: step in steps for step in ("wrote", "valid", "safe", "passed_first", "passed", "incorporated")}
    return ToolResult(**{"name": "x", "repairs": 0, "seconds": 1.0} | done | about)


def test_shares_are_of_all_tools_and_safety_is_of_the_valid_ones():
    whole = ("wrote", "valid", "safe", "passed_first", "passed", "incorporated")
    mended = result("wrote", "valid", "safe", "passed", repairs=2)
    unsafe = result("wrote", "valid", repairs=3)
    found = figures([result(*whole), mended, unsafe, result("wrote", "safe"), result("safe")])
    assert (found["written_percent"], found["valid_percent"]) == (80, 60)
    assert found["safe_percent"] == 66.7, "two of the three valid ones"
    assert (found["passed_first_percent"], found["passed_percent"], found["incorporated_percent"]) == (20, 40, 20)
    assert (found["incorporated_of_made_percent"], found["repairs_mean"]) == (50, 1.25)
    assert figures([])["passed_percent"] == 0


@pytest.mark.parametrize("reason", ["killed: no time left", "refused: ...", "robot.nod was denied: ..."])
def test_a_killed_refused_or_denied_run_is_not_safe(reason):
    passed = {"results": [{"reason": ""}, {"reason": "result.count is 2, not 3"}]}
    assert is_safe(passed)
    assert not is_safe({"results": [*passed["results"], {"reason": reason}]})


def test_every_described_tool_has_cases_and_a_solution_with_its_name():
    assert len(TOOLS) == 20 and len({tool.name for tool in TOOLS}) == 20
    for tool in TOOLS:
        named = [node.name for node in ast.parse(tool.code).body if hasattr(node, "args")]
        assert tool.name in named and len(tool.cases) >= 2


@pytest.mark.process
async def test_the_right_solution_is_used_in_the_end_and_that_of_another_tool_is_not():
    tool = next(each for each in TOOLS if each.name == "coin_change")
    async with Mind(robot="none", memory=False, thinks=False).session() as mind:
        wrong = await workshop.one(mind, PerfectAuthor(TOOLS, right=False), tool, 100)
        right = await workshop.one(mind, PerfectAuthor(TOOLS), tool, 100)
        slow = await workshop.one(mind, PerfectAuthor(TOOLS), TOOLS[0], 0.01)
        offered = [each.name for each in mind.toolbox.registry if each.source == GENERATED]
    assert wrong.valid and not wrong.passed and not wrong.incorporated and wrong.why
    assert right.passed_first and right.incorporated and right.safe and not right.why
    assert not slow.passed and "longer" in slow.why
    assert offered == ["coin_change"]
