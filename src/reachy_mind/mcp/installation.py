"""`Installation`: our server in the configuration of an MCP client, beside everything else that is in there."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.files import replaced

NAMES = {"all": "reachy", "robot": "reachy-robot", "memory": "reachy-memory"}
BACKUP = ".before-reachy-mind"
LARGEST_BYTES = 64 << 20
"""Claude Code keeps its history in the same file."""


@dataclass(frozen=True)
class Client:
    """A program that can use MCP servers: where it is told of them, and under which key."""

    title: str
    file: Path
    key: str = "mcpServers"
    typed: bool = False
    """Whether an entry says that it is a program to start."""
    after: str = "start it again"

    @property
    def present(self) -> bool:
        """Whether it seems to be installed here."""
        return self.file.exists() or (self.file.parent != Path.home() and self.file.parent.is_dir())


def clients(
    environ: Mapping[str, str] = os.environ, platform: str = sys.platform, home: Path | None = None
) -> dict[str, Client]:
    """Those we know, with their files on this system."""
    user = home or Path.home()
    if platform == "darwin":
        programs = user / "Library" / "Application Support"
    elif platform == "win32":
        programs = Path(environ.get("APPDATA") or user / "AppData" / "Roaming")
    else:
        programs = Path(environ.get("XDG_CONFIG_HOME") or user / ".config")
    claude = Path(environ["CLAUDE_CONFIG_DIR"]) if environ.get("CLAUDE_CONFIG_DIR") else user
    return {
        "claude-desktop": Client(
            "Claude Desktop",
            programs / "Claude" / "claude_desktop_config.json",
            after="quit it wholly and start it again",
        ),
        "claude-code": Client("Claude Code", claude / ".claude.json", typed=True, after="begin a new session"),
        "cursor": Client("Cursor", user / ".cursor" / "mcp.json", after="it looks again by itself"),
        "vscode": Client(
            "VS Code",
            programs / "Code" / "User" / "mcp.json",
            key="servers",
            typed=True,
            after="start the server there: MCP: List Servers",
        ),
    }


@dataclass(frozen=True)
class Installation:
    """What would be written where."""

    client: Client
    name: str
    entry: dict[str, Any] | None
    """None: to be taken out."""
    before: dict[str, Any]
    after: dict[str, Any]
    mode: int

    @property
    def changes(self) -> bool:
        return self.before != self.after

    def write(self) -> Path | None:
        """Raises ConfigError. The file as it was stays beside it; its path, if there was one."""
        file = self.client.file
        backup = None
        if file.exists():
            backup = file.with_name(file.name + BACKUP)
            replaced(backup, file.read_text(encoding="utf-8"), mode=self.mode)
        replaced(file.resolve(), json.dumps(self.after, indent=2, ensure_ascii=False) + "\n", mode=self.mode)
        return backup


def planned(
    client: str, server: str, *, remove: bool = False, known: Mapping[str, Client] | None = None
) -> Installation:
    """Raises InvalidParameter for a client we don't know, ConfigError for a file that we'd better not touch."""
    offered = known or clients()
    if client not in offered:
        raise InvalidParameter(f"no client {client[:40]!r}", hint=f"one of {', '.join(offered)}")
    chosen = offered[client]
    before, mode = _read(chosen)
    servers = before.get(chosen.key, {})
    if not isinstance(servers, dict):
        raise ConfigError(f"{chosen.file}: {chosen.key!r} is no object", hint="mend the file first; it was not touched")
    name = NAMES[server]
    entry = None if remove else _entry(chosen, server)
    others = {key: value for key, value in servers.items() if key != name}
    after = before
    if entry is not None:
        # In its place, where it was there already.
        after = before | {chosen.key: servers | {name: entry}}
    elif name in servers:
        after = before | {chosen.key: others}
    return Installation(chosen, name, entry, before, after, mode)


def _entry(client: Client, server: str) -> dict[str, Any]:
    """Paths are absolute: a client started from a menu knows nothing of our environment."""
    beside = Path(sys.executable).parent / ("reachy-mind.exe" if sys.platform == "win32" else "reachy-mind")
    command = [str(beside)] if beside.exists() else [sys.executable, "-m", "reachy_mind"]
    if not beside.exists() and (found := shutil.which("reachy-mind")):
        command = [found]
    arguments = [*command[1:], "mcp", "--server", server]
    entry: dict[str, Any] = {"type": "stdio"} if client.typed else {}
    entry |= {"command": command[0], "args": arguments}
    if chosen := os.environ.get("REACHY_MIND_HOME"):
        entry["env"] = {"REACHY_MIND_HOME": str(Path(chosen).expanduser().absolute())}
    return entry


def _read(client: Client) -> tuple[dict[str, Any], int]:
    """What is in there, and who may read it."""
    file, hint = client.file, "mend the file first; it was not touched"
    try:
        size = file.stat()
        if size.st_size > LARGEST_BYTES:
            raise ConfigError(f"{file} is too large", hint=hint)
        text = file.read_text(encoding="utf-8-sig")
        content = json.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return {}, 0o600
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} can't be read: {error}", hint=hint) from error
    except ValueError as error:
        # Comments and the like would be lost if we wrote it again.
        raise ConfigError(f"{file} is not plain JSON: {error}", hint=hint) from error
    if not isinstance(content, dict):
        raise ConfigError(f"{file} is no JSON object", hint=hint)
    return content, size.st_mode & 0o777
