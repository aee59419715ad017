"""Questions about days: which one it is, how many until then, leap years, months, and ages. Today comes in."""

from __future__ import annotations

import calendar
import re
from datetime import date

from reachy_mind.brains.reflex import dates
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.brains.word_lists import spaced
from reachy_mind.models.wordpiece import without_accents

LONGEST = 160
_LEAP = re.compile(r"leap year|bissextile|bisiesto|schaltjahr")
_UNTIL = re.compile(
    r"\b(?:until|till|til|to go|left|before|away|to)\b|jusqu|\bavant\b|\breste\b|faltan?|\bhasta\b|\bpara\b|\bquedan\b"
    r"|\bbis\b|noch\b"
)
_HOW_LONG = re.compile(r"how (?:many|long|far|much)|combien|cuant[oa]s?|cuanto|wie ?(?:viele?|lange|weit)")
_SINCE = re.compile(r"\b(?:since|depuis|desde|seit)\b")
_WEEKS = re.compile(r"\b(?:weeks?|semaines?|semanas?|wochen?)\b")
_DAYS = re.compile(r"\b(?:days?|jours?|dias?|tage?)\b")
_BORN = re.compile(r"\bborn\b|\bnee?s?\b|nacid[oa]|nacio|naci\b|geboren|birth ?year")
_OLD = re.compile(r"how old|\bage\b|quel age|cuantos anos|que edad|wie alt")
_WEEK_NUMBER = re.compile(
    r"(?:which|what) week\b|week number|quelle semaine|numero de (?:la )?semaine|que semana|welche (?:kalender)?woche"
    r"|kalenderwoche"
)
_WHICH_YEAR = re.compile(r"(?:which|what) year|quelle annee|que ano|welches jahr|en quel(?:le)? annee")
_WHICH_MONTH = re.compile(r"(?:which|what) month|quel mois|que mes|welche[rn]? monat")
_PAST = re.compile(r"\bwas\b|\bwere\b|\betait\b|\bfue\b|\bera\b|\bwar\b|\blast\b|dernier|pasad[oa]|letzte")
_THIS_MONTH = re.compile(r"this month|ce mois|este mes|diese[rnm]? monat")
_ASKS_DAY = re.compile(
    r"\b(?:day|date|weekday|jour|dia|fecha|tag|wochentag|datum|wievielte[rn]?)\b|^\W*(?:when|quand|cuando|wann)\b"
    r"|^\W*(?:what(?: is|'s| was)?|and|et|y|und) (?:the )?(?:day (?:after|before) )?(?:tomorrow|today|yesterday|demain"
    r"|apres[- ]demain|hier|avant[- ]hier|manana|pasado manana|ayer|anteayer|morgen|ubermorgen|gestern|vorgestern)\W*$"
)
_NEXT = re.compile(r"\bnext\b|prochain|\bproxim[oa]\b|que viene|nachste[rsn]?")
_ORDER = (
    r"\b(?:what(?:'s)?|which|quel(?:le)?|que|cual|welche[rs]?|was)(?: (?:week ?day|day|month|jour|mois|dia|mes"
    r"|wochentag|tag"
    r"|monat))?"
    r"(?: of the (?:week|year)| de la semaine| de l'annee| de la semana| del ano| der woche)?"
    r"(?: (?:comes?|is|vient|est|viene|va|es|esta|kommt|ist|liegt))?(?: (?:right|just|directly|the day|the month"
    r"|juste|direkt))*"
    r" (?:(?P<after>after|follow(?:s|ing)?|apres|suit|despues del?|sigue al?|nach|folgt auf)"
    r"|(?P<before>before|precedes?|avant|precede|antes del?|vor)) (?:(?:on|the|a|le|el|la|den|dem) )?"
)
"""What asks for the day or the month before or after another, up to the name of that."""
_YEAR_DAYS = re.compile(
    r"\b(?:a|an|one|1|the|une?|un ano|del?|ein(?:em)?|(?:leap|normal|common)) (?:\w+ )?(?:year|annee|an|ano|jahr)\b"
    r"|schaltjahr"
)
_MONTHS_WITH = re.compile(
    r"(?:how many|which|what|combien de|quels|cuantos|que|wie ?viele|welche) (?:of the )?(?:mois|months|meses"
    r"|monate)\b.*\b(28|29|30|31)\b"
)
_DAY = {"en": ("day", "days"), "fr": ("jour", "jours"), "es": ("día", "días"), "de": ("Tag", "Tage")}
_IN_DAYS = {"de": ("Tag", "Tagen")}
_WEEK = {"en": ("week", "weeks"), "fr": ("semaine", "semaines"), "es": ("semana", "semanas"), "de": ("Woche", "Wochen")}
_LENGTHS = tuple(calendar.monthrange(2023, month)[1] for month in range(1, 13))
_LEFT = re.compile(
    r"\b(?:until|till|left|ago|since|remain\w*|hasta|faltan?|quedan?|jusqu\w*|reste\w*|bis|noch|seit|vor)\b"
)
_AND = {"en": "and", "fr": "et", "es": "y", "de": "und"}
_ABOUT_NOW = frozenset(
    spaced(
        """
    what which is it its s the a day date month year weekday week of today todays now we are in do does have got this
    right current currently exactly please tell me can could you know say hey hi hello reachy robot and or to again be
    quel quelle jour date mois annee est on sommes nous en ce c cette aujourd hui maintenant dis moi s il te vous plait
    tu sais peux dire et le la l de semaine que qu es
    que cual dia fecha mes ano es hoy estamos a cuantos en el la del de ahora dime me puedes decir sabes por favor
    semana actual y oye
    welcher welchen welches welche tag datum monat jahr ist haben wir heute jetzt der das den dem die wievielte
    wievielten es denn gerade bitte sag mir du weisst wissen kannst sagen im in hallo wochentag und was fur ein
    """
    )
)
"""Words of a question about this day, month or year. Any other word makes it a question about something else."""


