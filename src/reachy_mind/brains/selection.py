"""Builds the brain that the settings select. Brains that are not selected are not imported."""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING, cast

from reachy_mind.config.plugins import BRAINS

if TYPE_CHECKING:
    from reachy_mind.brains.auto import Told
    from reachy_mind.brains.brain import Brain
    from reachy_mind.brains.reflex.brain import Reflex
    from reachy_mind.brains.reflex.understanding import Understanding
    from reachy_mind.brains.selection_rule import BrainChoice
    from reachy_mind.config.configuration import Configuration

BRAIN_MODULES: dict[str, str] = {
    "agents": "reachy_mind.brains.agents.brain",
    "local": "reachy_mind.brains.local.brain",
    "realtime": "reachy_mind.brains.realtime.brain",
    "claude": "reachy_mind.brains.claude.brain",
}
"""Brain name to the module that has its `make(configuration) -> Brain`."""


def choose(configuration: Configuration, told: Told = lambda state, about: None) -> Brain:  # noqa: ARG005
    """The brain for these settings. Reads files: call it in a thread. `told`: see `Auto`.

    Raises NotReady for an unknown brain, and the errors of its `make`. With `auto`, the thinker is built when needed.
    """
    from reachy_mind.brains import selection_rule  # noqa: PLC0415
    from reachy_mind.brains.auto import Auto  # noqa: PLC0415

    wanted = configuration.settings.mind.brain
    if wanted == "reflex":
        return reflex(configuration)
    if wanted == "auto":
        return Auto(reflex(configuration), partial(decide, configuration), create, told=told)
    choice = selection_rule.named(configuration)
    return Auto(reflex(configuration), partial(decide, configuration), create, choice=choice, named=create(choice))


async def decide(configuration: Configuration) -> BrainChoice:
    """Select the thinker. Takes at most a second."""
    from reachy_mind.brains import selection_rule  # noqa: PLC0415

    return await selection_rule.decide(configuration, BRAIN_MODULES)


def create(choice: BrainChoice) -> Brain:
    """Build the thinker. The imports take seconds: call it in a thread. Raises NotReady, MissingExtra, ConfigError."""
    if choice.thinker not in BRAIN_MODULES:
        return cast("Brain", BRAINS.load(choice.thinker, choice.configuration))
    return cast("Brain", importlib.import_module(BRAIN_MODULES[choice.thinker]).make(choice.configuration))


def reflex(configuration: Configuration) -> Reflex:
    """The brain that needs no model."""
    from reachy_mind.brains.reflex.brain import Reflex  # noqa: PLC0415

    reading = understanding(configuration)
    return Reflex(reading.plan, embed=reading.embedding)


def understanding(configuration: Configuration) -> Understanding:
    """How the reflex brain reads sentences. Loading takes a moment: call it in a thread."""
    from reachy_mind.brains.reflex.reader import WEIGHTS, Reader  # noqa: PLC0415
    from reachy_mind.brains.reflex.understanding import Understanding  # noqa: PLC0415

    own = configuration.home.reflex_folder / WEIGHTS.name  # made here, in place of what was shipped
    return Understanding(Reader.load(own if own.exists() else WEIGHTS))
