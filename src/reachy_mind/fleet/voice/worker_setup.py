"""`WorkerSetup`: what a voice worker is told when it starts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reachy_mind.config.configuration import Configuration

IDLE_S = 60.0
LONGEST_S = 30 * 60.0


@dataclass(frozen=True)
class WorkerSetup:
    """`idle_s`: a session ends when nobody has spoken for so long; `longest_s`: in any case."""

    configuration: Configuration
    idle_s: float = IDLE_S
    longest_s: float = LONGEST_S

    @classmethod
    def of(cls, configuration: Configuration, brain: str, idle_s: float = IDLE_S) -> WorkerSetup:
        """A worker whose conversations think with this brain."""
        settings = configuration.settings
        mind = settings.mind.model_copy(update={"brain": brain})
        return cls(replace(configuration, settings=settings.model_copy(update={"mind": mind})), idle_s)
