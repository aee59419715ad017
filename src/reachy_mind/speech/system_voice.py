"""The voice of macOS (`say`) and of Windows (System.Speech): there without any download.

Both were written against their makers' documentation and run against stand-ins for the programs; neither was heard on
its system (docs/platforms.md).
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Callable, Mapping

from reachy_mind.speech.command_voice import CommandVoice, installed

MACOS_VOICES: Mapping[str, str] = {
    "en": "Samantha", "de": "Anna", "fr": "Thomas", "es": "Mónica", "it": "Alice", "pt": "Luciana", "nl": "Xander",
    "sv": "Alva", "pl": "Zosia", "ru": "Milena", "tr": "Yelda", "ja": "Kyoko", "ko": "Yuna", "zh": "Tingting",
}  # fmt: skip
"""A voice that macOS brings for each language."""
LANGUAGES = tuple(MACOS_VOICES)
WORDS_PER_MINUTE = 175
"""What `say` speaks by default."""
HINT = "System Settings, Accessibility, Spoken Content (macOS) or Time & language, Speech (Windows) add voices"
_PROGRAMS = {"darwin": "say", "win32": "powershell"}
_WINDOWS_SCRIPT = """
$ErrorActionPreference = 'Stop'
[Console]::InputEncoding = [Text.Encoding]::UTF8
Add-Type -AssemblyName System.Speech
$speaker = New-Object System.Speech.Synthesis.SpeechSynthesizer
$any = [System.Speech.Synthesis.VoiceGender]::NotSet
$age = [System.Speech.Synthesis.VoiceAge]::NotSet
$speaker.SelectVoiceByHints($any, $age, 0, [Globalization.CultureInfo]::GetCultureInfo('{language}'))
$speaker.Rate = {rate}
$speaker.SetOutputToWaveFile('{file}')
$speaker.Speak([Console]::In.ReadToEnd())
$speaker.Dispose()
"""


def available(system: str = sys.platform) -> bool:
    return system in _PROGRAMS and installed(_PROGRAMS[system])


def voice(language: str = "en", speed: float = 1.0, system: str = sys.platform) -> CommandVoice:
    """`language` is one of `LANGUAGES`; `speed` 2 is twice as fast; `system` is named as `sys.platform` does."""
    make: Callable[[str, str, float], list[str]] = windows_command if system == "win32" else macos_command
    return CommandVoice(
        f"system {language}",
        (language,),
        lambda file, pace: make(file, language, speed * pace),
        language=language,
        hint=HINT,
    )


def macos_command(file: str, language: str, speed: float) -> list[str]:
    """`say`, which reads standard input and writes a WAV file."""
    rate = str(round(WORDS_PER_MINUTE * speed))
    format_ = ("--file-format=WAVE", "--data-format=LEI16@22050")
    return ["say", "-v", MACOS_VOICES[language], "-r", rate, "-o", file, *format_, "-f", "-"]


def windows_command(file: str, language: str, speed: float) -> list[str]:
    """PowerShell with a script of ours, encoded so that nothing has to be quoted on a command line."""
    rate = max(-10, min(10, round((speed - 1) * 10)))
    quoted = file.replace("'", "''")
    script = _WINDOWS_SCRIPT.format(language=language, rate=rate, file=quoted)
    encoded = base64.b64encode(script.encode("utf-16-le")).decode()
    return ["powershell", "-NoLogo", "-NoProfile", "-NonInteractive", "-EncodedCommand", encoded]
