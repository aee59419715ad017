"""Memories as sentences addressed to the person who told them. English; `brains` has the other languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reachy_mind.memory.search import SearchHit

MOST_MEMORIES = 3
"""In one answer."""
UNKNOWN = "I don't know that yet."
_SECOND_PERSON = (
    (r"\bi am\b", "you are"),
    (r"\bi'm\b", "you're"),
    (r"\bi was\b", "you were"),
    (r"\bi'(ve|d|ll)\b", r"you'\1"),
    (r"\bam i\b", "are you"),
    (r"\bi\b", "you"),
    (r"\bmy\b", "your"),
    (r"\bmine\b", "yours"),
    (r"\bmyself\b", "yourself"),
    (r"\bme\b", "you"),
    (r"\bwe are\b", "you are"),
    (r"\bwe\b", "you"),
    (r"\bour\b", "your"),
    (r"\bus\b", "you"),
)
_SECOND_PERSON_WORDS = {
    "fr": {"ma": "ta", "mon": "ton", "mes": "tes", "notre": "votre", "nos": "vos"},
    "es": {"mi": "tu", "mis": "tus", "nuestro": "vuestro", "nuestra": "vuestra", "nuestros": "vuestros"},
    "de": {
        "mein": "dein", "meine": "deine", "meinen": "deinen", "meinem": "deinem", "meiner": "deiner",
        "unser": "euer", "unsere": "eure",
    },
}  # fmt: skip
_PARTS = re.compile(r"(Told|Asked|Done): (.*?)(?= (?:Told|Asked|Done): |$)")
"""The parts of a summary by rules."""


def second_person(content: str, language: str = "en") -> str:
    """A first-person statement in the second person: "my colour is green" becomes "your colour is green".

    In other languages than English, only what belongs to the person is put so.
    """
    if (words := _SECOND_PERSON_WORDS.get(language)) is not None:
        return " ".join(words.get(word.casefold(), word) for word in content.split())
    for first, second in _SECOND_PERSON:
        content = re.sub(first, second, content, flags=re.IGNORECASE)
    return content


def answer(found: Sequence[SearchHit], now: float) -> str:
    """The answer from the sure hits; else the best hit, said to be uncertain."""
    sure = [hit for hit in found if hit.sure]
    # A summary repeats what a memory says.
    sure = [hit for hit in sure if hit.memory.type != "conversation"] or sure
    if not found:
        return UNKNOWN
    if not sure:
        best = sentence(_hit_text(found[0], now), capital=False)
        return f"I don't know that for sure. This may have to do with it: {best}"
    return " ".join(sentence(_hit_text(hit, now)) for hit in sure[:MOST_MEMORIES])


def describe_profile(name: str, known: Mapping[str, Any], latest: Sequence[str]) -> str:
    """What is known about the person, in a few sentences."""
    parts = [f"You are {name}." if name else "I don't know your name yet."]
    parts += [sentence(aspect(key, value)) for key, value in list(known.items())[:8]]
    more = [content for content in latest if not any(_in(value, content) for value in (name, *known.values()))]
    parts += [sentence(second_person(content)) for content in more[:MOST_MEMORIES]]
    if len(parts) == 1 and not name:
        return "I don't know anything about you yet. Tell me something, and I'll remember it."
    return " ".join(parts)


def aspect(key: str, value: Any) -> str:
    """One entry of the profile, addressed to the person."""
    listed = ", ".join(value[:-1]) + " and " + value[-1] if isinstance(value, list) and len(value) > 1 else ""
    shown = listed or (value[0] if isinstance(value, list) else str(value))
    ways = {
        "home": "you live in {}",
        "origin": "you are from {}",
        "likes": "you like {}",
        "dislikes": "you don't like {}",
        "allergies": "you are allergic to {}",
        "age": "you are {} years old",
        "language": "you speak {}",
        "job": "you work as {}",
        "name": "your name is {}",
    }
    return ways[key].format(shown) if key in ways else f"your {key} is {shown}"


def _hit_text(found: SearchHit, now: float) -> str:
    memory = found.memory
    if memory.type == "conversation":
        return f"{_when(memory.told_at, now)} {_summary_text(memory.content)}"
    if memory.type == "event":
        return f"{_when(memory.created_at, now)} you told me: {second_person(memory.content)}"
    return second_person(memory.content)


def _summary_text(content: str) -> str:
    """A summary addressed to the person; one by a model stays as it is."""
    parts = dict(_PARTS.findall(content))
    if not parts:
        return f"we talked: {content}"
    sentences = [
        f"you told me: {second_person(parts['Told'])}" if "Told" in parts else "",
        f"you asked: {parts['Asked']}" if "Asked" in parts else "",
        f"I did this: {parts['Done']}" if "Done" in parts else "",
    ]
    first, *rest = [part for part in sentences if part]
    return " ".join([first, *(part[:1].upper() + part[1:] for part in rest)])


def _when(at: float, now: float) -> str:
    day, today = datetime.fromtimestamp(at).astimezone(), datetime.fromtimestamp(now).astimezone()
    match (today.date() - day.date()).days:
        case 0:
            return "today"
        case 1:
            return "yesterday"
        case days if days < 7:
            return f"on {day:%A}"
        case _:
            return f"on {day.day} {day:%B}"


def sentence(text: str, *, capital: bool = True) -> str:
    """A text with a full stop, and a capital letter."""
    text = text.strip()
    text = text[:1].upper() + text[1:] if capital else text
    return text if text[-1:] in ".!?" else f"{text}."


def _in(value: Any, content: str) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(each and str(each).casefold() in content.casefold() for each in values)
