"""`Preferences`: the settings as their owner sees and changes them: what holds, from where, what waits for a start.

A change is written to `config.yaml`, and not a word more: comments and the rest stay. What is set by a variable or in
`.env` wins over that file, so it is not changed there; and secrets are not changed here at all, nor the addresses
that they are sent to: whoever could change one would be sent the key.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import yaml
from pydantic import SecretStr

from reachy_mind import log
from reachy_mind.config import Configuration, load
from reachy_mind.errors import ConfigError, InvalidParameter
from reachy_mind.fields import FIELDS, allowed
from reachy_mind.files import owned, replaced

if TYPE_CHECKING:
    from reachy_mind.mind import Mind

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
    }
)
"""Addresses that a secret is sent to."""

Value = bool | int | float | str | None


class Preferences:
    """Those of a mind. Changes come one after the other."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._turn = asyncio.Lock()
        self._live: dict[str, Callable[[Any], None]] = {
            "robot.idle": lambda on: mind.idle.resume() if on else mind.idle.pause(),
            "log.level": self._log,
            "tools.confirm_s": lambda seconds: setattr(mind.confirmations, "wait_s", seconds),
        }

    async def listed(self) -> list[dict[str, Any]]:
        """Every setting: its value, where that is from, what it takes; `next` where the next start brings another."""
        now = self._mind.configuration
        later = {key: value for key, value, _ in (await asyncio.to_thread(self._read)).rows()}
        return [self._told(key, value, origin, later[key]) for key, value, origin in now.rows()]

    def _told(self, key: str, value: Any, origin: str, later: Any) -> dict[str, Any]:
        kind, choices = _kind(key)
        told = {"key": key, "value": value, "origin": origin, "about": FIELDS[key].description, "takes": allowed(key)}
        told |= {"kind": kind, "choices": choices, "live": key in self._live, "fixed": _fixed(key, origin)}
        return told | ({"next": later} if later != value and origin != "command line" else {})

    async def change(self, key: str, value: Value) -> dict[str, Any]:
        """Write one down; None: as it comes. Raises InvalidParameter, ConfigError (the file can't be changed)."""
        if key not in FIELDS:
            raise InvalidParameter(f"there is no setting {key[:60]!r}", hint="reachy-mind config show")
        if why := _fixed(key, self._mind.configuration.origins.get(key, "")):
            raise InvalidParameter(f"{key} can't be changed here: {why}", hint="see docs/configuration.md")
        async with self._turn:
            new = await asyncio.to_thread(self._write, key, value)
            section, name = key.split(".")
            held = getattr(getattr(new.settings, section), name)
            if live := key in self._live:
                self._live[key](held)
                self._adopt(key, held, new.origins.get(key, "default"))
        return {"key": key, "value": str(held) if isinstance(held, Path) else held, "live": live}

    def _adopt(self, key: str, held: Any, origin: str) -> None:
        now, (section, name) = self._mind.configuration, key.split(".")
        part = getattr(now.settings, section).model_copy(update={name: held})
        origins = {**now.origins, key: origin}
        self._mind.configuration = replace(
            now, settings=now.settings.model_copy(update={section: part}), origins=origins
        )

    def _write(self, key: str, value: Value) -> Configuration:
        file = self._mind.configuration.file or self._mind.configuration.home.config_file
        if value is not None:
            try:
                load(config_file=self._mind.configuration.file, flags={key: value})
            except ConfigError:
                raise InvalidParameter(f"{key} can't be {value!r}"[:200], hint=f"it takes {allowed(key)}") from None
        before, mode = owned(file)
        after = changed(before, key, value, str(file))
        tree = yaml.safe_load(after) or {}
        section, name = key.split(".")
        if (tree.get(section) or {}).get(name) != value:
            raise ConfigError(f"{file}: {key} stands where it can't be changed", hint=HINT)
        replaced(file, after, mode=mode)
        return self._read()

    def _read(self) -> Configuration:
        return load(config_file=self._mind.configuration.file)

    def _log(self, level: str) -> None:
        configuration = self._mind.configuration
        log.configure(level, configuration.settings.log.format, configuration.secrets())


def _kind(key: str) -> tuple[str, list[str]]:
    """How it is asked for, and among what is chosen."""
    annotation = FIELDS[key].annotation
    if get_origin(annotation) is Literal:
        return "choice", [str(choice) for choice in get_args(annotation)]
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    names = {bool: "switch", int: "number", float: "number", SecretStr: "secret", str: "text", Path: "text"}
    return names.get(kinds[0], "other"), []


def _fixed(key: str, origin: str) -> str:
    """Why it can't be changed in the file; empty when it can."""
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
    """The text of a YAML file with one value of it changed, added or (None) taken away. Raises ConfigError."""
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
        # Without a value a line would say null, which is as it comes.
        return text[: old.start_mark.index] + json.dumps(value, ensure_ascii=False) + text[old.end_mark.index :]
    if value is None:
        return text
    first = inside.value[0][0].start_mark if inside.value else None
    if inside.flow_style or first is None:
        after = inside.start_mark.index + 1
        return f"{text[:after]}{line}{', ' if inside.value else ''}{text[after:]}"
    return f"{text[: first.index]}{line}\n{' ' * first.column}{text[first.index :]}"


def _entry(node: Any, name: str) -> tuple[Any, Any]:
    for key, value in node.value if node is not None else ():
        if key.value == name:
            return key, value
    return None, None


def _break(text: str) -> str:
    return "" if not text or text.endswith("\n") else "\n"
