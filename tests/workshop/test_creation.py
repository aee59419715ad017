"""From a request to a version on the shelf: what an author writes is checked, tried and repaired, or refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.mind import Mind
from reachy_mind.workshop.author.author import ScriptedAuthor
from reachy_mind.workshop.creation import ToolCreation
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.shelving import CreationFailed

pytestmark = pytest.mark.process
SQUARE = '''async def square(number: int = 3) -> dict:
    """Multiply a number by itself."""
    return {"status": "success", "square": number * number}
'''
CRASHING = SQUARE.replace("number * number", "number * missing['x']").replace(
    "    return", "    missing = {}\n    return"
)
UNPARSABLE = SQUARE.replace(":\n", "\n", 1)
CASE = {"input": {"number": 5}, "expected": {"square": 25}}
PHOTOGRAPHER = '''async def photographer(count: int = 2) -> dict:
    """Take photos."""
    return {"status": "success", "photos": count}
'''


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    async with Mind(robot="none", memory=False, thinks=False).session() as awake:
        yield awake


def written(code: str, *, name: str = "square", capabilities: tuple[str, ...] | None = None) -> Draft:
    return Draft(name, code, "Multiply.", "It multiplies.", capabilities=capabilities, author="model:scripted")


def creation(mind: Mind, author: ScriptedAuthor) -> ToolCreation:
    return ToolCreation(mind.configuration, mind.workshop, mind.generated.shelf, mind.toolbox.registry, author)


def scripted(request: str, drafts: Sequence[Draft]) -> ScriptedAuthor:
    return ScriptedAuthor({request: drafts})


async def test_findings_and_failures_go_back_to_the_author_until_the_tool_passes(mind: Mind) -> None:
    author = scripted("square numbers", [written(UNPARSABLE), written(CRASHING), written(SQUARE)])
    made = await creation(mind, author).create("square numbers", test_cases=[CASE])
    assert (made.version.name, made.version.number, made.version.state, made.repairs) == ("square", 1, "tested", 2)
    assert made.verdict["passed"] and made.version.capabilities == ()
    assert made.version.cases[0] == CASE, "a person's case is kept, to try the tool again"
    assert made.version.timeout_s >= 3600, "another number may take longer"
    (_, findings, not_tried), (_, _, verdict) = author.repaired
    assert not_tried is None and any(found["level"] == "error" for found in findings)
    assert verdict is not None and "KeyError" in str(verdict["errors"])

    again = scripted("square it", [written(SQUARE)])
    second = await creation(mind, again).create("square it")
    assert second.version.name == "square_2", "another request never becomes a version of a tool by its name"

    wish = scripted("square whole numbers", [written(SQUARE.replace("a number", "a whole number"))])
    improved = await creation(mind, wish).create("square whole numbers", name="square")
    assert (improved.version.name, improved.version.number) == ("square", 2)


async def test_a_tool_that_lies_about_what_it_did_is_not_shelved(mind: Mind) -> None:
    author = scripted("take two photos", [written(PHOTOGRAPHER, name="photographer")])
    case = {"input": {"count": 2}, "expected": {"photos": 2}, "robot": {"photos": 2}}
    with pytest.raises(CreationFailed, match=r"robot\.photos is 0, not 2"):
        await creation(mind, author).create("take two photos", test_cases=[case])
    (kept,) = mind.generated.shelf.versions("photographer")
    assert kept.state == "draft", "a person may look at what it did wrong"


async def test_a_name_or_a_case_that_can_not_be_used_is_refused_before_anything_is_written(mind: Mind) -> None:
    nothing = creation(mind, scripted("square", []))
    for name in ("nod", "camera", "class", "__init__", "n\u043ed", "Nod", "no d", "import"):
        with pytest.raises(InvalidParameter, match="called"):
            await nothing.create("square", name=name)
    with pytest.raises(InvalidParameter, match="no JSON"):
        await nothing.create("square", test_cases=[{"input": {"number": float("nan")}}])
