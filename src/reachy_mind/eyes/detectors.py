"""Which detector looks for things: the simulator's own with a simulated camera, else one that was pulled."""

from __future__ import annotations

from typing import Literal

from reachy_mind.body.address import Address
from reachy_mind.errors import AssetError, NotReady
from reachy_mind.eyes import darknet, yolo11
from reachy_mind.eyes.simulated import SimulatedDetector
from reachy_mind.eyes.things import Detector
from reachy_mind.models.store import Store

Choice = Literal["auto", "sim", "yolov4-tiny", "yolo11n", "none"]
PULLED = {yolo11.NAME: yolo11.detector, darknet.NAME: darknet.detector}
"""Those that come by `models pull`, the surer one first."""


def choose(choice: Choice, store: Store, simulator: Address | None) -> Detector:
    """`simulator`: whose camera we look through, if it is a simulated one. Raises NotReady with what to do."""
    if choice == "none":
        raise NotReady("I am told not to look for things", hint="set eyes.detector to auto")
    if choice == "sim" or (choice == "auto" and simulator is not None):
        if simulator is None:
            raise NotReady("the detector 'sim' needs the simulated camera", hint="set eyes.detector to auto")
        return SimulatedDetector(simulator)
    if choice != "auto":
        return _pulled(choice, store)
    ready = next((name for name in PULLED if store.status(name).state == "ready"), None)
    return _pulled(ready or darknet.NAME, store)


def for_photographs(choice: Choice, store: Store) -> Detector:
    """For a picture that is none of the simulator's. Raises NotReady."""
    return choose("auto" if choice == "sim" else choice, store, None)


def _pulled(name: str, store: Store) -> Detector:
    try:
        folder = store.path(name)
    except AssetError as error:
        raise NotReady("I have nothing yet that recognises things", hint=error.hint) from error
    return PULLED[name](folder)
