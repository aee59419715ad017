"""Search: by words in any spelling and script, in one person's memories only, and conversations by day."""

from __future__ import annotations

import time
from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reachy_mind.memory import periods
from reachy_mind.memory.memory import Memory
from reachy_mind.memory.normalization import plain

NOON = datetime(2026, 11, 16, 12).astimezone().timestamp()
"""A Monday."""


async def found(memory: Memory, query: str, person: str = "ada") -> list[str]:
    return [one.memory.content for one in await memory.search.find(query, person=person)]


async def test_it_is_found_by_its_words(memory: Memory) -> None:
    for said in ("I parked the car behind the library", "my bicycle has a flat tyre", "the neighbours keep bees"):
        await memory.store(said, person="ada")
    assert (await found(memory, "Where did I park my car?"))[0] == "I parked the car behind the library"
    assert (await found(memory, "neighbor"))[0] == "the neighbours keep bees"
    assert await found(memory, "submarine") == []


async def test_it_says_whether_it_is_sure(memory: Memory) -> None:
    await memory.store("my favourite colour is green", person="ada")
    for query, sure in (("what is my favorite color?", True), ("what is my favourite film?", False)):
        (one,) = await memory.search.find(query, person="ada")
        assert one.sure is sure, query


async def test_only_ones_own(memory: Memory) -> None:
    await memory.store("my locker is number twelve", person="ada")
    await memory.store("my locker is number seven", person="bob")
    await memory.store("my locker is number one")
    assert await found(memory, "locker", "ada") == ["my locker is number twelve"]
    assert await found(memory, "locker", "bob") == ["my locker is number seven"]
    assert await found(memory, "locker", "") == ["my locker is number one"]
    assert await found(memory, "locker", "carla") == []


async def test_other_scripts_and_signs(memory: Memory) -> None:
    await memory.store("\u79c1\u306f\u732b\u304c\u597d\u304d\u3067\u3059", person="ada")
    await memory.store("band practice \U0001f3b8 on Friday", person="ada")
    await memory.store("Mi cumplea\u00f1os es en mayo", person="ada")
    assert await found(memory, "\u732b\u304c") == ["\u79c1\u306f\u732b\u304c\u597d\u304d\u3067\u3059"]
    assert await found(memory, "\U0001f3b8") == ["band practice \U0001f3b8 on Friday"]
    assert await found(memory, "cumpleanos") == ["Mi cumplea\u00f1os es en mayo"]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=80))
async def test_no_question_breaks_it(memory: Memory, query: str) -> None:
    await memory.store("the sky is blue", person="ada")
    assert {one.memory.person for one in await memory.search.find(query, person="ada")} <= {"ada"}


def day(period: periods.Period | None) -> tuple[str, str]:
    assert period is not None
    middle = time.localtime((period.since + period.until) / 2)
    return time.strftime("%A", middle), period.rest


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("what did we talk about yesterday?", ("Sunday", "")),
        ("what did I tell you about my boss yesterday", ("Sunday", "my boss")),
        ("what did we discuss on Friday?", ("Friday", "")),
        ("what did we talk about two days ago", ("Saturday", "")),
        ("what did we talk about 3 days ago", ("Friday", "")),
        ("de quoi avons-nous parl\u00e9 hier ?", ("Sunday", "")),
        ("\u00bfde qu\u00e9 hablamos ayer?", ("Sunday", "")),
        ("wor\u00fcber haben wir gestern geredet?", ("Sunday", "")),
    ],
)
def test_the_day_of_a_talk(said: str, meant: tuple[str, str]) -> None:
    assert day(periods.parse_period(plain(said), NOON)) == meant


@pytest.mark.parametrize(
    "said", ["what am I doing on Thursday?", "when is my birthday?", "what did I buy yesterday?", "tell me my name"]
)
def test_a_day_in_another_question_is_none(said: str) -> None:
    assert periods.parse_period(plain(said), NOON) is None


async def test_talks_are_found_by_their_day(memory: Memory) -> None:
    from reachy_mind.memory.memories import Fact

    yesterday, before = NOON - 86400, NOON - 5 * 86400
    for at, text in ((yesterday, "Told: I bought a kite."), (before, "Told: my knee hurts.")):
        await memory.memories.store(Fact(text, "conversation"), person="ada", source="summary", at=at)
    talks = await memory.search.find("what did we talk about yesterday?", person="ada", now=NOON)
    assert [one.memory.content for one in talks] == ["Told: I bought a kite."]
    talks = await memory.search.find("what did we talk about last time?", person="ada", now=NOON)
    assert [one.memory.content for one in talks] == ["Told: I bought a kite."]
    assert await memory.search.find("what did we talk about today?", person="ada", now=NOON) == []
