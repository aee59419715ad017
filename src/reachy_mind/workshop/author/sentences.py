"""Ten sentences by which a new tool is called, with its arguments marked, in the notation of the reflex reader.

    <take_photo_repeatedly interval_s="5 seconds">take a photo every 5 seconds</>

`ToolSentences` finds a tool by them at once, without training: a sentence must have the words of one of them.
`learn reflex` learns the same lines for good.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from reachy_mind.models.wordpiece import without_accents
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.recipes import texts, timing

FILE = Path(__file__).with_name("sentences.yaml")
COUNT = 10
NEAR = 0.8
"""The share of words that a sentence and one of a tool's must have in common."""
_GAP = re.compile(r"\[(\w+)\]")
_SEGMENT = re.compile(r"<(?P<tool>\w+)(?P<args>[^<>]*)>(?P<said>[^<>]*)</>")
_ARGUMENT = re.compile(r'(\w+)="([^"]*)"')
_SAMPLES = {"interval_s": (5, 10, 30, 2, 15), "duration_s": (60, 120, 600, 300, 20), "delay_s": (600, 30, 60, 300, 10)}
_MESSAGES = ("SOS", "hello", "reachy", "OK", "hi")


@cache
def _templates() -> dict[str, dict[str, list[str]]]:
    read: dict[str, dict[str, list[str]]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return read


def sentences(draft: Draft) -> tuple[str, ...]:
    """Ten lines for the reflex reader, in the language of the request."""
    language = draft.language if draft.language in _templates() else "en"
    known = _templates()[language]
    recipe = draft.author.removeprefix("recipe:") if draft.author.startswith("recipe:") else ""
    lines: dict[str, None] = {}
    for number, template in enumerate((*known.get(recipe, ()), *known["any"])):
        gaps = _GAP.findall(template)
        if any(gap not in draft.args for gap in gaps) or len(lines) >= COUNT:
            continue
        lines[_line(template, draft, language, number)] = None
    return tuple(lines)


def _line(template: str, draft: Draft, language: str, number: int) -> str:
    topic = re.sub(r"[<>\"\[\]{}]", "", draft.topic or draft.name.replace("_", " ")).strip()
    said = template.replace("{topic}", topic).replace("{words}", draft.name.replace("_", " "))
    marked = ""
    for gap in dict.fromkeys(_GAP.findall(said)):
        words = _words(gap, draft.args[gap], language, number)
        said = said.replace(f"[{gap}]", words, 1)
        marked += f' {gap}="{words}"'
    prefix = "" if language == "en" else f"{language}: "
    return f"{prefix}<{draft.name}{marked}>{said}</>"


def _words(name: str, value: Any, language: str, number: int) -> str:
    """Words for an argument: those of the request first, then others."""
    if name in _SAMPLES:
        seconds = float(value) if number == 0 else float(_SAMPLES[name][number % len(_SAMPLES[name])])
        return texts.length(seconds, language)
    if number == 0:
        return re.sub(r'[<>"]', "", str(value))
    return _MESSAGES[number % len(_MESSAGES)]


@dataclass(frozen=True)
class SentenceCall:
    """A tool that a sentence calls, with the arguments that it gives."""

    tool: str
    args: Mapping[str, Any]
    near: float


@dataclass(frozen=True)
class _Known:
    tool: str
    language: str
    pattern: re.Pattern[str]
    words: frozenset[str]


class ToolSentences:
    """The sentences of all tools that people may call; lines as `sentences` makes them."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._known = [known for line in lines if (known := _read(line)) is not None]

    def call(self, text: str) -> SentenceCall | None:
        """The tool that a sentence calls by the words of one of its own; None when none is near, or two tools are."""
        said = _plain(text)
        for known in self._known:
            if found := known.pattern.fullmatch(said):
                args = _arguments(found.groupdict(), known.language)
                if args is not None:
                    return SentenceCall(known.tool, args, 1.0)
        words = frozenset(said.split())
        best: dict[str, float] = {}
        for known in self._known:
            near = 2 * len(words & known.words) / max(len(words) + len(known.words), 1)
            best[known.tool] = max(best.get(known.tool, 0.0), near)
        ranked = sorted(best.items(), key=lambda each: -each[1])
        if not ranked or ranked[0][1] < NEAR or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
            return None
        return SentenceCall(ranked[0][0], {}, round(ranked[0][1], 3))


def _read(line: str) -> _Known | None:
    found = _SEGMENT.search(line)
    if found is None:
        return None
    language = line[:2] if re.match(r"(?:fr|es|de): ", line) else "en"
    said, words = _plain(found["said"]), _plain(found["said"])
    pattern = re.escape(said)
    for name, quoted in _ARGUMENT.findall(found["args"]):
        plain = _plain(quoted)
        pattern = pattern.replace(re.escape(plain), f"(?P<{name}>.+?)", 1)
        words = words.replace(plain, " ", 1)
    return _Known(found["tool"], language, re.compile(pattern), frozenset(words.split()))


def _arguments(groups: Mapping[str, str], language: str) -> dict[str, Any] | None:
    """The arguments in the words of a sentence; None when one of them can't be read."""
    args: dict[str, Any] = {}
    for name, words in groups.items():
        value: Any = timing.seconds(words, language) if name.endswith("_s") else words.strip()
        if value is None or value == "":
            return None
        args[name] = value
    return args


def _plain(text: str) -> str:
    """Small letters without accents, words with one space between them."""
    return " ".join(re.findall(r"[\w'-]+", without_accents(text.casefold())))
