"""`ToolSentences`: finds a tool by the sentences that it brings along, without training.

    <take_photo_repeatedly interval_s="5 seconds">take a photo every 5 seconds</>

A sentence calls a tool when it has the words of one of these lines, with any words for its arguments. `learn reflex`
learns the same lines for good.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from reachy_mind.brains.reflex import quantities, thing_names
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.brains.word_lists import alternatives, spaced
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.tools.definition import Tool, ToolUse

NEAR = 0.8
"""The share of words that a sentence and one of a tool's must have in common."""
FEWEST_WORDS = 2
MOST_WORDS_OF_AN_ARGUMENT = 8
_SEGMENT = re.compile(r"(?:(?P<language>fr|es|de): )?.*?<(?P<tool>\w+)(?P<args>[^<>]*)>(?P<said>[^<>]*)</>")
_ARGUMENT = re.compile(r'(\w+)="([^"]*)"')
_WORD = re.compile(r"[\w'-]+")
_POLITE = alternatives(
    r"""
    please|reachy|hey|ok|okay|now|so|(?:can|could|would|will) you|i (?:want|need|would like) you to|i'd like you to
    s'il te plait|stp|(?:peux|pourrais)-tu|tu peux|je (?:veux|voudrais) que tu
    por favor|puedes|podrias|quiero que
    bitte|kannst du|konntest du|mal|jetzt|ahora|maintenant|again|once more|encore|otra vez|nochmal|noch einmal|wieder
    """
)
_INVOKING = frozenset(
    spaced(
        """
        run start use tool begin launch lance demarre utilise outil commence execute ejecuta empieza usa herramienta
        comienza activa starte beginne benutze werkzeug fuhre
        """
    )
)
"""Words that ask for a tool as such."""
_PRACTISED = frozenset(spaced("practised practiced trained entraine practicado geubt"))
"""Words that ask for a skill that was trained, and not for the usual way to do it."""
_ASKS_ABOUT = re.compile(
    r"(?:did|have|has|had|when|why|who|where|what|hast|wann|warum|was|wer|as-tu|tu as|qu'|quand|pourquoi"
    r"|has|cuando|por que|que)\b"
)
"""A question about what was done or learned, which is none for doing it."""
_AROUND = rf"(?:(?:{_POLITE}) )*"
_POLITELY = re.compile(rf"(?:(?:{_POLITE}) )+", re.IGNORECASE)
_ARTICLE = re.compile(r"(?:an?|the|une?|les?|la|una?|el|ein(?:en?)?|d(?:er|ie|as|en)) (?=\w)", re.IGNORECASE)


