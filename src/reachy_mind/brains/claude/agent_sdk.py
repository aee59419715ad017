"""`AgentSdkBrain`: Claude by its Agent SDK, with our tools as an in-process MCP server; the SDK's own tools are off.

The SDK runs a program (the Claude Code command line). Its session stays open from turn to turn and keeps the
conversation; turns it missed are sent along. A new conversation, personality or set of tools opens a new session.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import claude_agent_sdk as sdk

from reachy_mind.brains.brain import BrainUnavailable, Called, Done, Said, Thought, Turn
from reachy_mind.brains.claude import prompt
from reachy_mind.brains.claude.api_errors import LIMIT_SETTING, brain_error, status_error
from reachy_mind.brains.claude.cost import AnswerCost
from reachy_mind.brains.claude.session import Session
from reachy_mind.brains.claude.tool_functions import ToolFunctions
from reachy_mind.brains.daily_cost import DailyCost
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.language_model_settings import AnthropicSettings


class AgentSdkBrain:
    """`folder`: holds the home folder of the SDK's program."""

    name = "claude"

    def __init__(self, settings: AnthropicSettings, model: str, daily_cost: DailyCost, folder: Path) -> None:
        self._settings, self._model, self._daily_cost, self._folder = settings, model, daily_cost, folder
        self._session: Session | None = None
        self._interrupting: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def aclose(self) -> None:
        if self._interrupting is not None:
            await asyncio.wait([self._interrupting])  # short, and it reports the cost
        if self._session is not None:
            await self._session.close()

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        self._daily_cost.require(0.0, LIMIT_SETTING)
        async with self._lock:
            session = await self._open_session(turn)
            messages: asyncio.Queue[Any] = asyncio.Queue()
            tools = session.tools = ToolFunctions(turn, messages.put_nowait, session.untrusted_sources)
            text = prompt.as_text(turn, session.known_turns(turn) or 0)
            session.last_said = turn.text
            cost = AnswerCost(len(prompt.system(turn)) + len(text))
            receiving = asyncio.create_task(session.query(text, messages), name="claude")
            answered, said, ended_answer = False, False, False
            try:
                while not answered:
                    message = await self._next(messages, session)
                    if isinstance(message, sdk.StreamEvent):
                        cost.add_event(message.event)
                    match message:
                        case BrainUnavailable():
                            raise message
                        case Called():
                            yield message
                        case sdk.StreamEvent() if words := _text_delta(message):
                            said = True
                            yield Said(words)
                        case sdk.ResultMessage():
                            ended_answer = True
                            cost.reported()
                            done = await self._record_cost(message, session)
                            self._raise_for_result(message, said=said or tools.called)
                            answered = True
                            yield done
            finally:
                session.tools = None
                await cancel_and_wait(receiving)
                await session.cancel_calls()
                ended_answer = await self._record_unread(messages, cost, session) or ended_answer
                if not answered:
                    self._interrupting = asyncio.create_task(
                        self._interrupt(session, ended_answer=ended_answer), name="claude interrupt"
                    )

    async def _next(self, messages: asyncio.Queue[Any], session: Session) -> Any:
        """The next message. Raises BrainUnavailable after a timeout, which does not count while a tool runs."""
        while True:
            try:
                async with asyncio.timeout(self._settings.timeout_s):
                    return await messages.get()
            except TimeoutError:
                if not session.busy:
                    raise brain_error("slow", f"{self._settings.timeout_s:g} s") from None

    async def _open_session(self, turn: Turn) -> Session:
        """The session of this conversation, opened if needed. Raises BrainUnavailable when it can't be opened."""
        if self._interrupting is not None:
            await asyncio.wait([self._interrupting])
            self._interrupting = None
        session = self._session
        matches = session is not None and session.key == Session.key_of(turn) and session.known_turns(turn) is not None
        if session is not None and not (matches and await session.alive()):
            self._session = None
            await session.close()
        if self._session is None:
            self._session = await Session.open(turn, self._settings, self._model, self._folder, self._daily_cost.left)
        return self._session

    async def _interrupt(self, session: Session, *, ended_answer: bool) -> None:
        """Interrupt an answer that was given up; close the session if that fails.

        `ended_answer`: the answer has ended already, with an error, so the session is closed.
        """
        result = None if ended_answer else await session.interrupt()
        if result is not None:
            await self._record_cost(result, session)
            return
        if self._session is session:
            self._session = None
        await session.close()

    async def _record_cost(self, result: sdk.ResultMessage, session: Session) -> Done:
        total, usage = result.total_cost_usd or 0.0, result.usage or {}
        usd, session.cost_usd = max(total - session.cost_usd, 0.0), max(total, session.cost_usd)
        await self._daily_cost.add(usd)
        read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        return Done(usd, sum(int(usage.get(key) or 0) for key in read), int(usage.get("output_tokens") or 0))

    async def _record_unread(self, messages: asyncio.Queue[Any], cost: AnswerCost, session: Session) -> bool:
        """Record the cost of messages nobody read, and of an answer cut short, which the program does not report.

        Returns whether the end of the answer was among the messages.
        """
        ended_answer = False
        while not messages.empty():
            match messages.get_nowait():
                case sdk.StreamEvent() as piece:
                    cost.add_event(piece.event)
                case sdk.ResultMessage() as result:
                    ended_answer = True
                    cost.reported()
                    await self._record_cost(result, session)
        await self._daily_cost.add(cost.usd(self._settings))
        return ended_answer

    def _raise_for_result(self, result: sdk.ResultMessage, *, said: bool) -> None:
        """Raises BrainUnavailable when the answer failed or is empty."""
        detail = "; ".join(result.errors or ()) or (result.result or "" if result.is_error else "")
        if result.subtype == "error_max_turns":
            raise brain_error("too_many_steps", detail)
        if result.subtype == "error_max_budget_usd":
            raise brain_error("budget", detail)
        if result.stop_reason == "refusal":
            raise brain_error("refused")
        if result.is_error and result.api_error_status:
            raise status_error(result.api_error_status, self._model, detail)
        if result.is_error:
            lost = any(word in detail.lower() for word in ("connect", "network", "socket", "fetch"))
            raise brain_error("unreachable" if lost and not said else "cut" if said else "nonsense", detail)
        if not said:
            raise brain_error("nonsense", "nothing was said")


def _text_delta(streamed: sdk.StreamEvent) -> str:
    delta = streamed.event.get("delta") or {}
    return str(delta.get("text") or "") if delta.get("type") == "text_delta" else ""
