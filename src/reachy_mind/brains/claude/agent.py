"""`Agent`: Claude by its Agent SDK. The toolbox is an MCP server in this process; the SDK's own tools are off.

The SDK talks to a program of its own (the Claude Code command line), which is kept open from turn to turn: it knows
what was said, and is told what it missed. Another conversation, personality or set of tools gets a new one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import claude_agent_sdk as sdk

from reachy_mind.brains.claude import prompt
from reachy_mind.brains.claude.bill import Bill
from reachy_mind.brains.claude.faults import LIMIT, by_status, failed
from reachy_mind.brains.claude.hands import Hands
from reachy_mind.brains.claude.session import Session
from reachy_mind.brains.spending import Spending
from reachy_mind.brains.thought import Called, Done, NoThought, Said, Thought, Turn
from reachy_mind.ending import ended
from reachy_mind.settings import Anthropic


class Agent:
    """`folder`: the home of the program."""

    name = "claude"

    def __init__(self, settings: Anthropic, model: str, spending: Spending, folder: Path) -> None:
        self._settings, self._model, self._spending, self._folder = settings, model, spending, folder
        self._session: Session | None = None
        self._settling: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()

    async def aclose(self) -> None:
        if self._settling is not None:
            await asyncio.wait([self._settling])  # not long, and it tells what was spent
        if self._session is not None:
            await self._session.close()

    async def think(self, turn: Turn) -> AsyncIterator[Thought]:
        self._spending.require(0.0, LIMIT)
        async with self._lock:
            session = await self._opened(turn)
            heard: asyncio.Queue[Any] = asyncio.Queue()
            hands = session.hands = Hands(turn, heard.put_nowait, session.outside)
            text = prompt.told(turn, session.known(turn) or 0)
            session.last = turn.text
            bill = Bill(len(prompt.system(turn)) + len(text))
            listening = asyncio.create_task(session.ask(text, heard), name="claude")
            answered, said, over = False, False, False
            try:
                while not answered:
                    one = await self._next(heard, session)
                    if isinstance(one, sdk.StreamEvent):
                        bill.passed(one.event)
                    match one:
                        case NoThought():
                            raise one
                        case Called():
                            yield one
                        case sdk.StreamEvent() if words := _words(one):
                            said = True
                            yield Said(words)
                        case sdk.ResultMessage():
                            over = True
                            bill.counted()
                            done = await self._paid(one, session)
                            self._require_fine(one, said=said or hands.used)
                            answered = True
                            yield done
            finally:
                session.hands = None
                await ended(listening)
                await session.end_calls()
                over = await self._paid_rest(heard, bill, session) or over
                if not answered:
                    self._settling = asyncio.create_task(self._settle(session, over=over), name="claude settles")

    async def _next(self, heard: asyncio.Queue[Any], session: Session) -> Any:
        """What comes next. Nobody waits for Claude while a tool is at work."""
        while True:
            try:
                async with asyncio.timeout(self._settings.timeout_s):
                    return await heard.get()
            except TimeoutError:
                if not session.busy:
                    raise failed("slow", f"{self._settings.timeout_s:g} s") from None

    async def _opened(self, turn: Turn) -> Session:
        """The program for this conversation, new if need be. Raises NoThought when it can't be started."""
        if self._settling is not None:
            await asyncio.wait([self._settling])
            self._settling = None
        session = self._session
        fits = session is not None and session.key == Session.key_of(turn) and session.known(turn) is not None
        if session is not None and not (fits and await session.alive()):
            self._session = None
            await session.close()
        if self._session is None:
            self._session = await Session.open(turn, self._settings, self._model, self._folder, self._spending.left)
        return self._session

    async def _settle(self, session: Session, *, over: bool) -> None:
        """After an answer that nobody waits for any more the program is asked to be quiet, or else ended. `over`: it
        has come to its end, and was none."""
        result = None if over else await session.quieted()
        if result is not None:
            await self._paid(result, session)
            return
        if self._session is session:
            self._session = None
        await session.close()

    async def _paid(self, result: sdk.ResultMessage, session: Session) -> Done:
        total, usage = result.total_cost_usd or 0.0, result.usage or {}
        usd, session.cost_usd = max(total - session.cost_usd, 0.0), max(total, session.cost_usd)
        await self._spending.add(usd)
        read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        return Done(usd, sum(int(usage.get(key) or 0) for key in read), int(usage.get("output_tokens") or 0))

    async def _paid_rest(self, heard: asyncio.Queue[Any], bill: Bill, session: Session) -> bool:
        """For what came and was not looked at any more, and what was cut short, which the program does not count;
        whether the end of the answer was among it."""
        over = False
        while not heard.empty():
            match heard.get_nowait():
                case sdk.StreamEvent() as piece:
                    bill.passed(piece.event)
                case sdk.ResultMessage() as result:
                    over = True
                    bill.counted()
                    await self._paid(result, session)
        await self._spending.add(bill.usd(self._settings))
        return over

    def _require_fine(self, result: sdk.ResultMessage, *, said: bool) -> None:
        """Raises NoThought for an answer that is none."""
        detail = "; ".join(result.errors or ()) or (result.result or "" if result.is_error else "")
        if result.subtype == "error_max_turns":
            raise failed("circles", detail)
        if result.subtype == "error_max_budget_usd":
            raise failed("budget", detail)
        if result.stop_reason == "refusal":
            raise failed("refused")
        if result.is_error and result.api_error_status:
            raise by_status(result.api_error_status, self._model, detail)
        if result.is_error:
            lost = any(word in detail.lower() for word in ("connect", "network", "socket", "fetch"))
            raise failed("unreachable" if lost and not said else "cut" if said else "nonsense", detail)
        if not said:
            raise failed("nonsense", "nothing was said")


def _words(streamed: sdk.StreamEvent) -> str:
    delta = streamed.event.get("delta") or {}
    return str(delta.get("text") or "") if delta.get("type") == "text_delta" else ""
