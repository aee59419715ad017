"""`Preferences`: the settings as their owner sees and changes them: value, origin, and what waits for the next start.

A change edits one value in `config.yaml`; comments and everything else stay. Settings that come from a variable or from
`.env` can't be changed here, because those win over the file. Neither can secrets, nor the addresses that secrets are
sent to: changing such an address would send the key to somebody else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import SecretStr

from reachy_mind import log
from reachy_mind.config.configuration import Configuration, load
from reachy_mind.config.keys import FIELDS, allowed, choices
from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.storage.files import read_own_file, write_text_atomically

HINT = "change it in the file itself"

KEYED = frozenset(
    {
        "openai.url",
        "realtime.url",
        "anthropic.url",
        "hub.endpoint",
        "eyes.vision_url",
        "memory.summary_url",
        "web.brave_url",
        "device.control_plane_url",
        "fleet.url",
        "fleet.public_url",
        "developer.github_url",
    }
)
"""Addresses that receive a secret."""

Value = bool | int | float | str | None


class Preferences:
    """The settings of a running mind. Changes are made one after the other.

    `live`: settings that take effect at once, each with the function that applies its new value; `log.level` is one in
    any case. `changed` receives the configuration in force after such a change.
    """

    def __init__(
        self,
        configuration: Configuration,
        live: Mapping[str, Callable[[Any], None]],
        changed: Callable[[Configuration], None],
    ) -> None:
        self._configuration, self._changed = configuration, changed
        self._lock = asyncio.Lock()
        self._live: dict[str, Callable[[Any], None]] = {**live, "log.level": log.change_level}

    async def listed(self) -> list[dict[str, Any]]:
        """Every setting: value, origin, allowed values; `next` where the next start brings another value."""
        now = self._configuration
        later = {key: value for key, value, _ in (await asyncio.to_thread(self._read)).rows()}
        return [self._told(key, value, origin, later[key]) for key, value, origin in now.rows()]

    def _told(self, key: str, value: Any, origin: str, later: Any) -> dict[str, Any]:
        kind, choices = _kind(key)
        told = {"key": key, "value": value, "origin": origin, "about": FIELDS[key].description, "takes": allowed(key)}
        told |= {"kind": kind, "choices": choices, "live": key in self._live, "fixed": _fixed(key, origin)}
        return told | ({"next": later} if later != value and origin != "command line" else {})

    async def change(self, key: str, value: Value) -> dict[str, Any]:
        """Write one value to the file; None removes it. Raises InvalidParameter, and ConfigError for a bad file."""
        if key not in FIELDS:
            raise InvalidParameter(f"there is no setting {key[:60]!r}", hint="reachy-mind config show")
        if why := _fixed(key, self._configuration.origins.get(key, "")):
            raise InvalidParameter(f"{key} can't be changed here: {why}", hint="see docs/configuration.md")
        async with self._lock:
            new = await asyncio.to_thread(self._write, key, value)
            section, name = key.split(".")
            held = getattr(getattr(new.settings, section), name)
            if live := key in self._live:
                self._live[key](held)
                self._adopt(key, held, new.origins.get(key, "default"))
        return {"key": key, "value": str(held) if isinstance(held, Path) else held, "live": live}

    def _adopt(self, key: str, held: Any, origin: str) -> None:
        now, (section, name) = self._configuration, key.split(".")
        part = getattr(now.settings, section).model_copy(update={name: held})
        origins = {**now.origins, key: origin}
        self._configuration = replace(now, settings=now.settings.model_copy(update={section: part}), origins=origins)
        self._changed(self._configuration)

    def _write(self, key: str, value: Value) -> Configuration:
        file = self._configuration.file or self._configuration.home.config_file
        if value is not None:
            try:
                load(config_file=self._configuration.file, flags={key: value})
            except ConfigError:
                raise InvalidParameter(f"{key} can't be {value!r}"[:200], hint=f"it takes {allowed(key)}") from None
        before, mode = self._text(file)
        after = changed(before, key, value, str(file))
        tree = yaml.safe_load(after) or {}
        section, name = key.split(".")
        if (tree.get(section) or {}).get(name) != value:
            raise ConfigError(f"{file}: {key} stands where it can't be changed", hint=HINT)
        write_text_atomically(file, after, mode=mode)
        return self._read()

    def _text(self, file: Path) -> tuple[str, int]:
        """The text and mode of the file. Raises ConfigError; also when settings came from it and it is gone."""
        found = read_own_file(file)
        if found is None and str(file) in self._configuration.origins.values():
            hint = "put it back: the next start would be without its settings"
            raise ConfigError(f"{file} is gone; its settings stay in force until the next start", hint=hint)
        return found or ("", 0o600)

    def trouble(self) -> str:
        """Why the next start would fail, or be without settings that are in force; empty when it would not."""
        try:
            self._text(self._configuration.file or self._configuration.home.config_file)
            self._read()
        except ConfigError as error:
            return error.message
        return ""

    def _read(self) -> Configuration:
        return load(config_file=self._configuration.file)


def _kind(key: str) -> tuple[str, list[str]]:
    """The kind of input for a setting, and its choices."""
    if among := choices(key):
        return "choice", among
    annotation = FIELDS[key].annotation
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    names = {bool: "switch", int: "number", float: "number", SecretStr: "secret", str: "text", Path: "text"}
    return names.get(kinds[0], "other"), []


def _fixed(key: str, origin: str) -> str:
    """Why a setting can't be changed here; empty when it can."""
    kind, _ = _kind(key)
    if kind == "secret":
        return "secrets belong into .env"
    if kind == "other":
        return "it has more than one value: change it in config.yaml"
    if key in KEYED:
        return "a key is sent there: set it in config.yaml or .env"
    if origin not in ("", "default", "command line") and not origin.endswith((".yaml", ".yml")):
        return f"{origin} sets it"
    return ""


