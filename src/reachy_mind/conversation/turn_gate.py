"""`TurnGate`: what a brain calls tools with, in one turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reachy_mind.brains.brain import ToolCall
from reachy_mind.conversation.client_side import ClientSide
from reachy_mind.conversation.response import ResponseBuilder
from reachy_mind.profiles.profile import Profile
from reachy_mind.tools.context import Caller
from reachy_mind.tools.definition import Outcome, Tool
from reachy_mind.tools.registry import UnknownTool
from reachy_mind.tools.toolbox import Denied, Toolbox


@dataclass(frozen=True)
class TurnGate:
    toolbox: Toolbox
    profile: Callable[[], Profile]
    """The one in use when a tool is called."""
    caller: Callable[[], Caller]
    acts: Callable[[], None]
    """Told of every call, before it."""
    response: ResponseBuilder
    said: str
    client: ClientSide | None
    released: asyncio.Event | None
    """Until then the speaker may go on, and nothing is done that anybody would notice."""

    async def __call__(self, name: str, args: dict[str, Any]) -> Outcome:
        caller = self.caller()
        self.acts()
        if self.released is not None and self._changes_something(name):
            await self.released.wait()
        if (refused := self._refused(name)) is not None:
            return await self.toolbox.refuse(name, args, refused, caller=caller)
        own = self.client.tools if self.client is not None else None
        serving = own.serving(name, args, self.said) if own else None
        try:
            return await self.toolbox.call(name, args, caller=caller, tool=serving)
        except asyncio.CancelledError:
            self.response.calls.append(ToolCall(name, args, Outcome("cancelled")))  # the brain can't report it any more
            raise

    def _tool(self, name: str) -> Tool | None:
        try:
            return self.toolbox.registry.find(name)[0]
        except UnknownTool:
            return None  # the gate says so

    def _changes_something(self, name: str) -> bool:
        """Whether it may not be called for somebody who may still go on. A stop does not wait for anything."""
        tool = self._tool(name)
        return tool is not None and (tool.name == "listen" or (tool.name != "stop" and not tool.read_only))

    def _refused(self, name: str) -> Denied | None:
        """A brain has the tools of its profile and no others, whatever it makes up."""
        if self.client is not None and not self.client.acts and name != "stop":
            return Denied("the program asked for words alone", hint='leave out tool_choice: "none"')
        tool, profile = self._tool(name), self.profile()
        if tool is None or (profile.allows(tool) and not tool.hidden):
            return None
        message = f"{tool.name} is none of the tools of {profile.title}"
        hint = "a person may do it" if tool.hidden else "be somebody else, or add it to the profile's tools"
        return Denied(message, hint=hint)
