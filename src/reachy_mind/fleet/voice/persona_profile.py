"""`profile_of`: a personality's texts as the profile of a conversation."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from reachy_mind.fleet.voice.session import VoiceRefused
from reachy_mind.profiles.loading import SHIPPED, ProfileLoader
from reachy_mind.profiles.profile import DEFAULT, NAME, Profile
from reachy_mind.profiles.trust import CodeTrust

if TYPE_CHECKING:
    from reachy_mind.fleet.device.personas import PersonaTexts
    from reachy_mind.tools.registry import Registry

FILES = frozenset(
    ("instructions.txt", "tools.txt", "voice.txt", "greeting.txt", "about.txt", "moves.txt", "manner.yaml")
)
FRONT_MATTER = "profile.md"


def profile_of(persona: PersonaTexts | None, registry: Registry, trusted: Path) -> Profile:
    """Reads and writes files: call it in a thread. Without a personality it is the shipped default.

    `trusted`: the file that says which profiles' code may run; none of a personality's ever does. Raises VoiceRefused
    for texts that make no profile.
    """
    loader = ProfileLoader(registry, CodeTrust(trusted), (SHIPPED / "prompts",))
    usual = loader.load(DEFAULT, SHIPPED / DEFAULT, "shipped", None)
    if persona is None:
        return usual
    if not NAME.fullmatch(persona.id):
        raise VoiceRefused(f"{persona.id[:64]!r} can't be a personality's name")
    with tempfile.TemporaryDirectory(prefix="persona-") as folder:  # profiles are read from folders
        for name, text in persona.files.items():
            if name in FILES or name == FRONT_MATTER:
                (Path(folder) / name).write_text(text, encoding="utf-8")
        profile = loader.load(persona.id, Path(folder), "user", usual)
    if profile.broken:
        reasons = "; ".join([profile.broken, *map(str, profile.problems[:2])])
        raise VoiceRefused(f"the personality {persona.id} can't be used: {reasons}")
    return profile
