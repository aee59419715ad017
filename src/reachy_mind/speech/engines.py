"""Chooses the speech-to-text and text-to-speech engines, and says why: by the settings, this machine and the profile.

ears = engines.ears(configuration)
mouth = engines.mouth(configuration, wanted="cedar")
if mouth.part is None: print(mouth.why, mouth.fix)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeVar

from reachy_mind import log
from reachy_mind.config.configuration import Configuration
from reachy_mind.config.plugins import STT, TTS, PluginPoint
from reachy_mind.config.settings import SpeechSettings
from reachy_mind.errors import MindError, MissingExtra, NotReady
from reachy_mind.models import voice_names
from reachy_mind.models.machine import has_little_memory
from reachy_mind.models.store import Store
from reachy_mind.models.voice_names import VOICES, voice_name
from reachy_mind.speech import (
    espeak,
    flite,
    keyword_decision,
    keyword_model,
    kokoro,
    moonshine,
    piper,
    system_voice,
    wake_word_model,
    whisper,
)
from reachy_mind.speech.transcriber import PackagedTranscriber, Transcriber
from reachy_mind.speech.voices import Voice

logger = log.get(__name__)
Part = TypeVar("Part")

MISSING = {"ears": "are no ears", "voice": "is no voice"}


@dataclass(frozen=True)
class SpeechChoice(Generic[Part]):
    """What was chosen and why. Without a `part` there is none, and `fix` says what to do about it."""

    part: Part | None
    why: str
    fix: str = ""


def ears(configuration: Configuration) -> SpeechChoice[Transcriber]:
    """Never raises: what can't be had is a choice without a part."""
    speech = configuration.settings.speech
    store = Store(configuration.models_folder)
    makers: dict[str, Callable[[], Transcriber]] = {
        "moonshine": lambda: moonshine.transcriber(store, "tiny" if has_little_memory() else "auto"),
        "whisper": lambda: whisper.transcriber(store),
    }
    sizes: dict[str, Callable[[], Transcriber]] = {
        "moonshine-base": lambda: moonshine.transcriber(store, "base"),
        "moonshine-tiny": lambda: moonshine.transcriber(store, "tiny"),
    }
    knows = {"whisper": whisper.LANGUAGES, **dict.fromkeys(("moonshine", *sizes), moonshine.LANGUAGES)}
    if speech.ears in sizes:
        makers[speech.ears] = sizes[speech.ears]
    elif speech.ears not in (*makers, "auto", "none"):
        makers[speech.ears] = lambda: PackagedTranscriber(_plugin(STT, speech.ears, speech))
    chosen = _chosen(speech.ears, "speech.ears", makers, knows, speech.language)
    better = better_ears(configuration)
    return replace(chosen, why=f"{chosen.why}; {better}") if chosen.part is not None and better else chosen


def better_ears(configuration: Configuration) -> str:
    """What to pull so that it hears better, and how; empty where nothing would."""
    speech = configuration.settings.speech
    if speech.ears not in ("auto", "moonshine") or speech.language not in moonshine.LANGUAGES or has_little_memory():
        return ""
    return moonshine.advice(Store(configuration.models_folder))


def mouth(
    configuration: Configuration, wanted: str = "", speed: float | None = None, engine: str = ""
) -> SpeechChoice[Voice]:
    """`wanted` is the name in a profile's voice.txt, else that in the settings: one of an engine's own, which `auto`
    then prefers, or one of OpenAI's; what the engine does not know is its first voice, and one line in the log.
    `speed`, `engine`: others than those of the settings."""
    speech = configuration.settings.speech
    speech = speech.model_copy(update={"voice": engine}) if engine else speech
    wanted = wanted.strip() or speech.voice_name
    speed = speech.speed if speed is None else speed
    store = Store(configuration.models_folder)
    makers: dict[str, Callable[[], Voice]] = {
        "kokoro": lambda: _named("kokoro", wanted, lambda name: kokoro.voice(store, name, speed)),
        "piper": lambda: _named("piper", wanted, lambda _: piper.voice(store, speed)),
        "flite": lambda: _flite(wanted, speed),
        "espeak": lambda: _espeak(wanted, speed, speech.language),
    }
    if speech.voice == "system" or system_voice.available():
        makers["system"] = lambda: _system(speed, speech.language)
    if speech.voice == "auto":
        named = voice_names.engine_of(wanted)
        if named != "kokoro" and has_little_memory():
            del makers["kokoro"]
        elif named != "kokoro":
            makers["kokoro"] = lambda: _quick_kokoro(store, makers, wanted, speed)
        if named:
            makers = {named: makers[named], **makers}
    knows = {"kokoro": kokoro.LANGUAGES, "piper": piper.LANGUAGES, "flite": flite.LANGUAGES, "espeak": espeak.LANGUAGES}
    knows |= {"system": system_voice.LANGUAGES}
    if speech.voice not in (*makers, "auto", "none"):
        paced = speech.model_copy(update={"speed": speed})
        makers[speech.voice] = lambda: _plugin(TTS, speech.voice, paced)
    return _chosen(speech.voice, "speech.voice", makers, knows, speech.language)


