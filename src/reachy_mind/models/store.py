"""`Store`: the models folder of this machine: list, pull (download) and verify assets.

<folder>/<asset>/             an unpacked asset with its manifest; it appears complete, by one rename
<folder>/incoming/            files a person put there, used if their hash is right
<folder>/downloads/<asset>/   partial downloads; removed once the asset is unpacked
<folder>/pins/<asset>.json    hash and size of a hub file, as the hub stated them at the first pull
<folder>/measured/            how quick models are on this machine (`speed_record`)
"""

from __future__ import annotations

import asyncio
import difflib
import errno
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import filelock

from reachy_mind import log
from reachy_mind.errors import AssetError, HashMismatch, InvalidParameter
from reachy_mind.models import pins, sources, unpack
from reachy_mind.models.assets import Asset, HubRepositoryFile, LocalFile, Part, Source
from reachy_mind.models.catalogue import CATALOGUE
from reachy_mind.models.file_hashing import CancelFlag, run_in_thread
from reachy_mind.models.hub import Hub
from reachy_mind.models.unpack import Manifest, Verification

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration

logger = log.get(__name__)
State = Literal["absent", "partial", "ready"]
Stage = Literal["waiting", "checking", "downloading", "unpacking"]


@dataclass(frozen=True)
class Progress:
    """Progress of a pull: `done` of `total` bytes over all parts of the asset."""

    asset: Asset
    stage: Stage
    done: int
    total: int


@dataclass(frozen=True)
class Status:
    """What is on disk: nothing (absent), a part or another edition (partial), or the unpacked asset (ready)."""

    asset: Asset
    state: State
    bytes: int
    path: Path


def ignore(progress: Progress) -> None:
    """The default progress callback: does nothing."""


