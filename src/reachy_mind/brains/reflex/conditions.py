"""Requests with a condition on what came before: "how much is forty minus two? nod if it is even, else shake".

The first part is done, then the condition is decided on its words and outcomes. Standing rules ("whenever I clap") are
not meant here: those become tools. A condition must speak of what came before ("it", "there", "you find it").
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from datetime import date

from reachy_mind.brains.brain import ToolCall
from reachy_mind.brains.reflex import arithmetic
from reachy_mind.brains.reflex.plan import Condition, Plan, Step, Talk
from reachy_mind.brains.reflex.tokens import Spoken

Understand = Callable[[str], Plan]

_ELSE = (
    r"(?:,|;|\.)?\s*(?:or |and )?"
    r"(?:\belse\b|\botherwise\b|\bif not\b|\bsinon\b|\bsi no\b|\bsonst\b|\bandernfalls\b)\s*,?\s*"
)
_IF = r"(?:\bif\b|\bin case\b|\bsi\b|\bs'|\bwenn\b|\bfalls\b)"
_ABOUT_BEFORE = (
    r"(?:it|it's|that|there|they|the (?:answer|result|sum|number)|so|you (?:can|do|don't|did|find|found|see|saw|spot"
    r"|recogni[sz]e)|he|she|somebody|someone|nobody|anybody|anyone|yes|no|c'est|il|elle|le r[eé]sultat|tu|es|el"
    r" resultado|hay|lo|la|das|du|jemand|niemand|ja|nein)"
)
_AFTER = re.compile(
    rf"^(?P<first>.+?)(?:[?.!;,]|\band\b|\bthen\b|\bet\b|\by\b|\bund\b)[\s,]*(?:and |then |et |y |und )*{_IF}\s*"
    rf"(?P<condition>{_ABOUT_BEFORE}\b[^,;?!]*?)(?:,|:|\bthen\b|\balors\b|\bentonces\b|\bdann\b)\s*(?P<then>.+)$",
    re.IGNORECASE,
)
"""X, and if it is so, then Y."""
_BEFORE = re.compile(
    rf"^(?P<first>.+?)(?:[?.!;]|,|\band\b|\bthen\b|\bet\b|\by\b|\bund\b)\s*(?P<then>[^,;?.!]+?)\s*,?\s*{_IF}\s*"
    rf"(?P<condition>{_ABOUT_BEFORE}\b[^;?!]*)$",
    re.IGNORECASE,
)
"""X, and Y if it is so."""
_TELL = re.compile(r"^(?:tell|say|let me know|dis|dime|sag)\b.*\b(?:if|whether|si|ob)\b", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_NOT = re.compile(
    r"\b(?:not|isn't|no|nothing|nobody|none|can't|cannot|couldn't|don't|pas|aucun|rien|nadie|nicht|niemand|kein\w*)\b"
)
_PARITY = {
    True: re.compile(r"\b(?:even|paire?|par|gerade)\b"),
    False: re.compile(r"\b(?:odd|impaire?|impar|ungerade)\b"),
}
_COMPARED: tuple[tuple[re.Pattern[str], Callable[[float, float], bool]], ...] = (
    (
        re.compile(
            r"\b(?:more|greater|bigger|higher|larger|above|over|plus (?:grand|de)|m[aá]s|mayor|gr[oö](?:ss|ß)er|[uü]ber"
            r"|mehr)\b"
        ),
        operator.gt,
    ),
    (
        re.compile(r"\b(?:less|smaller|lower|fewer|below|under|moins|plus petit|menos|menor|kleiner|unter|weniger)\b"),
        operator.lt,
    ),
    (re.compile(r"\b(?:exactly|equal|equals|is|est|es|ist)\b"), operator.eq),
)
_PRESENT = re.compile(
    r"\b(?:there|find|found|see|saw|seen|spot|spotted|here|exists?|anybody|anyone|somebody|someone|visible|l[àa]"
    r"|trouves?"
    r"|vois|ah[ií]|hay|encuentras|ves|da|findest|siehst|jemand|niemand|nobody)\b"
)
_LOOKING = frozenset(("look_at_object", "detect_objects", "detect_faces", "analyze_scene", "look_at_sound"))


def conditional(text: str, understand: Understand) -> Plan | None:
    """The plan of a request with a condition on its first part; None for any other request."""
    match = _split(text)
    if match is None:
        return None
    first_text, condition, then_text, else_text = match
    first = understand(first_text)
    then = understand(then_text).parts
    otherwise = understand(else_text).parts if else_text else ()
    if not first.parts or not any(isinstance(part, Step | Talk) for part in (*then, *otherwise)):
        return None
    return Plan((*first.parts, Condition(condition, _test(condition), then, otherwise)), first.language)


_STATED = (
    re.compile(
        rf"^{_IF}\s*(?P<condition>[^,;?!]+?)(?:,|\bthen\b|\balors\b|\bentonces\b"
        rf"|\bdann\b)\s*(?P<then>.+)$",
        re.IGNORECASE,
    ),
    re.compile(rf"^(?P<then>[^,;?!]+?)\s*,?\s+{_IF}\s+(?P<condition>[^;?!]+)$", re.IGNORECASE),
)
_DAYS = (
    r"mon(?:day|tag)|lundi|lunes", r"tuesday|dienstag|mardi|martes", r"wednesday|mittwoch|mercredi|mi[eé]rcoles",
    r"thursday|donnerstag|jeudi|jueves", r"friday|freitag|vendredi|viernes", r"saturday|samstag|samedi|s[aá]bado",
    r"sunday|sonntag|dimanche|domingo",
)  # fmt: skip
_TODAY = re.compile(r"\b(?:today|it is|it's|aujourd'hui|c'est|hoy|es|heute)\b")


def stated(text: str, today: date, understand: Understand) -> Plan | None:
    """The plan of a request with a condition that its own words decide: "nod if 15 is odd"; None for any other."""
    main, *rest = re.split(_ELSE, text.strip(" .!"), maxsplit=1, flags=re.IGNORECASE)
    for pattern in _STATED:
        found = pattern.match(main.strip(" .!,"))
        holds = _decided(found["condition"], today) if found is not None else None
        if found is None or holds is None:
            continue
        wanted = found["then"] if holds else rest[0] if rest else ""
        made = understand(wanted or found["then"])
        if not any(isinstance(part, Step | Talk) for part in made.parts):
            return None
        return made if wanted else Plan((Talk("@no", text, "not_so"),), made.language)
    return None


def _decided(condition: str, today: date) -> bool | None:
    """Whether a condition on numbers or on the day holds; None when its words don't tell."""
    words = Spoken.of(condition.casefold().replace("\u2019", "'")).text
    negated = bool(_NOT.search(words))
    if equal := re.match(
        r"^(?P<sum>.+?) (?:is|equals|makes|est|font|es|son"
        r"|ist) (?:not )?(?P<value>-?\d+(?:[.,]\d+)?)$",
        words,
    ):
        result = arithmetic.answer(equal["sum"], "en")
        if _NUMBER.fullmatch(result):
            return (float(result.replace(",", ".")) == float(equal["value"].replace(",", "."))) != negated
    numbers = [float(each.replace(",", ".")) for each in _NUMBER.findall(words)]
    if _TODAY.search(words):
        named = next((at for at, day in enumerate(_DAYS) if re.search(rf"\b(?:{day})\b", words)), None)
        return (today.weekday() == named) != negated if named is not None else None
    if len(numbers) == 1 and re.match(r"-?\d", words.strip()):
        parity = next((even for even, pattern in _PARITY.items() if pattern.search(words)), None)
        return ((numbers[0] % 2 == 0) == parity) != negated if parity is not None else None
    if len(numbers) == 2 and re.match(r"-?\d", words.strip()):
        compare = next((compare for pattern, compare in _COMPARED if pattern.search(words)), None)
        return compare(*numbers) != negated if compare is not None else None
    return None


