"""The almanac: questions that it answers in many wordings, and near misses that it leaves to others."""

from __future__ import annotations

import time
from datetime import date
from typing import Any

import pytest

from reachy_mind.brains.brain import Past, Turn
from reachy_mind.brains.reflex import facts
from reachy_mind.brains.reflex.almanac import answer, answered
from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.brains.reflex.plan import Guess, Part, Plan, Step, Talk, Unknown, Words
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.tools.definition import Outcome

TODAY = date(2026, 11, 16)
UNDERSTAND = Understanding(Reader.load()).plan

ANSWERS = {
    "what is the capital of France": "Paris",
    "capital of france?": "Paris",
    "which city is france's capital": "Paris",
    "What's the capital city of Australia?": "Canberra",
    "hey reachy, do you know the capital of Mongolia?": "Ulaanbaatar",
    "can you tell me what the capital of the US is": "Washington",
    "tell me the capital of the Netherlands please": "Amsterdam",
    "Paris is the capital of which country?": "France",
    "which country is Lyon in?": "France",
    "where is the Eiffel Tower": "Paris",
    "what's the tallest mountain in the world": "Everest",
    "which is the world's highest mountain?": "Everest",
    "longest river in the world": "Nile",
    "what is the biggest ocean on earth": "Pacific",
    "what's the smallest country in the world?": "Vatican",
    "which country is the largest": "Russia",
    "what is the largest planet in our solar system": "Jupiter",
    "which planet is closest to the sun": "Mercury",
    "how many planets are there in the solar system?": "eight",
    "how far away is the moon": "384",
    "how far is the sun from the earth": "150 million",
    "is pluto a planet": "dwarf",
    "why is the sky blue?": "blue",
    "who wrote Romeo and Juliet?": "Shakespeare",
    "who is the author of Pride and Prejudice": "Austen",
    "who wrote the book The Hobbit": "Tolkien",
    "Harry Potter was written by whom?": "Rowling",
    "who painted the Mona Lisa": "Leonardo",
    "who painted starry night?": "Gogh",
    "who is the painter of Guernica": "Picasso",
    "who composed the four seasons": "Vivaldi",
    "who wrote the opera Carmen": "Bizet",
    "who invented the telephone?": "Bell",
    "who was the inventor of dynamite": "Nobel",
    "who discovered penicillin": "Fleming",
    "who was the first man on the moon?": "Armstrong",
    "who was the first person to climb Mount Everest": "Hillary",
    "when did the second world war end": "1945",
    "in what year did World War I start?": "1914",
    "when did the Titanic sink": "1912",
    "when did the Berlin wall fall": "1989",
    "what do you call a baby kangaroo?": "joey",
    "what is a baby sheep called": "lamb",
    "what sound does a cow make": "moo",
    "what does the duck say": "quack",
    "what do pandas eat?": "bamboo",
    "how many legs does a spider have": "eight",
    "how many legs do ants have?": "six",
    "do snakes lay eggs": "eggs",
    "can penguins fly?": "No",
    "can an ostrich fly": "No",
    "what's the fastest land animal": "cheetah",
    "what is the biggest animal in the world": "blue whale",
    "largest bird": "ostrich",
    "how many bones are in the human body": "206",
    "how many teeth does an adult have": "32",
    "what is the biggest organ in the human body": "skin",
    "what's the smallest bone in the body": "stirrup",
    "what is the chemical symbol for gold": "Au",
    "what is H2O?": "water",
    "what's the chemical formula of water": "H2O",
    "at what temperature does water boil?": "100",
    "what is the freezing point of water": "zero",
    "how many continents are there": "seven",
    "how many days are there in a leap year?": "366",
    "how many letters are in the alphabet": "26",
    "how many strings does a violin have": "four",
    "how many players are on a football team?": "eleven",
    "how many sides does a hexagon have": "six",
    "how many colours are in a rainbow": "seven",
    "how many colors does the rainbow have?": "seven",
    "how many cards are in a deck": "52",
    "what currency is used in Japan": "yen",
    "what money do they use in switzerland": "franc",
    "what language do they speak in Brazil?": "Portuguese",
    "which language is spoken in Austria": "German",
    "what is the opposite of hot": "cold",
    "opposite of generous?": "mean",
    "what is bread made of": "flour",
    "what is glass made from?": "sand",
    "where does honey come from": "bees",
    "where does wool come from?": "sheep",
    "what colour do you get when you mix blue and yellow": "green",
    "what do red and white make": "pink",
    "where does sushi come from": "Japan",
    "Quelle est la capitale de l'Allemagne ?": "Berlin",
    "tu sais quelle est la capitale du Japon": "Tokyo",
    "quel est le plus grand océan du monde ?": "Pacifique",
    "combien de pattes a une araignée": "huit",
    "combien y a-t-il de jours dans une année ?": "365",
    "quel est le contraire de chaud": "froid",
    "que mangent les pandas": "bambou",
    "¿Cuál es la capital de Perú?": "Lima",
    "dime la capital de Suecia": "Estocolmo",
    "¿cuál es el planeta más grande del sistema solar?": "Júpiter",
    "¿cuántas patas tiene una hormiga?": "seis",
    "¿cuántos huesos tiene el cuerpo humano?": "206",
    "qué es lo contrario de grande": "pequeño",
    "Was ist die Hauptstadt von Spanien?": "Madrid",
    "weißt du, wie die Hauptstadt der Schweiz heißt?": "Bern",
    "wie heißt der höchste Berg der Welt": "Everest",
    "welcher ist der längste Fluss Deutschlands?": "Rhein",
    "wie viele Beine hat eine Spinne?": "acht",
    "wie viele Bundesländer hat Deutschland": "sechzehn",
    "was ist das Gegenteil von hell": "dunkel",
    "was fressen Igel": "Insekten",
}
FOLLOWING = [
    (("what is the capital of France",), "and of greece?", "Athens"),
    (("what is the capital of France", "and of greece?"), "what about Italy", "Rome"),
    (("capital of France",), "and what is the capital of Spain?", "Madrid"),
    (("what is the largest planet",), "and the second largest?", "Saturn"),
    (("what is the largest planet", "and the second largest?"), "and the third?", "Uranus"),
    (("which is the biggest ocean",), "and the smallest?", "Arctic"),
    (("what's the highest mountain in Africa",), "and in Europe?", "Elbrus"),
    (("what's the longest river",), "and the second longest?", "Amazon"),
    (("where is the Mona Lisa",), "who painted it?", "Leonardo"),
    (("what is the largest planet",), "how many moons does it have?", "Jupiter has"),
    (("what is the capital of Japan",), "what is its currency?", "yen"),
    (("how many legs does a spider have",), "and an ant?", "six"),
    (("who wrote Hamlet",), "and Faust?", "Goethe"),
    (("quelle est la capitale de la France",), "et de l'Italie ?", "Rome"),
    (("cuál es la capital de España",), "¿y de Portugal?", "Lisboa"),
    (("Was ist die Hauptstadt von Spanien?",), "und von Polen?", "Warschau"),
]
MISSES = [
    "what is the best restaurant in the capital of France",
    "what is the weather in the capital of France",
    "what time is it in Paris",
    "how do I get to Paris",
    "is Lyon the capital of France",
    "what was the capital of France in 1940",
    "what is the capital of France and Germany",
    "what is the capital of my country",
    "what is the capital of Narnia",
    "what's the capital of Apple",
    "how much is a flight to Paris",
    "who is the mayor of Paris",
    "who is the president of France",
    "what is the population of France",
    "where is Sofia",
    "where is Victoria?",
    "where is my guitar",
    "where are you",
    "how many legs do you have",
    "how many eyes do you have",
    "how many bones do you have",
    "what do you eat",
    "can you fly",
    "can you swim",
    "who invented you",
    "who made you",
    "how old are you",
    "what is your favourite planet",
    "what is the opposite of you",
    "what sound do you make",
    "what is our capital",
    "how many teeth does my son have",
    "what does my cat eat",
    "how many strings does my guitar have",
    "who wrote this letter",
    "who painted the kitchen",
    "who painted it",
    "who wrote my essay",
    "who wrote the song about Hamlet",
    "when did Shakespeare write Hamlet",
    "where was Hamlet written",
    "why did Shakespeare write Hamlet",
    "who painted Hamlet",
    "what eats pandas",
    "what is the largest planet outside the solar system",
    "what is the largest restaurant",
    "how many planets have rings and moons",
    "how many people live on the moon",
    "how many spiders are in the room",
    "how many books are on the table",
    "how many minutes until lunch",
    "can penguins fly a kite",
    "draw the Mona Lisa",
    "what colour is the ball",
    "what colour is my shirt",
    "mix me a drink",
    "the capital of France is Lyon",
    "I was in the capital of France",
    "and of Greece?",
    "and the second largest?",
    "what is it",
    "set a timer for ten minutes",
    "look left",
    "hot",
    "quel temps fait-il à Paris",
    "combien de pattes as-tu",
    "quelle est ta couleur préférée",
    "quel est le meilleur restaurant de la capitale de la France",
    "cuántas patas tienes",
    "cuál es la mejor playa de España",
    "wie viele Beine hast du",
    "was ist das beste Restaurant in der Hauptstadt von Spanien",
    "wo ist meine Gitarre",
]


