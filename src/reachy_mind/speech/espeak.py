"""eSpeak NG (GPL), used where the system has it: a robot's voice, and the one that speaks most languages."""

from __future__ import annotations

from reachy_mind.models import voice_names
from reachy_mind.speech.command_voice import CommandVoice, installed

PROGRAM = "espeak-ng"
_SPOKEN = """
af am ar as az ba bg bn bs ca cs cy da de el en eo es et eu fa fi fr ga gd gu he hi hr hu hy ia id io is it ja ka kk
kl kn ko ky la lb lt lv mi mk ml mr ms mt my nb ne nl om or pa pl pt ro ru sd si sk sl sq sr sv sw ta te th tk tr tt
ug uk ur uz vi zh
"""
LANGUAGES = tuple(_SPOKEN.split())
VOICES = voice_names.VOICES["espeak"]
"""Its variants: three of a man, three of a woman."""
WORDS_PER_MINUTE = 175
HINT = "Debian, Ubuntu: apt-get install espeak-ng"
_CODES = {"en": "en-us", "zh": "cmn"}


def available() -> bool:
    return installed(PROGRAM)


def code(language: str) -> str:
    """Its own name of a language."""
    return _CODES.get(language, language)


def voice(name: str = VOICES[0], speed: float = 1.0, language: str = "en") -> CommandVoice:
    """`name` is one of `VOICES`, `language` one of `LANGUAGES`; `speed` 2 is twice as fast."""
    variant = f"{code(language)}+{name}"

    def command(file: str, faster: float) -> list[str]:
        rate = str(round(WORDS_PER_MINUTE * speed * faster))
        return [PROGRAM, "-v", variant, "-s", rate, "-b", "1", "--stdin", "-w", file]

    return CommandVoice(f"espeak {variant}", (language,), command, language=language, hint=HINT)
