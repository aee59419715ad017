"""The device process of `fleet_faults`: a real outbox, inbox and link.

It accepts numbered events at a rate and prints each number once the event is on disk. Commands are carried out by
adding a line to a file. Both lists are what the control plane's store is compared with.

    python -m reachy_mind.bench.fleet_fault_device FOLDER RUN FIRST LAST PER_S LINKS

FOLDER has `identity.json`. RUN counts its starts: a number that was stored and not printed before a kill is used again.
With two LINKS two connections with the same store race each other.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
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
EMERGENCY_EVERY: Final = 10
"""Every tenth event is an emergency, in a lane of its own."""


class NothingToApply:
    """A device without a personality."""

    async def apply(self, desired: Desired, persona: PersonaTexts | None) -> Mapping[str, str]:
        del desired, persona  # there is nothing to change
        return {}


async def main(folder: Path, run: int, first: int, last: int, per_s: int, links: int) -> None:
    home = Home(folder)
    identity = load_identity(home)
    assert identity is not None, "the folder has an identity"

    async def act(command: Command) -> None:
        with (folder / EFFECTS).open("a") as file:
            file.write(f"{command.id}\n")
            file.flush()
            os.fsync(file.fileno())

    async with contextlib.AsyncExitStack() as stack:
        store = await stack.enter_async_context(DeviceStore(store_file(home)))
        opened = [
            await stack.enter_async_context(
                DeviceLink(store, identity, NothingToApply(), handlers={"speak": act}, delays=ReconnectDelays(0.1, 0.5))
            )
            for _ in range(links)
        ]
        for number in range(first, last + 1):
            prio = 0 if number % EMERGENCY_EVERY == 0 else 1
            kind = "emergency.pressed" if prio == 0 else "button.pressed"
            await opened[0].outbox.accept(kind, {"run": run, "n": number}, prio=prio)
            print(number, flush=True)
            if links > 1 and number % 20 == 0:
                random.choice(opened).hurry()  # noqa: S311 -- which one is of no importance
            await asyncio.sleep(1 / per_s)
        await asyncio.Event().wait()


if __name__ == "__main__":
    log.configure("error")
    given = sys.argv[1:]
    asyncio.run(main(Path(given[0]), *(int(each) for each in given[1:])))
