"""Which brain thinks, as the settings wish. One that is not chosen is not imported."""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, cast

from reachy_mind.errors import NotReady

if TYPE_CHECKING:
    from reachy_mind.brains.reflex import Reflex
    from reachy_mind.brains.rule import Choice
    from reachy_mind.brains.thought import Brain
    from reachy_mind.config import Configuration

MAKERS: dict[str, str] = {
    "agents": "reachy_mind.brains.agents.brain",
    "realtime": "reachy_mind.brains.realtime.brain",
    "claude": "reachy_mind.brains.claude.brain",
}
"""Modules with a `make(configuration) -> Brain`, by the brain's name."""


def choose(configuration: Configuration) -> Brain:
    """Loaded from disk: call it in a thread. Raises NotReady for one that there is not yet, and what its maker raises;
    one that nobody named is made later, when it is needed."""
    from reachy_mind.brains import rule  # noqa: PLC0415
    from reachy_mind.brains.auto import Auto  # noqa: PLC0415

    wanted = configuration.settings.mind.brain
    if wanted == "reflex":
        return reflex(configuration)
    if wanted == "auto":
        return Auto(reflex(configuration), partial(decided, configuration), made)
    choice = rule.named(configuration)
    return Auto(reflex(configuration), partial(decided, configuration), made, choice=choice, named=made(choice))


async def decided(configuration: Configuration) -> Choice:
    """Who thinks, and why. Takes at most a second."""
    from reachy_mind.brains import rule  # noqa: PLC0415

    return await rule.decide(configuration, MAKERS)


def made(choice: Choice) -> Brain:
    """Takes seconds, for what it imports: call it in a thread. Raises NotReady for one that there is not yet,
    MissingExtra and other MindErrors."""
    if choice.thinker not in MAKERS:
        raise NotReady(f"the brain {choice.thinker!r} is not there yet", hint="use --brain reflex")
    return cast("Brain", importlib.import_module(MAKERS[choice.thinker]).make(choice.configuration))


def reflex(configuration: Configuration) -> Reflex:
    """The brain that needs no model."""
    from reachy_mind.brains.reading.reader import WEIGHTS, Reader  # noqa: PLC0415
    from reachy_mind.brains.reflex import Reflex  # noqa: PLC0415
    from reachy_mind.brains.understanding import Understanding  # noqa: PLC0415

    own = configuration.home.reflex_folder / WEIGHTS.name  # made here, in place of what was shipped
    return Reflex(Understanding(Reader.load(own if own.exists() else WEIGHTS)).plan)
