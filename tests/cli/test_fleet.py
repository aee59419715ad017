"""`reachy-mind fleet` as people and programs call it, against a node that runs in a thread."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import wave
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.config.configuration import Configuration, load
from reachy_mind.fleet.control import connections, downlink, emergencies, uplink
from reachy_mind.fleet.control.service import ControlService, running
from reachy_mind.fleet.control.store.store import Operation, Result, Sql
from reachy_mind.fleet.protocol.frame import new_frame
from reachy_mind.fleet.protocol.handshake import Hello
from tests.fakes.processes import here, here_json
from tests.waiting import until_sync


class ServedFleet:
    """A control plane in a thread, with an event loop of its own."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._ready, self._failed = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name="fleet")

    def __enter__(self) -> ServedFleet:
        self._thread.start()
        self._ready.wait(30)
        assert not self._failed
        return self

    def __exit__(self, *_: object) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)
        assert not self._thread.is_alive()

    def write(self, operation: Operation[Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(self.service.plane.store.write(operation), self.loop).result(20)

    def press(self, device: str, seq: int, type_: str = "button.pressed") -> str:
        """The device has sent an event; its id."""
        frame = new_frame(type_, {"button": "red"}, seq=seq)

        def accept(sql: Sql) -> None:
            row = sql.row("SELECT tenant FROM device WHERE id = ?", device)
            assert row is not None
            hello = Hello(device=device, boot="boot", epoch="epoch")
            opened = connections.open_connection(sql, device, hello, node="test", transport="test")
            uplink.accept(sql, uplink.Source(device, row["tenant"], "epoch", opened.generation, "test"), frame)

        self.write(accept)
        hub = self.service.plane.hub
        tenant = self.write(lambda sql: sql.row("SELECT tenant FROM device WHERE id = ?", device)) or {}
        telling = hub.announce(tenant["tenant"], "event", device=device, id=frame.id, type=type_)
        asyncio.run_coroutine_threadsafe(telling, self.loop).result(20)
        return frame.id

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self.loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            async with running(self._configuration) as self.service:
                self._ready.set()
                await self._stop.wait()
        except BaseException:
            self._failed = True
            self._ready.set()
            raise

    service: ControlService
    loop: asyncio.AbstractEventLoop
    _stop: asyncio.Event


@pytest.fixture
def fleet(home: Path) -> Iterator[ServedFleet]:
    with ServedFleet(load(flags={"fleet.port": free_port()})) as served:
        yield served


def enrolled(fleet: ServedFleet, name: str = "kitchen", *groups: str) -> str:
    """The id of a device that came in by the code of `fleet enroll`."""
    options = [part for group in groups for part in ("--group", group)]
    made = here_json("fleet", "enroll", name, *options)
    answer = httpx.post(made["url"], json={"code": made["code"]}, trust_env=False).json()
    device: str = answer["device"]
    return device


def test_a_device_is_enrolled_listed_renamed_and_revoked(fleet: ServedFleet) -> None:
    told = here("fleet", "enroll", "hall").stdout
    assert "code for hall: " in told and f"reachy-mind device enroll {fleet.service.local.url} " in told
    device = enrolled(fleet, "kitchen", "ground floor")
    listed = here_json("fleet", "devices")["devices"]
    assert [(each["id"], each["groups"]) for each in listed] == [(device, ["ground floor"])]
    assert "offline    kitchen" in here("fleet", "devices", "--group", "ground floor").stdout
    assert here("fleet", "devices", "rename", "kitchen", "cellar").returncode == 0
    assert here_json("fleet", "devices", "groups", "cellar", "a", "b")["groups"] == ["a", "b"]
    shown = here_json("fleet", "devices", "show", "cellar")
    assert shown["id"] == device and shown["state"]["in_sync"] is True and shown["commands"] == []
    assert "desired" in here("fleet", "devices", "show", device).stdout
    assert here("fleet", "devices", "revoke", "cellar").returncode == 0
    assert here("fleet", "devices").stdout == "no devices: reachy-mind fleet enroll NAME\n"
    assert len(here_json("fleet", "devices", "--revoked")["devices"]) == 1
    assert here_json("fleet", "devices", "erase", device, "--yes")["name"] == f"erased {device}"


def test_commands_are_sent_to_a_device_and_a_group(fleet: ServedFleet) -> None:
    device = enrolled(fleet, "kitchen", "all")
    sent = here_json("fleet", "send", "kitchen", "--say", "Dinner is ready.", "--expires", "60")
    assert sent["device"] == device
    group = here_json("fleet", "send", "--group", "all", "activity.start", "--payload", '{"name": "bingo"}')
    assert (group["queued"], group["refused"]) == (1, 0)
    shown = here_json("fleet", "devices", "show", "kitchen")["commands"]
    assert [(each["type"], each["state"]) for each in shown] == [("activity.start", "waiting"), ("speak", "waiting")]
    fleet.write(lambda sql: downlink.acknowledge(sql, device, 2, 0))
    fleet.write(lambda sql: downlink.note_done(sql, device, shown[0]["id"], {"status": "done"}))
    waited = here("fleet", "send", "kitchen", "restart", "--wait", "0.1")
    assert waited.returncode == 0 and "waiting: 1" in waited.stdout
    for wrong in (("kitchen",), ("kitchen", "restart", "now"), ("kitchen", "restart", "--payload", "[]"), ()):
        assert here("fleet", "send", *wrong).returncode == 1
    nobody = here("fleet", "send", "nobody", "restart", "--json")
    assert nobody.returncode == 1 and json.loads(nobody.stdout)["error"]["code"] == "NOT_FOUND"


def test_an_activity_is_started_shown_and_ended(fleet: ServedFleet, tmp_path: Path) -> None:
    for name in ("kitchen", "bedroom"):
        enrolled(fleet, name, "family")
    assert here("fleet", "activity", "list").stdout.startswith("none: ")
    tale = tmp_path / "tale.txt"
    tale.write_text("Once upon a time.\n\nThe end.")
    begun = here("fleet", "activity", "start", "story", "--group", "family", "--text", f"@{tale}", "--deadline", "300")
    assert "story     preparing" in begun.stdout and "kitchen                  preparing (offline)" in begun.stdout
    (one,) = here_json("fleet", "activity", "list")["activities"]
    assert (one["state"], one["parts"], one["counts"]["preparing"]) == ("preparing", 2, 2)
    assert here("fleet", "activity", "pause", one["id"]).returncode == 1
    left = here_json("fleet", "activity", "end", one["id"], "--device", "kitchen")
    assert {each["name"]: each["state"] for each in left["devices"]} == {"kitchen": "left", "bedroom": "preparing"}
    assert "ended (ended by local" in here("fleet", "activity", "end", one["id"]).stdout
    assert one["id"] in here("fleet", "activity", "show", one["id"]).stdout
    sound = tmp_path / "tune.wav"
    with wave.open(str(sound), "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(16000)
        writer.writeframes(bytes(32000))
    dance = ("dance", "--device", "kitchen", "--audio", str(sound), "--move", "dance1")
    assert here_json("fleet", "activity", "start", *dance)["parts"] == 2
    beeps = '[{"text": "Arms up", "at_s": 0}, {"beep": "high", "at_s": 3}]'
    assert here_json("fleet", "activity", "start", "exercise", "-d", "bedroom", "--parts", beeps)["parts"] == 2
    for wrong in (("story",), ("opera", "-g", "family", "--text", "a"), ("dance", "-g", "family", "--beat", "quick")):
        assert here("fleet", "activity", "start", *wrong).returncode == 1


def test_configuration_is_changed(fleet: ServedFleet) -> None:
    enrolled(fleet, "kitchen", "all")
    changed = here_json("fleet", "config", "kitchen", "wake_word=reachy", "light=true", "--volume", "30")
    assert changed["desired"]["config"] == {"wake_word": "reachy", "light": True}
    assert changed["desired"]["volume"] == 30
    assert here_json("fleet", "config", "--group", "all", "light=")["changed"] == 1
    state = here_json("fleet", "devices", "show", "kitchen")["state"]["desired"]
    assert state["config"] == {"wake_word": "reachy"} and state["version"] == 2
    assert here_json("fleet", "config", "--group", "all", "--volume", "20")["changed"] == 1
    assert here("fleet", "config", "kitchen", "light").returncode == 1
    assert "which device?" in here("fleet", "config", "--volume", "20").stderr
    assert here("fleet", "config", "kitchen").returncode == 1


def test_events_are_shown_and_followed(fleet: ServedFleet) -> None:
    device = enrolled(fleet)
    first = fleet.press(device, 1)
    second = fleet.press(device, 2, "error.reported")
    assert [each["id"] for each in here_json("fleet", "events")["events"]] in ([first, second], [second, first])
    only = here("fleet", "events", "--type", "error.reported", "--device", "kitchen").stdout
    assert "error.reported" in only and '"button": "red"' in only and "button.pressed" not in only
    assert here("fleet", "events", "--device", "nobody").returncode == 1


def test_new_events_are_followed_once_each(fleet: ServedFleet) -> None:
    from reachy_mind.cli import fleet_events
    from reachy_mind.cli.fleet_client import connect
    from reachy_mind.errors import NotReady

    device = enrolled(fleet)
    old = fleet.press(device, 1)
    seen: list[str] = []

    def follow() -> None:
        with connect(None, None) as client:
            try:
                for found in fleet_events.following(client, {"device": None, "type": None}, 10):
                    seen.append(found["id"])
            except NotReady:
                pass  # the node ends before the test does

    following = threading.Thread(target=follow)
    following.start()
    until_sync(lambda: len(fleet.service.app.viewers) == 1)
    new = [fleet.press(device, seq) for seq in range(2, 6)]
    until_sync(lambda: len(seen) == 5)
    asyncio.run_coroutine_threadsafe(fleet.service.app.drain(), fleet.loop).result(20)
    following.join(20)
    assert not following.is_alive() and set(seen) == {old, *new} and len(seen) == 5


def test_emergencies_are_listed_and_acknowledged(fleet: ServedFleet) -> None:
    assert here("fleet", "emergencies").stdout == "no emergency\n"
    device = enrolled(fleet)
    tested = here_json("fleet", "emergencies", "test", "kitchen")
    assert tested["test"] is True
    assert "TEST open  kitchen" in here("fleet", "emergencies").stdout
    answered = here_json("fleet", "emergencies", "ack", tested["id"], "--note", "on my way")
    assert answered["state"] == "acknowledged" and answered["device"] == device
    assert "[on my way]" in here("fleet", "emergencies", "--all").stdout
    assert here("fleet", "emergencies", "ack", tested["id"]).returncode == 1
    assert here_json("fleet", "emergencies", "close", tested["id"])["state"] == "closed"
    assert here_json("fleet", "emergencies")["emergencies"] == []
    assert emergencies.is_test(here_json("fleet", "emergencies", "--all")["emergencies"][0]["id"])


def test_personalities_are_pushed_and_rolled_out(fleet: ServedFleet, tmp_path: Path) -> None:
    enrolled(fleet, "kitchen", "all")
    folder = tmp_path / "pirate"
    folder.mkdir()
    (folder / "instructions.txt").write_text("You are a pirate.\n")
    pushed = here_json("fleet", "persona", "push", str(folder))
    assert pushed["id"] == "pirate" and pushed["new"] is True
    assert here_json("fleet", "persona", "push", "default", "--name", "usual")["id"] == "usual"
    assert [each["id"] for each in here_json("fleet", "persona", "list")["personas"]] == [
        *("companion", "emergency", "entertainer", "pirate", "usual")
    ]
    rollout = here_json("fleet", "persona", "rollout", "pirate", "--group", "all", "--message", "Ahoy.")
    assert rollout["transition_message"] == "Ahoy."
    assert rollout["counts"]["waiting"] + rollout["counts"]["sent"] == 1
    assert here_json("fleet", "persona", "pause", rollout["id"])["state"] == "paused"
    assert here_json("fleet", "persona", "resume", rollout["id"])["state"] == "running"
    assert "pirate" in here("fleet", "persona", "status").stdout
    assert here_json("fleet", "persona", "status", rollout["id"])["failed"] == []
    assert here_json("fleet", "persona", "rollback", rollout["id"])["state"] == "rolled_back"
    assert here_json("fleet", "persona", "buttons", "pirate", "--group", "all")["groups"] == {"all": ["pirate"]}
    assert here_json("fleet", "persona", "buttons", "--nothing")["personas"] == []
    assert "all devices: emergency" in here("fleet", "persona", "buttons", "--usual").stdout
    assert "group all: pirate" in here("fleet", "persona", "buttons").stdout
    assert "none that fits" in here("fleet", "devices", "--problem", "hot").stdout
    assert here("fleet", "persona", "rollout", "pirate").returncode == 1, "for whom?"


def test_operators_call_by_address_and_key(fleet: ServedFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    made = here_json("fleet", "operators", "new", "ada", "--role", "viewer", "--days", "2")
    key, url = made["key"], fleet.service.local.url
    refused = here("fleet", "enroll", "hall", "--key", key, "--json")
    assert refused.returncode == 1 and json.loads(refused.stdout)["error"]["code"] == "PERMISSION_DENIED"
    assert here("fleet", "devices", "--url", url, "--key", key).returncode == 0
    monkeypatch.setenv("FLEET_KEY", key)
    assert here("fleet", "operators", "list").returncode == 1, "a viewer's key comes from the environment"
    monkeypatch.delenv("FLEET_KEY")
    tenant = here_json("fleet", "tenants", "new", "school")
    teacher = here("fleet", "operators", "new", "teacher", "--role", "admin", "--tenant", "school").stdout.strip()
    monkeypatch.setenv("FLEET_KEY", teacher)
    assert [each["name"] for each in here_json("fleet", "operators", "list")["operators"]] == ["teacher"]
    monkeypatch.delenv("FLEET_KEY")
    assert {each["name"] for each in here_json("fleet", "tenants", "list")["tenants"]} == {"home", "school"}
    assert tenant["id"] in here("fleet", "tenants", "list").stdout
    assert here("fleet", "operators", "revoke", "ada").stdout.startswith("ada (")
    assert here("fleet", "devices", "--key", key).returncode == 1
    audit = here_json("fleet", "audit")["audit"]
    assert [row["action"] for row in audit if row["outcome"] == "ok"][-1] == "operator.revoked"
    assert "operator.revoked" in here("fleet", "audit").stdout
    assert here("fleet", "audit", "--verify").stdout == "every row is as it was written\n"
    fleet.write(lambda sql: sql.run("UPDATE audit SET actor = 'nobody' WHERE seq = 2"))
    damaged = here("fleet", "audit", "--verify")
    assert damaged.returncode == 1 and "row 2" in damaged.stderr


def test_without_a_control_plane_the_commands_say_what_to_do(home: Path) -> None:
    done = here("fleet", "devices")
    assert done.returncode == 1 and "hint: reachy-mind fleet serve" in done.stderr
    elsewhere = here("fleet", "devices", "--url", f"http://127.0.0.1:{free_port()}")
    assert elsewhere.returncode == 1 and "needs a key" in elsewhere.stderr
    silent = here("fleet", "devices", "--url", f"http://127.0.0.1:{free_port()}", "--key", "op_x", "--json")
    assert silent.returncode == 1 and json.loads(silent.stdout)["error"]["code"] == "NOT_READY"


@pytest.mark.process
def test_serve_runs_until_it_is_told_to_end(home: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "reachy_mind", "fleet", "serve", "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=dict(os.environ)) as process:
        try:
            until_sync(lambda: (home / "fleet" / "operator.json").exists() or process.poll() is not None)
            until_sync(lambda: here("fleet", "devices").returncode == 0 or process.poll() is not None)
            assert here("fleet", "devices").stdout.startswith("no devices")
        finally:
            process.send_signal(signal.SIGTERM)
            told = process.communicate(timeout=30)[1]
    assert process.returncode == 0
    for part in (f"http://127.0.0.1:{port}", "fleet.db", "reachy-mind fleet enroll NAME", "ready in", "bye"):
        assert part in told
    assert "Traceback" not in told and "ERROR" not in told


def test_this_machine_comes_into_a_fleet_by_a_code(fleet: ServedFleet, home: Path) -> None:
    made = here_json("fleet", "enroll", "kitchen")
    address = made["url"].removesuffix("/fleet/v1/enrol")
    wrong = here_json("device", "enroll", address, "1234")
    assert "8 digits" in wrong["error"]["message"]
    unknown = here_json("device", "enroll", address, "00000000")
    assert unknown["error"]["code"] == "NOT_ENROLLED"
    assert here_json("device", "enroll", address, made["code"])["name"] == "kitchen"
    again = here_json("device", "enroll", address, made["code"])
    assert again["error"]["code"] == "NOT_ENROLLED", "a code is good for one device"
    identity = home / "fleet" / "device" / "identity.json"
    assert identity.stat().st_mode & 0o777 == 0o600 and "dev_" in identity.read_text()
    elsewhere = here_json("device", "enroll", "http://192.0.2.1:8700", made["code"])
    assert "TLS" in elsewhere["error"]["message"]


def test_simulated_devices_come_press_and_are_forgotten(fleet: ServedFleet) -> None:
    options = ("-n", "20", "--seconds", "1", "--presses", "100", "--group", "load")
    figures = here_json("device", "simulate", *options)
    assert figures["connected"] == 20 and figures["failures"] == {}
    assert figures["acknowledged"] == figures["events"] > 0 and figures["not_acknowledged"] == 0
    assert here_json("fleet", "devices")["devices"] == []
    assert len(here_json("fleet", "events")["events"]) > 0
