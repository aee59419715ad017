"""`RealtimeResponses`: the mind's turns as responses of the protocol.

A response of the protocol ends with a call of the client's tool, but the turn behind it goes on: it waits for the
result, and what comes then belongs to the next response. The client asks for that one with `response.create`; a further
call does not wait for it long.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from reachy_mind.brains.brain import Said, Voiced
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.conversation.client_side import ClientSide
from reachy_mind.conversation.client_turn import ClientCall, ClientEvent, ClientTurn
from reachy_mind.conversation.events import TurnEvent
from reachy_mind.conversation.response import INTERRUPTED, Response
from reachy_mind.errors import MindError
from reachy_mind.mind import Mind
from reachy_mind.server.realtime.audio_format import AudioEncoder
from reachy_mind.server.realtime.items import Items
from reachy_mind.server.realtime.session_config import Modality, SessionConfig
from reachy_mind.server.realtime.wire_response import Emit, WireResponse
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.tools.client_tools import ClientTools, DeclaredTool, Perform

GRACE_S = 0.25
"""A further call waits so long for the client to ask for a response."""
POLL_S = 0.02


@dataclass(frozen=True)
class Wish:
    """What a response is to answer, and how."""

    text: str
    modality: Modality = "audio"
    instructions: str = ""
    tools: tuple[DeclaredTool, ...] = ()
    calls_only: bool = False
    """The client wants calls of its tools, and no words."""
    acts: bool = True
    kept: bool = True
    """Whether it belongs to the conversation."""
    metadata: Any = None
    verbatim: str = ""
    """What is said as it is, without a turn."""


@dataclass(frozen=True)
class UnspokenTurn(Heard):
    """A turn that was written, or is otherwise asked for, and not heard."""

    wish: Wish | None = None


class Speaking(Protocol):
    """The spoken conversation, as far as a response needs it."""

    async def take(self, heard: Heard) -> None: ...
    async def interrupt(self) -> None: ...
    @property
    def speaking(self) -> bool: ...


class RealtimeResponses:
    """`scopes`: those of the client. `usual` makes the wish for what was heard."""

    def __init__(
        self,
        mind: Mind,
        emit: Emit,
        items: Items,
        config: SessionConfig,
        conversation: str,
        scopes: frozenset[str],
        usual: Callable[[str], Wish],
    ) -> None:
        self._mind, self._emit, self._items, self._config = mind, emit, items, config
        self._conversation, self._scopes, self._usual = conversation, scopes, usual
        self.spoken: Speaking | None = None
        self.wire: WireResponse | None = None
        self._encoder = AudioEncoder(config.output_format)
        self._turn: ClientTurn | None = None
        self._answering: ClientTurn | None = None
        """The turn whose words are not all told yet."""
        self._go_on = asyncio.Event()
        self._silent: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._truncated: str | None = None
        """What was heard of the last answer, as the client says."""
        self._last: WireResponse | None = None
        self._last_item = ""

    async def aclose(self) -> None:
        await self.cancel("client_cancelled")

    @property
    def goes_on(self) -> bool:
        """Whether a turn is under way whose next words the client has to ask for."""
        return self._answering is not None

    # What the client asks for

    async def begin(self, wish: Wish) -> None:
        """A response to this, or to what a turn that goes on has to say. There must be none under way."""
        if self.goes_on and not wish.text:
            self.wire = self._open(wish)
            self._go_on.set()
            return
        await self._drop()
        self.wire = self._open(wish)
        if not wish.text:
            self.wire.done()
            self.wire = None
        elif wish.modality == "audio" and self.spoken is not None:
            await self.spoken.take(UnspokenTurn(wish.text, wish=wish))
        else:
            self._silent = asyncio.create_task(self._silently(wish), name="realtime response")

    def ask_again(self) -> None:
        """The client asks for the next response while the last one is still being spoken."""
        self._go_on.set()

    @property
    def is_closing(self) -> bool:
        """Whether the response has all of its words and is only being spoken."""
        return self._closing is not None and not self._closing.done()

    def result(self, call_id: str, result: Any) -> bool:
        """What a tool of the client returned. Returns whether it was waited for."""
        return self._turn is not None and self._turn.answer(call_id, result)

    async def cancel(self, reason: str) -> bool:
        """End the response that is under way; returns whether there was one."""
        closing, self._closing = self._closing, None
        if closing is not None:
            await cancel_and_wait(closing)
        wire, self.wire = self.wire, None
        if wire is not None:
            wire.done("cancelled", {"reason": reason})
        self._encoder.clear()
        if wire is not None or reason == "client_cancelled":
            await self._drop()
        return wire is not None

    def interrupted(self) -> None:
        """A person began to speak: the response ends."""
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        if self.wire is not None:
            self.wire.done("cancelled", {"reason": "turn_detected"})
            self.wire = None
        self._encoder.clear()

    def truncate(self, item_id: str, audio_end_ms: int) -> str | None:
        """Cut the words of an answer to what was heard of it; None for an item that is not the last answer."""
        if self._last is None or item_id != self._last_item:
            return None
        words, whole = self._last.said.split(), max(1, self._last.audio_ms)
        self._truncated = " ".join(words[: round(min(1.0, audio_end_ms / whole) * len(words))])
        return self._truncated

    # What the spoken conversation asks for

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        """The answer to what was said, or to what a client wrote."""
        wish = heard.wish if isinstance(heard, UnspokenTurn) else None
        if wish is None:
            await self._drop()
            wish = self._usual(heard.text)
            self.wire = self._open(wish)
        async with contextlib.aclosing(self._answer(wish, heard)) as pieces:
            async for piece in pieces:
                yield piece

    async def sound(self, pcm: bytes) -> None:
        """16 kHz PCM of the answer, or of an announcement."""
        wire = self.wire or self._open(self._usual(""))
        self.wire = wire
        wire.audio(self._encoder.encode(pcm))
        self._note(wire)

    async def announce(self, text: str, say: Callable[[str], Any]) -> None:
        """Say something that nobody asked for: a question, a reminder."""
        if self.wire is None:
            self.wire = wire = self._open(self._usual(""))
            wire.text(text)
            await say(text)
            self._closing = asyncio.create_task(self._close_later(wire), name="realtime announcement")
        else:
            self.wire.text(f" {text}")
            await say(text)

    # A turn

    async def _silently(self, wish: Wish) -> None:
        """Answer in words alone."""
        async with contextlib.aclosing(self._answer(wish, Heard(wish.text))) as pieces:
            async for _ in pieces:
                pass

    async def _answer(self, wish: Wish, heard: Heard) -> AsyncGenerator[Say, None]:  # noqa: PLR0912 -- one per event
        aloud = wish.modality == "audio" and self.spoken is not None
        if wish.verbatim:
            wire = self.wire or self._open(wish)
            for piece in (*self._say(wire, Said(wish.verbatim), wish, aloud=aloud), *self._end(wire, aloud=aloud)):
                yield piece
            return
        turn = self._turn = ClientTurn(lambda perform: self._take(wish, heard, perform))
        held: list[Said | Voiced] = []
        ended: Response | None = None
        self._answering = turn
        try:
            async with contextlib.aclosing(self._steps(turn)) as steps:
                async for step in steps:
                    match step:
                        case Said() | Voiced() if self._speakable is None:
                            held.append(step)  # the client has to ask for it
                        case Said() | Voiced():
                            for piece in self._say(self._speakable, step, wish, aloud=aloud):
                                yield piece
                        case ClientCall(call_id, request):
                            held.clear()
                            wire = await self._for_call(wish)
                            wire.call(call_id, request.name, request.arguments)
                            for piece in self._end(wire, aloud=aloud):
                                yield piece
                        case Response():
                            ended = step
                        case None:
                            wire = await self._next(wish)
                            for each in held:
                                for piece in self._say(wire, each, wish, aloud=aloud):
                                    yield piece
                            held.clear()
                    if ended is not None and self._speakable is not None:
                        for piece in self._finish(self._speakable, ended, aloud=aloud):
                            yield piece
                        return
                    if ended is not None and not held and not self._go_on.is_set():
                        return
        except MindError as error:
            if self.wire is not None:
                self.wire.done("failed", {"error": _error(error.as_dict())})
                self.wire = None
        finally:
            if self._answering is turn:
                self._answering = None
            if not turn.ended:
                await turn.aclose()

    async def _steps(self, turn: ClientTurn) -> AsyncGenerator[ClientEvent | None, None]:
        """The events of a turn; None when the client asks for the next response."""
        events = turn.events()
        following: asyncio.Future[ClientEvent | None] | None = asyncio.ensure_future(anext(events, None))
        asked = asyncio.ensure_future(self._go_on.wait())
        try:
            while True:
                waiting: set[asyncio.Future[Any]] = {asked} if following is None else {asked, following}
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if asked.done():
                    if self._go_on.is_set():  # else a call has answered it
                        yield None
                    asked = asyncio.ensure_future(self._go_on.wait())
                if following is not None and following.done():
                    event = following.result()
                    following = None if event is None else asyncio.ensure_future(anext(events, None))
                    if event is not None:
                        yield event
        finally:
            for future in (asked, following):
                if future is not None and not future.done():
                    future.cancel()
                    await asyncio.wait([future])
            await events.aclose()

    @property
    def _speakable(self) -> WireResponse | None:
        """The response that can have more words."""
        return None if self.is_closing else self.wire

    def _say(self, wire: WireResponse | None, said: Said | Voiced, wish: Wish, *, aloud: bool) -> list[Say]:
        if wire is None or wish.calls_only:
            return []
        if isinstance(said, Voiced):
            return [Say("", source=said.item, pcm=said.pcm, rate=said.rate)] if aloud else []
        if not said.text:
            return []
        wire.text(said.text)
        return [Say(said.text, source=said.item)] if aloud else []

    def _finish(self, wire: WireResponse, response: Response, *, aloud: bool) -> list[Say]:
        """The end of a turn."""
        if response.error is not None and response.error["code"] != INTERRUPTED["code"]:
            wire.done("failed", {"error": _error(response.error)})
            self.wire = None
            return []
        return self._end(wire, aloud=aloud, usage=(response.tokens_in, response.tokens_out))

    def _end(self, wire: WireResponse, *, aloud: bool, usage: tuple[int, int] = (0, 0)) -> list[Say]:
        """A response has all of its words; it is over when they were spoken."""
        if not aloud or not wire.said:
            wire.done(usage=usage)
            self.wire = None
            return []
        passed = asyncio.Event()
        self._closing = asyncio.create_task(self._close(wire, passed, usage), name="realtime response end")
        return [Say("", passed=passed)]

    async def _close(self, wire: WireResponse, passed: asyncio.Event, usage: tuple[int, int]) -> None:
        await passed.wait()
        await self._close_later(wire, usage)

    async def _close_later(self, wire: WireResponse, usage: tuple[int, int] = (0, 0)) -> None:
        """End a response when its sound was sent."""
        while self.spoken is not None and self.spoken.speaking:  # noqa: ASYNC110 -- it has no event for this
            await asyncio.sleep(POLL_S)
        wire.audio(self._encoder.end())
        self._note(wire)
        wire.done(usage=usage)
        if self.wire is wire:
            self.wire = None

    async def _next(self, wish: Wish) -> WireResponse:
        """The response that the client asked for, when the last one was spoken."""
        if self._closing is not None:
            await asyncio.wait([self._closing])
            self._closing = None
        wire = self.wire or self._open(wish)
        self.wire = wire
        self._go_on.clear()
        return wire

    async def _for_call(self, wish: Wish) -> WireResponse:
        """The response for a call of the client: the one that is open, else the next, asked for or not."""
        if self._speakable is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE_S):
                    await self._go_on.wait()
        return await self._next(wish)

    def _open(self, wish: Wish) -> WireResponse:
        config, self._encoder = self._config, AudioEncoder(self._config.output_format)
        wire = WireResponse(
            self._emit,
            self._items,
            self._conversation,
            wish.modality,
            config.output_format,
            voice=config.voice,
            metadata=wish.metadata,
            kept=wish.kept,
        )
        self._last = wire
        return wire

    def _note(self, wire: WireResponse) -> None:
        if wire.item_id is not None:
            self._last, self._last_item = wire, wire.item_id

    async def _drop(self) -> None:
        """Give up a turn that is under way."""
        turn, self._turn, self._answering = self._turn, None, None
        if turn is not None and not turn.ended:
            await turn.aclose()
        silent, self._silent = self._silent, None
        if silent is not None and silent is not asyncio.current_task():
            await cancel_and_wait(silent)

    def _take(self, wish: Wish, heard: Heard, perform: Perform) -> AsyncGenerator[TurnEvent, None]:
        tools = ClientTools(wish.tools, perform, self._mind.toolbox.registry)
        truncated, self._truncated = self._truncated, None
        context = {"continues": heard.continues, "items": heard.items, "sounded": heard.sounded}
        return self._mind.stream(
            wish.text,
            conversation=self._conversation if wish.kept else None,
            heard=heard.reply_heard if truncated is None else truncated,
            context=context | ({"spoken": True} if wish.modality == "audio" else {}),
            scopes=self._scopes,
            client=ClientSide(wish.instructions, tools, acts=wish.acts),
        )


def _error(error: dict[str, str]) -> dict[str, Any]:
    return {"type": "server_error", "code": error["code"], "message": error["message"]}
