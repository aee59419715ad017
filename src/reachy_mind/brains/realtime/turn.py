"""`RealtimeTurn`: one turn on a Realtime connection: sync the conversation, request responses, run tool calls.

Before the turn the server's conversation is synchronised with ours: an interrupted reply is truncated to what was
heard, speech that was not addressed to the robot is deleted, and turns answered by other brains are inserted.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from reachy_mind.brains.brain import Called, Done, Said, Thought, ToolCall, Turn, Voiced
from reachy_mind.brains.injection_guard import InjectionGuard
from reachy_mind.brains.realtime import items, server_errors
from reachy_mind.brains.realtime.connection import ACTIVE_RESPONSE_ERROR, RATE_HZ, RealtimeConnection, error_from
from reachy_mind.config.language_model_settings import RealtimeSettings
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.registry import UnknownTool

MOST_ROUNDS = 12
"""Responses in one turn: each but the last ends with tool calls."""
MOST_TRIES = 3
"""Requests for a response while the server reports that another one is active."""
RETRY_DELAY_S = 0.1
UNHEARD_TOLERANCE_S = 0.1
"""Less than this unheard at the end of a reply is silence, and not truncated."""


class RealtimeTurn:
    """A spoken turn is answered with audio, unless the server sends only text."""

    def __init__(self, connection: RealtimeConnection, turn: Turn, settings: RealtimeSettings) -> None:
        self._connection, self._turn, self._settings = connection, turn, settings
        self._guard = InjectionGuard(turn, connection.untrusted_sources)
        self._spoken = turn.context.get("spoken") is True
        self._tokens_in = self._tokens_out = 0
        self._pending_calls: list[dict[str, Any]] = []
        """Tool calls whose output the server waits for."""
        self._spoken_item = (turn.context.get("items") or ("",))[-1]
        self._adopted = False
        """Whether the turn follows a response that the server began by itself."""

    async def thoughts(self) -> AsyncIterator[Thought]:
        """Run the turn. Raises BrainUnavailable when the server fails, also after some output."""
        connection, acted = self._connection, False
        self._adopted = connection.adopt(self._spoken_item)
        if not self._adopted:
            await connection.wait_idle(self._settings.timeout_s)
        self._sync_conversation()
        for _ in range(MOST_ROUNDS):
            async for thought in self._response():
                acted = True
                yield thought
            if not self._pending_calls:
                break
            acted = True
            while self._pending_calls:
                async for thought in self._run_call(self._pending_calls[0]):
                    yield thought
        else:
            raise server_errors.too_many_rounds(MOST_ROUNDS)
        if not acted:
            raise server_errors.empty_reply()
        yield Done(tokens_in=self._tokens_in, tokens_out=self._tokens_out)

    def end(self) -> None:
        """End the turn: cancel the response, and report pending tool calls as cancelled."""
        self._connection.cancel_response()
        for call in self._pending_calls:
            items.append(self._connection, items.tool_output(call["call_id"], Outcome("cancelled")))
        self._pending_calls = []

    # Synchronising

    def _sync_conversation(self) -> None:
        connection, turn = self._connection, self._turn
        self._truncate_reply()
        own_items = [item for item in turn.context.get("items", ()) if item in connection.unclaimed_items]
        self._delete_ignored(own_items)
        past = list(items.missing_turns(connection, turn.history))
        for each in past:
            items.insert(connection, items.user_message(each.said))
            reply = each.reply
            if turn.heard is not None and each is turn.history[-1]:
                reply = f"{turn.heard} ..."  # the rest was not heard
            if reply.strip():
                items.insert(connection, items.assistant_message(reply))
        self._update_context()
        if own_items:
            connection.last_item_id = own_items[-1]
        else:
            items.insert(connection, items.user_message(turn.text))
        connection.last_said = turn.text

    def _truncate_reply(self) -> None:
        """Truncate the last reply to the audio that was played."""
        audio_s, self._connection.audio_s = self._connection.audio_s, {}
        played_s = self._turn.context.get("sounded")
        if played_s is None:
            return
        for item, seconds in audio_s.items():
            heard = float(played_s.get(item, 0.0))
            if seconds - heard > UNHEARD_TOLERANCE_S:
                about = {"item_id": item, "content_index": 0, "audio_end_ms": round(1000 * heard)}
                self._connection.send("conversation.item.truncate", about, purpose="truncate")

    def _delete_ignored(self, own_items: list[str]) -> None:
        """Delete earlier audio items that were no turn: a "mhm", a yes, talk between people."""
        heard = self._connection.unclaimed_items
        if not own_items:
            return
        end = heard.index(own_items[-1]) + 1
        for item in heard[:end]:
            if item not in own_items:
                self._connection.send("conversation.item.delete", {"item_id": item}, purpose="delete")
        del heard[:end]

    def _update_context(self) -> None:
        """Replace the context of the last turn with that of this one."""
        connection = self._connection
        if connection.context_item_id:
            connection.send("conversation.item.delete", {"item_id": connection.context_item_id}, purpose="delete")
            connection.context_item_id = ""
        if (known := items.context_message(self._turn.context)) is not None:
            connection.context_item_id = items.insert(connection, known)

    # Responses

    async def _response(self) -> AsyncIterator[Thought]:
        connection, tries = self._connection, 1
        if not self._adopted:
            self._request_response()
        self._adopted = False
        while True:
            event: Any = await connection.receive(self._settings.timeout_s)
            try:
                match event.type:
                    case "response.output_audio.delta" if self._spoken:
                        pcm = base64.b64decode(event.delta, validate=True)
                        item, connection.spoke = str(event.item_id), True
                        connection.audio_s[item] = connection.audio_s.get(item, 0.0) + len(pcm) / (2 * RATE_HZ)
                        yield Voiced(pcm, RATE_HZ, item)
                    case "response.output_audio_transcript.delta":
                        yield Said(str(event.delta), str(event.item_id) if self._spoken else "")
                    case "response.output_text.delta":
                        yield Said(str(event.delta))
                    case "response.output_item.done":
                        self._item_done(event.item)
                    case "response.done":
                        self._response_done(event.response)
                        return
                    case "error" if event.error.code == ACTIVE_RESPONSE_ERROR and connection.responding:
                        pass  # the server's own response, which we follow
                    case "error" if event.error.code == ACTIVE_RESPONSE_ERROR and tries < MOST_TRIES:
                        tries += 1
                        await connection.wait_idle(self._settings.timeout_s)
                        await asyncio.sleep(RETRY_DELAY_S)
                        self._request_response()
                    case "error":
                        raise error_from(event)
            except (ValueError, TypeError, AttributeError) as error:
                raise server_errors.protocol_error(str(error)) from error

    def _request_response(self) -> None:
        if not self._connection.adopt(self._spoken_item):
            self._connection.request_response({"output_modalities": ["audio" if self._spoken else "text"]})

    def _item_done(self, item: Any) -> None:
        self._connection.last_item_id = str(item.id)
        if item.type == "function_call":
            self._pending_calls.append(
                {"call_id": str(item.call_id), "name": str(item.name), "arguments": item.arguments}
            )

    def _response_done(self, response: Any) -> None:
        if response.usage is not None:
            self._tokens_in += response.usage.input_tokens or 0
            self._tokens_out += response.usage.output_tokens or 0
        if response.status == "failed":
            error = response.status_details.error if response.status_details else None
            self._pending_calls = []
            raise server_errors.server_error((error and error.code) or "", getattr(error, "message", "") or "")

    # Tool calls

    async def _run_call(self, call: dict[str, Any]) -> AsyncIterator[Thought]:
        """Run a tool call through the gate, and send its outcome back as data."""
        name, began = call["name"], time.monotonic()
        try:
            args = json.loads(call["arguments"] or "{}")
            if not isinstance(args, dict):
                raise TypeError("they are no object")
        except (ValueError, TypeError, RecursionError) as error:
            args = {}
            message = f"the arguments of {name} can't be read: {error}"
            wrong = {"code": "INVALID_PARAMETER", "message": message[:200], "hint": "send a JSON object"}
            outcome = Outcome("error", error=wrong)
        else:
            outcome = await self._call_tool(name, args)
        items.append(self._connection, items.tool_output(call["call_id"], outcome))
        self._pending_calls.remove(call)
        yield Called(ToolCall(name, args, outcome))
        look = self._turn.context.get("picture")
        if self._settings.pictures and look is not None and (picture := look(began)) is not None:
            items.append(self._connection, await asyncio.to_thread(items.image_message, picture))

    async def _call_tool(self, name: str, args: dict[str, Any]) -> Outcome:
        """Only tools of this turn: the injection guard knows no others."""
        tool = next((tool for tool in self._turn.tools if tool.name == name), None)
        if tool is None:
            error = UnknownTool(f"there is no tool {name[:80]!r}", hint="use one that was offered").as_dict()
            return Outcome("error", error=error)
        outcome = self._guard.refusal(tool) or await self._turn.call(name, args)
        self._guard.record_result(tool)
        return outcome
