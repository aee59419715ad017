"""Feedback as it is really said and typed: fillers, names, no punctuation, typing errors, words said twice, capitals.

A variation never changes what the line says.
"""

from __future__ import annotations

import random
import re

BEFORE = {
    "en": "um|uh|oh|okay|ok so|well|hey|reachy|hey reachy|hmm|so|right|robot|i mean|look|you know|listen|hey robot",
    "fr": "euh|ben|bon|alors|reachy|hé|oh|ok|bah|écoute",
    "es": "eh|pues|bueno|a ver|oye|reachy|oh|vale|mira",
    "de": "äh|also|na|hm|reachy|hey|oh|ok|du",
    "it": "eh|allora|beh|senti|reachy|oh|ok|guarda",
}
AFTER = {
    "en": "reachy|robot|buddy|mate|you know|i think|honestly|now|today|my friend|this time|man",
    "fr": "reachy|quoi|hein|là|franchement|aujourd'hui|robot",
    "es": "reachy|eh|ahora|hoy|la verdad|robot|amigo",
    "de": "reachy|jetzt|heute|ehrlich|du|finde ich|robot",
    "it": "reachy|adesso|oggi|davvero|robot|eh",
}
_MARKS = re.compile(r"[.,!?;:\"'\u2019\u2026\u00a1\u00bf]")
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = {key: row[max(0, at - 1) : at] + row[at + 1 : at + 2] for row in _ROWS for at, key in enumerate(row)}
"""The keys left and right of a key."""
SHORTEST_MISTYPED = 4


def varied(text: str, language: str, rng: random.Random) -> str:
    """The text as another speech recogniser, keyboard or mood would give it; often unchanged."""
    if rng.random() < 0.12:
        text = f"{rng.choice(_of(BEFORE, language))} {text[:1].lower()}{text[1:]}"
    if rng.random() < 0.08:
        bare = text.rstrip(" .!?")
        text = f"{bare} {rng.choice(_of(AFTER, language))}{text[len(bare) :]}"
    if rng.random() < 0.25:
        text = _MARKS.sub("", text).lower()
    elif rng.random() < 0.3:
        text = text.rstrip(".!") + rng.choice(("", "", ".", "!", "!!"))
    if rng.random() < 0.15:
        text = mistyped(text, rng)
    if rng.random() < 0.06:
        text = _hesitating(text, language, rng)
    return text.upper() if rng.random() < 0.05 else text


def mistyped(text: str, rng: random.Random) -> str:
    """With one or two typing errors in its longer words."""
    words = text.split(" ")
    for _ in range(1 if rng.random() < 0.7 else 2):
        long = [at for at, word in enumerate(words) if len(word) >= SHORTEST_MISTYPED]
        if long:
            at = rng.choice(long)
            words[at] = _misspelled(words[at], rng)
    return " ".join(words)


def _misspelled(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word) - 1)
    beside = _BESIDE.get(word[at].lower(), word[at])
    return rng.choice(
        (
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[:at] + rng.choice(beside) + word[at + 1 :],
        )
    )


def _hesitating(text: str, language: str, rng: random.Random) -> str:
    words = text.split()
    if not words:
        return text
    at = rng.randrange(len(words))
    words.insert(at, rng.choice(("um", "uh", words[at])) if language == "en" else words[at])
    return " ".join(words)


def _of(listed: dict[str, str], language: str) -> list[str]:
    return listed.get(language, listed["en"]).split("|")
