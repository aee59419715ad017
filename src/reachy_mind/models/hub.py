"""`Hub`: the metadata of files at the Hugging Face hub, or a mirror of it.

The tree of a repository lists each large file with its sha256 (`lfs.oid`) and size. Where a mirror has no tree, the
headers of the file's own address state them: `X-Linked-Etag` and `X-Linked-Size`.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit

import httpx

from reachy_mind.errors import AssetError
from reachy_mind.models.assets import HubFile, HubRepositoryFile
from reachy_mind.models.pins import Pin

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration

ENDPOINT = "https://huggingface.co"
TIMEOUT = httpx.Timeout(20.0, connect=10.0)
MAX_PAGES, MAX_PAGE_BYTES, MAX_REDIRECTS = 20, 8 << 20, 5
SHA256 = re.compile(r"[0-9a-f]{64}")
GATED_HINT = "accept its terms on its page at the hub, then set hub.token (HF_TOKEN)"


@dataclass(frozen=True)
class Hub:
    """Where the hub is, and the token that it gets."""

    endpoint: str = ENDPOINT
    token: str = field(default="", repr=False)

    @classmethod
    def of(cls, configuration: Configuration) -> Hub:
        settings = configuration.settings.hub
        return cls(settings.endpoint.rstrip("/"), settings.token.get_secret_value() if settings.token else "")

    def download(self, file: HubRepositoryFile) -> HubFile:
        """The address of the file's content."""
        return HubFile(
            f"{self.endpoint}/{file.repository}/resolve/{quote(file.revision, safe='')}/{quote(file.path)}", self.token
        )

    async def stated(self, file: HubRepositoryFile) -> Pin:
        """Hash and size of the file as the hub states them now. Raises AssetError."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        source = f"{self.endpoint}/{file.repository}/{file.path}"
        async with httpx.AsyncClient(timeout=TIMEOUT, headers=headers) as client:
            try:
                found = await self._from_tree(client, file) or await self._from_headers(client, file)
            except httpx.HTTPError as error:
                why = str(error) or type(error).__name__
                raise AssetError(
                    f"{self.endpoint} can't be reached: {why}",
                    hint="check the network, or set hub.endpoint",
                ) from None
        sha256, size = found
        if not SHA256.fullmatch(sha256) or size <= 0:
            raise AssetError(f"{source}: the hub states no sha256 for it")
        return Pin(sha256, size, source)

    async def _from_tree(self, client: httpx.AsyncClient, file: HubRepositoryFile) -> tuple[str, int] | None:
        folder = file.path.rpartition("/")[0]
        tree = f"{self.endpoint}/api/models/{file.repository}/tree/{quote(file.revision, safe='')}"
        async for entry in self._entries(client, f"{tree}/{quote(folder)}" if folder else tree):
            if entry.get("path") == file.path and isinstance(large := entry.get("lfs"), dict):
                return _stated(large.get("oid"), large.get("size"))
        return None

    async def _entries(self, client: httpx.AsyncClient, url: str) -> AsyncIterator[dict[str, Any]]:
        """The entries of a folder, page by page; none when the hub has no such list."""
        for _ in range(MAX_PAGES):
            async with client.stream("GET", url, follow_redirects=True) as response:
                _refuse(response)
                if response.is_error:
                    return
                content = b""
                async for chunk in response.aiter_bytes():
                    content += chunk
                    if len(content) > MAX_PAGE_BYTES:
                        raise AssetError(f"{url} answers with more than a list of files")
                following = response.links.get("next", {}).get("url")
            try:
                entries = json.loads(content)
            except ValueError:
                return
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict):
                    yield entry
            if not following or urlsplit(following)[:2] != urlsplit(self.endpoint)[:2]:
                return
            url = following

    async def _from_headers(self, client: httpx.AsyncClient, file: HubRepositoryFile) -> tuple[str, int]:
        """Ask for the headers only. Redirects are followed on the hub itself (a renamed repository), not elsewhere."""
        url = self.download(file).url
        for _ in range(MAX_REDIRECTS):
            response = await client.head(url, headers={"Accept-Encoding": "identity"})
            _refuse(response)
            if response.is_error:
                raise AssetError(f"{file}: the hub answered {response.status_code} {response.reason_phrase}")
            if tag := response.headers.get("X-Linked-Etag"):
                return _stated(tag.removeprefix("W/").strip('"'), response.headers.get("X-Linked-Size"))
            url = urljoin(url, response.headers.get("Location", ""))
            if not response.is_redirect or urlsplit(url)[:2] != urlsplit(self.endpoint)[:2]:
                break
        raise AssetError(f"{file}: the hub states no hash for it")


def _stated(sha256: object, size: object) -> tuple[str, int]:
    try:
        return str(sha256).lower(), int(str(size))
    except ValueError:
        return "", 0


def _refuse(response: httpx.Response) -> None:
    if response.status_code in (401, 403):
        raise AssetError(
            f"the hub does not give access to it ({response.status_code} {response.reason_phrase})", hint=GATED_HINT
        )
