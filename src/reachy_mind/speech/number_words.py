"""Numbers as English words, for voices that read words only: `in_words("In 1999, 3.5% of 1,200 were 2nd.")`."""

from __future__ import annotations

import re

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
MOST_DIGITS = 15
"""A longer number is read digit by digit, as telephone numbers are."""
_NUMBER = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(st|nd|rd|th|s)?(?![a-zA-Z])|\d+")


def in_words(text: str) -> str:
    """The text with its numbers as words; a number of four digits from 1100 to 2099 is read as a year."""
    return _NUMBER.sub(lambda found: f" {_read(found)} ", text)


def cardinal(number: int) -> str:
    if number < len(_SMALL):
        return _SMALL[number]
    if number < 100:
        rest = number % 10
        return _TENS[number // 10] + (f"-{_SMALL[rest]}" if rest else "")
    size, name = next(each for each in _SCALES if number >= each[0])
    rest = number % size
    joint = " and " if size == 100 else " "
    return f"{cardinal(number // size)} {name}" + (f"{joint}{cardinal(rest)}" if rest else "")


def ordinal(number: int) -> str:
    head, joint, last = re.match(r"(.*?)(\s|-|)([a-z]+)\Z", cardinal(number)).groups()  # type: ignore[union-attr]
    if last in _ORDINALS:
        last = _ORDINALS[last]
    else:
        last = f"{last.removesuffix('y')}ieth" if last.endswith("y") else f"{last.removesuffix('t')}th"
    return f"{head}{joint}{last}"


def digits(number: str) -> str:
    return " ".join(_SMALL[int(digit)] for digit in number)


def _read(found: re.Match[str]) -> str:
    if found[1] is None:  # digits before letters, as in "4x"
        return digits(found[0]) if len(found[0]) > MOST_DIGITS else cardinal(int(found[0]))
    whole, point, ending = found[1].replace(",", ""), found[2], found[3]
    if len(whole) > MOST_DIGITS or (len(whole) > 1 and whole[0] == "0"):
        words = digits(whole)
    elif ending in ("st", "nd", "rd", "th"):
        return ordinal(int(whole))
    elif point is None and "," not in found[1] and len(whole) == 4 and 1100 <= int(whole) < 2100:
        words = _year(int(whole))
    else:
        words = cardinal(int(whole))
    if ending == "s":
        words = f"{words.removesuffix('y')}ies" if words.endswith("y") else f"{words}s"
    return f"{words} point {digits(point[1:])}" if point else words


def _year(number: int) -> str:
    century, rest = divmod(number, 100)
    if 2000 <= number < 2010 or (rest == 0 and number % 1000 == 0):
        return cardinal(number)
    if rest == 0:
        return f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"
