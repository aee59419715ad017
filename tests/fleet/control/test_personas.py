"""Personalities of devices: all texts, nothing but texts, never changed, only for the tenant they belong to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import devices, personas, twins
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.personas import PersonaBundle
from reachy_mind.profiles import editing
from reachy_mind.profiles.catalogue import Profiles
from reachy_mind.profiles.front_matter import FILE as FRONT_MATTER
from reachy_mind.profiles.loading import SHIPPED
from reachy_mind.storage.home import Home
from tests.fleet.control.fleet_node import OTHER, TENANT, FleetNode, fleet_node, texts


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[FleetNode]:
    async with fleet_node(tmp_path) as one:
        yield one


def test_a_bundle_may_have_what_a_profile_folder_may_have() -> None:
    assert set(personas.FILES) == {*editing.FILES.values(), FRONT_MATTER}


@pytest.mark.parametrize("name", sorted(personas.shipped()))
def test_every_shipped_personality_can_be_sent_whole(name: str) -> None:
    bundle = personas.from_shipped(name)
    content = json.loads(bundle.body)
    there = {file.name for file in (SHIPPED / name).iterdir() if file.is_file()}
    assert set(content["files"]) == there & set(personas.FILES)
    assert hashlib.sha256(bundle.body.encode()).hexdigest() == bundle.etag
    assert "[identities/" not in content["files"].get("instructions.txt", "")


def test_a_persons_own_profile_takes_its_placeholders_and_leaves_its_python(home: Path) -> None:
    folder = home / "profiles" / "captain"
    folder.mkdir(parents=True)
    (home / "profiles" / "prompts").mkdir()
    (home / "profiles" / "prompts" / "ship.txt").write_text("The ship is yours.\n")
    (folder / "instructions.txt").write_text("You are a captain.\n[ship]\n")
    (folder / "greeting.txt").write_text("Ahoy.\n")
    (folder / "steer.py").write_text("raise SystemExit\n")
    bundle = personas.from_profile(Profiles(Home(home)), "captain")
    assert bundle.files == {
        "instructions.txt": "You are a captain.\nThe ship is yours.\n",
        "greeting.txt": "Ahoy.\n",
    }


def test_a_profile_with_a_missing_text_is_not_sent(home: Path) -> None:
    folder = home / "profiles" / "captain"
    folder.mkdir(parents=True)
    (folder / "instructions.txt").write_text("[nowhere]\nYou are a captain.\n")
    with pytest.raises(InvalidParameter, match="nowhere"):
        personas.from_profile(Profiles(Home(home)), "captain")


@pytest.mark.parametrize("name", ["", "..", "../etc", "a/b", "A", "captain\n", ".hidden", "a" * 65, "ä", "a\0"])
def test_a_name_is_no_path(name: str) -> None:
    with pytest.raises(InvalidParameter, match="can't be the name"):
        PersonaBundle(name, texts())


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"steer.py": "pass", **texts()}, "has no file"),
        ({"../instructions.txt": "x", **texts()}, "has no file"),
        ({"/etc/passwd": "x", **texts()}, "has no file"),
        ({"INSTRUCTIONS.TXT": "x", **texts()}, "has no file"),
        (texts(greeting="x" * 70_000), "at most 64 KiB"),
        (texts(greeting="\0"), "at most 64 KiB"),
        (texts(greeting="\ud800"), "can't be stored"),
        ({"greeting.txt": "Ahoy"}, "needs instructions"),
        ({"instructions.txt": "  \n"}, "needs instructions"),
        ({"manner.yaml": "en:\n  nonsense: [a]\n"}, "manner.yaml: line 2"),
    ],
)
def test_a_bundle_has_texts_only(files: dict[str, str], why: str) -> None:
    with pytest.raises(InvalidParameter, match=why):
        PersonaBundle("captain", files)


async def test_versions_stay_and_the_one_stored_last_is_the_latest(node: FleetNode) -> None:
    first, second = PersonaBundle("captain", texts()), PersonaBundle("captain", texts(greeting="Ahoy"))
    for bundle in (first, second):
        assert await node.write(lambda sql, b=bundle: personas.put(sql, TENANT, b, by="anna"))  # type: ignore[misc]
    assert (await node.read(lambda sql: personas.get(sql, TENANT, "captain")))["etag"] == second.etag
    assert (await node.read(lambda sql: personas.get(sql, TENANT, "captain", first.etag)))["body"] == first.body
    again = await node.write(lambda sql: personas.put(sql, TENANT, first, by="anna"))
    assert not again
    assert (await node.read(lambda sql: personas.get(sql, TENANT, "captain")))["etag"] == first.etag
    (listed,) = await node.read(lambda sql: personas.listed(sql, TENANT))
    assert (listed["etag"], len(listed["versions"])) == (first.etag, 2)


async def test_another_tenant_does_not_find_it(node: FleetNode) -> None:
    bundle = PersonaBundle("captain", texts())
    await node.write(lambda sql: personas.put(sql, TENANT, bundle, by="anna"))
    for etag in (None, bundle.etag, "'; --", "f" * 64):
        with pytest.raises(NotInTenant):
            await node.read(lambda sql, etag=etag: personas.get(sql, OTHER, "captain", etag))  # type: ignore[misc]
    assert await node.read(lambda sql: personas.listed(sql, OTHER)) == []


async def test_a_version_that_a_device_should_have_is_not_removed(node: FleetNode) -> None:
    bundle = PersonaBundle("captain", texts())
    await node.write(lambda sql: personas.put(sql, TENANT, bundle, by="anna"))
    kitchen = await node.device("kitchen")
    wanted = {"persona": {"id": "captain", "etag": bundle.etag}}
    await node.write(lambda sql: twins.change(sql, kitchen.id, wanted, by="anna"))
    with pytest.raises(InvalidParameter, match="in use"):
        await node.write(lambda sql: personas.remove(sql, TENANT, "captain", bundle.etag))
    await node.write(lambda sql: twins.change(sql, kitchen.id, {"persona": None}, by="anna"))
    await node.write(lambda sql: personas.remove(sql, TENANT, "captain", bundle.etag))
    with pytest.raises(NotInTenant):
        await node.read(lambda sql: personas.get(sql, TENANT, "captain"))


async def test_a_device_fetches_the_texts_of_its_tenant_with_its_token(node: FleetNode) -> None:
    async with node.http() as http:
        stored = (await http.post("/personas", json={"id": "captain", "files": texts()})).json()
        again = (await http.post("/personas", json={"id": "captain", "files": texts()})).json()
        shipped = await http.post("/personas", json={"profile": "storyteller"})
        assert (stored["new"], again["new"], shipped.status_code) == (True, False, 201)
        assert [one["id"] for one in (await http.get("/personas")).json()["items"]] == ["captain", "storyteller"]
        assert (await http.get("/personas/captain")).json()["files"] == texts()
    assert await node.audited("persona.stored") == [
        f"storyteller {shipped.json()['etag']}",
        *[f"captain {stored['etag']}"] * 2,
    ]
    path = f"/device/personas/captain/{stored['etag']}"
    kitchen, foreign = await node.device("kitchen"), await node.device("foreign", tenant=OTHER)
    async with node.calling(await node.write(lambda sql: devices.new_token(sql, kitchen.id))) as http:
        answer = await http.get(path)
        assert hashlib.sha256(answer.content).hexdigest() == stored["etag"]
        assert answer.headers["etag"] == f'"{stored["etag"]}"'
        assert "immutable" in answer.headers["cache-control"]
        assert (await http.get(path, headers={"If-None-Match": answer.headers["etag"]})).status_code == 304
        for trick in ("/../../personas/captain", "/..%2f..%2fetc%2fpasswd/x", f"/captain/{'0' * 64}", "/%00/x"):
            assert (await http.get(f"/device/personas{trick}")).status_code in (400, 401, 404), trick
    async with node.calling(await node.write(lambda sql: devices.new_token(sql, foreign.id))) as http:
        assert (await http.get(path)).status_code == 404
    for key in ("", "op_000000000000_" + "x" * 43, f"dev_{kitchen.id}_{'x' * 43}"):
        async with node.calling(key) as http:
            assert (await http.get(path)).status_code == 401


async def test_viewers_look_and_others_tenants_find_nothing(node: FleetNode) -> None:
    async with node.http() as http:
        await http.post("/personas", json={"id": "captain", "files": texts()})
    async with node.http("viewer") as http:
        assert (await http.get("/personas/captain")).status_code == 200
        assert (await http.post("/personas", json={"profile": "storyteller"})).status_code == 403
    async with node.http("admin", OTHER) as http:
        assert (await http.get("/personas/captain")).status_code == 404
        assert (await http.get("/personas")).json() == {"items": [], "next": None}
    async with node.http() as http:
        for body in ({}, {"profile": "storyteller", "id": "x"}, {"id": "captain"}, {"profile": "x", "evil": 1}):
            assert (await http.post("/personas", json=body)).status_code == 422
        assert (await http.post("/personas", json={"profile": "../../etc"})).status_code == 404
