"""Days as people name them, in four languages: dates, weekdays, holidays, "in ten days", and how they are told."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

from text_to_num import alpha2digit

from reachy_mind.brains.word_lists import spaced
from reachy_mind.models.wordpiece import without_accents

MONTHS = {
    "en": spaced("January February March April May June July August September October November December"),
    "fr": spaced("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    "es": spaced("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    "de": spaced("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
}
WEEKDAYS = {
    "en": spaced("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "fr": spaced("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    "es": spaced("lunes martes miércoles jueves viernes sábado domingo"),
    "de": spaced("Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag"),
}
HOLIDAYS = {
    "christmas_eve": (
        r"christmas eve|veille de noel|reveillon de noel|nochebuena|heilig(?:er |en )?abend|heiligabend",
        ("Christmas Eve", "la veille de Noël", "Nochebuena", "Heiligabend"),
    ),
    "christmas": (r"christmas|xmas|\bnoel\b|navidad|weihnacht", ("Christmas", "Noël", "Navidad", "Weihnachten")),
    "new_years_eve": (
        r"new year'?s'? eve|saint[- ]sylvestre|nochevieja|silvester",
        ("New Year's Eve", "la Saint-Sylvestre", "Nochevieja", "Silvester"),
    ),
    "new_year": (
        r"new year|nouvel an|jour de l'? ?an|ano nuevo|neujahr",
        ("New Year", "le Nouvel An", "Año Nuevo", "Neujahr"),
    ),
    "halloween": (r"hallowee?n", ("Halloween", "Halloween", "Halloween", "Halloween")),
    "valentine": (r"valentin", ("Valentine's Day", "la Saint-Valentin", "San Valentín", "der Valentinstag")),
    "good_friday": (
        r"good friday|vendredi saint|viernes santo|karfreitag",
        ("Good Friday", "le Vendredi saint", "Viernes Santo", "Karfreitag"),
    ),
    "easter": (
        r"easter|\bpaques\b|\bpascua|semana santa|\bostern",
        ("Easter Sunday", "le dimanche de Pâques", "el Domingo de Pascua", "Ostersonntag"),
    ),
    "pentecost": (
        r"pentecost|whitsun|pentecote|pentecostes|pfingst",
        ("Pentecost", "la Pentecôte", "Pentecostés", "Pfingstsonntag"),
    ),
    "april_fools": (
        (
            r"april fool|poisson d'? ?avril"
            r"|aprilscherz"
        ),
        ("April Fools' Day", "le premier avril", "el primero de abril", "der erste April"),
    ),
    "st_patrick": (r"patrick", ("St Patrick's Day", "la Saint-Patrick", "San Patricio", "der St. Patrick's Day")),
    "epiphany": (
        (
            r"epiphan|dia de reyes|reyes magos"
            r"|dreikonig"
        ),
        ("Epiphany", "l'Épiphanie", "el Día de Reyes", "Dreikönigstag"),
    ),
    "nicholas": (
        (
            r"saint nicholas|saint nicolas|san nicolas"
            r"|nikolaus"
        ),
        ("Saint Nicholas' Day", "la Saint-Nicolas", "San Nicolás", "Nikolaus"),
    ),
    "bastille": (
        (
            r"bastille"
            r"|14 juillet"
        ),
        ("Bastille Day", "le 14 Juillet", "la fiesta nacional francesa", "der französische Nationalfeiertag"),
    ),
}
_FIXED = {
    "christmas_eve": (12, 24),
    "christmas": (12, 25),
    "new_years_eve": (12, 31),
    "new_year": (1, 1),
    "halloween": (10, 31),
    "valentine": (2, 14),
    "april_fools": (4, 1),
    "st_patrick": (3, 17),
    "epiphany": (1, 6),
    "nicholas": (12, 6),
    "bastille": (7, 14),
}
_BY_EASTER = {"good_friday": -2, "easter": 0, "pentecost": 49}
_LANGUAGES = ("en", "fr", "es", "de")
_RELATIVE = (
    (2, r"day after tomorrow|apres[- ]?demain|pasado manana|u?e?bermorgen"),
    (-2, r"day before yesterday|avant[- ]?hier|anteayer|antes de ayer|vorgestern"),
    (1, r"tomorrow|demain|\bmanana\b|\bmorgen\b"),
    (-1, r"yesterday|\bhier\b|\bayer\b|gestern"),
    (0, r"today|aujourd'? ?hui|\bhoy\b|\bheute\b"),
)
_UNITS = {
    "days": r"days?|jours?|dias?|tage?n?",
    "weeks": r"weeks?|semaines?|semanas?|wochen?",
    "months": r"months?|mois|mes(?:es)?|monate?n?",
    "years": r"years?|ans?|annees?|anos?|jahre?n?",
}
_AGO = re.compile(r"\bago\b|il y a|\bhace\b|\bvor (?=\d)")
_LAST = re.compile(r"\blast\b|dernier|derniere|pasad[oa]|letzte[nrs]?|vorige[nrs]?")


def normal(text: str, language: str) -> str:
    """Small letters without accents, with digits; ordinals too ("25th", "1er")."""
    said = without_accents(alpha2digit(text.lower().replace("\u2019", "'"), language, threshold=0))
    return re.sub(
        r"\b(?:le |el |the )?(?:premier|primero)\b", "1", re.sub(r"\b(\d+)(?:st|nd|rd|th|er|eme|o)\b", r"\1", said)
    )


def told(day: date, language: str) -> str:
    """A date with its weekday."""
    weekday, month = WEEKDAYS[language][day.weekday()], MONTHS[language][day.month - 1]
    number = "1er" if language == "fr" and day.day == 1 else str(day.day)
    match language:
        case "fr":
            return f"{weekday} {number} {month} {day.year}"
        case "es":
            return f"{weekday} {number} de {month} de {day.year}"
        case "de":
            return f"{weekday}, {number}. {month} {day.year}"
        case _:
            return f"{weekday}, {number} {month} {day.year}"


def month_in(said: str, language: str) -> int:
    """The month that is named, 1 to 12; 0 when none is."""
    for number, name in enumerate(MONTHS[language], start=1):
        if re.search(rf"\b{without_accents(name)}s?\b", said) and not (name == "May" and "may i" in said):
            return number
    return 0


def year_in(said: str) -> int:
    found = re.search(r"\b(1[5-9]\d{2}|2[0-4]\d{2})\b", said)
    return int(found[1]) if found else 0


def date_in(said: str, language: str, today: date, *, past: bool = False) -> date | None:
    """A day of a month; without a year the next one, or the last one for the past."""
    if written := re.search(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b", said):
        return _day(int(written[1]), int(written[2]), int(written[3]))
    if written := re.search(r"\b(\d{1,2})[./](\d{1,2})[./](\d{4})\b", said):
        return _day(int(written[3]), int(written[2]), int(written[1]))
    month = month_in(said, language)
    if not month:
        return None
    name = without_accents(MONTHS[language][month - 1])
    found = re.search(rf"\b(\d{{1,2}})\.? (?:of |de |d'|en )?{name}\b", said) or re.search(
        rf"\b{name} (?:the )?(\d{{1,2}})\b(?!\d)", said
    )
    if found is None:
        return None
    number = int(found[1])
    if year := year_in(said):
        return _day(year, month, number)
    years = range(today.year, today.year - 9, -1) if past else range(today.year, today.year + 9)
    days = (day for year in years if (day := _day(year, month, number)))
    return next((day for day in days if (day <= today if past else day >= today)), None)


def relative(said: str, language: str, today: date) -> date | None:
    """Today, tomorrow, in ten days, two weeks ago, next Friday."""
    for unit, words in _UNITS.items():
        if found := re.search(rf"\b(\d{{1,4}}|an?|une?|eine[rmn]?) (?:{words})\b", said):
            amount = int(found[1]) if found[1].isdigit() else 1
            if re.search(
                r"\bin\b|\bdans\b|\ben\b|dentro de|from (?:now|today)|\bd'ici\b|\blater\b|spater", said
            ) or _AGO.search(said):
                return _shifted(today, unit, -amount if _AGO.search(said) else amount)
    for days, words in _RELATIVE:
        if re.search(words, said):
            return today + timedelta(days=days)
    for number, name in enumerate(WEEKDAYS[language]):
        if re.search(rf"\b{without_accents(name)}s?\b", said):
            ahead = (number - today.weekday()) % 7 or 7
            back = (14 if ahead == 7 else 7) if _LAST.search(said) else 0
            return today + timedelta(days=ahead - back)
    return None


def holiday(said: str, language: str, today: date, *, past: bool = False) -> tuple[str, date] | None:
    """The name of a holiday that is mentioned, and its next day, its last one, or that of a year that is named."""
    for name, (words, names) in HOLIDAYS.items():
        if not re.search(words, said):
            continue
        if year := year_in(said):
            return names[_LANGUAGES.index(language)], _held(name, year)
        around = [_held(name, today.year + shift) for shift in (-1, 0, 1)]
        day = max(one for one in around if one <= today) if past else min(one for one in around if one >= today)
        return names[_LANGUAGES.index(language)], day
    return None


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar."""
    century, golden = year // 100, year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    shift = (32 + 2 * (century % 4) + 2 * (year % 100 // 4) - epact - year % 4) % 7
    late = (golden + 11 * epact + 22 * shift) // 451
    month, day = divmod(epact + shift - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _held(name: str, year: int) -> date:
    if name in _FIXED:
        return date(year, *_FIXED[name])
    return easter(year) + timedelta(days=_BY_EASTER[name])


def _day(year: int, month: int, day: int) -> date | None:
    return (
        date(year, month, day)
        if year >= 1 and 1 <= month <= 12 and 1 <= day <= calendar.monthrange(year, month)[1]
        else None
    )


def _shifted(today: date, unit: str, amount: int) -> date | None:
    if unit in ("days", "weeks"):
        return today + timedelta(days=amount * (7 if unit == "weeks" else 1))
    months = today.year * 12 + today.month - 1 + amount * (12 if unit == "years" else 1)
    year, month = divmod(months, 12)
    if not 1 <= year <= 9998:
        return None
    return date(year, month + 1, min(today.day, calendar.monthrange(year, month + 1)[1]))
