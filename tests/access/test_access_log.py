"""The access log: one line for each request, without content."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind import log
from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from tests.server.served import calling


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    log.configure("error", files=log.LogFiles(str(tmp_path / "logs")))
    yield tmp_path / "logs"
    log.configure("error")


async def test_a_request_is_logged_by_route_and_caller_without_its_content(home: Path, folder: Path) -> None:
    flags = {"robot.address": "none", "mind.brain": "reflex"}
    async with Mind(load(flags=flags)).session() as mind, calling(mind) as http:
        await http.post("chat", json={"message": "my secret is plum", "session_id": "s1"})
        await http.get("session/s1", params={"q": "plum"})
        await http.get("nowhere/plum")
        await http.request("PLUM", "chat")
    log.close_files()
    text = (folder / "access.log").read_text()
    lines: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    told = [(line["method"], line["route"], line["status"]) for line in lines]
    assert told[:3] == [
        ("POST", "/api/v1/chat", 200),
        ("GET", "/api/v1/session/{session_id}", 200),
        ("GET", "other", 404),
    ]
    assert told[3][0] == "other" and len(told) == 4
    assert all(line["ms"] >= 0 and line["caller"] for line in lines)
    assert "plum" not in text.lower() and "s1" not in text
