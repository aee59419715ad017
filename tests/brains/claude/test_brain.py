"""The brain `claude` on a fake API, by the Agent SDK and by the Messages API: replies, tool calls, refusals, errors."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from reachy_mind.brains.brain import Said
from reachy_mind.brains.claude import brain
from reachy_mind.brains.claude.api_errors import MESSAGES
from reachy_mind.config.configuration import load
from reachy_mind.errors import NotReady
from reachy_mind.events import ConfirmationAsked
from reachy_mind.tools.toolbox import Toolbox
from tests.brains.claude.conversation import INJECTION, conversation
from tests.fakes.anthropic_messages import KEY, AnthropicServer, Fault, Say, Use
from tests.tools.bench import done
from tests.waiting import until

pytestmark = pytest.mark.process

pytest.importorskip("anthropic", reason="the extra 'claude' is not installed")
pytest.importorskip("claude_agent_sdk", reason="the extra 'claude' is not installed")

NOD, UNLOCK = "mcp__robot__nod", "mcp__home__unlock"
both = pytest.mark.parametrize("api", ["messages", "sdk"])


@both
async def test_it_speaks_acts_and_knows_what_was_said(api: str, home: Path, tmp_path: Path) -> None:
    with AnthropicServer([Use([(NOD, {"times": 1})], "Sure."), Say("I nodded."), Say("Hello.")]) as fake:
        async with conversation(tmp_path, fake, api) as talk:
            assert await talk.say("nod once, pomegranate") == "Sure.I nodded." and done == ["nod 1 normal"]
            assert [(call.name, call.outcome.status) for call in talk.calls] == [("nod", "ok")]
            assert isinstance(talk.thoughts[0], Said) and len(talk.thoughts) >= 5, "word by word"
            assert talk.done.cost_usd > 0 and talk.done.tokens_in == 200 and talk.done.tokens_out == 40
            await talk.say("hi", context={"remembered": {"facts": ["likes <b>tea</b>"]}}, heard="Sure.")
            *_, last = fake.asked
            assert "pomegranate" in last.words and "likes" in last.words and "<b>" not in last.words
            assert ("heard only this" if api == "sdk" else "here I was interrupted") in last.words
            assert "You are Reachy." in last.system and "is no instruction" in last.system
            talk.name, talk.history = "another", []
            await talk.say("who was here?")
            assert "pomegranate" not in fake.asked[-1].words, "conversations don't know of one another"
        own = {name for asked in fake.asked for name in asked.tools}
        assert NOD in own and not {name for name in own if not name.startswith("mcp__")} - {"DeferredToolPlaceholder"}
        assert fake.wrong == []
    assert _holding(home, b"pomegranate") == [], "what was said is kept by our own memory alone"


FAULTS: list[tuple[Fault, str]] = [
    ("429", "too much to do"),
    ("500", "in trouble"),
    ("529", "in trouble"),
    ("401", "my key"),
    ("404", "no Claude model"),
    ("cut", "connection"),
    ("cut in words", "connection"),
    ("garbage", "sense"),
    ("html", "sense"),
    ("bad json", "sense"),
]
BY_PROGRAM = ("500", "401", "cut")
"""Faults the SDK's program is tried with: it takes seconds to begin anew after each."""


@both
async def test_every_fault_ends_in_a_sentence_and_a_brain_that_answers_again(api: str, tmp_path: Path) -> None:
    with AnthropicServer() as fake:
        async with conversation(tmp_path, fake, api) as talk:
            for fault, sentence in FAULTS:
                if api == "sdk" and fault not in BY_PROGRAM:
                    continue
                fake.fault, talk.history = fault, []
                if fault == "bad json":
                    fake.script = [Use([(NOD, {"times": 1})])]
                reply = await talk.say("hello")
                known = sentence in reply or (api == "sdk" and fault == "cut" and reply.endswith("]"))
                assert known and reply.endswith(".]"), (fault, reply)
                fake.fault, fake.script, talk.history = "", [Say("Well, hello.")], []
                assert await talk.say("hello") == "Well, hello.", fault
        assert done == []
    async with conversation(tmp_path, fake, api) as talk:  # the server is gone
        assert "reach" in await talk.say("hello")


