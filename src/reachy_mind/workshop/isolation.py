"""Which isolation this machine offers for code that others wrote, found by trying, and which one is used."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from reachy_mind.errors import MindError

NAMES = ("full", "namespaces", "landlock")
"""From the strongest to the weakest."""


class IsolationRefused(MindError):
    """The machine offers too little to run code that others wrote."""

    code = "ISOLATION_REFUSED"


@dataclass(frozen=True)
class IsolationProfile:
    """One way to isolate code: the layers that hold, those that are missing, and why."""

    name: str
    layers: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    available: bool = True
    reason: str = ""

    @property
    def namespaces(self) -> bool:
        return self.name in {"full", "namespaces"}

    @property
    def landlock(self) -> bool:
        return self.name in {"full", "landlock"}

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def detect() -> tuple[IsolationProfile, ...]:
    return tuple(IsolationProfile(name) for name in NAMES)


def choose(name: str, profiles: tuple[IsolationProfile, ...]) -> IsolationProfile:
    return profiles[0] if name == "auto" else next(profile for profile in profiles if profile.name == name)
