"""Getting an asset onto the disk, whatever the network, the sources and the disk do."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reachy_mind.errors import AssetError, HashMismatch, InvalidParameter
from reachy_mind.models.assets import HubFile, Join, LocalFile, Part
from reachy_mind.models.file_hashing import CancelFlag, run_in_thread
from reachy_mind.models.store import Progress, Store

PULL = """
import asyncio, sys
from pathlib import Path
from reachy_mind.models.assets import Asset, HubFile, Part, Unzip
from reachy_mind.models.store import Store
folder, url, sha256, size = sys.argv[1:5]
part = Part("tiny.zip", sha256, int(size), (HubFile(url),))
asset = Asset("tiny", "", "", "", "", (part,), (Unzip("data/*", "data/"),), 1)
def pull():
    return asyncio.run(Store(Path(folder), {"tiny": asset}).pull("tiny"))
"""


def store_of(folder, asset):
    return Store(folder, {asset.name: asset})


def pulling(script, folder, asset, **options):
    part = asset.parts[0]
    argv = [sys.executable, "-c", PULL + script, folder, part.sources[0].url, part.sha256, str(part.size)]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, **options)


async def test_pull_unpacks_what_the_rules_name_and_nothing_else(folder, hub_asset, noise):
    store = store_of(folder, hub_asset)
    assert store.status("tiny").state == "absent"
    seen: list[Progress] = []
    path = await store.pull("tiny", seen.append)
    files = {p.relative_to(path).as_posix() for p in path.rglob("*") if p.is_file()}
    assert files == {"a.txt", "deep/b.bin", ".manifest.json"}
    assert (path / "deep/b.bin").read_bytes() == noise(300_000)
    assert path == store.path("tiny") == folder / "tiny"
    assert store.status("tiny").state == "ready"
    assert store.status("tiny").bytes > 300_000
    assert not (folder / "downloads/tiny").exists()
    downloading = [p for p in seen if p.stage == "downloading"]
    assert downloading[0].done == 0
    assert downloading[-1].done == downloading[-1].total == hub_asset.size
    assert len(downloading) > 2
    assert seen[-1].stage == "unpacking"


async def test_a_second_pull_of_an_intact_asset_fetches_nothing(folder, hub_asset, server):
    store = store_of(folder, hub_asset)
    await store.pull("tiny")
    seen: list[Progress] = []
    await store.pull("tiny", seen.append)
    assert len(server.requests) == 1
    assert {p.stage for p in seen} == {"checking"}


def test_what_is_not_there_says_how_to_get_it(folder, hub_asset):
    with pytest.raises(AssetError) as error:
        store_of(folder, hub_asset).path("tiny")
    assert error.value.hint == "reachy-mind models pull tiny"


def test_an_unknown_name_gets_the_nearest_one(folder, hub_asset):
    with pytest.raises(InvalidParameter) as error:
        store_of(folder, hub_asset).status("tinny")
    assert error.value.hint == "did you mean tiny?"


async def test_a_connection_that_drops_is_taken_up_where_it_broke(folder, hub_asset, server):
    server.cut["tiny.zip"] = [100_000, 50_000]
    await store_of(folder, hub_asset).pull("tiny")
    ranges = [wanted for _, wanted in server.requests]
    assert ranges == [None, "bytes=100000-", "bytes=150000-"]


async def test_a_server_that_gives_up_leaves_what_came_for_the_next_pull(folder, hub_asset, server):
    store = store_of(folder, hub_asset)
    server.cut["tiny.zip"] = [100_000, 0]
    with pytest.raises(AssetError, match="after 100000 of"):
        await store.pull("tiny")
    assert store.status("tiny").state == "partial"
    assert store.status("tiny").bytes == 100_000
    await store.pull("tiny")
    assert server.requests[-1] == ("tiny.zip", "bytes=100000-")


@pytest.mark.process
async def test_a_pull_killed_in_the_middle_is_resumed(folder, hub_asset, server, until):
    server.held.add("tiny.zip")
    half = hub_asset.size // 2
    partial = folder / "downloads/tiny/tiny.zip.part"
    with pulling("pull()", folder, hub_asset) as process:
        await until(lambda: partial.exists() and partial.stat().st_size == half)
        process.send_signal(signal.SIGKILL)
    server.held.clear()
    path = await store_of(folder, hub_asset).pull("tiny")
    assert server.requests[-1] == ("tiny.zip", f"bytes={half}-")
    assert (path / "a.txt").read_text() == "hello"


async def test_a_cancelled_pull_lets_go_of_its_lock_and_is_resumed(folder, hub_asset, server):
    server.held.add("tiny.zip")
    store = store_of(folder, hub_asset)
    half_is_here = asyncio.Event()

    def watch(progress: Progress) -> None:
        if progress.done >= hub_asset.size // 2:
            half_is_here.set()

    pull = asyncio.create_task(store.pull("tiny", watch))
    await half_is_here.wait()
    pull.cancel()
    with pytest.raises(asyncio.CancelledError):
        await pull
    server.held.clear()
    await store.pull("tiny")
    assert server.requests[-1] == ("tiny.zip", f"bytes={hub_asset.size // 2}-")


async def test_a_cancelled_caller_waits_until_its_thread_has_stopped():
    begun, log = threading.Event(), []

    def work(stop: CancelFlag) -> None:
        begun.set()
        stop.wait()
        log.append("thread stopped")
        stop.check()
        log.append("went on all the same")

    task = asyncio.create_task(run_in_thread(work))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert log == ["thread stopped"]


async def test_a_server_without_ranges_sends_everything_again(folder, hub_asset, server):
    server.ranges = False
    server.cut["tiny.zip"] = [100_000]
    path = await store_of(folder, hub_asset).pull("tiny")
    assert [wanted for _, wanted in server.requests] == [None, "bytes=100000-"]
    assert (path / "a.txt").read_text() == "hello"


async def test_a_spoilt_beginning_is_fetched_again(folder, hub_asset, server):
    partial = folder / "downloads/tiny/tiny.zip.part"
    partial.parent.mkdir(parents=True)
    partial.write_bytes(b"x" * 1000)
    await store_of(folder, hub_asset).pull("tiny")
    assert [wanted for _, wanted in server.requests] == ["bytes=1000-", None]


async def test_a_spoilt_finished_part_is_fetched_again(folder, hub_asset, server):
    finished = folder / "downloads/tiny/tiny.zip"
    finished.parent.mkdir(parents=True)
    finished.write_bytes(b"x" * hub_asset.size)
    await store_of(folder, hub_asset).pull("tiny")
    assert len(server.requests) == 1


async def test_a_wrong_hash_is_refused_named_and_removed(folder, hub_asset, server):
    server.files["tiny.zip"] = bytes(hub_asset.size)
    store = store_of(folder, hub_asset)
    with pytest.raises(HashMismatch) as error:
        await store.pull("tiny")
    assert "tiny.zip" in error.value.message
    assert f"expected sha256 {hub_asset.parts[0].sha256}" in error.value.message
    assert f"got {hashlib.sha256(bytes(hub_asset.size)).hexdigest()}" in error.value.message
    assert [p for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock"] == []
    assert store.status("tiny").state == "absent"


async def test_a_source_that_sends_too_much_is_cut_off(folder, hub_asset, server):
    server.files["tiny.zip"] += b"and more"
    with pytest.raises(AssetError, match=f"sends more than the {hub_asset.size} bytes"):
        await store_of(folder, hub_asset).pull("tiny")


async def test_sources_are_tried_in_order_until_one_delivers(folder, content, asset_of, server):
    server.files |= {"bad.zip": bytes(len(content)), "good.zip": content, "late.zip": content}
    names = ["missing.zip", "bad.zip", "good.zip", "late.zip"]
    asset = asset_of(content, LocalFile("tiny.zip"), *(HubFile(server.url(name)) for name in names))
    path = await store_of(folder, asset).pull("tiny")
    assert [name for name, _ in server.requests] == ["missing.zip", "bad.zip", "good.zip"]
    assert (path / "a.txt").read_text() == "hello"


async def test_when_no_source_delivers_the_error_says_what_each_answered(folder, content, asset_of, server):
    nobody = "http://127.0.0.1:9/tiny.zip"
    asset = asset_of(content, LocalFile("tiny.zip"), HubFile(server.url("missing.zip")), HubFile(nobody))
    with pytest.raises(AssetError) as error:
        await store_of(folder, asset).pull("tiny")
    message = error.value.message
    assert "local file tiny.zip: No such file" in message
    assert f"{server.url('missing.zip')}: answered 404" in message
    assert f"{nobody}: " in message
    assert str(folder / "incoming") in error.value.hint


async def test_a_local_file_is_used_and_left_where_it_is(folder, content, hub_asset, server):
    asset = dataclasses.replace(
        hub_asset,
        parts=(dataclasses.replace(hub_asset.parts[0], sources=(LocalFile("mine.zip"), *hub_asset.parts[0].sources)),),
    )
    mine = folder / "incoming/mine.zip"
    mine.parent.mkdir(parents=True)
    mine.write_bytes(content)
    await store_of(folder, asset).pull("tiny")
    assert server.requests == []
    assert mine.read_bytes() == content


async def test_a_wrong_local_file_is_refused_but_not_removed(folder, content, asset_of, tmp_path):
    mine = tmp_path / "mine.zip"
    mine.write_bytes(b"something else")
    with pytest.raises(HashMismatch, match="expected sha256"):
        await store_of(folder, asset_of(content, LocalFile(str(mine)))).pull("tiny")
    assert mine.read_bytes() == b"something else"


async def test_a_disk_too_small_is_noticed_before_anything_is_fetched(folder, hub_asset, server):
    store = store_of(folder, dataclasses.replace(hub_asset, unpacked_size=10**18))
    with pytest.raises(AssetError, match="are free"):
        await store.pull("tiny")
    assert server.requests == []


@pytest.mark.process
def test_a_disk_that_fills_up_on_the_way_is_named(folder, hub_asset):
    script = """
