"""Numbers as people say them: "twenty five", "a hundred and eighty", "two and a half", "a couple of"."""

from __future__ import annotations

from collections.abc import Sequence

from reachy_mind.brains.word_lists import spaced

Read = tuple[str, int, int]
"""A word, and the first and the last of the words it was made from."""

ONES = {
    word: value
    for value, word in enumerate(
        spaced(
            """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen
        """
        )
    )
}
TENS = {
    word: 10 * value
    for value, word in enumerate(spaced("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
} | {"fourty": 40}
LARGE = {"hundred": 100, "thousand": 1000}
SEVERAL = {"couple": 2, "few": 3, "dozen": 12, "several": 3}

UNITS = {
    unit: name
    for name, units in {
        "degrees": "degree degrees deg degs \u00b0",
        "seconds": "second seconds sec secs s",
        "minutes": "minute minutes min mins",
        "hours": "hour hours hr hrs h",
        "times": "time times x",
        "percent": "percent %",
        "days": "day days",
    }.items()
    for unit in units.split()
}


_CLAUSE_AFTER_ONCE = [[word] for word in spaced("you that i he she we they it the more upon this your my")]
""""once" is a number of times, except where it is a time."""


def number(word: str) -> float | None:
    """The value of a word of digits."""
    try:
        return float(word) if word[:1].isdigit() or word[:1] == "-" else None
    except ValueError:
        return None


def digits(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:g}"


def plain(value: float) -> int | float:
    """As a tool wants it: whole where it is whole."""
    return int(value) if value == int(value) else round(value, 3)


def read(words: Sequence[str]) -> list[Read]:
    """The words, with numbers and their units written one way."""
    out: list[Read] = []
    at = 0
    while at < len(words):
        value, after = _value(words, at)
        if words[at] == "once" and words[at + 1 : at + 2] not in _CLAUSE_AFTER_ONCE:
            out += [("1", at, at), ("times", at, at)]
            at += 1
            continue
        if value is None:
            out.append((words[at], at, at))
            at += 1
            continue
        after, value = _and_a_half(words, after, value)
        out.append((digits(value), at, after - 1))
        if after < len(words) and words[after] in UNITS and not _is_a_moment(words, at, after):
            out.append((UNITS[words[after]], after, after))
            after += 1
            if words[after : after + 3] == ["and", "a", "half"]:
                out[-2] = (digits(value + 0.5), out[-2][1], out[-2][2])
                out[-1] = (out[-1][0], out[-1][1], after + 2)
                after += 3
        at = after
    return out


def _is_a_moment(words: Sequence[str], at: int, unit: int) -> bool:
    """Letters alone are a unit after digits only: "5 s", not "a s"."""
    return len(words[unit]) == 1 and words[unit].isalpha() and not words[at][:1].isdigit()


def _value(words: Sequence[str], at: int) -> tuple[float | None, int]:  # noqa: PLR0911 -- a way each to say it
    word = words[at]
    if word in ("minus", "negative") and at + 1 < len(words):
        below, after = _value(words, at + 1)
        return (-below, after) if below is not None else (None, at)
    if word == "-" and at + 1 < len(words) and (value := number(words[at + 1])) is not None:
        return -value, at + 2
    if (value := number(word)) is not None and ":" not in word:
        return value, at + 1
    if list(words[at : at + 2]) != ["three", "quarters"] and (word in ONES or word in TENS or word in LARGE):
        return _spelled(words, at)
    if word in ("a", "an", "the", "half", "quarter", "three"):
        return _share(words, at)
    if word in SEVERAL and words[at + 1 : at + 2] and words[at + 1] in UNITS:
        return float(SEVERAL[word]), at + 1
    return None, at


def _share(words: Sequence[str], at: int) -> tuple[float | None, int]:
    """ "half an hour", "a quarter of an hour", "a couple of", "a hundred", "an hour"."""
    rest = list(words[at : at + 6])
    for start, value in (
        (["half", "a", "dozen"], 6.0),
        (["a", "couple", "of"], 2.0),
        (["a", "couple", "more"], 2.0),
        (["a", "few", "more"], 3.0),
        (["a", "dozen"], 12.0),
        (["a", "couple"], 2.0),
        (["a", "few"], 3.0),
    ):
        if rest[: len(start)] == start:
            return value, at + len(start)
    for start, value in (
        (["three", "quarters", "of", "an"], 0.75),
        (["half", "an"], 0.5),
        (["half", "a"], 0.5),
        (["a", "half"], 0.5),
        (["a", "quarter", "of", "an"], 0.25),
        (["a", "quarter", "of", "a"], 0.25),
        (["quarter", "of", "an"], 0.25),
        (["a", "quarter"], 0.25),
        (["an"], 1.0),
        (["a"], 1.0),
    ):
        after = at + len(start)
        unit = words[after] if after < len(words) else ""
        if rest[: len(start)] == start and len(unit) > 1 and unit in UNITS and (value != 1.0 or unit not in _LOOSE):
            return value, after
    if rest[:1] == ["a"] and len(rest) > 1 and rest[1] in LARGE:
        return _spelled(words, at + 1)
    return None, at


_LOOSE = frozenset(("time", "day", "x", "s", "h"))
""""a time" and "a day" are no amounts."""


def _spelled(words: Sequence[str], at: int) -> tuple[float, int]:
    total, part, start, small = 0.0, 0.0, at, True
    while at < len(words):
        word = words[at]
        if word in TENS and small and part % 100 == 0:
            part += TENS[word]
            at += 1
            if at < len(words) and 0 < ONES.get(words[at], 0) < 10:
                part += ONES[words[at]]
                at += 1
            small = False
        elif word in ONES and small and part % 100 == 0 and (at == start or part or total):
            part += ONES[word]
            at += 1
            small = False
        elif word == "hundred" and part < 10:
            part = max(part, 1) * 100
            at, small = at + 1, True
        elif word == "thousand" and total == 0:
            total, part = max(part, 1) * 1000, 0
            at, small = at + 1, True
        elif word == "and" and part >= 100 and small and at + 1 < len(words) and words[at + 1] in (ONES | TENS):
            at += 1
        elif word == "point" and at + 1 < len(words) and words[at + 1] in ONES:
            return total + part + ONES[words[at + 1]] / 10, at + 2
        else:
            break
    return total + part, at


def _and_a_half(words: Sequence[str], after: int, value: float) -> tuple[int, float]:
    if list(words[after : after + 3]) == ["and", "a", "half"]:
        return after + 3, value + 0.5
    return after, value
