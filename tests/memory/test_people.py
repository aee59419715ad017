"""Identification of people: names in any case, introductions, and no mix-ups."""

from __future__ import annotations

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.memory.conversations import Conversations
from reachy_mind.memory.memory import Memory
from reachy_mind.storage.database import Database

NAMES = ["Robert'); DROP TABLE people;--", 'A "quoted" OR name', "Zoë*", "李雷", "🤖", "a%_b", "O'Brien"]


async def begun(database: Database, memory: Memory, person: str = "") -> str:
    who = await memory.people.identify(person)
    return await Conversations(database).open(None, person=who)


async def test_a_name_is_one_person_however_it_is_written(memory: Memory) -> None:
    assert {await memory.people.identify(name) for name in ("Ada", "ADA", " ada ", "\uff21da")} == {"ada"}
    (ada,), total = await memory.people.listed()
    assert (ada.name, total) == ("Ada", 1)


async def test_a_conversation_is_whose_it_is(database: Database, memory: Memory) -> None:
    one, other = await begun(database, memory), await begun(database, memory)
    assert await memory.people.introduce("Ada", one) == ("ada", True)
    assert await memory.people.introduce("Bob", other) == ("bob", True)
    assert (
        await memory.people.identify(conversation=one) == "ada"
        and await memory.people.identify(conversation=other) == "bob"
    )
    assert await memory.people.identify(conversation=await begun(database, memory)) == "", "it may be either"
    assert await memory.people.identify("Carla", one) == "carla", "who passes words on knows better"


async def test_the_only_one_who_ever_said_their_name_is_known_tomorrow(database: Database, memory: Memory) -> None:
    await memory.people.identify("Carla")  # known, but never introduced to somebody who did not know
    assert await memory.people.identify() == ""
    await memory.people.introduce("Ada", await begun(database, memory))
    assert await memory.people.identify() == "ada"
    assert await memory.people.introduce("ada", await begun(database, memory)) == ("ada", False)


async def test_what_was_told_before_the_name_is_theirs(database: Database, memory: Memory) -> None:
    talk = await begun(database, memory)
    await memory.store("my favourite colour is green", conversation=talk)
    await memory.people.introduce("Ada", talk)
    assert (await memory.people.profile("ada")).known == {"favourite colour": "green"}
    assert (await memory.people.profile("")).known == {}


async def test_a_guest_takes_only_what_the_guest_told(database: Database, memory: Memory) -> None:
    first = await begun(database, memory)
    await memory.store("my favourite colour is green", conversation=first)
    await memory.people.introduce("Ada", first)
    talk = await begun(database, memory)  # taken for Ada, the only one known
    await memory.store("my favourite food is soup", person="ada", conversation=talk)
    await memory.people.introduce("Bob", talk)
    assert (await memory.people.profile("ada")).known == {"favourite colour": "green"}
    assert (await memory.people.profile("bob")).known == {"favourite food": "soup"}
    await memory.store("my favourite film is Jaws", person="bob", conversation=talk)
    await memory.people.introduce("Ada", talk)  # Ada takes over: what Bob said stays Bob's
    assert set((await memory.people.profile("bob")).known) == {"favourite food", "favourite film"}


@pytest.mark.parametrize("name", NAMES)
async def test_any_name_will_do(database: Database, memory: Memory, name: str) -> None:
    await memory.people.introduce(name, await begun(database, memory))
    who = await memory.people.identify(name)
    await memory.store("my favourite colour is green", person=who)
    await memory.store("my favourite colour is red", person="somebody else")
    found = await memory.search.find("favourite colour", person=who)
    assert [one.memory.content for one in found] == ["my favourite colour is green"]
    assert (await memory.export(name))["person"] == name
    assert (await memory.erase(name))["erased"]["memories"] == 1
    assert (await memory.memories.listed(person="somebody else"))[1] == 1


@pytest.mark.parametrize("name", ["x" * 65, "a\nb\x07"])
async def test_what_can_not_be_a_name(memory: Memory, name: str) -> None:
    with pytest.raises(InvalidParameter):
        await memory.people.identify(name)


async def test_services_are_known_by_name_and_status(memory: Memory) -> None:
    await memory.people.connect("ada", "calendar")
    await memory.people.connect("ada", "calendar", "failed")
    assert (await memory.people.profile("ada")).as_dict()["services"] == {"calendar": "failed"}


async def test_a_key_of_a_profile_goes_with_what_was_remembered_by_it(memory: Memory) -> None:
    await memory.store("I live in Lyon", person="ada")
    assert await memory.people.remove("ada", "home") == 1
    assert await memory.search.find("Lyon", person="ada") == []


async def test_a_wrong_name_is_taken_back_with_what_was_told_under_it(database: Database, memory: Memory) -> None:
    talk = await begun(database, memory)
    await memory.people.introduce("Mia", talk)
    await memory.store("my name is Mia", person="mia", conversation=talk)
    await memory.store("my favourite food is soup", person="mia", conversation=talk)
    assert await memory.people.correct(talk, "mia", wrong="Mia") == ""
    assert await memory.people.listed() == ([], 0), "nobody is called so"
    assert await memory.people.identify(conversation=talk) == ""
    nobody = await memory.people.profile("")
    assert (nobody.name, nobody.known) == ("", {"favourite food": "soup"})
    assert await memory.people.introduce("Ida", talk) == ("ida", True)
    assert (await memory.people.profile("ida")).known == {"favourite food": "soup"}


async def test_who_is_not_the_only_one_known_is_somebody_else(database: Database, memory: Memory) -> None:
    first = await begun(database, memory)
    await memory.people.introduce("Ada", first)
    await memory.store("my favourite colour is green", person="ada", conversation=first)
    talk = await begun(database, memory)
    assert await memory.people.identify(conversation=talk) == "ada"
    await memory.people.correct(talk, "ada", wrong="Ada", right="Bob")
    assert await memory.people.identify(conversation=talk) == "bob"
    assert (await memory.people.profile("ada")).known == {"favourite colour": "green"}
    other = await begun(database, memory)
    await memory.people.correct(other, "ada")
    assert await memory.people.identify(conversation=other) == ""


async def test_another_name_that_is_denied_changes_nothing(database: Database, memory: Memory) -> None:
    talk = await begun(database, memory)
    await memory.people.introduce("Ada", talk)
    assert await memory.people.correct(talk, "ada", wrong="Sam") == "ada"
    assert await memory.people.identify(conversation=talk) == "ada"
