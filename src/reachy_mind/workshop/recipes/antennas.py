"""Recipes `morse` and `rhythm`: signals and beats with the antennas."""

from __future__ import annotations

import re
import unicodedata

from reachy_mind.brains.reflex import quantities
from reachy_mind.workshop.draft import Case
from reachy_mind.workshop.recipes.recipe import (
    DAY_S,
    ERROR,
    SUCCESS,
    Parameters,
    ToolRecipe,
    case,
    filled,
    tool_name,
)
from reachy_mind.workshop.recipes.request import ToolRequest

UNIT_S = 0.4
LONGEST_MESSAGE = 60
BPM, BEATS_S = 100.0, 20.0
MOST_BEATS = 12
SLOWEST_BPM, FASTEST_BPM = 20.0, 150.0

MORSE = '''\
"""$summary"""

import asyncio
import time

from reachy_mind import tools

CODE = {
    "A": ".-", "B": "-...", "C": "-.-.", "D": "-..", "E": ".", "F": "..-.", "G": "--.", "H": "....",
    "I": "..", "J": ".---", "K": "-.-", "L": ".-..", "M": "--", "N": "-.", "O": "---", "P": ".--.",
    "Q": "--.-", "R": ".-.", "S": "...", "T": "-", "U": "..-", "V": "...-", "W": ".--", "X": "-..-",
    "Y": "-.--", "Z": "--..", "0": "-----", "1": ".----", "2": "..---", "3": "...--", "4": "....-",
    "5": ".....", "6": "-....", "7": "--...", "8": "---..", "9": "----.",
}


async def $tool(message: str = $message, unit_s: float = $unit_s) -> dict:
    """$summary

    Args:
        message: Letters and digits, at most 60.
        unit_s: Seconds of a short signal, 0.3 to 2; a long one is three times as long.

    Returns:
        dict: status, message, morse (the dots and dashes) and seconds.
    """
    words = [[CODE[letter] for letter in word if letter in CODE] for word in message.upper().split()]
    words = [word for word in words if word]
    if not words or len(message) > 60 or not 0.3 <= unit_s <= 2:
        problem = "A message of at most 60 letters or digits and a unit of 0.3 to 2 s are needed."
        return {"status": "error", "message": problem}
    began = at = time.monotonic()
    try:
        for word in words:
            for letter in word:
                for sign in letter:
                    await tools.call("set_antennas", left=70, right=70, duration=0.15)
                    at += unit_s * (3 if sign == "-" else 1)
                    await asyncio.sleep(max(0.0, at - time.monotonic()))
                    await tools.call("set_antennas", left=0, right=0, duration=0.15)
                    at = max(at + unit_s, time.monotonic())
                    await asyncio.sleep(max(0.0, at - time.monotonic()))
                at += 2 * unit_s  # three units between letters
                await asyncio.sleep(max(0.0, at - time.monotonic()))
            at += 4 * unit_s  # seven units between words
            await asyncio.sleep(max(0.0, at - time.monotonic()))
    except tools.ToolError as error:
        return {"status": "error", "message": error.message}
    return {
        "status": "success",
        "message": $signalled,
        "morse": " / ".join(" ".join(word) for word in words),
        "seconds": round(time.monotonic() - began, 1),
    }
'''
RHYTHM = '''\
"""$summary"""

import asyncio
import time

from reachy_mind import tools


async def $tool(bpm: float = $bpm, duration_s: float = $duration_s, pattern: str = $pattern) -> dict:
    """$summary

    Args:
        bpm: Beats a minute, 20 to 150.
        duration_s: Seconds in all, at most a day.
        pattern: Beats that are repeated: s is short (one beat), l is long (two beats), a is one beat with a wide swing.

    Returns:
        dict: status, message and beats.
    """
    if not (20 <= bpm <= 150 and 0 < duration_s <= 86400) or not pattern or set(pattern) - set("sla"):
        problem = "Needed: 20 to 150 beats a minute, at most a day, and a pattern of s, l and a."
        return {"status": "error", "message": problem}
    beats = 0
    began = at = time.monotonic()
    try:
        while at - began < duration_s:
            sign = pattern[beats % len(pattern)]
            out = 90 if sign == "a" else 50 if beats % 2 == 0 else 0
            await tools.call("set_antennas", left=out, right=out, duration=0.15)
            at += 60 / bpm * (2 if sign == "l" else 1)
            beats += 1
            await asyncio.sleep(max(0.0, at - time.monotonic()))
        await tools.call("set_antennas", left=0, right=0, duration=0.3)
    except tools.ToolError as error:
        return {"status": "error", "message": error.message, "beats": beats}
    return {"status": "success", "message": $beaten, "beats": beats}
'''
_MORSE = re.compile(r"\bmors(?:e|en|ecode|ealphabet|er|ezeichen)?\b", re.IGNORECASE)
_QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab']\s*(?P<text>[^\"\u201c\u201d\u00ab\u00bb']{1,60}?)\s*[\"\u201d\u201c\u00bb']"
)
_AFTER_COLON = re.compile(r":\s*(?P<text>[^:]{1,60})$")
_MESSAGE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"\b(?:say|spell|send|signal|blink|flash|transmit|tap out|tap|write|translate|encode|convert|show|beep"
            r"|wiggle|wave|express|communicate|give|do|make|type|tell)(?: out| me| us)?"
            r"(?: (?:the )?(?:words?|message|phrase|text|letters|signal))?\s+(?:an? )?"
            r"(?P<text>(?!in\b|with\b|your\b|an?\b|the\b|some\b|messages?\b|me\b|antenn)[^,:]{1,60}?)"
            r"\s+(?:in|into|as|to|using|via|by|with)\b"
        ),
        (
            r"\b(?:fais|dis|[eé]cris|[eé]pelle|envoie|transmets|clignote|signale|traduis|montre)(?: le mot"
            r"| le message)?\s+(?P<text>(?!en\b|des?\b|avec\b|tes\b)[^,:]{1,60}?)\s+(?:en|avec)\b"
        ),
        (
            r"\b(?:di|escribe|deletrea|env[ií]a|transmite|parpadea|traduce|muestra|haz|marca)(?: la palabra"
            r"| el mensaje)?\s+(?P<text>(?!en\b|con\b|las?\b)[^,:]{1,60}?)\s+(?:en|con)\b"
        ),
        (
            r"\b(?:sag|sage|schreibe?|buchstabiere|sende?|blinke?|zeige?|[uü]bersetze|gib)(?: das wort"
            r"| die nachricht)?(?: mit (?:den|deinen) antennen)?\s+(?P<text>(?!im\b|in\b|mit\b|per\b"
            r"|deine\b)[^,:]{1,60}?)\s+(?:im|in|mit|per|als|auf)\b"
        ),
        (
            r"\bmorse(?: code)?(?: for| the word| the message| of| the| das wort| le mot"
            r"| la palabra)?\s+(?P<text>(?!code\b|with\b|using\b"
            r"|alphabet\b"
            r"|signal|messages?\b|it\b)[^,:]{1,60}?)(?:\s+(?:with|using|on|mit|avec|con)\b.*)?$"
        ),
        r"\bmorsecode\s+(?P<text>(?!mit\b)[^,:]{1,60})$",
    )
)
_MY_NAME = re.compile(
    r"\b(?:my name|mon (?:pr[eé])?nom|mi nombre|(?:meinen?|den) namen)\b(?: is| est| es| ist)?"
    r"(?=,? (?!in\b|en\b|im\b|mit\b|with\b|avec\b|con\b|by\b|using\b|as\b|to\b)\w)",
    re.IGNORECASE,
)
"""Ahead of the name itself: "my name, Anna"."""
_NAME_IN_COMMAS = re.compile(r"\s*,\s*(?P<name>\w+)\s*,?\s*(?=(?:in|en|im|with|avec|con|mit)\b)", re.IGNORECASE)
_WITH_ANTENNAS = re.compile(
    r"\b(?:with|using|by (?:moving|wiggling)|on|mit|avec|en bougeant|con|moviendo) (?:your |the |deinen |den "
    r"|tes |les |tus |las "
    r"|both )*(?:antenn\w*|antenas?|f[uü]hlern?)",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"\b(?P<text>[A-Z\u00c0-\u00dc]{2,}(?: [A-Z\u00c0-\u00dc]{2,})*)\b")
