"""`Exchange`: one turn over a line, from what was said to the last word, with the calls in between.

Before it, the server's conversation is made what ours is: of a reply that was cut short only what was heard stays, what
was not said to the robot goes, and turns that somebody else answered are told.
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import AsyncIterator
from typing import Any

from reachy_mind.brains.realtime import items, refusals
from reachy_mind.brains.realtime.line import ACTIVE, RATE_HZ, Line, refused
from reachy_mind.brains.thought import Call, Called, Done, Said, Thought, Turn, Voiced
from reachy_mind.brains.trust import Trust
from reachy_mind.settings import Realtime
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.registry import UnknownTool

MOST_ROUNDS = 12
"""Responses in one turn: each but the last ends with calls."""
MOST_TRIES = 3
"""A response is asked for so often while the server says that another one is under way."""
AGAIN_S = 0.1
HEARD_S = 0.1
"""So little that was not heard of a reply is the end of its last breath."""


class Exchange:
    """`spoken`: it is answered with sound, unless the server has only text."""

    def __init__(self, line: Line, turn: Turn, settings: Realtime) -> None:
        self._line, self._turn, self._settings = line, turn, settings
        self._trust = Trust(turn, line.outside)
        self._spoken = turn.context.get("spoken") is True
        self._tokens_in = self._tokens_out = 0
        self._asked: list[dict[str, Any]] = []
        """Calls that the server waits for."""
        self._heard = (turn.context.get("items") or ("",))[-1]
        self._adopted = False
        """Whether the server has begun to answer by itself."""

    async def thoughts(self) -> AsyncIterator[Thought]:
        """Raises NoThought when the server fails, whatever was said before."""
        line, acted = self._line, False
        self._adopted = line.adopt(self._heard)
        if not self._adopted:
            await line.idle(self._settings.timeout_s)
        self._prepare()
        for _ in range(MOST_ROUNDS):
            async for thought in self._response():
                acted = True
                yield thought
            if not self._asked:
                break
            acted = True
            while self._asked:
                async for thought in self._called(self._asked[0]):
                    yield thought
        else:
            raise refusals.circling(MOST_ROUNDS)
        if not acted:
            raise refusals.silent()
        yield Done(tokens_in=self._tokens_in, tokens_out=self._tokens_out)

    def end(self) -> None:
        """Nobody listens any more. The server is told, and of calls that it waits for, that they were cut short."""
        self._line.drop()
        for call in self._asked:
            items.add(self._line, items.gave(call["call_id"], Outcome("cancelled")))
        self._asked = []

    # Before

    def _prepare(self) -> None:
        line, turn = self._line, self._turn
        self._shorten()
        mine = [item for item in turn.context.get("items", ()) if item in line.heard]
        self._forget(mine)
        past = list(items.unknown(line, turn.history))
        for each in past:
            items.put(line, items.said(each.said))
            reply = each.reply
            if turn.heard is not None and each is turn.history[-1]:
                reply = f"{turn.heard} ..."  # the rest was not heard
            if reply.strip():
                items.put(line, items.replied(reply))
        self._tell_known()
        if mine:
            line.last_item = mine[-1]
        else:
            items.put(line, items.said(turn.text))
        line.last_said = turn.text

    def _shorten(self) -> None:
        """What was not heard of the last reply was not said."""
        sounds, self._line.sounds = self._line.sounds, {}
        sounded = self._turn.context.get("sounded")
        if sounded is None:
            return
        for item, seconds in sounds.items():
            heard = float(sounded.get(item, 0.0))
            if seconds - heard > HEARD_S:
                about = {"item_id": item, "content_index": 0, "audio_end_ms": round(1000 * heard)}
                self._line.send("conversation.item.truncate", about, purpose="truncate")

    def _forget(self, mine: list[str]) -> None:
        """What was heard before this and was no turn: a "mhm", a yes, talk of others."""
        heard = self._line.heard
        if not mine:
            return
        end = heard.index(mine[-1]) + 1
        for item in heard[:end]:
            if item not in mine:
                self._line.send("conversation.item.delete", {"item_id": item}, purpose="delete")
        del heard[:end]

    def _tell_known(self) -> None:
        """What is known for this turn, in the place of what was known for the last."""
        line = self._line
        if line.known_item:
            line.send("conversation.item.delete", {"item_id": line.known_item}, purpose="delete")
            line.known_item = ""
        if (known := items.known(self._turn.context)) is not None:
            line.known_item = items.put(line, known)

    # Responses

    async def _response(self) -> AsyncIterator[Thought]:
        line, tries = self._line, 1
        if not self._adopted:
            self._begin()
        self._adopted = False
        while True:
            event: Any = await line.receive(self._settings.timeout_s)
            try:
                match event.type:
                    case "response.output_audio.delta" if self._spoken:
                        pcm = base64.b64decode(event.delta, validate=True)
                        item, line.spoke = str(event.item_id), True
                        line.sounds[item] = line.sounds.get(item, 0.0) + len(pcm) / (2 * RATE_HZ)
                        yield Voiced(pcm, RATE_HZ, item)
                    case "response.output_audio_transcript.delta":
                        yield Said(str(event.delta), str(event.item_id) if self._spoken else "")
                    case "response.output_text.delta":
                        yield Said(str(event.delta))
                    case "response.output_item.done":
                        self._ended(event.item)
                    case "response.done":
                        self._done(event.response)
                        return
                    case "error" if event.error.code == ACTIVE and line.responding:
                        pass  # it had begun by itself, and that is what comes now
                    case "error" if event.error.code == ACTIVE and tries < MOST_TRIES:
                        tries += 1
                        await line.idle(self._settings.timeout_s)
                        await asyncio.sleep(AGAIN_S)
                        self._begin()
                    case "error":
                        raise refused(event)
            except (ValueError, TypeError, AttributeError) as error:
                raise refusals.nonsense(str(error)) from error

    def _begin(self) -> None:
        if not self._line.adopt(self._heard):
            self._line.ask({"output_modalities": ["audio" if self._spoken else "text"]})

    def _ended(self, item: Any) -> None:
        self._line.last_item = str(item.id)
        if item.type == "function_call":
            self._asked.append({"call_id": str(item.call_id), "name": str(item.name), "arguments": item.arguments})

    def _done(self, response: Any) -> None:
        if response.usage is not None:
            self._tokens_in += response.usage.input_tokens or 0
            self._tokens_out += response.usage.output_tokens or 0
        if response.status == "failed":
            error = response.status_details.error if response.status_details else None
            self._asked = []
            raise refusals.complaint((error and error.code) or "", getattr(error, "message", "") or "")

    # Calls

    async def _called(self, asked: dict[str, Any]) -> AsyncIterator[Thought]:
        """Through the gate, whatever the model made up; what comes of it goes back as data."""
        name, began = asked["name"], time.monotonic()
        try:
            args = json.loads(asked["arguments"] or "{}")
            if not isinstance(args, dict):
                raise TypeError("they are no object")
        except (ValueError, TypeError, RecursionError) as error:
            args = {}
            message = f"the arguments of {name} can't be read: {error}"
            wrong = {"code": "INVALID_PARAMETER", "message": message[:200], "hint": "send a JSON object"}
            outcome = Outcome("error", error=wrong)
        else:
            outcome = await self._used(name, args)
        items.add(self._line, items.gave(asked["call_id"], outcome))
        self._asked.remove(asked)
        yield Called(Call(name, args, outcome))
        look = self._turn.context.get("picture")
        if self._settings.pictures and look is not None and (picture := look(began)) is not None:
            items.add(self._line, await asyncio.to_thread(items.looked_at, picture))

    async def _used(self, name: str, args: dict[str, Any]) -> Outcome:
        """Only what was offered: whose words stand behind it is asked of that alone."""
        tool = next((tool for tool in self._turn.tools if tool.name == name), None)
        if tool is None:
            error = UnknownTool(f"there is no tool {name[:80]!r}", hint="use one that was offered").as_dict()
            return Outcome("error", error=error)
        outcome = self._trust.refusal(tool) or await self._turn.call(name, args)
        self._trust.took(tool)
        return outcome
