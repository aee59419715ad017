"""Health checks, settings, permissions and one's own moves by the API; each change needs a confirmation."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from reachy_mind.mind import Mind
from reachy_mind.motion.clips import Clip
from reachy_mind.motion.moves import Frames
from tests.server.served import calling, serving, socket

NO_KEY = {f"web.{name}_url" for name in ("searxng", "duckduckgo", "geocoding", "forecast")}
"""Addresses in a section with a secret, which is not sent to them."""
NINE = (0.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.0, 0.1, -0.1)


@pytest.mark.process
async def test_health_settings_permissions_and_moves_of_one_mind(mind: Mind, http: httpx.AsyncClient) -> None:
    health = (await http.get("/doctor")).json()
    by_name = {check["name"]: check for check in health["checks"]}
    assert by_name["Python"]["ok"] and by_name["memory"]["ok"] and by_name["mind"]["ok"]
    assert not by_name["robot"]["ok"] and by_name["robot"]["optional"] and by_name["robot"]["fix"]
    assert health["healthy"] == all(check["ok"] or check["optional"] for check in health["checks"])

    rows = {row["key"]: row for row in (await http.get("/settings")).json()["settings"]}
    assert rows["robot.idle"]["live"] and rows["robot.scene"]["choices"] == ["empty", "table"]
    assert rows["openai.api_key"]["fixed"]
    with_secrets = {key.split(".")[0] for key, row in rows.items() if row["kind"] == "secret"}
    addresses = {key for key in rows if key.split(".")[0] in with_secrets and key.endswith(("url", "endpoint"))}
    free = {key for key in addresses if not rows[key]["fixed"]}
    assert free == NO_KEY, "an address that gets a key can't be changed here"

    # No person is there to confirm: nothing changes.
    for route, wish in (
        ("/permissions", {"tool": "robot.nod", "tier": "forbidden"}),
        ("/settings", {"key": "robot.idle", "value": False}),
    ):
        assert (await http.put(route, json=wish)).status_code == 403
    assert not mind.configuration.home.permissions_file.exists()
    assert not mind.configuration.home.config_file.exists()

    mind.repertoire.save(Clip("look_up", Frames([NINE] * 301), "as if there were a bird"))
    found = (await http.get("/moves", params={"query": "LOOK recorded"})).json()
    assert [(move["name"], move["own"]) for move in found["moves"]] == [("look_up", True)]
    drawn = (await http.get("/moves/look_up/trajectory")).json()
    assert drawn["duration_s"] == 3.0 and drawn["description"] == "as if there were a bird"
    assert drawn["times"][-1] == 3.0 and len(drawn["times"]) == len(drawn["axes"]["yaw"]) <= 201
    assert drawn["axes"]["pitch"][0] == pytest.approx(5.73, abs=0.01)
    assert (await http.get("/moves/../../etc/trajectory")).status_code in (404, 422)
    assert (await http.delete("/moves/look_up")).status_code == 403
    assert (await http.get("/moves/look_up/trajectory")).status_code == 200


async def test_a_yes_changes_them_and_what_must_stay_stays(mind: Mind) -> None:
    with mind.configuration.home.config_file.open("w") as file:
        file.write("# mine\nrobot:\n  scene: table  # with a duck\n")
    async with calling(mind) as http, serving(mind) as place, socket(place) as person:
        answers = {"stop": 403, "mind.set_permission": 403, "nothing": 404, "robot.nod": 200}
        for tool, status in answers.items():
            status_code = await _confirmed(http, person, "/permissions", {"tool": tool, "tier": "forbidden"})
            assert status_code == status, tool
        assert mind.toolbox.permissions.rules[0].pattern == "robot.nod"
        wishes = [("robot.idle", False, 200), ("robot.scene", "empty", 200), ("robot.scene", "moon", 422)]
        wishes += [("robot.nothing", 1, 422), ("openai.api_key", "x", 422), ("openai.url", "http://evil.example", 422)]
        for key, value, status in wishes:
            assert await _confirmed(http, person, "/settings", {"key": key, "value": value}) == status, key
        rows = {row["key"]: row for row in (await http.get("/settings")).json()["settings"]}
    assert rows["robot.idle"]["value"] is False and "next" not in rows["robot.idle"]
    assert rows["robot.scene"]["value"] == "table" and rows["robot.scene"]["next"] == "empty"
    text = mind.configuration.home.config_file.read_text()
    assert text == '# mine\nrobot:\n  idle: false\n  scene: "empty"  # with a duck\n'


async def _confirmed(http: httpx.AsyncClient, person: Any, route: str, wish: dict[str, Any]) -> int:
    asking = asyncio.create_task(http.put(route, json=wish))
    question = await person.until("confirm")
    await person.send({"type": "confirm", "id": question["id"], "approve": True})
    return (await asking).status_code


async def test_a_permissions_file_that_vanished_is_told_and_its_rules_stay(mind: Mind, http: httpx.AsyncClient) -> None:
    file = mind.configuration.home.permissions_file
    file.write_text("rules:\n- {pattern: time.get_time, tier: forbidden}\n- {pattern: robot.nod, tier: confirm}\n")
    assert (await http.post("/permissions/reload")).json() == {"rules": 2}
    shown = (await http.get("/permissions")).json()
    assert shown["trouble"] == "" and ("robot.play_move", "confirm") in {
        (a["tool"], a["tier_name"]) for a in shown["acts"]
    }
    file.unlink()
    answer = await http.post("/permissions/reload")
    assert answer.status_code >= 400 and "permissions.yaml is gone; the 2 rules" in answer.json()["error"]["message"]
    assert "is gone" in (await http.get("/permissions")).json()["trouble"]
    checks = {check["name"]: check for check in (await http.get("/doctor")).json()["checks"]}
    assert not checks["permissions"]["ok"] and "stay in force" in checks["permissions"]["detail"]
    denied = (await http.post("/tools/execute", json={"tool_name": "get_time"})).json()
    assert denied["error"]["code"] == "PERMISSION_DENIED" and "time.get_time" in denied["error"]["message"]
