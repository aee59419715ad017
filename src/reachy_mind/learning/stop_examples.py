"""What the stop classifier is trained on: sentences, patterns, and variations of them.

Positive are the lines of `brains/stop_sentences/stop.txt`, the stop phrases, and the reflex brain's sentences that mean
a stop and nothing else. Negative are `brains/stop_sentences/other.txt` and `talk.txt`, and the reflex brain's other
sentences. More of both come from patterns (`stop_patterns.txt`, `other_patterns.txt`). Variations put other parts of
the body, names and exclamations into both, so that those decide nothing by themselves, and put stops into sentences
that merely speak of them ("what does halt mean").
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reachy_mind.brains import stop_words
from reachy_mind.brains.reflex.markup import read
from reachy_mind.brains.stop_classifier import words_of
from reachy_mind.brains.stop_lexicon import word_class
from reachy_mind.learning.stop_vocabulary import (
    AFTER,
    AND,
    BEFORE,
    BODY,
    CRIES,
    DEEDS,
    HEARD,
    KEEP_ON,
    MENTIONS,
    PARTS,
    PLAIN_STOPS,
    THINGS,
)

SENTENCES = Path(stop_words.__file__).with_name("stop_sentences")
REFLEX_SENTENCES = Path(stop_words.__file__).with_name("reflex") / "sentences"


@dataclass(frozen=True)
class Example:
    """A sentence, its language, whether it is a stop, and how much it counts. `source` groups its variations."""

    text: str
    language: str
    stop: bool
    weight: float = 1.0
    source: str = ""

    @property
    def original(self) -> bool:
        """Whether a person wrote it, and not a pattern or a variation."""
        return self.source == key_of(self.text)


_STOPPING = re.compile(r"(stop|quit|halt|freeze|cease|let go|shut down|power down|hold still|abort)\b")
_CHOICE = re.compile(r"\(([^()]*)\)")
WEAK = frozenset(
    (
        *("x", "you", "me", "they", "robot", "ask", "say", "past", "media", "thing", "deed", "please", "that"),
        *(
            "family",
            "much",
            "order",
            "polite",
            "part",
            "be",
            "have",
            "future",
            "make",
            "the",
            "in",
            "with",
            "and",
            "if",
        ),
        *("want", "again", "good", "time", "bit", "nearly"),
    )
)
"""Classes of words that make no stop by themselves."""
COUNTED, HARD = 0.5, 2.0
"""Weights from which on a sentence is counted, and is one of `other.txt`."""
MOST_FRAGMENT_WORDS = 2
"""So few words ("the motor") are hardly said alone; as a stop they do no harm."""
NEARLY = frozenset(("do_nothing", "stop_dance", "set_motor_mode", "task_cancel", "stop", "@not_that"))
"""Labels of sentences that are so near to a stop that they count little, and are not counted as false ones."""


def examples() -> list[Example]:
    """All sentences, each once. One that is both is a stop."""
    stops = {key_of(e.text): e for e in _positive()}
    others: dict[str, Example] = {}
    for example in _negative():
        key = key_of(example.text)
        if key and key not in stops and not stop_words.is_listed(example.text):
            others.setdefault(key, example)
    return [e for e in (*stops.values(), *others.values()) if len(e.text) <= stop_words.LONGEST_TEXT]


def key_of(text: str) -> str:
    """The words of a text, by which two spellings of one sentence are the same."""
    return " ".join(words_of(text))


def sentences(file: Path) -> Iterator[tuple[str, str]]:
    """Language and text of each line: `fr<tab>arrête`. Empty lines and lines with # in front are skipped."""
    for line in file.read_text(encoding="utf-8").splitlines():
        language, tab, text = line.partition("\t")
        if tab and not line.startswith("#"):
            yield language, text


def _positive() -> Iterator[Example]:
    for language, text in sentences(SENTENCES / "stop.txt"):
        yield Example(text, language, stop=True)
    for phrase in sorted(stop_words.PHRASES):
        yield Example(phrase, "", stop=True, weight=0.5)
    for sentence in read(REFLEX_SENTENCES):
        if sentence.segments and all(segment.label == "stop" for segment in sentence.segments) and not sentence.before:
            yield Example(_joined(sentence.words), sentence.language, stop=True, weight=0.5)


def _negative() -> Iterator[Example]:
    for language, text in sentences(SENTENCES / "other.txt"):
        yield Example(text, language, stop=False, weight=3.0 if len(text.split()) > MOST_FRAGMENT_WORDS else 1.0)
    for language, text in sentences(SENTENCES / "talk.txt"):
        yield Example(text, language, stop=False)
    for sentence in read(REFLEX_SENTENCES):
        labels = {segment.label for segment in sentence.segments}
        if "stop" not in labels or labels - {"stop", "@praise", "@thanks", "do_nothing", "@complaint"}:
            weight = 0.1 if sentence.before or labels <= NEARLY else 1.0
            yield Example(_joined(sentence.words), sentence.language, stop=False, weight=weight)


def _joined(words: Sequence[str]) -> str:
    """A sentence of the reflex brain, whose apostrophes are words, as people write it."""
    return " ".join(words).replace(" ' ", "'")


