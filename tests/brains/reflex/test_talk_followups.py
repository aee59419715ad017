"""Talk that goes on from the talk before, and small questions that rules answer: phrases, numbers, the clock."""

from __future__ import annotations

import pytest

from reachy_mind.profiles.phrasebook import book
from tests.brains.reflex.company import BODY, Company


@pytest.mark.parametrize(
    ("first", "another", "language"),
    [("tell me a joke", "another one", "en"), ("erzähl mir einen Witz", "noch einen", "de"),
     ("raconte-moi une blague", "une autre", "fr")],
)  # fmt: skip
async def test_another_joke_is_a_joke(first: str, another: str, language: str) -> None:
    company = Company()
    joke = await company.say(first)
    following = await company.say(another)
    assert following in book(language)["joke"] and following != joke


async def test_who_does_not_laugh_is_offered_another() -> None:
    company = Company()
    await company.say("tell me a joke")
    assert await company.say("that wasn't funny") in book("en")["joke_flop"]
    assert await company.say("yes") in book("en")["joke"]


async def test_facts_are_told_one_after_the_other() -> None:
    company = Company()
    told = [await company.say(said) for said in ("tell me a fun fact", "another one", "one more")]
    assert len(set(told)) == 3 and set(told) <= set(book("en")["fun_fact"])


async def test_it_says_what_was_said() -> None:
    company = Company()
    assert await company.say("what did I just say?") in book("en")["you_said_nothing"]
    company.history.clear()
    await company.say("the capital of Peru is nice")
    await company.say("I like trains")
    assert "I like trains" in await company.say("what did I just say?")
    assert "the capital of Peru is nice" in await company.say("what was the first thing I said?")


async def test_its_own_words_are_repeated() -> None:
    company = Company()
    answer = await company.say("what's the capital of Peru?")
    assert "Lima" in answer and await company.say("what did you say?") == answer


async def test_without_anything_before_it_says_so_in_the_language_spoken() -> None:
    assert await Company().say("noch einmal") in book("de")["nothing_yet"]


@pytest.mark.parametrize(
    ("turns", "answer"),
    [
        (("how do you say thank you in French?",), "merci"),
        (("how do you say thank you in French?", "and in German?"), "danke"),
        (("how do you say thank you in French?", "and good night?"), "bonne nuit"),
        (("wie sagt man Hund auf Spanisch?",), "perro"),
        (("comment dit-on bonjour en allemand ?",), "hallo"),
        (("is 97 a prime number?",), "Yes"),
        (("is 91 a prime number?",), "No"),
        (("ist 12 durch 5 teilbar?",), "Nein"),
        (("what time is it in ten hours?",), "22:00"),
        (("wie spät ist es in einer halben Stunde?",), "12:30"),
        (("if I have 12 apples and give away 5, how many are left?", "and if I then buy 3?"), "10"),
        (("what's 12 squared?", "and the square root of that?"), "12"),
        (("convert 3 cups to millilitres", "and in litres?"), "3 US cups is 0.7098 litres"),
    ],
)
async def test_small_questions(turns: tuple[str, ...], answer: str) -> None:
    company = Company()
    for said in turns:
        reply = await company.say(said)
    assert answer in reply


@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("do you love me?", "self_love"),
        ("are you a boy or a girl?", "self_gender"),
        ("who can hear what I say?", "self_shares"),
        ("do you send it to the internet?", "self_shares"),
        ("do you know everything?", "self_limits"),
        ("are you ChatGPT?", "self_model"),
        ("parles-tu allemand ?", "self_languages"),
        ("can you die?", "self_death"),
        ("kannst du lügen?", "self_lie"),
        ("what can't you do?", "self_cannot"),
    ],
)
async def test_it_is_honest_about_itself(said: str, key: str) -> None:
    company = Company()
    reply = await company.say(said)
    assert any(reply in book(language)[key] for language in ("en", "fr", "de")) and not company.calls


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ("if 15 is odd, nod, otherwise shake your head", ["nod"]),
        ("shake your head if 9 is even, otherwise nod", ["nod"]),
        ("nod if 6 times 7 is 42", ["nod"]),
        ("dance if today is Monday", ["dance"]),
        ("dance if today is Sunday", []),
    ],
)
async def test_a_condition_that_its_words_decide(said: str, calls: list[str]) -> None:
    company = Company()  # on a Monday
    await company.say(said)
    assert [name for name, _ in company.calls] == calls


async def test_a_phrase_is_said_aloud_in_its_language() -> None:
    company = Company(tools=(*BODY, "speak"))
    await company.say("look up, then say hello in Spanish")
    assert company.calls[-1] == ("speak", {"text": "hola"})


async def test_kind_words_are_found_without_a_model() -> None:
    company = Company()
    reply = await company.say("say something nice about my sister and then dance")
    assert reply.startswith("Your sister") or "your sister" in reply
    assert company.order[-2:] == ["dance", "said"] or "dance" in company.order


async def test_news_without_words_of_illness_are_not_answered_as_such() -> None:
    company = Company()
    for said in ("I failed my exam today", "my girlfriend left me"):
        assert await company.say(said) in book("en")["feel_sad"]
