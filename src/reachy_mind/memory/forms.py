"""The forms in which people tell facts about themselves, and what each makes of it.

A form is a pattern for a whole clause, English first, the simplest ones in French, Spanish and German.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from reachy_mind.memory.memories import Fact, Type
from reachy_mind.memory.words import plain

LONGEST_VALUE = 120
Made = Callable[[re.Match[str]], Fact | None]

TRAILING = re.compile(
    r"(?:[,\s]+(?:now|these days|nowadays|by the way|please|actually|you know|too|as well|by now|though|right"
    r"|a lot|very much|so much|maintenant|beaucoup|ahora|mucho|jetzt|sehr|\u00fcbrigens))+$",
    re.I,
)
_LATELY = re.compile(
    r"[,\s]+(?:(?:last|this) (?:week|month|year|spring|summer|autumn|winter)|yesterday|recently|today|since .+"
    r"|for .+ years?|\w+ (?:years|months|weeks|days) ago)$",
    re.I,
)
_NOT_NAMES = frozenset(
    """a an the not so very here there back home sorry fine good well ok okay tired happy sad sure just going glad busy
    hungry late ready done your my in at on from his her it what who la le un une der die das el""".split()  # noqa: SIM905
)
_SINGLE_RELATIONS = (
    "wife|husband|mother|mum|mom|father|dad|boss|partner|girlfriend|boyfriend|fiancee|fiance|teacher|doctor|dentist"
)
_RELATIONS = (
    f"{_SINGLE_RELATIONS}|sister|brother|son|daughter|child|kid|baby|friend|best friend|colleague|neighbour|neighbor"
    "|cat|dog|pet|horse|rabbit|parrot|hamster|aunt|uncle|cousin|grandmother|grandfather|grandma|grandpa|niece|nephew"
    "|roommate|flatmate|car|boat|robot"
)
_WHOSE = r"(?:(?P<whose>[\w-]+(?: [\w-]+)?)'s )?"
_ATTRIBUTES = (
    r"(?:favou?rite (?:[\w-]+ ){0,2}[\w-]+|birthday|age|job|profession|hometown|address|nationality|language"
    r"|native language|mother tongue|e-?mail(?: address)?|phone number|number|shoe size|size|height|blood type"
    r"|star sign|nickname|surname|last name|first name|middle name|company|school|university|hobby|team|car|dream)"
)


def _value(match: re.Match[str], group: str = "value") -> str:
    value = _LATELY.sub("", TRAILING.sub("", match[group].strip())).strip(" .,!")
    return value if 0 < len(value) <= LONGEST_VALUE else ""


def _one(key: str, type: Type = "fact") -> Made:  # noqa: A002
    """A fact that has one value, under this key of the profile."""

    def made(match: re.Match[str]) -> Fact | None:
        value = _value(match)
        return Fact(match.string, type, key, value, (key, value)) if value else None

    return made


def _name(match: re.Match[str]) -> Fact | None:
    value = _value(match)
    if not value or value.split()[0].casefold() in _NOT_NAMES or len(value.split()) > 3:
        return None
    if not any(c.isupper() for c in value):
        if match[0].casefold().startswith("call me"):
            return None  # "call me later"
        value = value.title()
    return Fact(match.string, "fact", "name", value, ("name", value))


def _taste(way: str, profile: str) -> Made:
    def made(match: re.Match[str]) -> Fact | None:
        value = _value(match)
        if not value or value.casefold() in ("it", "that", "this", "you", "him", "her", "them", "to", "ça", "es"):
            return None
        if re.match(r"(?:it when|that (?:you|i)|you\b|to (?:know|ask|say)|how|what|when)", value, re.I):
            return None
        return Fact(match.string, "preference", f"taste:{plain(value)}", way, (profile, value))

    return made


def _attribute(match: re.Match[str]) -> Fact | None:
    """ "my favourite colour is green": one value for each name; that of somebody else is theirs alone."""
    value, name = (
        re.sub(r"^(?:on|in) (?=.)", "", _value(match)),
        plain(match["name"]).replace("favourite", "favorite").replace("colour", "color"),
    )
    if not value or value.casefold() in ("what", "who", "that", "this", "it", "not", "nothing"):
        return None
    whose = plain(match.groupdict().get("whose") or "")
    key = f"{whose} {name}".strip()
    shown = (f"{match['whose']}'s {match['name']}" if whose else match["name"]).casefold()
    return Fact(match.string, "preference" if "favorite" in name else "fact", key, value, (shown, value))


def _relation(match: re.Match[str]) -> Fact | None:
    """Somebody's sister or dog; only of some there is but one."""
    value, who = _value(match), plain(match["who"])
    if not value or len(value.split()) > 4:
        return None
    only = re.fullmatch(_SINGLE_RELATIONS, who)
    key = f"{who} name" if only else f"{who} name {plain(value)}"
    return Fact(match.string, "fact", key, value, (f"{who}'s name", value) if only else None)


