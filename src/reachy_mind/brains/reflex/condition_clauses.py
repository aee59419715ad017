"""Splits a request with a condition: what must be so, what to do then, and what to do otherwise.

whenever you see a cup, nod        a standing rule, for a program
if you see a cup, nod, else shake your head        decided once, now
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reachy_mind.brains.reflex import perceived
from reachy_mind.brains.reflex.perceived import Perceived

STANDING = {
    "en": (
        r"whenever|every ?time(?: that)?|each time(?: that)?|any ?time(?: that)?|all the times|as soon as"
        r"|the moment(?: that)?"
        r"|(?:from now on,? |always )(?:when|if)|if ever|every single time|at any time|once(?= (?:you|there|a "
        r"|an "
        r"|the |some))|when"
    ),
    "fr": (
        r"(?:a |à )?chaque fois qu(?:e |')|toutes les fois qu(?:e |')|d[eè]s qu(?:e |')|aussit[oô]t qu(?:e |')"
        r"|quand|lorsqu(?:e |')"
    ),
    "es": r"cada vez que|siempre que|todas las veces que|en cuanto|tan pronto como|apenas|cuando",
    "de": r"immer,? wenn|jedes ?mal,? wenn|jedes ?mal|wann immer|sobald",
}
ONCE = {
    "en": r"if|in case|provided(?: that)?",
    "fr": r"si |s'|au cas o[uù]",
    "es": r"si|en caso de que",
    "de": r"wenn|falls",
}
_ELSE = re.compile(
    (
        r"[,;.]?\s*\b(?:or |and )?(?:otherwise|or else|else|if not|if there is(?: no one| nobody|n't)|sinon"
        r"|autrement"
        r"|si no|de lo contrario|sonst"
        r"|ansonsten|andernfalls|wenn nicht)\b[\s,:]*"
    ),
    re.IGNORECASE,
)
_ALWAYS = re.compile(
    (
        r"\b(?:ever|from now on|always|for the next|over the next|d[eé]sormais|toujours"
        r"|[aà] partir de maintenant|siempre"
        r"|a partir de ahora"
        r"|de ahora en adelante|immer|ab jetzt|von nun an)\b"
    ),
    re.IGNORECASE,
)
_THEN = re.compile(r"^[\s,;:]*(?:please |then |alors |puis |entonces |luego |dann |bitte |and |just )*", re.IGNORECASE)
_EVERYONE = re.compile(
    (
        r"\b(?:(?:to|at|for) )?(?:everyone|everybody|anyone|anybody|whoever|each person|every person"
        r"|all people"
        r"|people)(?: who| that)"
        r"(?= (?:walks?|comes?|enters?|passe?s?|shows?|appears?|arrives?|looks?)\b)|\b(?:to|at"
        r"|for) whoever(?= \w)"
    ),
    re.IGNORECASE,
)
""" "wave to everyone who walks in" is "wave whenever a person walks in"."""
_ON_SEEING = re.compile(r"\b(?:on|upon|when|after) (?P<verb>see|hear|spot|detect)t?ing\b", re.IGNORECASE)
_LEAD = re.compile(
    (
        r"^(?:from now on|always|please|ok|okay|now|so|d[eé]sormais|[aà] partir de maintenant|toujours"
        r"|siempre(?! que)"
        r"|a partir de ahora|de ahora en"
        r" adelante|ab jetzt|von nun an|bitte)\b[\s,]*"
    ),
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ConditionClause:
    """A condition on what is seen or heard, with what depends on it, in words."""

    what: Perceived
    action: str
    otherwise: str = ""
    standing: bool = False
    """Whether it holds from now on, not only now."""


def split(text: str, language: str = "en", *, standing: bool | None = None) -> ConditionClause | None:
    """The condition of a request and its actions; None when there is none that the robot can perceive.

    `standing`: asked for as a rule, whatever its first word.
    """
    said = " ".join(text.replace("\u2019", "'").split()).strip(" .!?")
    lasting = bool(standing) or bool(_ALWAYS.search(said))
    said = _EVERYONE.sub("whenever a person", _LEAD.sub("", said))
    said = _ON_SEEING.sub(r"whenever you \g<verb>", re.sub(r",?\s*\balways$", "", said, flags=re.IGNORECASE))
    for markers, rule in ((STANDING, True), (ONCE, lasting)):
        marker = re.compile(rf"(?<!\w)(?:{markers.get(language, markers['en'])})(?=\W|\b|$)", re.IGNORECASE)
        for found in marker.finditer(said):
            before, after = said[: found.start()].strip(" ,;:"), said[found.end() :].strip()
            if clause := _parts(before, after, language):
                return ConditionClause(clause[0], clause[1], clause[2], standing=rule)
    return None


def _parts(before: str, after: str, language: str) -> tuple[Perceived, str, str] | None:
    """The condition stands before the action, or after it."""
    main, *rest = _ELSE.split(after, maxsplit=1)
    otherwise = rest[0].strip(" ,.!?") if rest else ""
    for condition, action in _cuts(main):
        what = perceived.read(condition, language, before)
        if what is None:
            continue
        if action and not _only_joins(action):
            # "watch the door and, when somebody comes in, wave": what stands before is done first.
            return what, action, otherwise
        if before:
            return what, before, otherwise
    return None


def _cuts(main: str) -> Iterator[tuple[str, str]]:
    """Where the condition may end: at a comma, at "then", else at any word, the longest condition first."""
    joint = re.compile(r"\s*(?:[,;:]|\bthen\b|\balors\b|\bentonces\b|\bdann\b)\s*", re.IGNORECASE)
    for found in joint.finditer(main):
        yield main[: found.start()], _THEN.sub("", main[found.start() :])
    words = main.split()
    for length in range(len(words), 0, -1):
        yield " ".join(words[:length]), _THEN.sub("", " ".join(words[length:]))


def _only_joins(action: str) -> bool:
    return not re.search(r"\w{2}", action)
