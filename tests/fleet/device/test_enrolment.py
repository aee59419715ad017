"""A device's identity: got for a one-time code, kept in a file of its user's alone, changed for a new one."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from reachy_mind.access.certificate import Certificate
from reachy_mind.errors import BadAnswer, ConfigError, InvalidParameter, LinkLost
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.device.enrolment import (
    DeviceIdentity,
    EnrolmentRefused,
    enrol,
    identity_file,
    load_identity,
    rotate,
    save_identity,
)
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.storage.home import Home
from tests.fleet.app_server import AppServer, app_server


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[AppServer]:
    async with app_server(SqliteStore(tmp_path / "fleet.db")) as served:
        yield served


async def who(identity: DeviceIdentity) -> int:
    """How the hub answers a device with this token."""
    async with identity.address.client(identity.token) as client:
        url = identity.address.http_url("/fleet/v1/device/exchange")
        return (await client.post(url, json={"frames": []})).status_code


async def test_a_code_becomes_an_identity_that_the_hub_knows(hub: AppServer, home: Home) -> None:
    code = await hub.code("kitchen")
    made = await enrol(home, HubAddress(hub.url), f" {code[:4]}-{code[4:]} ")
    assert made.name == "kitchen" and made.token.startswith(f"dev_{made.device}_")
    assert load_identity(home) == made
    assert await who(made) == 422, "not refused: a hello is missing"
    file = identity_file(home)
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700


async def test_a_code_works_once_and_what_is_kept_stays(hub: AppServer, home: Home) -> None:
    code = await hub.code("kitchen")
    made = await enrol(home, HubAddress(hub.url), code)
    with pytest.raises(EnrolmentRefused, match="wrong, used or expired") as refused:
        await enrol(home, HubAddress(hub.url), code)
    assert refused.value.hint and load_identity(home) == made


async def test_wrong_and_expired_codes_are_refused_and_guessing_ends_soon(hub: AppServer, home: Home) -> None:
    code = await hub.code("kitchen")
    await hub.control.write(lambda sql: sql.run("UPDATE enrolment SET expires_at = 1"))
    with pytest.raises(EnrolmentRefused, match="expired"):
        await enrol(home, HubAddress(hub.url), code)
    for guess in range(4):
        with pytest.raises(EnrolmentRefused, match="wrong"):
            await enrol(home, HubAddress(hub.url), f"{guess:08}")
    with pytest.raises(EnrolmentRefused, match="too many"):
        await enrol(home, HubAddress(hub.url), await hub.code("hall"))
    assert load_identity(home) is None and not identity_file(home).exists()


@pytest.mark.parametrize(
    "code",
    [
        "",
        "1234567",
        "123456789",
        "abcdefgh",
        "\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18",
        "1234567²",
        "+1234567",
    ],
)
async def test_what_can_be_no_code_is_not_sent(home: Home, code: str) -> None:
    with pytest.raises(InvalidParameter, match="8 digits"):
        await enrol(home, HubAddress("http://127.0.0.1:9"), code)


async def test_a_hub_that_is_away_or_none_is_told_apart(home: Home) -> None:
    with pytest.raises(LinkLost, match="can't be reached"):
        await enrol(home, HubAddress("http://127.0.0.1:9"), "12345678")
    answers = (b"[]", b"null", b"7", b"{}", b'{"device":"d"}', b"<html>", b"[" * 100_000, b"\xff")
    for answer in answers:
        for status in (200, 302, 404, 500):
            async with answering(lambda answer=answer, status=status: response(status, answer)) as address:
                with pytest.raises((BadAnswer, EnrolmentRefused)):
                    await enrol(home, address, "12345678")
                with pytest.raises((BadAnswer, EnrolmentRefused)):
                    await rotate(home, DeviceIdentity(address.url, "d", "t"))
    assert load_identity(home) is None


async def test_an_endless_answer_is_not_read_to_its_end(home: Home) -> None:
    def endless() -> bytes:
        return b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + b" " * (4 << 20)

    async with answering(endless) as address:
        with pytest.raises(BadAnswer):
            await enrol(home, address, "12345678")


async def test_over_a_network_tls_is_required_and_its_authority_checked(tmp_path: Path, home: Home) -> None:
    with pytest.raises(ConfigError, match="no TLS"):
        HubAddress("http://192.0.2.1")
    certificate = Certificate(Home(tmp_path / "hub"), ["127.0.0.1"])
    async with app_server(SqliteStore(tmp_path / "fleet.db"), tls=certificate.context()) as hub:
        with pytest.raises(LinkLost, match="certificate") as refused:
            await enrol(home, HubAddress(hub.url), await hub.code("hall"))
        assert "--ca" in refused.value.hint
        made = await enrol(home, HubAddress(hub.url, certificate.authority_file), await hub.code("kitchen"))
        loaded = load_identity(home)
        assert loaded == made and loaded.ca == str(certificate.authority_file)
        assert await who(loaded) == 422


async def test_a_new_token_is_kept_and_the_old_one_good_until_it_is_used(hub: AppServer, home: Home) -> None:
    first = await enrol(home, HubAddress(hub.url), await hub.code("kitchen"))
    second = await rotate(home, first)
    assert load_identity(home) == second and second.token != first.token
    assert (second.device, second.name, second.url) == (first.device, first.name, first.url)
    assert await who(first) == 422, "a device that lost its power before it stored the new one is not locked out"
    assert await who(second) == 422
    assert await who(first) == 401
    with pytest.raises(EnrolmentRefused):
        await rotate(home, first)
    assert load_identity(home) == second


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "7", "{}", '{"url":"https://a","device":"d"}', '{"url":1,"device":"d","token":"t"}']
)
def test_an_identity_that_cannot_be_used_is_an_error_that_says_what_to_do(home: Home, content: str) -> None:
    file = identity_file(home)
    file.parent.mkdir(parents=True)
    file.write_text(content)
    with pytest.raises(ConfigError) as refused:
        load_identity(home)
    assert "enroll" in refused.value.hint


def test_an_identity_that_others_could_have_written_is_refused(home: Home) -> None:
    save_identity(home, DeviceIdentity("https://fleet.home", "d", "t"))
    identity_file(home).chmod(0o666)
    with pytest.raises(ConfigError, match="can be written by everybody"):
        load_identity(home)


def test_the_file_has_what_a_device_is_and_nothing_more(home: Home) -> None:
    save_identity(home, DeviceIdentity("https://fleet.home", "d", "t", insecure=True))
    assert set(json.loads(identity_file(home).read_text())) == {"url", "device", "token", "name", "ca", "insecure"}
    loaded = load_identity(home)
    assert loaded is not None and loaded.insecure is True


def response(status: int, body: bytes) -> bytes:
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


@contextlib.asynccontextmanager
async def answering(answer: Callable[[], bytes]) -> AsyncIterator[HubAddress]:
    """A web server that gives every request the same answer."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer())
            await writer.drain()
            await reader.read()
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield HubAddress(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    finally:
        server.close()