def varied(sources: Sequence[Example], *, variations: int = 8, per_pattern: int = 40, seed: int = 0) -> list[Example]:
    """The examples and variations of them, the sentences of the patterns, and stops with something else to do."""
    rng = random.Random(seed)  # noqa: S311 -- the same ones every time
    by_language: dict[str, list[str]] = {}
    for e in sources:
        if e.stop:
            by_language.setdefault(e.language, []).append(e.text)
    out: list[Example] = []
    for e in sources:
        key = key_of(e.text)
        out.append(replace(e, source=key))
        if e.stop:
            times = variations if e.weight >= 1 else variations // 3
            made = [_another(e, rng, by_language) for _ in range(times)]
            out += [Example(text, e.language, stop=True, weight=0.3 * e.weight, source=key) for text in made]
            told_of = list(_spoken_of(e, rng)) if e.language else []
            out += [Example(text, e.language, stop=False, weight=0.5, source=key) for text in told_of]
        elif e.weight >= HARD or rng.random() < 0.15:
            made = [_dressed(e.text, e.language, rng) for _ in range(4 if e.weight >= HARD else 1)]
            out += [Example(text, e.language, stop=False, weight=0.3 * e.weight, source=key) for text in made]
    return [*out, *_from_patterns(rng, per_pattern), *_with_deeds(rng), *_fragments(sources, rng)]


def _fragments(sources: Sequence[Example], rng: random.Random) -> Iterator[Example]:
    """Pieces of speech, as "it is", "hey reachy": too little to be a stop."""
    for e in sources:
        words = words_of(e.text)
        if words and rng.random() < (0.15 if not e.stop else 1.0):
            length = rng.choice((1, 2, 2, 3))
            at = rng.randrange(max(1, len(words) - length + 1))
            piece = words[at : at + length]
            if all(word_class(word) in WEAK for word in piece) and " ".join(piece) not in ("no", "that"):
                yield Example(" ".join(piece), e.language, stop=False, weight=1.0, source=" ".join(piece) + " ...")


def _from_patterns(rng: random.Random, per_pattern: int) -> Iterator[Example]:
    for name, stop, weight in (("stop_patterns", True, 0.3), ("other_patterns", False, 0.6)):
        for language, pattern in sentences(SENTENCES / f"{name}.txt"):
            for _ in range(per_pattern):
                yield Example(_expanded(pattern, language, rng), language, stop, weight, pattern)


def _with_deeds(rng: random.Random) -> Iterator[Example]:
    """ "Stop and look left" is for the reflex brain."""
    for language, stops in PLAIN_STOPS.items():
        for deed in DEEDS[language]:
            for said in stops:
                text = f"{said} {rng.choice(AND[language])} {deed}"
                yield Example(text, language, stop=False, weight=0.5, source=deed)


def _expanded(pattern: str, language: str, rng: random.Random) -> str:
    """One of the sentences that a pattern stands for."""
    text = _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), pattern)
    for name, listed in (("{body}", BODY), ("{thing}", THINGS), ("{part}", PARTS), ("{ouch}", CRIES)):
        while name in text:
            text = text.replace(name, rng.choice(listed[language]), 1)
    return " ".join(text.replace(" -", "-").replace(" 's", "'s").split())


def _another(e: Example, rng: random.Random, by_language: dict[str, list[str]]) -> str:
    text = _substituted(e.text, e.language, rng)
    kind = rng.random()
    if kind < 0.45:
        text = _dressed(text, e.language, rng)
    elif kind < 0.7 and len(text) < 60:
        other = _substituted(rng.choice(by_language[e.language]), e.language, rng)
        if len(other) < 50:
            text = f"{text} {other}" if rng.random() < 0.5 else f"{other} {text}"
    if rng.random() < 0.3:
        text = _misheard(text, e.language, rng)
    if rng.random() < 0.15:
        text = _mistyped(text, rng)
    words = text.split()
    if len(words) > 3 and rng.random() < 0.15:
        del words[rng.randrange(len(words))]
    return " ".join(words)


def _substituted(text: str, language: str, rng: random.Random) -> str:
    words = text.split()
    for named in (BODY.get(language, []), THINGS.get(language, [])):
        known = {key_of(name) for name in named}
        for i, word in enumerate(words):
            if key_of(word) in known and rng.random() < 0.7:
                words[i] = rng.choice(named)
    return " ".join(words)


def _dressed(text: str, language: str, rng: random.Random) -> str:
    language = language or "en"
    before = rng.choice(BEFORE[language]) if rng.random() < 0.65 else ""
    after = rng.choice(AFTER[language]) if not before or rng.random() < 0.3 else ""
    return f"{before} {text} {after}".strip()


def _misheard(text: str, language: str, rng: random.Random) -> str:
    """One of its words as speech to text may give it."""
    words, known = text.lower().split(), HEARD.get(language, {})
    heard = [at for at, word in enumerate(words) if word.strip(",.!") in known]
    if len(words) > 1 and heard:
        at = rng.choice(heard)
        words[at] = rng.choice(known[words[at].strip(",.!")].split("|"))
    return " ".join(words)


def _mistyped(text: str, rng: random.Random) -> str:
    at = rng.randrange(max(1, len(text) - 1))
    return rng.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :],
            text[:at] + text[at : at + 1] + text[at:],
        )
    )


def _spoken_of(e: Example, rng: random.Random) -> Iterator[str]:
    for frame in rng.sample(MENTIONS[e.language], 4):
        yield frame.format(e.text)
    if KEEP_ON[e.language] and _STOPPING.match(e.text):
        for frame in rng.sample(KEEP_ON[e.language], 2):
            yield frame.format(e.text)