_UNSAID = re.compile(
    (
        r"^(?:a |any |some |the |un |une |una |ein(?:e[n]?)? )?(?:messages?|texts?|words?|something|anything"
        r"|mensajes?"
        r"|mots?|nachrichten?|w[oö]rter|my (?:name|message)|phrases?|signals?)$"
    ),
    re.IGNORECASE,
)
_QUESTION = re.compile(
    (
        r"^(?:what|who|why|when|where|how|is|are|do you|do we|does|did|qu'|que|qui|quoi|pourquoi|comment|was|wer"
        r"|warum"
        r"|wie|qu[eé]"
        r"|qui[eé]n)\b"
    ),
    re.IGNORECASE,
)


def _match_morse(request: ToolRequest) -> Parameters | None:
    when = request.timing
    if not _MORSE.search(request.text) or _QUESTION.match(request.text) or when.interval_s or when.delay_s:
        return None
    message = _message(request.text)
    if message is None and request.wants_tool:
        message = "SOS"
    if message is None:
        return None
    args = {"message": message, "unit_s": UNIT_S}
    return Parameters(
        tool_name(request, "morse_with_antennas"),
        args,
        morse_seconds(message, UNIT_S),
        topic=message,
        language=request.language,
    )


def _message(text: str) -> str | None:
    """The words to be signalled; None when they are not said."""
    text = _NAME_IN_COMMAS.sub(r" \g<name> ", _MY_NAME.sub("", text))
    without_manner = " ".join(_WITH_ANTENNAS.sub(" ", text).split())
    for pattern, words_of in [
        (_AFTER_COLON, text),
        (_QUOTED, text),
        (_CAPITALS, text if re.search(r"[a-z]{3}", text) else ""),
        *((pattern, variant) for variant in (text, without_manner) for pattern in _MESSAGE),
    ]:
        for found in pattern.finditer(words_of):
            words = found["text"].strip(" .!?\"'")
            if _UNSAID.match(words) or _MORSE.search(words) or "antenn" in words.casefold():
                continue
            ascii_words = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
            if re.search(r"[A-Za-z0-9]", ascii_words):
                return ascii_words
    return None


