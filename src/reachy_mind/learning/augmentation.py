"""More sentences out of the written ones: other values, joined steps, politeness around them, typing errors.

Every change keeps the markup true: what a segment covers and where its arguments stand moves along.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reachy_mind.brains.reflex.labels import FOLLOWUPS
from reachy_mind.brains.reflex.markup import Segment, Sentence, words_of
from reachy_mind.brains.word_lists import spaced

JOINTS = {
    "en": "and|then|and then|, then|,|. then|.|;|and after that|after that|, and finally|followed by|and also|. and"
    "|next|plus|. also|, and|. after that|, afterwards",
    "fr": "et|puis|et puis|, puis|,|et ensuite|. ensuite|. après|, et|et après ça|.",
    "es": "y|luego|y luego|, luego|,|y después|. después|y también|, y|.",
    "de": "und|dann|und dann|, dann|,|danach|und danach|. dann|, und|anschließend|.",
}
BEFORE = {
    "en": "hey reachy ,|reachy ,|please|ok|hey|um|could you please|can you|would you|i want you to|so|well|hi robot ,"
    "|now|alright ,|listen ,|robot ,|hello ,|just|go on ,|quick ,|i'd like you to|first|would you mind to|kindly"
    "|do me a favour and|uh|i need you to|let's see ,|be so kind and|okay so|time to",
    "fr": "hé reachy ,|s'il te plaît|dis ,|est-ce que tu peux|tu peux|bon ,|alors|reachy ,|peux-tu|j'aimerais que tu"
    "|ok ,|euh|tu veux bien",
    "es": "oye reachy ,|por favor|puedes|podrías|bueno ,|a ver ,|reachy ,|oye ,|quiero que|venga ,|eh ,|me puedes",
    "de": "hey reachy ,|bitte|kannst du|könntest du|also|hallo ,|reachy ,|du ,|so ,|jetzt|ich möchte dass du|äh",
}
AFTER = {
    "en": "please|, please|thanks|for me|now|ok ?|, will you ?|buddy|reachy|, thank you|right now|if you can|for us"
    "|real quick|, my friend|would you|when you're ready",
    "fr": "s'il te plaît|merci|stp|maintenant|pour moi|, d'accord ?",
    "es": "por favor|gracias|ahora|porfa|, vale ?|para mí",
    "de": "bitte|danke|jetzt|mal|, ja ?|für mich",
}
FIRST = {
    "en": ", but first|but before that ,|, but only after you|after you|. before that ,|, though first",
    "fr": ", mais d'abord|, mais avant|mais avant ça|. avant ça ,",
    "es": ", pero antes|, pero primero|pero antes de eso|. antes ,",
    "de": ", aber zuerst|, aber vorher|aber davor|. vorher aber",
}
"""Between two steps, of which the second is done first."""
KINDS = {
    ("look_at_object", "name"): "thing", ("play_move", "name"): "move", ("speak", "text"): "words",
    ("get_time", "place"): "place", ("get_weather", "place"): "place", ("set_timer", "label"): "label",
    ("cancel_timer", "label"): "label", ("set_reminder", "text"): "task", ("search_web", "query"): "query",
    ("store_memory", "content"): "fact", ("search_memories", "query"): "topic", ("forget_memory", "query"): "topic",
    ("create_tool", "description"): "tool", ("rollback_tool", "name"): "toolname",
}  # fmt: skip
"""What kind of value an argument takes."""
Values = Mapping[tuple[str, str], Sequence[tuple[str, ...]]]
"""Values by language and kind, as words."""
_NEIGHBOURS = dict(
    zip(
        "qwertyuiopasdfghjklzxcvbnm",
        [
            "wa",
            "qes",
            "wrd",
            "etf",
            "ryg",
            "tuh",
            "yij",
            "uok",
            "ipl",
            "ol",
            "qsz",
            "adw",
            "sfe",
            "dgr",
            "fht",
            "gjy",
            "hku",
            "jli",
            "kop",
            "xa",
            "zcs",
            "xvd",
            "cbf",
            "vng",
            "bmh",
            "nj",
        ],
        strict=True,
    )
)
_JOINABLE = frozenset(spaced("@greet @thanks @report @praise @forbid @knowledge @bye @impossible @joke @can_you"))
_SIGNS = frozenset(".,!?;:")


class Augmenter:
    """Sentences like those it was given. Two with the same seed give the same ones."""

    def __init__(self, sentences: Sequence[Sentence], values: Values, seed: int = 0) -> None:
        self._given = values
        self._random = random.Random(seed)  # noqa: S311 -- reproducible, not secret
        self._values: dict[tuple[str, str, str], list[tuple[str, ...]]] = defaultdict(list)
        self._steps: dict[str, list[Sentence]] = defaultdict(list)
        for one in sentences:
            for segment in one.segments:
                for name, (first, last) in segment.spans.items():
                    self._values[one.language, segment.label, name].append(one.words[first:last])
            if one.segments and not one.before and len(one.words) <= 16 and all(map(_joins, one.segments)):
                self._steps[one.language].append(one)
        self._before = [one.before for one in sentences if one.before]

    def __call__(self, sentence: Sentence) -> Sentence:
        chance = self._random.random
        sentence = self._with_other_values(sentence)
        if sentence.segments and not sentence.before and self._steps[sentence.language]:
            kind = chance()
            sentence = self._turned(sentence) if kind < 0.04 else self._longer(sentence) if kind < 0.38 else sentence
        if sentence.segments and chance() < 0.2:
            sentence = padded(sentence, self._one_of(BEFORE[sentence.language]), front=True)
        if sentence.segments and chance() < 0.15:
            sentence = padded(sentence, self._one_of(AFTER[sentence.language]), front=False)
        if chance() < 0.3:
            sentence = kept(sentence, [word not in _SIGNS for word in sentence.words])
        if chance() < 0.25:
            sentence = self._mistyped(sentence)
        alone = not any(segment.label in FOLLOWUPS for segment in sentence.segments)
        if not sentence.before and alone and self._before and chance() < 0.2:
            sentence = replace(sentence, before=self._random.choice(self._before))
        return sentence

    def _one_of(self, phrases: str) -> list[str]:
        return self._random.choice(phrases.split("|")).split()

    def _with_other_values(self, sentence: Sentence) -> Sentence:
        for place, segment in enumerate(sentence.segments):
            for name in segment.spans:
                if name not in sentence.segments[place].spans:
                    continue  # it stood where another value is now
                chance = self._random.random()
                given = self._given.get((sentence.language, _kind(segment, name)), ())
                values = self._values[sentence.language, segment.label, name]
                if given and chance < 0.4:
                    sentence = with_value(sentence, place, name, self._random.choice(given))
                elif len(values) > 2 and chance < 0.6:
                    sentence = with_value(sentence, place, name, self._random.choice(values))
        return sentence

    def _turned(self, sentence: Sentence) -> Sentence:
        """Two steps, the second of which is done first."""
        other = self._random.choice(self._steps[sentence.language])
        if len(other.segments) != 1 or other.segments[0].label.startswith("@") or len(sentence.segments) != 1:
            return sentence
        if sentence.segments[0].order or sentence.segments[0].label.startswith("@"):
            return sentence
        both = joined(sentence, self._one_of(FIRST[sentence.language]), other)
        return replace(both, segments=(replace(both.segments[0], order=2), replace(both.segments[1], order=1)))

    def _longer(self, sentence: Sentence) -> Sentence:
        for _ in range(self._random.choice((1, 1, 1, 2, 2, 3))):
            if len(sentence.words) > 40:
                break
            other = self._with_other_values(self._random.choice(self._steps[sentence.language]))
            sentence = joined(sentence, self._one_of(JOINTS[sentence.language]), other)
        return sentence

    def _mistyped(self, sentence: Sentence) -> Sentence:
        words = list(sentence.words)
        long = [at for at, word in enumerate(words) if len(word) > 3 and word.isalpha()]
        for at in self._random.sample(long, min(len(long), self._random.choice((1, 1, 2)))):
            words[at] = self._typo(words[at])
        return replace(sentence, words=tuple(words))

    def _typo(self, word: str) -> str:
        at, kind = self._random.randrange(1, len(word)), self._random.random()
        if kind < 0.3:
            return word[:at] + word[at + 1 :]
        if kind < 0.6 and at < len(word) - 1:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        if kind < 0.8:
            return word[:at] + word[at] + word[at:]
        near = _NEIGHBOURS.get(word[at].lower())
        return word[:at] + (self._random.choice(near) if near else "") + word[at + 1 :]


def read_values(file: Path) -> dict[tuple[str, str], list[tuple[str, ...]]]:
    """Lines such as `en place: Oslo`."""
    values: dict[tuple[str, str], list[tuple[str, ...]]] = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        head, _, value = line.partition(": ")
        if value.strip():
            language, kind = head.split()
            values[language, kind].append(tuple(word for word, *_ in words_of(value)))
    return dict(values)


def _kind(segment: Segment, name: str) -> str:
    if (segment.label, name) == ("update_user_profile", "value"):
        return {"name": "person", "language": "language", "home": "place"}.get(segment.closed.get("key", ""), "")
    return KINDS.get((segment.label, name), "")


def _joins(segment: Segment) -> bool:
    return not segment.order and (not segment.label.startswith("@") or segment.label in _JOINABLE)


def moved(segment: Segment, by: int) -> Segment:
    spans = {name: (first + by, last + by) for name, (first, last) in segment.spans.items()}
    return replace(segment, first=segment.first + by, last=segment.last + by, spans=spans)


def joined(one: Sentence, joint: Sequence[str], other: Sentence) -> Sentence:
    """Both, one after the other."""
    words = list(one.words)
    while words and words[-1] in _SIGNS and not any(segment.last == len(words) for segment in one.segments):
        words.pop()
    shifted = (moved(segment, len(words) + len(joint)) for segment in other.segments)
    return replace(one, words=(*words, *joint, *other.words), segments=(*one.segments, *shifted))


def padded(sentence: Sentence, words: Sequence[str], *, front: bool) -> Sentence:
    """With words around it that mean nothing."""
    if not front:
        return replace(sentence, words=(*sentence.words, *words))
    segments = tuple(moved(segment, len(words)) for segment in sentence.segments)
    return replace(sentence, words=(*words, *sentence.words), segments=segments)


def kept(sentence: Sentence, stay: Sequence[bool]) -> Sentence:
    """Only some of its words."""
    at = [0]
    for one in stay:
        at.append(at[-1] + one)
    segments = []
    for segment in sentence.segments:
        first, last = at[segment.first], at[segment.last]
        if last > first:
            spans = {name: (at[a], at[b]) for name, (a, b) in segment.spans.items() if at[b] > at[a]}
            segments.append(replace(segment, first=first, last=last, spans=spans))
    words = tuple(word for word, one in zip(sentence.words, stay, strict=True) if one)
    return replace(sentence, words=words, segments=tuple(segments))


def with_value(sentence: Sentence, place: int, name: str, words: Sequence[str]) -> Sentence:
    """With other words for an argument. Arguments that overlap with it are as they were, if they still fit."""
    begin, end = sentence.segments[place].spans[name]
    by = len(words) - (end - begin)

    def shifted(at: int) -> int:
        return at + by if at >= end else at

    segments = []
    for number, segment in enumerate(sentence.segments):
        first, last = shifted(segment.first), shifted(segment.last)
        spans = {other: (shifted(a), shifted(b)) for other, (a, b) in segment.spans.items()}
        if number == place:
            spans[name] = begin, begin + len(words)
        fitting = {other: (a, b) for other, (a, b) in spans.items() if first <= a < b <= last}
        segments.append(replace(segment, first=first, last=last, spans=fitting))
    return replace(sentence, words=(*sentence.words[:begin], *words, *sentence.words[end:]), segments=tuple(segments))
