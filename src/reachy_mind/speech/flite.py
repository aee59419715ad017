"""Flite, a small free synthesiser of English (Debian package `flite`): the voice before a better one is pulled."""

from __future__ import annotations

from reachy_mind.speech.program import ProgramVoice, installed

PROGRAM = "flite"
LANGUAGES = ("en",)
VOICES = ("slt", "rms", "awb", "kal16")
"""A woman and a man from America, a man from Scotland, and an older man's voice that needs the least time."""
HINT = "Debian, Ubuntu: apt-get install flite"


def available() -> bool:
    return installed(PROGRAM)


def voice(name: str = VOICES[0], speed: float = 1.0) -> ProgramVoice:
    """`name` is one of `VOICES`; `speed` 2 is twice as fast."""

    def command(file: str) -> list[str]:
        stretch = f"duration_stretch={1 / speed:.3f}"
        return [PROGRAM, "-voice", name, "--setf", stretch, "-f", "/dev/stdin", "-o", file]

    return ProgramVoice(f"flite {name}", LANGUAGES, command, language="en", hint=HINT)