def _split(text: str) -> tuple[str, str, str, str] | None:
    """The first part, the condition, what to do when it holds, and what to do otherwise."""
    main, *rest = re.split(_ELSE, text.strip(), maxsplit=1, flags=re.IGNORECASE)
    other = rest[0].strip(" .!?") if rest else ""
    for pattern in (_AFTER, _BEFORE):
        if found := pattern.match(main.strip(" .!")):
            then = found["then"].strip()
            if _TELL.match(f"{then} if"):
                break
            return found["first"].strip(), found["condition"].strip(" .!?,"), then, other
    if other and (found := re.match(r"^(?P<first>.+?)(?:,|\band\b|\bet\b|\by\b|\bund\b)\s*(?P<tell>[^,]+)$", main)):
        tell = found["tell"].strip()
        if _TELL.match(tell):  # "look for a cup and tell me if it is there, else look sad"
            condition = re.split(r"\b(?:if|whether|si|ob)\b", tell, maxsplit=1, flags=re.IGNORECASE)[1].strip(" .!?")
            return found["first"].strip(), condition, "", other
    return None


def _test(condition: str) -> Callable[[str, Sequence[ToolCall]], bool | None]:
    """How to decide a condition by rules."""
    words = condition.casefold().replace("\u2019", "'")
    negated = bool(_NOT.search(words))

    def test(said: str, calls: Sequence[ToolCall]) -> bool | None:
        looked = [call for call in calls if call.name in _LOOKING]
        if looked and _PRESENT.search(words):
            return saw(looked[-1]) != negated
        numbers = _NUMBER.findall(said)
        value = float(numbers[-1].replace(",", ".")) if numbers else None
        for even, pattern in _PARITY.items():
            if pattern.search(words) and value is not None:
                return ((value % 2 == 0) == even) != negated
        limits = _NUMBER.findall(words)
        if value is not None and limits:
            for pattern, compare in _COMPARED:
                if pattern.search(words):
                    return compare(value, float(limits[-1].replace(",", "."))) != negated
        return None

    return test


def saw(call: ToolCall) -> bool:
    """Whether a tool that looks found something."""
    if call.outcome.status != "ok":
        return False
    data = call.outcome.data if isinstance(call.outcome.data, dict) else {}
    if "found" in data:
        return bool(data["found"])
    for key in ("objects", "faces", "detections"):
        if key in data:
            return bool(data[key])
    return True
