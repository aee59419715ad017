"""`Profile`: a loaded personality: instructions, voice, greeting, phrases and tools.

`problems` lists errors in its files; the rest is used. `broken` says why a profile can't be used at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.system.file_names import is_device
from reachy_mind.tools.definition import Tool

Source = Literal["shipped", "user"]

DEFAULT = "default"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
RESERVED = frozenset({"prompts", "user_personalities"})
"""Folders beside profiles that are not profiles."""
ALWAYS_ALLOWED = frozenset({"stop", "set_personality", "list_personalities"})
"""Tools of every profile: the robot can always be stopped and change its profile."""


class UnknownProfile(MindError):
    """No profile has this name."""

    code = "NOT_FOUND"


class BrokenProfile(InvalidParameter):
    """A profile that can't be used, because of errors in its files."""


@dataclass(frozen=True)
class Problem:
    """An error in a profile's file. `line` 0: the whole file."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}: {self.what}"


@dataclass(frozen=True)
class Profile:
    """A personality. `tools`: bare names in the listed order; tools registered later belong to it if they match one of
    the `patterns`."""

    name: str = DEFAULT
    instructions: str = ""
    tools: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ("*",)
    voice: str = ""
    speed: float | None = None
    mood: str = ""
    """The mood it speaks in: a name of `speech.moods`."""
    greeting: str = ""
    cue: bool = False
    """Whether the greeting is an instruction for the model, not a text to say."""
    manner: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    """Moves it favours."""
    about: str = ""
    hidden: bool = False
    """Not listed, but it can be chosen by name."""
    folder: Path | None = None
    source: Source = "shipped"
    own: tuple[str, ...] = ()
    """Listed tools whose Python is in the profile's own folder."""
    problems: tuple[Problem, ...] = ()
    broken: str = ""

    @property
    def title(self) -> str:
        """The name with spaces, to show or say."""
        return self.name.replace("_", " ").replace("-", " ")

    @property
    def prompt(self) -> str:
        """The system prompt: instructions, how to greet, favourite moves."""
        parts = [self.instructions]
        if self.cue and self.greeting:
            parts.append(f"When a conversation begins, or you have just become who you are: {self.greeting}")
        if self.moves:
            parts.append(f"Moves you like best, when one fits: {', '.join(self.moves)}.")
        return "\n\n".join(part for part in parts if part)

    def hello(self) -> str:
        """What the robot says after switching to this profile."""
        return self.greeting if self.greeting and not self.cue else f"Here I am: {self.title}."

    def allows(self, tool: Tool) -> bool:
        """Whether the profile may use a tool."""
        named = tool.name in self.tools or tool.name in ALWAYS_ALLOWED
        return named or any(matches(pattern, tool) for pattern in self.patterns)

    def described(self, *, whole: bool = False) -> dict[str, Any]:
        """As a dict, for the API; `whole`: with all texts."""
        description: dict[str, Any] = {
            "name": self.name,
            "about": self.about,
            "source": self.source,
            "voice": self.voice,
            "greeting": self.greeting,
            "hidden": self.hidden,
            "broken": self.broken,
            "problems": [{"file": each.file, "line": each.line, "what": each.what} for each in self.problems],
        }
        if not whole:
            return description
        return description | {
            "instructions": self.instructions,
            "tools": list(self.tools),
            "own_tools": list(self.own),
            "speed": self.speed,
            "mood": self.mood,
            "moves": list(self.moves),
            "manner": {
                language: {key: list(ways) for key, ways in said.items()} for language, said in self.manner.items()
            },
            "folder": str(self.folder or ""),
        }


def matches(pattern: str, tool: Tool) -> bool:
    """Whether a glob such as `robot.*`, `look_*` or `*` matches a tool; an opt-in one only by its group."""
    if tool.opt_in and not pattern.partition("*")[0].startswith(tool.group):
        return False
    return fnmatchcase(tool.qualified, pattern) or fnmatchcase(tool.name, pattern)


def plain_name(text: str) -> str:
    """A name in the form of folder names: "Night watch" is `night_watch`."""
    return re.sub(r"\s+", "_", text.strip().casefold())


def check_name(name: str) -> str:
    """Returns the name. Raises InvalidParameter when it is invalid or reserved."""
    if not NAME.fullmatch(name) or name in RESERVED or is_device(name):
        raise InvalidParameter(
            f"a profile can't be called {name[:80]!r}",
            hint="small letters, digits, - and _, at most 64, such as sea_captain",
        )
    return name
