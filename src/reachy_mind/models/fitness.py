"""Fitness: which chat models fit this machine, and the one that is recommended, with the reason in one sentence."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from reachy_mind.models.catalogue.chat import CHAT_MODELS, CataloguedChatModel
from reachy_mind.models.machine import Machine

MEMORY_SHARE = 0.6
"""The share of all memory that a model may take: the robot's own programs need some too."""
FREE_MEMORY_RESERVE = 500_000_000
"""Bytes of the free memory that a model must leave."""


@dataclass(frozen=True)
class Recommendation:
    """The chat model to get, or None with the reason why there is none."""

    model: CataloguedChatModel | None
    why: str
    obstacle: str = ""
    """What has to be done before a model can run here."""

    def as_dict(self) -> dict[str, Any]:
        about: dict[str, Any] = {"name": None, "title": "", "licence": "", "licence_url": "", "size": 0, "memory": 0}
        if self.model is not None:
            asset = self.model.asset
            about |= {"name": asset.name, "title": self.model.title, "size": asset.size, "memory": self.model.memory}
            about |= {"licence": asset.licence, "licence_url": asset.licence_url}
        return about | {"why": self.why, "obstacle": self.obstacle}


def fits(model: CataloguedChatModel, machine: Machine) -> bool:
    """Whether the machine can run it at all times: by all of its memory and its cores, whatever runs just now."""
    return model.memory <= machine.memory * MEMORY_SHARE and model.cores <= machine.cores


def recommendation(machine: Machine, skip: Collection[str] = ()) -> Recommendation:
    """The best model that we may recommend and that fits now. `skip`: names that were tried and can't be had."""
    models = [model for model in CHAT_MODELS.values() if model.recommendable and model.asset.name not in skip]
    fitting = [model for model in models if not (_obstacle(model, machine))]
    if not fitting:
        reason = _obstacle(models[0], machine) if models else "none of them can be downloaded"
        return Recommendation(None, f"no language model fits this machine: {reason}", _missing_extra())
    best = fitting[-1]
    why = f"it takes {_gb(best.memory)} of the {_gb(machine.free_memory)} of memory that are free, "
    why += f"and {_count(machine.cores)} {'are' if machine.cores > 1 else 'is'} enough for it"
    larger = [model for model in models if model.quality > best.quality]
    if larger:
        why += f"; {larger[0].title} would be better, but {_obstacle(larger[0], machine)}"
    return Recommendation(best, why, _missing_extra())


def _obstacle(model: CataloguedChatModel, machine: Machine) -> str:
    """Why a model does not fit now; empty when it does."""
    free = min(machine.free_memory - FREE_MEMORY_RESERVE, int(machine.memory * MEMORY_SHARE))
    cores = machine.cores // 2 if machine.on_battery else machine.cores
    if model.memory > free:
        return f"it takes {_gb(model.memory)} of memory, and {_gb(max(0, free))} can be spared"
    if model.cores > max(1, cores):
        return f"it would be slow {'on battery ' if machine.on_battery else ''}with {_count(machine.cores)}"
    room = model.asset.size + model.asset.unpacking_size
    if room > machine.free_disk:
        return f"it needs {_gb(room)} on the disk, where {_gb(machine.free_disk)} are free"
    return ""


def _missing_extra() -> str:
    return "" if find_spec("xllamacpp") else "pip install 'reachy-mind[agents]'"


def _gb(count: int) -> str:
    return f"{count / 1e9:.1f} GB"


def _count(cores: int) -> str:
    return f"{cores} cores" if cores != 1 else "one core"
