"""Greetings in their own language, Simon says in one breath, and one answer where a remark stands beside a question."""

from __future__ import annotations

import pytest

from reachy_mind.brains.reflex import replies
from reachy_mind.brains.reflex.plan import Plan, Talk
from reachy_mind.brains.reflex.planner import planned
from reachy_mind.brains.reflex.reader import Found, Reading
from reachy_mind.profiles.phrasebook import book
from tests.brains.reflex.company import Company


@pytest.mark.parametrize(
    ("said", "language"),
    [("Bonjour", "fr"), ("Hola", "es"), ("Guten Morgen", "de"), ("hello", "en"), ("salut !", "fr")],
)
async def test_a_greeting_is_answered_in_its_language(said: str, language: str) -> None:
    company = Company({said: Plan((Talk("@greet", said),), "en")})
    assert await company.say(said) in book(language)["greet"]


@pytest.mark.parametrize(
    ("said", "greeting"),
    [
        ("Bonjour, quelle heure est-il ?", "Bonjour !"),
        ("Buenos días, baila", "¡Buenos días!"),
        ("Hallo, tanz", "Hallo!"),
    ],
)
def test_a_greeting_before_a_wish_is_returned(said: str, greeting: str) -> None:
    assert replies.greeting(said) == greeting


def test_no_greeting_of_another_language_stands_in_a_book() -> None:
    for language in ("fr", "es"):
        assert not any(str(way).startswith(("Hello", "Hi")) for way in book(language)["greet"])


@pytest.mark.parametrize(
    "said", ["let's play simon says! simon says nod your head", "Let's play Simon says: Simon says nod"]
)
async def test_who_commands_in_the_same_breath_leads(said: str) -> None:
    company = Company()
    reply = await company.say(said)
    assert reply in book("en")["simon_follow"]
    assert [name for name, _ in company.calls] == ["nod"]
    await company.say("simon says shake your head")
    assert [name for name, _ in company.calls] == ["shake"]


async def test_who_only_wants_to_play_is_led() -> None:
    company = Company()
    assert "Simon" in await company.say("let's play simon says") and not company.calls


def _found(*parts: tuple[str, str]) -> tuple[Reading, str]:
    text, found = "", list[Found]()
    for label, said in parts:
        start = len(text)
        text += f"{said} "
        found.append(Found(label, said, start=start, end=start + len(said)))
    return Reading(tuple(found), "en", 0.9), text


@pytest.mark.parametrize(
    "parts",
    [
        (("@knowledge", "why do we need to sleep"), ("@report", "mum says i have to")),
        (("@tell", "we are having an argument"), ("@knowledge", "is a whale a fish")),
        (("@knowledge", "who wrote hamlet"), ("@knowledge", "when was that")),
    ],
)
def test_one_answer_to_a_question_and_what_stands_beside_it(parts: tuple[tuple[str, str], ...]) -> None:
    reading, text = _found(*parts)
    (only,) = planned(reading, text, ())
    assert isinstance(only, Talk) and only.kind == "@knowledge"
