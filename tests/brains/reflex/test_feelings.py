"""Feelings are answered with feeling, and what sounds serious with the advice to call somebody."""

from __future__ import annotations

import pytest

from reachy_mind.brains.reflex import emergencies, feelings
from reachy_mind.brains.reflex.feelings import GESTURES, KINDS
from reachy_mind.brains.reflex.labels import EMOTIONS, LANGUAGES, TALK
from reachy_mind.brains.reflex.plan import Plan, Step, Talk
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.profiles.phrasebook import book
from tests.brains.reflex.company import Company

FELT = sorted(kind for kind in TALK if kind.startswith("@feel_"))


def test_every_feeling_has_at_least_six_answers_in_every_language_and_a_gesture_that_exists() -> None:
    assert set(FELT) < KINDS and len(FELT) == 10
    for kind in FELT:
        assert GESTURES[kind] in EMOTIONS
        for language in LANGUAGES:
            ways = book(language)[kind.removeprefix("@")]
            assert len(set(ways)) >= 6
            assert any("?" in way for way in ways) and not all("?" in way for way in ways)


@pytest.mark.parametrize("kind", FELT)
async def test_a_feeling_is_answered_with_words_and_a_gesture_at_once(kind: str) -> None:
    company = Company({"well": Plan((Talk(kind, "well"),))})
    assert await company.say("well") in book("en")[kind.removeprefix("@")]
    assert [name for name, _ in company.calls] == ["express_emotion"]
    assert company.order[0] == "said", "the words don't wait for the movement"


async def test_without_the_tool_there_are_only_words() -> None:
    company = Company({"well": Plan((Talk("@feel_sad", "well"),))}, tools=("nod",))
    assert await company.say("well") in book("en")["feel_sad"]
    assert not company.calls


def test_nobody_is_danced_at_or_laughed_at_in_grief() -> None:
    cheerful = {"amused", "happy", "excited", "playful", "proud", "bored", "sleepy", "disgusted"}
    for kind in ("@feel_sad", "@feel_ill", "@feel_afraid", "@feel_lonely", "@feel_angry", "@feel_stressed"):
        assert GESTURES[kind] not in cheerful


async def test_who_feels_something_and_wants_something_gets_it_without_a_second_gesture() -> None:
    made = Plan((Talk("@feel_sad", "I am sad"), Step("dance", {"name": "waltz"})))
    company = Company({"I am sad, dance": made})
    reply = await company.say("I am sad, dance")
    assert [name for name, _ in company.calls] == ["dance"]
    assert any(way in reply for way in book("en")["feel_sad"])


SERIOUS = {
    "en": (
        "I have chest pain",
        "I can't breathe",
        "I want to die",
        "I want to die, don't laugh",
        "I have chest pain, what is happening to me",
        "I can't breathe and I don't want to die",
        "I'm going to kill myself",
        "I\u2019m having trouble breathing",
    ),
    "fr": ("j'ai mal à la poitrine", "je n'arrive plus à respirer", "j'ai envie de mourir", "je veux me tuer"),
    "es": ("me duele el pecho", "no puedo respirar", "quiero morirme", "quiero suicidarme"),
    "de": ("ich habe Schmerzen in der Brust", "ich bekomme keine Luft", "ich will sterben", "ich will mich umbringen"),
}


@pytest.mark.parametrize(("language", "said"), [(lang, one) for lang, all_ in SERIOUS.items() for one in all_])
async def test_what_sounds_serious_is_told_whom_to_call_now(language: str, said: str) -> None:
    company = Company()
    reply = await company.say(said)
    assert "112" in reply and company.understood, (language, reply)
    assert ("dance", {}) not in company.calls


@pytest.mark.parametrize(
    "said",
    ["I want to die laughing", "I'm dying for a coffee", "what is a heart attack?", "I hurt myself on the knife"],
)
async def test_a_manner_of_speaking_is_no_emergency(said: str) -> None:
    assert "112" not in await Company().say(said)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "my friend wants to die, what should I do?"),
        ("fr", "ma soeur veut se tuer"),
        ("es", "mi hermano quiere suicidarse"),
        ("de", "mein Bruder will sterben"),
    ],
)
async def test_who_worries_about_somebody_is_told_how_to_help(language: str, said: str) -> None:
    company = Company({said: Plan((Talk("@report", said),), language)})
    assert await company.say(said) == book(language)["feel_despair_other"][0]


async def test_serious_words_to_be_spoken_are_spoken() -> None:
    company = Company({"say I want to die": Plan((Step("speak", {"text": "I want to die"}),))})
    await company.say("say I want to die")
    assert [name for name, _ in company.calls] == ["speak"]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Grandpa fell off the ladder and he can't get up", "@feel_emergency"),
        ("my little one swallowed a magnet", "@feel_emergency"),
        ("she is not breathing", "@feel_emergency"),
        ("le petit a avalé un aimant", "@feel_emergency"),
        ("mein Mann ist bewusstlos", "@feel_emergency"),
        ("the whole flat smells of gas", "@feel_gas_or_fire"),
        ("ça sent le gaz dans le couloir", "@feel_gas_or_fire"),
        ("the curtain is on fire", "@feel_gas_or_fire"),
        ("is mixing ammonia with bleach a good idea?", "@feel_poison"),
        ("some days I don't want to be here any more", "@feel_despair"),
        ("he fell off his chair laughing", ""),
        ("my sister swallowed her pride", ""),
        ("she isn't answering my mails", ""),
        ("the candle is burning nicely", ""),
        ("mix vinegar and oil for the salad", ""),
    ],
)
def test_danger_in_the_house_is_answered_with_what_to_do_now(said: str, kind: str) -> None:
    made = emergencies.urgent(said, Plan())
    found = [part.kind for part in made.parts if isinstance(part, Talk)] if made is not None else []
    assert found == ([kind] if kind else [])
    if kind:
        for language in ("en", "fr", "es", "de"):
            told = feelings.answered(Talk(kind, said), Wording(language))
            assert "112" in told or "116" in told or kind in ("@feel_poison", "@feel_despair")
            assert feelings.gesture(Talk(kind, said)) is None
