"""Splits a request with a condition: what must be so, what to do then, and what to do otherwise.

whenever you see a cup, nod        a standing rule, for a program
if you see a cup, nod, else shake your head        decided once, now
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reachy_mind.brains.reflex import perceived
from reachy_mind.brains.reflex.perceived import Perceived

STANDING = {
    "en": (
        r"whenever|every ?time(?: that)?|each time(?: that)?|any ?time(?: that)?|all the times|as soon as"
        r"|the (?:moment|second|minute|instant)(?: that)?"
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
ELSE = re.compile(
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
_THEN = re.compile(
    r"^[\s,;:]*(?:please |then |alors |puis |entonces |luego |dann |bitte |and |just |you (?:should |must )?)*",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"[\s,]+(?:from now on|always|please|d[eé]sormais|[aà] partir de maintenant|toujours|siempre|a partir de ahora"
    r"|de ahora en adelante|ab jetzt|von nun an|bitte|por favor|s'il te pla[iî]t)$",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"(?:nod|shake|wave|danc|look|turn|say|tell|take|show|play|wiggle|move|mov|raise|lower|rotate|spin|tilt|bow"
    r"|greet|smile"
    r"|laugh|shout|yell|announce|call|reply|answer|respond|do|make|give|act|be|go|get|snap|photograph|describe"
    r"|start|stop|wake"
    r"|sleep|rest|cheer|blink|flash|whisper|pretend|follow|watch|remind|warn|alert|let|sing|count|react|try"
    r"|hoche|secoue|fais|danse|regarde|tourne|dis|prends|montre|joue|remue|bouge|l[eè]ve|baisse|salue|souris|ris"
    r"|crie|r[eé]ponds"
    r"|annonce|d[eé]cris|dors|r[eé]veille|agite|incline|mets|chante|pr[eé]viens|avertis"
    r"|asiente|sacude|niega|saluda|sal[uú]da|baila|mira|gira|di|dime|haz|toma|saca|muestra|mueve|levanta|baja"
    r"|sonr[ií]e|r[ií]e|grita"
    r"|responde|contesta|anuncia|describe|duerme|du[eé]rmete|despierta|pon|agita|inclina|avisa|av[ií]same|canta|ponte"
    r"|nicke?|sch[uü]tt[e]?le?|wink|winke|tanze?|schau|guck|dreh|sage?|mach|zeige?|spiele?|wackele?|wackle|beweg"
    r"|heb|senk|gr[uü][sß]+e?"
    r"|l[aä]chle|lach|ruf|antworte|beschreib|schlaf|wach|nimm|verbeug|freu|sing|tu|geh|warne?|melde?)\w{0,4}\b",
    re.IGNORECASE,
)
"""Verbs that a request for an action begins with, where no comma tells where the condition ends."""
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


WATCHING = re.compile(
    r"^(?:please |bitte )?(?:keep (?:an eye|watch|your eyes?)|watch|guard|monitor|observe|protect|look after"
    r"|look out|listen"
    r"|surveille|garde|guette|observe|[eé]coute|prot[eè]ge|vigila|cuida|observa|escucha|protege"
    r"|beobachte|[uü]berwache|bewache|pass(?:e)?\b.*\bauf|behalte|h[oö]re?\b)\b",
    re.IGNORECASE,
)
"""What takes time: a condition in such a request holds from now on."""


@dataclass(frozen=True)
class ConditionClause:
    """A condition on what is seen or heard, with what depends on it, in words."""

    what: Perceived
    action: str
    otherwise: str = ""
    standing: bool = False
    """Whether it holds from now on, not only now."""


Acts = Callable[[str], bool]
"""Whether words ask for something that can be done."""


def split(
    text: str, language: str = "en", *, standing: bool | None = None, acts: Acts | None = None
) -> ConditionClause | None:
    """The condition of a request and its actions; None when there is none that the robot can perceive.

    `standing`: asked for as a rule, whatever its first word. `acts`: tells where an action begins, if no comma does.
    """
    said = " ".join(text.replace("\u2019", "'").split()).strip(" .!?")
    lasting = bool(standing) or bool(_ALWAYS.search(said)) or bool(WATCHING.match(said))
    said = _TRAIL.sub("", said)
    said = _EVERYONE.sub("whenever a person", _LEAD.sub("", said))
    said = _ON_SEEING.sub(r"whenever you \g<verb>", re.sub(r",?\s*\balways$", "", said, flags=re.IGNORECASE))
    for markers, rule in ((STANDING, True), (ONCE, lasting)):
        marker = re.compile(rf"(?<!\w)(?:{markers.get(language, markers['en'])})(?=\W|\b|$)", re.IGNORECASE)
        for found in marker.finditer(said):
            before, after = said[: found.start()].strip(" ,;:"), said[found.end() :].strip()
            if clause := parts(before, after, language, acts):
                return ConditionClause(clause[0], clause[1], clause[2], standing=rule)
    return None


def parts(before: str, after: str, language: str, acts: Acts | None) -> tuple[Perceived, str, str] | None:
    """The condition, the action and what to do otherwise, of the words before and after "if"."""
    main, *rest = ELSE.split(after, maxsplit=1)
    otherwise = rest[0].strip(" ,.!?") if rest else ""
    leads = bool(before) and acts is not None and acts(before)
    for condition, action, certain in _cuts(main, None if leads else acts):
        what = perceived.read(condition, language, before)
        if what is None or (not certain and any(_ACTION.match(word) for word in what.phrase.split()[1:])):
            continue  # of "freeze stop moving and nod" nobody can tell where the words end
        if action and not _only_joins(action):
            # "watch the door and, when somebody comes in, wave": what stands before is done first.
            return what, action, otherwise
        if before:
            return what, before, otherwise
    return None


def _cuts(main: str, acts: Acts | None) -> Iterator[tuple[str, str, bool]]:
    """Where the condition may end: at a comma, at "then", where an action begins, else at any word, the last first.

    With whether a mark of its own stands there.
    """
    joint = re.compile(r"\s*(?:[,;:]|\bthen\b|\balors\b|\bentonces\b|\bdann\b)\s*", re.IGNORECASE)
    for found in joint.finditer(main):
        yield main[: found.start()], _THEN.sub("", main[found.start() :]), True
    words = main.split()
    for length in range(1, len(words)) if acts is not None else ():
        action = _THEN.sub("", " ".join(words[length:]))
        if _ACTION.match(action) and acts is not None and acts(action):
            yield " ".join(words[:length]), action, False
    for length in range(len(words), 0, -1):
        yield " ".join(words[:length]), _THEN.sub("", " ".join(words[length:])), length == len(words)


def _only_joins(action: str) -> bool:
    return not re.search(r"\w{2}", action)
