"""One person comes in by every entrance there is, is erased, and no file of the data folder has a word of theirs."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from reachy_mind.cli import app
from reachy_mind.cli.chat import _prompt
from reachy_mind.errors import InvalidParameter
from reachy_mind.tools.context import Caller
from tests.mcp.house import MODERN, House, client, opened, said
from tests.memory.files import traces
from tests.server.served import calling, socket
from tests.waiting import until

NAME = "Quillonza"
WORDS = {
    "page": "quixelburg",
    "socket": "zinnoberrot",
    "program": "flumbrique",
    "search": "trindlefax",
    "voice": "gronkulade",
    "command": "mirzapok",
    "tool": "veltroxin",
    "tool without a name": "hexalorn",
    "reminder": "wobblecat",
    "missed reminder": "snarvelot",
    "correction": "kelpinore",
    "terminal": "plorvandel",
}


def command(*words: str) -> str:
    """A command at the terminal; it attaches to the mind that runs."""
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output
    return result.stdout


async def over_the_network(house: House) -> None:
    """The page and programs: REST and the chat socket."""
    async with calling(house.mind) as http:
        first = await http.post("chat", json={"message": f"I live in {WORDS['page']}", "person": NAME.upper()})
        await http.post(
            "chat", json={"message": "what do you know about me?", "session_id": first.json()["session_id"]}
        )
        for person, text in ((NAME, WORDS["tool"]), ("", WORDS["tool without a name"])):
            content = {"content": f"I collect {text}"}
            call = {"tool_name": "store_memory", "parameters": content, "person": person}
            assert (await http.post("tools/execute", json=call)).json()["error"] is None
        for tool in ("get_user_profile", "take_photo", "detect_objects"):
            await http.post("tools/execute", json={"tool_name": tool})
        photo = {"tool_name": "take_photo", "person": f"  {NAME.upper()} "}
        assert (await http.post("tools/execute", json=photo)).json()["error"] is None
        reminder = {"text": f"feed {WORDS['reminder']}", "in_minutes": 60}
        assert (await http.post("tools/execute", json={"tool_name": "set_reminder", "parameters": reminder})).json()[
            "error"
        ] is None


async def by_socket_and_voice(house: House) -> str:
    mind = house.mind
    async with socket(f"127.0.0.1:{house.port}") as page:
        await page.say(f"my name is {NAME}")
        await page.say(f"remember that my favourite colour is {WORDS['socket']}")
        await page.say(f"no, my favourite colour is {WORDS['correction']}")
    async for _ in mind.turns.take(f"my cat is called {WORDS['voice']}", context={"spoken": True}):
        pass
    response = await mind.ask("tell me what you know about me", conversation=f"{NAME}'s own talk")
    return response.conversation


async def as_a_program(house: House) -> None:
    async with client(house, "http", MODERN, server="memory") as program:
        stored = said(await program.call_tool("store_memory", {"content": f"I keep my {WORDS['program']} upstairs"}))
        assert stored["status"] == "ok", stored
        await program.call_tool("search_memories", {"query": f"where is my {WORDS['search']}?"})
        await program.call_tool("get_user_profile", {})


async def at_the_terminal(house: House) -> None:
    await asyncio.to_thread(command, "ask", "--json", f"my neighbour is called {WORDS['command']}")
    profile = await asyncio.to_thread(command, "tools", "call", "get_user_profile", "--json")
    assert WORDS["page"] in profile.lower(), "the only one who gave a name is taken to be them"
    _prompt(house.home, keep=True).history.append_string(f"my boat is called {WORDS['terminal']}")
    logs = house.home / "logs"
    logs.mkdir()
    lines = ["started", f"the answer to 'my {WORDS['voice']}' was cut", f"{NAME.upper()} left", "stopped"]
    (logs / "mind.log").write_text("\n".join([*lines, ""]))


async def reminded(house: House) -> None:
    """A reminder that nobody heard."""
    house.mind.announce()
    await house.mind.timers.add("reminder", time.time(), f"water the {WORDS['missed reminder']}", person=NAME)

    async def missed() -> bool:
        return bool(await house.mind.timers.announcements.missed())

    await until(missed)


@pytest.mark.process
async def test_no_file_has_a_word_of_who_was_erased(home: Path) -> None:
    async with opened(home, REACHY_MIND_EYES__DETECTOR="none") as house:
        mind = house.mind
        assert mind.memory is not None
        await by_socket_and_voice(house)
        await over_the_network(house)
        await as_a_program(house)
        await at_the_terminal(house)
        await reminded(house)
        await mind.ask("remember that my favourite colour is plumbago", person="Bob")
        await mind.ask("list my timers", person="Bob")
        await mind.toolbox.call("take_photo", caller=Caller("person", "rest", "Bob"))
        await mind.memory.turn_memory.flush()
        there = traces(home, NAME, *WORDS.values())
        missing = {word for word in WORDS.values() if not any(one.startswith(word) for one in there)}
        assert not missing, "every entrance left something"

        told = json.loads(await asyncio.to_thread(command, "memory", "erase", NAME, "--yes", "--json"))
        assert told["failed"] == {} and told["files"] == [] and told["complete"], told
        assert told["kept"] == [] and told["mentioned_by_others"] == 0
        assert {what for what, count in told["erased"].items() if count} >= {
            *("calls", "timers", "announcements", "memories", "profile", "turns", "conversations", "people"),
            *("photos", "terminal history", "log lines"),
        }
        assert traces(home, NAME, *WORDS.values()) == []
        assert await mind.toolbox.audit.verify() is None, "the chain holds"
        assert (await mind.ask("what is my favourite colour?", person="Bob")).text.endswith("plumbago.")
        assert [photo for photo in mind.sight.photos.all() if "bob" in photo.path.with_suffix(".json").read_text()]
        assert (house.home / "logs" / "mind.log").read_text() == "started\nstopped\n"
    assert traces(home, NAME, *WORDS.values()) == []


async def test_what_others_told_is_listed_and_goes_on_request(home: Path) -> None:
    async with opened(home) as house:
        mind = house.mind
        assert mind.memory is not None
        await mind.ask("I live in Quixelburg", person=NAME)
        await mind.ask(f"remember that {NAME} owes me ten euros", person="Bob")
        await mind.memory.turn_memory.flush()
        (home / "notes.txt").write_text(f"call {NAME.lower()}", encoding="utf-16")
        told = await mind.memory.erase(NAME)
        assert told["files"] == ["notes.txt"] and not told["complete"]
        assert {(one["what"], one["of"]) for one in told["kept"]} >= {("memories", "bob"), ("turns", "bob")}
        assert "ten euros" in (await mind.ask(f"what do you remember about {NAME}?", person="Bob")).text
        (home / "notes.txt").unlink()
        told = await mind.memory.erase(NAME, everywhere=True)
        assert told["complete"] and told["kept"] == [] and traces(home, NAME) == []


async def test_who_only_had_a_photo_taken_can_be_erased_and_nobody_else_is_touched(home: Path) -> None:
    async with opened(home, REACHY_MIND_EYES__DETECTOR="none") as house:
        mind = house.mind
        assert mind.memory is not None
        photos = mind.sight.photos
        await mind.toolbox.call("take_photo", caller=Caller("person", "rest", NAME))
        (photos.folder / "2026-01-01_10-00-00.json").write_text(json.dumps({"person": NAME, "seen": []}))
        await mind.ask("remember that I parked behind the library", person="")
        await mind.ask("what is the weather like", person="Bob")
        told = await mind.memory.erase(NAME.lower())
        assert told["erased"]["photos"] == 2 and traces(home, NAME) == [] and photos.all() == []
        assert "library" in (await mind.ask("where did I park?")).text, "what somebody without a name told stays"


async def test_what_nobody_claims_is_theirs_if_they_are_the_only_one_it_knows(home: Path) -> None:
    async with opened(home) as house:
        mind = house.mind
        assert mind.memory is not None
        await mind.ask("I live in Oslo", person=NAME)
        for tool, args in (("store_memory", {"content": "I collect hexalorn"}), ("set_timer", {"minutes": 5})):
            assert (await mind.toolbox.call(tool, args, caller=Caller("program", "mcp"))).status == "ok"
        await mind.toolbox.call("no such tool, said Quillonza")
        told = await mind.memory.erase(NAME)
        assert told["complete"] and told["kept"] == [] and traces(home, "hexalorn", NAME) == []
        with pytest.raises(InvalidParameter):
            await mind.memory.erase(NAME)


async def test_a_name_that_is_a_word_does_not_take_that_word_along(home: Path) -> None:
    async with opened(home) as house:
        mind = house.mind
        assert mind.memory is not None
        await mind.ask("I live in Quixelburg", person="Rose")
        await mind.ask("I live in Oslo", person="Bob")
        for content in ("I planted a red rose in the garden", "ROSE comes at noon", "the key is with Rose"):
            await mind.memory.store(content)
        await mind.memory.erase("rose")
        kept, _ = await mind.memory.memories.listed(person="")
        assert [one.content for one in kept] == ["I planted a red rose in the garden"]
