"""Sums, units and days as people ask for them, through the whole brain, whatever the reader takes them for."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.brains.reflex.arithmetic import answer
from reachy_mind.brains.reflex.plan import Guess, Plan, Step, Talk, Unknown
from reachy_mind.brains.reflex.reckoning import answered
from reachy_mind.brains.reflex.reckoning import recognised as reckoned
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.brains.word_lists import spaced
from tests.brains.reflex.company import Company

SUMS = {
    "en": {
        "half of 90": "45", "a third of 27": "9", "three quarters of 100": "75", "forty minus two": "38",
        "what is five squared": "25", "nine cubed": "729", "cube root of 27": "3", "3 plus 4 times 2 minus 1": "10",
        "what do I get if I add five and seven": "12", "what do i get if i multiply 6 by 7": "42",
        "subtract three from ten": "7", "the difference between 10 and 4": "6", "twice 8": "16",
        "20 percent off 50": "40", "what's twenty percent of two hundred and fifty": "50", "divide 100 by 8": "12.5",
        "add 5 and 7 then multiply by 2": "24", "5 factorial": "120", "how much is 7 and 8": "15", "1/3": "0.3333",
        "999999 times 1.5": "1499998.5", "ten divided by zero": "",
    },
    "fr": {
        "combien font quarante moins deux": "38", "la moitié de trente": "15", "un tiers de neuf": "3",
        "quinze pour cent de quatre-vingts": "12", "dix divisé par quatre": "2,5", "2,5 fois 4": "10",
        "si j'ajoute cinq et sept": "12", "le double de huit": "16", "la racine carrée de 49": "7",
    },
    "es": {
        "la mitad de treinta": "15", "el quince por ciento de ochenta": "12", "siete al cuadrado": "49",
        "un cuarto de cien": "25", "resta tres de diez": "7",
    },
    "de": {
        "die Hälfte von dreißig": "15", "drei Viertel von hundert": "75", "fünfzehn Prozent von achtzig": "12",
        "ziehe drei von zehn ab": "7", "7 durch 2": "3,5", "das Doppelte von acht": "16",
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "said", "result"), [(lang, said, told) for lang, all_ in SUMS.items() for said, told in all_.items()]
)
def test_sums_in_words_and_digits(language: str, said: str, result: str) -> None:
    assert answer(said, language) == result


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("how many grams are in a pound?", "453.6 grams"),
        ("what is 70 fahrenheit in celsius?", "21.1"),
        ("how many days until christmas?", "39 days"),
        ("what day is tomorrow?", "Tuesday"),
        ("is 2028 a leap year?", "Yes"),
        ("what do I get if I add five and seven?", "12"),
    ],
)
async def test_it_is_answered_whatever_it_was_read_as(said: str, told: str) -> None:
    company = Company()
    assert told in await company.say(said)
    assert company.understood and not company.calls


async def test_the_time_is_still_told_by_the_clock() -> None:
    for said in ("what time is it?", "what day is it today?"):
        company = Company({said: Plan((Step("get_time"),))})
        await company.say(said)
        assert company.calls == [("get_time", {})]


@pytest.mark.parametrize("kind", ["@convert", "@calendar", "@arithmetic"])
async def test_what_it_can_not_work_out_it_says(kind: str) -> None:
    company = Company({"hm": Plan((Talk(kind, "hm"),))})
    reply = await company.say("hm")
    assert "can't" in reply or "Numbers yes" in reply or "too much" in reply or "ends before" in reply


@pytest.mark.parametrize("said", ["will it rain tomorrow?", "what shall we eat on Friday?", "is the shop open today?"])
async def test_a_day_that_is_only_mentioned_is_not_told(said: str) -> None:
    company = Company({said: Plan((Talk("@knowledge", said),))})
    assert "2026" not in await company.say(said)


async def test_a_guess_is_dropped_for_what_can_be_worked_out() -> None:
    said = "when is halloween"
    company = Company({said: Plan((Guess((Step("search_memories", {"query": said}),)),))})
    assert "31 October 2027" in await company.say(said)


async def test_what_somebody_tells_is_no_sum() -> None:
    said = "I walked ten miles yesterday"
    company = Company({said: Plan((Talk("@report", said),))})
    assert "kilomet" not in await company.say(said)


WORDS = st.sampled_from(
    spaced(
        """
        how many much is are in a an the what day date until since next last friday may 1 2026 0000-00-00 31.02.2026
        half of third percent root plus minus times divided by then add ( ) ** 9 99999999999 pound pounds grams miles
        km/h \u00b0c feet inches -40 combien de jours dans une cuantos dias faltan para navidad wie viele tage bis
        ostern born years ago leap year factorial 400 weeks 9999
        """
    )
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=12), st.sampled_from(["en", "fr", "es", "de"]), st.text(max_size=40))
def test_no_words_break_it(words: list[str], language: str, more: str) -> None:
    said = " ".join([*words, more])
    for kind in ("@arithmetic", "@convert", "@calendar"):
        assert answered(Talk(kind, said), Wording(language), date(2026, 11, 16))
    assert reckoned(Plan((Unknown(said),), language), said, date(2026, 11, 16)).parts
