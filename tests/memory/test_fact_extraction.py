"""Fact extraction: the facts people tell, and no false ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.memory.fact_extraction import facts, introduction, statements

TOLD = {
    "My name is Ada.": {"name": "Ada"},
    "Hi Reachy, my name is Ada and I live in Lyon now.": {"name": "Ada", "home": "Lyon"},
    "my name is grace hopper": {"name": "Grace Hopper"},
    "Actually, I moved to Berlin last week.": {"home": "Berlin"},
    "I like green tea a lot": {"taste:green tea": "like"},
    "I don't like coffee, but I love cocoa.": {"taste:coffee": "dislike", "taste:cocoa": "like"},
    "I can't stand loud music": {"taste:loud music": "dislike"},
    "I'm allergic to peanuts": {"allergy:peanuts": "yes"},
    "my favourite colour is green": {"favorite color": "green"},
    "My sister's birthday is on the 3rd of May.": {"sister birthday": "the 3rd of May"},
    "my dog is called Rex": {"dog name rex": "Rex"},
    "my wife's name is Jo": {"wife name": "Jo"},
    "I work as a nurse": {"job": "nurse"},
    "I'm 34 years old": {"age": "34"},
    "I was born on 2 June 1990": {"birthday": "2 June 1990"},
    "Je m'appelle Luc et j'habite à Nantes": {"name": "Luc", "home": "Nantes"},
    "j'adore le chocolat": {"taste:le chocolat": "like"},
    "Me llamo Inés y vivo en Sevilla": {"name": "Inés", "home": "Sevilla"},
    "No me gusta el ruido": {"taste:el ruido": "dislike"},
    "Ich heiße Jonas und ich wohne in Bonn": {"name": "Jonas", "home": "Bonn"},
    "meine Lieblingsfarbe ist Grün": {"meine lieblingsfarbe": "Grün"},
}
NOT_TOLD = """
Do I like tea?
What is my name?
my name is what?
If I lived in Rome I would like it
Imagine my name is Bob
I would like a coffee
I'd love to dance
I wish I lived in Rome
Maybe I like jazz
She said "my name is Eve"
My password is hunter2
call me later
I am tired
I like you
I like it when you nod
I used to live in Rome
look left
tell me about my sister
Is my favourite colour green?
I don't know that
Suppose I am allergic to nuts
Pretend that I live on Mars
""".strip().splitlines()


@pytest.mark.parametrize("said", TOLD)
def test_what_is_told_is_a_fact(said: str) -> None:
    assert {fact.key: fact.value for fact in facts(said)} == TOLD[said]


@pytest.mark.parametrize("said", NOT_TOLD)
def test_what_is_not_told_is_none(said: str) -> None:
    assert facts(said) == () and statements(said) == ()


@pytest.mark.parametrize(
    "said",
    ["We went to the lake on Sunday and saw herons.", "I lost my umbrella on the train", "My back hurts when I sit"],
)
def test_what_people_tell_in_their_own_words_is_kept_as_they_said_it(said: str) -> None:
    (told,) = statements(said)
    assert told.content == said.rstrip(".") and told.key == ""


def test_appointments_are_events() -> None:
    (told,) = facts("I have a dentist appointment on Thursday at three.")
    assert told.type == "event" and "Thursday at three" in told.content


def test_a_name_is_an_introduction() -> None:
    assert introduction("Hello, my name is Ada Lovelace!") == "Ada Lovelace"
    assert introduction("my sister is called Eva") == ""


@settings(max_examples=150, deadline=None)
@given(said=st.text(max_size=300))
def test_any_text_can_be_read(said: str) -> None:
    for fact in (*facts(said), *statements(said)):
        assert fact.content
