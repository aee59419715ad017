"""Which ears and which voice, and why: from the settings, from what this machine has, and from a profile's wish.

ears = choice.ears(configuration)
mouth = choice.mouth(configuration, wanted="cedar")
if mouth.part is None: print(mouth.why, mouth.fix)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from reachy_mind import log
from reachy_mind.config import Configuration
from reachy_mind.errors import MindError, NotReady
from reachy_mind.models.store import Store
from reachy_mind.speech import espeak, flite, moonshine, piper, wakewords, whisper
from reachy_mind.speech.transcription import Transcriber
from reachy_mind.speech.voices import Voice

logger = log.get(__name__)
Part = TypeVar("Part")

_WOMEN = ("alloy", "ballad", "coral", "fable", "marin", "nova", "sage", "shimmer")
_MEN = ("ash", "cedar", "echo", "onyx", "verse")


def _table(women: Sequence[str], men: Sequence[str]) -> dict[str, str]:
    """The names OpenAI gives its voices, spread over those of an engine."""
    spread = {name: women[number % len(women)] for number, name in enumerate(_WOMEN)}
    return spread | {name: men[number % len(men)] for number, name in enumerate(_MEN)}


KNOWN_AS: Mapping[str, Mapping[str, str]] = {
    "piper": _table(piper.VOICES, piper.VOICES),
    "flite": _table(("slt",), ("rms", "awb")),
    "espeak": _table(("f3", "f2", "f5"), ("m3", "m1", "m7")),
}
MISSING = {"ears": "are no ears", "voice": "is no voice"}
VOICES: Mapping[str, tuple[str, ...]] = {"piper": piper.VOICES, "flite": flite.VOICES, "espeak": espeak.VOICES}


@dataclass(frozen=True)
class Choice(Generic[Part]):
    """What was chosen and why. Without a `part` there is none, and `fix` says what to do about it."""

    part: Part | None
    why: str
    fix: str = ""


def ears(configuration: Configuration) -> Choice[Transcriber]:
    """Never raises: what can't be had is a choice without a part."""
    speech = configuration.settings.speech
    store = Store(configuration.models_folder)
    makers: dict[str, Callable[[], Transcriber]] = {
        "moonshine": moonshine.transcriber,
        "whisper": lambda: whisper.transcriber(store),
    }
    knows = {"moonshine": moonshine.LANGUAGES, "whisper": whisper.LANGUAGES}
    return _chosen(speech.ears, "speech.ears", makers, knows, speech.language)


def mouth(configuration: Configuration, wanted: str = "", speed: float | None = None) -> Choice[Voice]:
    """`wanted` is the name in a profile's voice.txt: one of the engine's own, or one of OpenAI's; what the engine does
    not know is its first voice, and one line in the log. `speed`: another than that of the settings."""
    speech = configuration.settings.speech
    speed = speech.speed if speed is None else speed
    store = Store(configuration.models_folder)
    makers: dict[str, Callable[[], Voice]] = {
        "piper": lambda: _named("piper", wanted, lambda _: piper.voice(store, speed)),
        "flite": lambda: _flite(wanted, speed),
        "espeak": lambda: _espeak(wanted, speed, speech.language),
    }
    knows = {"piper": piper.LANGUAGES, "flite": flite.LANGUAGES, "espeak": espeak.LANGUAGES}
    return _chosen(speech.voice, "speech.voice", makers, knows, speech.language)


def wake_word(configuration: Configuration) -> wakewords.Detector | None:
    """What listens for the word to be called by; None when it need not be. Raises NotReady, InvalidParameter."""
    speech = configuration.settings.speech
    if speech.wake != "word":
        return None
    return wakewords.detector(Store(configuration.models_folder), speech.wake_word)


def required(chosen: Choice[Part], what: Literal["ears", "voice"]) -> Part:
    """The part that was chosen. Raises NotReady with the reason why there is none."""
    if chosen.part is None:
        raise NotReady(f"there {MISSING[what]}: {chosen.why}", hint=chosen.fix)
    return chosen.part


def _chosen(
    setting: str,
    key: str,
    makers: Mapping[str, Callable[[], Part]],
    knows: Mapping[str, Sequence[str]],
    language: str,
) -> Choice[Part]:
    if setting == "none":
        return Choice(None, f"switched off ({key}: none)", fix=f"set {key} to auto")
    passed: list[str] = []
    fix = ""
    for name in makers if setting == "auto" else [setting]:
        if language not in knows[name]:
            passed.append(f"{name} does not know the language {language}")
            fix = fix or "choose another speech.language"
            continue
        try:
            part = makers[name]()
        except MindError as error:
            passed.append(error.message)
            fix = error.hint
        else:
            why = f"{key}: {setting}" if setting != "auto" else "; ".join(passed) or f"first choice for {language}"
            return Choice(part, why)
    return Choice(None, "; ".join(passed), fix)


def _flite(wanted: str, speed: float) -> Voice:
    if not flite.available():
        raise NotReady("flite is not installed", hint=flite.HINT)
    return _named("flite", wanted, lambda name: flite.voice(name, speed))


def _espeak(wanted: str, speed: float, language: str) -> Voice:
    if not espeak.available():
        raise NotReady("espeak-ng is not installed", hint=espeak.HINT)
    return _named("espeak", wanted, lambda name: espeak.voice(name, speed, language))


def _named(engine: str, wanted: str, make: Callable[[str], Voice]) -> Voice:
    made_for = voice_name(engine, wanted)
    voice = make(made_for or VOICES[engine][0])
    if wanted.strip() and not made_for:
        logger.info("voice is unknown to the engine in use", wanted=wanted.strip(), spoken_with=voice.name)
    return voice


def voice_name(engine: str, wanted: str) -> str:
    """The engine's voice for a name of its own or of OpenAI's; empty when it has none by that name."""
    name = wanted.strip().lower().removeprefix(f"{engine} ").removeprefix(f"{engine}:")
    return name if name in VOICES[engine] else KNOWN_AS[engine].get(name, "")
