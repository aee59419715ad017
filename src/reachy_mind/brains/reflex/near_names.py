"""Names that are not known: a tool's list of all names, cut down to the three that come nearest."""

from __future__ import annotations

import difflib
import re
from typing import Any

from reachy_mind.brains.reflex.plan import Step
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.models.wordpiece import without_accents

MOST_NAMES = 3
_ARGUMENTS = {"play_move": "name", "dance": "name", "express_emotion": "emotion", "set_personality": "name"}
_LIST = re.compile(r"^\W*(?:known|there are|one of|did you mean):?\s+(.+?)\W*$", re.IGNORECASE | re.DOTALL)


def told(step: Step, error: dict[str, Any], wording: Wording) -> str:
    """What to say about a name that is not known; empty when the error is about something else."""
    wanted = str(step.args.get(_ARGUMENTS.get(step.tool, ""), ""))
    listed = _LIST.match(str(error.get("hint", "")))
    if not wanted or listed is None:
        return ""
    names = [name for name in re.split(r",\s*(?:or\s+)?|\s+or\s+", listed[1]) if name and name != "random"]
    return wording.say("unknown_name", name=_spoken(wanted), names=joined(nearest(wanted, names), wording.language))


def nearest(wanted: str, names: list[str]) -> list[str]:
    """At most three, the closest first."""
    word = _spoken(without_accents(wanted))

    def closeness(name: str) -> float:
        other = _spoken(without_accents(name))
        shared = bool(set(word.split()) & set(other.split())) or other in word or word in other
        return difflib.SequenceMatcher(None, word, other).ratio() + shared

    return [_spoken(name) for name in sorted(names, key=closeness, reverse=True)[:MOST_NAMES]]


def joined(names: list[str], language: str) -> str:
    """Names as a sentence lists them."""
    last = {"en": " and ", "fr": " et ", "es": " y ", "de": " und "}.get(language, ", ")
    return last.join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def _spoken(name: str) -> str:
    return " ".join(re.sub(r"[_\-]+", " ", name.rpartition("/")[2]).split())
