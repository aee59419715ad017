"""`Wording`: how something is put, in the language that was spoken and in the manner of the profile.

The phrasebooks hold several ways for each thing. The one that is taken depends on what was said and on how long the
conversation is, and is never one of the last replies again. A profile's manner takes the place of the book's ways.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence

from reachy_mind.brains.reflex.plan import Step
from reachy_mind.profiles.phrasebook import LANGUAGES, Manner, book


class Wording:
    """Ways to put things in one turn."""

    def __init__(
        self,
        language: str = "en",
        *,
        said: str = "",
        recent: Sequence[str] = (),
        past: Sequence[str] = (),
        manner: Manner | None = None,
    ) -> None:
        self.language = language if language in LANGUAGES else "en"
        self._book = book(self.language)
        self._manner = manner or {}
        self._recent, self._past, self.said = recent, past or recent, said
        self._seed = zlib.crc32(said.encode("utf-8", "replace")) + len(recent)

    def __contains__(self, key: str) -> bool:
        return key in self._manner or key in self._book

    def owns(self, key: str) -> bool:
        """Whether the profile has its own way to say it."""
        return key in self._manner

    def already(self, *keys: str) -> bool:
        """Whether one of these was said before in this conversation, in any way it can be said."""
        ways = [way for key in keys for way in (*self._manner.get(key, ()), *self._book.get(key, ()))]
        return any(_stem(str(way)) in told for way in ways for told in self._past)

    def heard_before(self, text: str) -> bool:
        """Whether a reply of this conversation had this in it."""
        return any(text in told for told in self._past)

    def ways(self, key: str) -> list[str]:
        """All ways to say it."""
        return [str(way) for way in self._manner.get(key) or self._book[key]]

    def say(self, key: str, /, **values: object) -> str:
        """One of the ways to say it, none of those that were said just now."""
        ways = self.ways(key)
        fresh = [way for way in ways if not any(_stem(way) in told for told in self._recent)] or ways
        return fresh[self._seed % len(fresh)].format(**values)

    def steps(self, steps: Iterable[Step]) -> str:
        """Steps in words, for "did you mean ...?"."""
        phrases: Mapping[str, str] = self._book["steps"]
        told = [_filled(phrases.get(step.tool, step.tool.replace("_", " ")), step) for step in steps]
        joint = {"en": " and ", "fr": " et ", "es": " y ", "de": " und "}[self.language]
        return told[0] if len(told) == 1 else ", ".join(told[:-1]) + joint + told[-1] if told else ""


def _stem(way: str) -> str:
    """The part of a phrase that stands before its first gap."""
    return way.partition("{")[0].strip() or way


def usual(language: str) -> list[str]:
    """All phrases of a language that are said as they stand; none for one that has no book."""
    if language not in LANGUAGES:
        return []
    ways = (way for key, phrases in book(language).items() if key != "steps" for way in phrases)
    return [way for way in ways if "{" not in way]


class _Values(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return ""


def _filled(phrase: str, step: Step) -> str:
    values = {name: str(value).replace("_", " ") for name, value in step.args.items()}
    if "roll" in step.args:
        values.setdefault("direction", "left" if step.args["roll"] < 0 else "right")
    values["length"] = " ".join(
        f"{step.args[unit]} {unit}" for unit in ("hours", "minutes", "seconds") if unit in step.args
    )
    return " ".join(phrase.format_map(_Values(values)).split())