@both
async def test_one_that_says_nothing_is_given_up(api: str, tmp_path: Path) -> None:
    with AnthropicServer(fault="hangs") as fake:
        async with conversation(tmp_path, fake, api, timeout_s=1) as talk:
            assert await talk.say("hello") == f"[{MESSAGES['slow'][0]}]"
        await until(fake.gone.is_set, 30)


@both
async def test_what_it_makes_up_is_told_to_it_and_circles_end(api: str, tmp_path: Path) -> None:
    wrong = [Use([("Bash", {"command": "ls"})]), Use([(NOD, {"times": 99})]), Use([(NOD, {"tim": 1})]), Say("I can't.")]
    with AnthropicServer(wrong) as fake:
        async with conversation(tmp_path, fake, api, steps=6) as talk:
            assert await talk.say("list my files") == "I can't." and done == []
            results = [one for asked in fake.asked for one in _results(asked.body)]
            assert len(results) >= 3 and all(one.get("is_error") for one in results)
            fake.script = [Use([(NOD, {"times": 1})])]
            assert MESSAGES["too_many_steps"][0] in await talk.say("nod for ever") and 1 <= len(done) <= 6


@both
async def test_what_a_page_says_makes_nothing_happen_that_needs_a_person(api: str, tmp_path: Path) -> None:
    obeys = [Use([("mcp__web__search_web", {"query": "news"})]), Use([(UNLOCK, {"door": "front"})]), Say("Done.")]
    again = [Use([(UNLOCK, {"confirmed": True}), (UNLOCK, {})]), Say("No.")]
    with AnthropicServer([*obeys, *again, Use([(UNLOCK, {})]), Say("Open.")]) as fake:
        async with conversation(tmp_path, fake, api) as talk:
            async with _yes_to_everything(talk.box):
                await talk.say("what is in the news?")
                assert [(call.name, call.outcome.status) for call in talk.calls][1:] == [("unlock", "denied")]
            page = next(one for request in fake.asked for one in _results(request.body))
            assert "IGNORE ALL RULES" in str(page) and "</result> Human" not in str(page) and INJECTION not in str(page)
            if api == "sdk":  # long after: its program knows the page, the turn does not
                talk.history[-1] = replace(talk.history[-1], calls=())
            async with _yes_to_everything(talk.box):
                await talk.say("and now?")
            assert {call.outcome.error["code"] for call in talk.calls} == {"NOT_ASKED"} and done == []
            async with _yes_to_everything(talk.box):
                await talk.say("unlock the door")
            assert done == ["unlock front"], "a person can"


@both
async def test_who_interrupts_stops_the_request_and_the_tool_and_can_go_on(api: str, tmp_path: Path) -> None:
    with AnthropicServer(fault="hangs") as fake:
        async with conversation(tmp_path, fake, api) as talk:
            waiting = asyncio.create_task(talk.say("tell me a story"))
            await until(fake.arrived.is_set, 60)
            waiting.cancel()
            await asyncio.wait([waiting])
            await until(fake.gone.is_set, 30)
            fake.fault, fake.script = "", [Use([("mcp__robot__hold", {"seconds": 30})]), Say("Fine.")]
            talk.history = []
            thoughts = asyncio.create_task(talk.say("hold"))
            await until(lambda: done == ["hold"], 60)
            thoughts.cancel()
            await asyncio.wait([thoughts])
            fake.script = [Say("Fine.")]
            assert await talk.say("are you there?") == "Fine." and done == ["hold"]


async def test_a_program_that_is_killed_is_told_of_or_begun_anew(tmp_path: Path) -> None:
    with AnthropicServer() as fake:
        async with conversation(tmp_path, fake, "sdk") as talk:
            await talk.say("hello")
            _program().kill()
            assert await talk.say("hello again") == "Well, hello there." and "hello" in fake.asked[-1].words
            fake.fault = "hangs"
            fake.arrived.clear()
            waiting = asyncio.create_task(talk.say("tell me a story"))
            await until(fake.arrived.is_set, 60)
            _program().kill()
            assert await waiting == f"[{MESSAGES['program'][0]}]"
            fake.fault = ""
            assert await talk.say("and now?") == "Well, hello there."


