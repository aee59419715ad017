"""Datasets out of and into the store: folders, zip files and the Hugging Face Hub.

What comes in is untrusted: only files of LeRobot's layout are taken, at most `MAX_IMPORT_BYTES`, and every
demonstration is validated and written anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx

from reachy_mind.errors import AssetError, InvalidParameter, MindError
from reachy_mind.learning.demonstrations.demonstration import DatasetInvalid
from reachy_mind.learning.demonstrations.hub_upload import HubUpload
from reachy_mind.learning.demonstrations.lerobot_format import write_dataset
from reachy_mind.learning.demonstrations.lerobot_reader import read_demonstrations
from reachy_mind.learning.demonstrations.store import DemonstrationStore, DemonstrationSummary, checked_name
from reachy_mind.motion.datasets import HuggingFaceHub, check_dataset
from reachy_mind.motion.move_format import printable
from reachy_mind.storage.faults import classify
from reachy_mind.storage.files import make_folder

MAX_IMPORT_BYTES = 4 << 30
MAX_FILES = 30_000
_FILE = r"chunk-\d{3,6}/file-\d{3,6}"
LAYOUT = re.compile(
    rf"meta/(info\.json|stats\.json|tasks\.parquet|demonstrations\.json|episodes/{_FILE}\.parquet)"
    rf"|data/{_FILE}\.parquet|videos/[A-Za-z0-9_][A-Za-z0-9_.-]{{0,99}}/{_FILE}\.mp4"
)
CHUNK_BYTES = 1 << 20


def export_dataset(store: DemonstrationStore, dataset: str, target: Path) -> None:
    """Write a dataset to a new folder, or to a new file that ends in `.zip`. Raises InvalidParameter if it exists."""
    if target.exists() or target.is_symlink():
        raise InvalidParameter(f"{printable(str(target))} is there already", hint="choose another place")
    store.load(dataset)  # a broken one is not passed on
    try:
        with store.locked(dataset) as place, _draft(target.absolute().parent) as draft:
            files = [path for path in sorted(place.rglob("*")) if path.is_file()]
            if target.suffix == ".zip":
                with zipfile.ZipFile(draft / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                    for path in files:
                        archive.write(path, path.relative_to(place).as_posix())
                (draft / "export.zip").rename(target)
            else:
                shutil.copytree(place, draft / "export")
                (draft / "export").rename(target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MindError(f"{printable(str(target))} can't be written: {reason}", hint="is there room?") from error


def import_dataset(
    store: DemonstrationStore, source: Path, dataset: str, *, videos: bool = True
) -> list[DemonstrationSummary]:
    """Add the demonstrations of a folder or a zip file to a dataset of the store. Raises DatasetInvalid."""
    checked_name(dataset)
    if source.is_dir():
        return _take(store, source, dataset, videos=videos)
    make_folder(store.folder)
    with _draft(store.folder) as draft:
        _unzip(source, draft, videos=videos)
        return _take(store, draft, dataset, videos=videos)


async def pull_demonstrations(
    store: DemonstrationStore, repository: str, dataset: str, *, endpoint: str, token: str = "", videos: bool = True
) -> list[DemonstrationSummary]:
    """Add the demonstrations of a dataset on the Hub. Raises AssetError, DatasetInvalid."""
    check_dataset(repository)
    checked_name(dataset)
    make_folder(store.folder)
    with _draft(store.folder) as draft:
        async with HuggingFaceHub(endpoint, repository, token) as hub:
            entries = [entry for entry in await hub.all_entries() if LAYOUT.fullmatch(entry.path)]
            entries = [entry for entry in entries if videos or not entry.path.startswith("videos/")]
            _require_size(repository, len(entries), sum(entry.size for entry in entries))
            for entry in entries:
                target = draft / entry.path
                target.parent.mkdir(parents=True, exist_ok=True)
                try:
                    await hub.fetch(entry, target)
                except httpx.TransportError as error:
                    raise AssetError(f"the Hub stopped answering: {error}", hint="is there a network?") from error
        return await asyncio.to_thread(_take, store, draft, dataset, videos=videos)


async def push_demonstrations(
    store: DemonstrationStore, dataset: str, repository: str, *, endpoint: str, token: str, private: bool = True
) -> str:
    """Upload a dataset to the Hub, without the names of people; returns its address. Raises AssetError."""
    check_dataset(repository)
    shown = await asyncio.to_thread(store.load, dataset)
    make_folder(store.folder)
    with _draft(store.folder) as draft:
        await asyncio.to_thread(write_dataset, draft, [replace(one, person="") for one in shown])
        async with HubUpload(endpoint, repository, token) as upload:
            return await upload.send(draft, private=private)


def _take(store: DemonstrationStore, folder: Path, dataset: str, *, videos: bool) -> list[DemonstrationSummary]:
    shown = read_demonstrations(folder, films=videos)
    return store.add(shown, dataset)


def _unzip(source: Path, folder: Path, *, videos: bool) -> None:
    try:
        with zipfile.ZipFile(source) as archive:
            members = {member.filename: member for member in archive.infolist() if not member.is_dir()}
            (info,) = [name for name in members if name == "meta/info.json" or name.endswith("/meta/info.json")][
                :1
            ] or [""]
            top = info.removesuffix("meta/info.json")
            inside = {name.removeprefix(top): member for name, member in members.items() if name.startswith(top)}
            wanted = {name: member for name, member in inside.items() if LAYOUT.fullmatch(name)}
            wanted = {name: member for name, member in wanted.items() if videos or not name.startswith("videos/")}
            _require_size(source.name, len(wanted), sum(member.file_size for member in wanted.values()))
            for name, member in wanted.items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                left = member.file_size
                with archive.open(member) as packed, target.open("xb") as file:
                    while chunk := packed.read(CHUNK_BYTES):
                        left -= len(chunk)
                        if left < 0:
                            raise DatasetInvalid(f"{printable(name)} is larger than it was said to be")
                        file.write(chunk)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as error:
        reason = printable(str(error)[:200])
        raise DatasetInvalid(
            f"{printable(source.name)} can't be unpacked: {reason}", hint="is it a zip file?"
        ) from None
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            fault = classify(error, folder)
            raise MindError(f"{printable(source.name)} can't be unpacked: {fault.cause}", hint=fault.hint) from error
        reason = error.strerror or str(error)
        raise DatasetInvalid(f"{printable(str(source))}: {reason}", hint="a folder, a .zip, or hub:ORG/NAME") from None


def _require_size(name: str, files: int, size: int) -> None:
    if not files:
        raise DatasetInvalid(
            f"{printable(name)} is no LeRobot dataset", hint="it has no meta/info.json, data/ and so on"
        )
    if files > MAX_FILES or size > MAX_IMPORT_BYTES:
        raise DatasetInvalid(
            f"{printable(name)} has {files} files and {size >> 20} MiB",
            hint=f"at most {MAX_FILES} and {MAX_IMPORT_BYTES >> 20} MiB",
        )


@contextlib.contextmanager
def _draft(parent: Path) -> Iterator[Path]:
    """A temporary folder on the same disk, hidden, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix=".transfer-", dir=parent) as name:
        yield Path(name)
