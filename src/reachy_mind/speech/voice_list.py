"""Every voice by name: its engine and licence, whether it is on this machine, and what to do where it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from reachy_mind.config.configuration import Configuration
from reachy_mind.models.store import Store
from reachy_mind.models.voice_names import VOICES
from reachy_mind.speech import espeak, flite, kokoro, piper

SAMPLE = "Hello, I am Reachy. This is how I sound when I talk with you."
ASSETS = {"kokoro": kokoro.ASSET, "piper": piper.ASSET}
_PROGRAMS: dict[str, tuple[str, str, Callable[[], bool]]] = {
    "flite": ("BSD-like", flite.HINT, flite.available),
    "espeak": ("GPL-3.0", espeak.HINT, espeak.available),
}
"""Licence, how to get it, whether it is here."""
_ABOUT = {
    "joe": "man, American",
    "slt": "woman, American",
    "rms": "man, American",
    "awb": "man, Scottish",
    "kal16": "man, American, quick to speak",
}


@dataclass(frozen=True)
class ListedVoice:
    """`asset`: what to pull where it is missing, of `size` bytes; `hint`: what to do for it."""

    engine: str
    name: str
    about: str
    languages: list[str]
    licence: str
    installed: bool
    in_use: bool
    asset: str
    size: int
    hint: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def listed_voices(configuration: Configuration, in_use: str = "") -> list[ListedVoice]:
    """All that are known, the best engine first. `in_use`: engine and name of the one that speaks, as `Voice.name` has
    them. Reads files: call it in a thread."""
    store, language = Store(configuration.models_folder), configuration.settings.speech.language
    made: list[ListedVoice] = []
    for engine, names in VOICES.items():
        licence, hint, installed, asset, size = _engine(engine, store)
        if not licence:
            continue
        languages = list(espeak.LANGUAGES) if engine == "espeak" else ["en"]
        for name in names:
            spoken = f"espeak {espeak.code(language)}+{name}" if engine == "espeak" else f"{engine} {name}"
            made.append(
                ListedVoice(
                    engine, name, _about(name), languages, licence, installed, spoken == in_use, asset, size, hint
                )
            )
    return made


def _engine(engine: str, store: Store) -> tuple[str, str, bool, str, int]:
    """Licence, hint, whether it is installed, asset and its size; no licence where this machine can't have it."""
    if engine in _PROGRAMS:
        licence, hint, available = _PROGRAMS[engine]
        return licence, "" if available() else hint, available(), "", 0
    name = ASSETS[engine]
    if name not in store.catalogue:
        return "", "", False, "", 0
    asset, ready = store.asset(name), store.is_ready(name)
    installed = ready and (kokoro if engine == "kokoro" else piper).available(store)
    hint = "" if installed else "pip install 'reachy-mind[speech]'" if ready else f"reachy-mind models pull {name}"
    return asset.licence, hint, installed, name, asset.size


def _about(name: str) -> str:
    if name in _ABOUT:
        return _ABOUT[name]
    if "_" not in name:  # espeak-ng's variants
        return "woman" if name.startswith("f") else "man"
    return f"{'woman' if name[1] == 'f' else 'man'}, {'American' if name[0] == 'a' else 'British'}"