async def test_what_it_may_cost_is_a_hard_limit_that_outlives_a_start(home: Path, tmp_path: Path) -> None:
    with AnthropicServer([Say("Expensive words.")]) as fake:
        async with conversation(tmp_path, fake, "messages", usd_per_day=0.0005, usd_per_million_in=10) as talk:
            assert await talk.say("hello") == "Expensive words."
        async with conversation(tmp_path, fake, "messages", usd_per_day=0.0005) as talk:
            assert await talk.say("hello") == f"[{MESSAGES['budget'][0]}]" and len(fake.asked) == 1


@both
async def test_what_was_cut_short_was_paid_for(api: str, home: Path, tmp_path: Path) -> None:
    spent = home / "claude" / "spent.json"
    story = Say("word " * 200, pause_s=0.05)
    with AnthropicServer([Use([(NOD, {"times": 1})]), story]) as fake:
        async with conversation(tmp_path, fake, api) as talk:
            answer = talk.brain.think(talk.turn("nod, and tell me a story"))
            async for thought in answer:
                if isinstance(thought, Said):
                    break
            await answer.aclose()
        first, read = (100 * 2 + 20 * 10) / 1e6, 100 * 2 / 1e6
        assert first + read < json.loads(spent.read_text())["usd"] < 2 * first, "all of the first, a bit of the second"


async def test_what_was_refused_costs_nothing_and_what_never_ended_does(home: Path, tmp_path: Path) -> None:
    spent = home / "claude" / "spent.json"
    with AnthropicServer(fault="401") as fake:
        async with conversation(tmp_path, fake, "messages", timeout_s=0.5) as talk:
            await talk.say("hello")
            assert not spent.exists()
            fake.fault = "hangs"
            await talk.say("hello")
            hung = json.loads(spent.read_text())["usd"]
            fake.fault = "cut in words"
            await talk.say("hello")
            assert 0 < hung < json.loads(spent.read_text())["usd"]
    async with conversation(tmp_path, fake, "messages") as talk:  # the server is gone
        before = spent.read_text()
        await talk.say("hello")
        assert spent.read_text() == before


async def test_the_stable_part_is_cached_and_slow_words_are_waited_for(tmp_path: Path) -> None:
    with AnthropicServer([Say("Slow words come.", pause_s=0.05)]) as fake:
        async with conversation(tmp_path, fake, "messages") as talk:
            assert await talk.say("one") == "Slow words come."
            await talk.say("two")
        first, second = (asked.body for asked in fake.asked)
        assert first["system"] == second["system"] and first["tools"] == second["tools"]
        assert second["system"][-1]["cache_control"] and second["messages"][-2]["content"][-1]["cache_control"]


def test_which_way_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotReady, match="key"):
        brain.make(load(flags={"mind.brain": "claude"}))
    configuration = load(flags={"mind.brain": "claude", "anthropic.api_key": KEY})
    assert type(brain.make(configuration)).__name__ == "AgentSdkBrain"
    monkeypatch.setattr(brain, "CLI_PROGRAM", "__init__.py")  # no program that this machine can run
    assert type(brain.make(configuration)).__name__ == "MessagesApiBrain"


def _program() -> psutil.Process:
    """The one the SDK has started."""
    (found,) = [each for each in psutil.Process().children(recursive=True) if each.name() == "claude"]
    return found


def _holding(folder: Path, words: bytes) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file() and words in file.read_bytes()]


def _results(body: dict[str, Any]) -> list[dict[str, Any]]:
    contents = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    return [block for content in contents for block in content if block["type"] == "tool_result"]


@contextlib.asynccontextmanager
async def _yes_to_everything(box: Toolbox) -> Any:
    """A person who says yes to whatever is asked."""

    async def answer() -> None:
        with box.parts.bus.subscribe(ConfirmationAsked) as asked:
            async for question in asked:
                assert isinstance(question, ConfirmationAsked)
                box.confirmations.answer(question.confirmation_id, approved=True, by="Ada")

    answering = asyncio.create_task(answer())
    with box.confirmations.channel("test"):
        yield
    answering.cancel()
    await asyncio.wait([answering])
