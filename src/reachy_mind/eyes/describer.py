"""`Describer`: a model that is shown a picture and says what it sees; and which one the settings ask for.

None is needed: without one, the robot says itself what its detectors found. A picture leaves this machine only when its
owner has set `eyes.vision_url`: a key alone sends nothing anywhere.
"""

from __future__ import annotations

from typing import Protocol

from reachy_mind.config import Configuration
from reachy_mind.eyes.pictures import Picture

LONGEST_SIDE = 768
"""As much as models of this kind make use of; a larger picture only takes longer."""


class Describer(Protocol):
    """What it says is untrusted: it may repeat what somebody wrote on a sheet of paper."""

    name: str

    async def describe(self, picture: Picture, prompt: str, *, facts: str = "") -> str:
        """A few spoken sentences. `facts`: what our detectors found in that picture.

        Raises NotReady when it can't be had, TimedOut, Busy, BadAnswer, MissingExtra or WorkerError, with what to do.
        """

    async def aclose(self) -> None:
        """Ends what it has started; it may be asked again."""


def choose(configuration: Configuration) -> Describer | None:
    """The one on this machine, else the one at the owner's address, else None. Loads nothing."""
    from reachy_mind.eyes.endpoint import Endpoint  # noqa: PLC0415 -- they know this module
    from reachy_mind.eyes.smolvlm import Local  # noqa: PLC0415

    settings = configuration.settings
    if settings.eyes.local_vision:
        return Local(settings.eyes, settings.hub)
    if settings.eyes.vision_url:
        return Endpoint(settings.eyes, settings.openai.api_key)
    return None
