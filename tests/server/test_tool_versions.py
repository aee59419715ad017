"""Routes of generated tools: what a person judges them by, their trials and replays."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from reachy_mind.mind import Mind
from reachy_mind.workshop.author.author import ScriptedAuthor
from reachy_mind.workshop.draft import Draft
from tests.server.served import calling
from tests.workshop.shelf.versions import PASSED, new_version

CODE = 'async def tell_seven() -> dict:\n    """Tell a number."""\n    return {"number": 7}\n'
DRAFT = Draft("tell_seven", CODE, "Tell a number.", "It tells seven.", cases=({"expected": {"number": 8}},))
PLAYED = {
    "duration_s": 2.0,
    "times": [0.0, 2.0],
    "poses": [[0.0] * 16] * 2,
    "marks": [{"t": 1.0, "kind": "words", "text": "hello", "status": ""}],
}


@pytest.fixture
async def mind() -> AsyncIterator[Mind]:
    author = ScriptedAuthor({"tell me seven": [DRAFT]})
    async with Mind(robot="none", memory=False, thinks=False, author=author).session() as awake:
        yield awake


def on_shelf(mind: Mind, played: dict[str, Any]) -> None:
    """A version that passed its trial, with a replay of it."""
    data = json.dumps({"cases": [played]}).encode()
    results = PASSED | {"results": [{"test": 0, "case": "times=2", "status": "pass", "reason": ""}]}
    mind.generated.shelf.add(new_version(results=results | {"replay": hashlib.sha256(data).hexdigest()}))
    mind.generated.shelf.keep_replay("wave_twice", 1, data)


async def test_a_version_says_in_words_of_ours_what_it_may_do(mind: Mind, http: httpx.AsyncClient) -> None:
    wide = ("camera", "http:example.org", "memory", "tools:set_camera")
    mind.generated.shelf.add(new_version(capabilities=wide, explanation="It may do nothing."))
    told = (await http.get("tools/wave_twice/versions/1")).json()
    assert set(told["allows"]) == set(wide)
    assert "example.org" in told["allows"]["http:example.org"] and "pictures" in told["allows"]["camera"]
    assert told["changes"]["added_capabilities"] == list(wide), "without another version everything is new"


async def test_tools_are_listed_with_what_waits_for_a_person(mind: Mind, http: httpx.AsyncClient) -> None:
    shelf = mind.generated.shelf
    for name in ("wave_twice", "nothing_yet"):
        shelf.add(new_version(name=name, results=PASSED if name == "wave_twice" else None))
    (other, wave) = (await http.get("workshop/tools")).json()["tools"]
    assert (other["name"], other["state"], other["waiting"]) == ("nothing_yet", "draft", None)
    assert (wave["state"], wave["waiting"], wave["active"]) == ("tested", 1, None)
    shelf.approve("wave_twice", 1, "test", activate=True)
    shelf.add(new_version(timeout_s=20.0))
    page = (await http.get("workshop/tools", params={"offset": 1, "limit": 1})).json()
    assert page["total"] == 2
    assert (page["tools"][0]["state"], page["tools"][0]["active"], page["tools"][0]["waiting"]) == ("active", 1, 2)


async def test_the_replay_of_a_trial_is_read_case_by_case(mind: Mind, http: httpx.AsyncClient) -> None:
    on_shelf(mind, PLAYED)
    (case,) = (await http.get("tools/wave_twice/versions/1/replay")).json()["cases"]
    assert (case["case"], case["status"], case["duration_s"], case["moves"]) == ("times=2", "pass", 2.0, 2)
    assert (await http.get("tools/wave_twice/versions/1/replay/0")).json() == PLAYED | {
        "name": "wave_twice",
        "version": 1,
        "case": 0,
    }
    assert (await http.get("tools/wave_twice/versions/1/replay/1")).status_code == 404
    assert (await http.get("tools/wave_twice/versions/9/replay")).status_code == 404


async def test_a_replay_that_was_changed_is_not_shown(mind: Mind, http: httpx.AsyncClient) -> None:
    on_shelf(mind, PLAYED)
    (file,) = mind.configuration.home.shelf_folder.glob("wave_twice/*/replay-*.json")
    file.write_text(json.dumps({"cases": [PLAYED | {"marks": []}]}))
    (case,) = (await http.get("tools/wave_twice/versions/1/replay")).json()["cases"]
    assert case["status"] == "pass" and case["moves"] == 0
    assert (await http.get("tools/wave_twice/versions/1/replay/0")).status_code == 404


@pytest.mark.simulator
async def test_a_tool_that_failed_its_trial_can_be_looked_at_and_tried_again(mind: Mind) -> None:
    async with calling(mind) as http:
        http.timeout = httpx.Timeout(120)
        answer = await http.post("tools/generate", json={"description": "tell me seven", "ask": False})
        assert answer.json()["error"]["code"] == "CREATION_FAILED"
        draft = (await http.get("tools/tell_seven/versions/1")).json()
        assert (draft["state"], draft["passed"], draft["code"]) == ("draft", False, CODE)
        cases = (await http.get("tools/tell_seven/versions/1/replay")).json()["cases"]
        assert (cases[0]["status"], cases[0]["reason"]) == ("fail", "result.number is 7, not 8")
        shelf = mind.generated.shelf
        shelf.add(new_version(name="tell_seven", code=CODE, parameters=(), cases=(), results=None))
        tried = (await http.post("tools/tell_seven/trial", json={"version": 2})).json()
        assert (tried["state"], tried["passed"]) == ("tested", True)
        assert (await http.get("tools/tell_seven/versions/2/replay")).json()["passed"]
