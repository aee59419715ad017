"""Numbers, angles, lengths of time and moments in four languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.brains.reflex import quantities

MOMENTS = {
    "en": {
        "at half six": "18:30", "tomorrow morning at eight": "tomorrow 08:00", "on Thursday at noon": "thursday 12:00",
        "tonight at 9": "21:00", "at 18:45": "18:45", "seven thirty": "07:30", "10am": "10:00", "at six": "18:00",
        "quarter to nine tomorrow": "tomorrow 08:45", "five past six in the evening": "18:05", "at 6.30": "18:30",
        "Friday at 4 pm": "friday 16:00", "at 7 in the morning": "07:00", "tomorrow": "tomorrow 09:00",
        "by 5": "17:00", "at 11 tonight": "23:00", "in 20 minutes": 20, "in an hour and a half": 90, "in ten": 10,
        "in three quarters of an hour": 45, "half an hour from now": 30, "in two days": 2880, "a week from now": 10080,
    },
    "fr": {
        "dix-huit heures trente": "18:30", "demain matin à huit heures": "tomorrow 08:00", "à 20h": "20:00",
        "vendredi à midi": "friday 12:00", "ce soir à neuf heures": "21:00", "demain après-midi": "tomorrow 15:00",
        "dans trois quarts d'heure": 45, "dans une heure et demie": 90, "dans vingt minutes": 20,
    },
    "es": {
        "a las seis y media de la tarde": "18:30", "mañana a las ocho": "tomorrow 08:00", "a las 21:15": "21:15",
        "el viernes a las diez de la mañana": "friday 10:00", "a las siete menos cuarto": "18:45",
        "dentro de tres cuartos de hora": 45, "en media hora": 30,
    },
    "de": {
        "um halb sieben": "18:30", "morgen früh um acht": "tomorrow 08:00", "um 18 Uhr 30": "18:30",
        "heute Abend um neun": "21:00", "am Freitag um zehn Uhr": "friday 10:00", "um zehn vor acht": "07:50",
        "in einer Dreiviertelstunde": 45, "in anderthalb Stunden": 90,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "said", "when"), [(lang, said, when) for lang, rows in MOMENTS.items() for said, when in rows.items()]
)
def test_a_moment(language: str, said: str, when: str | int) -> None:
    wanted = {"at": when} if isinstance(when, str) else {"in_minutes": when}
    assert quantities.moment(said, language) == wanted


@pytest.mark.parametrize(
    ("language", "said", "length"),
    [
        ("en", "an hour and a half", {"hours": 1, "minutes": 30}),
        ("en", "two and a half minutes", {"minutes": 2, "seconds": 30}),
        ("en", "an hour twenty", {"hours": 1, "minutes": 20}),
        ("en", "1h30", {"hours": 1, "minutes": 30}),
        ("en", "45s", {"seconds": 45}),
        ("en", "ten", {"minutes": 10}),
        ("fr", "une heure et quart", {"hours": 1, "minutes": 15}),
        ("fr", "deux minutes trente", {"minutes": 2, "seconds": 30}),
        ("es", "una hora y media", {"hours": 1, "minutes": 30}),
        ("es", "un cuarto de hora", {"minutes": 15}),
        ("de", "zweieinhalb Minuten", {"minutes": 2, "seconds": 30}),
        ("de", "einer halben Stunde", {"minutes": 30}),
    ],
)
def test_a_length_of_time(language: str, said: str, length: dict[str, int]) -> None:
    assert quantities.length(said, language, "minutes") == length


@pytest.mark.parametrize(
    ("language", "said", "angle"),
    [
        ("en", "forty-five degrees", 45),
        ("en", "half a turn", 180),
        ("en", "minus ten", -10),
        ("fr", "un quart de tour", 90),
        ("es", "treinta y cinco grados", 35),
        ("de", "fünfundvierzig Grad", 45),
    ],
)
def test_an_angle(language: str, said: str, angle: float) -> None:
    assert quantities.degrees(said, language) == angle


def test_counts_and_shares() -> None:
    assert [quantities.count(said) for said in ("twice", "a couple of times", "seven times")] == [2, 2, 7]
    assert quantities.count("dreimal", "de") == 3 and quantities.count("tres veces", "es") == 3
    assert [quantities.percent(said) for said in ("sixty percent", "halfway", "a quarter")] == [60, 50, 25]
    assert quantities.percent("ein Viertel", "de") == 25
    assert quantities.numbers_in("0.5, -0.2 and 0.3") == [0.5, -0.2, 0.3]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.sampled_from(["en", "fr", "es", "de"]))
def test_no_text_is_too_strange(said: str, language: str) -> None:
    for read in (quantities.moment, quantities.length, quantities.degrees, quantities.count, quantities.percent):
        read(said, language)
