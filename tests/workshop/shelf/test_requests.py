"""`memory erase PERSON` erases the words that a person asked for tools with; the tools stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.mind import Mind
from tests.workshop.shelf.versions import WAVE, new_version

pytestmark = pytest.mark.process


async def test_a_persons_requests_are_exported_and_erased_and_code_that_names_them_is_listed(home: Path) -> None:
    async with Mind(robot="none", thinks=False).session() as mind:
        assert mind.memory is not None
        await mind.memory.people.introduce("Ottilie", "")
        shelf = mind.generated.shelf
        own = shelf.add(new_version(request="wave like my zeppelin does", person="ottilie"))
        named = shelf.add(new_version(code=WAVE + "\n", request="wave when Ottilie comes"))
        code = shelf.add(new_version(code=WAVE + "# for Ottilie\n", request="greet the cat"))
        shelf.approve("wave_twice", own.sha256, "rest, call 1", activate=True)

        exported = await mind.memory.erasure.export("Ottilie")
        assert exported["tool requests"] == [
            {"tool": "wave_twice", "version": 1, "request": "wave like my zeppelin does"}
        ]
        report = await mind.memory.erasure.erase("Ottilie")
        assert report["erased"]["tool requests"] == 1
        assert report["erased"]["unattributed tool requests"] == 1
        assert report["files"] == [f"workshop/shelf/wave_twice/{code.sha256}/tool.py"]
        assert [each.request for each in shelf.versions("wave_twice")] == ["", "", "greet the cat"]
        assert shelf.get("wave_twice", named.sha256).state == "tested"
        active = shelf.active("wave_twice")
        assert active is not None
        assert active.number == 1
        for file in (home / "workshop").rglob("request.json"):
            assert b"zeppelin" not in file.read_bytes()
            assert b"Ottilie" not in file.read_bytes()