def answer(text: str, wording: Wording, today: date) -> str:
    """The answer as a sentence; empty when it is no such question."""
    if len(text) > LONGEST:
        return ""
    said = dates.normal(text, wording.language)
    for part in (_supposed, _order, _months_with, _year_length, _leap, _age, _month_length, _distance, _named):
        if told := part(said, wording, today):
            return told
    return ""


_SUPPOSED = re.compile(
    r"^\W*(?:and )?(?:if|si|wenn)\b|\b(?:if|si|wenn) (?:it is|it's|its|today|c'est|hoy es|es"
    r"|heute)\b"
)
_SPAN = re.compile(r"\b(\d{1,4}) (?:days?|jours?|dias?|tagen?|tage)\b")


def _supposed(said: str, wording: Wording, _today: date) -> str:
    """ "if it is Monday today, which day is it in ten days?": reckoned from that day, not from today."""
    names = dates.WEEKDAYS[wording.language]
    supposed = [place for place, name in enumerate(names) if re.search(rf"\b{without_accents(name)}\b", said)]
    span = _SPAN.search(said)
    if not _SUPPOSED.search(said) or len(supposed) != 1 or span is None:
        return ""
    back = re.search(r"\bago\b|\bil y a\b|\bhace\b|\bvor\b", said)
    return wording.say("calendar_would_be", day=names[(supposed[0] + int(span[1]) * (-1 if back else 1)) % 7])


def _order(said: str, wording: Wording, _today: date) -> str:
    """What day or month comes after or before another."""
    if re.search(r"\d", said):
        return ""
    for names in (dates.WEEKDAYS[wording.language], dates.MONTHS[wording.language]):
        for place, name in enumerate(names):
            plain = without_accents(name)
            if found := re.search(rf"{_ORDER}{plain}\b", said):
                other = names[(place + (1 if found["after"] else -1)) % len(names)]
                key = "calendar_after" if found["after"] else "calendar_before"
                article = "el " if wording.language == "es" and len(names) == 7 else ""
                return _begun(wording.say(key, other=article + name, day=article + other))
    return ""


def _months_with(said: str, wording: Wording, _today: date) -> str:
    """How many months have 31 days, and which."""
    found = _MONTHS_WITH.search(said)
    if not found or not _DAYS.search(said):
        return ""
    names = [name for place, name in enumerate(dates.MONTHS[wording.language]) if _LENGTHS[place] == int(found[1])]
    if not names:
        return ""
    listed = f"{', '.join(names[:-1])} {_AND[wording.language]} {names[-1]}" if len(names) > 1 else names[0]
    return wording.say("calendar_months_with", count=len(names), days=found[1], months=listed)


def _year_length(said: str, wording: Wording, today: date) -> str:
    """How many days a month or a year has, in a leap year or in any."""
    if not (_HOW_LONG.search(said) and _DAYS.search(said)) or _LEFT.search(said) or dates.year_in(said):
        return ""
    leap = bool(_LEAP.search(said))
    month = dates.month_in(said, wording.language)
    if month and leap and not dates.date_in(said, wording.language, today):
        name = dates.MONTHS[wording.language][month - 1]
        return wording.say("calendar_month", month=_begun(name), days=_LENGTHS[month - 1] + (month == 2))
    if month or not (leap or _YEAR_DAYS.search(said)) or dates.holiday(said, wording.language, today):
        return ""
    return wording.say("calendar_leap_days" if leap else "calendar_year_days")


