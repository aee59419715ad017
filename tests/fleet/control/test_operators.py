"""Operators: keys, roles, logins, tenants."""

from __future__ import annotations

import asyncio

import pytest

from reachy_mind.access.authorization import Unauthenticated
from reachy_mind.fleet.control import logins, operators
from reachy_mind.fleet.control.store.store import Sql
from tests.fleet.conftest import ControlNode


async def test_a_key_says_who_calls_and_its_secret_is_not_in_the_store(control: ControlNode) -> None:
    key = control.keys["home admin"]
    me = await control.ok("GET", "me", who="home admin")
    assert (me["name"], me["role"], me["tenant"]) == ("admin", "admin", control.tenants["home"])
    secret = key.split("_", 2)[2]
    rows = await control.read(lambda sql: sql.rows("SELECT * FROM operator"))
    assert len(secret) == 43 and secret not in str(rows)


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "op_",
        "rm_123",
        "op_000000000000_" + "A" * 43,
        "{key}x",
        "{key} ",
        "OP{rest}",
        "dev_000000000000_" + "A" * 43,
    ],
)
async def test_a_wrong_key_is_refused(control: ControlNode, wrong: str) -> None:
    key = control.keys["home viewer"]
    async with control.client() as client:
        sent = wrong.format(key=key, rest=key[2:])
        response = await client.get("/fleet/v1/me", headers={"Authorization": f"Bearer {sent}"} if wrong else {})
    ends_in_space = wrong.endswith(" ")  # HTTP leaves it out
    assert response.status_code == (200 if ends_in_space else 401)
    if not ends_in_space:
        assert response.json()["error"]["code"] == "UNAUTHORIZED" and response.headers["www-authenticate"] == "Bearer"


async def test_a_key_with_the_secret_of_another_is_refused(control: ControlNode) -> None:
    viewer, admin = (control.keys[f"home {role}"].split("_", 2) for role in ("viewer", "admin"))
    with pytest.raises(Unauthenticated):
        await control.read(lambda sql: operators.authenticate(sql, f"op_{admin[1]}_{viewer[2]}"))


async def test_an_expired_and_a_revoked_key_are_refused(control: ControlNode) -> None:
    made = await control.ok("POST", "operators", {"name": "ada", "role": "viewer", "days": 1})
    control.keys["ada"] = made["key"]
    await control.ok("GET", "me", who="ada")
    await control.write(lambda sql: sql.run("UPDATE operator SET expires_at = 1 WHERE name = 'ada'"))
    refused = await control.ask("GET", "me", who="ada")
    assert refused.status_code == 401 and "expired" in refused.text
    await control.write(lambda sql: sql.run("UPDATE operator SET expires_at = NULL WHERE name = 'ada'"))
    await control.ok("GET", "me", who="ada")
    await control.ok("DELETE", "operators/ada")
    refused = await control.ask("GET", "me", who="ada")
    assert refused.status_code == 401 and "revoked" in refused.text
    again = await control.ok("POST", "operators", {"name": "ada"})
    assert again["operator"]["id"] != made["operator"]["id"], "the name is free again"


async def test_the_last_use_of_a_key_is_written_once_a_minute(control: ControlNode) -> None:
    async def last_used() -> int | None:
        found = await control.ok("GET", "operators", who="home admin")
        return next(each["last_used_at"] for each in found["items"] if each["name"] == "viewer")

    assert await last_used() is None
    await control.ok("GET", "me", who="home viewer")
    first = await last_used()
    assert first is not None
    await asyncio.sleep(0.002)
    await control.ok("GET", "me", who="home viewer")
    assert await last_used() == first
    await control.write(lambda sql: sql.run("UPDATE operator SET last_used_at = 1"))
    await control.ok("GET", "me", who="home viewer")
    assert (await last_used() or 0) >= first


