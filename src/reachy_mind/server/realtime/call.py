"""`RealtimeCall`: one connection of a Realtime client, from its first event to its last.

What the client sends changes the session, the conversation or the sound that is heard, or asks for a response. The
spoken conversation behind it is opened in the background once it is needed: a session can be set up while models load.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from fastapi import WebSocket, WebSocketDisconnect

from reachy_mind import log
from reachy_mind.access.rate_limits import RateLimit
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.conversation.events import RequestFailed, VoiceEvent
from reachy_mind.conversation.voice import load_spoken
from reachy_mind.errors import MindError, NotReady, TooMany
from reachy_mind.mind import Mind
from reachy_mind.server.openai_api.messages import choice_of, declared_tools
from reachy_mind.server.realtime import opening
from reachy_mind.server.realtime.audio_format import AudioDecoder
from reachy_mind.server.realtime.client_events import is_beta, parse_event
from reachy_mind.server.realtime.client_results import ClientResults
from reachy_mind.server.realtime.heard_input import HeardInput
from reachy_mind.server.realtime.items import Item, Items, RefusedEvent, new_id, parse, shown, text_of
from reachy_mind.server.realtime.line import RealtimeLine
from reachy_mind.server.realtime.outgoing_events import OutgoingEvents
from reachy_mind.server.realtime.responses import RealtimeResponses, Wish
from reachy_mind.server.realtime.session_config import SessionConfig, modality_of
from reachy_mind.server.realtime.session_voice import SessionVoice
from reachy_mind.server.websocket_frames import receive_frame
from reachy_mind.speech.events import SpeechEvent, Transcription, UserSpeech
from reachy_mind.speech.heard import Heard
from reachy_mind.speech.transcriber import LONGEST_S

if TYPE_CHECKING:
    from reachy_mind.server.realtime.conversation import RealtimeConversation

EVENTS_PER_S, EVENTS_AT_ONCE = 400.0, 4000.0
BYTES_PER_S = 32_000

_log = log.get(__name__)


class RealtimeCall:
    """`scopes`: those of the client, which limit what is done about what it says; `confirms`: whether its person may be
    asked for confirmations."""

    def __init__(self, mind: Mind, websocket: WebSocket, *, scopes: frozenset[str], confirms: bool, beta: bool) -> None:
        self._mind, self._websocket, self._confirms, self._scopes = mind, websocket, confirms, scopes
        self._session, self._conversation = new_id("sess"), f"realtime-{uuid4().hex}"
        self._config = SessionConfig(beta=beta)
        self._outgoing = OutgoingEvents()
        self._outgoing.beta = beta
        emit = self._outgoing.emit
        self._items = Items()
        self._heard = HeardInput(emit, self._items)
        self._line = RealtimeLine(self._send_sound)
        self._responses = RealtimeResponses(
            mind, emit, self._items, self._config, self._conversation, scopes, lambda text: self._wish(text, {})
        )
        self._results = ClientResults(self._responses.result)
        self._voice: SessionVoice | None = None
        self._talking: RealtimeConversation | None = None
        self._opening: asyncio.Task[None] | None = None
        self._decoder = AudioDecoder(self._config.input_format)
        self._buffer = bytearray()
        """Sound that waits to be committed, without voice activity detection."""
        self._begun = False
        """Whether anything was said or answered yet."""
        self._unanswered: list[str] = []
        """What the person wrote, or said, and was not answered."""
        self._stack = contextlib.AsyncExitStack()
        self._handlers: dict[str, Callable[[Mapping[str, Any]], Any]] = {
            "session.update": self._update,
            "input_audio_buffer.append": self._append,
            "input_audio_buffer.commit": self._commit,
            "input_audio_buffer.clear": self._clear,
            "output_audio_buffer.clear": self._silence,
            "conversation.item.create": self._create_item,
            "conversation.item.retrieve": self._retrieve,
            "conversation.item.delete": self._delete,
            "conversation.item.truncate": self._truncate,
            "response.create": self._respond,
            "response.cancel": self._cancel,
        }

    async def run(self) -> None:
        """Until the client leaves. Raises TooMany for one that does not read."""
        self._outgoing.emit("session.created", {"session": self._config.described(self._session)})
        writing = asyncio.create_task(self._outgoing.write(self._websocket), name="realtime writer")
        reading = asyncio.create_task(self._read(), name="realtime reader")
        try:
            await asyncio.wait([reading, writing], return_when=asyncio.FIRST_COMPLETED)
            if writing.done() and not writing.cancelled() and isinstance(error := writing.exception(), TooMany):
                raise error
        finally:
            self._line.hang_up("they have left")
            await _over(reading)
            await self._opened()  # a pipeline that is being started can't be given up half way
            await self._results.aclose()
            await self._responses.aclose()
            await self._stack.aclose()
            await _over(writing)

    # The spoken conversation

    def _prepare(self) -> None:
        """Begin to open ears and voice, if that was not done yet."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open(), name="realtime conversation")

    async def _open(self) -> None:
        """Open ears and voice; without them there are still answers in words."""
        speech = self._mind.speech
        try:
            ears = speech.ears()
            self._voice = SessionVoice(speech)
            self._stack.push_async_callback(self._voice.aclose)
            await self._voice.use(self._config.voice, self._config.speed)
            await asyncio.to_thread(load_spoken)
            module = await asyncio.to_thread(importlib.import_module, "reachy_mind.server.realtime.conversation")
            talking: RealtimeConversation = module.RealtimeConversation(
                speech.parts,
                ears,
                self._voice.cached,
                media=self._line.media(),
                conversation=self._conversation,
                always_awake=True,
                confirms=self._confirms,
                scopes=self._scopes,
                on_event=self._noted,
                responses=self._responses,
                hears=self._hears,
                observes=self._observed,
            )
            self._talking = await self._stack.enter_async_context(talking)
            self._responses.spoken = talking
        except MindError as error:
            _log.warning("a Realtime client can't be talked with", reason=error.message)
            self._outgoing.refuse(error)
        except Exception as error:  # noqa: BLE001 -- there are still answers in words
            _log.exception("a Realtime conversation failed")
            self._outgoing.refuse(NotReady(f"speech failed: {type(error).__name__}", hint="see the log"))

    async def _opened(self) -> None:
        if self._opening is not None:
            await asyncio.wait([self._opening])

    def _noted(self, event: VoiceEvent) -> None:
        if isinstance(event, RequestFailed):
            self._outgoing.refuse(event.error)
        elif isinstance(event, Transcription) and event.final:
            self._heard.transcribed(event.text)  # the answer to a question of ours

    def _observed(self, event: SpeechEvent) -> None:
        if not isinstance(event, UserSpeech):
            return
        if not event.active:
            self._heard.stopped()
            return
        self._heard.started()
        if self._talking is not None and not self._talking.awaits_reply:
            self._responses.interrupted()

    def _hears(self, heard: Heard) -> bool:
        """What was said is in the conversation; whether it is answered by itself."""
        self._begun = True
        self._heard.transcribed(heard.text, max(0.0, heard.ended_at - heard.began_at))
        if self._config.answers_by_itself:
            return True
        self._unanswered.append(heard.text)
        return False

    async def _send_sound(self, pcm: bytes) -> None:
        await self._outgoing.room()
        await self._responses.sound(pcm)

    # Events of the client

    async def _read(self) -> None:
        rate = RateLimit(EVENTS_PER_S, EVENTS_AT_ONCE)
        complaints = RateLimit(1.0, 5.0)
        while True:
            frame = await receive_frame(self._websocket)
            if not rate.allows():
                if complaints.allows():
                    self._outgoing.refuse(TooMany("too many events", hint=f"at most {EVENTS_PER_S:g} a second"))
                continue
            await self._take(frame)

    async def _take(self, frame: str | bytes) -> None:
        event: Mapping[str, Any] = {}
        try:
            event = parse_event(frame)
            handler = self._handlers.get(str(event.get("type")))
            if handler is None:
                kind = str(event.get("type"))[:60]
                hint = f"one of: {', '.join(self._handlers)}"
                raise RefusedEvent("unknown_event", f"no event of type {kind!r}", param="type", hint=hint)
            await handler(event)
        except MindError as error:
            self._outgoing.refuse(error, event.get("event_id"))

    async def _update(self, event: Mapping[str, Any]) -> None:
        before = replace(self._config)
        session = event.get("session")
        if isinstance(session, Mapping) and "type" not in session and "audio" not in session and session:
            self._config.beta = self._outgoing.beta = self._outgoing.beta or is_beta(session)
        self._config.update(session)
        config = self._config
        if config.input_format != before.input_format:
            self._decoder = AudioDecoder(config.input_format)
        self._line.paced = config.detection is not None
        self._line.mute(muted=config.detection is None)
        if config.modality == "audio":
            self._prepare()
        if self._voice is not None and (config.voice, config.speed) != (before.voice, before.speed):
            await self._voice.use(config.voice, config.speed)
        self._outgoing.emit("session.updated", {"session": config.described(self._session)})

    async def _append(self, event: Mapping[str, Any]) -> None:
        pcm = self._decoder.decode(event.get("audio"))
        self._heard.received_ms += 1000 * len(pcm) / BYTES_PER_S
        if self._config.detection is not None:
            self._prepare()
            await self._line.feed(pcm)
            return
        if len(self._buffer) + len(pcm) > LONGEST_S * BYTES_PER_S:
            raise RefusedEvent("buffer_full", f"more than {LONGEST_S:g} s of sound", hint="commit or clear the buffer")
        self._buffer += pcm

    async def _commit(self, _: Mapping[str, Any]) -> None:
        """The sound so far is what the person said."""
        if self._config.detection is not None or not self._buffer:
            code = "input_audio_buffer_commit_empty"
            raise RefusedEvent(
                code, "there is no sound to commit", hint="with turn detection it is committed by itself"
            )
        pcm = bytes(self._buffer)
        self._buffer.clear()
        self._heard.committed()
        text = await self._transcribed(pcm)
        self._heard.transcribed(text, len(pcm) / BYTES_PER_S)
        if text:
            self._unanswered.append(text)

    async def _transcribed(self, pcm: bytes) -> str:
        language = (self._config.transcription or {}).get("language")
        ears = self._mind.speech.ears()
        known = language if language in ears.languages else self._mind.configuration.settings.speech.language
        return (await ears.transcribe(pcm, language=known)).text

    async def _clear(self, _: Mapping[str, Any]) -> None:
        self._buffer.clear()
        self._line.clear()
        self._outgoing.emit("input_audio_buffer.cleared", {})

    async def _silence(self, _: Mapping[str, Any]) -> None:
        if await self._responses.cancel("client_cancelled") and self._talking is not None:
            await self._talking.interrupt()
        self._outgoing.emit("output_audio_buffer.cleared", {"response_id": ""})

    async def _create_item(self, event: Mapping[str, Any]) -> None:
        item = parse(event.get("item"))
        if item["type"] == "function_call_output":
            self._require_call(item)
        elif item.get("role") == "user":
            await self._transcribe_parts(item)
        before = self._items.insert(item, event.get("previous_item_id"))
        for kind in ("added", "done"):
            self._outgoing.emit(f"conversation.item.{kind}", {"previous_item_id": before, "item": shown(item)})
        self._results.note(item)
        if item.get("role") == "user" and (text := text_of(item)):
            self._unanswered.append(text)

    def _require_call(self, item: Item) -> None:
        if not self._items.has_call(item["call_id"]):
            message = f"no call with the id {item['call_id'][:40]!r}"
            raise RefusedEvent("invalid_tool_call_output", message, param="item.call_id")

    async def _transcribe_parts(self, item: Item) -> None:
        """Sound in a message becomes its words."""
        for part in item["content"]:
            if part.get("type") == "input_audio" and part.get("audio") and not part.get("transcript"):
                pcm = AudioDecoder(self._config.input_format).decode(part["audio"], last=True)
                part["transcript"] = await self._transcribed(pcm)

    async def _retrieve(self, event: Mapping[str, Any]) -> None:
        item = self._items.find(event.get("item_id"))
        self._outgoing.emit("conversation.item.retrieved", {"item": shown(item)})

    async def _delete(self, event: Mapping[str, Any]) -> None:
        self._items.delete(event.get("item_id"))
        self._outgoing.emit("conversation.item.deleted", {"item_id": event["item_id"]})

    async def _truncate(self, event: Mapping[str, Any]) -> None:
        item, end = self._items.find(event.get("item_id")), event.get("audio_end_ms")
        if item.get("role") != "assistant" or not isinstance(end, int) or end < 0:
            raise RefusedEvent("invalid_value", "only an answer can be cut, at a time", param="audio_end_ms")
        heard = self._responses.truncate(item["id"], end)
        if heard is not None:
            for part in item["content"]:
                part["transcript"] = heard
        place = {"item_id": item["id"], "content_index": event.get("content_index") or 0, "audio_end_ms": end}
        self._outgoing.emit("conversation.item.truncated", place)

    # Responses

    async def _respond(self, event: Mapping[str, Any]) -> None:
        given = event.get("response") or {}
        if not isinstance(given, Mapping):
            raise RefusedEvent("invalid_value", "response is no object", param="response")
        self._results.flush()
        if self._responses.wire is not None and not (self._responses.is_closing and self._responses.goes_on):
            code = "conversation_already_has_active_response"
            raise RefusedEvent(code, "a response is under way", hint="wait for response.done, or response.cancel")
        if self._responses.is_closing and self._responses.goes_on:
            self._responses.ask_again()
            return
        wish = self._wish(self._asked(given), given)
        if wish.modality == "audio":
            self._prepare()
            await self._opened()
            if self._talking is None:
                raise NotReady("there is no voice to answer with", hint='output_modalities: ["text"]')
        await self._responses.begin(wish)

    def _asked(self, given: Mapping[str, Any]) -> str:
        """What a response is to answer: what was written or said since the last one; else its instructions."""
        if isinstance(items := given.get("input"), list):
            return "\n".join(text_of(parse(item)) for item in items if item.get("role") == "user").strip()
        text = "\n".join(self._unanswered).strip()
        self._unanswered.clear()
        begins, self._begun = not self._begun, True
        if begins and opening.is_opening(text) and not opening.verbatim(text):
            return opening.GREETING
        if text or self._responses.goes_on or self._results.answered:
            self._results.answered = False
            return text
        return str(given.get("instructions") or "").strip()

    def _wish(self, text: str, given: Mapping[str, Any]) -> Wish:
        """A response as the session has it, but for what is given for this one. Raises InvalidParameter."""
        config = self._config
        modalities = given.get("output_modalities") or given.get("modalities")
        chosen = given.get("tool_choice", config.tool_choice)
        tools = given.get("tools") if isinstance(given.get("tools"), list) else config.tools
        choice = choice_of(chosen)
        instructions = [config.instructions, str(given.get("instructions") or "")]
        return Wish(
            text,
            modality_of(modalities) if modalities else config.modality,
            "\n\n".join(part for part in instructions if part and part != text),
            declared_tools(tools, chosen) if choice != "none" else (),
            calls_only=choice == "required",
            acts=choice != "none",
            kept=given.get("conversation") != "none",
            metadata=given.get("metadata"),
            verbatim=opening.verbatim(text),
        )

    async def _cancel(self, event: Mapping[str, Any]) -> None:
        wire, wanted = self._responses.wire, event.get("response_id")
        if wire is None or wanted not in (None, wire.id):
            raise RefusedEvent("response_cancel_not_active", "no such response is under way")
        if self._talking is not None:
            await self._talking.interrupt()
        await self._responses.cancel("client_cancelled")


async def _over(task: asyncio.Task[Any]) -> None:
    """End it, whatever it raises: the client has left, or is leaving."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, MindError):
        await cancel_and_wait(task)
