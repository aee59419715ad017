"""What a scenario of `fleet_faults` did: both sides' lists, compared."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import httpx

from reachy_mind.bench.fleet_fault_rig import FaultRig
from reachy_mind.fleet.protocol.close_codes import CloseCode

DRAIN_TIMEOUT_S: Final = 90.0
POLL_S: Final = 0.5
CLOCKS_APART_MS: Final = 30 * 60 * 1000
DAMAGE_CODES: Final = (CloseCode.DAMAGED, CloseCode.NOT_UNDERSTOOD)


@dataclass(frozen=True)
class FaultOutcome:
    """What became of events and commands."""

    rounds: int
    accepted: int
    """Events that the device has said to be on its disk."""
    stored: int
    """Those in the control plane's store; it may have some that the device was killed before it said so."""
    lost: int
    twice: int
    out_of_order: int
    """Events that were numbered or stored after a later one of their lane."""
    commands: int
    """Those that the API has taken."""
    commands_lost: int
    """Those that were not carried out, or whose answer did not arrive."""
    commands_twice: int
    """Times that a command was carried out again as if for the first time."""
    commands_out_of_order: int
    handed_over_again: int
    """Commands that a killed device had carried out and was handed again, with the same id and as a second attempt."""
    done: dict[str, int]
    """What happened, and what was noticed of it, as counted by network, nodes and device."""

    @property
    def harmed(self) -> int:
        commands = self.commands_lost + self.commands_twice + self.commands_out_of_order
        return self.lost + self.twice + self.out_of_order + commands

    def figures(self) -> dict[str, int]:
        return {key: value for key, value in vars(self).items() if key != "done"} | self.done


async def compare(rig: FaultRig, rounds: int) -> FaultOutcome:
    """Wait until all has arrived, or time is up, and compare both sides."""
    accepted, sent = set(rig.device.accepted), list(rig.sent)
    events: list[dict[str, Any]] = []
    states: dict[str, str] = {}
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_TIMEOUT_S):
            while not (accepted <= set(map(_number, events)) and all(states.get(each) == "done" for each in sent)):
                await asyncio.sleep(POLL_S)
                with contextlib.suppress(httpx.HTTPError):
                    events, states = await _stored_events(rig), await _states(rig)
    counts = Counter(map(_number, events))
    effects = rig.device.effects()
    carried_out = Counter(command for command, _ in effects)
    again = Counter(command for command, attempt in effects if attempt > 1)
    return FaultOutcome(
        rounds=rounds,
        accepted=len(accepted),
        stored=len(events),
        lost=len(accepted - set(counts)),
        twice=sum(count - 1 for count in counts.values()),
        out_of_order=_out_of_order(events, stamped="clock_jumps" not in rig.done),
        commands=len(sent),
        commands_lost=sum(not carried_out[each] or states.get(each) != "done" for each in sent),
        commands_twice=sum(max(0, count - again[each] - 1) for each, count in carried_out.items()),
        commands_out_of_order=_commands_out_of_order(sent, list(carried_out)),
        handed_over_again=sum(min(again[each], count - 1) for each, count in carried_out.items()),
        done=await _counted(rig, events),
    )


async def _stored_events(rig: FaultRig) -> list[dict[str, Any]]:
    """What the store has of the device's numbered events."""
    events = await rig.node.pages("events", device=rig.device.identity.device)
    return [event for event in events if "n" in event["payload"]]


async def _states(rig: FaultRig) -> dict[str, str]:
    commands = await rig.node.pages(f"devices/{rig.device.identity.device}/commands")
    return {each["id"]: each["state"] for each in commands}


def _number(event: dict[str, Any]) -> tuple[int, int]:
    return event["payload"]["run"], event["payload"]["n"]


def _out_of_order(events: list[dict[str, Any]], *, stamped: bool) -> int:
    """By the numbers with which they were stored; `stamped`: also by the time, which has to grow with the numbers."""
    wrong = 0
    for emergency in (True, False):
        lane = sorted((each for each in events if (each["prio"] == 0) is emergency), key=lambda each: int(each["seq"]))
        for earlier, later in itertools.pairwise(lane):
            wrong += _number(later) < _number(earlier)
            wrong += stamped and later["received_at"] < earlier["received_at"]
    return wrong


def _commands_out_of_order(sent: list[str], carried_out: list[str]) -> int:
    """`carried_out`: each once, in the order of the first time."""
    place = {command: number for number, command in enumerate(sent)}
    places = [place[each] for each in carried_out if each in place]
    return sum(later < earlier for earlier, later in itertools.pairwise(places))


async def _counted(rig: FaultRig, events: list[dict[str, Any]]) -> dict[str, int]:
    """What happened, as all parties have counted it."""
    for node in rig.nodes:
        await rig.note(node)
    counted = Counter(rig.done)
    counted.update({key: value for key, value in vars(rig.proxy.counts).items() if key != "passed_up"})
    said = await rig.device.stop()
    closes: dict[str, int] = said["closes"]
    counted["gaps_noticed"] = closes.get(str(int(CloseCode.GAP)), 0)
    counted["damage_refused"] = sum(closes.get(str(int(code)), 0) for code in DAMAGE_CODES)
    counted |= {"by_http": said["by_http"], "new_epochs": said["new_epochs"]}
    counted["clocks_apart"] = sum(abs(each["ts"] - each["received_at"]) > CLOCKS_APART_MS for each in events)
    return {key: value for key, value in counted.items() if value}