class WithSentences(Protocol):
    """What has a name and sentences that call it: a tool, or a version of one."""

    @property
    def name(self) -> str: ...
    @property
    def sentences(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class _Line:
    tool: str
    language: str
    said: str
    pattern: re.Pattern[str]
    words: frozenset[str]
    given: Mapping[str, Any]
    """Its arguments, as a call has them."""
    names_tool: bool
    """Whether it asks for the tool by its name ("run wave twice"), or for what was trained."""


class ToolSentences:
    """The sentences of these tools. A line that names another tool, or that is a stop, counts for nothing."""

    def __init__(self, tools: Iterable[Tool]) -> None:
        self._lines = [
            line for tool in tools for each in tool.sentences if (line := _read(each)) and line.tool == tool.name
        ]

    def __bool__(self) -> bool:
        return bool(self._lines)

    @property
    def by_tool(self) -> Mapping[str, Sequence[str]]:
        """What people say, by the tool that it calls."""
        found: dict[str, list[str]] = {}
        for line in self._lines:
            found.setdefault(line.tool, []).append(line.said)
        return found

    @property
    def examples(self) -> Sequence[tuple[str, ToolUse]]:
        """What people say, and the call that it is."""
        return [(line.said, ToolUse(line.tool, dict(line.given))) for line in self._lines]

    def call(self, text: str, *, by_name: bool = False) -> ToolUse | None:
        """The tool that a sentence calls in its own words, with the arguments that it gives. `by_name`: only one that
        it asks for by its name."""
        placed = [(found.start(), found.end()) for found in _WORD.finditer(text)]
        plain = [_plain(text[start:end]) for start, end in placed]
        said = " ".join(plain)
        for line in self._lines:
            if (line.names_tool or not by_name) and (found := line.pattern.fullmatch(said)):
                args = _arguments(
                    line.language, {name: _original(text, placed, said, found.span(name)) for name in found.groupdict()}
                )
                if args is not None:
                    return ToolUse(line.tool, args)
        return None

    def near(self, text: str) -> ToolUse | None:
        """The tool of which a sentence has most words; None when none is near, two tools are as near, or it only asks
        about it ("did you learn to look at the duck?")."""
        if _ASKS_ABOUT.match(_plain(text.lstrip(" ¿"))):
            return None
        words = frozenset(_plain(word) for word in _WORD.findall(text))
        best: dict[str, float] = {}
        for line in self._lines:
            share = 2 * len(words & line.words) / max(len(words) + len(line.words), 1)
            best[line.tool] = max(best.get(line.tool, 0.0), share)
        ranked = sorted(best.items(), key=lambda each: -each[1])
        if not ranked or ranked[0][1] < NEAR or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
            return None
        return self.about(ranked[0][0], text)

    def about(self, tool: str, text: str) -> ToolUse:
        """The call of a tool for a sentence like its own: with the thing that it names, if the tool takes one."""
        takes = {(name, line.language) for line in self._lines if line.tool == tool for name in line.given}
        for name, language in sorted(takes, key=lambda each: each[1] != "en"):
            if name == "thing" and (thing := thing_names.first_in(text, language)) is not None:
                return ToolUse(tool, {name: f"{thing.colour} {thing.name}".strip()})
        return ToolUse(tool, {})


def words_said(tool: WithSentences) -> str:
    """What people say to call a tool: its first sentence; empty when it brings none."""
    found = (_SEGMENT.match(line) for line in tool.sentences)
    return next((each["said"] for each in found if each is not None and each["tool"] == tool.name), "")


def _read(line: str) -> _Line | None:
    found = _SEGMENT.match(line)
    if found is None or is_stop(found["said"]):
        return None
    said = " ".join(_plain(word) for word in _WORD.findall(found["said"]))
    pattern, words = re.escape(said), said
    quotes = _ARGUMENT.findall(found["args"])
    for name, quoted in quotes:
        plain = " ".join(_plain(word) for word in _WORD.findall(quoted))
        if not plain or not name.isidentifier():
            return None
        gap = rf"(?P<{name}>\S+(?: \S+){{0,{MOST_WORDS_OF_AN_ARGUMENT - 1}}}?)"
        pattern = pattern.replace(re.escape(plain), gap, 1)
        words = words.replace(plain, " ", 1)
    kept = frozenset(words.split())
    if len(kept) < FEWEST_WORDS:
        return None
    try:
        compiled = re.compile(rf"{_AROUND}{pattern}(?: (?:{_POLITE}))*")
    except re.error:  # a name that stands there twice
        return None
    name = found["tool"].split("_")
    invoked = len(name) > 1 and " ".join(name) in said and bool(kept & _INVOKING)
    names_tool = invoked or bool(kept & _PRACTISED)
    language = found["language"] or "en"
    given = _arguments(language, dict(quotes)) or {}
    return _Line(found["tool"], language, found["said"], compiled, kept, given, names_tool)


def _original(text: str, placed: Sequence[tuple[int, int]], said: str, span: tuple[int, int]) -> str:
    """The words of the text itself for a stretch of its plain words."""
    first = said.count(" ", 0, span[0])
    last = said.count(" ", 0, span[1])
    return text[placed[first][0] : placed[last][1]]


def _arguments(language: str, given: Mapping[str, str]) -> dict[str, Any] | None:
    """The arguments in the words of a sentence; None when a number can't be read. `..._s`: seconds; `bpm`: a number;
    `thing`: what the camera can recognise, by its English name."""
    args: dict[str, Any] = {}
    for name, words in given.items():
        value: Any = _argument(name, words, language)
        if not value:
            return None
        args[name] = value
    return args


def _argument(name: str, words: str, language: str) -> Any:
    if name.endswith("_s"):
        return quantities.seconds(words, language)
    if name == "bpm":
        return quantities.number(words, language)
    words = words[found.end() :] if (found := _POLITELY.match(words)) else words
    if name == "thing" and (thing := thing_names.read(words, language)) is not None:
        return f"{thing.colour} {thing.name}".strip()
    return _ARTICLE.sub("", words, count=1)


def _plain(word: str) -> str:
    return without_accents(word.casefold())
