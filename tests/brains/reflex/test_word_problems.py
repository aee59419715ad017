"""Sums that are told as little stories, and sums that go on from the last one."""

from __future__ import annotations

from datetime import date

import pytest

from reachy_mind.brains.reflex import calendar_answers
from reachy_mind.brains.reflex.arithmetic_followups import continued
from reachy_mind.brains.reflex.plan import Plan, Step, Talk
from reachy_mind.brains.reflex.word_problems import answer
from reachy_mind.brains.reflex.wording import Wording
from tests.brains.reflex.company import Company

STORIES = {
    "en": {
        "i bought 3 loaves of bread at 2 euros 50 each, what did i pay": "7.50 euros",
        "I have ninety pence and I give half of it to Tom, how much does Tom get?": "45 pence",
        "I have 12 sweets and share them among 4 friends, how many does each get?": "3",
        "If I have twelve apples and eat five, how many are left?": "7",
        "Tom has 8 marbles and finds 3 more, how many does he have in all?": "11",
        "I had 20 euros and spent 7 euros 50, how much do I have left?": "12.50 euros",
        "there are 5 birds on a tree and 2 fly away. how many are left?": "3",
        "I buy 2 coffees at 3 pounds 20 and pay with 10 pounds, how much change do I get?": "3.60 pounds",
        "4 bags with 6 apples each, how many apples are there?": "24",
        "I have 10 sweets, give 3 to Anna and 2 to Ben, how many do I have left": "5",
        "I've got 15 pounds, my gran gives me 5 pounds, how much have I got now?": "20 pounds",
        "i have ten euros and buy 2 ice creams at 1 euro 50 each. how much is left?": "7 euros",
        "a train has 50 people, 12 get off and 8 get on. how many are on the train?": "46",
        "pizza for 4 people costs 20 euros, how much does each pay?": "5 euros",
        "how many days are there in 3 weeks and 2 days": "",
        "how many legs do 3 spiders have": "",
        "I bought 3 loaves at 2 euros": "",
        "how much is left? I had 5 and ate 3": "",
        "how many #1 hits #2 and 3": "",
        "how old is the oldest of 7 brothers and 2 sisters": "",
    },
    "fr": {
        "j'achète 3 pains à 2 euros 50 chacun, combien je paie ?": "7,50 euros",
        "j'ai 12 bonbons et j'en mange 5, combien il m'en reste ?": "7",
        "je partage 12 bonbons entre 4 amis, combien chacun en reçoit ?": "3",
    },
    "es": {
        "compro 3 panes a 2 euros cada uno, ¿cuánto pago?": "6 euros",
        "tengo doce caramelos y me como cinco, ¿cuántos me quedan?": "7",
        "reparto 12 caramelos entre 4 amigos, ¿cuántos recibe cada uno?": "3",
    },
    "de": {
        "ich kaufe 3 Brote zu je 2 Euro 50, wie viel zahle ich?": "7,50 Euro",
        "ich habe zwölf Bonbons und esse fünf, wie viele bleiben übrig?": "7",
        "ich verteile 12 Bonbons an 4 Kinder, wie viele bekommt jedes?": "3",
        "ich habe 90 Cent und gebe die Hälfte Tom, wie viel bekommt Tom?": "45 Cent",
    },
}


@pytest.mark.parametrize(
    ("language", "said", "result"),
    [(lang, said, told) for lang, all_ in STORIES.items() for said, told in all_.items()],
)
def test_stories_with_a_sum(language: str, said: str, result: str) -> None:
    assert answer(said, language) == result


async def test_a_story_is_reckoned_whatever_it_was_read_as() -> None:
    said = "i bought 3 loaves of bread at 2 euros 50 each, what did i pay"
    company = Company({said: Plan((Talk("@feel_proud", said),))})
    assert "7.50 euros" in await company.say(said) and not company.calls


async def test_a_request_with_numbers_is_still_done() -> None:
    said = "nod 2 times and tell me how many of 5 apples are left if I eat 3"
    company = Company({said: Plan((Step("nod", {"times": 2}),))})
    await company.say(said)
    assert company.calls == [("nod", {"times": 2})]


FURTHER = [
    ("That makes 48.", "now add ten", "(48) + 10"),
    ("I get 48.", "and times two?", "(48) * 2"),
    ("I get 48.", "half of that", "48 /2"),
    ("The answer is 48.", "minus five", "(48) - 5"),
    ("It comes to 48.", "divide that by 4", "(48) / 4"),
    ("I get 7.50 pounds.", "double it", "7.50 *2"),
    ("Ça fait 12.", "plus dix", "(12) + 10"),
    ("Son 12.", "¿y por dos?", "(12) * 2"),
    ("Das macht 2,5.", "und mal drei?", "(2.5) * 3"),
    ("I get 48.", "and the second largest?", ""),
    ("I get 48.", "over there", ""),
    ("It's 12:30.", "plus ten", ""),
    ("Jupiter is the largest.", "now add ten", ""),
]


@pytest.mark.parametrize(("reply", "said", "further"), FURTHER)
def test_a_sum_goes_on_from_the_last_reply(reply: str, said: str, further: str) -> None:
    assert continued(said, "tell me", reply)[0] == further


async def test_sums_go_on_in_a_conversation() -> None:
    company = Company()
    assert "48" in await company.say("what is 6 times 8")
    assert "58" in await company.say("now add ten")
    assert "29" in await company.say("half of that")


ORDER = {
    "en": {
        "what day comes after thursday": "After Thursday comes Friday.",
        "which month comes before june": "May comes right before June.",
        "which month follows december?": "After December comes January.",
        "how many days has february in a leap year": "February has 29 days.",
        "how many days are in a leap year?": "366",
        "how many months have 31 days": "7",
        "what day was it yesterday": "That was Sunday, 15 November 2026.",
    },
    "fr": {
        "quel jour vient après jeudi ?": "vendredi",
        "combien de mois ont 31 jours ?": "7",
        "quel jour était hier ?": "dimanche",
    },
    "es": {"¿qué mes va antes de junio?": "Mayo", "¿cuántos días tiene febrero en un año bisiesto?": "29"},
    "de": {"welcher Tag kommt nach Donnerstag?": "Freitag", "wie viele Monate haben 30 Tage?": "4"},
}


@pytest.mark.parametrize(
    ("language", "said", "told"), [(lang, said, told) for lang, all_ in ORDER.items() for said, told in all_.items()]
)
def test_days_and_months_in_their_order_and_number(language: str, said: str, told: str) -> None:
    assert told in calendar_answers.answer(said, Wording(language), date(2026, 11, 16))


@pytest.mark.parametrize(
    "said", ["what is the weather after monday", "what happened after june 1944", "meet me after friday"]
)
def test_what_only_names_a_day_asks_for_no_order(said: str) -> None:
    assert "comes" not in calendar_answers.answer(said, Wording("en"), date(2026, 11, 16))
