"""`DeviceIdentity`: which device this is, and the token that proves it, in a file that only its user may read.

`enrol` exchanges a one-time code for a token; `rotate` changes it for a new one, which is stored before it is used.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import httpx

from reachy_mind import __version__
from reachy_mind.errors import BadAnswer, ConfigError, InvalidParameter, LinkLost, MindError
from reachy_mind.fleet.device.hub_address import HubAddress
from reachy_mind.fleet.device.transports import read_limited
from reachy_mind.fleet.protocol.close_codes import ProtocolViolation
from reachy_mind.storage.files import read_own_file, write_text_atomically
from reachy_mind.storage.home import Home

ENROL_PATH: Final = "/fleet/v1/enrol"
TOKEN_PATH: Final = "/fleet/v1/device/token"  # noqa: S105 -- a route
CODE_DIGITS: Final = 8
MAX_ANSWER_BYTES: Final = 64 << 10


class EnrolmentRefused(MindError):
    """The control plane did not take the code or the token."""

    code = "NOT_ENROLLED"


@dataclass(frozen=True)
class DeviceIdentity:
    """`ca`: the file of the authority to trust; `insecure`: without TLS, although on another machine."""

    url: str
    device: str
    token: str
    name: str = ""
    ca: str = ""
    insecure: bool = False

    @cached_property
    def address(self) -> HubAddress:
        """Raises ConfigError."""
        return HubAddress(self.url, Path(self.ca) if self.ca else None, self.insecure)


def device_folder(home: Home) -> Path:
    """Where a device keeps its identity, its store and its personalities."""
    return home.folder / "fleet" / "device"


def store_file(home: Home) -> Path:
    return device_folder(home) / "device.db"


def identity_file(home: Home) -> Path:
    return device_folder(home) / "identity.json"


def load_identity(home: Home) -> DeviceIdentity | None:
    """None for a device that was not enrolled. Raises ConfigError."""
    found = read_own_file(identity_file(home))
    if found is None:
        return None
    try:
        identity = DeviceIdentity(**json.loads(found[0]))
        strings = (identity.url, identity.device, identity.token, identity.name, identity.ca)
        if not all(isinstance(each, str) for each in strings):
            raise TypeError("texts are expected")
    except (ValueError, TypeError) as error:
        hint = "enrol the device again: reachy-mind device enroll"
        raise ConfigError(f"{identity_file(home)} can't be used: {error}", hint=hint) from error
    return identity


def save_identity(home: Home, identity: DeviceIdentity) -> None:
    """On disk when this returns. Raises ConfigError."""
    write_text_atomically(identity_file(home), json.dumps(asdict(identity), indent=1), mode=0o600)


async def enrol(home: Home, address: HubAddress, code: str) -> DeviceIdentity:
    """Exchange a one-time code for a token, and keep it.

    Raises InvalidParameter for a code that is none, EnrolmentRefused, LinkLost, BadAnswer, ConfigError.
    """
    digits = "".join(code.split()).replace("-", "")
    if len(digits) != CODE_DIGITS or not (digits.isascii() and digits.isdecimal()):
        raise InvalidParameter(f"a code has {CODE_DIGITS} digits", hint="make one: reachy-mind fleet enroll NAME")
    answer = await _ask(address, ENROL_PATH, {"code": digits, "agent": f"reachy-mind {__version__}"})
    try:
        identity = DeviceIdentity(
            url=address.url,
            device=str(answer["device"]),
            token=str(answer["token"]),
            name=str(answer.get("name", "")),
            ca=str(address.ca.absolute()) if address.ca else "",
            insecure=address.insecure,
        )
    except KeyError as error:
        raise BadAnswer("what answers there is no control plane", hint="check the address") from error
    await asyncio.to_thread(save_identity, home, identity)
    return identity


async def rotate(home: Home, identity: DeviceIdentity) -> DeviceIdentity:
    """The identity with a new token, which is on disk. The hub drops the old one when the new one is used.

    Raises EnrolmentRefused, LinkLost, BadAnswer, ConfigError; the old token is still good then.
    """
    answer = await _ask(identity.address, TOKEN_PATH, {}, identity.token)
    try:
        changed = replace(identity, token=str(answer["token"]))
    except KeyError as error:
        raise BadAnswer("the control plane gave no new token") from error
    await asyncio.to_thread(save_identity, home, changed)
    return changed


async def _ask(address: HubAddress, path: str, content: dict[str, Any], token: str | None = None) -> dict[str, Any]:
    try:
        url = address.http_url(path)
        async with address.client(token) as client, client.stream("POST", url, json=content) as response:
            body = await read_limited(response, MAX_ANSWER_BYTES)
    except httpx.HTTPError as error:
        reason = str(error) or type(error).__name__
        raise LinkLost(f"the control plane can't be reached: {reason}", hint="check the address and --ca") from error
    except ProtocolViolation as error:
        raise BadAnswer(f"what answers there is no control plane: {error.reason}", hint="check the address") from error
    try:
        answer = dict[str, Any](json.loads(body))
        if response.status_code < 400:
            return answer
        said = answer["error"]
        raise EnrolmentRefused(str(said["message"])[:300], hint=str(said.get("hint", ""))[:300])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadAnswer(
            f"what answers there is no control plane ({response.status_code})", hint="check the address"
        ) from error
