"""Flite, a small free synthesiser of English (Debian package `flite`): the voice before a better one is pulled."""

from __future__ import annotations

from reachy_mind.models import voice_names
from reachy_mind.speech.command_voice import CommandVoice, installed

PROGRAM = "flite"
LANGUAGES = ("en",)
VOICES = voice_names.VOICES["flite"]
HINT = "Debian, Ubuntu: apt-get install flite"


def available() -> bool:
    return installed(PROGRAM)


def voice(name: str = VOICES[0], speed: float = 1.0) -> CommandVoice:
    """`name` is one of `VOICES`; `speed` 2 is twice as fast."""

    def command(file: str, faster: float) -> list[str]:
        stretch = f"duration_stretch={1 / (speed * faster):.3f}"
        return [PROGRAM, "-voice", name, "--setf", stretch, "-f", "/dev/stdin", "-o", file]

    return CommandVoice(f"flite {name}", LANGUAGES, command, language="en", hint=HINT)