async def no_tool(_name: str, _args: dict[str, Any]) -> Outcome:
    return Outcome("ok", {})


def turn(text: str, *before: str) -> Turn:
    return Turn(text, no_tool, history=tuple(Past(said, "Well.") for said in before))


@pytest.mark.parametrize(("question", "expected"), ANSWERS.items())
def test_a_question_is_answered(question: str, expected: str) -> None:
    found = answer(question)
    assert found is not None
    assert expected in found[0]
    assert found[0][0].isupper() or found[0][0].isdigit()
    assert "{" not in found[0]


@pytest.mark.parametrize(("before", "question", "expected"), FOLLOWING)
def test_a_question_is_read_with_the_one_before(before: tuple[str, ...], question: str, expected: str) -> None:
    found = answer(question, before=before)
    assert found is not None
    assert expected in found[0]


@pytest.mark.parametrize("text", MISSES)
def test_a_near_miss_is_left_to_others(text: str) -> None:
    assert answer(text) is None


def test_a_follow_up_needs_the_turn_right_before_it() -> None:
    assert answer("and of greece?", before=("what is the capital of France", "do you like my hat?")) is None


def test_the_answer_is_in_the_language_of_the_question() -> None:
    assert answer("Quelle est la capitale de la Grèce ?", "en") == ("La capitale de la Grèce est Athènes.", "fr")
    assert answer("what is the capital of Greece", "de") == ("The capital of Greece is Athens.", "en")


