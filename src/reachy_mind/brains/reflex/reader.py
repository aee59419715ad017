"""`Reader`: what a sentence says, as the network sees it, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from reachy_mind.brains.reflex.labels import LANGUAGES
from reachy_mind.brains.reflex.markup import words_of
from reachy_mind.brains.reflex.network import MOST_WORDS, Network, encode
from reachy_mind.brains.reflex.plan import Before
from reachy_mind.models.encoder import Array, softmax

WEIGHTS = Path(__file__).with_name("weights.npz")
MOST_STRETCHES, MOST_KEPT = 80, 64
OUTSIDE, BEGIN, INSIDE = 0, 1, 2
FLUENT = 0.8
"""How sure it must be that this is no English."""
LIKELY, MOST_CANDIDATES, TRUST = 0.02, 120, 2.0
"""Places less likely than that are not looked at; how much the word of a stretch counts against that of its words."""


@dataclass(frozen=True)
class Found:
    """A stretch of the sentence that means one thing. `said` are its words, `spans` those of its open arguments."""

    label: str
    said: str
    closed: dict[str, str] = field(default_factory=dict)
    spans: dict[str, str] = field(default_factory=dict)
    sure: float = 1.0
    later: bool = False
    """Said first, but to be done after what is said next."""
    start: int = 0
    end: int = 0
    """Where it stands in the text."""


@dataclass(frozen=True)
class Reading:
    """What was found in a text, in the order it is said."""

    found: tuple[Found, ...] = ()
    language: str = "en"
    sure: float = 0.0


class Reader:
    """Reads sentences. Safe to use from a thread; one sentence at a time."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._inventory = network.inventory
        self._tags = {tag: number for number, tag in enumerate(self._inventory.tags)}
        # Matrices this small gain nothing from a second thread, and on a busy machine its threads wait for each other.
        self._arithmetic = ThreadpoolController().select(user_api="blas")
        # A request is read again by those who look for a tool that serves it.
        self._portion = lru_cache(maxsize=MOST_KEPT)(self._read_portion)

    @classmethod
    def load(cls, file: Path = WEIGHTS) -> Reader:
        """The reader with these weights; minds of one process share it. Raises WeightsError."""
        changed_at = file.stat().st_mtime_ns if file.exists() else 0
        return _loaded(file, changed_at)

    def read(self, text: str, before: Sequence[Before] = ()) -> Reading:
        """What a text says, given what was done before it; long ones a few sentences at a time."""
        found: list[Found] = []
        sure, language = 1.0, ""
        at = 0
        for part in _portions(text):
            reading = self.portion(part, context(before))
            at = max(text.find(part[:20], at), at)
            found += [replace(one, start=one.start + at, end=one.end + at) for one in reading.found]
            sure, language = min(sure, reading.sure), language or reading.language
        return Reading(tuple(found[:MOST_STRETCHES]), language or "en", sure if found else 0.0)

    def portion(self, text: str, before: Sequence[str]) -> Reading:
        """A text that is short enough for one look; `before` as words."""
        return self._portion(text, tuple(before))

    def embedding(self, text: str) -> Array | None:
        """What a sentence is about, as the mean of the vectors of its words; None for one without words."""
        encoded = encode([word for word, *_ in words_of(text)], (), self._network.pieces)
        if not encoded.firsts:
            return None
        with self._arithmetic.limit(limits=1):
            words, _ = self._network.states(encoded)
        return np.asarray(words.mean(0), dtype=np.float32)

    def _read_portion(self, text: str, before: tuple[str, ...]) -> Reading:
        with self._arithmetic.limit(limits=1):
            return self._look(text, before)

    def _look(self, text: str, before: Sequence[str]) -> Reading:
        placed = words_of(text)
        if not placed:
            return Reading()
        network = self._network
        encoded = encode([word for word, *_ in placed], before, network.pieces)
        if not encoded.firsts:
            return Reading()
        words, sentence = network.states(encoded)
        tongues = softmax(network.linear(sentence, "language"))
        language = LANGUAGES[int(tongues.argmax())] if tongues.max() > FLUENT else "en"
        places = softmax(network.linear(words, "places"))
        tags = network.linear(words, "tags").argmax(-1)
        vectors = {bounds: network.stretch(words, sentence, *bounds) for bounds in candidates(places)}
        chances = {bounds: softmax(network.linear(vector, "label")) for bounds, vector in vectors.items()}
        parted = segmented(places, {bounds: 1.0 - float(odds[-1]) for bounds, odds in chances.items()})
        if not parted:  # somebody said something: at worst, all of it is one thing
            everything = 0, len(places)
            vectors[everything] = network.stretch(words, sentence, *everything)
            chances[everything] = softmax(network.linear(vectors[everything], "label"))
            parted = [everything]
        found = [
            self._stretch(vectors[bounds], chances[bounds], bounds, tags.tolist(), text, placed) for bounds in parted
        ]
        sure = float(np.prod([one.sure for one in found])) if found else 0.0
        return Reading(tuple(found), language, sure)

    def _stretch(
        self,
        vector: Array,
        chances: Array,
        bounds: tuple[int, int],
        tags: list[int],
        text: str,
        placed: list[tuple[str, int, int]],
    ) -> Found:
        network, inventory, (first, last) = self._network, self._inventory, bounds
        best = int(chances[:-1].argmax())
        label, sure = inventory.labels[best], float(chances[best])
        closed: dict[str, str] = {}
        spans: dict[str, str] = {}
        for name, values in inventory.steps.get(label, {}).items():
            if values is None:
                if held := self._span(name, first, last, tags):
                    spans[name] = _whole_words(text, placed[held[0]][1], placed[held[1] - 1][2])
                continue
            key = inventory.key(label, name)
            odds = softmax(network.linear(vector, f"closed.{key}"))
            picked = int(odds.argmax())
            if picked and (value := inventory.closed[key][picked - 1]) in values:
                closed[name] = value
            sure = min(sure, float(odds.max()))
        later = bool(network.linear(vector, "later").argmax())
        start, end = placed[first][1], placed[last - 1][2]
        return Found(label, text[start:end], closed, spans, sure, later, start, end)

    def _span(self, name: str, first: int, last: int, tags: list[int]) -> tuple[int, int] | None:
        begin, inside = self._tags[f"B-{name}"], self._tags[f"I-{name}"]
        start = next((at for at in range(first, last) if tags[at] in (begin, inside)), None)
        if start is None:
            return None
        end = start + 1
        while end < last and tags[end] in (inside, begin):
            end += 1
        return start, end