import resource
from reachy_mind.errors import AssetError
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
try:
    pull()
except AssetError as error:
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    print(error.message, "|", error.hint)
"""
    with pulling(script, folder, hub_asset) as process:
        said, _ = process.communicate()
    assert process.returncode == 0
    assert "tiny can't be stored in" in said
    assert "no room left" in said
    assert "models.folder" in said


async def test_a_folder_we_may_not_write_is_named(folder, hub_asset):
    folder.parent.mkdir(mode=0o500)
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        with pytest.raises(AssetError, match="we may not write there"):
            await store_of(folder, hub_asset).pull("tiny")
    finally:
        if root:
            os.seteuid(0)


async def test_two_pulls_at_once_fetch_it_once(folder, hub_asset, server):
    server.held.add("tiny.zip")
    seen: list[str] = []
    waiting = asyncio.Event()

    def second(progress: Progress) -> None:
        seen.append(progress.stage)
        waiting.set()

    first = asyncio.create_task(store_of(folder, hub_asset).pull("tiny"))
    await asyncio.to_thread(server.reached.wait)
    other = asyncio.create_task(store_of(folder, hub_asset).pull("tiny", second))
    await waiting.wait()
    server.held.clear()
    server.release.set()
    assert await first == await other
    assert seen[0] == "waiting"
    assert "downloading" not in seen
    assert [wanted for _, wanted in server.requests] == [None, f"bytes={hub_asset.size // 2}-"]


async def test_a_new_edition_replaces_the_old_one(folder, hub_asset, server, asset_of, zipped):
    await store_of(folder, hub_asset).pull("tiny")
    newer = zipped({"data/new.txt": b"new"})
    server.files["newer.zip"] = newer
    store = store_of(folder, asset_of(newer, HubFile(server.url("newer.zip"))))
    assert store.status("tiny").state == "partial"
    with pytest.raises(AssetError):
        store.path("tiny")
    path = await store.pull("tiny")
    assert sorted(p.name for p in path.iterdir()) == [".manifest.json", "new.txt"]


async def test_parts_that_are_here_already_are_kept_and_joined_in_order(folder, server, asset_of, noise):
    pieces = [noise(50_000, seed) for seed in range(3)]
    parts = []
    for number, piece in enumerate(pieces):
        server.files[f"{number}"] = piece
        source = HubFile(server.url(f"{number}"))
        parts.append(Part(f"part-{number}", hashlib.sha256(piece).hexdigest(), len(piece), (source,)))
    whole = b"".join(pieces)
    asset = asset_of(
        b"", parts=tuple(parts), layout=(Join("model.gguf", hashlib.sha256(whole).hexdigest()),), unpacked_size=150_000
    )
    store = store_of(folder, asset)
    server.files.pop("2")
    with pytest.raises(AssetError, match="no source delivers part-2"):
        await store.pull("tiny")
    server.files["2"] = pieces[2]
    server.requests.clear()
    seen: list[Progress] = []
    path = await store.pull("tiny", seen.append)
    assert [name for name, _ in server.requests] == ["2"]
    assert (path / "model.gguf").read_bytes() == whole
    assert next(p.done for p in seen if p.stage == "downloading") == 100_000


async def test_verify_names_what_changed_and_pull_repairs_it(folder, hub_asset):
    store = store_of(folder, hub_asset)
    path = await store.pull("tiny")
    assert (await store.verify("tiny")).intact
    flipped = bytearray((path / "deep/b.bin").read_bytes())
    flipped[1234] ^= 1
    (path / "deep/b.bin").write_bytes(flipped)
    (path / "a.txt").unlink()
    (path / "deep/new.txt").write_text("whose?")
    found = await store.verify("tiny")
    assert not found.intact
    assert (found.changed, found.missing, found.extra) == (("deep/b.bin",), ("a.txt",), ("deep/new.txt",))
    await store.pull("tiny")
    assert (await store.verify("tiny")).intact


async def test_a_link_in_place_of_a_file_counts_as_changed(folder, hub_asset, tmp_path):
    store = store_of(folder, hub_asset)
    path = await store.pull("tiny")
    (path / "a.txt").rename(tmp_path / "a.txt")
    (path / "a.txt").symlink_to(tmp_path / "a.txt")
    assert (await store.verify("tiny")).changed == ("a.txt",)


@pytest.mark.process
def test_a_kill_at_any_step_leaves_nothing_or_everything(tmp_path, content, zipped):
    """A process per step: the n-th one is killed when it touches the models folder for the n-th time."""
    (tmp_path / "old.zip").write_bytes(zipped({"data/old.txt": b"old"}))
    (tmp_path / "new.zip").write_bytes(content)
    script = Path(__file__).with_name("kill_at_every_step.py")
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    states = done.stdout.split()
    assert len(states) > 15
    assert set(states) == {"old", "absent", "new"}, "the kills did not hit every phase"
