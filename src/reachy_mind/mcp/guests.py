"""`Guest`: an assistant that uses the robot by MCP, and whether a person marked it as trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from reachy_mind.config import Home
from reachy_mind.errors import ConfigError
from reachy_mind.mcp.book import Book
from reachy_mind.tools.context import Caller

_OTHER = re.compile(r"[^a-z0-9._-]+")
LONGEST = 40


def spelled(name: str) -> str:
    """The one spelling of a client's name: `Claude Code` is `claude-code`."""
    return _OTHER.sub("-", name.strip().lower()).strip("-.")[:LONGEST] or "unknown"


@dataclass(frozen=True)
class Guest:
    """Who calls. A `program` was started by this user's own programs and is known by the name it gives itself; who
    comes with a `token` is known by that, whatever it calls itself."""

    kind: Literal["program", "token"]
    id: str
    name: str

    @property
    def caller(self) -> Caller:
        return Caller("program", f"mcp:{self.name}")

    def trusted(self, home: Home) -> bool:
        """Whether a yes from there is a person's. A file that can't be understood trusts nobody."""
        try:
            entries = Book(home).read()
        except ConfigError:
            return False
        return self.id in (entries.programs if self.kind == "program" else entries.tokens)


def program(name: str) -> Guest:
    return Guest("program", spelled(name), spelled(name))


def holder(token_id: str, token_name: str) -> Guest:
    return Guest("token", token_id, spelled(token_name))
