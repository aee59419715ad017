"""`Installation`: adds our MCP server to the configuration file of an MCP client, or removes it (`mcp install`)."""

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
from reachy_mind.storage.files import write_text_atomically

SERVER_NAMES = {"all": "reachy", "robot": "reachy-robot", "memory": "reachy-memory"}
BACKUP_SUFFIX = ".before-reachy-mind"
MAX_BYTES = 64 << 20
"""Claude Code keeps its history in the same file."""


@dataclass(frozen=True)
class McpClientProgram:
    """A program that uses MCP servers: its configuration file, and the key of the server list in it."""

    title: str
    file: Path
    key: str = "mcpServers"
    typed: bool = False
    """Whether an entry has a `type`."""
    after: str = "restart it"

    @property
    def present(self) -> bool:
        """Whether it seems to be installed on this machine."""
        return self.file.exists() or (self.file.parent != Path.home() and self.file.parent.is_dir())


def clients(
    environ: Mapping[str, str] = os.environ, platform: str = sys.platform, home: Path | None = None
) -> dict[str, McpClientProgram]:
    """The supported clients, with their configuration files on this system."""
    user = home or Path.home()
    if platform == "darwin":
        programs = user / "Library" / "Application Support"
    elif platform == "win32":
        programs = Path(environ.get("APPDATA") or user / "AppData" / "Roaming")
    else:
        programs = Path(environ.get("XDG_CONFIG_HOME") or user / ".config")
    claude = Path(environ["CLAUDE_CONFIG_DIR"]) if environ.get("CLAUDE_CONFIG_DIR") else user
    return {
        "claude-desktop": McpClientProgram(
            "Claude Desktop",
            programs / "Claude" / "claude_desktop_config.json",
            after="quit it completely and start it again",
        ),
        "claude-code": McpClientProgram(
            "Claude Code", claude / ".claude.json", typed=True, after="start a new session"
        ),
        "cursor": McpClientProgram("Cursor", user / ".cursor" / "mcp.json", after="it reloads the file by itself"),
        "vscode": McpClientProgram(
            "VS Code",
            programs / "Code" / "User" / "mcp.json",
            key="servers",
            typed=True,
            after="start the server there: MCP: List Servers",
        ),
    }


@dataclass(frozen=True)
class Installation:
    """A planned change of a client's configuration file."""

    client: McpClientProgram
    name: str
    entry: dict[str, Any] | None
    """None: remove it."""
    before: dict[str, Any]
    after: dict[str, Any]
    mode: int

    @property
    def changes(self) -> bool:
        return self.before != self.after

    def write(self) -> Path | None:
        """Write the file; returns the path of the backup, if there was a file before. Raises ConfigError."""
        file = self.client.file
        backup = None
        if file.exists():
            backup = file.with_name(file.name + BACKUP_SUFFIX)
            write_text_atomically(backup, file.read_text(encoding="utf-8"), mode=self.mode)
        write_text_atomically(
            file.resolve(), json.dumps(self.after, indent=2, ensure_ascii=False) + "\n", mode=self.mode
        )
        return backup


def plan_installation(
    client: str, server: str, *, remove: bool = False, known: Mapping[str, McpClientProgram] | None = None
) -> Installation:
    """Raises InvalidParameter for an unknown client, ConfigError for a file that can't be changed safely."""
    supported = known or clients()
    if client not in supported:
        raise InvalidParameter(f"no client {client[:40]!r}", hint=f"one of {', '.join(supported)}")
    chosen = supported[client]
    before, mode = _read(chosen)
    servers = before.get(chosen.key, {})
    if not isinstance(servers, dict):
        raise ConfigError(
            f"{chosen.file}: {chosen.key!r} is not an object", hint="fix the file first; it was not changed"
        )
    name = SERVER_NAMES[server]
    entry = None if remove else _entry(chosen, server)
    others = {key: value for key, value in servers.items() if key != name}
    after = before
    if entry is not None:
        # Keeps its position when it was there before.
        after = before | {chosen.key: servers | {name: entry}}
    elif name in servers:
        after = before | {chosen.key: others}
    return Installation(chosen, name, entry, before, after, mode)


def _entry(client: McpClientProgram, server: str) -> dict[str, Any]:
    """Paths are absolute: a client started from a menu does not have our environment."""
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


def _read(client: McpClientProgram) -> tuple[dict[str, Any], int]:
    """The content of the file and its mode. Raises ConfigError."""
    file, hint = client.file, "fix the file first; it was not changed"
    try:
        size = file.stat()
        if size.st_size > MAX_BYTES:
            raise ConfigError(f"{file} is too large", hint=hint)
        text = file.read_text(encoding="utf-8-sig")
        content = json.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return {}, 0o600
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} can't be read: {error}", hint=hint) from error
    except ValueError as error:
        # Comments would be lost when we write it.
        raise ConfigError(f"{file} is not plain JSON: {error}", hint=hint) from error
    if not isinstance(content, dict):
        raise ConfigError(f"{file} is not a JSON object", hint=hint)
    return content, size.st_mode & 0o777
