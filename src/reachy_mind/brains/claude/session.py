"""`Session`: the Agent SDK's program, opened for one conversation, with our tools as its only tools.

It has its own home folder in the data folder, stores no conversation there, and connects to the model only. A tool
call is checked twice: by a PreToolUse hook (is it a tool of this turn?) and by the gate.
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
from reachy_mind.brains.brain import Turn
from reachy_mind.brains.claude import prompt
from reachy_mind.brains.claude.api_errors import brain_error
from reachy_mind.brains.claude.tool_functions import ToolFunctions, mcp_name, usable_tools
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import ALIASES, PREFIX
from reachy_mind.config.language_model_settings import AnthropicSettings
from reachy_mind.tools.definition import Tool
from reachy_mind.tools.schemas import parameters

RETRIES = 2
CONNECT_TIMEOUT_S = 60.0
INTERRUPT_TIMEOUT_S = 3.0
"""For ending an answer that was given up, and for a sign of life."""
ISOLATION_ENV = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_MAX_RETRIES": str(RETRIES),
    "ENABLE_TOOL_SEARCH": "false",  # all tools are in the prompt
}
"""Environment that keeps the program from contacting anything but the model."""

_log = log.get(__name__)


class Session:
    """Open it with `Session.open`."""

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self.tools: ToolFunctions | None = None
        """The tools of the turn under way."""
        self.last_said: str | None = None
        """The last request it received."""
        self.untrusted_sources: list[str] = []
        """Sources of text by others in this session, see `InjectionGuard`."""
        self.cost_usd = 0.0
        self._client: sdk.ClaudeSDKClient
        self._calls: set[asyncio.Task[tuple[str, bool]]] = set()

    @classmethod
    async def open(
        cls, turn: Turn, settings: AnthropicSettings, model: str, folder: Path, usd_left: float | None
    ) -> Self:
        """Raises BrainUnavailable when the program can't be started."""
        session = cls(cls.key_of(turn))
        home = folder / "home"
        await asyncio.to_thread(home.mkdir, parents=True, exist_ok=True, mode=0o700)
        groups: dict[str, list[Tool]] = defaultdict(list)
        for tool in usable_tools(turn):
            groups[tool.group].append(tool)
        session._client = sdk.ClaudeSDKClient(
            sdk.ClaudeAgentOptions(
                model=model,
                system_prompt=prompt.system(turn),
                tools=[],
                mcp_servers={group: session._mcp_server(group, tools) for group, tools in groups.items()},
                strict_mcp_config=True,
                setting_sources=[],
                verbatim_prompts=True,
                include_partial_messages=True,
                max_turns=settings.steps,
                max_budget_usd=usd_left,
                thinking={"type": "disabled"},  # a person waits for the first word
                effort="low",
                hooks={"PreToolUse": [sdk.HookMatcher(hooks=[session._check_tool_use])]},
                cwd=home,
                env=_environment(settings, home),
                extra_args={"no-session-persistence": None, "disable-slash-commands": None},
                stderr=lambda line: _log.debug("claude", line=line[:500]),
            )
        )
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await session._client.connect()
        except (TimeoutError, sdk.ClaudeSDKError, OSError) as error:
            await session.close()
            raise brain_error("program", str(error)) from None
        return session

    @staticmethod
    def key_of(turn: Turn) -> tuple[Any, ...]:
        """A turn fits a session with the same key: conversation, system prompt, tools."""
        return turn.conversation, prompt.system(turn), tuple(tool.qualified for tool in usable_tools(turn))

    def known_turns(self, turn: Turn) -> int | None:
        """How many turns of the history it has seen; None when the history is of another conversation."""
        if self.last_said is None:
            return 0
        known_turns = [number for number, past in enumerate(turn.history, 1) if past.said == self.last_said]
        return known_turns[-1] if known_turns else None

    @property
    def busy(self) -> bool:
        """Whether a tool call is running."""
        return bool(self._calls)

    async def query(self, text: str, messages: asyncio.Queue[Any]) -> None:
        """Send a request. Answers go into the queue, and a BrainUnavailable when the program fails."""
        try:
            await self._client.query(text)
            async for message in self._client.receive_response():
                messages.put_nowait(message)
        except Exception as error:  # noqa: BLE001 -- the SDK raises what it likes when its program dies
            messages.put_nowait(brain_error("program", str(error)))
        else:
            messages.put_nowait(brain_error("program", "it ended without an answer"))  # read only when no answer came

    async def alive(self) -> bool:
        """Whether the program still runs and answers."""
        try:
            async with asyncio.timeout(INTERRUPT_TIMEOUT_S):
                await self._client.get_mcp_status()
        except Exception as error:  # noqa: BLE001 -- as above
            _log.debug("claude has gone", reason=str(error))
            return False
        return True

    async def interrupt(self) -> sdk.ResultMessage | None:
        """Interrupt the running answer and return its result. None: the session can't be used any more."""
        result: sdk.ResultMessage | None = None
        try:
            async with asyncio.timeout(INTERRUPT_TIMEOUT_S):
                await self._client.interrupt()
                async for message in self._client.receive_response():
                    result = message if isinstance(message, sdk.ResultMessage) else result
        except Exception as error:  # noqa: BLE001 -- after any error the session is unusable
            _log.debug("claude could not be interrupted", reason=str(error))
            return None
        return result

    async def cancel_calls(self) -> None:
        """Cancel the running tool calls of a turn that has ended."""
        for call in tuple(self._calls):
            await cancel_and_wait(call)

    async def close(self) -> None:
        with contextlib.suppress(sdk.ClaudeSDKError, OSError):
            await self._client.disconnect()

    def _mcp_server(self, group: str, tools: list[Tool]) -> Any:
        """A group of tools as an MCP server in this process; its name makes them `mcp__robot__nod`."""
        sdk_tools = [
            sdk.SdkMcpTool(tool.name, tool.description, parameters(tool), self._handler(tool)) for tool in tools
        ]
        return sdk.create_sdk_mcp_server(group, __version__, sdk_tools)

    def _handler(self, tool: Tool) -> Any:
        async def handle(args: dict[str, Any]) -> dict[str, Any]:
            if self.tools is None:
                return {"content": [{"type": "text", "text": "this turn has ended"}], "is_error": True}
            call = asyncio.create_task(self.tools.call(mcp_name(tool), args), name=tool.qualified)
            self._calls.add(call)
            try:
                await asyncio.wait([call])
            finally:
                self._calls.discard(call)
                call.cancel()
            text, is_error = ("it was cut short", True) if call.cancelled() else call.result()
            return {"content": [{"type": "text", "text": text}], "is_error": is_error}

        return handle

    async def _check_tool_use(self, about: Any, _id: str | None, _context: Any) -> Any:
        """PreToolUse hook: refuses all but the tools of this turn. The gate decides about those."""
        refusal = self.tools.refusal(str(about.get("tool_name"))) if self.tools else "this turn has ended"
        decision = {"permissionDecision": "deny", "permissionDecisionReason": refusal}
        if not refusal:
            decision = {"permissionDecision": "allow", "permissionDecisionReason": "the gate decides"}
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse"} | decision}


def _environment(settings: AnthropicSettings, home: Path) -> dict[str, str]:
    """The program's environment: its own API key, and none of our other keys or settings."""
    hidden = {name: "" for name in os.environ if name in ALIASES or name.startswith((PREFIX, "ANTHROPIC_", "CLAUDE_"))}
    own = {
        "ANTHROPIC_API_KEY": settings.api_key.get_secret_value() if settings.api_key else "none",
        "HOME": str(home),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(settings.most_tokens),
        "NO_PROXY": ",".join(filter(None, (os.environ.get("NO_PROXY"), "127.0.0.1", "localhost"))),
    }
    return hidden | ISOLATION_ENV | own | ({"ANTHROPIC_BASE_URL": settings.url} if settings.url else {})
