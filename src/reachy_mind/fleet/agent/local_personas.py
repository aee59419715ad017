"""Personalities that the device has without a network: those it was given before, and those of the program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from reachy_mind.errors import MindError
from reachy_mind.fleet.device.personas import MAX_BYTES, PersonaTexts, read_bundle
from reachy_mind.fleet.protocol.handshake import PERSONA_ID, Persona

INSTRUCTIONS: Final = "instructions.txt"
FILES: Final = (INSTRUCTIONS, "voice.txt", "greeting.txt", "tools.txt", "manner.yaml", "profile.md")


def find_persona(cache: Path, persona: str) -> PersonaTexts | None:
    """The texts of a personality by its name: the latest in the cache, else those that come with the program."""
    if not PERSONA_ID.fullmatch(persona):
        return None
    return _cached(cache, persona) or _shipped(persona)


def _cached(cache: Path, persona: str) -> PersonaTexts | None:
    try:
        files = sorted(cache.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files:
            data = file.read_bytes()
            if len(data) <= MAX_BYTES and json.loads(data).get("id") == persona:
                return read_bundle(data, Persona(id=persona, etag=file.stem))
    except (OSError, ValueError, AttributeError, MindError):
        return None
    return None


def _shipped(persona: str) -> PersonaTexts | None:
    from reachy_mind.profiles.placeholders import Expansion  # noqa: PLC0415 -- only where the fleet has given none
    from reachy_mind.profiles.texts import Texts  # noqa: PLC0415 -- as above

    shipped = Path(__file__).parents[2] / "profiles" / "shipped"
    folder = shipped / persona
    if not folder.is_dir():
        return None
    texts = Texts(folder)
    files = {file: text for file in FILES if (text := texts.read(file)) is not None}
    if INSTRUCTIONS in files:
        files[INSTRUCTIONS] = Expansion((shipped / "prompts",), texts).expanded(files[INSTRUCTIONS], INSTRUCTIONS)
    return PersonaTexts(persona, "", files)
