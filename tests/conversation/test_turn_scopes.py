"""What is remembered of a sentence without a tool call follows the rules and the scopes of the speaker."""

from __future__ import annotations

import json

import pytest

from reachy_mind.mind import Mind

SAID = "I live in Rome"


async def known(mind: Mind, scopes: frozenset[str] | None) -> str:
    """What memory has about Ada after she said something."""
    await mind.ask(SAID, person="Ada", scopes=scopes)
    assert mind.memory is not None
    await mind.memory.turn_memory.settle()
    return json.dumps(await mind.memory.about(await mind.memory.people.identify("Ada", None)))


@pytest.mark.parametrize(
    ("scopes", "rules", "remembered"),
    [
        (None, "", True),
        (frozenset({"talk", "control"}), "", True),
        (frozenset({"talk", "read"}), "", False),
        (None, "rules: [{pattern: memory.store_memory, tier: forbidden}]", False),
        (None, "rules: [{pattern: remember, tier: confirm}]", False),
    ],
)
async def test_what_is_said_is_remembered_by_whom_it_may(
    scopes: frozenset[str] | None, rules: str, remembered: bool
) -> None:
    async with Mind(robot="none").session() as mind:
        mind.toolbox.permissions.adopt(rules)
        assert ("Rome" in await known(mind, scopes)) is remembered
