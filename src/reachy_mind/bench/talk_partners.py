"""Who is talked with in `bench talk`: the whole mind with some brain, or the language model asked plainly.

Each conversation is a new one with somebody unknown: a mind of its own, with an empty data folder. The brain is the
same for all of them, so that its model is loaded once.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol
from uuid import uuid4

from reachy_mind.bench.body_stand_in import stand_in
from reachy_mind.bench.talk_conversations import TalkAnswer, is_action
from reachy_mind.brains.auto import Auto
from reachy_mind.brains.brain import Brain, Closable, Preparable, Said, ToolCall
from reachy_mind.brains.selection import choose
from reachy_mind.config.configuration import Configuration
from reachy_mind.conversation.response import Response
from reachy_mind.errors import MindError
from reachy_mind.mind import Mind
from reachy_mind.models.llama import Llama
from reachy_mind.storage.home import Home
from reachy_mind.tools.registry import UnknownTool

TURN_TIMEOUT_S = 180.0
PLAIN_TOKENS = 90
PLAIN_REPEAT_PENALTY = 1.1
PLAIN_PROMPT = """You are Reachy, a small friendly robot on a desk, with a head, two antennas, a camera and a voice. \
Talk with the person simply and warmly, in their language, in one to three short sentences. \
If you do not know something or can not do it, say so."""
WENT_WELL = ("ok", "started")

Ask = Callable[[str], Awaitable[TalkAnswer]]


class TalkPartner(Protocol):
    """Somebody to talk with."""

    def conversation(self) -> contextlib.AbstractAsyncContextManager[Ask]:
        """A new conversation; calling what it gives says the next turn and waits for the answer."""
        ...


class MindPartner:
    """The whole mind. Use as `open`; `line` says which brain thinks, and `thinks` whether a model does."""

    def __init__(self, configuration: Configuration, folder: Path, brain: Brain) -> None:
        self._configuration, self._folder, self._brain = configuration, folder, brain

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, configuration: Configuration, brain: str) -> AsyncIterator[MindPartner]:
        """With the brain of this name, ready to answer. Raises what that brain raises when it can't be had."""
        with TemporaryDirectory(prefix="reachy-mind-bench-") as folder:
            elsewhere = _elsewhere(configuration, Path(folder), brain)
            thinking = await asyncio.to_thread(choose, elsewhere)
            try:
                partner = cls(elsewhere, Path(folder), thinking)
                await partner._prepare()
                yield partner
            finally:
                if isinstance(thinking, Closable):
                    await thinking.aclose()

    @property
    def line(self) -> str:
        brain = self._brain
        return brain.choice.line if isinstance(brain, Auto) and brain.choice is not None else brain.name

    @property
    def thinks(self) -> bool:
        return self._brain.name != "reflex"

    @contextlib.asynccontextmanager
    async def conversation(self) -> AsyncIterator[Ask]:
        async with self._mind() as mind:
            name = uuid4().hex
            if mind.memory is not None:
                await mind.memory.embeddings.loaded()

            async def ask(text: str) -> TalkAnswer:
                answer = await _asked(mind, text, name)
                if mind.memory is not None:  # people pause before they speak again, and it remembers meanwhile
                    await mind.memory.turn_memory.flush()
                return answer

            yield ask

    async def _prepare(self) -> None:
        brain: object = self._brain
        if isinstance(brain, Preparable):
            async with self._mind() as mind:
                await brain.prepare(mind.turns.blank())

    @contextlib.asynccontextmanager
    async def _mind(self) -> AsyncIterator[Mind]:
        with TemporaryDirectory(dir=self._folder) as folder:
            home = replace(self._configuration, home=Home(Path(folder)))
            async with Mind(home, brain=self._brain, owner=False).session() as mind:
                stand_in(mind.toolbox.registry)
                yield mind


