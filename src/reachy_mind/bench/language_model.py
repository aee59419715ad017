"""`LanguageModel`: a small language model that chooses tools; a reference for the reflex brain.

Qwen2.5-Coder-1.5B (`models pull chat`) in a worker process, run by llama.cpp (xllamacpp, extra `agents`). It gets every
tool a brain is offered, a dozen examples and the request, and answers with a JSON list of calls; a schema restricts it
to known tools. Only the request changes, so the rest of the prompt is processed once and cached.

with LanguageModel.of(configuration) as model:
    steps = model.plan("look left and nod")
"""

from __future__ import annotations

import asyncio
import json
from types import TracebackType
from typing import Any

from reachy_mind.brains.reflex.plan import Step
from reachy_mind.config.configuration import Configuration
from reachy_mind.models.llama import Llama
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Tool

TOKENS = 160
"""Token limit of an answer; one that is cut off is not JSON and counts as no answer."""
TIMEOUT_S, FIRST_TIMEOUT_S = 60.0, 600.0

_OFFERED = tuple(tool for tool in TOOLS if not tool.hidden)
_TASK = """You are the mind of a small desk robot with a head, two antennas, a camera and a voice.
Answer what a person says with the calls it takes, in order, as a JSON list of {"tool": ..., "args": {...}}.
Use only these tools. Leave out every argument that was not said. Greetings, small talk and what no tool does: [].

"""
_EXAMPLES: tuple[tuple[str, str, list[tuple[str, dict[str, Any]]]], ...] = (
    ("", "Look down, but take your time.", [("move_head", {"direction": "down", "speed": "slow"})]),
    ("", "hi there, how is it going?", []),
    ("", "three nods for me", [("nod", {"times": 3})]),
    ("", "What is on the desk in front of you?", [("analyze_scene", {})]),
    ("", "Would I need an umbrella in Oslo tomorrow?", [("get_weather", {"place": "Oslo"})]),
    ("", "I had such a long day at the office.", []),
    ("", "twelve minutes on the clock for the eggs", [("set_timer", {"minutes": 12, "label": "eggs"})]),
    ("", "You just lost a game, show me.", [("express_emotion", {"emotion": "sad"})]),
    ("", "Wish our guests a good evening, then wave.", [("speak", {"text": "Good evening!"}), ("wave", {})]),
    ("", "chin up, then snap a picture", [("move_head", {"direction": "up"}), ("take_photo", {})]),
    ("How warm is it in Rome?", "and in Lima?", [("get_weather", {"place": "Lima"})]),
    ("Wave with the left antenna.", "again but slowly", [("wave", {"side": "left", "speed": "slow"})]),
    ("", "What's the date? Oh, and nod off after that.", [("get_time", {}), ("sleep", {})]),
)  # fmt: skip


class LanguageModel:
    """A synchronous wrapper. Entering the block loads the model and processes the prompt."""

    def __init__(self, llama: Llama) -> None:
        self._llama = llama
        self._runner = asyncio.Runner()
        self._schema, self._prompt = schema(), prompt()

    @classmethod
    def of(cls, configuration: Configuration) -> LanguageModel:
        """Raises MissingExtra without xllamacpp and AssetError when the model has to be pulled first."""
        return cls(Llama.of(configuration))

    def __enter__(self) -> LanguageModel:
        try:
            self._answer("hello", "", FIRST_TIMEOUT_S)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        with self._runner:
            self._runner.run(self._llama.aclose())

    def plan(self, text: str, after: str = "") -> list[Step]:
        """The tool calls for a request, `after` the same person's previous one; none for an unreadable answer. Raises
        WorkerError, BadAnswer or TimedOut when the model fails."""
        return steps(self._answer(text, after, TIMEOUT_S))

    def _answer(self, text: str, after: str, timeout: float) -> str:
        messages = [*self._prompt, {"role": "user", "content": _said(text, after)}]
        answer = self._llama.complete(messages, schema=self._schema, max_tokens=TOKENS, timeout_s=timeout)
        return self._runner.run(answer).text


def steps(answer: str) -> list[Step]:
    """The calls in an answer; none when it is not a list of calls."""
    try:
        return [Step(str(call["tool"]), dict(call["args"])) for call in json.loads(answer)]
    except (ValueError, TypeError, KeyError):
        return []


def schema() -> dict[str, Any]:
    """JSON schema of a list of calls of the offered tools; arguments are free."""
    names = {"type": "string", "enum": [tool.name for tool in _OFFERED]}
    call = {"type": "object", "properties": {"tool": names, "args": {"type": "object"}}, "required": ["tool", "args"]}
    return {"type": "array", "items": call | {"additionalProperties": False}, "maxItems": 6}


def prompt() -> list[dict[str, str]]:
    """The prompt before every request: the task, the tools and the examples."""
    messages = [{"role": "system", "content": _TASK + "\n".join(map(_described, _OFFERED))}]
    for after, text, calls in _EXAMPLES:
        answer = json.dumps([{"tool": tool, "args": args} for tool, args in calls])
        messages += [{"role": "user", "content": _said(text, after)}, {"role": "assistant", "content": answer}]
    return messages


def _said(text: str, after: str) -> str:
    return f"(before: {after})\n{text}" if after else text


def _described(tool: Tool) -> str:
    """A tool in one line: name, arguments with their choices, first line of the description."""
    arguments = []
    for name, about in tool.schema.get("properties", {}).items():
        choices: list[str] = next((kind["enum"] for kind in (about, *about.get("anyOf", ())) if "enum" in kind), [])
        arguments.append(f"{name}={'|'.join(choices)}" if choices else name)
    return f"- {tool.name}({', '.join(arguments)}): {tool.description.splitlines()[0]}"
