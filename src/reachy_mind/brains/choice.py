"""Which brain thinks, as the settings wish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reachy_mind.errors import NotReady

if TYPE_CHECKING:
    from reachy_mind.brains.thought import Brain
    from reachy_mind.config import Configuration


def choose(configuration: Configuration) -> Brain:
    """Loaded from disk: call it in a thread. Raises NotReady for one that there is not yet."""
    wanted = configuration.settings.mind.brain
    if wanted not in ("auto", "reflex"):
        raise NotReady(f"the brain {wanted!r} is not there yet", hint="use --brain reflex")
    from reachy_mind.brains.reading.reader import WEIGHTS, Reader  # noqa: PLC0415
    from reachy_mind.brains.reflex import Reflex  # noqa: PLC0415
    from reachy_mind.brains.understanding import Understanding  # noqa: PLC0415

    own = configuration.home.reflex_folder / WEIGHTS.name  # made here, in place of what was shipped
    return Reflex(Understanding(Reader.load(own if own.exists() else WEIGHTS)).plan)
