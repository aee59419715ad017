"""The bodies that the suite runs on, and where they differ, each difference by name and with its reason.

A test of something that differs is marked `@differs("name")`: on the bodies named here it must fail, so that a
difference that is gone is noticed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest

ADDRESSES = {
    "vendor": os.environ.get("VENDOR_DAEMON", ""),
    "mockup": os.environ.get("VENDOR_MOCKUP", ""),
}
"""The vendor's daemon with its MuJoCo simulation, and with its mockup, as `script/test-vendor` starts them."""


@dataclass(frozen=True)
class Difference:
    bodies: tuple[str, ...]
    reason: str


VENDORS = ("vendor", "mockup")
DIFFERENCES = {
    "a motor mode that was set is read back": Difference(
        ("vendor",), "the vendor's MuJoCo backend accepts every motor mode and stays enabled"
    ),
    "motors off is limp": Difference(VENDORS, "neither of the vendor's simulations has motors that can be off"),
    "motors are off after a start": Difference(
        VENDORS,
        "the vendor's simulations start with motors on, a robot with motors off; not run on the mockup, see next",
    ),
    "a stopped daemon starts again": Difference(
        ("mockup",), "the vendor's start route forgets the mockup and looks for a robot; not run, it ends the daemon"
    ),
    "a second move is refused": Difference(
        VENDORS, "the vendor plays both at once, and each undoes what the other does; where they end is chance"
    ),
    "a goto out of reach is refused": Difference(
        VENDORS, "the vendor goes as far as it can, stays there and answers that all is well"
    ),
    "a goto that takes no time is refused": Difference(VENDORS, "the vendor answers with an id of a move that fails"),
    "stopping what does not run is refused clearly": Difference(VENDORS, "the vendor's route fails with 500"),
    "what is ignored is told on the socket": Difference(VENDORS, "the vendor writes it into its log"),
    "a dataset that is not there is refused clearly": Difference(
        VENDORS, "without a network the vendor's route fails with 500"
    ),
    "an app that is not there is refused clearly": Difference(VENDORS, "the vendor's route fails with 500"),
    "volumes without a sound card": Difference(VENDORS, "the vendor's daemon needs a sound card for this"),
    "sound has a direction": Difference(VENDORS, "only the simulator has ears without a sound card"),
    "media that was released is said to be": Difference(
        VENDORS, "a vendor's daemon without media has nothing to release; the simulator lends its own under /sim/v1"
    ),
    "an account can be linked": Difference(("simulator",), "a simulator keeps no account and no token"),
}

MISSING = {"simulator": {"SOCKET /api/move/ws/raw/write": "there is no motor bus to write to"}}
"""Routes of the vendor's daemon 1.13 that a body does not have, and why."""
FURTHER = {
    "simulator": {
        "GET /update/available": "of the vendor's robots, not its simulations: our own body asks for it",
        "POST /update/start": "the same",
    }
}
"""Routes outside /sim/v1 that a body has more than the vendor's daemon in a simulation, and why."""


def differs(name: str) -> pytest.MarkDecorator:
    """For a test of something that is not the same on every body."""
    return pytest.mark.differs(DIFFERENCES[name])
