"""`Profile`: a personality as it was read: who the robot is, how it speaks, and which tools it uses.

What was wrong with its files is in `problems`; what is left is used. A profile that can't be used at all says why in
`broken`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.tools.definition import Tool

Source = Literal["shipped", "user"]

DEFAULT = "default"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
RESERVED = frozenset({"prompts", "user_personalities"})
"""Folders beside profiles that are none."""
ALWAYS = frozenset({"stop", "set_personality", "list_personalities"})
"""Whoever the robot is: it can be stopped, and it can be somebody else again."""


class UnknownProfile(MindError):
    """There is no personality of this name."""

    code = "NOT_FOUND"


class BrokenProfile(InvalidParameter):
    """A personality that can't be used, because of its files."""


@dataclass(frozen=True)
class Problem:
    """Something wrong with a profile: in which file, in which line (0: all of it), and what."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}: {self.what}"


@dataclass(frozen=True)
class Profile:
    """A personality. `tools` are bare names in the order they are listed; tools that come later and match one of the
    `patterns` belong to them."""

    name: str = DEFAULT
    instructions: str = ""
    tools: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ("*",)
    voice: str = ""
    speed: float | None = None
    greeting: str = ""
    cue: bool = False
    """Whether the greeting tells a model how to greet, and is not to be said as it stands."""
    manner: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    moves: tuple[str, ...] = ()
    """Moves it favours."""
    about: str = ""
    hidden: bool = False
    """Not offered to people, but it can be named."""
    folder: Path | None = None
    source: Source = "shipped"
    own: tuple[str, ...] = ()
    """Listed tools that its own folder has the Python of."""
    problems: tuple[Problem, ...] = ()
    broken: str = ""

    @property
    def title(self) -> str:
        """Its name, as people say it."""
        return self.name.replace("_", " ").replace("-", " ")

    @property
    def prompt(self) -> str:
        """What a model is told: the instructions, how to greet, and the moves it likes."""
        parts = [self.instructions]
        if self.cue and self.greeting:
            parts.append(f"When a conversation begins, or you have just become who you are: {self.greeting}")
        if self.moves:
            parts.append(f"Moves you like best, when one fits: {', '.join(self.moves)}.")
        return "\n\n".join(part for part in parts if part)

    def hello(self) -> str:
        """What it says when a person has switched to it."""
        return self.greeting if self.greeting and not self.cue else f"Here I am: {self.title}."

    def allows(self, tool: Tool) -> bool:
        """Whether a tool is one of its own."""
        named = tool.name in self.tools or tool.name in ALWAYS
        return named or any(matches(pattern, tool) for pattern in self.patterns)

    def described(self, *, whole: bool = False) -> dict[str, Any]:
        """For people and programs; `whole`: with all of its texts."""
        told: dict[str, Any] = {
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
            return told
        return told | {
            "instructions": self.instructions,
            "tools": list(self.tools),
            "own_tools": list(self.own),
            "speed": self.speed,
            "moves": list(self.moves),
            "manner": {
                language: {key: list(ways) for key, ways in said.items()} for language, said in self.manner.items()
            },
            "folder": str(self.folder or ""),
        }


def matches(pattern: str, tool: Tool) -> bool:
    """Whether a pattern such as `robot.*`, `look_*` or `*` stands for a tool."""
    return fnmatchcase(tool.qualified, pattern) or fnmatchcase(tool.name, pattern)


def plain_name(text: str) -> str:
    """A name as it is written in folders: "Night watch" is `night_watch`."""
    return re.sub(r"\s+", "_", text.strip().casefold())


def check_name(name: str) -> str:
    """Raises InvalidParameter for what no profile can be called."""
    if not NAME.fullmatch(name) or name in RESERVED:
        raise InvalidParameter(
            f"a profile can't be called {name[:80]!r}",
            hint="small letters, digits, - and _, at most 64, such as sea_captain",
        )
    return name
