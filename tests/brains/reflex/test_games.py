"""Games: what a player notices, over several turns."""

from __future__ import annotations

import random
import re

import pytest

from reachy_mind.brains.auto import is_certain
from reachy_mind.brains.brain import Turn
from reachy_mind.brains.reflex.games import remarks
from reachy_mind.brains.reflex.games.animals import animals, named, truth
from reachy_mind.brains.reflex.games.game import Reply
from reachy_mind.brains.reflex.games.guess_the_animal import HINTS, GuessTheAnimal, Secret
from reachy_mind.brains.reflex.games.riddles import Asked
from reachy_mind.brains.reflex.games.rock_paper_scissors import ANTENNAS, BEATS, choice
from reachy_mind.brains.reflex.games.simon_says import Following, Leading
from reachy_mind.brains.reflex.games.solutions import is_right, questions
from reachy_mind.brains.reflex.games.store import GAMES, LASTS_S, MOST, asked_for, called
from reachy_mind.brains.reflex.labels import LANGUAGES
from reachy_mind.brains.reflex.plan import Plan, Play, Talk, Unknown
from reachy_mind.brains.reflex.wording import Wording
from reachy_mind.profiles.phrasebook import book
from tests.brains.reflex.company import Company

WANTED = {
    "let's play rock paper scissors": "rock_paper_scissors",
    "on joue à pierre, feuille, ciseaux ?": "rock_paper_scissors",
    "juguemos a piedra, papel o tijera": "rock_paper_scissors",
    "spielen wir Schere, Stein, Papier": "rock_paper_scissors",
    "ask me a riddle": "riddle",
    "pose-moi une devinette": "riddle",
    "dime una adivinanza": "riddle",
    "stell mir ein Rätsel": "riddle",
    "start a quiz": "quiz",
    "can we play simon says": "simon",
    "let's play guess the animal": "animal",
    "think of an animal and I guess": "animal",
    "quiz": "quiz",
}


@pytest.mark.parametrize(("said", "name"), WANTED.items())
def test_a_game_is_known_by_its_name(said: str, name: str) -> None:
    assert asked_for(said) and called(said) == name


@pytest.mark.parametrize("said", ["simon says nod", "my favourite animal is the dog", "I was at a quiz with my sister"])
def test_who_only_mentions_one_does_not_start_it(said: str) -> None:
    assert not asked_for(said)


async def test_without_a_name_it_offers_what_there_is() -> None:
    company = Company({"let's play something": Plan((Talk("@game", "let's play something"),))})
    offer = await company.say("let's play something")
    assert offer in book("en")["game_offer"] and len(re.findall("[.?]", offer)) <= 2
    assert "You can" not in offer and len(company.games) == 0


async def test_rock_paper_scissors_is_shown_with_the_antennas_and_won_by_two() -> None:
    for seed in range(6):
        company = Company(seed=seed)
        await company.say("let's play rock paper scissors")
        mine = yours = 0
        while max(mine, yours) < 2:
            reply = await company.say("rock")
            assert [name for name, _ in company.calls] == ["set_antennas"], "and no dance called rocker"
            left = company.calls[0][1]["left"]
            shown = next(name for name, angles in ANTENNAS.items() if angles[0] == left)
            assert shown in reply.lower() and reply[0].isupper()
            yours += BEATS["rock"] == shown
            mine += BEATS[shown] == "rock"
            if shown != "rock":
                assert str(mine) in reply and str(yours) in reply
        assert ("yours" in reply) == (yours == 2) and reply.endswith("?")
        again = await company.say("yes")
        assert again in book("en")["rps_begin"]


def test_one_choice_at_a_time() -> None:
    assert choice("I take the paper") == "paper" and choice("Schere!") == "scissors" and choice("une pierre") == "rock"
    assert choice("rock or paper") is None and choice("hm") is None


async def test_a_riddle_has_a_hint_and_an_answer_and_can_be_given_up() -> None:
    company = Company()
    asked = await company.say("ask me a riddle")
    riddle = next(one for one in questions("en", "riddles") if one.text in asked)
    assert await company.say("a purple elephant") in book("en")["riddle_wrong"]
    assert riddle.hint in await company.say("give me a hint")
    assert riddle.answer in await company.say(f"is it {riddle.answer}?")
    second = await company.say("another one")
    assert second != asked and second in {one.text for one in questions("en", "riddles")}
    assert "It's" in await company.say("I give up")


async def test_a_quiz_counts_the_right_answers_of_five() -> None:
    company = Company()
    reply = await company.say("start a quiz")
    for place in range(5):
        question = next(one for one in questions("en", "quiz") if one.text in reply)
        reply = await company.say(question.answer if place != 1 else "a banana")
        if place == 1:
            assert question.answer in reply
    assert "4 of 5" in reply


