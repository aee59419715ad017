r"""Sentences with what they mean, one a line, as people write them for training.

    could you <move_head direction=left>look over to your left</> and then <nod times="twice">nod twice</> please

`<label arguments>words</>` marks the words of one step or one piece of talk; what is outside is politeness, names,
joints and remarks. A closed argument takes a value from its list; an open one quotes the very words of its segment.
`#1`, `#2` tell the order of doing where it is not the order of saying. A line may begin with its language (`fr: `), and
with what was done in the turn before (`after move_head direction=left | `). Empty lines and lines with `#` in front are
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reachy_mind.brains.reflex.labels import BUILT_IN, LANGUAGES, Inventory
from reachy_mind.errors import MindError

_WORD = re.compile(
    r"[^\W_]+(?:[+_][^\W_]+)+"  # names as programs have them: coin_flip, nod+happy
    r"|[^\W\d_]+\d+|\d+(?:[.,:]\d+)*|[^\W\d_]+|[^\w\s]|_"
)
_ARGUMENT = re.compile(r'(\w+)=(?:"([^"]*)"|(\S+))')
_LINE = re.compile(rf"(?:({'|'.join(LANGUAGES[1:])}): )?(?:after (.+?) \| )?(.*)$")
_SEGMENT = re.compile(r"<([^<>/][^<>]*)>([^<>]*)</>")
_ORDER = re.compile(r"#(\d)")


class MarkupError(MindError):
    """A line of sentences that can't be read."""

    code = "INVALID_PARAMETER"


@dataclass(frozen=True)
class Segment:
    """Words `first` up to `last` mean one thing. `spans`: where its open arguments stand in the sentence."""

    label: str
    first: int
    last: int
    closed: Mapping[str, str] = field(default_factory=dict)
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    order: int = 0


@dataclass(frozen=True)
class Sentence:
    """A line, read. `before` is what was done in the turn before, as it is written."""

    words: tuple[str, ...]
    segments: tuple[Segment, ...]
    before: str = ""
    language: str = "en"


def words_of(text: str) -> list[tuple[str, int, int]]:
    """The words and signs of a text, each with its place."""
    return [(found[0], found.start(), found.end()) for found in _WORD.finditer(text.replace("\u2019", "'"))]


def read(folder: Path, inventory: Inventory = BUILT_IN) -> Iterator[Sentence]:
    """The sentences of a folder's text files. Raises MarkupError with file and line."""
    for file in sorted(folder.glob("*.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                sentence = parse(line, inventory)
            except MarkupError as error:
                raise MarkupError(f"{file.name}, line {number}: {error.message}", hint=error.hint) from None
            if sentence.words:
                yield sentence


def parse(line: str, inventory: Inventory = BUILT_IN) -> Sentence:
    """Read one line. Raises MarkupError."""
    found = _LINE.match(line)
    assert found is not None
    language, before, body = found.groups()
    if "<" in (rest := _SEGMENT.sub("", body)) or ">" in rest or "<" not in body:
        raise MarkupError("no segment, or a broken one", hint="write <label>words</>; segments are not nested")
    words: list[str] = []
    segments: list[Segment] = []
    at = 0
    for match in _SEGMENT.finditer(body):
        words += [word for word, *_ in words_of(body[at : match.start()])]
        segment, said = _segment(match[1], match[2], len(words), inventory)
        words += said
        if said:
            segments.append(segment)
        at = match.end()
    words += [word for word, *_ in words_of(body[at:])]
    return Sentence(tuple(words), tuple(segments), before or "", language or "en")


def _segment(head: str, said: str, first: int, inventory: Inventory) -> tuple[Segment, list[str]]:
    label, rest = head.split(maxsplit=1)[0], head[len(head.split(maxsplit=1)[0]) :]
    if label not in inventory.labels:
        raise MarkupError(f"no label is called {label}", hint=f"one of {', '.join(inventory.labels)}")
    if odd := _ORDER.sub("", _ARGUMENT.sub("", rest)).strip():
        raise MarkupError(f"{odd!r} is no argument", hint='write name=value, or name="words"')
    inside = words_of(said)
    closed: dict[str, str] = {}
    spans: dict[str, tuple[int, int]] = {}
    arguments = inventory.steps.get(label, {})
    for name, quoted, plain in _ARGUMENT.findall(rest):
        if name not in arguments:
            raise MarkupError(f"{label} has no {name}", hint=f"it has {', '.join(arguments) or 'no arguments'}")
        values = arguments[name]
        if values is not None:
            if plain not in values:
                raise MarkupError(f"{label} {name}={plain or quoted}", hint=f"one of {', '.join(values)}")
            closed[name] = plain
            continue
        if not quoted or quoted not in said:
            raise MarkupError(f'{name} must quote words of "{said}"', hint=f'{name}="..."')
        start = said.index(quoted)
        held = [i for i, (_, s, e) in enumerate(inside) if s < start + len(quoted) and e > start]
        if held:
            spans[name] = first + held[0], first + held[-1] + 1
    order = int(found[1]) if (found := _ORDER.search(rest)) else 0
    return Segment(label, first, first + len(inside), closed, spans, order), [word for word, *_ in inside]


def tools_in(lines: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The tools that lines speak of, with the arguments they give them, known or not."""
    tools: dict[str, dict[str, None]] = {}
    for line in lines:
        for head, _said in _SEGMENT.findall(line):
            if not head.startswith("@") and not line.startswith("#"):
                names = (name for name, *_ in _ARGUMENT.findall(head))
                tools.setdefault(head.split()[0], {}).update(dict.fromkeys(names))
    return {name: tuple(arguments) for name, arguments in tools.items()}
