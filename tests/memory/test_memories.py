"""What is stored is kept once, the newer fact wins, and what is forgotten is gone from the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.memory.forget_requests import is_everything
from reachy_mind.memory.memory import Memory
from tests.memory.files import traces

ODD = [
    "'); DROP TABLE memories; --",
    '"NEAR(a, b)" OR * AND NOT',
    "content:secret ^first {col} -minus",
    "\U0001f3b8 \U0001f469\u200d\U0001f680",
    "\u732b\u304c\u597d\u304d\u3067\u3059",
    "\u0645\u0631\u062d\u0628\u0627 \u0628\u0627\u0644\u0639\u0627\u0644\u0645",
    "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e",
    "a\u0000b \ud800 c",
    "word " * 399 + "five",
    "%_\\ LIKE '%'",
]


async def contents(memory: Memory, person: str = "", *, history: bool = False) -> list[str]:
    return [one.content for one in (await memory.memories.listed(person=person, history=history))[0]]


async def test_the_same_thing_is_kept_once(memory: Memory) -> None:
    for said in (
        "The printer is on the second floor.",
        "the printer is on the  second floor",
        "THE PRINTER is on the second floor!",
    ):
        (stored,) = await memory.store(said, person="ada")
    assert stored.how == "known" and await contents(memory, "ada") == ["The printer is on the second floor."]
    assert (await memory.memories.get(stored.memory.id)).times == 3
    assert (await memory.store("The printer is on the second floor.", person="bob"))[0].how == "new"


async def test_signs_are_not_the_same_when_they_differ(memory: Memory) -> None:
    await memory.store("my favourite sign \U0001f34e")
    assert (await memory.store("my favourite sign \U0001f34c"))[0].how == "new"


async def test_the_newer_fact_wins_and_history_is_kept(memory: Memory) -> None:
    await memory.store("my favourite colour is green", person="ada")
    (newer,) = await memory.store("My favorite color is blue.", person="ada")
    assert newer.how == "newer" and [old.content for old in newer.replaced] == ["my favourite colour is green"]
    assert await contents(memory, "ada") == ["My favorite color is blue"]
    assert await contents(memory, "ada", history=True) == ["My favorite color is blue", "my favourite colour is green"]
    found = await memory.search.find("what is my favourite colour", person="ada")
    assert [one.memory.content for one in found] == ["My favorite color is blue"]
    profile = await memory.people.profile("ada")
    assert profile.known == {"favorite color": "blue"}


async def test_tastes_turn_around(memory: Memory) -> None:
    await memory.store("I like coffee", person="ada")
    await memory.store("I like tea", person="ada")
    await memory.store("I hate coffee", person="ada")
    assert (await memory.people.profile("ada")).known == {"likes": ["tea"], "dislikes": ["coffee"]}
    history = await memory.people.history("ada", "likes")
    assert {row["value"]: row["until"] is None for row in history} == {"tea": True, "coffee": False}


async def test_what_somebody_writes_about_a_person_counts_as_theirs(memory: Memory) -> None:
    await memory.people.identify("Ada")
    await memory.store("The user lives in Rome.", person="ada")
    await memory.store("Ada lives in Oslo.", person="ada")
    assert (await memory.people.profile("ada")).known == {"home": "Oslo"}


async def test_two_sisters_are_no_contradiction(memory: Memory) -> None:
    await memory.store("my sister is called Eva", person="ada")
    await memory.store("my sister is called Mia", person="ada")
    assert len(await contents(memory, "ada")) == 2
    await memory.store("my wife is called Jo", person="ada")
    await memory.store("my wife is called Kim", person="ada")
    assert len(await contents(memory, "ada")) == 3


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
async def test_any_text_can_be_kept_found_and_forgotten(memory: Memory, text: str) -> None:
    await memory.store("something else entirely", person="ada")
    (stored,) = await memory.store(text, person="ada")
    found = await memory.search.find(text[:500], person="ada")
    assert found and found[0].memory.id == stored.memory.id
    await memory.forget_one(stored.memory.id)
    assert await contents(memory, "ada") == ["something else entirely"]


@pytest.mark.parametrize("text", ["", " \n ", "x" * 2001])
async def test_what_is_no_sentence_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(InvalidParameter):
        await memory.store(text)


async def test_forgotten_is_forgotten(memory: Memory, tmp_path: Path) -> None:
    await memory.store("my favourite colour is zinnoberrot", person="ada")
    await memory.store("my favourite colour is aquamarin", person="ada")
    await memory.store("my favourite food is soup", person="ada")
    assert await memory.forget("my favourite colour", person="ada") == ["my favourite colour is aquamarin"]
    assert await contents(memory, "ada", history=True) == ["my favourite food is soup"]
    assert (await memory.people.profile("ada")).known == {"favourite food": "soup"}
    assert traces(tmp_path, "zinnob", "aquamarin") == []


async def test_nothing_else_is_forgotten(memory: Memory) -> None:
    await memory.store("my favourite colour is green", person="ada")
    await memory.store("my favourite colour is red", person="bob")
    assert await memory.forget("my favourite film", person="ada") == []
    assert await memory.forget("my favourite colour", person="ada") == ["my favourite colour is green"]
    assert await contents(memory, "bob") == ["my favourite colour is red"]
    with pytest.raises(InvalidParameter, match="no memory"):
        await memory.forget_one((await memory.memories.listed(person="bob"))[0][0].id, person="ada")


@pytest.mark.parametrize(
    "said",
    ["everything", "forget everything about me", "Everything you know about me.", "me", "tout", "alles über mich"],
)
def test_everything_is_everything(said: str) -> None:
    assert is_everything(said)


@pytest.mark.parametrize(
    "said", ["everything about my boss", "my sister", "the meeting", "all my meetings", "what you know about cars"]
)
def test_not_everything_is(said: str) -> None:
    assert not is_everything(said)