async def test_an_animal_is_found_by_questions() -> None:
    company = Company()
    await company.say("let's play guess the animal")
    opened = company.games.current("one")
    assert opened is not None and isinstance(opened.state, Secret)
    animal = opened.state.animal
    for question, trait in (("is it a mammal?", "mammal"), ("can it fly?", "flies"), ("does it lay eggs?", "eggs")):
        reply = await company.say(question)
        assert reply in book("en")["animal_yes" if trait in animal.traits else "animal_no"]
        assert [name for name, _ in company.calls] == ["nod" if trait in animal.traits else "shake"]
    other = next(one for one in animals() if one is not animal)
    assert other.name("en") in await company.say(f"is it a {other.name('en')}?")
    assert (await company.say("give me a hint")) in {way for hint in HINTS for way in book("en")[f"animal_hint_{hint}"]}
    assert animal.name("en") in await company.say(f"it's the {animal.name('en')}")
    assert company.games.current("one").state is None  # type: ignore[union-attr]


ASKED = [
    ("dog", "en", "is it bigger than a person", False),
    ("elephant", "en", "is it big", True),
    ("bat", "fr", "est-ce qu'il vole ?", True),
    ("zebra", "es", "¿tiene rayas?", True),
    ("owl", "de", "ist es nachts wach?", True),
    ("spider", "en", "how many legs does it have", 8),
    ("cat", "de", "hat es vier Beine?", True),
    ("snake", "en", "does it have four legs", False),
    ("cow", "fr", "vit-il à la ferme ?", True),
    ("lion", "en", "is it a wild animal", True),
    ("penguin", "en", "does it eat fish", True),
    ("penguin", "en", "is it a fish", False),
    ("owl", "de", "frisst es Mäuse?", True),
    ("lion", "en", "what is its favourite colour", None),
]


@pytest.mark.parametrize(("name", "language", "said", "answer"), ASKED)
def test_what_is_true_of_an_animal(name: str, language: str, said: str, answer: object) -> None:
    animal = named(name, "en")
    assert animal is not None and language in LANGUAGES
    assert truth(animal, said) == answer


def test_the_animals_are_many_and_can_be_told_apart() -> None:
    assert len(animals()) >= 40
    assert len({trait for animal in animals() for trait in animal.traits}) >= 12
    for language in LANGUAGES:
        for animal in animals():
            assert named(animal.name(language), language) is animal


async def test_simon_says_with_the_robot_as_simon() -> None:
    company = Company()
    await company.say("let's play simon says")
    for _ in range(5):
        state = company.games.current("one").state  # type: ignore[union-attr]
        assert isinstance(state, Leading)
        assert ("Simon says" in state.command) == state.simon
        reply = await company.say("I do it" if state.simon else "I do nothing")
    assert "5 right" in reply


@pytest.mark.parametrize(
    ("name", "said", "answer"),
    [
        ("dog", "is it bigger than a cat?", True),
        ("mouse", "is it bigger than a dog", False),
        ("bee", "is it smaller than a cow?", True),
        ("cow", "is it bigger than a horse?", None),
    ],
)
def test_animals_are_compared_by_size(name: str, said: str, answer: bool | None) -> None:
    animal, other = named(name, "en"), named(said, "en")
    assert animal is not None and other is not None
    reply = GuessTheAnimal().answers(Secret(animal), said, Wording("en"), random.Random(1))
    key = {True: "animal_yes", False: "animal_no", None: "animal_unsure"}[answer]
    assert reply.text in book("en")[key]


async def test_simon_notices_when_something_else_is_done() -> None:
    for seed in range(8):
        company = Company(seed=seed)
        if "Simon says: touch your nose" in await company.say("let's play simon says"):
            assert book("en")["simon_other"][0] in await company.say("I clap my hands")
        else:
            assert book("en")["simon_other"][0] not in await company.say("I do it")


async def test_simon_says_with_the_player_as_simon() -> None:
    company = Company()
    await company.say("let's play simon says and I am Simon")
    await company.say("Simon says nod")
    assert [name for name, _ in company.calls] == ["nod"]
    assert await company.say("dance") in book("en")["simon_not_said"]
    assert not company.calls
    await company.say("nod")
    await company.say("nod")
    assert not company.calls
    await company.say("nod")
    assert [name for name, _ in company.calls] == ["nod"], "who has forgotten the game is obeyed again"


async def test_another_subject_leaves_the_game_and_does_not_lose_it() -> None:
    company = Company()
    asked = await company.say("ask me a riddle")
    await company.say("nod twice please")
    assert company.calls == [("nod", {"times": 2})]
    assert await company.say("thank you") in book("en")["thanks"]
    assert asked in await company.say("let's go on with the riddle")
    state = company.games.current("one").state  # type: ignore[union-attr]
    assert isinstance(state, Asked)
    assert state.riddle.answer in await company.say(state.riddle.answer)


