"""A device is erased: nothing of what people did at it is left, and nothing of others is touched."""

from __future__ import annotations

from reachy_mind.fleet.control.store.store import Sql
from tests.fleet.conftest import ControlNode
from tests.fleet.control.test_routes import event

WORDS = ("please come", "Dinner is ready", "room-12")
"""What must be gone."""


async def test_what_a_device_left_is_removed_and_others_keep_theirs(control: ControlNode) -> None:
    room, _ = await control.device("room-12", "ward")
    other, _ = await control.device("room-13", "ward")
    for device in (room, other):
        await control.connect(device)
        await event(control, device, 1)
        await event(control, device, 1, "emergency.pressed", prio=0)
        await control.ok("POST", f"devices/{device.name}/commands", {"type": "speak", "payload": {"text": WORDS[1]}})
    await control.ok("PATCH", "devices/room-12/twin", {"config": {"greets": WORDS[0]}})
    refused = await control.ask("POST", "devices/room-12/erase")
    assert refused.status_code == 422 and "emergency" in refused.json()["error"]["message"]
    (mine,) = (await control.ok("GET", f"emergencies?device={room.id}"))["items"]
    await control.ok("POST", f"emergencies/{mine['id']}/acknowledge", {"note": WORDS[0]})
    assert (await control.ask("POST", "devices/room-12/erase", who="home operator")).status_code == 403
    erased = await control.ok("POST", "devices/room-12/erase", who="home admin")
    assert erased["revoked_at"] is not None and erased["groups"] == []

    def left(sql: Sql) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for row in sql.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'audit'"):
            for content in sql.rows(f"SELECT * FROM {row['name']}"):  # noqa: S608 -- names of tables
                values = [str(value) for value in content.values()]
                if room.id in values and row["name"] not in ("device", "connection"):
                    found.setdefault(row["name"], []).append(str(content))
                if room.id in values and any(word in value for word in WORDS for value in values):
                    found.setdefault(row["name"], []).append(str(content))
        return found

    assert await control.read(left) == {}
    assert [each["device"] for each in (await control.ok("GET", "events"))["items"]] == [other.id] * 2
    assert len((await control.ok("GET", f"devices/{other.id}/commands"))["items"]) == 1
    assert (await control.ok("GET", "audit"))["items"][0]["action"] == "device.erased"
