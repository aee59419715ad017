"""The names of voices: those of each text-to-speech engine, and the OpenAI voice names mapped to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

VOICES: Mapping[str, tuple[str, ...]] = {
    "kokoro": (
        *("af_heart", "af_bella", "af_nicole", "af_aoede", "af_kore", "af_sarah", "af_alloy", "af_nova", "af_sky"),
        *("af_jessica", "af_river", "am_michael", "am_fenrir", "am_puck", "am_echo", "am_eric", "am_liam", "am_onyx"),
        *("am_santa", "am_adam", "bf_emma", "bf_isabella", "bf_alice", "bf_lily", "bm_george", "bm_fable"),
        *("bm_lewis", "bm_daniel"),
    ),
    "piper": ("joe",),
    "flite": ("slt", "rms", "awb", "kal16"),
    "espeak": ("m1", "m3", "m7", "f2", "f3", "f5"),
}
"""By engine; the first is its default. Kokoro: women (f) and men (m) from America (a) and Britain (b), each kind with
the best first, by the grades of those who made them. Flite: a woman and a man from America, a man from Scotland, and an
older man's voice that needs the least time."""

_OPENAI_WOMEN = ("alloy", "ballad", "coral", "fable", "marin", "nova", "sage", "shimmer")
_OPENAI_MEN = ("ash", "cedar", "echo", "onyx", "verse")


def _spread(women: Sequence[str], men: Sequence[str]) -> dict[str, str]:
    """OpenAI's voice names, spread over the voices of an engine."""
    names = {name: women[number % len(women)] for number, name in enumerate(_OPENAI_WOMEN)}
    return names | {name: men[number % len(men)] for number, name in enumerate(_OPENAI_MEN)}


OPENAI_NAMES: Mapping[str, Mapping[str, str]] = {
    "kokoro": _spread(
        ("af_alloy", "af_bella", "af_kore", "bf_emma", "af_heart", "af_nova", "af_sarah", "af_aoede"),
        ("am_michael", "am_fenrir", "am_echo", "am_onyx", "am_puck"),
    ),
    "piper": _spread(VOICES["piper"], VOICES["piper"]),
    "flite": _spread(("slt",), ("rms", "awb")),
    "espeak": _spread(("f3", "f2", "f5"), ("m3", "m1", "m7")),
}
"""The voice that speaks for an OpenAI name, by engine."""


def voice_name(engine: str, wanted: str) -> str:
    """The engine's voice for a name of its own or of OpenAI's; empty when it has none by that name."""
    name = wanted.strip().lower().removeprefix(f"{engine} ").removeprefix(f"{engine}:")
    return name if name in VOICES[engine] else OPENAI_NAMES[engine].get(name, "")


def engine_of(wanted: str) -> str:
    """The engine that has a voice of its own by that name; empty when none has."""
    name = wanted.strip().lower()
    return next((engine for engine, names in VOICES.items() if name in names), "")


def is_voice(name: str, wanted: str) -> bool:
    """Whether the voice called `name` ("flite rms") is what an engine speaks with for this name."""
    engine, _, voice = name.partition(" ")
    return engine in VOICES and bool(voice) and voice_name(engine, wanted) == voice


def is_known(wanted: str) -> bool:
    """Whether any engine has a voice by that name."""
    return any(voice_name(engine, wanted) for engine in VOICES)
