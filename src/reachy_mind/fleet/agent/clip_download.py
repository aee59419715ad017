"""Fetches the sound of a command `audio.play`: a clip of the control plane, or a WAV file that it names."""

from __future__ import annotations

import asyncio
from typing import Any, Final
from urllib.parse import quote, urlsplit

import httpx

from reachy_mind.errors import BadAnswer, InvalidParameter, LinkLost
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.transports import read_limited
from reachy_mind.fleet.protocol.close_codes import ProtocolViolation
from reachy_mind.fleet.protocol.limits import MAX_UTTERANCE_BYTES

PATH: Final = "/fleet/v1/device/audio"


async def fetch_clip(payload: dict[str, Any], address: HubAddress, token: str) -> bytes:
    """The samples of `{"audio": ID}` or `{"url": ...}`. The token goes to the control plane alone.

    Raises InvalidParameter, LinkLost, BadAnswer.
    """
    audio, url = payload.get("audio"), payload.get("url")
    if isinstance(audio, str) and audio:
        data = await _fetch(address.http_url(f"{PATH}/{quote(audio, safe='')}"), address, token)
    elif isinstance(url, str) and url:
        data = await _fetch(url, address, token if _is_of(url, address) else None)
    else:
        raise InvalidParameter("audio.play needs either url or audio")
    return await asyncio.to_thread(_samples, data)


def _is_of(url: str, address: HubAddress) -> bool:
    ours, theirs = urlsplit(address.http_url("")), urlsplit(url)
    return (ours.scheme, ours.netloc) == (theirs.scheme, theirs.netloc)


async def _fetch(url: str, address: HubAddress, token: str | None) -> bytes:
    own = _is_of(url, address)
    if not own and urlsplit(url).scheme != "https":
        raise InvalidParameter("a sound of another server is only fetched by https")
    try:
        client = address.client(token) if own else httpx.AsyncClient(timeout=15.0, trust_env=False)
        async with client, client.stream("GET", url) as response:
            data = await read_limited(response, MAX_UTTERANCE_BYTES)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise LinkLost(f"the sound can't be fetched: {error or type(error).__name__}") from error
    except ProtocolViolation as error:
        raise BadAnswer(f"the sound can't be fetched: {error.reason}") from error
    if response.status_code != 200:
        raise LinkLost(f"the sound can't be fetched: {urlsplit(url).netloc} says {response.status_code}")
    return data


def _samples(data: bytes) -> bytes:
    from reachy_mind.body import wav  # noqa: PLC0415 -- numpy's part of it only when something is played

    return wav.read_pcm(data)
