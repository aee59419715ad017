"""Times of a request: amounts as people say them, in four languages."""

from __future__ import annotations

from datetime import datetime

import pytest

from reachy_mind.workshop.recipes import deadlines, timing


@pytest.mark.parametrize(
    ("language", "said", "interval_s", "duration_s"),
    [
        ("en", "nod evry 5 minuts for an hour", 300, 3600),
        ("en", "nod every 10 seconds or so for like three minutes", 10, 180),
        ("fr", "hoche la tête toutes les demi-heures", 1800, None),
        ("fr", "hoche la tête tous les quarts d'heure pendant quelques heures", 900, 10800),
        ("es", "asiente cada media hora durante un par de horas", 1800, 7200),
        ("de", "nicke jede halbe Stunde, ein paar Stunden lang", 1800, 10800),
        ("de", "nicke stündlich", 3600, None),
    ],
)
def test_amounts_as_people_say_them(language: str, said: str, interval_s: float, duration_s: float | None) -> None:
    read = timing.read(said, language)
    assert (read.interval_s, read.duration_s) == (interval_s, duration_s)
    assert not read.open_end


@pytest.mark.parametrize("said", ["you are very 5 minutes late", "the very second", "look over 2 hours ahead"])
def test_words_that_are_spelt_like_every_are_no_interval(said: str) -> None:
    assert timing.read(said, "en").interval_s is None


@pytest.mark.parametrize(
    ("language", "said", "left_s"),
    [
        ("en", "nod until noon", 3 * 3600),
        ("en", "nod till 5 pm", 8 * 3600),
        ("en", "nod until half past nine", 1800),
        ("en", "nod until lunch", 3 * 3600),
        ("en", "nod this afternoon", 9 * 3600),
        ("fr", "hoche la tête jusqu'à midi", 3 * 3600),
        ("fr", "hoche la tête jusqu'à 17h", 8 * 3600),
        ("es", "asiente hasta las cinco", 8 * 3600),
        ("de", "nicke bis 17 Uhr", 8 * 3600),
        ("de", "nicke bis Mitternacht", 15 * 3600),
        ("en", "nod until 8 am", 23 * 3600),
    ],
)
def test_an_end_by_the_clock_is_the_time_that_is_left(language: str, said: str, left_s: float) -> None:
    rest, left = deadlines.read(said, language, datetime(2026, 3, 2, 9, 0).astimezone())
    assert left == left_s
    assert rest in ("nod", "hoche la tête", "asiente", "nicke")


@pytest.mark.parametrize("said", ["nod until I come back", "watch until the cake is done"])
def test_an_end_that_no_clock_tells_stays_open(said: str) -> None:
    read = timing.read(said, "en")
    assert read.open_end
    assert read.duration_s is None


@pytest.mark.parametrize(
    ("said", "leads"),
    [
        ("in ten minutes dance", True),
        ("dance in ten minutes", True),
        ("wait a minute and then dance", True),
        ("first wait ten seconds, then dance", True),
        ("nod, wait ten seconds, then dance", False),
        ("nod and in ten seconds dance", False),
    ],
)
def test_a_wait_in_the_middle_is_not_a_wait_before_all(said: str, *, leads: bool) -> None:
    read = timing.read(said, "en")
    assert read.delay_s
    assert read.delay_leads == leads
