"""What goes on from the question before: other units, other days, the next riddle, changed places in a game."""

from __future__ import annotations

import pytest

from reachy_mind.brains.reflex.games.animals import animals
from reachy_mind.profiles.phrasebook import book
from reachy_mind.tools.definition import Outcome
from tests.brains.reflex.company import BODY, Company


@pytest.mark.parametrize(
    ("turns", "answer"),
    [
        (("how many kilometres is 5 miles?", "and in feet?"), "26400 feet"),
        (("how tall is 180 cm in feet?", "and in inches?", "and 170?"), "66.93 inches"),
        (("wie viele Meter sind 3 Meilen?", "und in Fuß?"), "15840 Fuß"),
        (("combien de grammes dans une livre ?", "et en onces ?"), "16 onces"),
        (("¿cuántos kilómetros son 5 millas?", "¿y en metros?"), "8047 metros"),
        (("what date is next Tuesday?", "no, Thursday"), "Thursday, 19 November 2026"),
        (("what day is it in three days?", "no, in four days"), "Friday, 20 November 2026"),
        (("what day is tomorrow?", "and the day after?"), "Wednesday, 18 November 2026"),
        (("welcher Tag ist morgen?", "und übermorgen?"), "Mittwoch, 18. November 2026"),
        (("quel jour est demain ?", "et après-demain ?"), "mercredi 18 novembre 2026"),
    ],
)
async def test_a_question_goes_on_from_the_last(turns: tuple[str, ...], answer: str) -> None:
    company = Company()
    for said in turns:
        reply = await company.say(said)
    assert answer in reply


async def test_a_reminder_is_moved_to_the_other_day() -> None:
    company = Company(tools=(*BODY, "set_reminder", "cancel_timer"), answers={"set_reminder": Outcome("ok", {})})
    await company.say("remind me to call the dentist on Tuesday at 10")
    (_, first), *_ = company.calls
    await company.say("no, Thursday, not Tuesday")
    (cancelled, which), (again, then) = company.calls
    assert (cancelled, which) == ("cancel_timer", {"label": first["text"]})
    assert again == "set_reminder" and then["text"] == first["text"] and then["at"] != first["at"]


@pytest.mark.parametrize(
    ("first", "another", "answer"),
    [("tell me a riddle", "another one", "what's the answer?"), ("erzähl mir ein Rätsel", "noch eins", "Lösung?"),
     ("pose-moi une devinette", "encore une", "je ne sais pas"), ("dime una adivinanza", "otra", "me rindo")],
)  # fmt: skip
async def test_another_riddle_takes_the_place_of_an_open_one(first: str, another: str, answer: str) -> None:
    company = Company()
    riddle = await company.say(first)
    following = await company.say(another)
    assert "?" in following and riddle not in following
    told = await company.say(answer)
    assert not company.calls and told not in ("", following)


async def test_a_quiz_goes_to_the_next_question() -> None:
    company = Company()
    first = await company.say("quiz me")
    following = await company.say("next question")
    assert first.rsplit(":", maxsplit=1)[-1] not in following and "?" in following


@pytest.mark.parametrize(
    ("begun", "yes", "no", "language"),
    [
        ("guess the animal I'm thinking of", "yes", "no", "en"),
        ("let's play twenty questions, you guess", "yes it does", "nope", "en"),
        ("jouons aux vingt questions, c'est toi qui devines", "oui", "non", "fr"),
        ("Lass uns Tiere raten, ich denke mir eins aus", "ja", "nein", "de"),
    ],
)
async def test_it_guesses_the_players_animal(begun: str, yes: str, no: str, language: str) -> None:
    company = Company()
    penguin = next(one for one in animals() if one.name("en") == "penguin")
    asked = {
        str(book(language)[key][0]): key.removeprefix("animal_ask_") for key in book(language) if "animal_ask" in key
    }
    reply = await company.say(begun)
    for _ in range(20):
        question = next((each for each in asked if each in reply), "")
        if not question:
            break
        reply = await company.say(yes if asked[question] in penguin.traits else no)
    assert penguin.name(language) in reply
    assert await company.say(yes) != reply


async def test_who_wants_to_change_places_does() -> None:
    company = Company()
    assert await company.say("think of an animal and I'll guess") in book("en")["animal_begin"]
    assert "Think of an animal" in await company.say("now you guess")
    assert await company.say("let me guess") in book("en")["animal_begin"]


async def test_it_gives_up_and_asks_what_it_was() -> None:
    company = Company()
    reply = await company.say("guess my animal")
    for _ in range(25):
        if reply in book("en")["theirs_lost"]:
            break
        reply = await company.say("no")
    assert reply in book("en")["theirs_lost"]
    assert "an okapi" in await company.say("an okapi")


@pytest.mark.parametrize("said", ["I want to play something else", "another game please"])
async def test_who_wants_another_game_hears_which_there_are(said: str) -> None:
    company = Company()
    await company.say("rock paper scissors")
    assert await company.say(said) in book("en")["game_offer"]
