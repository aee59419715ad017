"""`PersonaCache`: personalities that the hub has, fetched once, checked by their SHA-256 and kept on disk.

A file is named for its hash alone, so no id can lead out of the folder; it is checked again whenever it is read.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from reachy_mind.errors import BadAnswer, HashMismatch, LinkLost, MindError
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.transports import read_limited
from reachy_mind.fleet.protocol.close_codes import ProtocolViolation
from reachy_mind.fleet.protocol.handshake import Persona
from reachy_mind.storage.files import write_atomically

PATH: Final = "/fleet/v1/device/personas"
MAX_BYTES: Final = 512 << 10
KEPT: Final = 16
"""Personalities on disk; the ones unused for longest are removed."""
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}\.(txt|yaml|md)")


class PersonaInvalid(MindError):
    """The texts of a personality can't be used."""

    code = "PERSONA_INVALID"


@dataclass(frozen=True)
class PersonaTexts:
    """A personality's texts by file name; the names are plain ones, of text files."""

    id: str
    etag: str
    files: dict[str, str]


class PersonaCache:
    """The folder of a device's personalities. `reach` says where the hub is and what the token is."""

    def __init__(self, folder: Path, reach: Callable[[], tuple[HubAddress, str]]) -> None:
        self._folder, self._reach = folder, reach

    async def get(self, persona: Persona) -> PersonaTexts:
        """From disk, else from the hub.

        Raises LinkLost, HashMismatch, BadAnswer, PersonaInvalid; OSError when it can't be kept.
        """
        data = await asyncio.to_thread(self._read, persona.etag)
        if data is None:
            data = await self._fetch(persona)
            _check_hash(data, persona.etag)
            bundle = read_bundle(data, persona)
            await asyncio.to_thread(self._keep, persona.etag, data)
            return bundle
        return read_bundle(data, persona)

    async def _fetch(self, persona: Persona) -> bytes:
        address, token = self._reach()
        url = address.http_url(f"{PATH}/{persona.id}/{persona.etag}")
        try:
            async with address.client(token) as client, client.stream("GET", url) as response:
                body = await read_limited(response, MAX_BYTES)
        except httpx.HTTPError as error:
            raise LinkLost(f"the personality can't be fetched: {error or type(error).__name__}") from error
        except ProtocolViolation as error:
            raise BadAnswer(f"the personality can't be fetched: {error.reason}") from error
        if response.status_code != 200:
            raise LinkLost(f"the personality can't be fetched: the control plane says {response.status_code}")
        return body

    def _read(self, etag: str) -> bytes | None:
        """The kept file; one that is damaged is removed."""
        file = self._file(etag)
        try:
            data = file.read_bytes()
            _check_hash(data, etag)
        except HashMismatch:
            file.unlink(missing_ok=True)
            return None
        except OSError:
            return None
        with contextlib.suppress(OSError):  # it is good, also on a disk that can't be written
            file.touch()
        return data

    def _keep(self, etag: str, data: bytes) -> None:
        write_atomically(self._file(etag), data)
        files = sorted(self._folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[KEPT:]:
            with contextlib.suppress(OSError):
                file.unlink()

    def _file(self, etag: str) -> Path:
        return self._folder / f"{etag}.json"


def read_bundle(data: bytes, persona: Persona) -> PersonaTexts:
    """The texts in the bytes with this hash. Raises PersonaInvalid."""
    try:
        content: Any = json.loads(data)
        files = content["files"]
        names_are_plain = all(isinstance(name, str) and _FILE_NAME.fullmatch(name) for name in files)
        if content["id"] != persona.id or not names_are_plain or not all(isinstance(t, str) for t in files.values()):
            raise PersonaInvalid(f"{persona.id}: another id, or files that no personality has")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise PersonaInvalid(f"{persona.id}: these are no texts of a personality") from error
    return PersonaTexts(persona.id, persona.etag, dict(files))


def _check_hash(data: bytes, etag: str) -> None:
    if hashlib.sha256(data).hexdigest() != etag:
        raise HashMismatch("the texts of the personality are not those that were asked for")
