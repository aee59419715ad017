"""Registry of object detectors (`ObjectDetector`), selected by the setting `eyes.detector`.

`auto` takes the simulator's detector with a simulated camera, else the first of `DOWNLOADABLE_DETECTORS` that is
downloaded. A new detector is registered there, with its name in `eyes.detector` in `config/settings.py`. Other packages
register theirs at the plug-in point `DETECTORS`: see docs/extending.md.
"""

from __future__ import annotations

from reachy_mind.body.address import Address
from reachy_mind.body.media import FrameObjects
from reachy_mind.config.plugins import DETECTORS
from reachy_mind.config.settings import EyesSettings
from reachy_mind.errors import AssetError, NotReady
from reachy_mind.eyes import yolo11, yolov4
from reachy_mind.eyes.objects import ObjectDetector
from reachy_mind.eyes.sim_detector import SimulatedDetector
from reachy_mind.models.store import Store

DOWNLOADABLE_DETECTORS = {yolo11.NAME: yolo11.create_detector, yolov4.NAME: yolov4.create_detector}
"""Detectors whose model comes with `models pull`, the more accurate first."""


def choose(eyes: EyesSettings, store: Store, simulator: Address | FrameObjects | None) -> ObjectDetector:
    """`simulator`: its address, or how to ask it, with a simulated camera. Raises NotReady with what to do."""
    name = eyes.detector
    if name == "none":
        raise NotReady("I am told not to look for things", hint="set eyes.detector to auto")
    if name == "sim" or (name == "auto" and simulator is not None):
        if simulator is None:
            raise NotReady("the detector 'sim' needs the simulated camera", hint="set eyes.detector to auto")
        return SimulatedDetector(simulator)
    if name in DOWNLOADABLE_DETECTORS:
        return _from_store(name, store)
    if name != "auto":
        detector: ObjectDetector = DETECTORS.load(name, eyes)
        return detector
    ready = next((name for name in DOWNLOADABLE_DETECTORS if store.status(name).state == "ready"), None)
    return _from_store(ready or yolov4.NAME, store)


def choose_for_photo(eyes: EyesSettings, store: Store) -> ObjectDetector:
    """A detector for pictures that do not come from the simulated camera. Raises NotReady."""
    return choose(eyes.model_copy(update={"detector": "auto"}) if eyes.detector == "sim" else eyes, store, None)


def _from_store(name: str, store: Store) -> ObjectDetector:
    try:
        folder = store.path(name)
    except AssetError as error:
        raise NotReady("I have nothing yet that recognises things", hint=error.hint) from error
    return DOWNLOADABLE_DETECTORS[name](folder)
