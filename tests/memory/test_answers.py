"""Questions about people, pets and things: the fact that answers, said to the person, or an honest no."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.memory.answers import answer
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.turn_memory import HeardTurn

KNOWN = """
my aunt Rosa is ninety
my aunt Rosa grows roses
my daughter Mia is 6
my daughter Mia loves dinosaurs
our dog is called Biscuit
Tom is allergic to nuts
my brother Ben lives in Oslo
my brother Ben does not like tea
my brother Ben is a vet
my sister is called Ines
my sister Ines plays the harp
my son is afraid of thunder
my son's birthday is in May
our neighbours have seven hens
our cat is black
my phone is in the kitchen
Paul is my boss
my wife Anna is French
my uncle Jim can't swim
I work nights at the hospital
ma marraine Odile a 80 ans
mi primo Pedro vive en Lima
meine Oma heißt Luise
""".strip().splitlines()
ANSWERS = {
    "how old is my aunt?": "Your aunt Rosa is ninety.",
    "do you know how old Rosa is?": "Your aunt Rosa is ninety.",
    "what does Rosa grow?": "Your aunt Rosa grows roses.",
    "who is Rosa?": "Rosa is your aunt.",
    "what is my aunt called?": "Your aunt is called Rosa.",
    "what's my sister's name?": "Your sister is called Ines.",
    "what is the name of our dog?": "Your dog is called Biscuit.",
    "who is Biscuit?": "Biscuit is your dog.",
    "who is my boss?": "Your boss is called Paul.",
    "what is Tom allergic to?": "Tom is allergic to nuts.",
    "is Tom allergic to nuts?": "Yes, Tom is allergic to nuts.",
    "does Mia like dinosaurs?": "Yes, your daughter Mia loves dinosaurs.",
    "does Ben like tea?": "No, your brother Ben does not like tea.",
    "is my daughter six?": "Yes, your daughter Mia is 6.",
    "is my daughter nine?": "No, your daughter Mia is 6.",
    "where does my brother live?": "Your brother Ben lives in Oslo.",
    "what does Ben do for a living?": "Your brother Ben is a vet.",
    "what instrument does Ines play?": "Your sister Ines plays the harp.",
    "what is my son afraid of?": "Your son is afraid of thunder.",
    "when is my son's birthday?": "Your son's birthday is in May.",
    "what do our neighbours have?": "Your neighbours have seven hens.",
    "what colour is our cat?": "Your cat is black.",
    "where is my phone?": "Your phone is in the kitchen.",
    "is my wife French?": "Yes, your wife Anna is French.",
    "can Jim swim?": "No, your uncle Jim can't swim.",
    "who plays the harp?": "Your sister Ines plays the harp.",
    "tell me about my aunt": "Your aunt Rosa is ninety and grows roses.",
    "quel âge a ma marraine ?": "Ta marraine Odile a 80 ans.",
    "où habite Pedro ?": "Tu primo Pedro vive en Lima.",
    "¿dónde vive mi primo?": "Tu primo Pedro vive en Lima.",
    "wie heißt meine Oma?": "Deine Oma heißt Luise.",
}
HONEST = {
    "how old is Fred?": "You have not told me about Fred yet.",
    "what is my nephew called?": "You have not told me about your nephew yet.",
    "how old is my uncle?": "You have not told me that about your uncle Jim yet.",
    "does Mia like tea?": "You have not told me that about your daughter Mia yet.",
    "is Tom allergic to milk?": "You have not told me that about Tom yet.",
}


@pytest.mark.parametrize("asked", ANSWERS)
def test_the_fact_that_answers_is_said_to_the_person(asked: str) -> None:
    found = answer(asked, KNOWN)
    assert found is not None and found.known and found.text == ANSWERS[asked]


def test_of_several_sisters_all_are_told() -> None:
    found = answer("how old is my sister?", ["my sister Eva is 12", "my sister Ana is 30", "my aunt Ida is 90"])
    assert found is not None and found.text == "Your sister Eva is 12. Your sister Ana is 30."


@pytest.mark.parametrize("asked", HONEST)
def test_what_was_not_told_is_not_made_up(asked: str) -> None:
    found = answer(asked, KNOWN)
    assert found is not None and not found.known and found.text == HONEST[asked]


@pytest.mark.parametrize(
    "asked",
    ["what time is it in Paris?", "who is the president of France?", "what is my shoe size?", "how old are you?"],
)
def test_other_questions_are_left_to_others(asked: str) -> None:
    assert answer(asked, KNOWN) is None


def test_what_is_known_of_somebody_by_name_and_by_relation_is_one() -> None:
    known = ["my aunt is called Rosa", "Rosa is ninety", "my aunt lives in Leeds"]
    for asked, said in (
        ("how old is my aunt?", "Rosa is ninety."),
        ("where does Rosa live?", "Your aunt lives in Leeds."),
    ):
        found = answer(asked, known)
        assert found is not None and found.text == said


@settings(max_examples=150, deadline=None)
@given(asked=st.text(max_size=120))
def test_no_question_breaks_it(asked: str) -> None:
    answer(asked, KNOWN)
    answer(f"how old is {asked}", KNOWN)


async def told(memory: Memory, *said: str) -> None:
    for number, each in enumerate(said):
        memory.turn_memory.enqueue(HeardTurn("ada", "talk", str(number), each))
    await memory.turn_memory.settle()


async def kept(memory: Memory) -> list[str]:
    return [each.content for each in (await memory.memories.listed(person="ada"))[0]]


async def test_a_newer_age_supersedes_the_older_one(memory: Memory) -> None:
    await told(memory, "my aunt is ninety", "my aunt Rosa grows roses", "Rosa is ninety-one")
    assert sorted(await kept(memory)) == ["my aunt Rosa grows roses", "my aunt Rosa is ninety-one"]


async def test_a_denial_supersedes_what_it_denies(memory: Memory) -> None:
    await told(memory, "Tom is allergic to nuts", "Tom is not allergic to nuts", "Tom is allergic to milk")
    assert sorted(await kept(memory)) == ["Tom is allergic to milk", "Tom is not allergic to nuts"]


async def test_two_sisters_have_two_ages(memory: Memory) -> None:
    await told(memory, "my older sister is 30", "my little sister is 12")
    assert len(await kept(memory)) == 2


async def test_a_question_about_the_speaker_is_not_answered_with_others(memory: Memory) -> None:
    await told(memory, "my sister works at the zoo", "I work nights at the hospital")
    found = await memory.search.find("where do I work?", person="ada")
    said = await memory.answer("where do I work?", found, person="ada")
    assert said is not None and said.text == "You work nights at the hospital."
