"""Company without a language model: what people tell is acknowledged and remembered, what they ask is answered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from reachy_mind.brains.brain import Past, Turn
from reachy_mind.brains.reflex import recollection
from reachy_mind.brains.reflex.plan import Plan, Step, Talk
from reachy_mind.mind import Mind
from reachy_mind.profiles.phrasebook import LANGUAGES, book
from reachy_mind.tools.definition import Outcome, Tool

WRONG_TOOLS = {"update_user_profile", "search_web", "analyze_scene", "get_robot_state"}


async def talk(mind: Mind, *said: str) -> list[str]:
    """The replies in one conversation; no tool is called that has nothing to do with it."""
    replies, conversation = [], None
    for each in said:
        response = await mind.ask(each, conversation=conversation)
        conversation = response.conversation
        assert not WRONG_TOOLS & {call.name for call in response.tool_calls}, each
        replies.append(response.text)
    return replies


CONVERSATIONS: dict[str, list[tuple[str, str]]] = {
    "a favourite in other words": [
        ("my favorite color is turquoise", "Your favorite color is turquoise."),
        ("which colour do i like best?", "Your favorite color is turquoise."),
    ],
    "a home that was": [
        ("I used to live in Lyon, now I live in Porto", "You live in Porto."),
        ("where do I live now?", "You live in Porto."),
    ],
    "a job": [
        ("I work as a nurse, night shifts mostly", "You work as a nurse."),
        ("so what is my job?", "You work as a nurse."),
    ],
    "a plan for a day": [
        ("my daughter Clara has a recital on saturday", "Your daughter Clara has a recital on saturday."),
        ("what was on saturday again?", "Your daughter Clara has a recital on saturday."),
    ],
    "an allergy": [
        ("I'm allergic to peanuts", "You're allergic to peanuts."),
        ("should I eat a peanut butter sandwich?", "Better not: you are allergic to peanuts."),
    ],
    "a cat with another name": [
        ("my cat is called Milo", "Your cat is called Milo."),
        ("no, she is called Tiger", "Your cat is called Tiger."),
        ("what is my cat called?", "Your cat is called Tiger."),
    ],
    "an aunt": [
        ("my aunt Rosa is ninety and grows roses", "Your aunt Rosa is ninety and grows roses."),
        ("how old is she?", "Your aunt Rosa is ninety."),
        ("what does she grow?", "Your aunt Rosa grows roses."),
        ("who is Rosa?", "Rosa is your aunt."),
        ("what is my aunt called?", "Your aunt is called Rosa."),
        ("where does she live?", "You have not told me that about your aunt Rosa yet."),
    ],
    "a daughter who grows": [
        ("My daughter Mia is 6 and loves dinosaurs", "Your daughter Mia is 6 and loves dinosaurs."),
        ("does she like dinosaurs?", "Yes, your daughter Mia loves dinosaurs."),
        ("she is seven now, not six", "Your daughter Mia is seven."),
        ("how old is Mia?", "Your daughter Mia is seven."),
    ],
    "two men": [
        ("my brother Ben lives in Oslo. My friend Max lives in Rome.", "Your friend Max lives in Rome."),
        ("where does he live?", "Your friend Max lives in Rome."),
        ("where does my brother live?", "Your brother Ben lives in Oslo."),
        ("what does he do?", "You have not told me that about your brother Ben yet."),
    ],
    "a wrong name": [
        ("my cousin is called Jim", "Your cousin is called Jim."),
        ("what is my cousin called?", "Your cousin is called Jim."),
        ("no, that is my brother's name", "Your brother is called Jim."),
        ("what is my brother called?", "Your brother is called Jim."),
        ("what is my cousin called?", "You have not told me about your cousin yet."),
    ],
    "a misheard name": [
        ("my sister is called Agnes", "Your sister is called Agnes."),
        ("I said Ines, not Agnes", "Your sister is called Ines."),
        ("what is my sister called?", "Your sister is called Ines."),
        ("who is Agnes?", "You haven't told me|You have not told me|I don't know Agnes"),
    ],
    "the speaker": [
        ("I work nights at the hospital", "You work nights at the hospital."),
        ("where do I work?", "You work nights at the hospital."),
        ("that's wrong, I live in York", "You live in York."),
        ("where do I live?", "You live in York."),
    ],
    "a pet": [
        ("our dog is called Biscuit", "Your dog is called Biscuit."),
        ("he is three and hates baths", "Your dog Biscuit is three and hates baths."),
        ("how old is Biscuit?", "Your dog Biscuit is three."),
        ("does our dog like baths?", "No, your dog Biscuit hates baths."),
    ],
    "strangers": [
        ("Tom is allergic to nuts", "Tom is allergic to nuts."),
        ("what is Bob allergic to?", "have not told me about Bob|haven't told me anything about Bob|don't know Bob"),
        ("what is Tom allergic to?", "Tom is allergic to nuts."),
    ],
    "French": [
        ("ma tante Odile a 80 ans", "Ta tante Odile a 80 ans."),
        ("quel âge a-t-elle ?", "Ta tante Odile a 80 ans."),
        ("où habite ma tante ?", "Odile"),
    ],
    "Spanish": [
        ("mi tío Pedro tiene 50 años y vive en Lima", "Tu tío Pedro tiene 50 años y vive en Lima."),
        ("¿cuántos años tiene?", "Tu tío Pedro tiene 50 años."),
        ("¿cómo se llama mi tío?", "Tu tío se llama Pedro."),
    ],
    "German": [
        ("meine Schwester heißt Lena und arbeitet bei Bosch", "Deine Schwester heißt Lena."),
        ("wo arbeitet sie?", "Deine Schwester Lena arbeitet bei Bosch."),
        ("wer ist Lena?", "Lena ist deine Schwester."),
        ("wie alt ist meine Oma?", "deine Oma"),
    ],
}


@pytest.mark.parametrize("name", CONVERSATIONS)
async def test_a_conversation(name: str) -> None:
    async with Mind(robot="none").session() as mind:
        replies = await talk(mind, *(said for said, _ in CONVERSATIONS[name]))
    for reply, (said, expected) in zip(replies, CONVERSATIONS[name], strict=True):
        assert any(each in reply for each in expected.split("|")), (said, reply)


async def test_another_day_it_still_knows() -> None:
    async with Mind(robot="none").session() as mind:
        await talk(mind, "my aunt Rosa is ninety", "no, she is ninety-one")
    async with Mind(robot="none").session() as mind:
        replies = await talk(mind, "how old is she?", "how old is Rosa?", "how old is she?")
    assert "ninety" not in replies[0]
    assert replies[1:] == ["Your aunt Rosa is ninety-one."] * 2


async def test_a_daughters_age_changes_nothing_in_the_profile() -> None:
    async with Mind(robot="none").session() as mind:
        (reply,) = await talk(mind, "My daughter Mia is 6 and loves dinosaurs")
        assert mind.memory is not None
        await mind.memory.turn_memory.flush()
        assert "birthday" not in reply and (await mind.memory.people.profile("")).known == {}


async def test_without_memory_it_says_so_and_knows_the_conversation() -> None:
    async with Mind(robot="none", memory=False).session() as mind:
        replies = await talk(mind, "my aunt Rosa is ninety", "how old is she?", "where does she live?")
    assert replies[0].startswith("Your aunt Rosa is ninety.") and "memory is switched off" in replies[0]
    assert replies[1] == "Your aunt Rosa is ninety." and "memory is switched off" in replies[2]


async def _call(name: str, args: object) -> Outcome:
    return Outcome("ok", {})


def planned(text: str, made: Plan, history: Sequence[Past] = (), tools: tuple[Tool, ...] = ()) -> Plan:
    return recollection.plan(Turn(text, _call, tools, history=tuple(history)), made)


def test_the_labels_of_the_reader_are_taken_where_no_rule_understands() -> None:
    told = planned("Grandpa fought in the navy", Plan((Talk("@tell", "Grandpa fought in the navy"),)))
    assert told.steps == (
        Step("store_memory", {"content": "Grandpa fought in the navy"}, "Grandpa fought in the navy"),
    )
    corrected = planned("that is not what I meant", Plan((Talk("@correct", "that is not what I meant"),)))
    assert corrected.parts == (Talk("@complaint", "that is not what I meant"),)
    tom = planned("Tom is allergic to nuts", Plan((Talk("@tell", "Tom is allergic to nuts"),)))
    (part,) = tom.parts
    assert isinstance(part, Talk) and (part.kind, part.what) == ("@tell", "Tom is allergic to nuts.")


def test_what_is_wished_beside_it_is_still_done() -> None:
    nod = Step("nod", {"times": 2})
    made = planned("my aunt Rosa is ninety. Nod twice.", Plan((Talk("@report", "my aunt Rosa is ninety"), nod)))
    assert made.steps == (nod,) and isinstance(made.parts[0], Talk) and "Rosa" in made.parts[0].what


def test_what_to_remember_names_whom_it_is_about() -> None:
    history = [Past("my wife Anna is French", "")]
    made = planned(
        "remember that she plays chess", Plan((Step("store_memory", {"content": "she plays chess"}),)), history
    )
    assert made.steps[0].args == {"content": "my wife Anna plays chess"}


@pytest.mark.parametrize("said", ["what do you see?", "look at my brother", "what is he holding?", "nod twice"])
def test_other_requests_are_left_as_they_are(said: str) -> None:
    made = Plan((Step("analyze_scene", {"prompt": said}),))
    assert planned(said, made, [Past("my brother Ben is a vet", "")]) == made


def test_the_phrases_are_there() -> None:
    for language in LANGUAGES:
        for key in ("told_fact", "told_fact_off", "told_correction", "who_is_meant", "stranger", "memory_off"):
            assert book(language)[key], (language, key)


def test_a_reason_for_a_wish_does_not_take_its_place() -> None:
    follow = Step("head_tracking", {"enabled": True})
    assert planned("my son runs round the table, follow him with your eyes", Plan((follow,))).steps == (follow,)


@pytest.mark.parametrize(
    "said",
    [
        "who's your daddy",
        "are you my friend",
        "how do i ask my boss for a raise",
        "did my dad build you",
        "how far is Leith from Glasgow",
        "do you speak Polish?",
        "What's the time in New York?",
        "my neighbour's robot vacuum turns left",
        "my mother tongue is Tamil?",
        "pop like a robot",
    ],
)
def test_what_only_looks_like_it_is_left_to_the_reader(said: str) -> None:
    made = Plan((Talk("@knowledge", said),))
    assert planned(said, made) == made
