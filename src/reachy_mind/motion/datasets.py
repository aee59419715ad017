"""Sources of move datasets: the Hugging Face Hub, and its local cache folder.

Both list files and fetch one into a new file. Their metadata (path, size, hash) is untrusted and checked.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind import log
from reachy_mind.errors import AssetError, InvalidParameter, MindError
from reachy_mind.models.file_hashing import CancelFlag, run_in_thread, sha256_of
from reachy_mind.motion.clips import copy_bounded
from reachy_mind.motion.move_format import printable

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
FILE_TIMEOUT_S = 300.0
"""Total time for one file."""
MAX_PAGE_BYTES, MAX_PAGES = 16 << 20, 50
DATA_FOLDER = "data"
"""The folder of a dataset that may hold moves, besides its root."""
DATASET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
OFFLINE_HINT = "is there a network? Moves that are here already can be played without"

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class DatasetEntry:
    """A file as its source describes it. Its path must not be used as a local path."""

    path: str
    size: int
    digest: str = ""

    def matches(self, file: Path) -> bool:
        """Whether the local `file` has this size and hash."""
        if not file.is_file() or file.is_symlink() or file.stat().st_size != self.size:
            return False
        match self.digest.split(":"):
            case ["sha256", expected]:
                return sha256_of(CancelFlag(), file) == expected
            case ["git", expected]:
                return _git_digest(file.read_bytes()) == expected
            case _:
                return True


class DatasetSource(Protocol):
    """Lists and fetches the files of one dataset."""

    async def entries(self) -> list[DatasetEntry]: ...

    async def fetch(self, entry: DatasetEntry, target: Path) -> None:
        """Fetch a file, at most the entry's size.

        Raises MindError when this file is not available, httpx.TransportError without an answer.
        """
        ...


def check_dataset(dataset: str) -> None:
    """Raises InvalidParameter unless `dataset` is a valid dataset name."""
    if not DATASET_NAME.fullmatch(dataset) or ".." in dataset or "--" in dataset:
        raise InvalidParameter(
            f"'{printable(dataset[:80])}' is no dataset", hint="ORG/NAME, as on the Hugging Face Hub"
        )


class HubCache:
    """A dataset in a Hugging Face cache folder ($HF_HOME); empty when it is not cached."""

    def __init__(self, folder: Path, dataset: str) -> None:
        self._root = folder / "hub" / f"datasets--{dataset.replace('/', '--')}"
        self._files: dict[str, Path] = {}

    async def entries(self) -> list[DatasetEntry]:
        try:
            return await run_in_thread(self._list)
        except OSError:
            return []

    async def fetch(self, entry: DatasetEntry, target: Path) -> None:
        await run_in_thread(lambda _: copy_bounded(self._files[entry.path], target, entry.size))

    def _list(self, stop: CancelFlag) -> list[DatasetEntry]:
        revision = (self._root / "refs" / "main").read_bytes()[:100].decode("ascii", "replace").strip()
        if not re.fullmatch(r"[A-Za-z0-9]{1,64}", revision):
            return []
        snapshot = self._root / "snapshots" / revision
        found = []
        for prefix, folder in (("", snapshot), (f"{DATA_FOLDER}/", snapshot / DATA_FOLDER)):
            for file in sorted(folder.iterdir()) if folder.is_dir() else ():
                # The files are links to the cache's blobs; links to anywhere else are ignored.
                resolved = file.resolve()
                if resolved.is_relative_to(self._root.resolve()) and resolved.is_file():
                    self._files[prefix + file.name] = resolved
                    found.append(
                        DatasetEntry(prefix + file.name, resolved.stat().st_size, f"sha256:{sha256_of(stop, resolved)}")
                    )
        return found


class HuggingFaceHub:
    """A dataset on the Hub; use as `async with`."""

    def __init__(self, endpoint: str, dataset: str, token: str = "") -> None:
        self._endpoint, self._dataset = endpoint.rstrip("/"), dataset
        # httpx removes the token from a request that is redirected to another host.
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._http = httpx.AsyncClient(follow_redirects=True, max_redirects=5, timeout=TIMEOUT, headers=headers)

    async def __aenter__(self) -> HuggingFaceHub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def entries(self) -> list[DatasetEntry]:
        """Raises AssetError when the Hub can't be reached or has no such dataset."""
        top = f"{self._endpoint}/api/datasets/{self._dataset}/tree/main"
        try:
            async with asyncio.timeout(FILE_TIMEOUT_S):
                nodes = await self._pages(top)
                if any(node.type == "directory" and node.path == DATA_FOLDER for node in nodes):
                    nodes += await self._pages(f"{top}/{DATA_FOLDER}")
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            reason = printable(str(error)) or type(error).__name__
            raise AssetError(f"{self._endpoint} can't be reached: {reason}", hint=OFFLINE_HINT) from None
        return [node.entry() for node in nodes if node.type == "file"]

    async def all_entries(self) -> list[DatasetEntry]:
        """The files of all folders. Raises as `entries` does."""
        try:
            async with asyncio.timeout(FILE_TIMEOUT_S):
                nodes = await self._pages(f"{self._endpoint}/api/datasets/{self._dataset}/tree/main?recursive=true")
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            reason = printable(str(error)) or type(error).__name__
            raise AssetError(f"{self._endpoint} can't be reached: {reason}", hint="is there a network?") from None
        return [node.entry() for node in nodes if node.type == "file"]

    async def fetch(self, entry: DatasetEntry, target: Path) -> None:
        url = f"{self._endpoint}/datasets/{self._dataset}/resolve/main/{quote(entry.path)}"
        for attempt in range(2):
            try:
                async with asyncio.timeout(FILE_TIMEOUT_S):
                    await self._download(url, entry, target)
                return
            except TimeoutError:
                raise AssetError(f"took more than {FILE_TIMEOUT_S:g} s") from None
            except httpx.TransportError:
                if attempt == 1:
                    raise
            except httpx.HTTPError as error:
                raise AssetError(printable(str(error)) or type(error).__name__) from None

    async def _download(self, url: str, entry: DatasetEntry, target: Path) -> None:
        kind, _, expected = entry.digest.partition(":")
        digest = hashlib.sha256() if kind == "sha256" else _git_hash(entry.size)
        async with self._http.stream("GET", url) as answer:
            if answer.is_error:
                raise AssetError(f"the Hub answered {answer.status_code} {printable(answer.reason_phrase)}")
            have = 0
            with target.open("wb") as file:
                async for chunk in answer.aiter_raw():
                    have += len(chunk)
                    if have > entry.size:
                        raise AssetError(f"is more than the {entry.size} bytes it was said to be")
                    digest.update(chunk)
                    await run_in_thread(_write, file, chunk)
                await run_in_thread(_flush, file)
        if have != entry.size:
            raise AssetError(f"is {have} bytes and not the {entry.size} it was said to be")
        if expected and digest.hexdigest() != expected:
            raise AssetError(f"is not the file it was said to be: its {kind} hash differs")

    async def _pages(self, url: str) -> list[_Node]:
        nodes: list[_Node] = []
        following: str | None = url
        for _ in range(MAX_PAGES):
            if following is None:
                return nodes
            page, following = await self._page(following)
            nodes += [node for item in page if (node := _node(item)) is not None]
        raise AssetError(f"{self._dataset} has more files than a dataset here should", hint="is it the right one?")

    async def _page(self, url: str) -> tuple[list[object], str | None]:
        async with self._http.stream("GET", url) as answer:
            if answer.is_error:
                raise self._http_error(answer)
            raw = bytearray()
            async for chunk in answer.aiter_raw():
                raw += chunk
                if len(raw) > MAX_PAGE_BYTES:
                    raise AssetError(f"{self._endpoint} sends a list of files without end")
            following = answer.links.get("next", {}).get("url")
        try:
            page = json.loads(raw)
        except (ValueError, RecursionError):
            page = None
        if not isinstance(page, list):
            raise AssetError(f"{self._endpoint} does not answer as the Hugging Face Hub does", hint="see HF_ENDPOINT")
        if following is not None:
            joined = httpx.URL(url).join(following)
            if (joined.scheme, joined.netloc) != (httpx.URL(url).scheme, httpx.URL(url).netloc):
                raise AssetError(f"{self._endpoint} continues its list of files on another host")
            following = str(joined)
        return page, following

    def _http_error(self, answer: httpx.Response) -> MindError:
        if answer.status_code in (401, 403):
            # The Hub also answers this for a dataset that does not exist.
            hint = "is the name right? A private dataset needs HF_TOKEN"
            return AssetError(f"no access to the dataset {self._dataset} ({answer.status_code})", hint=hint)
        if answer.status_code == 404:
            return AssetError(
                f"there is no dataset {self._dataset} on {self._endpoint}", hint="ORG/NAME, as on the Hub"
            )
        return AssetError(f"{self._endpoint} answered {answer.status_code}", hint="try again later")


class _LfsPointer(BaseModel):
    oid: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)


class _Node(BaseModel):
    model_config = ConfigDict(strict=True)

    type: str
    path: str
    size: int = Field(0, ge=0)
    oid: str = ""
    lfs: _LfsPointer | None = None

    def entry(self) -> DatasetEntry:
        if self.lfs is not None:
            return DatasetEntry(self.path, self.lfs.size, f"sha256:{self.lfs.oid}")
        return DatasetEntry(self.path, self.size, f"git:{self.oid}" if re.fullmatch(r"[0-9a-f]{40}", self.oid) else "")


def _node(item: object) -> _Node | None:
    try:
        return _Node.model_validate(item)
    except ValidationError as error:
        _log.warning("invalid entry in the Hub's file list", reason=str(error).splitlines()[0])
        return None


def _write(_: CancelFlag, file: IO[bytes], chunk: bytes) -> None:
    file.write(chunk)


def _flush(_: CancelFlag, file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _git_hash(size: int) -> Any:
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def _git_digest(content: bytes) -> str:
    digest = _git_hash(len(content))
    digest.update(content)
    return str(digest.hexdigest())
