"""A name is taken only from what is plainly an introduction, asked back when unsure, and dropped when it is denied."""

from __future__ import annotations

import pytest

from reachy_mind.memory import discourse, introductions
from reachy_mind.memory.fact_extraction import facts
from reachy_mind.memory.mentions import Exchange

NO_NAMES = """
I am allergic to penicillin
I am allergic to latex
I am vegan
I am Vegan
I'm from Munich
I am diabetic
I am sixty two
I am called to a meeting
I'm called every five minutes by my mother
I'm dead tired
I'm Team Red
I am Polish
I'm Bavarian
I'M HUNGRY
I'm Irish by birth
I'm Leo's sister
I'm Munich born and bred
I am Generation Z
my name is hard to pronounce
my name is a secret
My name's on the list
my name begins with K
call me later
they call me names
ich bin müde
ich bin Vegetarierin
ich bin Münchner
ich bin in Eile
je suis végétarien
je suis de Lyon
je suis de garde ce soir
soy de Madrid
soy vegetariana
no me llamo Pablo
what if my name was Bob?
My daughter Mia is 6 and loves dinosaurs
My brother's name is Otto
I go by train
I go by bike on most days
This is Anna's cup
it's Will's turn
It's Grace period
"""
NAMES = {
    "my name is Priya Raman": "Priya Raman",
    "my name is quill": "Quill",
    "hello, I'm Otto": "Otto",
    "hi I'm tom": "Tom",
    "hey its anna": "Anna",
    "I'm called Bea": "Bea",
    "people call me Bo": "Bo",
    "I'm Anna from accounting": "Anna",
    "this is Carla speaking": "Carla",
    "this is Carla Rossi": "Carla Rossi",
    "I go by Quill": "Quill",
    "I am Dr. Weber": "Dr. Weber",
    "I'm Kim, I'm 34 and I live in Leeds": "Kim",
    "ich heiße Jürgen": "Jürgen",
    "ich bin die Lena": "Lena",
    "du kannst mich Uli nennen": "Uli",
    "je m'appelle Élodie": "Élodie",
    "je suis Claire": "Claire",
    "me llamo Iker": "Iker",
    "soy Lucía": "Lucía",
}


def named(said: str) -> str:
    return next((fact.value for fact in facts(said) if fact.key == "name"), "")


@pytest.mark.parametrize("said", NO_NAMES.strip().splitlines())
def test_what_is_no_introduction_gives_no_name(said: str) -> None:
    assert not named(said)
    assert introductions.read(said) is None, "nor is it asked back"


@pytest.mark.parametrize(("said", "name"), NAMES.items())
def test_an_introduction_gives_the_name(said: str, name: str) -> None:
    assert named(said) == name


@pytest.mark.parametrize(
    ("said", "asked"), [("I'm Quill", "Is Quill your name?"), ("soy Xiomara", "¿Xiomara es tu nombre?")]
)
def test_what_may_be_a_name_is_one_after_a_yes(said: str, asked: str) -> None:
    assert not named(said)
    (fact,) = discourse.told("yes", [Exchange(said, asked)]).facts
    assert (fact.key, fact.value) == ("name", said.rsplit(maxsplit=1)[-1])
    assert not discourse.told("yes", [Exchange(said, "Well.")]).facts, "nobody asked"
    assert discourse.told("no", [Exchange(said, asked)]).denies == said.rsplit(maxsplit=1)[-1]


@pytest.mark.parametrize(
    ("said", "reply", "name"),
    [("Quill", "Hi, I'm Reachy. What's yours?", "Quill"), ("quinn", "What is your name?", ""),
     ("luc", "Comment tu t'appelles ?", "Luc"), ("Bien", "Tout roule, et toi ?", "")],
)  # fmt: skip
def test_a_bare_name_answers_who_asked_for_it(said: str, reply: str, name: str) -> None:
    told = discourse.told(said, [Exchange("hello", reply)])
    assert [fact.value for fact in told.facts] == ([name] if name else [])


DENIALS = [
    ("my name is Mia", "my name isn't Mia", "Mia", ""),
    ("I'm Sam", "I'm not called that", "", ""),
    ("I'm Sam", "that's not my name", "", ""),
    ("I'm Sam", "my name is not Sam, it's Pam", "Sam", "Pam"),
    ("I'm Sam", "actually it's Samantha", "", "Samantha"),
    ("my name is Ada", "no, you misheard, it's Ida", "", "Ida"),
    ("ich bin Karl", "nein, so heiße ich nicht", "", ""),
    ("ich heiße Max", "nein, ich heiße Moritz", "", "Moritz"),
    ("je m'appelle Marc", "non, je ne m'appelle pas Marc", "Marc", ""),
    ("me llamo Pablo", "no me llamo Pablo", "Pablo", ""),
]


@pytest.mark.parametrize(("first", "then", "wrong", "right"), DENIALS)
def test_a_denied_name_is_known_for_one(first: str, then: str, wrong: str, right: str) -> None:
    told = discourse.told(then, [Exchange(first, "Nice to meet you.")])
    assert (told.denies, [fact.value for fact in told.facts]) == (wrong, [right] if right else [])


@pytest.mark.parametrize("said", ["I'm not German", "my name is not important", "I'm not tired", "no, Thursday"])
def test_not_every_no_denies_a_name(said: str) -> None:
    assert discourse.told(said, [Exchange("I'm Sam", "Nice to meet you, Sam.")]).denies is None


@pytest.mark.parametrize(
    ("first", "then", "sentence"),
    [
        ("hello, I'm Otto", "no, that's my brother's name", "my brother is called Otto"),
        ("I'm Zelda", "no, it's my cat's name", "my cat is called Zelda"),
        ("je m'appelle Marc", "non, c'est le nom de mon frère", "mon frère s'appelle Marc"),
        ("me llamo Pablo", "no, ese es el nombre de mi hermano", "mi hermano se llama Pablo"),
        ("ich heiße Karl", "das ist der Name meines Bruders", "mein Bruder heißt Karl"),
    ],
)
def test_the_name_is_somebody_elses(first: str, then: str, sentence: str) -> None:
    told = discourse.told(then, [Exchange(first, "Nice to meet you.")])
    assert (told.sentences, told.denies) == ((sentence,), sentence.rsplit(maxsplit=1)[-1])


def test_a_name_is_corrected_in_one_breath() -> None:
    told = discourse.told("I'm Peter. No wait, that's my dad's name")
    assert told.sentences == ("my dad is called Peter",)


@pytest.mark.parametrize(
    ("said", "age"),
    [("I am sixty two", "62"), ("ich bin zweiundsechzig", "62"), ("j'ai soixante-deux ans", "62"),
     ("tengo sesenta y dos años", "62"), ("I am one of them", ""), ("I am two minded", "")],
)  # fmt: skip
def test_an_age_in_words(said: str, age: str) -> None:
    assert next((fact.value for fact in facts(said) if fact.key == "age"), "") == age
