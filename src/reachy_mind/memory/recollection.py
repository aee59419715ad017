"""What was found, in words that can be said to the person who told it. English; `brains` has the other languages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reachy_mind.memory.search import Found

MOST = 3
"""So many memories are told at once."""
UNKNOWN = "I don't know that yet."
_TURNED = (
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
_PARTS = re.compile(r"(Told|Asked|Done): (.*?)(?= (?:Told|Asked|Done): |$)")
"""Of a summary by rules."""


def turned(content: str) -> str:
    """What somebody said of themselves, said to them: "my colour is green", "your colour is green"."""
    for first, second in _TURNED:
        content = re.sub(first, second, content, flags=re.IGNORECASE)
    return content


def told(found: Sequence[Found], now: float) -> str:
    """The answer, if one of them is one; else what comes near, as no more than that."""
    sure = [one for one in found if one.sure]
    # A summary tells again what a memory says.
    sure = [one for one in sure if one.memory.type != "conversation"] or sure
    if not found:
        return UNKNOWN
    if not sure:
        return (
            f"I don't know that for sure. This may have to do with it: {_sentence(_one(found[0], now), capital=False)}"
        )
    return " ".join(_sentence(_one(one, now)) for one in sure[:MOST])


def profile(name: str, known: Mapping[str, Any], latest: Sequence[str]) -> str:
    """What is known about somebody, in some sentences."""
    parts = [f"You are {name}." if name else "I don't know your name yet."]
    parts += [_sentence(aspect(key, value)) for key, value in list(known.items())[:8]]
    more = [content for content in latest if not any(_in(value, content) for value in (name, *known.values()))]
    parts += [_sentence(turned(content)) for content in more[:MOST]]
    if len(parts) == 1 and not name:
        return "I don't know anything about you yet. Tell me something, and I'll remember it."
    return " ".join(parts)


def aspect(key: str, value: Any) -> str:
    """One thing about somebody, said to them."""
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


def _one(found: Found, now: float) -> str:
    memory = found.memory
    if memory.type == "conversation":
        return f"{_when(memory.told_at, now)} {_summed_up(memory.content)}"
    if memory.type == "event":
        return f"{_when(memory.created_at, now)} you told me: {turned(memory.content)}"
    return turned(memory.content)


def _summed_up(content: str) -> str:
    """A summary, said to who took part; one that is not by rules is said as it is."""
    parts = dict(_PARTS.findall(content))
    if not parts:
        return f"we talked: {content}"
    told = [
        f"you told me: {turned(parts['Told'])}" if "Told" in parts else "",
        f"you asked: {parts['Asked']}" if "Asked" in parts else "",
        f"I did this: {parts['Done']}" if "Done" in parts else "",
    ]
    first, *rest = [part for part in told if part]
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


def _sentence(text: str, *, capital: bool = True) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:] if capital else text
    return text if text[-1:] in ".!?" else f"{text}."


def _in(value: Any, content: str) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(one and str(one).casefold() in content.casefold() for one in values)
