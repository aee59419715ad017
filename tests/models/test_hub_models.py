"""Models of the hub: their hash is the hub's own, pinned at the first pull; downloads resume and are verified whole."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reachy_mind.config.configuration import load
from reachy_mind.errors import AssetError, HashMismatch
from reachy_mind.models.catalogue.chat import CHAT_MODELS, QWEN25_1B5
from reachy_mind.models.hub import Hub
from reachy_mind.models.store import Progress, Store
from tests.fakes.model_hub import ModelHub
from tests.waiting import until

NAME = QWEN25_1B5.name
FILE = "Qwen/Qwen2.5-1.5B-Instruct-GGUF/qwen2.5-1.5b-instruct-q4_k_m.gguf"


@pytest.fixture
def content(noise: Callable[..., bytes]) -> bytes:
    return b"GGUF" + noise(300_000)


@pytest.fixture
def hub(content: bytes) -> Iterator[ModelHub]:
    with ModelHub() as hub:
        hub.files[FILE] = content
        yield hub


@pytest.fixture
def store(folder: Path, hub: ModelHub) -> Store:
    return Store(folder, hub=Hub(hub.url))


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


async def test_the_first_pull_pins_the_hash_that_the_hub_states(store: Store, hub: ModelHub, content: bytes) -> None:
    assert store.asset(NAME).parts[0].sha256 == "" and store.status(NAME).state == "absent"
    seen: list[Progress] = []
    path = await store.pull(NAME, seen.append)
    assert (path / "qwen2.5-1.5b-instruct-q4_k_m.gguf").read_bytes() == content
    assert store.status(NAME).state == "ready" and store.is_ready(NAME)
    assert (await store.verify(NAME)).intact
    pinned = json.loads((store.folder / "pins" / f"{NAME}.json").read_text())
    assert (pinned["sha256"], pinned["size"]) == (hash_of(content), len(content))
    assert [step.done for step in seen if step.stage == "downloading"][-1] == len(content)
    assert not (store.folder / "downloads" / NAME).exists(), "there is one copy"

    before = len(hub.asked)
    await store.pull(NAME)
    assert len(hub.asked) == before, "what is there needs no network"


async def test_a_mirror_without_a_tree_states_it_in_headers(store: Store, hub: ModelHub, content: bytes) -> None:
    hub.has_tree = False
    await store.pull(NAME)
    assert store.asset(NAME).parts[0].sha256 == hash_of(content)
    assert "HEAD" in [method for method, *_ in hub.asked]


async def test_a_download_that_is_cut_goes_on_where_it_ended(store: Store, hub: ModelHub, content: bytes) -> None:
    hub.cut = [100_000, 50_000]
    path = await store.pull(NAME)
    assert next(path.glob("*.gguf")).read_bytes() == content
    assert hub.downloads == ["", "bytes=100000-", "bytes=150000-"]


async def test_a_cancelled_pull_is_resumed_by_the_next(store: Store, hub: ModelHub, content: bytes) -> None:
    hub.held = True
    pulling = asyncio.create_task(store.pull(NAME))
    assert await asyncio.to_thread(hub.reached.wait, 20)
    part = store.folder / "downloads" / NAME / "qwen2.5-1.5b-instruct-q4_k_m.gguf.part"
    await until(lambda: part.exists() and part.stat().st_size >= len(content) // 2)
    pulling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pulling
    assert store.status(NAME).state == "partial"
    hub.release.set()
    hub.held = False
    again = Store(store.folder, hub=Hub(hub.url))  # as after a restart
    path = await again.pull(NAME)
    assert next(path.glob("*.gguf")).read_bytes() == content
    assert hub.downloads == ["", f"bytes={len(content) // 2}-"]


async def test_what_is_not_what_the_hub_states_is_refused(store: Store, hub: ModelHub, content: bytes) -> None:
    hub.sent[FILE] = content[:-1] + b"?"
    with pytest.raises(HashMismatch, match=f"expected sha256 {hash_of(content)}, got"):
        await store.pull(NAME)
    assert not store.is_ready(NAME) and not list(store.folder.rglob("*.gguf*"))
    del hub.sent[FILE]
    await store.pull(NAME)
    assert store.is_ready(NAME)


async def test_a_changed_hash_is_refused_until_it_is_accepted(store: Store, hub: ModelHub, content: bytes) -> None:
    hub.cut = [1000] + [0] * 3
    with pytest.raises(AssetError):
        await store.pull(NAME)
    new = content + b"new"
    hub.files[FILE], hub.cut = new, []
    with pytest.raises(HashMismatch) as refused:
        await store.pull(NAME)
    assert hash_of(content) in refused.value.message and hash_of(new) in refused.value.message
    assert refused.value.hint.endswith(f"reachy-mind models pull {NAME} --accept-changed")
    assert not store.is_ready(NAME)
    path = await store.pull(NAME, accept_changed=True)
    assert next(path.glob("*.gguf")).read_bytes() == new
    assert store.asset(NAME).parts[0].sha256 == hash_of(new)


async def test_a_ready_model_is_replaced_only_on_request(store: Store, hub: ModelHub, content: bytes) -> None:
    await store.pull(NAME)
    hub.files[FILE] = new = content + b"new"
    assert next((await store.pull(NAME)).glob("*.gguf")).read_bytes() == content
    assert next((await store.pull(NAME, accept_changed=True)).glob("*.gguf")).read_bytes() == new
    (store.folder / NAME / "qwen2.5-1.5b-instruct-q4_k_m.gguf").write_bytes(b"damaged")
    hub.files[FILE] = content
    with pytest.raises(HashMismatch, match="has changed since"):
        await store.pull(NAME)


async def test_the_token_goes_to_the_hub_and_not_to_where_it_redirects(folder: Path, hub: ModelHub) -> None:
    hub.gated = "secret"
    with pytest.raises(AssetError, match="does not give access") as refused:
        await Store(folder, hub=Hub(hub.url)).pull(NAME)
    assert "hub.token" in refused.value.hint
    hub.asked.clear()
    await Store(folder, hub=Hub(hub.url, "secret")).pull(NAME)
    tokens = {path.split("/")[1]: token for _, path, _, token in hub.asked}
    assert tokens == {"api": "Bearer secret", "Qwen": "Bearer secret", "contents": ""}
    assert "secret" not in repr(Hub(hub.url, "secret").download(QWEN25_1B5.hub_file))  # type: ignore[arg-type]


async def test_without_a_hub_the_error_says_so_and_nothing_is_pinned(folder: Path) -> None:
    with pytest.raises(AssetError, match="can't be reached") as refused:
        await Store(folder, hub=Hub("http://127.0.0.1:9")).pull(NAME)
    assert "network" in refused.value.hint
    assert not (folder / "pins").exists()


async def test_a_file_put_there_by_hand_is_used_once_its_hash_is_known(
    store: Store, hub: ModelHub, content: bytes
) -> None:
    store.incoming.mkdir(parents=True)
    (store.incoming / "qwen2.5-1.5b-instruct-q4_k_m.gguf").write_bytes(content)
    path = await store.pull(NAME)
    assert hub.downloads == []
    assert (store.incoming / "qwen2.5-1.5b-instruct-q4_k_m.gguf").stat().st_nlink == 1, "a person's file is copied"
    assert next(path.glob("*.gguf")).read_bytes() == content


async def test_a_disk_without_hard_links_gets_a_copy(
    store: Store, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr("os.link", no_links)
    assert next((await store.pull(NAME)).glob("*.gguf")).read_bytes() == content


def test_the_store_of_a_configuration_asks_the_configured_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://mirror.local/")
    monkeypatch.setenv("HF_TOKEN", "hf_x")
    hub = Hub.of(load())
    assert (hub.endpoint, hub.token) == ("http://mirror.local", "hf_x")


def test_the_catalogue_states_licences_and_addresses() -> None:
    for model in CHAT_MODELS.values():
        assert model.memory > model.asset.size and model.asset.licence_url.startswith("https://")
        if (file := model.asset.hub_file) is not None:
            assert file.path.endswith((".gguf",)) and "q4_k_m" in file.path.lower()
            assert Hub().download(file).url == f"https://huggingface.co/{file.repository}/resolve/main/{file.path}"
            assert not model.recommendable or model.asset.licence.startswith("Apache-2.0")
