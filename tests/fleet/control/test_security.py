"""What must not work: other tenants' things, pages of other sites, malformed requests, forged keys and paths."""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute

from reachy_mind.fleet.control.authorization import (
    CHECKS_ITSELF,
    PUBLIC,
    DeviceRequired,
    OperatorRequired,
    check_routes,
    requirement_of,
)
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import new_frame
from tests.fleet.conftest import URL, ControlNode

BODIES: dict[str, Any] = {
    "PATCH /fleet/v1/devices/{device}": {"name": "stolen"},
    "POST /fleet/v1/devices/{device}/commands": {"type": "restart"},
    "POST /fleet/v1/groups/{group}/commands": {"type": "restart"},
    "PATCH /fleet/v1/devices/{device}/twin": {"volume": 3},
    "PATCH /fleet/v1/groups/{group}/twin": {"volume": 3},
    "POST /fleet/v1/emergencies/{emergency}/acknowledge": {"note": "mine"},
}
"""For the routes that take one."""

NO_JSON: tuple[tuple[bytes, int], ...] = (
    (b'{"volume": NaN}', 400),
    (b'{"config": {"a": Infinity}}', 400),
    (b'{"config": {"a": 1e999}}', 400),
    (b'{"config": {"a": "\\ud800"}}', 400),
    (b'{"config": {"a": "\\u0000"}}', 400),
    (b'{"config": {"a": "\\\\u0000"}}', 200),
    (b'{"config": {"a": "\\ud83d\\ude00"}}', 200),
    (b'{"config": {"a": ' + b"9" * 5000 + b"}}", 400),
    (b'{"config": ' + b'{"a":' * 200 + b"1" + b"}" * 200 + b"}", 400),
    (b'{"config": ' + b"[" * 100_000, 400),
    (b'{"volume": 5', 400),
    (b"\xff\xfe{\x00}\x00", 400),
    (b"[]", 422),
    (b'"volume"', 422),
    (b"", 422),
    (b'{"config": {"a": "' + b"x" * (1 << 20) + b'"}}', 413),
)
"""Bodies, and how they are answered."""
FROM_PAGES: tuple[tuple[dict[str, str], int], ...] = (
    ({}, 403),
    ({"Origin": URL}, 201),
    ({"Origin": URL, "Sec-Fetch-Site": "same-origin"}, 201),
    ({"Sec-Fetch-Site": "same-origin"}, 201),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "http://fleet.example"}, 403),
    ({"Origin": "https://fleet.example:8443"}, 403),
    ({"Origin": "https://fleet.example.evil.example"}, 403),
    ({"Origin": "null"}, 403),
    ({"Sec-Fetch-Site": "cross-site"}, 403),
    ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Origin": "https://evil.example", "Host": "evil.example"}, 403),
)
"""Headers of a request with the cookie of a login, and how it is answered."""
TRICKS = (
    "devices/..%2F..%2Fetc%2Fpasswd",
    "devices/%2e%2e/operators",
    "devices/a%00b",
    "devices/%ff%fe",
    "devices/' OR '1'='1",
    "personas/..%2F..%2Fx",
    "device/personas/..%2Fx/y",
    "audio/..%2F..%2Ffleet.db",
    "devices?after=%00",
    "events?type=%00",
    "../../web/../app.py",
)
"""Paths that must lead nowhere."""


def routes(control: ControlNode) -> list[tuple[str, APIRoute]]:
    return [
        (method, route)
        for route in control.app.routes
        if isinstance(route, APIRoute)
        for method in sorted(route.methods or ())
    ]


def test_every_route_says_who_may_call_it(control: ControlNode) -> None:
    found = routes(control)
    assert len(found) > 50
    check_routes(control.app.routes)
    unchecked = {f"{method} {route.path}" for method, route in found if requirement_of(route) is None}
    assert unchecked - PUBLIC - CHECKS_ITSELF == set()


def test_an_app_with_a_route_that_says_nothing_is_not_made(control: ControlNode) -> None:
    async def everything() -> dict[str, str]:
        return {}

    with pytest.raises(RuntimeError, match="needs one of"):
        check_routes([APIRoute("/fleet/v1/everything", everything)])


