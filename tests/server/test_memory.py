"""Memory and people over REST: paged lists, errors of one form, and nothing gone without a person's yes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from reachy_mind.mind import Mind
from tests.server.served import calling
from tests.server.test_api import error_of
from tests.waiting import until


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    async with Mind(robot="none", thinks=False).session() as awake:
        yield awake


async def told(http: httpx.AsyncClient, route: str, **query: Any) -> dict[str, Any]:
    answer = await http.get(route, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()  # type: ignore[no-any-return]


async def approved(mind: Mind, asking: Any) -> httpx.Response:
    with mind.confirmations.channel("test"):
        task = asyncio.create_task(asking)
        await until(lambda: mind.confirmations.pending)
        mind.confirmations.answer(mind.confirmations.pending[0].id, approved=True, by="test")
        answer: httpx.Response = await task
        return answer


async def test_notes_are_kept_listed_found_and_forgotten(mind: Mind, http: httpx.AsyncClient) -> None:
    for number in range(7):
        note = {"content": f"note number {number} about kites", "person": "Ada", "type": "event"}
        assert (await http.post("memory", json=note)).status_code == 200
    page = await told(http, "memory", person="ada", limit=3, offset=5)
    assert page["total"] == 7 and [one["content"][:13] for one in page["memories"]] == [
        "note number 1",
        "note number 0",
    ]
    found = await told(http, "memory", person="Ada", query="kites number 3")
    assert found["memories"][0]["content"] == "note number 3 about kites" and found["memories"][0]["score"] > 0
    assert (await told(http, "memory"))["total"] == 0, "those of nobody in particular"
    one = found["memories"][0]["id"]
    assert (await told(http, f"memory/{one}"))["person"] == "ada"
    assert error_of(await http.delete(f"memory/{one}"), 403)["code"] == "NOT_CONFIRMED"
    assert (await approved(mind, http.delete(f"memory/{one}"))).json()["forgotten"] == 1
    error_of(await http.get(f"memory/{one}"), 404)
    gone = await approved(mind, http.delete("memory", params={"query": "note number 5", "person": "Ada"}))
    assert gone.json()["forgotten"] == 1 and (await told(http, "memory", person="ada"))["total"] == 5


@pytest.mark.parametrize(("tier", "code"), [("forbidden", "PERMISSION_DENIED"), ("confirm", "NOT_CONFIRMED")])
async def test_reading_follows_the_rules_for_the_tools_that_read(
    mind: Mind, http: httpx.AsyncClient, tier: str, code: str
) -> None:
    assert (await http.post("memory", json={"content": "my locker code is 4711", "person": "Ada"})).status_code == 200
    one = (await told(http, "memory", person="Ada"))["memories"][0]["id"]
    mind.toolbox.permissions.adopt(f"rules: [{{pattern: memory.search_memories, tier: {tier}}}]")
    for route in ("memory?person=Ada", "memory?query=locker&person=Ada", f"memory/{one}", "people/Ada"):
        assert error_of(await http.get(route), 403)["code"] == code, route
    assert (await http.get("memory/status")).status_code == 200
    if tier == "confirm":
        assert "4711" in (await approved(mind, http.get("memory?person=Ada"))).text


async def test_people_are_listed_exported_and_erased(mind: Mind, http: httpx.AsyncClient) -> None:
    await http.post("memory", json={"content": "I live in Lyon", "person": "Ada Lovelace"})
    await http.post("memory", json={"content": "I live in Oslo", "person": "Ben"})
    people = await told(http, "people")
    assert {one["name"] for one in people["people"]} == {"Ada Lovelace", "Ben"} and people["total"] == 2
    assert (await told(http, "people/ada%20lovelace"))["profile"] == {"home": "Lyon"}
    kept = await told(http, "people/Ada Lovelace/export")
    assert kept["memories"][0]["content"] == "I live in Lyon" and kept["calls"]
    erased = await approved(mind, http.delete("people/ada lovelace"))
    assert erased.json()["complete"] is True and erased.json()["erased"]["memories"] == 1
    error_of(await http.get("people/Ada Lovelace"), 404)
    assert (await told(http, "people"))["total"] == 1


@pytest.mark.parametrize(
    ("method", "route", "status"),
    [
        ("GET", "memory/nothing", 404),
        ("DELETE", "memory/nothing", 404),
        ("DELETE", "memory", 422),
        ("GET", "memory?limit=0", 422),
        ("GET", "memory?type=gossip", 422),
        ("GET", f"memory?person={'x' * 65}", 422),
        ("GET", "people/nobody", 404),
        ("GET", "people/nobody/export", 404),
        ("DELETE", "people/nobody", 404),
    ],
)
async def test_errors_have_one_form(http: httpx.AsyncClient, method: str, route: str, status: int) -> None:
    error_of(await http.request(method, route), status)


@pytest.mark.parametrize(
    "note", [{}, {"content": ""}, {"content": "x" * 2001}, {"content": "x", "type": "gossip"}, {"text": "x"}]
)
async def test_bad_notes_are_refused(http: httpx.AsyncClient, note: dict[str, Any]) -> None:
    error_of(await http.post("memory", json=note), 422)


async def test_status_says_how_it_searches(http: httpx.AsyncClient) -> None:
    status = await told(http, "memory/status")
    assert status["memories"] == 0 and status["search"].startswith("full text") and "hint" in status["embeddings"]


async def test_without_memory_every_route_says_so() -> None:
    async with Mind(robot="none", thinks=False, memory=False).session() as mind, calling(mind) as http:
        for method, route in (
            ("GET", "memory"),
            ("GET", "people"),
            ("GET", "memory/status"),
            ("DELETE", "memory?query=x"),
        ):
            assert "--no-memory" in error_of(await http.request(method, route), 503)["hint"]
        error_of(await http.post("memory", json={"content": "x y"}), 503)