def _whole_words(text: str, start: int, end: int) -> str:
    """A stretch of the text that begins and ends where words do: "3f2a" is one, whatever it was cut into."""
    while start > 0 and text[start].isalnum() and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < len(text) and text[end - 1].isalnum() and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[start:end]


def context(before: Sequence[Before]) -> list[str]:
    """The turn before, as a few words: the last two calls with their arguments."""
    return [
        word
        for call in before[-2:]
        for word in re.findall(
            r"[^\W\d_]+|\d+", " ".join([call.tool, *(f"{name} {value}" for name, value in call.args.items())]).lower()
        )
    ]


def in_order(found: Sequence[Found]) -> list[Found]:
    """In the order of doing: what is done later comes after what is said next."""
    out: list[Found] = []
    waiting: list[Found] = []
    for one in found:
        if one.later:
            waiting.append(one)
        else:
            out += [one, *waiting]
            waiting = []
    return out + waiting


def candidates(places: Array) -> list[tuple[int, int]]:
    """Where a stretch may begin and end: wherever that is not out of the question."""
    count = len(places)
    begins = [at for at in range(count) if places[at, BEGIN] > LIKELY]
    ends = [
        at + 1
        for at in range(count)
        if places[at, OUTSIDE] < 1 - LIKELY and (at + 1 == count or places[at + 1, INSIDE] < 1 - LIKELY)
    ]
    return [(begin, end) for begin in begins for end in ends if begin < end][:MOST_CANDIDATES]


def segmented(places: Array, means: Mapping[tuple[int, int], float]) -> list[tuple[int, int]]:
    """The likeliest way to part a sentence, by the chances of its words' places and of stretches to be one thing."""
    logs = np.log(np.maximum(places, 1e-6))
    inside = np.concatenate([[0.0], np.cumsum(logs[:, INSIDE])])
    best = [0.0] * (len(places) + 1)
    took: list[int] = [-1] * (len(places) + 1)
    ending: dict[int, list[int]] = {}
    for first, last in means:
        ending.setdefault(last, []).append(first)
    for at in range(1, len(places) + 1):
        best[at] = best[at - 1] + float(logs[at - 1, OUTSIDE])
        for first in ending.get(at, ()):
            run = float(logs[first, BEGIN] + inside[at] - inside[first + 1])
            total = best[first] + run + TRUST * float(np.log(max(means[first, at], 1e-6)))
            if total > best[at]:
                best[at], took[at] = total, first
    out: list[tuple[int, int]] = []
    at = len(places)
    while at > 0:
        if took[at] >= 0:
            out.append((took[at], at))
        at = took[at] if took[at] >= 0 else at - 1
    return out[::-1]


def _portions(text: str) -> list[str]:
    """A text as it is, or cut at the ends of sentences where it is long."""
    if len(words_of(text)) <= MOST_WORDS * 3 // 4:
        return [text]
    out: list[str] = []
    for sentence in re.split(r"(?<=[.!?;\n])\s+", text):
        if out and len(words_of(out[-1])) + len(words_of(sentence)) <= MOST_WORDS // 2:
            out[-1] = f"{out[-1]} {sentence}"
        else:
            out.append(sentence)
    return out


@lru_cache(maxsize=2)  # decompressing takes 0.2 s, and a process may compose several minds one after the other
def _loaded(file: Path, _changed_at: int) -> Reader:
    return Reader(Network.load(file))
