"""What is understood of quiet voices, and of two microphones. Sentences of a natural voice and recordings of people.

Quiet: speech at -20 to -50 dB of full scale over room noise at -65 dB, through gain control, the VAD and the ears. The
reference is the same without gain control. `missed`: no voice was detected.

Two microphones, six centimetres apart, two metres from the voice in a room with a reverberation of 0.35 s: noise from
another direction, noise of the microphones' own, opposite phase, a silent and a noisy channel. Ours is `ChannelMixer`,
the references are the mean of the channels and the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reachy_mind.bench import Figures
from reachy_mind.bench.sound_conditions import LONGEST_RECORDING_S, RECORDINGS
from reachy_mind.bench.speech import SENTENCES, word_errors
from reachy_mind.body import wav
from reachy_mind.body.channels import ChannelMixer
from reachy_mind.body.media import BLOCK_BYTES, BLOCK_SAMPLES
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.models.store import Store
from reachy_mind.sim.room_acoustics import RoomAcoustics, SoundPlace
from reachy_mind.speech import audio_format, flite, moonshine, piper
from reachy_mind.speech.gain_control import GainControl
from reachy_mind.speech.transcriber import Transcriber
from reachy_mind.speech.voices import Voice

SECONDS = 120.0
CLIPS_IN_SECONDS = 24
LEVELS_DB = (-20, -30, -35, -40, -45, -50)
NOISE_DB = -65.0
QUIET_S, LEAD_S = 1.0, 0.5
APART_M, DISTANCE_M = 0.06, 2.0
Clip = tuple[str, np.ndarray]
Mix = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class MicrophoneScene:
    """Two microphones. Levels are in decibels below the voice."""

    elsewhere_db: float = 20.0
    own_db: float = 20.0
    opposite: bool = False
    silent: int | None = None
    noisy: int | None = None


SCENES = {
    "noise_from_aside": MicrophoneScene(elsewhere_db=12.0),
    "own_noise": MicrophoneScene(elsewhere_db=40.0, own_db=8.0),
    "opposite_phase": MicrophoneScene(own_db=15.0, opposite=True),
    "first_silent": MicrophoneScene(own_db=15.0, silent=0),
    "first_noisy": MicrophoneScene(own_db=15.0, noisy=0),
    "second_noisy": MicrophoneScene(own_db=15.0, noisy=1),
}


async def measure(configuration: Configuration, seconds: float) -> Figures:
    store = Store(configuration.models_folder)
    clips = await _clips(store, max(4, round(CLIPS_IN_SECONDS * seconds / SECONDS)))
    ears = moonshine.transcriber(store)
    await ears.warm()
    try:
        ours: dict[str, float] = {}
        reference: dict[str, float] = {}
        for level in LEVELS_DB:
            ours |= await _heard_quietly(ears, clips, level, GainControl())
            reference |= await _heard_quietly(ears, clips, level, None)
        for name, scene in SCENES.items():
            for way, mix in MIXES.items():
                rate = await _heard_by_two(ears, clips, scene, mix)
                where = ours if way == "mixer" else reference
                where[f"{name}_wer_percent" if way in ("mixer", "mean") else f"{name}_{way}_wer_percent"] = rate
    finally:
        await ears.aclose()
    shared = [name for name in ours if name.endswith("wer_percent") and reference.get(name)]
    return Figures(
        ours | {"clips": len(clips)}, reference, {name: round(ours[name] / reference[name], 3) for name in shared}
    )


async def _clips(store: Store, count: int) -> list[Clip]:
    """So many sentences, and a recording of a person. Raises NotReady without a voice."""
    voice: Voice
    if piper.available(store):
        voice = piper.voice(store)
    elif flite.available():
        voice = flite.voice()
    else:
        raise NotReady("there is no voice on this machine to hear", hint=flite.HINT)
    made = []
    for text in SENTENCES[:count]:
        pcm = b"".join([piece async for piece in voice.synthesize(text)])
        made.append((text, audio_format.to_floats(pcm)))
    await voice.aclose()
    name = "beckett.wav"
    recording = (moonshine.library_folder() / "assets" / name).read_bytes()
    return [*made, (RECORDINGS[name], wav.read(recording, LONGEST_RECORDING_S))]


def _level(sound: np.ndarray) -> float:
    loud = np.abs(sound) > 0.05 * np.abs(sound).max(initial=0.0)
    return float(np.sqrt(np.mean(np.square(sound[loud])))) if loud.any() else 1.0


def _pink(samples: int, level: float, seed: int) -> np.ndarray:
    spectrum = np.fft.rfft(np.random.default_rng(seed).normal(size=samples))
    lowest = max(1, 50 * samples // audio_format.RATE)
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), lowest)), samples)
    return np.asarray(noise * level / np.sqrt(np.mean(np.square(noise))))


def _amplitude(decibels: float) -> float:
    return float(10 ** (decibels / 20))


async def _heard_quietly(
    ears: Transcriber, clips: list[Clip], level_db: float, gain: GainControl | None
) -> dict[str, float]:
    from pipecat.audio.vad.vad_analyzer import VADState

    from reachy_mind.speech.vad import VAD_PARAMS, SharedSilero

    vad = SharedSilero(VAD_PARAMS)
    vad.set_sample_rate(audio_format.RATE)
    wrong = said = missed = 0
    for seed, (text, sound) in enumerate(clips):
        quiet = np.zeros(round(QUIET_S * audio_format.RATE))
        whole = np.concatenate((quiet, sound / _level(sound) * _amplitude(level_db), quiet))
        pcm = audio_format.to_pcm(whole + _pink(len(whole), _amplitude(NOISE_DB), seed))
        out, spoken = bytearray(), list[int]()
        for begin in range(0, len(pcm) - BLOCK_BYTES + 1, BLOCK_BYTES):
            block = pcm[begin : begin + BLOCK_BYTES]
            block = block if gain is None else gain.levelled(block, own_voice=False)
            out += block
            if await vad.analyze_audio(block) is VADState.SPEAKING:
                spoken.append(begin)
        heard = ""
        if spoken:
            first = max(0, spoken[0] - 2 * round(LEAD_S * audio_format.RATE))
            heard = (await ears.transcribe(bytes(out[first : spoken[-1] + 5 * BLOCK_BYTES]), language="en")).text
        errors, words = word_errors(text, heard)
        wrong, said, missed = wrong + errors, said + words, missed + (not spoken)
    name = f"at_{-level_db:g}db_below"
    return {f"{name}_wer_percent": round(100 * wrong / said, 1), f"{name}_missed": missed}


async def _heard_by_two(ears: Transcriber, clips: list[Clip], scene: MicrophoneScene, mix: Mix) -> float:
    wrong = said = 0
    for seed, (text, sound) in enumerate(clips):
        made = np.asarray(mix(_recorded(sound, scene, seed)), np.float32)
        errors, words = word_errors(text, (await ears.transcribe(audio_format.to_pcm(made), language="en")).text)
        wrong, said = wrong + errors, said + words
    return round(100 * wrong / said, 1)


def _recorded(sound: np.ndarray, scene: MicrophoneScene, seed: int) -> np.ndarray:
    """By two microphones side by side."""
    quiet = np.zeros(round(QUIET_S * audio_format.RATE))
    whole = np.concatenate((quiet, sound / _level(sound), quiet))
    direction = float(np.random.default_rng(seed).uniform(-1.2, 1.2))
    voice = _at_both(whole, direction, 2 * seed)
    level = _level(voice[:, 0])
    other = _at_both(_pink(len(whole), 1.0, seed), -1.0 if direction > 0 else 1.0, 1000 + 2 * seed)
    both = voice + other * level * _amplitude(-scene.elsewhere_db) / _level(other[:, 0])
    for channel in (0, 1):
        both[:, channel] += _pink(len(whole), level * _amplitude(-scene.own_db), 2000 + 2 * seed + channel)
    if scene.noisy is not None:
        both[:, scene.noisy] += _pink(len(whole), level, 3000 + seed)
    if scene.opposite:
        both[:, 1] *= -1
    if scene.silent is not None:
        both[:, scene.silent] = 0.0
    return np.asarray(both * 0.3 / np.abs(both).max())


def _at_both(sound: np.ndarray, direction: float, seed: int) -> np.ndarray:
    room, channels = RoomAcoustics(), []
    for channel, aside in enumerate((APART_M / 2, -APART_M / 2)):
        place = SoundPlace.towards(direction, DISTANCE_M)
        taps = room.response(SoundPlace(place.x, place.y - aside, place.z), seed + channel)
        length = len(sound) + len(taps)
        channels.append(np.fft.irfft(np.fft.rfft(sound, length) * np.fft.rfft(taps, length), length)[: len(sound)])
    return np.stack(channels, axis=1)


def _streamed(sound: np.ndarray) -> np.ndarray:
    """As it comes from a device, block by block."""
    mixer = ChannelMixer(sound.shape[1], audio_format.RATE)
    blocks = range(0, len(sound), BLOCK_SAMPLES)
    return np.concatenate([mixer.mixed(sound[at : at + BLOCK_SAMPLES].astype(np.float32)) for at in blocks])


MIXES: dict[str, Mix] = {
    "mixer": _streamed,
    "mean": lambda sound: sound.mean(axis=1),
    "first": lambda sound: sound[:, 0],
}
