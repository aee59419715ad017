"""Personalities that a device asks for by a button: its desired state changes with the event that asks.

What an emergency asked for is taken back when the emergency is closed, unless the device should have another one by
then. Until somebody has acknowledged it, a button changes only what is given back: a press from before the emergency
may arrive after it, as emergencies are sent first. A request that can't be followed changes nothing; the event is
stored anyway.
"""

from __future__ import annotations

import json
from typing import Final

from reachy_mind import log
from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import built_in_personas, persona_policy, personas, twins
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.rollout_progress import stored
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import Frame
from reachy_mind.fleet.protocol.handshake import Persona

EVENTS: Final = ("button.pressed", "emergency.pressed")
FIELD: Final = "request_persona"
BY_BUTTON: Final = "a button"
BY_EMERGENCY_END: Final = "the end of an emergency"

_log = log.get(__name__)


def asks(frame: Frame) -> bool:
    """Whether an event asks for a personality."""
    return frame.type in EVENTS and isinstance(frame.p.get(FIELD), str)


def note_event(sql: Sql, device: str, tenant: str, frame: Frame) -> None:
    """Follow the request of an event, in the transaction that stores it."""
    if not asks(frame):
        return
    wanted: str = frame.p[FIELD]
    try:
        _follow(sql, device, tenant, wanted, in_emergency=frame.type == "emergency.pressed")
    except (InvalidParameter, NotInTenant, ValueError) as error:  # an emergency must be stored whatever it asks for
        _log.warning("a button asks for a personality: ignored", device=device, wanted=wanted[:64], why=str(error))


def end_emergency(sql: Sql, device: str) -> bool:
    """An emergency was closed: give the device what it had before. Returns whether it gets another personality."""
    row = sql.row("SELECT persona, previous, since FROM emergency_persona WHERE device = ?", device)
    if row is None:
        return False
    lasting = sql.row(
        "SELECT id FROM emergency WHERE device = ? AND state <> 'closed' AND received_at >= ?"
        " AND id NOT LIKE 'test-%' LIMIT 1",
        *(device, row["since"]),
    )
    if lasting is not None:
        return False
    sql.run("DELETE FROM emergency_persona WHERE device = ?", device)
    if stored(twins.get(sql, device).desired.persona) != row["persona"]:
        return False
    previous = json.loads(row["previous"]) if row["previous"] else None
    twins.change_persona(sql, device, previous, by=BY_EMERGENCY_END)
    return True


def _follow(sql: Sql, device: str, tenant: str, wanted: str, *, in_emergency: bool) -> None:
    """Raises NotFound, InvalidParameter."""
    if not persona_policy.allows(sql, tenant, device, wanted):
        raise InvalidParameter("no button of this device may ask for it", hint="reachy-mind fleet persona buttons")
    before = twins.get(sql, device).desired.persona
    if before is not None and before.id == wanted:
        return
    if wanted in built_in_personas.NAMES:
        built_in_personas.ensure(sql, tenant)
    found = personas.get(sql, tenant, wanted)
    persona = Persona(id=found["id"], etag=found["etag"])
    if in_emergency:
        _remember(sql, device, persona, before)
    elif _in_open_emergency(sql, device, before):
        sql.run("UPDATE emergency_persona SET previous = ? WHERE device = ?", stored(persona), device)
        return
    twins.change_persona(sql, device, persona.model_dump(), by=BY_BUTTON)


def _in_open_emergency(sql: Sql, device: str, desired: Persona | None) -> bool:
    """Whether the device has what an emergency asked for that nobody has acknowledged yet."""
    row = sql.row(
        "SELECT persona FROM emergency_persona WHERE device = ? AND EXISTS (SELECT 1 FROM emergency"
        " WHERE device = ? AND state = 'open' AND id NOT LIKE 'test-%')",
        *(device, device),
    )
    return row is not None and desired is not None and stored(desired) == row["persona"]


def _remember(sql: Sql, device: str, persona: Persona, before: Persona | None) -> None:
    sql.run(
        "INSERT INTO emergency_persona (device, persona, previous, since)"
        " SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), max(received_at) FROM emergency"
        " WHERE device = ? AND state = 'open' HAVING count(*) > 0"
        " ON CONFLICT (device) DO UPDATE SET persona = excluded.persona, previous = excluded.previous,"
        " since = excluded.since",
        *(device, stored(persona), stored(before), device),
    )