async def test_a_game_ends_when_that_is_wanted() -> None:
    for said in ("stop the game", "I don't want to play any more"):
        company = Company()
        await company.say("start a quiz")
        assert await company.say(said) in book("en")["game_ended"]
        assert company.games.current("one") is None


@pytest.mark.parametrize(
    "said", ["stop the timer", "cancel the alarm", "ich will nicht mehr warten", "je veux plus de jus"]
)
def test_other_things_can_be_stopped_in_a_game(said: str) -> None:
    assert not remarks.ends(said)


def test_the_end_is_understood_in_every_language() -> None:
    for said in ("arrête le jeu", "je ne veux plus jouer", "para el juego", "no quiero jugar más", "beende das Spiel"):
        assert remarks.ends(said), said


async def test_games_are_kept_apart_by_conversation_and_dropped_in_time() -> None:
    company = Company()
    await company.say("ask me a riddle")
    company.conversation = "two"
    await company.say("let's play rock paper scissors")
    assert company.games.current("one").name == "riddle"  # type: ignore[union-attr]
    company.now = LASTS_S + 1
    assert company.games.current("one") is None
    await company.say("start a quiz")
    assert len(company.games) == 1


def test_only_so_many_games_are_kept() -> None:
    company = Company()
    for number in range(MOST + 5):
        company.games.begin(str(number), "quiz", Wording("en"))
    assert len(company.games) == MOST and company.games.current("0") is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_content_is_there_in_every_language_and_its_answers_count(language: str) -> None:
    riddles, quiz = questions(language, "riddles"), questions(language, "quiz")
    assert len(riddles) >= 20 and len(quiz) >= 40
    assert len({one.text for one in riddles}) == len(riddles) and len({one.text for one in quiz}) == len(quiz)
    for one in (*riddles, *quiz):
        assert is_right(one.answer, one.answers, language), one
        assert is_right(f"{one.answer}!", one.answers[:1], language), one
        assert not is_right("xyzzy", one.answers, language)
        assert not is_right(one.text, one.answers[:1], language) or one.answer.isdigit(), one


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_is_played_in_every_language(language: str) -> None:
    chance = random.Random(3)
    for game in GAMES.values():
        reply: Reply = game.begin("", Wording(language), chance)
        for said in ("hm", "?", "no"):
            if reply.state is None:
                break
            assert reply.text and game.reminder(reply.state, Wording(language))
            reply = game.answers(reply.state, said, Wording(language), chance)
        assert reply.text


@pytest.mark.parametrize(
    ("wanted", "name", "key", "language"),
    [
        ("let's play a game", "animals", "animal_begin", "en"),
        ("on joue ?", "un quiz", "quiz_begin", "fr"),
        ("jugamos a algo", "piedra papel o tijera", "rps_begin", "es"),
        ("lass uns etwas spielen", "Tiere raten", "animal_begin", "de"),
    ],
)
async def test_who_wants_to_play_is_told_what_and_chooses_in_their_language(
    wanted: str, name: str, key: str, language: str
) -> None:
    company = Company()
    assert await company.say(wanted) in book(language)["game_offer"]
    begun = await company.say(name)
    assert any(begun.startswith(way.partition("{")[0]) for way in book(language)[key])


async def test_a_guess_that_sounds_like_a_request_is_a_guess() -> None:
    company = Company()
    await company.say("ask me a riddle")
    for said in ("is it a bird?", "a cup of coffee"):
        assert await company.say(said) in book("en")["riddle_wrong"]
    assert not company.calls


async def test_after_something_else_a_short_answer_still_counts() -> None:
    company = Company({"Zanzibar": Plan((Unknown("Zanzibar"),))})
    question = await company.say("start a quiz")
    await company.say("look left")
    assert question.partition(": ")[2] in await company.say("the question please")
    await company.say("look left")
    assert "Zanzibar" not in (reply := await company.say("Zanzibar")) and "get that" not in reply
    company.now = 300.0
    await company.say("look left")
    assert "get that" in await company.say("Zanzibar")


async def test_who_shows_rock_again_plays_again() -> None:
    company = Company(seed=4)
    await company.say("let's play rock paper scissors")
    for _ in range(20):
        await company.say("rock")
        assert [name for name, _ in company.calls] == ["set_antennas"]


async def test_an_open_game_is_played_by_reflex_also_beside_a_model() -> None:
    company = Company()
    await company.say("let's play rock paper scissors")
    turn = Turn("rock", company.gate, conversation="one", history=tuple(company.history["one"]))
    made = await company.brain.plan(turn)
    assert made.parts == (Play("rock"),) and is_certain(made, turn)


async def test_a_game_in_german_stays_german() -> None:
    company = Company()
    asked = await company.say("stell mir ein Rätsel")
    assert asked in {one.text for one in questions("de", "riddles")}
    assert await company.say("ich gebe auf") not in book("en")["riddle_told"]
    assert isinstance(company.games.current("one").state, type(None) | Asked | Following)  # type: ignore[union-attr]
