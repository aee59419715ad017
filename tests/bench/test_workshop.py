"""The benchmark of authors: the right solution of a tool counts, another one does not."""

from __future__ import annotations

import ast
import json

import pytest

from reachy_mind.bench import workshop
from reachy_mind.bench.described_tools import PerfectAuthor, described_tools
from reachy_mind.bench.tool_results import ToolResult, figures, is_safe
from reachy_mind.brains.reflex.plan import Plan
from reachy_mind.errors import NotReady
from reachy_mind.mind import Mind
from reachy_mind.models.text_model import ServerTextModel
from reachy_mind.tools.definition import GENERATED
from reachy_mind.workshop.author.author import Author
from tests.fakes.openai_chat import MODEL, ModelServer, say

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


async def test_the_perfect_author_knows_every_tool_and_the_wrong_one_has_another_for_each():
    right, wrong = PerfectAuthor(TOOLS), PerfectAuthor(TOOLS, right=False)
    for tool in TOOLS:
        assert (await right.write(tool.description)).code == tool.code
        assert (await wrong.write(tool.description)).code != tool.code
    with pytest.raises(NotReady):
        await right.write("something else")


@pytest.mark.process
async def test_a_tool_that_a_model_mends_counts_as_made_and_used_and_not_as_right_at_first():
    tool = next(each for each in TOOLS if each.name == "coin_change")
    broken = tool.code.replace("rest %= coin", "rest = 0")
    answers = [say(f"```python\n{code}```") for code in (broken, tool.code)]
    proposed = say(json.dumps({"cases": [{"input": {"cents": 1}, "expected": {"count": 1}}]}))
    with ModelServer([answers[0], proposed, answers[1], say("It counts coins.")]) as server:
        author = Author(lambda _: Plan(), ServerTextModel(server.base, MODEL))
        async with Mind(robot="none", memory=False, thinks=False).session() as mind:
            slow = await workshop.one(mind, PerfectAuthor(TOOLS), TOOLS[0], 0.01)
            mended = await workshop.one(mind, author, tool, 100)
            offered = [each.name for each in mind.toolbox.registry if each.source == GENERATED]
        assert "388" not in str(server.asked[0].body), "the cases are held"
    assert not slow.passed and "longer" in slow.why
    assert mended.valid and mended.safe and not mended.passed_first and mended.repairs == 1
    assert mended.passed and mended.incorporated and not mended.why
    assert offered == ["coin_change"]