async def test_no_route_answers_without_or_with_a_wrong_key(control: ControlNode) -> None:
    """Also the OpenAPI file and the page's routes; a token of a device opens nothing that is for operators."""
    _, token = await control.device("kitchen")
    for method, route in routes(control):
        name = f"{method} {route.path}"
        if name in PUBLIC:
            continue
        path = re.sub(r"\{[^}]+\}", "0123456789ab", route.path)
        wrong = ["", "op_000000000000_" + "A" * 43]
        if isinstance(requirement_of(route), OperatorRequired):
            wrong.append(token)
        if isinstance(requirement_of(route), DeviceRequired):
            wrong.append(control.keys["home platform"])
        for number, key in enumerate(wrong):
            async with control.client(key, address=f"203.0.113.{number}") as client:
                response = await client.request(method, path, json=BODIES.get(name, {}))
            assert response.status_code == 401, f"{name} {key}: {response.status_code}"


async def belongings(control: ControlNode) -> dict[str, str]:
    """One of everything, of the tenant home: by the name of its path parameter."""
    device, _ = await control.device("kitchen", "family")
    home = control.tenants["home"]
    ids = {"device": device.id, "group": "family"}
    ids["command"] = (await control.ok("POST", "devices/kitchen/commands", {"type": "restart"}))["id"]
    ids["enrolment_id"] = (await control.ok("POST", "enrolments", {"name": "hall"}))["id"]
    ids["which"] = (await control.ok("POST", "operators", {"name": "grandma"}))["operator"]["id"]
    stored = await control.ok("POST", "personas", {"id": "pirate", "files": {"instructions.txt": "Arr."}})
    ids |= {"persona": "pirate", "etag": stored["etag"]}
    ids["rollout"] = (await control.ok("POST", "rollouts", {"persona": "pirate", "group": "family"}))["id"]
    ids["emergency"] = (await control.ok("POST", "emergencies/test", {"device": "kitchen"}))["id"]
    exercise = {"kind": "exercise", "group": "family", "content": {"parts": [{"beep": "high"}]}}
    ids["activity"] = (await control.ok("POST", "activities", exercise))["id"]
    clip = new_frame("x").id

    def keep(sql: Sql) -> None:
        sql.run(
            "INSERT INTO audio_clip (id, tenant, made_by, content, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
            *(clip, home, "test", b"RIFF", 0, 1 << 60),
        )

    await control.write(keep)
    return ids | {"clip": clip}


async def test_nothing_of_another_tenant_is_seen_or_changed_by_any_route(control: ControlNode) -> None:
    ids = await belongings(control)
    _, stranger = await control.device("spy", tenant="other")
    walked = 0
    for method, route in routes(control):
        parameters = re.findall(r"\{([^}:]+)", route.path)
        if not parameters:
            continue
        name = f"{method} {route.path}"
        path = route.path
        for each in parameters:
            assert each in ids, f"{name}: the test has no {each} to try it with"
            path = path.replace(f"{{{each}}}", ids[each])
        is_device = isinstance(requirement_of(route), DeviceRequired)
        key = stranger if is_device else control.keys["other platform"]
        before = await everything(control)
        async with control.client(key) as client:
            response = await client.request(method, path, json=BODIES.get(name))
        assert response.status_code == 404, f"{name}: {response.status_code} {response.text}"
        assert await everything(control) == before, f"{name} changed something"
        walked += 1
    assert walked >= 25
    lists = ("devices", "groups", "events", "enrolments", "personas", "rollouts", "emergencies", "audit?limit=500")
    lists += ("activities",)
    for each in lists:
        text = (await control.ask("GET", each, who="other admin")).text
        assert not any(value in text for value in ids.values()), each


async def everything(control: ControlNode) -> str:
    """All rows that a tenant has; not the audit, which has refusals, and not what the background does."""
    tables = [*("device", "device_member", "downlink", "twin", "persona", "rollout", "operator", "enrolment")]
    tables += ["emergency", "audio_clip", "activity", "activity_device"]

    def dump(sql: Sql) -> str:
        kept = []
        for table in tables:
            for row in sql.rows(f"SELECT * FROM {table}"):  # noqa: S608 -- fixed names
                row.pop("last_used_at", None)
                kept.append(str(row))
        return "\n".join(sorted(kept))

    return await control.read(dump)


async def test_tricks_in_paths_lead_nowhere(control: ControlNode) -> None:
    for path in TRICKS:
        response = await control.ask("GET", path)
        assert response.status_code in (400, 401, 404, 422), f"{path}: {response.text}"
        assert "error" in response.json() and "Traceback" not in response.text


