"""The shell commands in fenced blocks of Markdown: what a reader would type, and whether it is shown to fail."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

FENCE = re.compile(r"^ *(`{3,}|~{3,}) *(\w*)")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
ALTERNATIVES = re.compile(r"[\w-]+(?:\|[\w-]+)+")
SEPARATORS = ("|", "||", "&&", ";", "&")
SHELL = ("sh", "bash", "shell")
PROMPTED = ("", "console", "text")


@dataclass(frozen=True)
class ShellCommand:
    """A program with its arguments; `fails`: the lines below it show an error."""

    page: str
    line: int
    argv: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict, hash=False, compare=False)
    fails: bool = False
    stdin: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {shlex.join(self.argv)}"


@dataclass(frozen=True)
class Line:
    """A line that somebody types, whole."""

    number: int
    text: str
    fails: bool


def commands(page: Path, name: str) -> Iterator[ShellCommand]:
    """The commands of a page, in its order. A word such as `list|show` stands for several commands."""
    for line in _lines(page.read_text(encoding="utf-8")):
        for words in _programs(line.text):
            variables: dict[str, str] = {}
            while words and (found := ASSIGNMENT.fullmatch(words[0])):
                variables[found[1]] = found[2]
                words.pop(0)
            if words and words[0] == "export":
                variables |= dict(word.split("=", 1) for word in words[1:] if "=" in word)
            argv, stdin = _without_redirections(words)
            choices = [word.split("|") if ALTERNATIVES.fullmatch(word) else [word] for word in argv]
            for chosen in product(*choices):
                yield ShellCommand(name, line.number, chosen, variables, line.fails, stdin)


def _lines(text: str) -> Iterator[Line]:
    for first, kind, block in _blocks(text):
        prompted = kind in PROMPTED
        at = 0
        while at < len(block):
            begin, typed = at, block[at].strip()
            at += 1
            if prompted and not typed.startswith("$ "):
                continue
            typed = typed.removeprefix("$ ") if prompted else typed
            while typed.endswith("\\") and at < len(block):
                typed = f"{typed[:-1]} {block[at].strip()}"
                at += 1
            shown = block[at].strip() if prompted and at < len(block) else ""
            yield Line(first + begin, typed, shown.startswith("error:"))


def _blocks(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """The number of the first line, the language and the lines of each block that has commands."""
    block: list[str] = []
    fence, kind, first = "", "", 0
    for number, line in enumerate(text.splitlines(), 1):
        found = FENCE.match(line)
        if not fence and found:
            fence, kind, first, block = found[1], found[2], number + 1, []
        elif fence and line.strip() == fence:
            if kind in (*SHELL, *PROMPTED):
                yield first, kind, block
            fence = ""
        elif fence:
            block.append(line)


def _programs(line: str) -> Iterator[list[str]]:
    """The words of each program in a line."""
    words: list[str] = []
    for word in [*shlex.split(line, comments=True), ";"]:
        if word not in SEPARATORS:
            words.append(word)
            continue
        if words:
            yield words
        words = []


def _without_redirections(words: list[str]) -> tuple[list[str], str]:
    kept: list[str] = []
    stdin = ""
    left = iter(words)
    for word in left:
        if word in ("<", ">", ">>", "2>"):
            file = next(left, "")
            stdin = file if word == "<" else stdin
        else:
            kept.append(word)
    return kept, stdin
