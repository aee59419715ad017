"""The names of voices: those of each text-to-speech engine, and the OpenAI voice names mapped to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

VOICES: Mapping[str, tuple[str, ...]] = {
    "piper": ("joe",),
    "flite": ("slt", "rms", "awb", "kal16"),
    "espeak": ("m1", "m3", "m7", "f2", "f3", "f5"),
}
"""By engine; the first is its default. Flite: a woman and a man from America, a man from Scotland, and an older man's
voice that needs the least time."""

_OPENAI_WOMEN = ("alloy", "ballad", "coral", "fable", "marin", "nova", "sage", "shimmer")
_OPENAI_MEN = ("ash", "cedar", "echo", "onyx", "verse")


def _spread(women: Sequence[str], men: Sequence[str]) -> dict[str, str]:
    """OpenAI's voice names, spread over the voices of an engine."""
    names = {name: women[number % len(women)] for number, name in enumerate(_OPENAI_WOMEN)}
    return names | {name: men[number % len(men)] for number, name in enumerate(_OPENAI_MEN)}


OPENAI_NAMES: Mapping[str, Mapping[str, str]] = {
    "piper": _spread(VOICES["piper"], VOICES["piper"]),
    "flite": _spread(("slt",), ("rms", "awb")),
    "espeak": _spread(("f3", "f2", "f5"), ("m3", "m1", "m7")),
}
"""The voice that speaks for an OpenAI name, by engine."""


def voice_name(engine: str, wanted: str) -> str:
    """The engine's voice for a name of its own or of OpenAI's; empty when it has none by that name."""
    name = wanted.strip().lower().removeprefix(f"{engine} ").removeprefix(f"{engine}:")
    return name if name in VOICES[engine] else OPENAI_NAMES[engine].get(name, "")


def is_voice(name: str, wanted: str) -> bool:
    """Whether the voice called `name` ("flite rms") is what an engine speaks with for this name."""
    engine, _, voice = name.partition(" ")
    return engine in VOICES and bool(voice) and voice_name(engine, wanted) == voice


def is_known(wanted: str) -> bool:
    """Whether any engine has a voice by that name."""
    return any(voice_name(engine, wanted) for engine in VOICES)
