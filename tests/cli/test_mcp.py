"""`reachy-mind mcp`: what people decide about clients and servers."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx
import pytest

from reachy_mind.mcp.config_file import McpConfigFile
from reachy_mind.storage.home import Home
from tests.fakes import mcp_server
from tests.fakes.minds import running as run_at
from tests.fakes.processes import here, here_json

pytestmark = pytest.mark.process


def test_servers_are_noted_allowed_and_forgotten(home: Path) -> None:
    added = here_json(
        "mcp", "add", "notes", "--url", "https://notes.example/mcp", "--header", "Authorization=NOTES_TOKEN"
    )
    assert added == {"name": "notes", "enabled": False}
    here("mcp", "add", "weather", "--env", "WEATHER_KEY", "--", "uvx", "weather-server", "--fast")
    notes, weather = here_json("mcp", "list")["servers"]
    assert notes["state"] == weather["state"] == "off" and weather["where"] == "uvx weather-server --fast"
    assert here_json("mcp", "allow", "weather")["enabled"] is True
    assert McpConfigFile(Home(home)).read().servers["weather"].enabled
    assert here_json("mcp", "list")["servers"][1]["state"] == "not running"
    assert here_json("mcp", "allow", "weather", "--off")["enabled"] is False
    here_json("mcp", "remove", "notes")
    assert [each["name"] for each in here_json("mcp", "list")["servers"]] == ["weather"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("add", "robot", "--", "x"), "our own tools"),
        (("add", "time", "--", "x"), "our own tools"),
        (("add", "x"), "a command or a url"),
        (("add", "x", "--url", "http://far.example"), "without encryption"),
        (("allow", "nothing"), "no server"),
        (("remove", "nothing"), "no server"),
        (("--server", "everything"), "no server"),
    ],
)
def test_what_can_not_be_is_said(home: Path, arguments: tuple[str, ...], said: str) -> None:
    done = here("mcp", *arguments)
    assert done.returncode == 1 and said in done.stderr and "hint:" in done.stderr


def test_trust_is_for_a_name_or_a_token(home: Path) -> None:
    token = here_json("token", "new", "kitchen")
    assert here_json("mcp", "trust", "Claude Code") == {"client": "claude-code", "kind": "program", "trusted": True}
    assert here_json("mcp", "trust", "kitchen")["client"] == token["id"]
    assert here_json("mcp", "list")["trusted"] == {"programs": ["claude-code"], "tokens": [token["id"]]}
    here_json("mcp", "trust", "claude-code", "--off")
    here_json("token", "revoke", "kitchen")
    assert here_json("mcp", "list")["trusted"] == {"programs": [], "tokens": []}


def test_a_mind_that_runs_takes_a_server_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "mind"
    monkeypatch.setenv("REACHY_MIND_HOME", str(home))
    with run_at(home, "--robot", "none", "--no-browser") as run:
        assert here_json("mcp", "--http")["urls"]["robot"] == f"{run.url}/mcp/robot"
        here("mcp", "add", "fake", "--", sys.executable, mcp_server.__file__, "old")
        here_json("mcp", "allow", "fake")
        while (state := here_json("mcp", "list")["servers"][0])["state"] != "connected":
            assert state["state"] == "connecting", state
        assert "echo" in state["tools"]
        tools = httpx.get(f"{run.url}/api/v1/tools?limit=500").json()["tools"]
        (echo,) = [tool for tool in tools if tool["group"] == "fake" and tool["name"] == "echo"]
        assert echo["tier_name"] == "confirm" and echo["origin"] == "MCP server fake"
        here_json("mcp", "remove", "fake")
        assert "fake" not in json.dumps(httpx.get(f"{run.url}/api/v1/tools?limit=500").json()["tools"])
