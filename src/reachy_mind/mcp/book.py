"""`Book`: what people decided about MCP, in `mcp.yaml`: servers whose tools the mind may use, clients that are trusted.

    servers:
      weather:
        command: [uvx, some-weather-server]     # or url: https://...
        env: [WEATHER_KEY]                      # variables it may see, by name; never values
        headers: {Authorization: NOTES_TOKEN}   # for a url: header, and the variable that holds it
        enabled: false                          # until `reachy-mind mcp allow weather`
    trusted:
      programs: [claude-code]                   # clients that start us, by the name they give themselves
      tokens: [1a2b3c4d]                        # clients over HTTP, by the id of their token

The commands write it; it may be edited by hand too. It is read anew whenever it counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal
from urllib.parse import urlsplit

import yaml

from reachy_mind.config import Home
from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.files import replaced
from reachy_mind.loopback import is_loopback
from reachy_mind.tokens import Token, Tokens

HEADER = "# What you decided about MCP: reachy-mind mcp add, allow, trust, remove. See docs/mcp.md.\n"
NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9-]{1,64}")
LARGEST_BYTES = 1 << 18

Kind = Literal["programs", "tokens"]


@dataclass(frozen=True)
class Source:
    """A server whose tools the mind may use once it is enabled: a command to start, or an address."""

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    env: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    enabled: bool = False

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise InvalidParameter(f"a server can't be called {self.name[:60]!r}", hint="small letters, digits and _")
        if bool(self.command) == bool(self.url):
            raise InvalidParameter(f"{self.name} needs a command or a url", hint="one of the two")
        if self.url:
            self._check_url()
        for variable in (*self.env, *self.headers.values()):
            if not VARIABLE.fullmatch(variable):
                hint = "write the name of an environment variable; its value stays out of the file"
                raise InvalidParameter(f"{self.name}: {variable[:20]!r} is no name of a variable", hint=hint)
        if wrong := [header for header in self.headers if not _HEADER_NAME.fullmatch(header)]:
            raise InvalidParameter(f"{self.name}: {wrong[0][:60]!r} is no header", hint="such as Authorization")

    def _check_url(self) -> None:
        try:
            parts = urlsplit(self.url)
            host = parts.hostname
        except ValueError:
            parts, host = urlsplit(""), None
        if not host or parts.scheme not in ("http", "https") or parts.username or parts.password:
            raise InvalidParameter(f"{self.name}: {self.url[:100]!r} is no address", hint="https://host/path")
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
    """Everything in the file."""

    servers: Mapping[str, Source] = field(default_factory=dict)
    programs: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()


class Book:
    """The file of a data folder. Everything raises ConfigError when it can't be understood."""

    def __init__(self, home: Home) -> None:
        self.file = home.mcp_file

    def read(self) -> Entries:
        try:
            if self.file.stat().st_size > LARGEST_BYTES:
                raise self._wrong("it is too large")
            content = yaml.safe_load(self.file.read_text(encoding="utf-8")) or {}
        except FileNotFoundError:
            return Entries()
        except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
            raise self._wrong(str(error).replace("\n", " ")) from error
        try:
            return _entries(content)
        except InvalidParameter as error:
            raise ConfigError(f"{self.file}: {error.message}", hint=error.hint) from error

    def add(self, source: Source) -> None:
        """Raises InvalidParameter when there is one of that name."""
        entries = self.read()
        if source.name in entries.servers:
            raise InvalidParameter(f"there is a server {source.name}", hint=f"reachy-mind mcp remove {source.name}")
        self._write(replace(entries, servers={**entries.servers, source.name: source}))

    def allow(self, name: str, *, enabled: bool = True) -> Source:
        entries = self.read()
        source = replace(self._known(entries, name), enabled=enabled)
        self._write(replace(entries, servers={**entries.servers, name: source}))
        return source

    def remove(self, name: str) -> None:
        entries = self.read()
        self._known(entries, name)
        self._write(replace(entries, servers={key: kept for key, kept in entries.servers.items() if key != name}))

    def trust(self, kind: Kind, name: str, *, trusted: bool = True) -> None:
        """From now on answers of this client count as a person's, or not any more."""
        entries = self.read()
        others = tuple(each for each in getattr(entries, kind) if each != name)
        self._write(replace(entries, **{kind: (*others, name) if trusted else others}))  # type: ignore[arg-type]

    def _known(self, entries: Entries, name: str) -> Source:
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
        replaced(self.file, HEADER + yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def _wrong(self, why: str) -> ConfigError:
        return ConfigError(f"{self.file} can't be read: {why}", hint="see docs/mcp.md, or remove the file")


def revoked(home: Home, which: str) -> Token:
    """Take a token back, and the trust in its client. Raises InvalidParameter when there is none."""
    token, book = Tokens(home).revoke(which), Book(home)
    if token.id in book.read().tokens:
        book.trust("tokens", token.id, trusted=False)
    return token


def _entries(content: Any) -> Entries:
    found = _part(content, "the file", {"servers", "trusted"})
    trusted = _part(found.get("trusted") or {}, "trusted", {"programs", "tokens"})
    servers = found.get("servers") or {}
    if not isinstance(servers, dict):
        raise InvalidParameter("'servers' is not a list of names", hint="see docs/mcp.md")
    return Entries(
        {str(name): _source(str(name), about) for name, about in servers.items()},
        _words(trusted.get("programs"), "trusted.programs"),
        _words(trusted.get("tokens"), "trusted.tokens"),
    )


def _source(name: str, about: Any) -> Source:
    part = _part(about, name, {"command", "url", "env", "headers", "enabled"})
    headers = part.get("headers") or {}
    if not isinstance(headers, dict) or not isinstance(part.get("enabled", False), bool):
        raise InvalidParameter(f"{name}: headers or enabled is of the wrong kind", hint="see docs/mcp.md")
    return Source(
        name,
        _words(part.get("command"), f"{name}.command"),
        str(part.get("url") or ""),
        _words(part.get("env"), f"{name}.env"),
        {str(key): str(value) for key, value in headers.items()},
        part.get("enabled", False),
    )


def _part(content: Any, where: str, keys: set[str]) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise InvalidParameter(f"{where} is no list of keys", hint=f"there is {', '.join(sorted(keys))}")
    if unknown := content.keys() - keys:
        raise InvalidParameter(f"{where}: unknown key {min(map(str, unknown))!r}", hint=", ".join(sorted(keys)))
    return content


def _words(content: Any, where: str) -> tuple[str, ...]:
    if content is None:
        return ()
    if not isinstance(content, Iterable) or isinstance(content, str | dict):
        raise InvalidParameter(f"{where} is not a list", hint="- one entry a line")
    return tuple(str(each) for each in content)