def changed(text: str, key: str, value: Value, source: str) -> str:
    """The text of a YAML file with one value changed, added or (None) removed. Raises ConfigError."""
    section, name = key.split(".")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise ConfigError(f"{source} is not YAML: {' '.join(str(error).split())}", hint=HINT) from None
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise ConfigError(f"{source} must hold sections such as 'robot:'", hint=HINT)
    line = f"{name}: {json.dumps(value, ensure_ascii=False)}"
    at, inside = _entry(root, section)
    if inside is None:
        return text if value is None else f"{text}{_break(text)}{section}:\n  {line}\n"
    if not isinstance(inside, yaml.MappingNode):  # a section with nothing in it
        end = text.find("\n", at.end_mark.index)
        head, tail = (text, "") if end < 0 else (text[:end], text[end + 1 :])
        return text if value is None else f"{head}\n  {line}\n{tail}"
    there, old = _entry(inside, name)
    if old is not None:
        if not isinstance(old, yaml.ScalarNode):
            raise ConfigError(f"{source}:{there.start_mark.line + 1}: {key} has more than one value", hint=HINT)
        instead = text[: old.start_mark.index] + json.dumps(value, ensure_ascii=False) + text[old.end_mark.index :]
        return _without(text, inside, name) if value is None else instead
    if value is None:
        return text
    first = inside.value[0][0].start_mark if inside.value else None
    if inside.flow_style or first is None:
        after = inside.start_mark.index + 1
        return f"{text[:after]}{line}{', ' if inside.value else ''}{text[after:]}"
    return f"{text[: first.index]}{line}\n{' ' * first.column}{text[first.index :]}"


def _without(text: str, section: yaml.MappingNode, name: str) -> str:
    """The text without an entry of a section: null is no value of most settings."""
    at = next(index for index, (key, _) in enumerate(section.value) if key.value == name)
    key, old = section.value[at]
    begin, end = key.start_mark.index, old.end_mark.index
    if not section.flow_style:
        begin, line_end = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
        end = len(text) if line_end < 0 else line_end + 1
    elif at + 1 < len(section.value):
        end = section.value[at + 1][0].start_mark.index
    elif at:
        begin = section.value[at - 1][1].end_mark.index
    return text[:begin] + text[end:]


def _entry(node: Any, name: str) -> tuple[Any, Any]:
    for key, value in node.value if node is not None else ():
        if key.value == name:
            return key, value
    return None, None


def _break(text: str) -> str:
    return "" if not text or text.endswith("\n") else "\n"