def morse_seconds(message: str, unit_s: float) -> float:
    """About how long a message takes, with the time of the movements."""
    return 10.0 + 16 * unit_s * len(message)


_RHYTHM = re.compile(
    (
        r"\b(?:rhythm(?:s|ic|ically)?|beats?|bpm|metronome|tempo|drum(?:s|ming|roll)?|rythmes?|battements?"
        r"|m[eé]tronome"
        r"|cadence|ritmo|comp[aá]s|pulsaciones|metr[oó]nomo|rhythmus|takt|schl[aä]ge[n]?|metronom"
        r"|trommel\w*|waltz(?:es)?|valse|vals|walzer|march(?!ing to)|marche militaire|marsch)\b"
    ),
    re.IGNORECASE,
)
_BPM = re.compile(
    (
        r"(?P<bpm>\d{1,3}(?:[.,]\d)?)\s*(?:bpm|beats?(?: (?:per|a) minute)?|battements?(?: par minute)?"
        r"|pulsaciones(?: por minuto)?|pulsos(?: por minuto)?|schl[aä]ge[n]?(?: (?:pro|in der|die) minute)?)"
    ),
    re.IGNORECASE,
)
_ANTENNAS = re.compile(r"\b(?:antenn\w*|antenas?|f[uü]hler)\b|\bmetron", re.IGNORECASE)
_LONG = r"long|slow|lang(?:sam)?|lent|larg[oa]"
_SHORT = r"short|fast|quick|kurz|schnell|court|rapide|bref|br[eè]ve|cort[oa]|r[aá]pid[oa]"
_ENDING = r"(?:s|es|e|en|er|ly|mente|a|o|as|os)?"
_AND_THEN = r"(?:[\s,-]+(?:(?:and|then|et|puis|y|luego|und|dann) )*)"
_LONG_SHORT = re.compile(
    rf"\b(?:{_LONG}|{_SHORT}){_ENDING}\b(?:{_AND_THEN}(?:{_LONG}|{_SHORT}){_ENDING}\b)+", re.IGNORECASE
)
_COUNTED_BEATS = re.compile(rf"\b(?P<count>\d+|\w+)\s+(?P<kind>{_LONG}|{_SHORT}){_ENDING}\b", re.IGNORECASE)
"""Two slow and three fast."""
_METRES = (
    (re.compile(r"\b(?:waltz\w*|valse|vals|walzer|3/4|three[- ]four)\b", re.IGNORECASE), "ass"),
    (re.compile(r"\b(?:march|marche|marcha|marsch|2/4)\b", re.IGNORECASE), "as"),
)
"""Rhythms with a name: the first beat is the strong one."""


