"""A small language model that chooses tools: what the reflex brain is compared with.

Qwen2.5-Coder-1.5B (`models pull chat`) in a process of its own, run by llama.cpp (xllamacpp, extra `agents`). It gets
every tool a brain is offered, a dozen examples and the request, and answers with a JSON list of calls; a schema keeps
it to tools there are. Of the prompt only the request changes, so the rest is read once and kept.

with LanguageModel.of(Store(configuration.models_folder)) as model:
    steps = model.plan("look left and nod")
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import os
import secrets
from pathlib import Path
from types import TracebackType
from typing import Any

from reachy_mind.brains.plan import Step
from reachy_mind.errors import MissingExtra
from reachy_mind.models.store import Store
from reachy_mind.models.worker import Worker
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.definition import Tool

ASSET = "chat"
TOKENS = 160
"""At most this many in an answer; one that is cut off there is no JSON and counts as no answer."""
CONTEXT = 6144
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


class Hosted:
    """The model itself, in the worker's process."""

    def __init__(self, path: str, threads: int) -> None:
        llama = importlib.import_module("xllamacpp")
        settings = llama.CommonParams()
        settings.model.path = path
        settings.n_ctx, settings.n_parallel, settings.verbosity = CONTEXT, 1, 1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
        settings.api_keys, settings.ui = [secrets.token_hex(32)], False  # it listens on loopback too: for nobody
        self._server = llama.Server(settings)

    def answer(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> str:
        """The model's answer, most likely word by word, as JSON that fits `schema` as far as it goes."""
        reply = self._server.handle_chat_completions(
            {
                "messages": messages,
                "max_tokens": TOKENS,
                "temperature": 0,
                "cache_prompt": True,
                "response_format": {"type": "json_schema", "json_schema": {"name": "calls", "schema": schema}},
            }
        )
        reply = json.loads(reply) if isinstance(reply, str | bytes) else reply
        if "choices" not in reply:
            raise RuntimeError(f"llama.cpp answered {json.dumps(reply)[:300]}")
        return str(reply["choices"][0]["message"]["content"])


class LanguageModel:
    """The model, from where nothing is asynchronous. Entering the block loads it and has it read the prompt."""

    def __init__(self, path: Path, threads: int | None = None) -> None:
        # llama.cpp's threads wait for each other without rest: with one on every core, any other work stalls them all.
        arguments = {"path": str(path), "threads": threads or max(1, (os.cpu_count() or 1) - 1)}
        self._worker = Worker("chat", f"{__name__}:Hosted", arguments)
        self._runner = asyncio.Runner()
        self._schema, self._prompt = schema(), prompt()

    @classmethod
    def of(cls, store: Store, threads: int | None = None) -> LanguageModel:
        """Raises MissingExtra without xllamacpp and AssetError when the model has to be pulled first."""
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingExtra("asking the language model", "agents")
        (file,) = store.path(ASSET).glob("*.gguf")
        return cls(file, threads)

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
            self._runner.run(self._worker.stop())

    def plan(self, text: str, after: str = "") -> list[Step]:
        """The calls it makes for what a person says, `after` what the same person said before; none for an answer
        that can't be read. Raises WorkerError or TimedOut when the model fails."""
        return steps(self._answer(text, after, TIMEOUT_S))

    def _answer(self, text: str, after: str, timeout: float) -> str:
        messages = [*self._prompt, {"role": "user", "content": _said(text, after)}]
        return str(self._runner.run(self._worker.call("answer", messages, self._schema, timeout=timeout)))


def steps(answer: str) -> list[Step]:
    """The calls in an answer; none when it is not a list of them."""
    try:
        return [Step(str(call["tool"]), dict(call["args"])) for call in json.loads(answer)]
    except (ValueError, TypeError, KeyError):
        return []


def schema() -> dict[str, Any]:
    """A list of calls of tools that are offered; their arguments are left to the model."""
    names = {"type": "string", "enum": [tool.name for tool in _OFFERED]}
    call = {"type": "object", "properties": {"tool": names, "args": {"type": "object"}}, "required": ["tool", "args"]}
    return {"type": "array", "items": call | {"additionalProperties": False}, "maxItems": 6}


def prompt() -> list[dict[str, str]]:
    """What comes before every request: the task, the tools and the examples."""
    messages = [{"role": "system", "content": _TASK + "\n".join(map(_described, _OFFERED))}]
    for after, text, calls in _EXAMPLES:
        answer = json.dumps([{"tool": tool, "args": args} for tool, args in calls])
        messages += [{"role": "user", "content": _said(text, after)}, {"role": "assistant", "content": answer}]
    return messages


def _said(text: str, after: str) -> str:
    return f"(before: {after})\n{text}" if after else text


def _described(tool: Tool) -> str:
    """Name, arguments with their choices, first line of the description."""
    arguments = []
    for name, about in tool.schema.get("properties", {}).items():
        choices: list[str] = next((kind["enum"] for kind in (about, *about.get("anyOf", ())) if "enum" in kind), [])
        arguments.append(f"{name}={'|'.join(choices)}" if choices else name)
    return f"- {tool.name}({', '.join(arguments)}): {tool.description.splitlines()[0]}"
