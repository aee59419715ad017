"""`McpConfigFile`: the MCP configuration `mcp.yaml`: external servers whose tools the mind may use, trusted clients.

    servers:
      weather:
        command: [uvx, some-weather-server]     # or url: https://...
        env: [WEATHER_KEY]                      # variables it may see, by name; never values
        headers: {Authorization: NOTES_TOKEN}   # for a url: header, and the variable that holds it
        enabled: false                          # until `reachy-mind mcp allow weather`
    trusted:
      programs: [claude-code]                   # clients that start us, by the name they give themselves
      tokens: [1a2b3c4d]                        # clients over HTTP, by the id of their token

The commands write it; it may also be edited by hand. It is read again for every decision.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

import yaml

from reachy_mind.access.loopback import is_loopback
from reachy_mind.access.tokens import Token, Tokens
from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.storage.files import read_own_file, write_text_atomically
from reachy_mind.storage.home import Home
from reachy_mind.storage.unique_keys import load_yaml
from reachy_mind.tools.act_table import RESERVED_GROUPS

HEADER = "# What you decided about MCP: reachy-mind mcp add, allow, trust, remove. See docs/mcp.md.\n"
NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,64}")
MAX_BYTES = 1 << 18

Kind = Literal["programs", "tokens"]


@dataclass(frozen=True)
class McpServerEntry:
    """An external server, a command to start or a URL; its tools are used once it is enabled."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    env: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    enabled: bool = False

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise InvalidParameter(f"a server can't be called {self.name[:60]!r}", hint="lower-case letters, digits, _")
        if bool(self.command) == bool(self.url):
            raise InvalidParameter(f"{self.name} needs a command or a url", hint="one of the two")
        if self.url:
            self._check_url()
        for variable in (*self.env, *self.headers.values()):
            if not VARIABLE.fullmatch(variable):
                hint = "write the name of an environment variable; its value stays out of the file"
                raise InvalidParameter(f"{self.name}: {variable[:20]!r} is not the name of a variable", hint=hint)
        if wrong := [header for header in self.headers if not _HEADER_NAME.fullmatch(header)]:
            raise InvalidParameter(f"{self.name}: {wrong[0][:60]!r} is not a header", hint="such as Authorization")

    def _check_url(self) -> None:
        try:
            parts = urlsplit(self.url)
            host = parts.hostname
        except ValueError:
            parts, host = urlsplit(""), None
        if not host or parts.scheme not in ("http", "https") or parts.username or parts.password:
            raise InvalidParameter(f"{self.name}: {self.url[:100]!r} is not a URL", hint="https://host/path")
        if parts.scheme == "http" and not is_loopback(host):
            raise InvalidParameter(f"{self.name}: {host} without encryption", hint="https, or a server on this machine")

    def values(self, environ: Mapping[str, str] = os.environ) -> tuple[dict[str, str], dict[str, str]]:
        """Environment and headers with their values. Raises ConfigError naming a variable that is not set."""
        if missing := [name for name in (*self.env, *self.headers.values()) if name not in environ]:
            raise ConfigError(f"{self.name} needs {missing[0]}, which is not set", hint=f"export {missing[0]}=...")
        env = {name: environ[name] for name in self.env}
        return env, {header: environ[name] for header, name in self.headers.items()}


@dataclass(frozen=True)
class Entries:
    """The content of the file."""

    servers: Mapping[str, McpServerEntry] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()


