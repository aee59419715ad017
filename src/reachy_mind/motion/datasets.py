"""Where a dataset of moves comes from: the Hugging Face Hub, or the cache that its own programs keep on this disk.

Both list files and fetch one into a new file. What they say about a file (its path, its size, its hash) is only
believed as far as it can be checked.
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
from reachy_mind.models.digest import Stop, off_loop, sha256_of
from reachy_mind.motion.clips import copy_bounded
from reachy_mind.motion.recording import printable

TIMEOUT = httpx.Timeout(30.0, connect=10.0)
FILE_S = 300.0
"""For one file, however slowly it trickles in."""
LARGEST_PAGE, MOST_PAGES = 16 << 20, 50
DATA = "data"
"""The folder of a dataset in which moves are looked for, besides its top."""
DATASET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
OFFLINE = "is there a network? Moves that are here already can be played without"

_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file as its owner describes it. Its path is no path of ours."""

    path: str
    size: int
    digest: str = ""

    def same_as(self, file: Path) -> bool:
        """Whether `file` is this file, as far as can be told."""
        if not file.is_file() or file.is_symlink() or file.stat().st_size != self.size:
            return False
        match self.digest.split(":"):
            case ["sha256", expected]:
                return sha256_of(Stop(), file) == expected
            case ["git", expected]:
                return _git_digest(file.read_bytes()) == expected
            case _:
                return True


class Source(Protocol):
    """A dataset somewhere."""

    async def entries(self) -> list[Entry]: ...

    async def fetch(self, entry: Entry, target: Path) -> None:
        """At most as many bytes as the entry has.

        Raises MindError when this file can't be had, httpx.TransportError when nobody answers.
        """
        ...


def check_dataset(dataset: str) -> None:
    """Raises InvalidParameter unless `dataset` may be the name of one."""
    if not DATASET.fullmatch(dataset) or ".." in dataset or "--" in dataset:
        raise InvalidParameter(
            f"'{printable(dataset[:80])}' is no dataset", hint="ORG/NAME, as on the Hugging Face Hub"
        )


class Cache:
    """A dataset in a Hugging Face cache folder ($HF_HOME); empty when it is not there."""

    def __init__(self, folder: Path, dataset: str) -> None:
        self._root = folder / "hub" / f"datasets--{dataset.replace('/', '--')}"
        self._files: dict[str, Path] = {}

    async def entries(self) -> list[Entry]:
        try:
            return await off_loop(self._list)
        except OSError:
            return []

    async def fetch(self, entry: Entry, target: Path) -> None:
        await off_loop(lambda _: copy_bounded(self._files[entry.path], target, entry.size))

    def _list(self, stop: Stop) -> list[Entry]:
        revision = (self._root / "refs" / "main").read_bytes()[:100].decode("ascii", "replace").strip()
        if not re.fullmatch(r"[A-Za-z0-9]{1,64}", revision):
            return []
        snapshot = self._root / "snapshots" / revision
        found = []
        for prefix, folder in (("", snapshot), (f"{DATA}/", snapshot / DATA)):
            for file in sorted(folder.iterdir()) if folder.is_dir() else ():
                # The files are links to the cache's blobs; a link to anywhere else is not the cache's doing.
                resolved = file.resolve()
                if resolved.is_relative_to(self._root.resolve()) and resolved.is_file():
                    self._files[prefix + file.name] = resolved
                    found.append(
                        Entry(prefix + file.name, resolved.stat().st_size, f"sha256:{sha256_of(stop, resolved)}")
                    )
        return found


