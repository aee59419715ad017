"""Conditions on what the robot sees or hears: "you see a cup", "somebody comes in", "I say banana".

Read by patterns in four languages. A condition on anything else ("it rains", "I am sad") is not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from reachy_mind.brains.reflex import quantities, thing_names
from reachy_mind.brains.reflex.thing_names import NamedThing
from reachy_mind.brains.word_lists import spaced

LONGEST_PHRASE = 60


NOTHING = NamedThing("")


@dataclass(frozen=True)
class Perceived:
    """What is to be seen, to be gone, or to be heard. `phrase`: the words to be heard; empty for any speech."""

    kind: Literal["seen", "gone", "heard"]
    thing: NamedThing = NOTHING
    phrase: str = ""
    at_least: int = 1
    """How many of the thing there must be."""


_X = r"(?P<thing>[\w' -]+?)"
_WHERE = (
    r"(?: (?:in|into|on|onto|at|under|over|near|around|past|by|to|through|in front of|next to|close to"
    r"|towards?) (?:(?:the |your "
    r"|my )(?:living |dining )?\w+|you|me|us|it|view|sight|here)"
    r"| here| there| again| now| nearby| by| past)?"
)
_ANYONE = (
    r"(?:i|we|you hear (?:me|us|someone|somebody|anyone|people)|someone|somebody|anyone|anybody|a person"
    r"|people"
    r"|he|she|they)"
)
_PHRASE = (
    r"['\"\u201c\u201e\u00ab\u2018]?\s*(?P<phrase>[^'\"\u201c\u201d\u00ab\u00bb]+?)\s*['\"\u201d\u201c\u00bb\u2019]?"
)

_OU = r"(?: ici| la| (?:devant|sur|dans|a|pres de|sous|vers) (?:(?:la |le |les |l'|mon |ma |ton |ta )?\w+))?"
_DONDE = (
    r"(?: aqui| ahi| (?:delante de|en|sobre|por|a|al|cerca de|encima de|hacia) (?:(?:el |la |los |las |mi "
    r"|tu )?\w+))?"
)
_WO = r"(?: (?:auf|in|im|am|vor|an|unter|neben|ins|aufs|durch|zur|zum|uber)(?: \w+){1,2})?"
_NOT_SEEN = r"(?:do not|don't|no longer|can't|cannot|can no longer|can not|stop)"
_PATTERNS: dict[str, tuple[tuple[str, str], ...]] = {
    "en": (
        ("gone", rf"you {_NOT_SEEN} (?:see(?:ing)?|spot|find|detect) {_X}(?: any ?more| any longer)?{_WHERE}"),
        (
            "gone",
            (
                rf"{_X} (?:disappears?|vanish(?:es)?|(?:is|are|has|have) gone|goes away|leaves?|(?:is|are) (?:taken"
                rf"|removed|stolen)(?: away)?"
                rf"|(?:is|are) missing|walks? (?:away|out|off)|goes missing|(?:is|are)(?:n't| not"
                rf"| no longer) (?:there|here|visible|in view)"
                rf"(?: any ?more)?){_WHERE}"
            ),
        ),
        (
            "gone",
            (
                rf"(?:somebody|someone|anybody|anyone|they|he|she) (?:takes?|removes?|steals?|grabs?|picks? up"
                rf"|touches|moves?) {_X}(?: away)?"
            ),
        ),
        ("gone", rf"(?P<nobody>nobody|no one|no-one) (?:is|'s) (?:there|here|around|in view|in sight|left){_WHERE}"),
        (
            "gone",
            (
                rf"there (?:is|are|'s) (?:no|not any|nobody|no one)(?: (?P<thing>[\w -]+?))?(?: here| there"
                rf"| around)?{_WHERE}"
            ),
        ),
        (
            "heard",
            (
                rf"{_ANYONE} (?:say|says|shout|shouts|call your name|call|calls|call out|calls out|mention|mentions"
                rf"|yell|yells|whisper|whispers)"
                rf"(?: the words?| the phrase)? (?!something|anything){_PHRASE}"
            ),
        ),
        (
            "heard",
            (
                rf"you hear(?: the words?| the phrase)? (?!(?:a |some |my |any )?(?:voices?|someone|somebody|me|us"
                rf"|noise|sound|clap|bang|people|speech|music))"
                rf"{_PHRASE}"
            ),
        ),
        (
            "heard",
            (
                r"(?:somebody|someone|anybody|anyone|i|a person|people) (?:speaks?|talks?|says (?:something"
                r"|anything)|say something)(?: to you)?"
            ),
        ),
        (
            "heard",
            (
                r"you hear (?:a |some |my |any )?(?:voices?|someone|somebody|me|us|people|speech)(?: (?:speak|talk"
                r"|speaking|talking))?"
            ),
        ),
        (
            "seen",
            (
                rf"you(?: can| happen to| ever)* (?:see|spot|notice|detect|recogni[sz]e|find|catch sight of|perceive"
                rf"|meet) {_X}{_WHERE}"
            ),
        ),
        ("seen", rf"(?:there (?:is|are|'s)|there's) {_X}{_WHERE}"),
        (
            "seen",
            (
                rf"{_X} (?:appears?|shows? up|(?:comes?|walks?|steps?|enters?|runs?|drives?|flies|goes|moves?"
                rf"|gets?|jumps?|climbs?|hops?|sits?|lies|lands?|stands?|crawls?|sneaks?|wanders?|rolls?|crosses"
                rf"|runs?|is"
                rf"|are)(?: down| onto| in| into| by| past| near| close"
                rf"| closer| along| up| back| home)*|arrives?|pass(?:es)?(?: by)?|turns? up|pops? up|(?:is|are"
                rf"|'s) (?:there|here|visible|seen|detected"
                rf"|in view|in sight|around|present|in front of you|near you|nearby|near)|looks? at you){_WHERE}"
            ),
        ),
    ),
    "fr": (
        ("gone", rf"tu ne (?:vois|detectes|trouves) plus {_X}"),
        ("gone", rf"{_X} (?:disparait|disparaissent|s'en va|part|n'est plus la|a disparu|est parti\w*|est enleve\w*)"),
        ("gone", r"(?:il n'y a (?P<nobody>personne|plus personne)|(?P<none>personne) n'est la)"),
        ("gone", rf"quelqu'un (?:prend|enleve|vole|touche|deplace) {_X}"),
        ("gone", r"quelqu'un (?P<thing>le |la |les |l')(?:prend|enleve|vole|touche|deplace)"),
        (
            "heard",
            (
                rf"(?:je|on|quelqu'un|tu m'entends|tu entends quelqu'un) (?:dis|dit|crie|prononce"
                rf"|dire)(?: le mot)? {_PHRASE}"
            ),
        ),
        ("heard", rf"tu entends(?: le mot)? (?!quelqu'un|une voix|parler){_PHRASE}"),
        ("heard", r"(?:quelqu'un|je) parle|tu entends (?:quelqu'un|une voix|parler)(?: parler)?"),
        ("seen", rf"tu (?:vois|apercois|remarques|reperes|detectes|trouves|croises|verras) {_X}{_OU}"),
        ("seen", rf"(?:il y a|y a|il y aura) {_X}{_OU}"),
        (
            "seen",
            (
                rf"{_X} (?:apparait|apparaissent|arrive|arrivent|entre|entrent|rentre|passe|passent|est la"
                rf"|se montre|vient"
                rf"|viennent|est visible|saute|monte|grimpe|s'assied|s'approche|se pose|traverse|est|sont){_OU}"
            ),
        ),
    ),
    "es": (
        ("gone", rf"(?:ya )?no (?:ves|veas) (?:a )?{_X}"),
        (
            "gone",
            (
                rf"{_X} (?:desaparece|desaparezca|se va|se vaya|ya no este|ya no esta|se ha ido)|(?:desaparece"
                rf"|desaparezca) {_X.replace('thing', 'after')}"
            ),
        ),
        ("gone", r"no hay (?P<nobody>nadie)|(?P<none>nadie) esta (?:aqui|ahi)"),
        ("gone", rf"alguien (?:coja|coge|tome|toma|quite|quita|mueva|mueve|robe|roba|se lleve|se lleva) {_X}"),
        (
            "gone",
            r"alguien (?:se )?(?P<thing>lo|la|los|las) (?:coja|coge|tome|toma|quite|quita|mueva|robe|roba|lleve|lleva)",
        ),
        (
            "heard",
            (
                rf"(?:yo |alguien |me oigas |oigas a alguien )?(?:diga|digo|dice|grite|grita"
                rf"|decir)(?: la palabra)? (?!algo){_PHRASE}"
            ),
        ),
        ("heard", rf"(?:oigas|oyes|escuches|escuchas)(?: la palabra)? (?!a alguien|una voz|hablar){_PHRASE}"),
        (
            "heard",
            (
                r"alguien (?:hable|habla|diga algo)|(?:oigas|oyes|escuches|escuchas) (?:a alguien|una voz"
                r"|hablar)(?: hablar)?"
            ),
        ),
        ("seen", rf"(?:tu )?(?:ves|veas|detectes|detectas|notes|encuentres|reconozcas|puedes ver) (?:a )?{_X}{_DONDE}"),
        ("seen", rf"(?:hay|haya) {_X}{_DONDE}"),
        ("seen", rf"(?:aparezca|aparece|llegue|llega|entre|entra|pase|pasa|venga|viene) {_X}"),
        (
            "seen",
            (
                rf"{_X} (?:aparezca|aparece|llegue|llega|entre|entra|pase|pasa|venga|viene|este aqui|esta aqui"
                rf"|este ahi|esta ahi|salte|salta|suba|sube|se suba|se sube|se siente|se acerque|se acerca|cruce"
                rf"|cruza|este|esta){_DONDE}"
            ),
        ),
    ),
    "de": (
        ("gone", rf"du {_X} nicht mehr (?:siehst|sehen kannst|findest)"),
        (
            "gone",
            (
                rf"{_X} (?:verschwindet|verschwinden|weg ist|weggeht|geht|nicht mehr da ist|fehlt|weggenommen wird"
                rf"|entfernt wird)"
            ),
        ),
        ("gone", r"(?P<nobody>niemand|keiner) (?:da|hier) ist"),
        ("gone", rf"jemand {_X} (?:nimmt|wegnimmt|mitnimmt|holt|klaut|stiehlt|bewegt|anfasst)"),
        ("heard", rf"(?:ich|jemand|man) (?:das wort )?{_PHRASE} (?:sage|sagt|rufe|ruft)"),
        ("heard", rf"du (?:das wort )?(?!jemanden|eine stimme){_PHRASE} horst"),
        ("heard", r"jemand (?:spricht|redet|etwas sagt)|du (?:jemanden|eine stimme) (?:sprechen )?horst"),
        ("seen", rf"du {_X}{_WO} (?:siehst|entdeckst|bemerkst|erkennst|findest|sehen kannst)"),
        ("seen", rf"(?:es {_X} gibt|da {_X.replace('thing', 'after')} ist)"),
        (
            "seen",
            (
                rf"{_X}{_WO} (?:auftaucht|auftauchen|erscheint|erscheinen|kommt|hereinkommt|reinkommt|vorbeikommt"
                rf"|vorbeilauft|vorbeigeht|ankommt|da ist"
                r"|hier ist|zu sehen ist|ins bild kommt|ins zimmer kommt|vor dir ist|vor dir steht|da steht|steht"
                r"|liegt|sitzt"
                r"|springt|hupft|klettert|lauft|geht|ist|vorbeikommen|vorbeigehen|fliegt|fahrt|vorbeifahrt|herkommt)"
            ),
        ),
    ),
}
_COMPILED = {
    language: tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in patterns)
    for language, patterns in _PATTERNS.items()
}
_SAYS = re.compile(
    r"\b(?:say|shout|call|yell|hear|dis|dit|entends|di[gj]\w*|dice|oy?[ie]\w*|sag|ruf|h[oö]r)", re.IGNORECASE
)
_IT_SEES = re.compile(
    r"^(?:it|the robot|reachy) (?P<verb>see|spot|notice|detect|recogni[sz]e|find|hear)s\b", re.IGNORECASE
)
"""A tool that is asked for is spoken of as "it"."""
_IT = frozenset(
    spaced("it one they them he she that elle il le les l' lo la los las es er sie ihn eine einer eins einen ihm")
)
_NOW = re.compile(
    r"\b(?:right now|just now|currently|still|now|at the moment|maintenant|encore|actuellement|toujours"
    r"|ahora(?: mismo)?"
    r"|todavia|a[uú]n|todav[ií]a|gerade|noch|jetzt|im moment|momentan|immer noch|suddenly|ever)\b",
    re.IGNORECASE,
)
"""When it must be so: now, which goes without saying."""
_SHORTENED = re.compile(
    r"\b(?P<who>it|that|he|she|who|\w+(?:one|body)|there)(?:'s|(?<=it)s|(?<=there)s) (?=gone|here|there|in\b|on\b"
    r"|at\b|around|near|missing"
    r"|an?\b|no\b|the\b|any)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"^(?P<more>more than|over|plus de|plus d'|m[aá]s de|mehr als|(?:at least|au moins|al menos|por lo menos"
    r"|mindestens))?\s*"
    r"(?P<number>\d+|two|three|four|five|six|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|zwei|drei|vier|f[uü]nf"
    r"|(?<=more than )one|(?<=plus d')une?|(?<=m[aá]s de )una?|(?<=mehr als )eine?)\s+(?P<thing>.+)$",
    re.IGNORECASE,
)


def read(condition: str, language: str = "en", about: str = "") -> Perceived | None:
    """What a condition is about; None when it is about something else. `about`: where "it" and "one" were named."""
    words = " ".join(condition.replace("\u2019", "'").split()).strip(" .,;:!?")
    if language == "en":
        words = _SHORTENED.sub(r"\g<who> is ", _IT_SEES.sub(r"you \g<verb>", words))
    if not _SAYS.search(words):
        words = " ".join(_NOW.sub(" ", words).split()) or words
    flat = _same_length_without_accents(words)
    for kind, pattern in _COMPILED.get(language, ()):
        found = pattern.fullmatch(flat)
        if found is None:
            continue
        if kind == "heard":
            return _heard(found, words)
        seen: Literal["seen", "gone"] = "gone" if kind == "gone" else "seen"
        if thing := _thing(found, language, about):
            return Perceived(seen, thing)
        if several := _several(found, language):
            return replace(several, kind=seen)
    return None


def _heard(found: re.Match[str], words: str) -> Perceived | None:
    if "phrase" not in found.re.groupindex:
        return Perceived("heard")
    start, end = found.span("phrase")
    phrase = words[start:end].strip(" '\"")
    return Perceived("heard", phrase=phrase) if 0 < len(phrase) <= LONGEST_PHRASE else None


def _thing(found: re.Match[str], language: str, about: str) -> NamedThing | None:
    groups = found.groupdict()
    if groups.get("nobody") or groups.get("none"):
        return NamedThing("person")
    said = groups.get("thing") or groups.get("after")
    if said is None:
        return NamedThing("person") if "nobody" in found[0] or "no one" in found[0] else None
    if said.casefold().strip() in _IT:
        return thing_names.first_in(about, language)
    return thing_names.read(said, language)


def _several(found: re.Match[str], language: str) -> Perceived | None:
    """A thing with how many there must be: "more than two people"."""
    counted = _COUNTED.match((found.groupdict().get("thing") or "").strip())
    if counted is None or (thing := thing_names.read(counted["thing"], language)) is None:
        return None
    value = quantities.number(counted["number"], language) or 1
    above = (counted["more"] or "").casefold() not in (
        "",
        "at least",
        "au moins",
        "al menos",
        "por lo menos",
        "mindestens",
    )
    return Perceived("seen", thing, at_least=int(value) + above)


def _same_length_without_accents(text: str) -> str:
    """Letters without their accents, each one letter, so that places in the text stay the same."""
    return "".join(_PLAIN.get(letter, letter) for letter in text)


_PLAIN = dict(
    zip("àâäáãçéèêëíìîïñóòôöõúùûüÀÂÄÁÇÉÈÊËÍÎÏÑÓÔÖÚÙÛÜ", "aaaaaceeeeiiiinooooouuuuAAAACEEEEIIINOOOUUUU", strict=True)
)
