"""`Session`: the Agent SDK's program, opened for one conversation, with our toolbox as its only tools.

It has a home of its own in the data folder, keeps nothing there of what was said, and asks the model, nobody else. What
it may call is looked at twice: before (PreToolUse), that it is a tool of the turn, and by the gate.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import defaultdict
from pathlib import Path
from typing import Any, Self

import claude_agent_sdk as sdk

from reachy_mind import __version__, log
from reachy_mind.brains.claude import prompt
from reachy_mind.brains.claude.faults import failed
from reachy_mind.brains.claude.hands import Hands, label, offered
from reachy_mind.brains.thought import Turn
from reachy_mind.config import ALIASES, PREFIX
from reachy_mind.ending import ended
from reachy_mind.settings import Anthropic
from reachy_mind.tools.definition import Tool
from reachy_mind.tools.schemas import parameters

RETRIES = 2
OPEN_S = 60.0
QUIET_S = 3.0
"""How long the program may take to end an answer that nobody wants any more."""
ALONE = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_MAX_RETRIES": str(RETRIES),
    "ENABLE_TOOL_SEARCH": "false",  # it is told of all tools at once
}
"""It talks to the model, and to nobody else."""

_log = log.get(__name__)


class Session:
    """Open it with `Session.open`."""

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self.hands: Hands | None = None
        """The tools of the turn under way."""
        self.last: str | None = None
        """What was said last that it heard."""
        self.outside: list[str] = []
        """Where words came from that are not the person's, in all that it was told, see `Trust`."""
        self.cost_usd = 0.0
        self._client: sdk.ClaudeSDKClient
        self._calls: set[asyncio.Task[tuple[str, bool]]] = set()

    @classmethod
    async def open(cls, turn: Turn, settings: Anthropic, model: str, folder: Path, usd_left: float | None) -> Self:
        """Raises NoThought when the program can't be started."""
        session = cls(cls.key_of(turn))
        home = folder / "home"
        await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True, mode=0o700)
        groups: dict[str, list[Tool]] = defaultdict(list)
        for tool in offered(turn):
            groups[tool.group].append(tool)
        session._client = sdk.ClaudeSDKClient(
            sdk.ClaudeAgentOptions(
                model=model,
                system_prompt=prompt.system(turn),
                tools=[],
                mcp_servers={group: session._served(group, tools) for group, tools in groups.items()},
                strict_mcp_config=True,
                setting_sources=[],
                verbatim_prompts=True,
                include_partial_messages=True,
                max_turns=settings.steps,
                max_budget_usd=usd_left,
                thinking={"type": "disabled"},  # models that must think do so a little: somebody waits for a word
                effort="low",
                hooks={"PreToolUse": [sdk.HookMatcher(hooks=[session._looked_at])]},
                cwd=home,
                env=_environment(settings, home),
                extra_args={"no-session-persistence": None, "disable-slash-commands": None},
                stderr=lambda line: _log.debug("claude", line=line[:500]),
            )
        )
        try:
            async with asyncio.timeout(OPEN_S):
                await session._client.connect()
        except (TimeoutError, sdk.ClaudeSDKError, OSError) as error:
            await session.close()
            raise failed("program", str(error)) from None
        return session

    @staticmethod
    def key_of(turn: Turn) -> tuple[Any, ...]:
        """What a session is for: the same words to the same tools of the same robot."""
        return turn.conversation, prompt.system(turn), tuple(tool.qualified for tool in offered(turn))

    def known(self, turn: Turn) -> int | None:
        """How many turns of the history it knows; None when that is of another conversation."""
        if self.last is None:
            return 0
        known = [number for number, past in enumerate(turn.history, 1) if past.said == self.last]
        return known[-1] if known else None

    @property
    def busy(self) -> bool:
        """Whether a tool is at work."""
        return bool(self._calls)

    async def ask(self, text: str, heard: asyncio.Queue[Any]) -> None:
        """Say something to Claude; what comes back goes into the queue, NoThought when the program fails."""
        try:
            await self._client.query(text)
            async for message in self._client.receive_response():
                heard.put_nowait(message)
        except Exception as error:  # noqa: BLE001 -- the SDK raises what it likes when its program dies
            heard.put_nowait(failed("program", str(error)))
        else:
            heard.put_nowait(failed("program", "it ended without an answer"))  # read only when no answer came

    async def alive(self) -> bool:
        """Whether the program is still there: it may have been killed since."""
        try:
            async with asyncio.timeout(QUIET_S):
                await self._client.get_mcp_status()
        except Exception as error:  # noqa: BLE001 -- as above
            _log.debug("claude has gone", reason=str(error))
            return False
        return True

    async def quieted(self) -> sdk.ResultMessage | None:
        """End the answer under way; what it took. None: the program can't be asked again."""
        result: sdk.ResultMessage | None = None
        try:
            async with asyncio.timeout(QUIET_S):
                await self._client.interrupt()
                async for message in self._client.receive_response():
                    result = message if isinstance(message, sdk.ResultMessage) else result
        except Exception as error:  # noqa: BLE001 -- whatever it is, this program is of no use any more
            _log.debug("claude does not settle", reason=str(error))
            return None
        return result

    async def end_calls(self) -> None:
        """Tools that are at work for a turn that has ended end, too."""
        for call in tuple(self._calls):
            await ended(call)

    async def close(self) -> None:
        with contextlib.suppress(sdk.ClaudeSDKError, OSError):
            await self._client.disconnect()

    def _served(self, group: str, tools: list[Tool]) -> Any:
        """A group of tools as an MCP server in this process: so they are called mcp__robot__nod."""
        made = [sdk.SdkMcpTool(tool.name, tool.description, parameters(tool), self._handler(tool)) for tool in tools]
        return sdk.create_sdk_mcp_server(group, __version__, made)

    def _handler(self, tool: Tool) -> Any:
        async def called(args: dict[str, Any]) -> dict[str, Any]:
            if self.hands is None:
                return {"content": [{"type": "text", "text": "this turn has ended"}], "is_error": True}
            call = asyncio.create_task(self.hands.use(label(tool), args), name=tool.qualified)
            self._calls.add(call)
            try:
                await asyncio.wait([call])
            finally:
                self._calls.discard(call)
                call.cancel()
            told, wrong = ("it was cut short", True) if call.cancelled() else call.result()
            return {"content": [{"type": "text", "text": told}], "is_error": wrong}

        return called

    async def _looked_at(self, about: Any, _id: str | None, _context: Any) -> Any:
        """Before a tool runs: whatever is no tool of this turn is refused here; what is one, the gate decides about."""
        refusal = self.hands.refusal(str(about.get("tool_name"))) if self.hands else "this turn has ended"
        decision = {"permissionDecision": "deny", "permissionDecisionReason": refusal}
        if not refusal:
            decision = {"permissionDecision": "allow", "permissionDecisionReason": "the gate decides"}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse"} | decision}


def _environment(settings: Anthropic, home: Path) -> dict[str, str]:
    """What the program sees beside what everybody does: its own key, and none of the others."""
    hidden = {name: "" for name in os.environ if name in ALIASES or name.startswith((PREFIX, "ANTHROPIC_", "CLAUDE_"))}
    own = {
        "ANTHROPIC_API_KEY": settings.api_key.get_secret_value() if settings.api_key else "none",
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(settings.most_tokens),
        "NO_PROXY": ",".join(filter(None, (os.environ.get("NO_PROXY"), "127.0.0.1", "localhost"))),
    }
    return hidden | ALONE | own | ({"ANTHROPIC_BASE_URL": settings.url} if settings.url else {})
