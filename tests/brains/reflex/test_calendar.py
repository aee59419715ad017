"""Questions about days, on a fixed day: Monday, 16 November 2026."""

from __future__ import annotations

from datetime import date

import pytest

from reachy_mind.brains.reflex.calendar_answers import answer
from reachy_mind.brains.reflex.dates import easter
from reachy_mind.brains.reflex.wording import Wording

TODAY = date(2026, 11, 16)
ASKED = {
    "en": {
        "what day is it today?": "Today is Monday, 16 November 2026.",
        "what's the date": "Today is Monday, 16 November 2026.",
        "what day is tomorrow?": "Tuesday, 17 November 2026",
        "what is the date next Friday": "Friday, 20 November 2026",
        "what day is it in ten days": "Thursday, 26 November 2026",
        "what date was it two weeks ago": "Monday, 2 November 2026",
        "which day of the week is December 24th": "Thursday, 24 December 2026",
        "what weekday was July 20 1969": "Sunday, 20 July 1969",
        "what day is the third of May 2027": "Monday, 3 May 2027",
        "how many days until christmas": "Christmas is in 39 days, on Friday, 25 December 2026.",
        "how many weeks until christmas": "5 weeks and 4 days",
        "when is easter": "Sunday, 28 March 2027",
        "how long until new year": "46 days",
        "how many days until halloween?": "349 days",
        "when is valentine's day": "Sunday, 14 February 2027",
        "how many days until the 1st of December": "in 15 days",
        "how many days until Friday": "in 4 days",
        "is 2028 a leap year": "Yes, 2028",
        "is this year a leap year?": "No, 2026 is no leap year. The next one is 2028.",
        "how many days are in February": "February 2026 has 28 days.",
        "how many days does February 2028 have": "29 days",
        "how old is someone born in 1987": "39",
        "how old am I if I was born on 3 May 1990": "36",
        "which week is it": "week 47",
        "when is pentecost": "Sunday, 16 May 2027",
        "when is good friday": "Friday, 26 March 2027",
        "what is the date next Monday": "Monday, 23 November 2026",
        "what date was last Friday": "Friday, 13 November 2026",
        "what date was last Monday": "Monday, 9 November 2026",
        "what year is it": "2026",
    },
    "fr": {
        "quel jour sommes-nous ?": "Aujourd'hui, c'est lundi 16 novembre 2026.",
        "quel jour serons-nous demain ?": "mardi 17 novembre 2026",
        "combien de jours avant Noël ?": "39 jours",
        "quel jour tombe le 1er janvier 2027": "vendredi 1er janvier 2027",
        "quand est Pâques ?": "dimanche 28 mars 2027",
        "2028 est-elle une année bissextile ?": "Oui",
        "combien de jours a février ?": "28 jours",
        "quel jour serons-nous dans dix jours": "jeudi 26 novembre 2026",
        "quel âge a quelqu'un né en 1987": "39",
    },
    "es": {
        "¿qué día es hoy?": "Hoy es lunes 16 de noviembre de 2026.",
        "¿qué día es mañana?": "martes 17 de noviembre de 2026",
        "¿cuántos días faltan para Navidad?": "39 días",
        "¿qué día cae el 24 de diciembre?": "jueves 24 de diciembre de 2026",
        "¿es bisiesto 2028?": "Sí",
        "¿cuántos días tiene febrero?": "28 días",
        "¿qué día es el próximo viernes?": "viernes 20 de noviembre de 2026",
        "¿cuántos años tiene alguien nacido en 1987?": "39",
    },
    "de": {
        "welcher Tag ist heute?": "Heute ist Montag, 16. November 2026.",
        "welcher Tag ist morgen?": "Dienstag, 17. November 2026",
        "wie viele Tage sind es noch bis Weihnachten?": "in 39 Tagen",
        "welcher Wochentag ist der 24. Dezember?": "Donnerstag, 24. Dezember 2026",
        "ist 2028 ein Schaltjahr?": "Ja",
        "wie viele Tage hat der Februar?": "28 Tage",
        "welches Datum haben wir nächsten Freitag": "Freitag, 20. November 2026",
        "wie alt ist jemand, der 1987 geboren ist": "39",
        "wann ist Ostern?": "Sonntag, 28. März 2027",
        "welcher Tag ist in zehn Tagen": "Donnerstag, 26. November 2026",
    },
}


@pytest.mark.parametrize(
    ("language", "said", "told"), [(lang, said, told) for lang, all_ in ASKED.items() for said, told in all_.items()]
)
def test_a_question_about_days(language: str, said: str, told: str) -> None:
    assert told in answer(said, Wording(language), TODAY)


def test_a_holiday_on_its_day_is_today() -> None:
    assert "today" in answer("how many days until christmas", Wording("en"), date(2026, 12, 25))
    assert "in 1 day," in answer("how many days until christmas", Wording("en"), date(2026, 12, 24))


@pytest.mark.parametrize(
    "day", [date(2024, 3, 31), date(2025, 4, 20), date(2026, 4, 5), date(2038, 4, 25), date(2285, 3, 22)]
)
def test_easter(day: date) -> None:
    assert easter(day.year) == day


@pytest.mark.parametrize(
    "said", ["why is the sky blue", "who are you", "how many legs has a spider", "31 February 2026"]
)
def test_what_is_no_question_about_days_has_no_answer(said: str) -> None:
    assert answer(said, Wording("en"), TODAY) == ""


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "what year did the Titanic sink"),
        ("en", "which year was Mozart born in?"),
        ("en", "what month do the swallows come back"),
        ("en", "what day did they land on the moon"),
        ("fr", "en quelle année est mort Napoléon ?"),
        ("es", "¿en qué año cayó el muro?"),
        ("de", "in welchem Jahr fiel die Mauer? und welches Jahr war der Brand?"),
    ],
)
def test_the_year_of_something_else_is_not_this_one(language: str, said: str) -> None:
    assert answer(said, Wording(language), TODAY) == ""
