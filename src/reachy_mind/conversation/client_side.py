"""`ClientSide`: what a program brings into the turns that it has answered: a role, tools, and the talk so far.

It is for the turns of that program alone, and changes nothing of permissions: the profile's tools, the rules and the
program's scopes hold as for anybody.
"""

from __future__ import annotations

from dataclasses import dataclass

from reachy_mind.brains.brain import Past, ToolCall
from reachy_mind.tools.client_tools import ClientTools


@dataclass(frozen=True)
class ClientSide:
    instructions: str = ""
    """Who the robot is for it, instead of the profile's text."""
    tools: ClientTools | None = None
    """The tools that it runs itself."""
    history: tuple[Past, ...] | None = None
    """What was said before, as it tells it; None: the conversation that is stored."""
    done: tuple[ToolCall, ...] = ()
    """Calls that were made about what is said, before the program was asked to make one: they are not made again."""
    acts: bool = True
    """Whether any tool may be called."""