class Hub:
    """A dataset on the Hub; use as `async with`."""

    def __init__(self, endpoint: str, dataset: str, token: str = "") -> None:
        self._endpoint, self._dataset = endpoint.rstrip("/"), dataset
        # httpx takes the token off a request that is redirected to another host.
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._http = httpx.AsyncClient(follow_redirects=True, max_redirects=5, timeout=TIMEOUT, headers=headers)

    async def __aenter__(self) -> Hub:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def entries(self) -> list[Entry]:
        """Raises AssetError when the Hub can't be reached or has no such dataset."""
        top = f"{self._endpoint}/api/datasets/{self._dataset}/tree/main"
        try:
            async with asyncio.timeout(FILE_S):
                nodes = await self._pages(top)
                if any(node.type == "directory" and node.path == DATA for node in nodes):
                    nodes += await self._pages(f"{top}/{DATA}")
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            reason = printable(str(error)) or type(error).__name__
            raise AssetError(f"{self._endpoint} can't be reached: {reason}", hint=OFFLINE) from None
        return [node.entry() for node in nodes if node.type == "file"]

    async def fetch(self, entry: Entry, target: Path) -> None:
        url = f"{self._endpoint}/datasets/{self._dataset}/resolve/main/{quote(entry.path)}"
        for attempt in range(2):
            try:
                async with asyncio.timeout(FILE_S):
                    await self._download(url, entry, target)
                return
            except TimeoutError:
                raise AssetError(f"took more than {FILE_S:g} s") from None
            except httpx.TransportError:
                if attempt == 1:
                    raise
            except httpx.HTTPError as error:
                raise AssetError(printable(str(error)) or type(error).__name__) from None

    async def _download(self, url: str, entry: Entry, target: Path) -> None:
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
                    await off_loop(_write, file, chunk)
                await off_loop(_flush, file)
        if have != entry.size:
            raise AssetError(f"is {have} bytes and not the {entry.size} it was said to be")
        if expected and digest.hexdigest() != expected:
            raise AssetError(f"is not the file it was said to be: its {kind} hash differs")

    async def _pages(self, url: str) -> list[_Node]:
        nodes: list[_Node] = []
        following: str | None = url
        for _ in range(MOST_PAGES):
            if following is None:
                return nodes
            page, following = await self._page(following)
            nodes += [node for item in page if (node := _node(item)) is not None]
        raise AssetError(f"{self._dataset} has more files than a dataset of moves should", hint="is it the right one?")

    async def _page(self, url: str) -> tuple[list[object], str | None]:
        async with self._http.stream("GET", url) as answer:
            if answer.is_error:
                raise self._refusal(answer)
            raw = bytearray()
            async for chunk in answer.aiter_raw():
                raw += chunk
                if len(raw) > LARGEST_PAGE:
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

    def _refusal(self, answer: httpx.Response) -> MindError:
        if answer.status_code in (401, 403):
            # The Hub answers so, too, for what is not there at all.
            hint = "is the name right? A private dataset needs HF_TOKEN"
            return AssetError(f"no access to the dataset {self._dataset} ({answer.status_code})", hint=hint)
        if answer.status_code == 404:
            return AssetError(
                f"there is no dataset {self._dataset} on {self._endpoint}", hint="ORG/NAME, as on the Hub"
            )
        return AssetError(f"{self._endpoint} answered {answer.status_code}", hint="try again later")


class _Large(BaseModel):
    oid: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)


class _Node(BaseModel):
    model_config = ConfigDict(strict=True)

    type: str
    path: str
    size: int = Field(0, ge=0)
    oid: str = ""
    lfs: _Large | None = None

    def entry(self) -> Entry:
        if self.lfs is not None:
            return Entry(self.path, self.lfs.size, f"sha256:{self.lfs.oid}")
        return Entry(self.path, self.size, f"git:{self.oid}" if re.fullmatch(r"[0-9a-f]{40}", self.oid) else "")


def _node(item: object) -> _Node | None:
    try:
        return _Node.model_validate(item)
    except ValidationError as error:
        _log.warning("the Hub lists something that is no file", reason=str(error).splitlines()[0])
        return None


def _write(_: Stop, file: IO[bytes], chunk: bytes) -> None:
    file.write(chunk)


def _flush(_: Stop, file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _git_hash(size: int) -> Any:
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def _git_digest(content: bytes) -> str:
    digest = _git_hash(len(content))
    digest.update(content)
    return str(digest.hexdigest())
