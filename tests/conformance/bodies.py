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
    "a second move is refused": Difference(VENDORS, "the vendor answers with an id and ignores the move"),
    "stopping what does not run is refused clearly": Difference(VENDORS, "the vendor's route fails with 500"),
    "a dataset that is not there is refused clearly": Difference(
        VENDORS, "without a network the vendor's route fails with 500"
    ),
    "a stopped daemon starts again": Difference(
        ("mockup",), "the vendor's start route forgets the mockup and looks for a robot; not run, it ends the daemon"
    ),
    "volumes without a sound card": Difference(VENDORS, "the vendor's daemon needs a sound card for this"),
}


def differs(name: str) -> pytest.MarkDecorator:
    """For a test of something that is not the same on every body."""
    return pytest.mark.differs(DIFFERENCES[name])