class McpConfigFile:
    """The file of a data folder. Every method raises ConfigError when it can't be read or parsed."""

    def __init__(self, home: Home) -> None:
        self.file = home.mcp_file

    def read(self) -> Entries:
        found = read_own_file(self.file, MAX_BYTES)
        if found is None:
            return Entries()
        try:
            content = load_yaml(found[0]) or {}
        except (ValueError, RecursionError, yaml.YAMLError) as error:
            raise self._invalid(str(error).replace("\n", " ")) from error
        try:
            return _parse(content)
        except InvalidParameter as error:
            raise ConfigError(f"{self.file}: {error.message}", hint=error.hint) from error

    def add(self, source: McpServerEntry) -> None:
        """Raises InvalidParameter when there is one with that name, and for a reserved one."""
        entries = self.read()
        require_free(source.name)
        if source.name in entries.servers:
            raise InvalidParameter(
                f"there is already a server {source.name}", hint=f"reachy-mind mcp remove {source.name}"
            )
        self._write(replace(entries, servers={**entries.servers, source.name: source}))

    def allow(self, name: str, *, enabled: bool = True) -> McpServerEntry:
        entries = self.read()
        if enabled:
            require_free(self._known(entries, name).name)
        source = replace(self._known(entries, name), enabled=enabled)
        self._write(replace(entries, servers={**entries.servers, name: source}))
        return source

    def remove(self, name: str) -> None:
        entries = self.read()
        self._known(entries, name)
        self._write(replace(entries, servers={key: kept for key, kept in entries.servers.items() if key != name}))

    def trust(self, kind: Kind, name: str, *, trusted: bool = True) -> None:
        """Set whether approvals of this client count as a person's."""
        entries = self.read()
        others = tuple(each for each in getattr(entries, kind) if each != name)
        self._write(replace(entries, **{kind: (*others, name) if trusted else others}))  # type: ignore[arg-type]

    def _known(self, entries: Entries, name: str) -> McpServerEntry:
        if name not in entries.servers:
            raise InvalidParameter(f"no server {name[:60]!r}", hint="reachy-mind mcp list")
        return entries.servers[name]

    def _write(self, entries: Entries) -> None:
        servers = {}
        for source in entries.servers.values():
            about = {key: value for key, value in asdict(source).items() if value not in ("", (), {}) and key != "name"}
            servers[source.name] = {k: list(v) if isinstance(v, tuple) else v for k, v in about.items()}
        trusted = {"programs": list(entries.programs), "tokens": list(entries.tokens)}
        content = {"servers": servers, "trusted": trusted}
        write_text_atomically(self.file, HEADER + yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def _invalid(self, why: str) -> ConfigError:
        return ConfigError(f"{self.file} can't be read: {why}", hint="see docs/mcp.md, or remove the file")


def require_free(name: str, groups: Collection[str] = ()) -> None:
    """Raises InvalidParameter for a name that a group of tools has, ours or one of `groups`.

    Permission rules are about groups: a server called `robot` would get the rules for our own robot.
    """
    ambiguous = "__" in name or name.endswith("_")  # `mcp__a__b__c` is the tool b__c of a
    if name in RESERVED_GROUPS or name in groups or name.startswith("mcp_") or ambiguous:
        hint = f"reachy-mind mcp remove {name}, then add it under another name"
        raise InvalidParameter(f"a server can't be called {name}: that name is reserved", hint=hint)


def revoke_token(home: Home, which: str) -> Token:
    """Revoke a token and the trust in its client. Raises InvalidParameter when there is none."""
    token, config_file = Tokens(home).revoke(which), McpConfigFile(home)
    if token.id in config_file.read().tokens:
        config_file.trust("tokens", token.id, trusted=False)
    return token


def _parse(content: Any) -> Entries:
    found = _mapping(content, "the file", {"servers", "trusted"})
    trusted = _mapping(found.get("trusted") or {}, "trusted", {"programs", "tokens"})
    servers = found.get("servers") or {}
    if not isinstance(servers, dict):
        raise InvalidParameter("'servers' is not a mapping of names", hint="see docs/mcp.md")
    return Entries(
        {str(name): _parse_server(str(name), about) for name, about in servers.items()},
        _strings(trusted.get("programs"), "trusted.programs"),
        _strings(trusted.get("tokens"), "trusted.tokens"),
    )


def _parse_server(name: str, about: Any) -> McpServerEntry:
    part = _mapping(about, name, {"command", "url", "env", "headers", "enabled"})
    headers = part.get("headers") or {}
    if not isinstance(headers, dict) or not isinstance(part.get("enabled", False), bool):
        raise InvalidParameter(f"{name}: headers or enabled has the wrong type", hint="see docs/mcp.md")
    return McpServerEntry(
        name,
        _strings(part.get("command"), f"{name}.command"),
        str(part.get("url") or ""),
        _strings(part.get("env"), f"{name}.env"),
        {str(key): str(value) for key, value in headers.items()},
        part.get("enabled", False),
    )


def _mapping(content: Any, where: str, keys: set[str]) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise InvalidParameter(f"{where} is not a mapping", hint=f"its keys: {', '.join(sorted(keys))}")
    if unknown := content.keys() - keys:
        raise InvalidParameter(f"{where}: unknown key {min(map(str, unknown))!r}", hint=", ".join(sorted(keys)))
    return content


def _strings(content: Any, where: str) -> tuple[str, ...]:
    if content is None:
        return ()
    if not isinstance(content, Iterable) or isinstance(content, str | dict):
        raise InvalidParameter(f"{where} is not a list", hint="- one entry a line")
    return tuple(str(each) for each in content)
