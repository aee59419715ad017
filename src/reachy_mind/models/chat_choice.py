"""The one chat model that is used: the setting `models.chat`, or the best pulled one that fits this machine."""

from __future__ import annotations

from reachy_mind.config.configuration import Configuration
from reachy_mind.models.assets import Asset
from reachy_mind.models.catalogue.chat import CHAT_MODELS
from reachy_mind.models.fitness import fits
from reachy_mind.models.machine import Machine
from reachy_mind.models.store import Store

DEFAULT = "chat"


def chosen_chat_model(configuration: Configuration) -> Asset | None:
    """The chat model to use; None when it has to be pulled first. Reads files: call it in a thread.

    When none of the pulled ones fits, the least demanding one is used all the same.
    """
    store, wanted = Store(configuration.models_folder), configuration.settings.models.chat
    names = list(CHAT_MODELS) if wanted == "auto" else [wanted]
    ready = [CHAT_MODELS[name] for name in names if store.is_ready(name)]
    if not ready:
        return None
    machine = Machine.here(configuration.models_folder)
    fitting = [model for model in ready if fits(model, machine)]
    chosen = max(fitting, key=lambda model: model.quality) if fitting else min(ready, key=lambda model: model.memory)
    return store.asset(chosen.asset.name)


def missing_chat_model(configuration: Configuration) -> str:
    """The name to pull when there is none."""
    wanted = configuration.settings.models.chat
    return DEFAULT if wanted == "auto" else wanted
