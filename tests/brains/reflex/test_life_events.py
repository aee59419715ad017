"""Joy and loss are answered with feeling, whatever the reader took them for."""

from __future__ import annotations

import re

import pytest

from reachy_mind.brains.reflex.feelings import GESTURES
from reachy_mind.brains.reflex.labels import LANGUAGES
from reachy_mind.brains.reflex.life_events import kind
from reachy_mind.brains.reflex.plan import Guess, Plan, Step, Talk
from reachy_mind.profiles.phrasebook import book
from tests.brains.reflex.company import Company

EVENTS = {
    "My husband died two years ago and on Sundays I still lay the table for two.": "@feel_grief",
    "our dog had to be put to sleep this morning": "@feel_grief",
    "grandma passed away": "@feel_grief",
    "I lost my wife in spring": "@feel_grief",
    "my father's funeral is tomorrow": "@feel_grief",
    "ma mère est décédée hier": "@feel_grief",
    "mi abuelo murió el año pasado": "@feel_grief",
    "meine Katze ist gestern gestorben": "@feel_grief",
    "my wife is in hospital": "@feel_ill_other",
    "mon frère est à l'hôpital": "@feel_ill_other",
    "mi madre está muy enferma": "@feel_ill_other",
    "mein Vater liegt im Krankenhaus": "@feel_ill_other",
    "I lost my job today": "@feel_sad",
    "we broke up": "@feel_sad",
    "j'ai perdu mon travail": "@feel_sad",
    "estoy un poco triste porque mi amiga se fue a vivir a otra ciudad": "@feel_sad",
    "wir haben uns getrennt": "@feel_sad",
    "nobody wanted to play with me in the break": "@feel_lonely",
    "personne ne veut jouer avec moi": "@feel_lonely",
    "keiner mag mich": "@feel_lonely",
    "theres a monster under my bed and i cant sleep": "@feel_afraid",
    "tengo mucho miedo": "@feel_afraid",
    "I passed my exam": "@feel_proud",
    "j'ai réussi mon examen !": "@feel_proud",
    "he aprobado el examen": "@feel_proud",
    "ich habe die Prüfung bestanden": "@feel_proud",
    "I am so proud of my daughter": "@feel_happy",
    "had a lovely day in the garden": "@feel_happy",
    "we're having a baby": "@feel_happy",
    "ich bin so glücklich": "@feel_happy",
}
NO_EVENTS = [
    "my phone died",
    "Einstein died in 1955",
    "my brother works in a hospital",
    "remember that my aunt died in May",
    "what if my dog died?",
    "when did my grandfather die?",
    "I am not sad",
    "my sister is a nurse",
    "the battery is dead",
    "I left the keys on the table",
    "put the book down",
    "I'm down here, silly",
    "I'm so proud of you",
    "ma montre est morte",
    "I put the baby to sleep",
    "my daughter was put to bed at eight",
    "mein Akku ist tot",
]


@pytest.mark.parametrize(("said", "feeling"), EVENTS.items())
def test_an_event_of_joy_or_loss_has_its_feeling(said: str, feeling: str) -> None:
    assert kind(said) == feeling


@pytest.mark.parametrize("said", NO_EVENTS)
def test_other_things_have_none(said: str) -> None:
    assert kind(said) == ""


@pytest.mark.parametrize("read", ["@tell", "@report", "@feel_proud", "@unclear"])
async def test_a_loss_is_answered_with_sympathy_however_it_was_read(read: str) -> None:
    said = "our dog had to be put to sleep this morning"
    company = Company({said: Plan((Talk(read, said),))})
    assert await company.say(said) in book("en")["feel_grief"]
    assert company.calls == [("express_emotion", {"emotion": "attentive", "intensity": 0.6})]


async def test_it_does_not_sleep_because_a_dog_was_put_to_sleep() -> None:
    said = "our dog had to be put to sleep"
    company = Company({said: Plan((Guess((Step("sleep"),)),))}, tools=("sleep",))
    assert await company.say(said) in book("en")["feel_grief"] and not company.calls


async def test_what_is_wished_beside_it_is_done() -> None:
    said = "my dog died, dance for me"
    company = Company({said: Plan((Talk("@feel_sad", "my dog died"), Step("dance", {"name": "waltz"})))})
    reply = await company.say(said)
    assert any(way in reply for way in book("en")["feel_sad"])
    assert [name for name, _ in company.calls] == ["dance"]


SYMPATHY = {
    "en": r"sorry|sad|hard|here with you|safe|don't worry|understand|glad|wonderful|proud|great|lovely|rest|well done",
    "fr": r"désolé|triste|dur|là|comprends|content|plaisir|fier|bravo|félicit|heureux|repos|formidable"
    r"|rétablis|peur|cœur",
    "es": r"siento|triste|difícil|contigo|entiend|alegr|orgull|enhorabuena|descans|estupendo|preocupes"
    r"|lament|duro|mejore|maravill",
    "de": r"leid|traurig|schwer|bei dir|versteh|freu|stolz|glückwunsch|ruh|sorge|schön|besserung|müde",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_answer_to_a_feeling_says_it_in_plain_words(language: str) -> None:
    kinds = [key for key in book(language) if f"@{key}" in GESTURES]
    assert len(kinds) == 12
    for key in kinds:
        for way in book(language)[key]:
            assert re.search(SYMPATHY[language], str(way), re.IGNORECASE), way


@pytest.mark.parametrize(
    ("language", "cannot"), [("en", "can't"), ("fr", "ne peux"), ("es", "o puedo"), ("de", "kann ich")]
)
def test_every_refusal_of_the_impossible_says_that_it_can_not(language: str, cannot: str) -> None:
    for key in ("impossible", "impossible_hands", "impossible_walk", "impossible_home"):
        for way in book(language)[key]:
            first = re.split(r"[.?!]", str(way))[0]
            assert cannot in first, way
            assert language != "de" or "nicht" in first