class PlainPartner:
    """The model alone: a short prompt, the conversation so far, and no tools."""

    def __init__(self, llama: Llama) -> None:
        self._llama = llama

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, configuration: Configuration) -> AsyncIterator[PlainPartner]:
        """Raises MissingExtra without xllamacpp and AssetError when the model has to be pulled first."""
        async with Llama.of(configuration) as llama:
            await llama.complete([_message("system", PLAIN_PROMPT), _message("user", "hello")], max_tokens=1)
            yield cls(llama)

    @contextlib.asynccontextmanager
    async def conversation(self) -> AsyncIterator[Ask]:
        messages = [_message("system", PLAIN_PROMPT)]

        async def ask(text: str) -> TalkAnswer:
            messages.append(_message("user", text))
            answer = await self._answered(messages)
            messages.append(_message("assistant", answer.text))
            return answer

        yield ask

    async def _answered(self, messages: list[dict[str, str]]) -> TalkAnswer:
        words, watch = list[str](), _Watch()
        pieces = self._llama.stream(
            messages, max_tokens=PLAIN_TOKENS, repeat_penalty=PLAIN_REPEAT_PENALTY, timeout_s=TURN_TIMEOUT_S
        )
        error = ""
        try:
            async with contextlib.aclosing(pieces):
                async for piece in pieces:
                    if isinstance(piece, str):
                        watch.said(piece)
                        words.append(piece)
        except MindError as failed:
            error = failed.message
        return TalkAnswer("".join(words).strip(), first_word_ms=watch.first_ms, turn_ms=watch.ms(), error=error)


class _Watch:
    """The time since it was made, and when the first word came."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self.first_ms: float | None = None

    def ms(self) -> float:
        return (time.perf_counter() - self._began) * 1000

    def said(self, text: str) -> None:
        if self.first_ms is None and text.strip():
            self.first_ms = self.ms()


async def _asked(mind: Mind, text: str, conversation: str) -> TalkAnswer:
    watch, words, response = _Watch(), list[str](), Response("")
    try:
        async with (
            asyncio.timeout(TURN_TIMEOUT_S),
            contextlib.aclosing(mind.stream(text, conversation=conversation)) as events,
        ):
            async for event in events:
                if isinstance(event, Said):
                    watch.said(event.text)
                    words.append(event.text)
                elif isinstance(event, Response):
                    response = event
    except TimeoutError:
        late = {"message": f"took longer than {TURN_TIMEOUT_S:g} s"}
        response = Response("".join(words).strip(), error=late)
    return _answer(mind, response, watch)


def _answer(mind: Mind, response: Response, watch: _Watch) -> TalkAnswer:
    called, acted, spoken = [], [], []
    for call in response.tool_calls:
        try:
            tool, _ = mind.toolbox.registry.find(call.name)
        except UnknownTool:
            continue
        if is_action(tool):
            acted.append(tool.name)
        if call.outcome.status in WENT_WELL:
            called.append(tool.name)
            spoken += _aloud(tool.name, call, response.text)
    return TalkAnswer(
        " ".join(filter(None, (response.text, *spoken))),
        tuple(called),
        tuple(acted),
        watch.first_ms,
        watch.ms(),
        response.error["message"] if response.error is not None else "",
    )


def _aloud(tool: str, call: ToolCall, reply: str) -> list[str]:
    """What a call said with the robot's voice, where the reply does not have it anyway."""
    text = str(call.args.get("text", "")) if tool == "speak" else ""
    return [text] if text and text not in reply else []


def _elsewhere(configuration: Configuration, folder: Path, brain: str) -> Configuration:
    """The same settings without a robot, a camera or a microphone, in another data folder with the same models."""
    settings = configuration.settings
    changed = settings.model_copy(
        update={
            "mind": settings.mind.model_copy(update={"brain": brain}),
            "robot": settings.robot.model_copy(update={"address": "none", "idle": False}),
            "media": settings.media.model_copy(update={"provider": "none"}),
            "models": settings.models.model_copy(update={"folder": configuration.models_folder}),
        }
    )
    return Configuration(changed, Home(folder), configuration.origins)


def _message(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}
