# ruff: noqa: RUF001
"""Phonemes of English texts, as Kokoro reads them, by the program espeak-ng."""

from __future__ import annotations

import re
import shutil
import subprocess

from reachy_mind.errors import NotReady
from reachy_mind.learning.keywords.voices import pronounced

PROGRAM = "espeak-ng"
_MARK = re.compile(r"([,.!?;:]+)")
_BOTH = (
    ("aɪ", "I"), ("aʊ", "W"), ("dʒ", "ʤ"), ("eɪ", "A"), ("tʃ", "ʧ"), ("ɔɪ", "Y"), ("ɚ", "əɹ"), ("ʔ", "t"), ("ɐ", "ə"),
    ("ʲ", "j"), ("r", "ɹ"), ("x", "k"), ("ɬ", "l"),
)  # fmt: skip
_AMERICAN = (("oʊ", "O"), ("ɜːɹ", "ɜɹ"), ("ɜː", "ɜɹ"), ("ɪə", "iə"), ("ː", ""))
_BRITISH = (("eə", "ɛː"), ("əʊ", "Q"))
"""What espeak-ng writes, and Kokoro's sign for it."""


def phonemes(text: str, *, british: bool) -> str:
    """Raises NotReady without the program."""
    if shutil.which(PROGRAM) is None:
        raise NotReady(f"{PROGRAM} is not installed", hint=f"apt-get install {PROGRAM}")
    parts = [part.strip() for part in _MARK.split(pronounced(text))]
    spoken = "".join(f"{part[0]} " if _MARK.match(part) else _ipa(part, british=british) for part in parts if part)
    for written, sign in (*_BOTH, *(_BRITISH if british else _AMERICAN)):
        spoken = spoken.replace(written, sign)
    return spoken.strip()


def _ipa(text: str, *, british: bool) -> str:
    command = [PROGRAM, "-q", "--ipa", "-v", "en-gb" if british else "en-us", "--stdin"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=20)
    return " ".join(done.stdout.split())