def wake_word(configuration: Configuration) -> wake_word_model.WakeWordDetector | None:
    """What listens for a pulled word to be called by; None when there is none. Raises NotReady, InvalidParameter."""
    speech = configuration.settings.speech
    if speech.wake != "word" or speech.wake_word == keyword_decision.WAKE_WORD:
        return None
    return wake_word_model.detector(Store(configuration.models_folder), speech.wake_word)


def keywords(configuration: Configuration) -> keyword_model.KeywordDetector | None:
    """What recognises stop words, and "hey Reachy"; None when neither is listened for, or stop words can't be. Raises
    NotReady, MissingExtra when it is to be called by that and can't be."""
    speech = configuration.settings.speech
    if speech.wake == "word" and speech.wake_word == keyword_decision.WAKE_WORD:
        return keyword_model.KeywordDetector()
    if not speech.stop_words or speech.language not in moonshine.LANGUAGES:
        return None
    try:
        return keyword_model.KeywordDetector()
    except MindError as error:
        logger.warning("stop words are recognised only when they are transcribed", reason=error.message)
        return None


def required(chosen: SpeechChoice[Part], what: Literal["ears", "voice"]) -> Part:
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
) -> SpeechChoice[Part]:
    if setting == "none":
        return SpeechChoice(None, f"switched off ({key}: none)", fix=f"set {key} to auto")
    passed: list[str] = []
    fix, extra_missing = "", False
    for name in makers if setting == "auto" else [setting]:
        if name in knows and language not in knows[name]:
            passed.append(f"{name} does not know the language {language}")
            fix = fix or "choose another speech.language"
            continue
        try:
            part = makers[name]()
        except MindError as error:
            passed.append(error.message)
            if not extra_missing:  # the first choice, once it is installed, is better than the last one
                fix = error.hint
            extra_missing = extra_missing or isinstance(error, MissingExtra)
        else:
            why = f"{key}: {setting}" if setting != "auto" else "; ".join(passed) or f"first choice for {language}"
            return SpeechChoice(part, why)
    return SpeechChoice(None, "; ".join(passed), fix)


def _plugin(point: PluginPoint, name: str, speech: SpeechSettings) -> Any:
    """The part of an installed package. Raises NotReady, also when it does not know the language."""
    part: Transcriber | Voice = point.load(name, speech)
    if speech.language not in part.languages:
        raise NotReady(f"{name} does not know the language {speech.language}", hint="choose another speech.language")
    return part


def _quick_kokoro(store: Store, makers: Mapping[str, Callable[[], Voice]], wanted: str, speed: float) -> Voice:
    """Kokoro, unless it is known to be too slow on this machine; where that is not known, it is measured when it is
    used, and the next voice that is there speaks if it is. Raises NotReady."""
    if (takes := kokoro.known_slow(store)) is not None:
        raise NotReady(
            f"kokoro takes {takes:.2f} s of a core for a second of sound on this machine",
            hint="to use it all the same: speech.voice: kokoro",
        )

    def made(name: str) -> Voice:
        return kokoro.voice(store, name, speed)

    chosen = _named("kokoro", wanted, made)
    assert isinstance(chosen, kokoro.KokoroVoice)
    others = {name: make for name, make in makers.items() if name != "kokoro"}
    return kokoro.KokoroOrOther(chosen, kokoro.record(store), lambda: _first(others, chosen))


def _first(makers: Mapping[str, Callable[[], Voice]], last: Voice) -> Voice:
    for make in makers.values():
        with suppress(MindError):
            return make()
    return last


def _flite(wanted: str, speed: float) -> Voice:
    if not flite.available():
        raise NotReady("flite is not installed", hint=flite.HINT)
    return _named("flite", wanted, lambda name: flite.voice(name, speed))


def _espeak(wanted: str, speed: float, language: str) -> Voice:
    if not espeak.available():
        raise NotReady("espeak-ng is not installed", hint=espeak.HINT)
    return _named("espeak", wanted, lambda name: espeak.voice(name, speed, language))


def _system(speed: float, language: str) -> Voice:
    if not system_voice.available():
        raise NotReady("this system has no voice of its own", hint=flite.HINT)
    return system_voice.voice(language, speed)


def _named(engine: str, wanted: str, make: Callable[[str], Voice]) -> Voice:
    made_for = voice_name(engine, wanted)
    voice = make(made_for or VOICES[engine][0])
    if wanted.strip() and not made_for:
        logger.info("voice is unknown to the engine in use", wanted=wanted.strip(), spoken_with=voice.name)
    return voice
