"""Patterns of clauses in which people tell facts about themselves, each with a builder of the fact.

A pattern matches a whole clause. English first, the simplest ones in French, Spanish and German.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from text_to_num import alpha2digit

from reachy_mind.memory import introductions
from reachy_mind.memory.clauses import TRAILING
from reachy_mind.memory.memories import Fact, Type
from reachy_mind.memory.normalization import plain

LONGEST_VALUE = 120
OLDEST = 125
FactBuilder = Callable[[re.Match[str]], Fact | None]

_TIME_SUFFIX = re.compile(
    r"[,\s]+(?:(?:last|this) (?:week|month|year|spring|summer|autumn|winter)|yesterday|recently|today|since .+"
    r"|for .+ years?|\w+ (?:years|months|weeks|days) ago)$",
    re.I,
)
_WHOSE = r"(?:(?P<whose>[\w-]+(?: [\w-]+)?)'s )?"
_ATTRIBUTES = (
    r"(?:favou?rite (?:[\w-]+ ){0,2}[\w-]+|birthday|age|job|profession|hometown|address|nationality|language"
    r"|native language|mother tongue|e-?mail(?: address)?|phone number|number|shoe size|size|height|blood type"
    r"|star sign|nickname|surname|last name|first name|middle name|company|school|university|hobby|team|car|dream)"
)


def _value(match: re.Match[str], group: str = "value") -> str:
    value = _TIME_SUFFIX.sub("", TRAILING.sub("", match[group].strip())).strip(" .,!")
    return value if 0 < len(value) <= LONGEST_VALUE else ""


def _single_value(key: str, type: Type = "fact") -> FactBuilder:  # noqa: A002
    """A builder of facts with a single value, under this key of the profile."""

    def build(match: re.Match[str]) -> Fact | None:
        value = _value(match)
        return Fact(match.string, type, key, value, (key, value)) if value else None

    return build


def _name(clause: str) -> Fact | None:
    """The fact of a plain introduction; an unsure one is asked back and makes none."""
    found = introductions.read(clause)
    return Fact(clause, "fact", "name", found.name, ("name", found.name)) if found is not None and found.sure else None


def _age(language: str) -> FactBuilder:
    """ "I am 62" and "ich bin zweiundsechzig" tell the same."""

    def build(match: re.Match[str]) -> Fact | None:
        value = alpha2digit(_value(match).replace("-", " "), language, threshold=0).strip()
        plausible = value.isascii() and value.isdigit() and 0 < int(value) < OLDEST
        return Fact(match.string, "fact", "age", value, ("age", value)) if plausible else None

    return build


def _taste(way: str, profile: str) -> FactBuilder:
    def build(match: re.Match[str]) -> Fact | None:
        value = _value(match)
        if not value or value.casefold() in ("it", "that", "this", "you", "him", "her", "them", "to", "ça", "es"):
            return None
        if re.match(r"(?:it when|that (?:you|i)|you\b|to (?:know|ask|say)|how|what|when)", value, re.I):
            return None
        return Fact(match.string, "preference", f"taste:{plain(value)}", way, (profile, value))

    return build


def _attribute(match: re.Match[str]) -> Fact | None:
    """ "my favourite colour is green": one value per attribute, separate for "my sister's favourite colour"."""
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


def _habit(match: re.Match[str]) -> Fact | None:
    """What somebody is or does, of which there may be many."""
    return Fact(match.string, "fact", f"habit:{plain(match.string)}", "yes")


def _event(match: re.Match[str]) -> Fact | None:
    return Fact(match.string, "event")


def _build_forms() -> tuple[tuple[re.Pattern[str], FactBuilder], ...]:
    value = r"(?P<value>[^,.!?;]+?)"
    whole = r"(?P<value>.+)"
    like, dislike = _taste("like", "likes"), _taste("dislike", "dislikes")
    dates = "appointment|meeting|interview|exam|flight|date|lesson|concert|deadline|party"
    origins = "i am from|i'm from|i come from|je viens de|je suis de|soy de|vengo de|ich komme aus|ich bin aus"
    turned = "i turn|i turned|i just turned|i've just turned|i've turned"
    works = "i work|i am working|i'm working|je travaille|trabajo|ich arbeite"
    where = "at|in|for|with|from|on|\u00e0|au|chez|dans|en|para|bei|f\u00fcr"
    when = "nights|days|shifts|weekends|part[- ]time|full[- ]time|la nuit|de nuit|de noche|nachts"
    habits = (
        "play|study|teach|collect|drive|grow|ride|own|bake|paint|practi[sc]e|sing in|keep(?! \\w+ing)|drink|eat|breed"
    )
    trades = (
        r"an? (?!bit|little|lot|few|fan)[\w-]+(?: [\w-]+)?|vegetarian|vegan|retired|left[- ]handed|colou?r[- ]blind"
    )
    gladly = "(?:really |absolutely |totally |quite |also )?"
    forms: list[tuple[str, FactBuilder]] = [
        (rf"(?:i live|i'm living|i am living|vivo|yo vivo) (?:in|en) {value}$", _single_value("home")),
        (rf"i(?:'ve| have)? (?:just )?moved (?:from .+? )?to {value}$", _single_value("home")),
        (rf"(?:j'habite|je vis) (?:\u00e0|a|en|au|aux) {value}$", _single_value("home")),
        (
            rf"(?:ich wohne|(?:jetzt|nun|inzwischen|heute|seit .+) wohne ich)(?: jetzt| nun)? in {value}$",
            _single_value("home"),
        ),
        (rf"(?:{origins}) {value}$", _single_value("origin")),
        (rf"i (?:speak|talk) {value}$", _single_value("language")),
        (rf"(?:{works}) (?:as|comme|como|als)(?: an?| une?| una| eine?)? {value}$", _single_value("job")),
        (rf"(?:{works}) (?:{where}|{when})(?: .+)?$", _habit),
        (rf"(?:i|we) (?:also |often |usually |always )?(?:{habits}) (?!it\b|that\b|you\b|with you\b).+$", _habit),
        (rf"(?:i am|i'm) (?:{trades})$", _habit),
        (rf"(?:i am|i'm|{turned}) (?P<value>[\w -]{{1,25}}?)(?: years (?:old|of age))?(?: today)?$", _age("en")),
        (r"j'ai (?P<value>[\w -]{1,25}?) ans$", _age("fr")),
        (r"tengo (?P<value>[\w -]{1,25}?) a\u00f1os$", _age("es")),
        (r"ich bin (?P<value>[\w-]{1,25}?)(?: jahre alt)?$", _age("de")),
        (rf"i was born (?:on|in) {whole}$", _single_value("birthday")),
        (rf"(?:i am|i'm) allergic to {whole}$", _allergy),
        (r"i have an? (?P<value>.+?) allergy$", _allergy),
        (rf"je suis allergique (?:\u00e0|au|aux|a) {whole}$", _allergy),
        (rf"(?:soy al\u00e9rgic[oa] al?|ich bin allergisch (?:gegen|auf)) {whole}$", _allergy),
        (r"ich bin (?:gegen|auf) (?P<value>.+?) allergisch$", _allergy),
        (rf"i (?:really )?(?:do not|don't)(?: really)? (?:like|love|enjoy) {whole}$", dislike),
        (rf"i (?:can't|cannot|can not) stand {whole}$", dislike),
        (rf"i {gladly}(?:hate|dislike|detest) {whole}$", dislike),
        (rf"i {gladly}(?:like|love|enjoy|adore) {whole}$", like),
        (rf"(?:je n'aime pas|je d\u00e9teste|no me gustan?|odio|ich mag keine?n?|ich hasse) {whole}$", dislike),
        (rf"(?:j'aime(?: bien)?|j'adore|me gustan?|me encantan?|ich mag|ich liebe) {whole}$", like),
        (rf"my {_WHOSE}(?P<name>{_ATTRIBUTES}) (?:is|are) (?:now )?{whole}$", _attribute),
        (rf"(?P<name>(?:ma|mon) (?:[\w-]+ pr\u00e9f\u00e9r\u00e9e?|anniversaire)) (?:est|c'est) {whole}$", _attribute),
        (rf"(?P<name>mi (?:[\w-]+ (?:favorit[oa]|preferid[oa])|cumplea\u00f1os)) es {whole}$", _attribute),
        (r"(?P<name>meine? (?:lieblings\w+|geburtstag)) (?:ist )?(?P<value>.+?)(?: ist)?$", _attribute),
        (rf"i(?:'ve| have)(?: got)? an? (?:[\w'-]+ ){{0,4}}(?:{dates}) .+$", _event),
        (rf"my (?:[\w'-]+ ){{0,3}}(?:{dates}) is .+$", _event),
        (r"(?:j'ai (?:un )?rendez-vous|tengo (?:una )?cita|ich habe einen? termin) .+$", _event),
    ]
    return tuple((re.compile(pattern, re.IGNORECASE), builder) for pattern, builder in forms)


def _allergy(match: re.Match[str]) -> Fact | None:
    value = _value(match)
    return Fact(match.string, "fact", f"allergy:{plain(value)}", "yes", ("allergies", value)) if value else None


def own_fact(clause: str) -> Fact | None:
    """The fact about the speaker that a clause tells, by the first pattern that matches.

    "since last year I live in Porto" and "I now live in Porto" tell the same; a remark after a comma is left out.
    """
    if (named := _name(clause)) is not None:
        return named
    now = _NOW.sub(r"\g<who> ", _SINCE.sub("", _IM.sub(r"i'\g<rest>", clause), count=1), count=1)
    first = now.partition(",")[0].strip()
    for text in dict.fromkeys((clause, now, first)):
        for pattern, build in FORMS:
            if (hit := pattern.match(text)) and (fact := build(hit)):
                return fact
    return None


_SINCE = re.compile(
    r"^(?:(?:since|for) [\w' ]{3,25}?|now|nowadays|these days|currently|today|at the moment|right now|maintenant"
    r"|aujourd'hui|depuis [\w' ]{3,25}?|ahora|desde [\w' ]{3,25}?|actualmente),? "
    r"(?=(?:i|i'm|i've|my|we|j'|je|ma|mon|vivo|trabajo|soy|tengo|me|mi)\b)",
    re.I,
)
_IM = re.compile(r"^i(?P<rest>m|ve)\b", re.I)
_NOW = re.compile(r"^(?P<who>i|i'm|i am|we) (?:now|currently|mostly) ", re.I)


FORMS = _build_forms()
"""Patterns of whole clauses with their builders, in the order they are tried."""
