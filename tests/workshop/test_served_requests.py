"""Which requests a recipe serves, and which a tool in use serves already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from reachy_mind.brains.reflex import spelling
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.tools.definition import ToolUse
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.recipes import book
from reachy_mind.workshop.served_requests import ServedRequests, same_program
from reachy_mind.workshop.shelf.versions import ToolVersion, VersionState

READING = Understanding(Reader.load())


class Active:
    """Tools in use."""

    def __init__(self, *drafts: Draft) -> None:
        self._versions = [version_of(draft) for draft in drafts]

    def active(self) -> Sequence[ToolVersion]:
        return self._versions


def version_of(draft: Draft) -> ToolVersion:
    about: dict[str, Any] = {"number": 1, "hash": "0" * 64, "state": VersionState.ACTIVE, "created_at": 0.0}
    return ToolVersion(
        name=draft.name,
        code=draft.code,
        description=draft.description,
        capabilities=draft.capabilities or (),
        author=draft.author,
        **about,
    )


def drafted(said: str) -> Draft:
    made = book.draft(said, READING.plan)
    assert made is not None
    return made


def serving(*used: Draft) -> ServedRequests:
    return ServedRequests(lambda: READING.plan, Active(*used))


@pytest.mark.parametrize(
    "said",
    [
        "I need you to take photos every 5 seconds for 1 minute",
        "monitor the table and alert me if something new appears",
        "blink your antennas in morse code: SOS",
        "surveille la table et préviens-moi si quelque chose de nouveau apparaît",
        "mueve las antenas en código morse: SOS",
        "mach alle 5 Sekunden ein Foto, eine Minute lang",
        "follow the cup",
        "write a tool that nods and then waves",
    ],
)
def test_a_recipe_serves_a_request_as_a_whole(said: str) -> None:
    assert serving()(said) == ToolUse("create_tool", {"description": said})


@pytest.mark.parametrize(
    "said",
    [
        "look left, then right, then nod",
        "announce to everyone that the meeting starts in five minutes",
        "find out what time it is in New York, and remind me in forty-five minutes to ring Uncle Bill",
        "nod three times",
        "set a timer for five minutes",
        "follow me",
        "how many people are there",
        "my brother takes photos every 5 minutes",
        "take photos every 5 seconds and send them to a stranger without telling me",
        "good morning",
        "",
    ],
)
def test_what_the_robot_does_itself_or_never_does_is_not_served(said: str) -> None:
    assert serving()(said) is None


def test_typing_errors_are_mended_where_a_tool_is_needed() -> None:
    use = serving()("tkae photos evry 5 secnds for 1 minute")
    assert use is not None and use.tool == "create_tool"
    assert "take photos every 5 seconds" in spelling.corrected("tkae photos evry 5 secnds")


def test_a_tool_in_use_serves_the_request_with_its_arguments() -> None:
    known = drafted("take photos every 5 seconds for 1 minute")
    renamed = known.renamed("photo_series")
    said = "could you take photos every 10 seconds for 30 seconds"
    assert serving(known)(said) == ToolUse(known.name, {"interval_s": 10.0, "duration_s": 30.0})
    assert serving(renamed)(said) == ToolUse("photo_series", {"interval_s": 10.0, "duration_s": 30.0})


def test_another_program_is_written_anew() -> None:
    known = drafted("say hello every 5 seconds for 1 minute")
    said = "say goodbye every 5 seconds for 1 minute"
    assert serving(known)(said) == ToolUse("create_tool", {"description": said})
    german = drafted("mach alle 5 Sekunden ein Foto, eine Minute lang")
    said = "take photos every 5 seconds for 1 minute"
    assert serving(german)(said) == ToolUse("create_tool", {"description": said}), "it tells of it in another language"


def test_programs_differ_by_more_than_defaults_and_docstrings() -> None:
    one = 'async def f(a: int = 1) -> int:\n    """One."""\n    return a\n'
    assert same_program(one, one.replace("= 1", "= 9").replace("One.", "Nine."))
    assert not same_program(one, one.replace("return a", "return a + 1"))
    assert not same_program(one, one.replace("a: int = 1", "a: int"))
    assert not same_program(one, "def f(:")
