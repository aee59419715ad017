"""Uploads the folder of a dataset to the Hugging Face Hub, by its REST API: one commit and the tag of the format.

Written after the Hub's own client (huggingface_hub 0.35). `make test-lerobot` lets that client and this upload to the
same fake Hub, and that client download what this uploaded; never tried with the real Hub.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from reachy_mind.errors import AssetError, NotReady
from reachy_mind.learning.demonstrations.lerobot_format import VERSION
from reachy_mind.motion.move_format import printable

TIMEOUT = httpx.Timeout(300.0, connect=10.0)
SAMPLE_BYTES = 512
CARD_NAME = "README.md"
CARD = """---
tags:
- LeRobot
- robotics
task_categories:
- robotics
configs:
- config_name: default
  data_files: data/*/*.parquet
---
Demonstrations of a Reachy Mini, recorded with Reachy Mind in the LeRobot format v3.0. The state and the action are the
nine numbers of a pose: x, y, z (metres), roll, pitch, yaw, body_yaw, antenna_left, antenna_right (radians).
"""


class HubUpload:
    """Use as `async with`; needs a token that may write."""

    def __init__(self, endpoint: str, repository: str, token: str) -> None:
        if not token:
            raise NotReady("an upload needs a token of the Hugging Face Hub", hint="set HF_TOKEN to one that may write")
        self._endpoint, self._repository = endpoint.rstrip("/"), repository
        self._token = {"Authorization": f"Bearer {token}"}
        # No redirects: the token, and what is uploaded, go to the address that was set.
        self._http = httpx.AsyncClient(timeout=TIMEOUT)

    async def __aenter__(self) -> HubUpload:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def send(self, folder: Path, *, private: bool = True) -> str:
        """Make the repository if need be and commit all files; returns its address. Raises AssetError."""
        files = await asyncio.to_thread(_with_card, folder)
        try:
            await self._create(private=private)
            large = await self._large_files(files)
            for name in large:
                await self._send_large(files[name])
            await self._commit(files, large)
            await self._tag()
        except httpx.HTTPError as error:
            reason = printable(str(error)) or type(error).__name__
            raise AssetError(f"{self._endpoint} can't be reached: {reason}", hint="is there a network?") from None
        return f"{self._endpoint}/datasets/{self._repository}"

    async def _create(self, *, private: bool) -> None:
        organization, name = self._repository.split("/")
        content = {"type": "dataset", "organization": organization, "name": name, "private": private}
        await self._post("/api/repos/create", content, allowed=(409,))  # 409: it is there already

    async def _large_files(self, files: dict[str, Path]) -> list[str]:
        """The files that the Hub wants by way of its large file storage."""
        large: list[str] = []
        names = list(files)
        for start in range(0, len(names), 256):
            described = []
            for name in names[start : start + 256]:
                with files[name].open("rb") as file:
                    sample = base64.b64encode(file.read(SAMPLE_BYTES)).decode()
                described.append({"path": name, "size": files[name].stat().st_size, "sample": sample})
            answer = await self._post(f"{self._api}/preupload/main", {"files": described})
            modes = {str(one["path"]): one["uploadMode"] for one in _list(answer, "files")}
            large += [name for name in names[start : start + 256] if modes.get(name) == "lfs"]
        return large

    async def _send_large(self, file: Path) -> None:
        content = await asyncio.to_thread(file.read_bytes)
        about = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content)}
        batch = {"operation": "upload", "transfers": ["basic"], "objects": [about], "hash_algo": "sha256"}
        answer = await self._post(
            f"/datasets/{self._repository}.git/info/lfs/objects/batch",
            batch,
            headers={"Accept": "application/vnd.git-lfs+json", "Content-Type": "application/vnd.git-lfs+json"},
        )
        (wanted,) = _list(answer, "objects")[:1] or [{}]
        if "error" in wanted:
            raise AssetError(f"the Hub refused {file.name}: {printable(str(wanted['error'])[:200])}")
        actions = wanted.get("actions") or {}
        if "upload" not in actions:
            return  # the Hub has it already
        upload = actions["upload"]
        # To a storage address with a signature of its own: our token stays here.
        sent = await self._http.put(str(upload["href"]), content=content, headers=upload.get("header") or {})
        self._require_success(sent)
        if "verify" in actions:
            verify = str(actions["verify"]["href"])
            own = verify.startswith(f"{self._endpoint}/")
            self._require_success(await self._http.post(verify, json=about, headers=self._token if own else {}))

    async def _commit(self, files: dict[str, Path], large: list[str]) -> None:
        lines = await asyncio.to_thread(_commit_text, files, set(large))
        answer = await self._http.post(
            f"{self._endpoint}{self._api}/commit/main",
            content=lines,
            headers=self._token | {"Content-Type": "application/x-ndjson"},
        )
        self._require_success(answer)

    async def _tag(self) -> None:
        """LeRobot finds the version of a dataset by its tag, which moves to the newest commit."""
        await self._http.delete(f"{self._endpoint}{self._api}/tag/{VERSION}", headers=self._token)
        await self._post(f"{self._api}/tag/main", {"tag": VERSION})

    @property
    def _api(self) -> str:
        return f"/api/datasets/{self._repository}"

    async def _post(
        self,
        route: str,
        content: dict[str, Any],
        *,
        allowed: tuple[int, ...] = (),
        headers: dict[str, str] | None = None,
    ) -> Any:
        sent = await self._http.post(f"{self._endpoint}{route}", json=content, headers=self._token | (headers or {}))
        if sent.status_code not in allowed:
            self._require_success(sent)
        try:
            return sent.json()
        except ValueError:
            return {}

    def _require_success(self, answer: httpx.Response) -> None:
        if answer.status_code in (401, 403):
            hint = "HF_TOKEN must be one that may write there"
            raise AssetError(f"no access to {self._repository} ({answer.status_code})", hint=hint)
        if not answer.is_success:
            raise AssetError(f"{answer.url.host} answered {answer.status_code}", hint="try again later")


def _with_card(folder: Path) -> dict[str, Path]:
    """The files of a dataset by their path, a card for the Hub among them."""
    (folder / CARD_NAME).write_text(CARD, encoding="utf-8")
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}


def _commit_text(files: dict[str, Path], large: set[str]) -> bytes:
    return "\n".join(json.dumps(line) for line in _commit_lines(files, large)).encode()


def _commit_lines(files: dict[str, Path], large: set[str]) -> Iterator[dict[str, Any]]:
    yield {"key": "header", "value": {"summary": "Demonstrations from Reachy Mind", "description": ""}}
    for name, file in files.items():
        content = file.read_bytes()
        if name in large:
            oid = hashlib.sha256(content).hexdigest()
            yield {"key": "lfsFile", "value": {"path": name, "algo": "sha256", "oid": oid, "size": len(content)}}
        else:
            encoded = base64.b64encode(content).decode()
            yield {"key": "file", "value": {"path": name, "encoding": "base64", "content": encoded}}


def _list(answer: object, name: str) -> list[dict[str, Any]]:
    found = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise AssetError("the Hub answered with something else", hint="see HF_ENDPOINT")
    return found
