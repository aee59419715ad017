"""A fake model that answers at once by rules, in this process: the measured time of a turn is then our own."""

from __future__ import annotations

import itertools
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agents import Model, ModelResponse, ModelSettings, Usage
from agents.items import TResponseOutputItem, TResponseStreamEvent
from agents.testing import assistant_message, function_call
from openai.types.responses import Response, ResponseCompletedEvent, ResponseOutputMessage, ResponseTextDeltaEvent

from reachy_mind.brains.agents.metered_model import MeteredModel
from reachy_mind.brains.agents.models import ModelChoice
from reachy_mind.brains.agents.roles import COORDINATOR

MODEL_TIMEOUT_S = 60.0

Answer = Callable[[Sequence[Any], Sequence[str]], TResponseOutputItem]
"""Builds one output item from the conversation and the names of tools and handoffs."""

_calls = itertools.count()
_CODE = r"\b(?:tool|plugin|skill)s?\b|\bwrite (?:a|some) code|\bprogram|teach yourself|roll ?back|earlier version"
_WEB = (
    r"\bsearch|look (?:it|that|this)? ?up|\bgoogle|\bnews\b|weather|\brain|\bsnow|umbrella|\bsunny|forecast|online"
    r"|on the (?:web|internet)|latest|who won|\bprice of|exchange rate|opening hours|how (?:warm|cold|hot) "
)
_EYES = (
    r"\bsee\b|photo|picture|selfie|camera|\bin front of you|what colou?r|\bread (?:the|what)|what does (?:the|that)"
    r"|how many (?:people|faces|cups)|who is (?:there|here|in)|describe|is there (?:a|an|any)|wearing|holding"
    r"|what is (?:on|this|that)|\bfaces?\b|recogni[sz]e"
)
_BODY = (
    r"\b(?:nod|shake|wave|dance|wiggle|rotate|tilt|turn|spin|sleep|wake|stretch|antennas?|emotion|pose|motors?|bow)\b"
    r"|\blook (?:up|down|left|right|at|to|over|around|straight)|\b(?:act|be|play|look) (?:happy|sad|surprised|curious)"
    r"|raise your|lower your|head\b|stand still|move"
)
_RULES = (("CodeAgent", _CODE), ("WebSearchAgent", _WEB), ("VisionAgent", _EYES), ("RobotControlAgent", _BODY))


@dataclass
class Instant(Model):
    """Answers each request with the item that `answer` builds."""

    answer: Answer

    async def get_response(self, *args: Any, **_: Any) -> ModelResponse:
        async for event in self.stream_response(*args):
            if isinstance(event, ResponseCompletedEvent):
                return ModelResponse(list(event.response.output), Usage(), event.response.id)
        raise AssertionError("the last event is always the whole")

    async def stream_response(self, *args: Any, **_: Any) -> AsyncIterator[TResponseStreamEvent]:
        _system, said, _settings, tools, _schema, handoffs, *_rest = args
        names = [*(tool.name for tool in tools), *(handoff.tool_name for handoff in handoffs)]
        item = self.answer(said, names)
        if isinstance(item, ResponseOutputMessage):
            text = "".join(getattr(part, "text", "") for part in item.content)
            yield ResponseTextDeltaEvent(
                type="response.output_text.delta",
                content_index=0,
                output_index=0,
                item_id="1",
                sequence_number=0,
                delta=text,
                logprobs=[],
            )
        whole = Response(
            id="1",
            created_at=0,
            model="instant",
            object="response",
            output=[item],
            parallel_tool_calls=False,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(type="response.completed", response=whole, sequence_number=1)


class InstantSource:
    """Gives this one model to every agent of the team."""

    host = "this process"

    def __init__(self, answer: Answer) -> None:
        model = MeteredModel(Instant(answer), first_token_s=MODEL_TIMEOUT_S, timeout_s=MODEL_TIMEOUT_S)
        self._choice = ModelChoice("instant", model, ModelSettings())

    async def model_for(self, wanted: str | None, *, simple: bool) -> ModelChoice:  # noqa: ARG002
        return self._choice

    async def aclose(self) -> None:
        """Nothing to close."""


def say(text: str) -> TResponseOutputItem:
    return assistant_message(text)


def use(name: str, arguments: str = "{}") -> TResponseOutputItem:
    return function_call(name, arguments, call_id=f"call_{next(_calls)}")


def lookup(said: Sequence[Any], names: Sequence[str]) -> TResponseOutputItem:
    """A complete turn: a handoff, a tool call, an answer."""
    if "transfer_to_websearchagent" in names:
        return use("transfer_to_websearchagent", '{"reason": "it has to be looked up"}')
    if said and isinstance(said[-1], dict) and "time" in str(said[-1].get("output", "")):
        return say("It is time.")
    return use("get_time")


def by_rule(said: Sequence[Any], names: Sequence[str]) -> TResponseOutputItem:
    """Hand off by keywords of the request."""
    if "transfer_to_robotcontrolagent" not in names:
        return say("Yes.")
    request = next(str(item["content"]) for item in reversed(said) if item.get("role") == "user")
    agent = agent_by_words(request)
    return say("Yes.") if agent == COORDINATOR else use(f"transfer_to_{agent.lower()}", '{"reason": "its task"}')


def agent_by_words(request: str) -> str:
    """The agent for a request, by keywords."""
    return next((name for name, words in _RULES if re.search(words, request, re.IGNORECASE)), COORDINATOR)
