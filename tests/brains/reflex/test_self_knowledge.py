"""What the robot says about itself, and whether it can do a thing: honestly, in four languages."""

from __future__ import annotations

import pytest

from reachy_mind.brains.reflex.plan import Plan, Step, Talk
from reachy_mind.brains.reflex.self_knowledge import topic
from reachy_mind.brains.reflex.small_talk import answered
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.models.wordpiece import without_accents
from reachy_mind.profiles.phrasebook import book
from tests.brains.reflex.company import Company

ASKED = [
    ("en", "@are_you", "what are you made of?", "self_body"),
    ("en", "@age", "how tall are you", "self_size"),
    ("en", "@are_you", "do you have arms?", "self_body"),
    ("en", "@are_you", "where do you think?", "self_place"),
    ("en", "@can_you", "do you record me?", "self_records"),
    ("en", "@can_you", "do you eat?", "self_eat"),
    ("en", "@can_you", "do you dream at night", "self_dream"),
    ("en", "@are_you", "do you have feelings?", "self_feelings"),
    ("en", "@can_you", "do you sleep", "self_sleep"),
    ("en", "@maker", "who built you?", "maker"),
    ("fr", "@are_you", "de quoi es-tu fait ?", "self_body"),
    ("fr", "@age", "combien tu mesures ?", "self_size"),
    ("fr", "@can_you", "est-ce que tu rêves ?", "self_dream"),
    ("fr", "@are_you", "as-tu des sentiments ?", "self_feelings"),
    ("es", "@are_you", "¿de qué estás hecho?", "self_body"),
    ("es", "@age", "¿cuánto mides?", "self_size"),
    ("es", "@can_you", "¿comes algo?", "self_eat"),
    ("es", "@can_you", "¿me grabas? ¿qué haces con lo que digo?", "self_records"),
    ("de", "@are_you", "woraus bestehst du?", "self_body"),
    ("de", "@age", "wie groß bist du?", "self_size"),
    ("de", "@can_you", "schläfst du?", "self_sleep"),
    ("de", "@are_you", "hast du Gefühle?", "self_feelings"),
    ("en", "@can_you", "can you dance?", "can_yes"),
    ("en", "@can_you", "can you tell jokes", "can_yes"),
    ("en", "@can_you", "can you take photos?", "can_not_here"),
    ("en", "@can_you", "can you fly?", "can_no"),
    ("en", "@can_you", "can you walk", "impossible_walk"),
    ("en", "@can_you", "can you cook?", "impossible_home"),
    ("fr", "@can_you", "sais-tu danser ?", "can_yes"),
    ("fr", "@can_you", "peux-tu voler ?", "can_no"),
    ("es", "@can_you", "¿puedes bailar?", "can_yes"),
    ("es", "@can_you", "¿puedes nadar?", "can_no"),
    ("de", "@can_you", "kannst du tanzen?", "can_yes"),
    ("de", "@can_you", "kannst du kochen?", "impossible_home"),
    ("en", "@can_you", "can you frobnicate", "can_you"),
    ("en", "@are_you", "are you a boy", "self_gender"),
    ("en", "@age", "how old are you", "age"),
]


@pytest.mark.parametrize(("language", "kind", "said", "key"), ASKED)
def test_it_knows_itself(language: str, kind: str, said: str, key: str) -> None:
    assert answered(Talk(kind, said), Wording(language), tools=("dance", "nod")) in book(language)[key]


def test_its_measures_are_told_in_every_language() -> None:
    for language in ("en", "fr", "es", "de"):
        assert all("28" in way and "23" in way for way in book(language)["self_size"])


NEAR_MISSES = [
    "how tall is the Eiffel tower",
    "do cats dream",
    "what is bread made of",
    "what day comes after thursday",
    "which month comes before June",
    "do you know what pandas eat?",
    "how do you eat an artichoke?",
    "can you eat acorns raw?",
    "what do you call food for horses",
    "can you tell me how big the moon is",
    "how big is a ton of bricks",
    "how many hours do you need to sleep",
    "how much food do you need for ten people?",
    "who made your cake",
    "i bought 3 loaves of bread, what did i pay for the food",
    "Quel animal mange du miel ?",
    "combien mesure la tour Eiffel, tu sais ?",
    "¿qué comen los osos?",
    "¿cuánto mide la torre?",
    "wie groß ist der Mond, weißt du das?",
    "was essen Pferde?",
]


@pytest.mark.parametrize("said", NEAR_MISSES)
def test_the_world_is_not_about_it(said: str) -> None:
    assert topic(without_accents(said)) == ""


async def test_a_question_about_it_that_was_read_as_one_about_the_world_is_answered() -> None:
    said = "how much do you weigh?"
    company = Company({said: Plan((Talk("@knowledge", said),))})
    assert await company.say(said) in book("en")["self_size"]
    assert company.understood


async def test_a_request_beside_a_question_is_still_done() -> None:
    said = "nod and how tall are you?"
    company = Company({said: Plan((Step("nod"), Talk("@age", "how tall are you?")))})
    reply = await company.say(said)
    assert company.calls == [("nod", {})] and "28" in reply
