"""`Auto`: which brain answers what, what happens when the thinker is unavailable, and how it is selected."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.brains import auto, selection_rule
from reachy_mind.brains.auto import Auto
from reachy_mind.brains.brain import (
    Brain,
    BrainUnavailable,
    Called,
    Done,
    EndOfTurnJudge,
    Handoff,
    Past,
    Said,
    Thought,
    ToolCall,
    Turn,
    Unanswered,
)
from reachy_mind.brains.selection import create
from reachy_mind.brains.selection_rule import BrainChoice
from reachy_mind.brains.talk_or_act import Talker
from reachy_mind.config.configuration import load
from reachy_mind.errors import MissingExtra
from reachy_mind.models import ollama as ollama_models
from reachy_mind.tools.definition import Outcome
from tests.brains.reflex.test_brain import UNDERSTAND, Reflex
from tests.fakes.ollama import OllamaServer

DOWN = "I can't reach my language model."


class Thinker:
    """Does what the text says: a model that is there, or not, or not all the way."""

    name = "thinker"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.down = self.closed = False
        self.let_go = 0
        self.agents: tuple[str, ...] = ()

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        self.asked.append(turn.text)
        if self.down:
            raise BrainUnavailable(DOWN, hint="start it")
        if "proof" in turn.text:
            raise Unanswered("I have no good answer to that.")
        if "half" in turn.text:
            yield Said("The sky is")
            raise BrainUnavailable("I lost the thread.")
        if "nod" in turn.text:
            yield Called(ToolCall("nod", {}, await turn.call("nod", {})))
            raise BrainUnavailable("I lost the thread.")
        try:
            yield Said("Let me think. ")
            if "long" in turn.text:
                await asyncio.sleep(3600)
            yield Said("Because of Rayleigh.")
            yield Done(cost_usd=0.25)
        finally:
            self.let_go += 1

    async def aclose(self) -> None:
        self.closed = True


class Talk:
    """A conversation with both."""

    def __init__(self, *, first: bool = False) -> None:
        self.thinker = Thinker()
        choice = BrainChoice("thinker", "a test", load(), first=first)

        async def decide() -> BrainChoice:
            return choice

        self.brain = Auto(Reflex(UNDERSTAND), decide, lambda _: self.thinker, choice=choice if first else None)
        self.calls: list[str] = []
        self.outcome = Outcome("ok", {})
        self.history: list[Past] = []
        self.thoughts: list[Thought] = []

    async def call(self, name: str, _args: dict[str, Any]) -> Outcome:
        self.calls.append(name)
        return self.outcome

    async def say(self, text: str, preferred: str = "") -> tuple[str, str]:
        """The reply, and who gave it."""
        brain: Brain = self.brain
        turn = Turn(text, self.call, history=tuple(self.history), preferred=preferred)
        thoughts = [one async for one in brain.think(turn)]
        self.thoughts = thoughts
        reply = "".join(one.text for one in thoughts if isinstance(one, Said))
        (done,) = [one for one in thoughts if isinstance(one, Done)]
        calls = tuple(one.call for one in thoughts if isinstance(one, Called))
        self.history.append(Past(text, reply, calls, done.brain))
        return reply, done.brain


@pytest.mark.parametrize(
    ("said", "who"),
    [
        ("look left", "reflex"),
        ("nod twice and look up", "reflex"),
        ("hello", "reflex"),
        ("what is 12 times 7", "reflex"),
        ("delete all your files", "reflex"),
        ("why are planets round?", "thinker"),
        ("tell me a story about a dragon", "thinker"),
        ("can you translate hello into french", "thinker"),  # not understood
        ("plan a birthday party for me", "thinker"),
        ("set a timer", "thinker"),  # something is missing
    ],
)
async def test_reflex_has_what_it_is_sure_of_and_the_thinker_the_rest(said: str, who: str) -> None:
    talk = Talk()
    _, answered = await talk.say(said)
    assert answered == who and talk.thinker.asked == ([said] if who == "thinker" else [])
    handed = [one for one in talk.thoughts if isinstance(one, Handoff)]
    assert [one.to for one in handed] == (["thinker"] if who == "thinker" else []), "and that is told at once"
    if handed:
        assert talk.thoughts[0] is handed[0] and Done(0.25, brain="thinker") in talk.thoughts


@pytest.mark.parametrize("preferred", ["thinker", "story_agent"])  # the brain, or an agent of it
async def test_the_brain_that_somebody_prefers_is_asked_though_reflex_is_sure(preferred: str) -> None:
    talk = Talk()
    talk.thinker.agents = ("story_agent",)
    assert (await talk.say("look left", preferred))[1] == "thinker" and talk.calls == []
    assert Handoff("thinker", "you prefer it for this") in talk.thoughts
    assert (await talk.say("look left"))[1] == "reflex", "and only for what they prefer it for"


async def test_a_preference_for_a_brain_that_is_not_there_changes_nothing() -> None:
    talk = Talk()
    assert (await talk.say("look left", "claude"))[1] == "reflex" and talk.thinker.asked == []
    talk.thinker.down = True
    reply, who = await talk.say("look left", "thinker")
    assert (who, talk.calls) == ("reflex", ["move_head"] * 2) and reply.startswith(DOWN)
    reply, who = await talk.say("look left", "thinker")
    assert (who, talk.calls) == ("reflex", ["move_head"] * 3) and DOWN not in reply


async def test_reflex_can_be_preferred_where_it_is_sure() -> None:
    talk = Talk(first=True)
    assert (await talk.say("look left", "reflex"))[1] == "reflex" and talk.calls == ["move_head"]
    assert (await talk.say("why are planets round?", "reflex"))[1] == "thinker"


async def test_danger_is_answered_at_once_whoever_is_preferred() -> None:
    talk = Talk()
    assert (await talk.say("help, I can't breathe", "thinker"))[1] == "reflex" and talk.thinker.asked == []


async def test_a_question_without_an_answer_is_no_reason_to_ask_nothing_else() -> None:
    talk = Talk()
    assert (await talk.say("explain the proof of Pythagoras"))[0].startswith("I have no good answer to that.")
    assert (await talk.say("why are planets round?"))[1] == "thinker"


@pytest.mark.parametrize(
    ("code", "calls"), [("TIMEOUT", ["nod"]), ("HARDWARE_ERROR", ["nod"]), ("INVALID_PARAMETER", ["nod", "nod"])]
)
async def test_what_may_have_been_done_is_not_done_again(code: str, calls: list[str]) -> None:
    talk = Talk(first=True)
    talk.outcome = Outcome("error", error={"code": code, "message": "it took too long", "hint": ""})
    await talk.say("nod")
    assert talk.calls == calls


async def test_a_yes_is_for_whoever_asked() -> None:
    talk = Talk()
    await talk.say("can you translate hello into french")  # the thinker answers, so the yes is for it
    assert (await talk.say("yes"))[1] == "thinker" and talk.calls == []
    assert (await talk.say("look left"))[1] == "reflex"
    assert (await talk.say("yes"))[1] == "reflex"


async def test_a_thinker_that_is_down_is_said_once_and_not_waited_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk(first=True)
    talk.thinker.down = True
    reply, who = await talk.say("look left")
    assert (
        reply.startswith(f"{DOWN} ") and len(reply) > len(DOWN) + 5 and (who, talk.calls) == ("reflex", ["move_head"])
    )
    reply, who = await talk.say("look right")
    assert DOWN not in reply and talk.calls == ["move_head"] * 2 and talk.thinker.asked == ["look left"]
    reply, who = await talk.say("why are planets round?")
    assert reply.startswith(DOWN) and who == "reflex" and talk.thinker.asked == ["look left"], "why it knows nothing"
    talk.brain._backoff.retry_at = 0.0  # a while later
    monkeypatch.setattr(auto, "FIRST_BACKOFF_S", 0.0)
    await talk.say("why are planets round?")
    talk.thinker.down = False
    assert (await talk.say("why are planets round?"))[1] == "thinker"


async def test_what_was_begun_is_not_done_again_and_ends_honestly() -> None:
    talk = Talk(first=True)
    reply, _ = await talk.say("nod")
    assert (reply, talk.calls) == ("I lost the thread.", ["nod"])
    reply, _ = await talk.say("explain half of the blue sky to me")
    assert reply == "The sky is I lost the thread."
    assert (await talk.say("why are planets round?"))[1] == "thinker", "it is there, and is asked again at once"


async def test_who_stops_listening_stops_the_thinker() -> None:
    talk = Talk()
    brain: Brain = talk.brain
    thoughts = brain.think(Turn("tell me a long story", talk.call))
    assert isinstance(await anext(thoughts), Handoff) and isinstance(await anext(thoughts), Said)
    waiting = asyncio.create_task(anext(thoughts))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled() and talk.thinker.let_go == 1
    assert (await talk.say("why are planets round?"))[1] == "thinker"
    await talk.brain.aclose()
    assert talk.thinker.closed


async def test_the_ears_still_know_when_somebody_has_finished() -> None:
    brain = Talk().brain
    assert isinstance(brain, EndOfTurnJudge)
    assert brain.finished("turn your head") < brain.finished("turn your head to the left") and brain.usual("en")


async def test_one_that_can_not_be_made_leaves_reflex_and_says_why() -> None:
    def make(_: BrainChoice) -> Brain:
        raise MissingExtra("the brain 'claude'", "claude")

    async def decide() -> BrainChoice:
        return BrainChoice("claude", "a key for Claude is set", load())

    brain = Auto(Reflex(UNDERSTAND), decide, make)
    thoughts = [one async for one in brain.think(Turn("why are planets round?", Talk().call))]
    assert isinstance(thoughts[0], Said) and brain.name == "reflex"
    assert brain.choice is not None and "the 'claude' extra, which is not installed" in brain.choice.line


KNOWN = ("agents", "claude")
RULE = [
    ({"mind.brain": "reflex", "openai.api_key": "x"}, "", "mind.brain, command line"),
    ({"mind.brain": "claude"}, "claude", "mind.brain, command line"),
    ({"openai.url": "http://localhost:8080/v1", "anthropic.api_key": "x"}, "agents", "http://localhost:8080/v1"),
    ({"openai.api_key": "x", "anthropic.api_key": "x"}, "agents", "a key for OpenAI"),
    ({"anthropic.api_key": "x"}, "claude", "a key for Claude"),
    ({}, "agents", "Ollama 0.14.1 runs here with qwen3:4b: tools"),
    ({"openai.model": "qwen3-vl"}, "agents", "with qwen3-vl:latest: tools, vision"),
]


@pytest.mark.parametrize(("flags", "thinker", "why"), RULE)
async def test_the_rule_is_fixed_and_told(
    flags: dict[str, str], thinker: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(selection_rule, "find_spec", lambda name: name)
    monkeypatch.setattr(ollama_models, "PROBE_TIMEOUT_S", 30)  # the machine may be busy
    flags = {"mind.brain": "auto", "models.folder": str(tmp_path)} | flags
    abilities = {"qwen3-vl:latest": ["tools", "vision"], "qwen3:4b": ["completion", "tools"], "gemma3": ["vision"]}
    with OllamaServer(abilities) as ollama:
        choice = await selection_rule.decide(load(flags=flags), KNOWN, ollama.url)
        assert choice.thinker == thinker and why in choice.line
        if "Ollama" in why:
            assert choice.configuration.settings.openai.url == f"{ollama.url}/v1"


async def test_a_model_that_can_not_use_tools_is_talked_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ollama_models, "PROBE_TIMEOUT_S", 30)
    with OllamaServer({"gemma3:4b": ["completion", "vision"]}) as ollama:
        flags = {"mind.brain": "auto", "models.folder": str(tmp_path)}
        choice = await selection_rule.decide(load(flags=flags), (*KNOWN, "local"), ollama.url)
    assert choice.thinker == "local" and choice.configuration.settings.openai.model == "gemma3:4b"
    assert isinstance(create(choice), Talker)


async def test_what_can_not_be_used_is_passed_over_and_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(selection_rule, "find_spec", lambda name: name if name == "anthropic" else None)
    monkeypatch.setattr(ollama_models, "PROBE_TIMEOUT_S", 30)
    keys = {"mind.brain": "auto", "models.folder": str(tmp_path), "openai.api_key": "x"}
    with OllamaServer({"gemma3": ["completion", "vision"]}) as ollama:
        choice = await selection_rule.decide(load(flags=keys | {"anthropic.api_key": "y"}), KNOWN, ollama.url)
        assert choice.line == "reflex, then claude (a key for Claude is set)"
        choice = await selection_rule.decide(load(flags=keys), KNOWN, ollama.url)
    assert not choice.thinker
    for told in ("'agents' is not installed", "no brain 'local' yet", "models pull chat"):
        assert told in choice.line
    assert "no Ollama running" in (await selection_rule.decide(load(flags=keys), KNOWN, ollama.url)).line


@pytest.mark.process
def test_a_brain_that_was_not_chosen_is_not_imported(tmp_path: Path) -> None:
    code = """
import asyncio, sys
from reachy_mind.brains.selection import choose
from reachy_mind.config.configuration import load

asyncio.run(choose(load(flags={"mind.brain": "auto", "models.folder": sys.argv[1]})).decided())
print(*sys.modules)
"""
    told = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert {"agents", "openai", "anthropic", "claude_agent_sdk", "xllamacpp"}.isdisjoint(told.stdout.split())