@pytest.mark.parametrize(
    "part",
    [
        Talk("@knowledge", "capital of France"),
        Unknown("capital of France"),
        Unknown("capital of France", "question"),
        Guess((Step("nod"),)),
        Step("search_web", {"query": "capital of France"}),
        Step("search_memories", {"query": "capital of France"}),
    ],
)
def test_a_plan_without_an_answer_gets_one(part: Part) -> None:
    assert answered(Plan((part,)), turn("capital of France"), TODAY) == Plan(
        (Words("The capital of France is Paris."),)
    )


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (Step("nod"), "capital of France"),
        (Talk("@joke", "capital of France"), "capital of France"),
        (Step("search_web", {}), "search the web for the capital of France"),
        (Step("search_memories", {}), "what did I tell you about the capital of France"),
    ],
)
def test_a_plan_that_has_one_is_kept(part: Part, text: str) -> None:
    assert answered(Plan((part,)), turn(text), TODAY) == Plan((part,))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what is the capital of Portugal?", "The capital of Portugal is Lisbon."),
        ("who wrote the Lord of the Rings?", "J. R. R. Tolkien wrote The Lord of the Rings."),
        ("Quelle est la capitale de l'Allemagne ?", "La capitale de l'Allemagne est Berlin."),
    ],
)
async def test_reflex_says_it(text: str, expected: str) -> None:
    made = await Reflex(UNDERSTAND).plan(turn(text))
    assert made.parts == (Words(expected),)
    assert made.understood


@pytest.mark.parametrize("language", ["en", "fr", "es", "de"])
def test_every_row_can_be_told(language: str) -> None:
    read = facts.facts_of(language)
    for fact in {*read.single.values(), *read.subjects.values()}:
        assert fact.answer.endswith((".", "?", "!"))
        assert "=" not in fact.answer and "|" not in fact.answer and "  " not in fact.answer


def test_there_are_many_and_they_are_found_quickly() -> None:
    read = {language: facts.facts_of(language) for language in ("en", "fr", "es", "de")}
    assert len({fact.answer for fact in (*read["en"].single.values(), *read["en"].subjects.values())}) > 1500
    assert all(len(read[language].single) + len(read[language].subjects) > 300 for language in ("fr", "es", "de"))
    start = time.perf_counter()
    for _ in range(20):
        answer("what is the best restaurant in the capital of France")
    assert (time.perf_counter() - start) / 20 < 0.02


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("my daughter wants to know how many hearts an octopus has", "three"),
        ("my grandson would like to know what the tallest animal in the world is", "giraffe"),
        ("Bonjour, tu peux me dire quelle est la capitale de l'Australie ?", "Canberra"),
        ("meine Tochter will wissen, wie viele Beine eine Spinne hat", "acht"),
    ],
)
def test_a_question_that_somebody_else_asks_is_the_same_question(said: str, told: str) -> None:
    found = answer(said)
    assert found is not None and told in found[0]
    assert answer("my sister asked me out") is None