async def test_nobody_gives_away_more_than_they_have(control: ControlNode) -> None:
    for role, status in (("viewer", 201), ("operator", 201), ("admin", 201), ("platform", 403)):
        made = await control.ask("POST", "operators", {"name": f"new {role}", "role": role}, who="home admin")
        assert made.status_code == status
    abroad = {"name": "spy", "role": "viewer", "tenant": "other"}
    assert (await control.ask("POST", "operators", abroad, who="home admin")).status_code == 403
    made = await control.ok("POST", "operators", abroad)
    assert made["operator"]["tenant"] == control.tenants["other"]
    assert (await control.ask("DELETE", "operators/platform", who="home admin")).status_code == 403
    own = await control.ask("DELETE", "operators/admin", who="home admin")
    assert own.status_code == 403 and "your own" in own.text
    assert (await control.ask("DELETE", "operators/spy", who="home admin")).status_code == 404


async def test_roles_are_checked(control: ControlNode) -> None:
    await control.device("kitchen")
    change = {"volume": 10}
    assert (await control.ask("PATCH", "devices/kitchen/twin", change, who="home viewer")).status_code == 403
    assert (await control.ask("PATCH", "devices/kitchen/twin", change, who="home operator")).status_code == 200
    assert (await control.ask("DELETE", "devices/kitchen", who="home operator")).status_code == 403
    assert (await control.ask("POST", "tenants", {"name": "x"}, who="home admin")).status_code == 403
    assert (await control.ask("POST", "tenants", {"name": "school"})).status_code == 201
    assert (await control.ask("POST", "tenants", {"name": "school"})).status_code == 422


async def test_the_key_of_this_machine_is_kept_while_it_is_valid(control: ControlNode) -> None:
    def ensure(sql: Sql, key: str) -> str:
        return operators.ensure_local(sql, control.tenants["home"], "local a", key)

    first = await control.write(lambda sql: ensure(sql, ""))
    assert await control.write(lambda sql: ensure(sql, first)) == first
    second = await control.write(lambda sql: ensure(sql, "op_lost"))
    assert second != first
    with pytest.raises(Unauthenticated):
        await control.read(lambda sql: operators.authenticate(sql, first))
    assert (await control.read(lambda sql: operators.authenticate(sql, second))).role == "platform"


async def test_a_login_ends_with_its_key_by_itself_and_by_logout(control: ControlNode) -> None:
    async with control.client() as browser:
        refused = await browser.post("/fleet/v1/login", json={"key": "op_000000000000_" + "A" * 43})
        assert refused.status_code == 401 and "set-cookie" not in refused.headers
        logged_in = await browser.post("/fleet/v1/login", json={"key": control.keys["home admin"]})
        cookie = logged_in.headers["set-cookie"]
        assert logged_in.status_code == 200 and control.keys["home admin"] not in cookie
        for part in ("HttpOnly", "SameSite=strict", "Secure", "__Host-"):
            assert part in cookie
        assert (await browser.get("/fleet/v1/me")).json()["name"] == "admin"
        text = next(iter(browser.cookies.values()))
        assert text not in str(await control.read(lambda sql: sql.rows("SELECT * FROM login")))
        out = await browser.post("/fleet/v1/logout", headers={"Origin": "https://fleet.example"})
        assert out.status_code == 200
        with pytest.raises(Unauthenticated):
            await control.read(lambda sql: logins.find(sql, text))

        await browser.post("/fleet/v1/login", json={"key": control.keys["home viewer"]})
        assert (await browser.get("/fleet/v1/me")).status_code == 200
        await control.ok("DELETE", "operators/viewer", who="home admin")
        assert (await browser.get("/fleet/v1/me")).status_code == 401

        await browser.post("/fleet/v1/login", json={"key": control.keys["home operator"]})
        await control.write(lambda sql: sql.run("UPDATE login SET expires_at = 1"))
        assert (await browser.get("/fleet/v1/me")).status_code == 401


async def test_an_operator_has_a_limited_number_of_logins(control: ControlNode) -> None:
    operator = control.keys["home viewer"].split("_")[1]
    texts = [await control.write(lambda sql: logins.begin(sql, operator)) for _ in range(logins.MAX_LOGINS + 3)]
    rows = await control.read(lambda sql: sql.rows("SELECT sha256 FROM login"))
    assert len(rows) == logins.MAX_LOGINS
    await control.read(lambda sql: logins.find(sql, texts[-1]))
