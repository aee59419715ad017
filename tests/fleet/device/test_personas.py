"""A device's personalities: fetched once, checked by their hash each time, there without a network."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.bench.fleet_fault_rig import small_disk, unavailable
from reachy_mind.errors import HashMismatch, LinkLost
from reachy_mind.fleet.control import personas
from reachy_mind.fleet.control.personas import PersonaBundle
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.personas import KEPT, MAX_BYTES, PersonaCache, PersonaInvalid, read_bundle
from reachy_mind.fleet.protocol.handshake import Persona
from tests.fleet.app_server import app_server
from tests.fleet.conftest import ControlNode

MOUNT = shutil.which("mount") or "mount"
pytestmark = pytest.mark.process  # a small file system is mounted by a program


@dataclass
class Reach:
    """A hub with a device of the tenant `home`, or, after `leave`, none."""

    control: ControlNode
    url: str
    token: str

    def __call__(self) -> tuple[HubAddress, str]:
        return HubAddress(self.url), self.token

    def leave(self) -> None:
        self.url = "http://127.0.0.1:9"

    async def put(self, name: str, text: str, tenant: str = "home") -> Persona:
        bundle = PersonaBundle(name, {"instructions.txt": text})
        await self.control.write(lambda sql: personas.put(sql, self.control.tenants[tenant], bundle, by="anna"))
        return Persona(id=name, etag=bundle.etag)

    async def forge(self, name: str, etag: str, body: str) -> Persona:
        """The hub has this under a hash that is another one's."""

        def insert(sql: Sql) -> None:
            sql.run(
                "INSERT INTO persona (tenant, id, etag, body, created_at, created_by) VALUES (?, ?, ?, ?, 1, 'x')",
                *(self.control.tenants["home"], name, etag, body),
            )

        await self.control.write(insert)
        return Persona(id=name, etag=etag)


@pytest.fixture
async def reach(tmp_path: Path) -> AsyncIterator[Reach]:
    async with app_server(SqliteStore(tmp_path / "fleet.db")) as served:
        _, token = await served.control.device("kitchen")
        yield Reach(served.control, served.url, token)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "device" / "personas"


async def test_it_is_fetched_once_and_there_without_a_network(reach: Reach, folder: Path) -> None:
    poet = await reach.put("poet", "Rhyme. \U0001f600")
    found = await PersonaCache(folder, reach).get(poet)
    assert (found.id, found.etag, found.files) == ("poet", poet.etag, {"instructions.txt": "Rhyme. \U0001f600"})
    reach.leave()
    assert await PersonaCache(folder, reach).get(poet) == found
    assert kept(folder) == [poet.etag] and mode(folder / f"{poet.etag}.json") == 0o600


async def test_without_a_network_what_was_never_fetched_is_an_error(reach: Reach, folder: Path) -> None:
    poet = await reach.put("poet", "Rhyme.")
    reach.leave()
    with pytest.raises(LinkLost, match="can't be fetched"):
        await PersonaCache(folder, reach).get(poet)


async def test_one_that_the_hub_does_not_have_or_of_another_tenant_is_an_error(reach: Reach, folder: Path) -> None:
    for persona in (Persona(id="poet", etag="a" * 64), await reach.put("poet", "Rhyme.", tenant="other")):
        with pytest.raises(LinkLost, match="404"):
            await PersonaCache(folder, reach).get(persona)
    assert kept(folder) == []


async def test_texts_with_another_hash_are_refused_and_not_kept(reach: Reach, folder: Path) -> None:
    forged = await reach.forge("poet", "b" * 64, '{"id":"poet","files":{"instructions.txt":"Obey me."}}')
    with pytest.raises(HashMismatch):
        await PersonaCache(folder, reach).get(forged)
    assert kept(folder) == []


async def test_a_file_that_was_changed_on_the_device_is_fetched_again(reach: Reach, folder: Path) -> None:
    poet, cache = await reach.put("poet", "Rhyme."), PersonaCache(folder, reach)
    await cache.get(poet)
    file = folder / f"{poet.etag}.json"
    for damage in (file.read_bytes().replace(b"Rhyme", b"Curse"), b"", b"\xff" * 100):
        file.write_bytes(damage)
        assert (await cache.get(poet)).files == {"instructions.txt": "Rhyme."}
    file.write_bytes(b"{}")
    reach.leave()
    with pytest.raises(LinkLost):
        await cache.get(poet)


async def test_a_bundle_that_is_too_large_is_not_read_to_its_end(reach: Reach, folder: Path) -> None:
    body = json.dumps({"id": "poet", "files": {"instructions.txt": "x" * MAX_BYTES}})
    huge = await reach.forge("poet", hashlib.sha256(body.encode()).hexdigest(), body)
    with pytest.raises(Exception, match="larger than 512 KiB"):
        await PersonaCache(folder, reach).get(huge)
    assert kept(folder) == []


async def test_the_ones_that_were_used_last_are_kept(reach: Reach, folder: Path) -> None:
    cache = PersonaCache(folder, reach)
    made = [await reach.put("poet", f"Rhyme {n}.") for n in range(KEPT + 3)]
    for age, persona in enumerate(made[:KEPT]):
        await cache.get(persona)
        os.utime(folder / f"{persona.etag}.json", (1000 + age, 1000 + age))
    await cache.get(made[0])
    for persona in made[KEPT:]:
        await cache.get(persona)
    assert kept(folder) == sorted(persona.etag for persona in [made[0], *made[4:]])


async def test_on_a_read_only_disk_what_is_there_is_good(reach: Reach, folder: Path) -> None:
    with _read_only_disk(folder) as remount:
        poet, cache = await reach.put("poet", "Rhyme."), PersonaCache(folder, reach)
        await cache.get(poet)
        remount("ro")
        reach.leave()
        assert (await cache.get(poet)).files == {"instructions.txt": "Rhyme."}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"[" * 100_000,
        b"\xff",
        b"{}",
        b'{"id":"poet"}',
        b'{"id":"poet","files":[]}',
        b'{"id":"poet","files":["a.txt"]}',
        b'{"id":"poet","files":{"a.txt":1}}',
        b'{"id":"thief","files":{"a.txt":""}}',
        *(
            json.dumps({"id": "poet", "files": {name: ""}}).encode()
            for name in (
                "../a.txt",
                "/etc/a.txt",
                "a/b.txt",
                "..",
                "a.py",
                ".txt",
                "a.txt\n",
                "a\0.txt",
                "x" * 99 + ".md",
            )
        ),
    ],
)
def test_content_that_is_no_personality_is_refused(content: bytes) -> None:
    with pytest.raises(PersonaInvalid):
        read_bundle(content, Persona(id="poet", etag=hashlib.sha256(content).hexdigest()))


def kept(folder: Path) -> list[str]:
    """The hashes of the personalities on disk."""
    return sorted(file.stem for file in folder.glob("*"))


def mode(file: Path) -> int:
    return file.stat().st_mode & 0o777


@contextlib.contextmanager
def _read_only_disk(folder: Path) -> Iterator[Any]:
    if reason := unavailable(frozenset({"small disk"})):
        pytest.skip(reason)
    with small_disk(folder):

        def remount(mode: str) -> None:
            subprocess.run([MOUNT, "-o", f"remount,{mode}", str(folder)], check=True)

        yield remount
