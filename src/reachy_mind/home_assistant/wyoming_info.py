"""What the Wyoming services are, as Home Assistant asks for it."""

from __future__ import annotations

from typing import Any

from wyoming import info

from reachy_mind import __version__
from reachy_mind.errors import MindError
from reachy_mind.mind import Mind
from reachy_mind.models.store import Store
from reachy_mind.models.voice_names import VOICES
from reachy_mind.speech import wake_word_model

OURS = info.Attribution(name="Reachy Mind", url="https://github.com/reachy-mind")
PROGRAM = "reachy-mind"


def described(mind: Mind) -> info.Info:
    """Only what there is: without ears there is no `asr`."""
    settings = mind.configuration.settings
    about = _about(PROGRAM, "Reachy Mind")
    found = info.Info()
    try:
        ears = mind.speech.ears()
        model = info.AsrModel(**_about(ears.name, ears.name), languages=list(ears.languages))
        found.asr.append(info.AsrProgram(**about, models=[model]))
    except MindError:
        pass  # GET /api/v1/voice says why there are none
    try:
        voice = mind.speech.mouth()
        engine = voice.name.partition(" ")[0]
        names = VOICES.get(engine, (voice.name,))
        voices = [info.TtsVoice(**_about(name, f"{engine} {name}"), languages=list(voice.languages)) for name in names]
        found.tts.append(info.TtsProgram(**about, voices=voices))
    except MindError:
        pass
    handle = info.HandleModel(**_about("mind", "The robot's mind"), languages=[settings.speech.language])
    found.handle.append(info.HandleProgram(**about, models=[handle]))
    if words := wake_words(mind):
        models = [info.WakeModel(**_about(word, word), languages=["en"], phrase=_spoken(word)) for word in words]
        found.wake.append(info.WakeProgram(**about, models=models))
    if settings.home_assistant.satellite != "off":
        word = [settings.home_assistant.satellite_word] if settings.home_assistant.satellite == "word" else []
        name = settings.home_assistant.name
        found.satellite = info.Satellite(
            name=name,
            attribution=OURS,
            installed=True,
            description=name,
            version=__version__,
            has_vad=False,
            active_wake_words=word,
            max_active_wake_words=1,
            supports_trigger=True,
        )
    return found


def wake_words(mind: Mind) -> list[str]:
    """The wake words on this machine."""
    store = Store(mind.configuration.models_folder)
    return wake_word_model.words(store) if wake_word_model.available(store) else []


def _about(name: str, description: str) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "attribution": OURS,
        "installed": True,
        "version": __version__,
    }


def _spoken(word: str) -> str:
    return word.replace("_", " ")
