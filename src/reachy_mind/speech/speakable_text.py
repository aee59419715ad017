"""Text normalization for speech: no markup, code, emoji or addresses; units, times and signs become words.

The words for units are English; in other languages only what no voice can read is removed.
"""

from __future__ import annotations

import html
import re
import unicodedata

_UNITS = {
    "km/h": "kilometres per hour",
    "m/s": "metres per second",
    "mph": "miles per hour",
    "km": "kilometres",
    "cm": "centimetres",
    "mm": "millimetres",
    "kg": "kilograms",
    "ms": "milliseconds",
    "GB": "gigabytes",
    "MB": "megabytes",
    "kB": "kilobytes",
    "kWh": "kilowatt hours",
    "Hz": "hertz",
    "%": "percent",
    "°C": "degrees Celsius",
    "°F": "degrees Fahrenheit",
    "°": "degrees",
    "€": "euros",
    "£": "pounds",
    "$": "dollars",
}
_NUMBER = r"\d+(?:[.,]\d+)*"
_UNIT = re.compile(rf"({_NUMBER})\s?({'|'.join(re.escape(u) for u in sorted(_UNITS, key=len, reverse=True))})(?![\w/])")
_MONEY = re.compile(rf"([$€£])\s?({_NUMBER})")
_TIME = re.compile(r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])(\s?[ap]\.?m\b\.?)?", re.IGNORECASE)
_RANGE = re.compile(rf"({_NUMBER})\s?[\u2013\u2014]\s?({_NUMBER})")
_MINUS = re.compile(r"(?<![\w.])[-\u2212](?=\d)")

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\s[^()]*)?\)")
_ADDRESS = re.compile(r"(?:https?://|ftp://|www\.)([^\s/<>\"')\]]+)[^\s<>\"')\]]*", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
_TABLE_RULE = re.compile(r"^[ \t]*\|?[ \t:|-]*-{3,}[ \t:|-]*$", re.MULTILINE)
_HEADING = re.compile(r"^[ \t]*(?:#{1,6}|>+)[ \t]+", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*[-*+•‣▪][ \t]+(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
_NUMBERED = re.compile(r"^([ \t]*\d{1,3})[.)][ \t]+", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3}|~~)(?=\S)(.+?)(?<=\S)\1")
_LEFTOVER = re.compile(r"[*_~^|<>\\\[\]{}`#=]+")
_UNSPOKEN = {"So", "Cc", "Cf", "Cn", "Co", "Cs", "Sk", "Me"}


def spoken(text: str, language: str = "en") -> str:
    """The words to say; empty when there is nothing to say."""
    text = "".join(_kept(character) for character in html.unescape(_CODE.sub("\n", text)))
    text = _LINK.sub(r"\1", text)
    text = _ADDRESS.sub(_host, text)
    text = _TAG.sub(" ", text)
    text = _TABLE_RULE.sub("", text)
    text = _HEADING.sub("", text)
    text = _BULLET.sub("", text)
    text = _NUMBERED.sub(r"\1, ", text)
    text = _EMPHASIS.sub(r"\2", text)
    text = text.replace("|", ", ")
    if language == "en":
        text = _english(text)
    text = _LEFTOVER.sub(" ", text)
    lines = (" ".join(line.split()).strip(" ,") for line in text.splitlines())
    return "\n".join(line for line in lines if line)


def _english(text: str) -> str:
    text = _TIME.sub(_clock, text)
    text = _RANGE.sub(r"\1 to \2", text)
    text = _MINUS.sub("minus ", text)
    text = _MONEY.sub(lambda found: _counted(found[2], found[1]), text)
    text = _UNIT.sub(lambda found: _counted(found[1], found[2]), text)
    return re.sub(r"(?<=\d)\s*=\s*(?=\w)", " equals ", re.sub(r"\s&\s", " and ", text))


def _counted(number: str, unit: str) -> str:
    words = _UNITS[unit]
    if number == "1":
        head, _, tail = words.partition(" ")
        words = f"{head.removesuffix('s') if head not in ('hertz',) else head} {tail}".strip()
    return f"{number} {words}"


def _clock(found: re.Match[str]) -> str:
    hour, minute, half = int(found[1]), int(found[2]), (found[3] or "").strip()
    rest = "" if minute == 0 else f" oh {minute}" if minute < 10 else f" {minute}"
    if half:
        return f"{hour}{rest} {half}"
    return f"{hour}{rest}" if rest else f"{hour} o'clock"


def _host(found: re.Match[str]) -> str:
    host, end = found[1].removeprefix("www."), ""
    while host and host[-1] in ".,;:!?":
        host, end = host[:-1], host[-1] + end
    if found[0][-1] in ".,;:!?" and not end:
        end = found[0][-1]
    return host.partition(":")[0].replace(".", " dot ") + end


def _kept(character: str) -> str:
    if character in "\n°":
        return character
    if character in "\t\r\v\f\u2028\u2029" or unicodedata.category(character) in _UNSPOKEN:
        return " "
    return "" if "\ufe00" <= character <= "\ufe0f" else character
