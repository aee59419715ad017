"""Questions of people about themselves, answered by what they told in other words."""

from __future__ import annotations

import pytest

from reachy_mind.memory import discourse, own_questions
from reachy_mind.memory.mentions import Exchange

ANSWERED = [
    ("which colour do i like best?", ["my favorite color is turquoise"], "Your favorite color is turquoise."),
    (
        "what food do I like most?",
        ["my favourite food is lasagne", "my favourite colour is red"],
        "Your favourite food is lasagne.",
    ),
    ("where do I live now?", ["I used to live in Lyon", "I live in Porto"], "You live in Porto."),
    ("so what is my job?", ["I like cake", "I work as a nurse"], "You work as a nurse."),
    ("what do I do for a living?", ["I'm a nurse"], "You're a nurse."),
    (
        "what did i eat this morning",
        ["i had soup for lunch", "i had pancakes for breakfast"],
        "You had pancakes for breakfast.",
    ),
    (
        "what was on saturday again?",
        ["on saturday I have my piano recital"],
        "On saturday you have your piano recital.",
    ),
    ("should I eat a peanut butter sandwich?", ["I'm allergic to peanuts"], "Better not: you are allergic to peanuts."),
    ("can I have this walnut cake?", ["I am allergic to nuts"], "Better not: you are allergic to nuts."),
    (
        "darf ich Erdnüsse essen?",
        ["ich bin allergisch gegen Erdnüsse"],
        "Besser nicht: du bist allergisch gegen Erdnüsse.",
    ),
]
UNANSWERED = [
    ("where do I live now?", ["I used to live in Lyon"]),
    ("what is my job?", ["I'm a vegetarian", "I'm a boy"]),
    ("what did I eat for breakfast?", ["I had soup for lunch", "I had a meeting this morning"]),
    ("should I eat an apple?", ["I'm allergic to peanuts"]),
    ("should I eat peanuts?", ["my sister is allergic to peanuts"]),
    ("what day is it on saturday?", ["on saturday I have my piano recital"]),
    ("which colour do I like best?", ["my favourite food is lasagne"]),
]


@pytest.mark.parametrize(("asked", "contents", "told"), ANSWERED)
def test_what_was_told_answers(asked: str, contents: list[str], told: str) -> None:
    found = own_questions.answer(asked, contents)
    assert found is not None and found.known and found.text == told


@pytest.mark.parametrize(("asked", "contents"), UNANSWERED)
def test_what_does_not_answer_is_not_told(asked: str, contents: list[str]) -> None:
    assert own_questions.answer(asked, contents) is None


@pytest.mark.parametrize(
    ("said", "content", "value"),
    [
        ("I used to live in Lyon, now I live in Porto", "I live in Porto", "Porto"),
        ("but since last year i live in porto", "i live in porto", "porto"),
        ("I work as a nurse, night shifts mostly", "I work as a nurse", "nurse"),
        ("antes vivía en Lyon, ahora vivo en Oporto", "vivo en Oporto", "Oporto"),
        ("avant j'habitais à Lyon, maintenant j'habite à Porto", "j'habite à Porto", "Porto"),
        ("früher wohnte ich in Lyon, jetzt wohne ich in Porto", "jetzt wohne ich in Porto", "Porto"),
    ],
)
def test_what_is_so_now_is_a_fact_and_what_used_to_be_is_none(said: str, content: str, value: str) -> None:
    (fact,) = discourse.told(said).facts
    assert (fact.content, fact.value) == (content, value)


@pytest.mark.parametrize(
    ("before", "said", "right"),
    [
        ("my dog is called Rex", "sorry, I meant Max", "my dog is called Max"),
        ("my sister lives in Rome", "no, in Milan", "my sister lives in Milan"),
        ("I live in Rome", "no, Milan", "I live in Milan"),
        ("mi gato se llama Milo", "no, se llama Tigre", "mi gato se llama Tigre"),
    ],
)
def test_another_value_corrects_what_was_just_told(before: str, said: str, right: str) -> None:
    told = discourse.told(said, [Exchange(before, "")], [before])
    assert [fact.content for fact in told.facts] == [right] and told.corrects


@pytest.mark.parametrize(
    "said",
    [
        "no, she is called Tiger",
        "no, her name is Tiger",
        "sorry, my cat is called Tiger",
        "actually it's Tiger",
        "oh no sorry, Milo is the neighbour's dog. my cat is Tiger",
    ],
)
def test_a_corrected_name_leaves_only_the_right_one(said: str) -> None:
    before = "my cat is called Milo"
    told = discourse.told(said, [Exchange(before, "Your cat is called Milo.")], [before])
    assert any(before in fact.replaces and fact.value == "Tiger" for fact in told.facts)
    assert not any("my cat Milo" in fact.content for fact in told.facts)