def _event(match: re.Match[str]) -> Fact | None:
    return Fact(match.string, "event")


def _forms() -> tuple[tuple[re.Pattern[str], Made], ...]:
    value = r"(?P<value>[^,.!?;]+?)"
    whole = r"(?P<value>.+)"
    like, dislike = _taste("like", "likes"), _taste("dislike", "dislikes")
    dates = "appointment|meeting|interview|exam|flight|date|lesson|concert|deadline|party"
    named = "my name is|my name's|i am called|i'm called|call me|je m'appelle|me llamo|mi nombre es|mein name ist"
    works = "i work|i am working|i'm working|je travaille|trabajo|ich arbeite"
    gladly = "(?:really |absolutely |totally |quite |also )?"
    made: list[tuple[str, Made]] = [
        (rf"(?:{named}|ich hei(?:\u00df|ss)e) {value}$", _name),
        (r"(?-i:[Tt]his is (?P<value>[A-Z][\w'-]+))(?: speaking| here)$", _name),
        (rf"(?:i live|i'm living|i am living|vivo|yo vivo) (?:in|en) {value}$", _one("home")),
        (rf"i(?:'ve| have)? (?:just )?moved to {value}$", _one("home")),
        (rf"(?:j'habite|je vis) (?:\u00e0|a|en|au|aux) {value}$", _one("home")),
        (rf"ich wohne in {value}$", _one("home")),
        (rf"(?:i am from|i'm from|je viens de|je suis de|soy de|ich komme aus) {value}$", _one("origin")),
        (rf"i (?:speak|talk) {value}$", _one("language")),
        (rf"(?:{works}) (?:as|comme|como|als)(?: an?| une?| una| eine?)? {value}$", _one("job")),
        (r"(?:i am|i'm) (?P<value>\d{1,3})(?: years old| years of age)?$", _one("age")),
        (r"j'ai (?P<value>\d{1,3}) ans$", _one("age")),
        (r"tengo (?P<value>\d{1,3}) a\u00f1os$", _one("age")),
        (r"ich bin (?P<value>\d{1,3}) jahre alt$", _one("age")),
        (rf"i was born (?:on|in) {whole}$", _one("birthday")),
        (rf"(?:i am|i'm) allergic to {whole}$", _allergy),
        (r"i have an? (?P<value>.+?) allergy$", _allergy),
        (rf"je suis allergique (?:\u00e0|au|aux|a) {whole}$", _allergy),
        (rf"(?:soy al\u00e9rgic[oa] al?|ich bin allergisch gegen) {whole}$", _allergy),
        (rf"i (?:really )?(?:do not|don't)(?: really)? (?:like|love|enjoy) {whole}$", dislike),
        (rf"i (?:can't|cannot|can not) stand {whole}$", dislike),
        (rf"i {gladly}(?:hate|dislike|detest) {whole}$", dislike),
        (rf"i {gladly}(?:like|love|enjoy|adore) {whole}$", like),
        (rf"(?:je n'aime pas|je d\u00e9teste|no me gustan?|odio|ich mag keine?n?|ich hasse) {whole}$", dislike),
        (rf"(?:j'aime(?: bien)?|j'adore|me gustan?|me encantan?|ich mag|ich liebe) {whole}$", like),
        (rf"my (?P<who>{_RELATIONS})(?:'s name is| is called| is named|, who is called) {value}$", _relation),
        (rf"i have an? (?P<who>{_RELATIONS}) (?:called|named) {value}$", _relation),
        (rf"my {_WHOSE}(?P<name>{_ATTRIBUTES}) (?:is|are) (?:now )?{whole}$", _attribute),
        (rf"(?P<name>(?:ma|mon) (?:[\w-]+ pr\u00e9f\u00e9r\u00e9e?|anniversaire)) (?:est|c'est) {whole}$", _attribute),
        (rf"(?P<name>mi (?:[\w-]+ (?:favorit[oa]|preferid[oa])|cumplea\u00f1os)) es {whole}$", _attribute),
        (r"(?P<name>meine? (?:lieblings\w+|geburtstag)) (?:ist )?(?P<value>.+?)(?: ist)?$", _attribute),
        (rf"i(?:'ve| have)(?: got)? an? (?:[\w'-]+ ){{0,4}}(?:{dates}) .+$", _event),
        (rf"my (?:[\w'-]+ ){{0,3}}(?:{dates}) is .+$", _event),
        (r"(?:j'ai (?:un )?rendez-vous|tengo (?:una )?cita|ich habe einen? termin) .+$", _event),
    ]
    return tuple((re.compile(pattern, re.IGNORECASE), make) for pattern, make in made)


def _allergy(match: re.Match[str]) -> Fact | None:
    value = _value(match)
    return Fact(match.string, "fact", f"allergy:{plain(value)}", "yes", ("allergies", value)) if value else None


FORMS = _forms()
"""In the order they are tried: a pattern for a whole clause, and what it makes of it."""
