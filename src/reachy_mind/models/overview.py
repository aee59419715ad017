"""The overview of all models, for people and programs: what there is, what is recommended, what is used."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.models.catalogue.chat import CHAT_MODELS
from reachy_mind.models.chat_choice import chosen_chat_model
from reachy_mind.models.fitness import Recommendation, recommendation
from reachy_mind.models.machine import Machine
from reachy_mind.models.store import Store


@dataclass(frozen=True)
class Overview:
    """`rows`: every model and asset. `used`: the name of the chat model in use, '' without one."""

    rows: list[dict[str, Any]]
    recommended: Recommendation
    used: str

    @classmethod
    def of(cls, configuration: Configuration, store: Store, failed: Collection[str] = ()) -> Overview:
        """Reads files: call it in a thread. `failed`: models that can't be had, which are not recommended."""
        used = chosen_chat_model(configuration)
        found = recommendation(Machine.here(configuration.models_folder), skip=failed)
        return cls([described(store, name) for name in store.catalogue], found, used.name if used is not None else "")


def described(store: Store, name: str) -> dict[str, Any]:
    """One model or asset, and its state on disk."""
    status = store.status(name)
    chat = CHAT_MODELS.get(name)
    return {
        "name": name,
        "task": status.asset.task,
        "summary": status.asset.summary,
        "licence": status.asset.licence,
        "licence_url": status.asset.licence_url,
        "size": status.asset.size,
        "memory": chat.memory if chat is not None else None,
        "state": status.state,
        "bytes_on_disk": status.bytes,
        "path": str(status.path) if status.state == "ready" else None,
    }
