"""`McpCaller`: the identity of an MCP client that calls our tools, and whether a person marked it as trusted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from reachy_mind.errors import ConfigError
from reachy_mind.mcp.config_file import McpConfigFile
from reachy_mind.storage.home import Home
from reachy_mind.tools.context import Caller

_INVALID = re.compile(r"[^a-z0-9._-]+")
MAX_NAME_LENGTH = 40


def normalized_name(name: str) -> str:
    """A client's name in one spelling: `Claude Code` becomes `claude-code`."""
    return _INVALID.sub("-", name.strip().lower()).strip("-.")[:MAX_NAME_LENGTH] or "unknown"


@dataclass(frozen=True)
class McpCaller:
    """An MCP client. A local `program` is known by the name it gives itself, a client with a `token` by the token's id,
    whatever it calls itself."""

    kind: Literal["program", "token"]
    id: str
    name: str
    scopes: frozenset[str] | None = None
    """The scopes of its token; None for a local program."""

    @property
    def caller(self) -> Caller:
        principal = f"token {self.name} ({self.id})" if self.kind == "token" else ""
        return Caller("program", f"mcp:{self.name}", principal=principal, scopes=self.scopes)

    def trusted(self, home: Home) -> bool:
        """Whether its approvals count as a person's. An unreadable `mcp.yaml` trusts no client."""
        try:
            entries = McpConfigFile(home).read()
        except ConfigError:
            return False
        return self.id in (entries.programs if self.kind == "program" else entries.tokens)


def caller_by_name(name: str) -> McpCaller:
    return McpCaller("program", normalized_name(name), normalized_name(name))


def caller_with_token(token_id: str, token_name: str, scopes: frozenset[str]) -> McpCaller:
    return McpCaller("token", token_id, normalized_name(token_name), scopes)