def _leap(said: str, wording: Wording, today: date) -> str:
    if not _LEAP.search(said):
        return ""
    year = dates.year_in(said) or today.year + bool(
        re.search(r"next year|annee prochaine|ano que viene|nachstes jahr", said)
    )
    coming = next(one for one in range(max(year, today.year) + 1, year + 500) if calendar.isleap(one))
    if _NEXT.search(said) and year == today.year and re.search(r"when|quand|cuando|wann", said):
        return wording.say("calendar_no_leap" if not calendar.isleap(year) else "calendar_leap", year=year, next=coming)
    return wording.say("calendar_leap" if calendar.isleap(year) else "calendar_no_leap", year=year, next=coming)


def _age(said: str, wording: Wording, today: date) -> str:
    year = dates.year_in(said)
    if not (_BORN.search(said) and year) or not 0 <= today.year - year <= 150:
        return ""
    if born := dates.date_in(said, wording.language, today):
        age = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
        return wording.say("calendar_age_exact", age=age) if age >= 0 else ""
    if not (_OLD.search(said) or re.search(r"\bwould\b|\bis\b|\bam\b", said)):
        return ""
    return wording.say("calendar_age", year=year, age=today.year - year, before=max(0, today.year - year - 1))


def _month_length(said: str, wording: Wording, today: date) -> str:
    if not (_HOW_LONG.search(said) and _DAYS.search(said)) or re.search(
        r"\b(?:until|till|hasta|faltan?|jusqu\w*|bis|since)\b", said
    ):
        return ""
    month, year = dates.month_in(said, wording.language), dates.year_in(said) or today.year
    if _THIS_MONTH.search(said):
        month = today.month
    if not month or dates.date_in(said, wording.language, today):
        return ""
    name = f"{dates.MONTHS[wording.language][month - 1]} {year}"
    return wording.say("calendar_month", month=name, days=calendar.monthrange(year, month)[1])


def _distance(said: str, wording: Wording, today: date) -> str:
    """How long until a holiday or a date, or since; and when a holiday is."""
    language, past = wording.language, bool(_SINCE.search(said) or _PAST.search(said))
    feast = dates.holiday(said, language, today, past=past)
    counts = _HOW_LONG.search(said) and (_UNTIL.search(said) or _SINCE.search(said) or _DAYS.search(said))
    if feast is None and not counts:
        return ""
    day = (
        feast[1] if feast else dates.date_in(said, language, today, past=past) or dates.relative(said, language, today)
    )
    if day is None:
        return ""
    what = feast[0] if feast else dates.told(day, language)
    days = (day - today).days
    if days == 0:
        return wording.say("calendar_until_today", what=_begun(what))
    if days < 0:
        return wording.say("calendar_since", date=dates.told(day, language), days=_span(-days, said, language))
    when = dates.told(day, language) if feast else ""
    key = "calendar_until" if when else "calendar_until_date"
    return wording.say(key, what=_begun(what), date=when, days=_span(days, said, language))


def _named(said: str, wording: Wording, today: date) -> str:
    """Which day it is: a date, a weekday, "in ten days"; or the week, the month and the year."""
    language = wording.language
    if _WEEK_NUMBER.search(said):
        return wording.say("calendar_week", week=today.isocalendar().week)
    day = dates.date_in(said, language, today, past=bool(_PAST.search(said)))
    if day is None and _ASKS_DAY.search(said):
        day = dates.relative(said, language, today)
    about_now = all(word in _ABOUT_NOW for word in re.findall(r"[^\W\d_]+", said))
    if day is None and about_now and re.search(_WHICH_YEAR.pattern + "|" + _WHICH_MONTH.pattern, said):
        return wording.say("calendar_today", date=dates.told(today, language))
    if day is None:
        bare = re.search(r"(?:what|which)(?: is|'s|s)?(?: the)? (?:day|date|weekday)|quel(?:le)? (?:jour|date)|(?:que"
        r"|cual) (?:dia|fecha)"
                         r"|a cuantos estamos|welcher tag|welchen tag|welches datum|wievielte", said)  # fmt: skip
        day = today if bare and about_now and not re.search(r"\d{3,}", said) else None
    if day is None:
        return ""
    key = "calendar_today" if day == today else "calendar_was" if day < today else "calendar_date"
    return wording.say(key, date=dates.told(day, language))


def _span(days: int, said: str, language: str) -> str:
    if _WEEKS.search(said) and days >= 7:
        weeks, rest = divmod(days, 7)
        told = f"{weeks} {_WEEK[language][weeks > 1]}"
        return f"{told} {_AND[language]} {_counted(rest, language)}" if rest else told
    return _counted(days, language)


def _counted(days: int, language: str) -> str:
    return f"{days} {_IN_DAYS.get(language, _DAY[language])[days > 1]}"


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]
