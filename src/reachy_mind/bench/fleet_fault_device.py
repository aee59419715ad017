"""The device process of `fleet_faults`: a real outbox, inbox and link.

It accepts numbered events at a rate and prints each number once the event is on disk. Commands are carried out by
adding a line, with the attempt, to a file. Both lists are what the control plane's store is compared with.

    python -m reachy_mind.bench.fleet_fault_device FOLDER RUN FIRST PER_S

FOLDER has `identity.json`. RUN counts its starts: a number that was stored and not printed before a kill is used again.
SIGUSR1: it accepts no more events, and prints `end`. SIGTERM: it prints what its connections went through, and ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from reachy_mind import log
from reachy_mind.fleet.device.enrolment import load_identity, store_file
from reachy_mind.fleet.device.inbox import Command
from reachy_mind.fleet.device.link import DeviceLink
from reachy_mind.fleet.device.pacing import ReconnectDelays
from reachy_mind.fleet.device.personas import PersonaTexts
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.fleet.protocol.handshake import Desired
from reachy_mind.storage.home import Home

EFFECTS: Final = "effects.txt"
COMMAND: Final = "activity.start"
END: Final = "end"
EMERGENCY_EVERY: Final = 10
"""Every tenth event is an emergency, in a lane of its own."""
DELAYS: Final = (0.1, 0.5)
HTTP_FOR_S: Final = 3.0
"""So that a device which the faults drove to HTTP goes back to the WebSocket, where they happen."""


class NothingToApply:
    """A device without a personality."""

    async def apply(self, desired: Desired, persona: PersonaTexts | None) -> Mapping[str, str]:
        del desired, persona  # there is nothing to change
        return {}


async def main(folder: Path, run: int, first: int, per_s: int) -> None:
    home = Home(folder)
    identity = load_identity(home)
    assert identity is not None, "the folder has an identity"
    enough, ending = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, enough.set)
    loop.add_signal_handler(signal.SIGTERM, ending.set)

    async def act(command: Command) -> None:
        with (folder / EFFECTS).open("a") as file:
            file.write(f"{command.id} {command.attempt}\n")
            file.flush()
            os.fsync(file.fileno())

    async with (
        DeviceStore(store_file(home)) as store,
        DeviceLink(
            store,
            identity,
            NothingToApply(),
            handlers={COMMAND: act},
            delays=ReconnectDelays(*DELAYS),
            http_for_s=HTTP_FOR_S,
        ) as link,
    ):
        number = first
        while not enough.is_set():
            prio = 0 if number % EMERGENCY_EVERY == 0 else 1
            kind = "emergency.pressed" if prio == 0 else "button.pressed"
            await link.outbox.accept(kind, {"run": run, "n": number}, prio=prio)
            print(number, flush=True)
            number += 1
            await asyncio.sleep(1 / per_s)
        print(END, flush=True)
        await ending.wait()
        counters = link.counters
        closes = {str(int(code)): count for code, count in counters.closes.items()}
        print(json.dumps({"closes": closes, "new_epochs": counters.new_epochs, "by_http": counters.by_http}))


if __name__ == "__main__":
    log.configure("error")
    given = sys.argv[1:]
    asyncio.run(main(Path(given[0]), *(int(each) for each in given[1:])))
