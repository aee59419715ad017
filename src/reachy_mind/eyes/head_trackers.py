"""Registry of head trackers (`FaceDetector`), selected by the setting `eyes.tracker`.

Built-in trackers are registered in `BUILT_IN_TRACKERS`. Other packages register theirs at the plug-in point
`HEAD_TRACKERS`: see docs/extending.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from reachy_mind.config.plugins import HEAD_TRACKERS
from reachy_mind.errors import NotReady
from reachy_mind.eyes.blazeface import create_blazeface
from reachy_mind.eyes.mediapipe_faces import create_mediapipe_tracker
from reachy_mind.eyes.yolo_faces import create_yolo_tracker
from reachy_mind.models.store import Store

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration
    from reachy_mind.eyes.faces import FaceDetector

OFF = "off"
BUILT_IN_TRACKERS: dict[str, Callable[[Configuration], FaceDetector]] = {
    "bundled": lambda configuration: create_blazeface(Store(configuration.models_folder)),
    "yolo": lambda configuration: create_yolo_tracker(configuration.settings.eyes.tracker_model),
    "mediapipe": lambda configuration: create_mediapipe_tracker(configuration.settings.eyes.tracker_model),
}


def tracker_names() -> list[str]:
    """All values of `eyes.tracker`."""
    return [*BUILT_IN_TRACKERS, *HEAD_TRACKERS.names(), OFF]


def choose(configuration: Configuration) -> FaceDetector:
    """The tracker that the settings name. Raises NotReady or MissingExtra with the reason when it is unavailable."""
    name = configuration.settings.eyes.tracker
    if name == OFF:
        raise NotReady("finding faces is switched off", hint="set eyes.tracker, or start with --head-tracker bundled")
    if name in BUILT_IN_TRACKERS:
        return BUILT_IN_TRACKERS[name](configuration)
    if name in HEAD_TRACKERS.names():
        detector: FaceDetector = HEAD_TRACKERS.load(name, configuration.settings.eyes)
        return detector
    raise NotReady(
        f"there is no head tracker called {name!r}", hint=f"set eyes.tracker to one of {', '.join(tracker_names())}"
    )