async def test_files_beside_the_page_are_not_served(control: ControlNode) -> None:
    async with control.client() as client:
        for path in ("/web/../app.py", "/web/%2e%2e/app.py", "/web/..%2fapp.py", "/web//etc/passwd"):
            assert (await client.get(path)).status_code == 404


async def test_what_is_no_json_is_refused(control: ControlNode) -> None:
    await control.device("kitchen")
    async with control.client(control.keys["home admin"]) as client:
        for body, status in NO_JSON:
            headers = {"Content-Type": "application/json"}
            response = await client.patch("/fleet/v1/devices/kitchen/twin", content=body, headers=headers)
            assert response.status_code == status, f"{body[:40]!r}: {response.text}"
            if status != 200:
                assert response.json()["error"]["code"] == "INVALID_PARAMETER"


async def test_a_body_without_its_type_is_not_read(control: ControlNode) -> None:
    await control.device("kitchen")
    async with control.client(control.keys["home admin"]) as client:
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            response = await client.patch(
                "/fleet/v1/devices/kitchen/twin", content=b'{"volume": 3}', headers={"Content-Type": kind}
            )
            assert response.status_code == 422


@contextlib.asynccontextmanager
async def logged_in(control: ControlNode) -> AsyncIterator[httpx.AsyncClient]:
    async with control.client() as client:
        await client.post("/fleet/v1/login", json={"key": control.keys["home admin"]})
        yield client


async def test_a_login_is_of_use_on_our_own_page_only(control: ControlNode) -> None:
    async with logged_in(control) as browser:
        for number, (headers, status) in enumerate(FROM_PAGES):
            wanted = {"name": f"device {number}"}
            response = await browser.post("/fleet/v1/enrolments", json=wanted, headers=headers)
            assert response.status_code == status, f"{headers}: {response.text}"


async def test_other_sites_neither_read_nor_embed(control: ControlNode) -> None:
    async with logged_in(control) as browser:
        read = await browser.get("/fleet/v1/devices", headers={"Origin": "https://evil.example"})
        embedded = await browser.get("/fleet/v1/devices", headers={"Sec-Fetch-Site": "cross-site"})
        allowed = await browser.options(
            "/fleet/v1/devices",
            headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"},
        )
        link = await browser.get("/healthz", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
    assert read.status_code == embedded.status_code == allowed.status_code == 403
    assert link.status_code == 200
    for response in (read, link):
        assert not any(name.startswith("access-control-") for name in response.headers)
        assert response.headers["x-frame-options"] == "DENY" and response.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert response.headers["cache-control"] == "no-store"


async def test_a_session_id_that_was_made_up_is_no_login(control: ControlNode) -> None:
    async with control.client(Cookie="__Host-reachy_fleet_None=" + "A" * 43) as client:
        assert (await client.get("/fleet/v1/me")).status_code == 401
    async with logged_in(control) as browser:
        name, text = next(iter(browser.cookies.items()))
        hashed = await control.read(lambda sql: sql.row("SELECT sha256 FROM login"))
    assert hashed is not None
    for wrong in (hashed["sha256"], text + "x", ""):
        async with control.client(Cookie=f"{name}={wrong}") as client:
            assert (await client.get("/fleet/v1/me")).status_code == 401


async def test_an_address_that_asks_too_much_is_slowed_and_others_are_not(control: ControlNode) -> None:
    async with control.client(address="203.0.113.5") as flood, control.client(address="203.0.113.6") as other:
        answers = {(await flood.get("/healthz")).status_code for _ in range(700)}
        assert 429 in answers
        assert (await other.get("/healthz")).status_code == 200


async def test_key_guessing_by_login_is_slowed(control: ControlNode) -> None:
    async with control.client(address="203.0.113.7") as client:
        wrong = {"key": "op_000000000000_" + "A" * 43}
        answers = [(await client.post("/fleet/v1/login", json=wrong)).status_code for _ in range(10)]
    assert answers[:5] == [401] * 5 and answers[-1] == 429


async def test_an_error_tells_nothing_of_the_inside(control: ControlNode) -> None:
    await control.write(lambda sql: sql.run("DROP TABLE device_member"))
    response = await control.ask("GET", "groups")
    assert response.status_code == 503 and "SELECT" not in response.text