def _pattern(text: str, language: str) -> str:
    """The beats that a text describes; empty when it describes none."""
    counted = [
        (round(count), found["kind"])
        for found in _COUNTED_BEATS.finditer(text)
        if (count := quantities.number(found["count"], language)) and count <= MOST_BEATS
    ]
    if counted and sum(count for count, _ in counted) > 1:
        return "".join(_sign(kind) * count for count, kind in counted)
    if listed := _LONG_SHORT.search(text):
        return "".join(_sign(word) for word in re.findall(rf"{_LONG}|{_SHORT}", listed[0], re.IGNORECASE))
    return next((beats for name, beats in _METRES if name.search(text)), "")


def _sign(kind: str) -> str:
    return "l" if re.match(_LONG, kind, re.IGNORECASE) else "s"


def _match_rhythm(request: ToolRequest) -> Parameters | None:
    text = request.text
    when = request.timing
    pattern = _pattern(text, request.language)
    if not _ANTENNAS.search(text) or _QUESTION.match(text) or not (_RHYTHM.search(text) or pattern):
        return None
    if when.delay_s is not None or request.is_statement:
        return None
    found = _BPM.search(text)
    bpm = float(found["bpm"].replace(",", ".")) if found else BPM
    once = sum(2 if sign == "l" else 1 for sign in pattern) * 60 / bpm
    duration = when.duration_s or (BEATS_S if _RHYTHM.search(text) or not pattern else round(once - 0.1, 1))
    if not SLOWEST_BPM <= bpm <= FASTEST_BPM or duration > DAY_S:
        return None
    beats = pattern or "s"
    args = {"bpm": bpm, "duration_s": duration, "pattern": beats}
    return Parameters(
        tool_name(request, "antenna_rhythm"), args, duration + 5.0, topic=f"{bpm:g} bpm", language=request.language
    )


def _morse_code(parameters: Parameters) -> str:
    return filled(MORSE, parameters, _morse_summary(parameters), "signalled")


def _morse_summary(parameters: Parameters) -> str:  # noqa: ARG001 -- one sentence for all
    return "Signal a message in Morse code with the antennas."


def _morse_cases(parameters: Parameters) -> tuple[Case, ...]:
    return (
        case({"message": parameters.args["message"]}, SUCCESS),
        case({"message": "SOS"}, {**SUCCESS, "morse": "... --- ..."}),
        case({"message": ""}, ERROR),
    )


def _rhythm_code(parameters: Parameters) -> str:
    return filled(RHYTHM, parameters, _rhythm_summary(parameters), "beaten")


def _rhythm_summary(parameters: Parameters) -> str:  # noqa: ARG001 -- one sentence for all
    return "Beat a rhythm with the antennas."


def _rhythm_cases(parameters: Parameters) -> tuple[Case, ...]:
    return (
        case({"bpm": 60.0, "duration_s": 4.0}, {**SUCCESS, "beats": 4})
        if parameters.args["pattern"] == "s"
        else case({"bpm": 60.0, "duration_s": 4.0}, SUCCESS),
        case({"bpm": 0.0}, ERROR),
        case({"pattern": "x"}, ERROR),
    )


MORSE_RECIPE = ToolRecipe("morse", _match_morse, _morse_code, _morse_cases, _morse_summary, lambda _: {"motion"})
RHYTHM_RECIPE = ToolRecipe("rhythm", _match_rhythm, _rhythm_code, _rhythm_cases, _rhythm_summary, lambda _: {"motion"})
