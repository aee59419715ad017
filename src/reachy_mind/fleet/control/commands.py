"""Which commands operators may send, and how far one is."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import addresses
from reachy_mind.fleet.control.store.store import Row, Sql

RESERVED: Final = frozenset(("hello", "welcome", "ack", "heartbeat", "emergency.acknowledged"))
"""What the hub alone says."""
MAX_TEXT: Final = 4000
DAY_S: Final = 24 * 3600
CommandState = Literal["waiting", "delivered", "done", "failed", "expired", "unsupported"]


class _Command(BaseModel):
    model_config = ConfigDict(extra="allow")


class _Speak(_Command):
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


class _PlayAudio(_Command):
    url: str | None = None
    audio: Annotated[str, Field(pattern=r"^[0-9a-f-]{1,64}$")] | None = None


_KNOWN: Final[dict[str, type[_Command]]] = {"speak": _Speak, "audio.play": _PlayAudio}


async def check(type_: str, payload: dict[str, Any], *, public_url: str, allowed_hosts: Collection[str]) -> None:
    """Raises InvalidParameter for what is no command, or one that would make a device ask a private address.

    Types that are not known are sent: a newer device may know them.
    """
    if type_ in RESERVED or type_.startswith("twin."):
        raise InvalidParameter(f"{type_} is no command", hint="speak, audio.play, activity.start, restart, ...")
    kind = _KNOWN.get(type_)
    if kind is None:
        return
    try:
        command = kind.model_validate(payload)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(("payload", *map(str, first["loc"])))
        raise InvalidParameter(f"{place}: {first['msg']}", hint="see docs/fleet.md") from None
    if isinstance(command, _PlayAudio):
        if (command.url is None) == (command.audio is None):
            raise InvalidParameter("audio.play needs either url or audio", hint='{"url": "https://..."}')
        if command.url is not None:
            own = urlsplit(public_url).netloc
            await addresses.check_url(command.url, (*allowed_hosts, own))


def public(row: Row) -> dict[str, Any]:
    """A command as operators see it: a row of `downlink`."""
    shown = {key: row[key] for key in ("id", "type", "prio", "ts", "expires_at", "created_by", "acked_at", "done_at")}
    return shown | {"payload": json.loads(row["body"]), "state": state(row), "error": row["error"] or ""}


def state(row: Row) -> CommandState:
    """`delivered`: the device has stored it."""
    if row["status"] is not None:
        found: CommandState = row["status"]
        return found
    return "delivered" if row["acked_at"] is not None else "waiting"


def progress(sql: Sql, tenant: str, command: str) -> dict[str, int]:
    """How many devices have which state: of a command for one device, or for a group. Empty when there is none."""
    rows = sql.rows(
        "SELECT acked_at, status FROM downlink WHERE tenant = ? AND id = ?"
        " UNION ALL SELECT downlink.acked_at, downlink.status FROM device"
        " JOIN downlink ON downlink.id = CAST(? AS TEXT) || '-' || device.id AND downlink.device = device.id"
        " WHERE device.tenant = ?",
        *(tenant, command, command, tenant),
    )
    found: dict[str, int] = {}
    for row in rows:
        found[state(row)] = found.get(state(row), 0) + 1
    return found


def id_for(command: str, device: str) -> str:
    """The id for one device of a command for a group."""
    return f"{command}-{device}"
