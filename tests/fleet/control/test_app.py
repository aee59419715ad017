"""A node as a process runs it: start, key file, TLS, health, metrics, what happens now, an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.config.configuration import Configuration, load
from reachy_mind.errors import AlreadyRunning, ConfigError, PortTaken, TooMany
from reachy_mind.fleet.control import binding, device_socket, local_operator
from reachy_mind.fleet.control.routes import live
from reachy_mind.fleet.control.service import ControlService, running
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import decode, encode, new_frame
from reachy_mind.fleet.protocol.limits import MAX_BINARY_BYTES
from tests.fleet.conftest import ControlNode
from tests.waiting import until


def configured(**settings: Any) -> Configuration:
    return load(flags={"fleet.port": free_port()} | {f"fleet.{key}": value for key, value in settings.items()})


@pytest.fixture
async def service(home: Path) -> AsyncIterator[ControlService]:
    async with running(configured()) as started:
        yield started


def caller(service: ControlService) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {service.local.key}"}
    return httpx.AsyncClient(base_url=service.local.url, headers=headers, trust_env=False)


@contextlib.asynccontextmanager
async def device(service: ControlService, name: str = "kitchen") -> AsyncIterator[Any]:
    """A connected device, after its welcome."""
    async with caller(service) as client:
        code = (await client.post("/fleet/v1/enrolments", json={"name": name})).json()["code"]
        enrolled = (await client.post("/fleet/v1/enrol", json={"code": code})).json()
    url = service.local.url.replace("http", "ws") + device_socket.PATH
    headers = {"Authorization": f"Bearer {enrolled['token']}"}
    options: dict[str, Any] = {"subprotocols": ["cp1"], "additional_headers": headers, "proxy": None}
    async with connect(url, compression=None, **options) as socket:
        hello = {"device": enrolled["device"], "boot": "boot", "epoch": "epoch"}
        await socket.send(encode(new_frame("hello", hello)))
        assert decode(str(await socket.recv())).type == "welcome"
        yield socket


async def test_the_first_start_makes_a_tenant_and_a_key_for_this_machine(home: Path) -> None:
    configuration = configured()
    async with running(configuration) as service:
        file = home / "fleet" / "operator.json"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        known = local_operator.read(configuration.home)
        assert known == service.local and known.url == f"http://127.0.0.1:{configuration.settings.fleet.port}"
        async with caller(service) as client:
            me = (await client.get("/fleet/v1/me")).json()
            tenants = (await client.get("/fleet/v1/tenants")).json()["items"]
        assert me["role"] == "platform" and [each["name"] for each in tenants] == ["home"]
        with pytest.raises(AlreadyRunning):
            async with running(configured()):
                pass
    async with running(configuration) as again:
        assert again.local.key == service.local.key
    file.unlink()
    async with running(configuration) as renewed:
        assert renewed.local.key != service.local.key
        async with caller(service) as client:
            assert (await client.get("/fleet/v1/me")).status_code == 401, "the lost key is void"


async def test_a_port_that_is_taken_and_wrong_addresses_are_told(home: Path) -> None:
    async with running(configured()) as service:
        port = service.binding.port
        with pytest.raises(PortTaken):
            binding.choose(configured().settings.fleet.model_copy(update={"port": port}), load().home).listen()
    for wrong in ({"store": "mysql://x"}, {"nats": "http://x"}, {"certificate": Path("a.pem")}):
        with pytest.raises(ConfigError):
            async with running(configured(**wrong)):
                pass


@pytest.mark.parametrize(
    "settings",
    [
        {"host": "0.0.0.0", "public_url": "http://fleet.example"},  # noqa: S104
        {"host": "0.0.0.0", "certificate": Path("/nowhere/a.pem"), "key_file": Path("/nowhere/a.key")},  # noqa: S104
        {"host": "0.0.0.0", "behind_proxy": True},  # noqa: S104
        {"host": "1.2.3"},
    ],
    ids=str,
)
def test_no_network_is_served_without_tls(home: Path, settings: dict[str, Any]) -> None:
    configuration = configured(**settings)
    with pytest.raises(ConfigError) as refused:
        binding.choose(configuration.settings.fleet, configuration.home)
    assert refused.value.hint


async def test_the_network_is_served_over_tls_with_our_own_authority(home: Path) -> None:
    async with running(configured(host="0.0.0.0")) as service:  # noqa: S104
        bound = service.binding
        assert bound.context is not None and bound.public_url.startswith("https://")
        assert bound.local_url.startswith("https://127.0.0.1:")
        trusted = ssl.create_default_context(cafile=bound.authority)
        async with httpx.AsyncClient(base_url=bound.local_url, verify=trusted, trust_env=False) as client:
            me = await client.get("/fleet/v1/me", headers={"Authorization": f"Bearer {service.local.key}"})
            assert me.status_code == 200
            shown = (await client.get("/ca.pem")).content
            assert ssl.PEM_cert_to_DER_cert(shown.decode()) in trusted.get_ca_certs(binary_form=True)
            plain = f"http://127.0.0.1:{bound.port}/healthz"
            with pytest.raises(httpx.HTTPError):
                await client.get(plain)


async def test_a_proxy_tells_where_a_caller_is_and_others_do_not(home: Path) -> None:
    url = "https://fleet.example"
    sent = {"X-Forwarded-For": "203.0.113.77", "X-Forwarded-Proto": "https"}

    async def addresses(service: ControlService) -> list[str]:
        async with caller(service) as client:
            await client.post("/fleet/v1/enrolments", json={"name": "kitchen"}, headers=sent)
            found = (await client.get("/fleet/v1/audit")).json()["items"]
        return [row["address"] for row in found if row["action"] == "enrolment.created"]

    async with running(configured(behind_proxy=True, public_url=url)) as service:
        assert await addresses(service) == ["203.0.113.77"]
    async with running(configured()) as service:
        assert (await addresses(service))[0] == "127.0.0.1"
    async with running(configured(behind_proxy=True, public_url=url, proxies="192.0.2.1")) as service:
        assert (await addresses(service))[0] == "127.0.0.1"


async def test_devices_are_closed_with_1001_at_the_end(home: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        service = await stack.enter_async_context(running(configured()))
        socket = await stack.enter_async_context(device(service))
        ending = asyncio.create_task(_closed(socket))
        async with caller(service) as client:
            assert (await client.get("/fleet/v1/devices/kitchen")).json()["online"] is True
        await service.app.drain()
        assert await ending == 1001


async def _closed(socket: Any) -> int:
    with contextlib.suppress(ConnectionClosed):
        while True:
            await socket.recv()
    code: int = socket.close_code
    return code


async def test_a_device_that_reads_nothing_is_let_go_when_it_is_closed(service: ControlService) -> None:
    """What it was sent before would otherwise be kept until TCP gives up, after a quarter of an hour."""
    async with device(service) as socket, caller(service) as client:
        socket.transport.pause_reading()
        for _ in range(40):
            content = {"type": "music.score", "payload": {"notes": "x" * 50_000}}
            assert (await client.post("/fleet/v1/devices/kitchen/commands", json=content)).status_code < 300
        assert (await client.delete("/fleet/v1/devices/kitchen")).status_code < 300
        await until(lambda: service.plane.hub.counters.closed == 1)
        socket.transport.abort()


async def test_a_frame_that_is_too_large_closes_the_connection(service: ControlService) -> None:
    async with device(service) as socket:
        await socket.send(b"\x01" * (MAX_BINARY_BYTES + 1))
        assert await _closed(socket) == 1009
    async with caller(service) as client:
        assert (await client.get("/healthz")).status_code == 200


async def test_other_web_sockets_are_refused(service: ControlService) -> None:
    for path in ("/fleet/v1/live", "/ws/../x", "/"):
        with pytest.raises(InvalidStatus):
            async with connect(service.local.url.replace("http", "ws") + path, proxy=None):
                pass


async def test_what_happens_is_streamed_until_the_key_is_revoked(
    service: ControlService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "QUIET_S", 0.05)
    async with caller(service) as client:
        made = (await client.post("/fleet/v1/operators", json={"name": "page", "role": "viewer"})).json()
        headers = {"Authorization": f"Bearer {made['key']}"}
        lines: list[str] = []

        async def watch() -> None:
            async with client.stream("GET", "/fleet/v1/live", headers=headers, timeout=30) as response:
                assert response.headers["content-type"].startswith("text/event-stream")
                async for line in response.aiter_lines():
                    if line:
                        lines.append(line)

        watching = asyncio.create_task(watch())
        await until(lambda: lines)
        async with device(service):
            await until(lambda: any('"online"' in line for line in lines))
        await until(lambda: any('"offline"' in line for line in lines))
        about = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        assert [each["kind"] for each in about] == ["enrolled", "online", "offline"]
        assert len(service.app.viewers) == 1
        await client.delete("/fleet/v1/operators/page")
        await asyncio.wait_for(watching, 20)
        await until(lambda: len(service.app.viewers) == 0)


async def test_a_viewer_that_leaves_is_forgotten_and_streams_end_with_the_node(service: ControlService) -> None:
    async with caller(service) as client:
        async with client.stream("GET", "/fleet/v1/live") as response:
            await anext(response.aiter_lines())
            assert len(service.app.viewers) == 1
        await until(lambda: len(service.app.viewers) == 0)
        async with client.stream("GET", "/fleet/v1/live") as response:
            lines = response.aiter_lines()
            await anext(lines)
            await service.app.drain()
            assert [line async for line in lines if line.startswith("data")] == []


async def test_a_slow_viewer_is_told_what_it_missed() -> None:
    viewers = live.LiveViewers()
    with viewers.viewer("one") as slow:
        for n in range(live.QUEUE + 5):
            slow.put({"n": n})
        found = await slow.take(1)
        assert len(found) == live.QUEUE + 1 and found[-1] == {"kind": "missed", "count": 5}
        slow.put({"n": 0})
        assert await slow.take(1) == [{"n": 0}]
        assert await slow.take(0.001) == []
    assert len(viewers) == 0


async def test_the_viewers_of_a_tenant_leave_room_for_those_of_others() -> None:
    viewers = live.LiveViewers()
    with contextlib.ExitStack() as stack:
        for _ in range(live.MAX_OF_TENANT):
            viewers.check_room("one")
            stack.enter_context(viewers.viewer("one"))
        with pytest.raises(TooMany):
            viewers.check_room("one")
        viewers.check_room("other")
    viewers.check_room("one")


async def test_readiness_needs_a_store_that_can_be_written(control: ControlNode) -> None:
    async with control.client() as client:
        assert (await client.get("/readyz")).json() == {"status": "ready", "node": "node-1"}
        await control.write(lambda sql: sql.run("DROP TABLE write_check"))
        unready = await client.get("/readyz")
        assert unready.status_code == 503 and unready.json()["error"]["code"] == "NOT_READY"
        assert (await client.get("/healthz")).status_code == 200


async def test_metrics_count_without_naming_devices(home: Path) -> None:
    async with running(configured(metrics_token="prometheus-token")) as service, device(service) as socket:  # noqa: S106
        await socket.send(encode(new_frame("button.pressed", {"n": 1}, seq=1)))
        await socket.send(encode(new_frame("made.up_type", {"n": 1}, seq=2)))
        while decode(str(await socket.recv())).ack != 2:
            pass
        async with caller(service) as client:
            known = (await client.get("/fleet/v1/devices/kitchen")).json()
            text = (await client.get("/metrics")).text
            token = {"Authorization": "Bearer prometheus-token"}
            assert (await client.get("/metrics", headers=token)).status_code == 200
            refused = await client.get("/metrics", headers={"Authorization": "Bearer prometheus"})
            assert refused.status_code == 401
    assert known["id"] not in text and "kitchen" not in text
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert figures["reachy_fleet_connected_devices"] == "1.0" and figures["reachy_fleet_devices"] == "1.0"
    assert figures['reachy_fleet_frames_total{direction="in",type="button.pressed"}'] == "1.0"
    assert figures['reachy_fleet_frames_total{direction="in",type="other"}'] == "1.0" and "made.up" not in text
    assert figures['reachy_fleet_events_stored_total{priority="1"}'] == "2.0"
    assert figures['reachy_fleet_ack_seconds_bucket{le="+Inf"}'] == figures["reachy_fleet_ack_seconds_count"] == "2.0"
    assert float(figures["reachy_fleet_store_write_seconds_count"]) > 3
    assert figures["reachy_fleet_emergencies_open"] == figures["reachy_fleet_commands_waiting"] == "0.0"


async def test_metrics_tell_how_long_people_and_online_devices_wait(home: Path) -> None:
    async with running(configured()) as service, device(service) as socket, caller(service) as client:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(device(service, "cellar"))  # it is offline when the stack is left
            for name in ("kitchen", "cellar"):
                sent = await client.post(f"/fleet/v1/devices/{name}/commands", json={"type": "restart"})
                assert sent.status_code < 300
            await socket.send(encode(new_frame("emergency.pressed", {}, seq=1, prio=0)))
            await until(lambda: service.plane.hub.counters.stored_by_priority[0])
        await until(lambda: len(service.plane.hub) == 1)

        def age(sql: Sql) -> None:
            sql.run("UPDATE emergency SET received_at = received_at - 90000")
            sql.run("UPDATE connection SET connected_at = connected_at - 60000")
            sql.run(
                "UPDATE downlink SET ts = ts - 500000 WHERE device IN (SELECT id FROM device WHERE name = 'cellar')"
            )
            sql.run(
                "UPDATE downlink SET ts = ts - 45000 WHERE device IN (SELECT id FROM device WHERE name = 'kitchen')"
            )

        await service.plane.store.write(age)
        text = (await client.get("/metrics")).text
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert figures["reachy_fleet_devices"] == "2.0" and figures["reachy_fleet_online_devices"] == "1.0"
    assert figures["reachy_fleet_commands_waiting"] == "2.0" and figures["reachy_fleet_emergencies_open"] == "1.0"
    assert 90 <= float(figures["reachy_fleet_emergency_open_seconds"]) < 150
    assert 45 <= float(figures["reachy_fleet_command_waiting_seconds"]) < 60, (
        "that of the offline device does not count"
    )


async def test_the_page_and_its_files_need_no_key(control: ControlNode) -> None:
    async with control.client() as client:
        for path, kind in (("/", "text/html"), ("/web/fleet.js", "text/javascript"), ("/web/fleet.css", "text/css")):
            served = await client.get(path)
            assert served.status_code == 200 and served.headers["content-type"].startswith(kind)
            assert served.headers["cache-control"] == "no-cache"
        assert (await client.get("/ca.pem")).status_code == 404, "this node has no authority of its own"


async def test_the_description_of_the_api_is_complete(control: ControlNode) -> None:
    async with control.client() as client:
        described = (await client.get("/openapi.json")).json()
    assert set(described["components"]["securitySchemes"]) == {"key", "login", "device"}
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    ]
    assert len(operations) > 50
    for name, operation in operations:
        assert "Role: `" in operation["description"] or "No key" in operation["description"] or "device" in name
        assert operation["tags"] and "security" in operation, name
        errors = {status for status in operation["responses"] if status >= "400"}
        assert {"403", "429", "500", "503"} <= errors, name
        assert ("401" in errors) == bool(operation["security"]), name
        assert ("404" in errors) == ("{" in name), name
        for status in errors:
            schema = operation["responses"][status]["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Error"}, name
    assert "HTTPValidationError" not in described["components"]["schemas"]
