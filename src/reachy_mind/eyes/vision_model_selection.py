"""Selects the vision model from the settings: local, at an address, or none.

None is required: without one, the robot describes what its detectors found. A picture leaves this machine only when the
owner has set `eyes.vision_url`; a key alone sends nothing.
"""

from __future__ import annotations

from reachy_mind.config.configuration import Configuration
from reachy_mind.eyes.vision_model import VisionModel
from reachy_mind.eyes.vision_model_endpoint import VisionModelEndpoint
from reachy_mind.eyes.vision_model_local import LocalVisionModel


def choose(configuration: Configuration) -> VisionModel | None:
    """The local model if enabled, else the one at `eyes.vision_url`, else None. Loads nothing."""
    settings = configuration.settings
    if settings.eyes.local_vision:
        return LocalVisionModel(settings.eyes, settings.hub)
    if settings.eyes.vision_url:
        return VisionModelEndpoint(settings.eyes, settings.openai.api_key)
    return None