class Store:
    """The assets in one folder. Cheap to construct; the first pull creates the folder."""

    def __init__(self, folder: Path, catalogue: Mapping[str, Asset] = CATALOGUE, hub: Hub | None = None) -> None:
        """`hub`: asked for the files whose hash the catalogue does not know."""
        self.folder = folder
        self.catalogue = catalogue
        self._hub = hub or Hub()

    @classmethod
    def of(cls, configuration: Configuration) -> Store:
        """The store of these settings, with their model hub."""
        return cls(configuration.models_folder, hub=Hub.of(configuration))

    @property
    def incoming(self) -> Path:
        """Folder for files that a person downloaded by hand."""
        return self.folder / "incoming"

    def asset(self, name: str) -> Asset:
        """The catalogue entry, with the hash that was pinned. Raises InvalidParameter with the nearest name."""
        if name in self.catalogue:
            asset = self.catalogue[name]
            return asset if asset.hub_file is None else pins.apply(asset, pins.read(self.folder, name))
        near = difflib.get_close_matches(name, self.catalogue, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(self.catalogue)}"
        raise InvalidParameter(f"there is no model or asset called {name}", hint=hint)

    def path(self, name: str) -> Path:
        """The folder of an unpacked asset. Raises AssetError when it has to be pulled first."""
        asset = self.asset(name)
        if not self._is_unpacked(asset):
            size = f"{asset.size / 1e6:.1f} MB"
            raise AssetError(
                f"{name} is not on this machine ({size} to download)", hint=f"reachy-mind models pull {name}"
            )
        return self.folder / name

    def is_ready(self, name: str) -> bool:
        """Whether the asset is unpacked on disk, without hashing."""
        return self._is_unpacked(self.asset(name))

    def status(self, name: str) -> Status:
        """The state of an asset on disk, without hashing."""
        asset = self.asset(name)
        final = self.folder / name
        stored = _bytes_in(final) + _bytes_in(self._downloads(asset))
        state: State = "ready" if self._is_unpacked(asset) else "partial" if stored else "absent"
        return Status(asset, state, stored, final)

    async def pull(
        self, name: str, progress: Callable[[Progress], None] = ignore, *, accept_changed: bool = False
    ) -> Path:
        """Download an asset unless it is intact, and return its folder. May be cancelled or killed at any time: the
        next pull resumes. `accept_changed`: ask the hub again, and take another hash than the pinned one.

        Raises HashMismatch or AssetError with the answer of each source, or the failure of the disk.
        """
        asset = self.asset(name)
        with self._disk_errors(asset):
            if not accept_changed and not self._downloads(asset).exists() and await self._is_intact(asset, progress):
                return self.folder / name
            async with self._lock(asset, progress):
                asset = await self._repinned(name) if accept_changed else self.asset(name)
                if not await self._is_intact(asset, progress):
                    await self._fetch_and_unpack(await self._pinned(asset), progress)
                await run_in_thread(_remove, self._downloads(asset))
        return self.folder / name

    async def verify(self, name: str) -> Verification:
        """Hash an unpacked asset again. The result names each changed, missing or extra file."""
        folder = self.path(name)
        manifest = Manifest.read(folder)
        assert manifest is not None, "path() has read it"
        with self._disk_errors(self.asset(name)):
            return await run_in_thread(unpack.verify, name, folder, manifest)

    async def _pinned(self, asset: Asset) -> Asset:
        """The asset with a known hash: the pinned one, or at the first pull what the hub states, which is pinned.

        Raises HashMismatch when the hub states another hash than the pinned one.
        """
        if (file := asset.hub_file) is None:
            return asset
        known, (part,) = pins.read(self.folder, asset.name), asset.parts
        places = (self.incoming / part.filename, self._downloads(asset) / part.filename)
        if known is not None and any(place.exists() for place in places):
            return asset  # no need to ask
        stated = await self._hub.stated(file)
        if known is not None and (known.sha256, known.size) != (stated.sha256, stated.size):
            raise pins.changed(asset, known, stated)
        if known is None:
            pins.write(self.folder, asset.name, stated)
            logger.info("the hub's hash is pinned", asset=asset.name, sha256=stated.sha256, source=stated.source)
        return self.asset(asset.name)

    async def _repinned(self, name: str) -> Asset:
        """The asset with the hash that the hub states now, whatever was pinned."""
        file = self.asset(name).hub_file
        if file is None:
            return self.asset(name)
        stated = await self._hub.stated(file)
        known = pins.read(self.folder, name)
        if known != stated:
            await run_in_thread(_remove, self._downloads(self.asset(name)))  # parts of the other file
            pins.write(self.folder, name, stated)
            logger.warning("another hash is pinned", asset=name, sha256=stated.sha256, source=stated.source)
        return self.asset(name)

    def _downloads(self, asset: Asset) -> Path:
        return self.folder / "downloads" / asset.name

    def _is_unpacked(self, asset: Asset) -> bool:
        manifest = Manifest.read(self.folder / asset.name)
        return manifest is not None and manifest.edition == asset.edition

    async def _is_intact(self, asset: Asset, progress: Callable[[Progress], None]) -> bool:
        if not self._is_unpacked(asset):
            return False
        progress(Progress(asset, "checking", 0, asset.unpacked_size))
        result = await self.verify(asset.name)
        if not result.intact:
            logger.warning("asset is damaged and will be fetched again", asset=asset.name, what=result.differences())
        return result.intact

    @asynccontextmanager
    async def _lock(self, asset: Asset, progress: Callable[[Progress], None]) -> AsyncIterator[None]:
        """A file lock: one pull of an asset at a time over all processes; the others wait and find it done."""
        folder = self.folder / "downloads"
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        lock = filelock.AsyncFileLock(folder / f"{asset.name}.lock")
        try:
            await lock.acquire(blocking=False)
        except filelock.Timeout:
            progress(Progress(asset, "waiting", 0, asset.size))
            await lock.acquire()
        try:
            yield
        finally:
            await lock.release()

    async def _fetch_and_unpack(self, asset: Asset, progress: Callable[[Progress], None]) -> None:
        downloads = self._downloads(asset)
        fresh, old = downloads / "unpacked", downloads / "old"
        await run_in_thread(_remove, fresh, old)  # left by a killed pull
        downloads.mkdir(exist_ok=True)
        parts: list[Path] = []
        for part in asset.parts:
            done = sum(before.size for before in asset.parts[: len(parts)])
            parts.append(await self._fetch(asset, part, done, progress))
        self._check_room(asset, asset.unpacking_size)
        progress(Progress(asset, "unpacking", 0, asset.unpacked_size))
        await run_in_thread(unpack.unpack, asset, parts, fresh)
        final = self.folder / asset.name
        if final.exists():
            final.rename(old)
        fresh.rename(final)
        progress(Progress(asset, "unpacking", asset.unpacked_size, asset.unpacked_size))

    async def _fetch(self, asset: Asset, part: Part, done: int, progress: Callable[[Progress], None]) -> Path:
        """Fetch one part from the first source that delivers it."""
        downloads = self._downloads(asset)
        finished = downloads / part.filename
        if finished.exists():
            try:
                await run_in_thread(sources.check, part, finished)
            except HashMismatch:
                finished.unlink()
            else:
                return finished

        def report(here: int) -> None:
            progress(Progress(asset, "downloading", done + here, asset.size))

        report(0)
        answers: list[tuple[str, AssetError]] = []
        for source in map(self._resolved, part.sources):
            if not isinstance(source, LocalFile):
                self._check_room(asset, asset.size + asset.unpacking_size - _bytes_in(downloads))
            try:
                path = await sources.fetch(part, source, downloads, self.incoming, report)
            except AssetError as error:
                report_failure = logger.warning if isinstance(error, HashMismatch) else logger.debug
                report_failure("source failed", asset=asset.name, source=str(source), reason=error.message)
                answers.append((str(source), error))
            else:
                report(part.size)
                return path
        raise self._no_source(asset, part, answers)

    def _resolved(self, source: Source) -> Source:
        return self._hub.download(source) if isinstance(source, HubRepositoryFile) else source

    def _no_source(self, asset: Asset, part: Part, answers: list[tuple[str, AssetError]]) -> AssetError:
        said = "; ".join(f"{source}: {error.message}" for source, error in answers)
        kind = HashMismatch if any(isinstance(error, HashMismatch) for _, error in answers) else AssetError
        hints = [error.hint for _, error in answers if error.hint]
        hint = f"check the network and pull again, or put {part.filename} into {self.incoming}"
        return kind(f"no source delivers {part.filename} of {asset.name}: {said}", hint=hints[-1] if hints else hint)

    def _check_room(self, asset: Asset, needed: int) -> None:
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            raise AssetError(
                f"{asset.name} needs {needed / 1e6:.0f} MB in {self.folder}, where {free / 1e6:.0f} MB are free",
                hint="free some space, or set models.folder to a folder on another disk",
            )

    @contextmanager
    def _disk_errors(self, asset: Asset) -> Iterator[None]:
        """Raise an OSError of our own disk as AssetError with a hint."""
        try:
            yield
        except OSError as error:
            place = error.filename or self.folder
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                message, hint = "there is no room left", "free some space, or set models.folder to another disk"
            elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
                message, hint = "we may not write there", "change its permissions, or set models.folder"
            else:
                message, hint = error.strerror or str(error), "check models.folder"
            raise AssetError(f"{asset.name} can't be stored in {place}: {message}", hint=hint) from error


def _bytes_in(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def _remove(stop: CancelFlag, *folders: Path) -> None:
    for folder in folders:
        stop.check()
        shutil.rmtree(folder, ignore_errors=True)
