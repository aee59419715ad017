"""`ClipCache`: sounds that activities need, on disk: clips fetched from the hub, sentences made by the device's voice.

A clip is fetched from the device's own hub alone, with its token; its size and SHA-256 have to be those that were
announced. A file is named for a hash, so no id can lead out of the folder, and holds samples as the loudspeaker takes
them. The files unused for longest make room for new ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import httpx

from reachy_mind.errors import BadAnswer, HashMismatch, LinkLost
from reachy_mind.fleet.activities import sounds
from reachy_mind.fleet.activities.payloads import ActivityClip
from reachy_mind.fleet.activities.timed_player import SpokenTexts
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.transports import read_limited
from reachy_mind.fleet.protocol.close_codes import ProtocolViolation
from reachy_mind.storage.files import write_atomically

PATH: Final = "/fleet/v1/device/audio"
KEPT_BYTES: Final = 64 << 20
DIGEST_BYTES: Final = 32
"""At the beginning of each file: the SHA-256 of the samples after it. A file that is damaged is made again."""


class ClipCache:
    """The folder of a device's sounds. `reach` says where the hub is and what the token is."""

    def __init__(
        self, folder: Path, reach: Callable[[], tuple[HubAddress, str]], *, kept_bytes: int = KEPT_BYTES
    ) -> None:
        self._folder, self._reach, self._kept_bytes = folder, reach, kept_bytes

    async def clip(self, clip: ActivityClip) -> bytes:
        """The samples of a clip, from disk or from the hub.

        Raises LinkLost, BadAnswer, HashMismatch, InvalidParameter for a sound that can't be played, OSError.
        """
        name = f"clip-{clip.sha256}"
        pcm = await asyncio.to_thread(self._read, name)
        if pcm is None:
            content = await self._fetch(clip)
            if len(content) != clip.bytes or hashlib.sha256(content).hexdigest() != clip.sha256:
                raise HashMismatch("the clip is not the one that was announced")
            pcm = await asyncio.to_thread(self._keep, name, lambda: sounds.decode_wav(content))
        return pcm

    async def text(self, text: str, language: str, voice: SpokenTexts) -> bytes:
        """The samples of a spoken text, from disk or by the voice. Raises MindError, OSError."""
        key = "\0".join((voice.name, language, text))
        name = f"text-{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()}"
        pcm = await asyncio.to_thread(self._read, name)
        if pcm is None:
            spoken = await voice.speech(text, language)
            pcm = await asyncio.to_thread(self._keep, name, lambda: spoken)
        return pcm

    async def _fetch(self, clip: ActivityClip) -> bytes:
        address, token = self._reach()
        try:
            async with (
                address.client(token) as client,
                client.stream("GET", address.http_url(f"{PATH}/{clip.audio}")) as response,
            ):
                content = await read_limited(response, clip.bytes)
        except httpx.HTTPError as error:
            raise LinkLost(f"the clip can't be fetched: {error or type(error).__name__}") from error
        except ProtocolViolation as error:
            raise BadAnswer("the clip is larger than announced") from error
        if response.status_code == 404:
            raise BadAnswer("the control plane has no such clip any more")
        if response.status_code != 200:
            raise LinkLost(f"the clip can't be fetched: the control plane says {response.status_code}")
        return content

    def _read(self, name: str) -> bytes | None:
        """The kept samples; a damaged file is removed."""
        file = self._folder / f"{name}.pcm"
        try:
            content = file.read_bytes()
            pcm = content[DIGEST_BYTES:]
            if hashlib.sha256(pcm).digest() != content[:DIGEST_BYTES]:
                file.unlink(missing_ok=True)
                return None
            file.touch()
        except OSError:
            return None
        return pcm

    def _keep(self, name: str, make: Callable[[], bytes]) -> bytes:
        pcm = make()
        write_atomically(self._folder / f"{name}.pcm", hashlib.sha256(pcm).digest() + pcm)
        self._make_room()
        return pcm

    def _make_room(self) -> None:
        files = [(file.stat(), file) for file in self._folder.glob("*.pcm")]
        used = 0
        for about, file in sorted(files, key=lambda each: each[0].st_mtime, reverse=True):
            used += about.st_size
            if used > self._kept_bytes:
                with contextlib.suppress(OSError):
                    file.unlink()
