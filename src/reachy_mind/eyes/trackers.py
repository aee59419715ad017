"""Head trackers: what finds the faces that are followed, by the setting `eyes.tracker`.

Others can bring their own: an entry point in `reachy_mind.head_trackers` whose name is the tracker's and which is a
function that is given the settings of the eyes and returns a `FaceDetector`.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import TYPE_CHECKING

from reachy_mind.errors import MindError, NotReady
from reachy_mind.eyes.blazeface import blazeface
from reachy_mind.eyes.mediapipe import mediapipe
from reachy_mind.eyes.yolo import yolo
from reachy_mind.models.store import Store

if TYPE_CHECKING:
    from reachy_mind.config import Configuration
    from reachy_mind.eyes.faces import FaceDetector

ENTRY_POINTS = "reachy_mind.head_trackers"
OFF = "off"
OURS: dict[str, Callable[[Configuration], FaceDetector]] = {
    "bundled": lambda configuration: blazeface(Store(configuration.models_folder)),
    "yolo": lambda configuration: yolo(configuration.settings.eyes.tracker_model),
    "mediapipe": lambda configuration: mediapipe(configuration.settings.eyes.tracker_model),
}


def names() -> list[str]:
    """Every tracker that can be chosen."""
    return [*OURS, *(point.name for point in importlib.metadata.entry_points(group=ENTRY_POINTS)), OFF]


def chosen(configuration: Configuration) -> FaceDetector:
    """The tracker of the settings. Raises NotReady or MissingExtra with the reason why there is none."""
    name = configuration.settings.eyes.tracker
    if name == OFF:
        raise NotReady("finding faces is switched off", hint="set eyes.tracker, or start with --head-tracker bundled")
    if name in OURS:
        return OURS[name](configuration)
    for point in importlib.metadata.entry_points(group=ENTRY_POINTS, name=name):
        return _brought(point, configuration)
    raise NotReady(f"there is no head tracker called {name!r}", hint=f"set eyes.tracker to one of {', '.join(names())}")


def _brought(point: importlib.metadata.EntryPoint, configuration: Configuration) -> FaceDetector:
    try:
        detector: FaceDetector = point.load()(configuration.settings.eyes)
    except MindError:
        raise
    except Exception as error:  # others' code may raise whatever it likes: the mind goes on without
        raise NotReady(
            f"the head tracker {point.name} can't be used: {type(error).__name__}: {error}",
            hint=f"it comes from {point.value}; set eyes.tracker to another one",
        ) from error
    return detector
