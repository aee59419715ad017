"""When a turn ends: at the pauses of people who think while they speak, and at the end. Faster than real time.

The utterances and rooms of `bench voice` with the natural voices, of which turn-taking was chosen on others; and two
recordings of people who read aloud. At every pause that the voice activity detection finds, the ears write what was
said so far, and the silence that turn-taking would wait is compared with the one that followed. Ours judges words,
confidence and melody. Reference: a fixed silence of 0.8 s. `words` is ours without the melody.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass

from pipecat.audio.vad.vad_analyzer import VADState

from reachy_mind.bench import Figures
from reachy_mind.bench.rooms import AFTER_S, ROOMS, heard
from reachy_mind.bench.sound_conditions import LONGEST_RECORDING_S, RECORDINGS
from reachy_mind.bench.spoken_turns import percent, spread
from reachy_mind.bench.synthetic_people import speakers
from reachy_mind.bench.utterances import mixed, spoken
from reachy_mind.body import wav
from reachy_mind.brains.reflex.end_of_turn import finished
from reachy_mind.brains.reflex.reader import Reader
from reachy_mind.brains.reflex.understanding import Understanding
from reachy_mind.brains.stop_words import is_stop
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, engines, flite, moonshine, pipecat_log
from reachy_mind.speech.delegate import MicrophoneState, SpeechDelegate
from reachy_mind.speech.events import SpeechEvent
from reachy_mind.speech.heard import Heard, Say
from reachy_mind.speech.phrases import meant
from reachy_mind.speech.prosody import smart_turn
from reachy_mind.speech.stt import CONTINUE_WITHIN_S, LEAD_S
from reachy_mind.speech.transcriber import Transcriber
from reachy_mind.speech.turn_taking import TurnEndStrategy
from reachy_mind.speech.vad import VAD_PARAMS, SharedSilero

SECONDS = 300.0
ROOM_NAMES = tuple(room.name for room in ROOMS)
FIXED_S = 0.8
ANSWER_S = 0.15
"""From the end of a turn to the first sound of the answer."""
SHORTEST_S = 0.25
"""Shorter silences are part of speech."""
LAST_WORD_S = 0.5
"""A voice that was not heard for longer than this before its end was not heard to its end."""
MELODY_S = 8.0
BLOCK = 640


@dataclass(frozen=True)
class JudgedPause:
    """`lasted_s`: the silence, infinite at the end of the utterance."""

    room: str
    hesitating: bool
    lasted_s: float
    ours_s: float
    words_s: float
    melody: float

    @property
    def is_end(self) -> bool:
        return self.lasted_s == float("inf")


class ReflexTurnEnds(SpeechDelegate):
    """Judges by the reader, as the mind does without a model."""

    def __init__(self) -> None:
        self._understanding = Understanding(Reader.load())

    async def respond(self, heard: Heard) -> AsyncGenerator[Say, None]:
        yield Say(heard.text)

    async def end_of_turn_probability(self, text: str) -> float:
        return 1.0 if is_stop(text) else finished(self._understanding.plan(text, ()), text)

    def microphone_changed(self, state: MicrophoneState, reason: str) -> None:  # noqa: ARG002
        return

    def failed(self, reason: str) -> None:  # noqa: ARG002
        return

    def observed(self, event: SpeechEvent) -> None:  # noqa: ARG002
        return


class PauseJudge:
    def __init__(self, ears: Transcriber) -> None:
        self._ears, self._strategy = ears, TurnEndStrategy(ReflexTurnEnds())

    async def judge(self, pcm: bytes, end_s: float, room: str, *, hesitating: bool) -> list[JudgedPause]:
        """Every pause of a sound whose voice ends at that second."""
        voices = await voiced(pcm)
        judged = []
        for (_, stop), after in zip(voices, [*voices[1:], None], strict=True):
            if after is not None and after[0] - stop < SHORTEST_S:
                continue
            if after is None and stop < end_s - LAST_WORD_S:
                continue  # the last words were not heard
            first = max(0.0, voices[0][0] - LEAD_S)
            judged.append(await self._judge(pcm, first, stop, after[0] if after else None, room, hesitating))
        return judged

    async def _judge(
        self, pcm: bytes, first: float, stop: float, after: float | None, room: str, hesitating: bool
    ) -> JudgedPause:
        detected = stop + VAD_PARAMS.stop_secs
        sound = pcm[_at(first) : _at(detected)]
        transcript = await self._ears.transcribe(sound, language="en", rated=True)
        text = meant(transcript.text)
        last = audio_format.to_floats(sound[-_at(MELODY_S) :])
        melody = await asyncio.to_thread(smart_turn().finished, last)
        return JudgedPause(
            room,
            hesitating,
            float("inf") if after is None else after - stop,
            await self._strategy.silence_s(text, transcript.confidence, melody),
            await self._strategy.silence_s(text, transcript.confidence),
            melody,
        )


async def voiced(pcm: bytes) -> list[tuple[float, float]]:
    """Where the voice activity detection hears a voice: its beginning and end, in seconds."""
    analyzer = SharedSilero(VAD_PARAMS)
    analyzer.set_sample_rate(audio_format.RATE)
    made: list[tuple[float, float]] = []
    began: float | None = None
    for at in range(0, len(pcm) - BLOCK + 1, BLOCK):
        state = await analyzer.analyze_audio(pcm[at : at + BLOCK])
        now = audio_format.seconds(pcm[: at + BLOCK])
        if state is VADState.SPEAKING and began is None:
            began = now - VAD_PARAMS.start_secs
        elif state is VADState.QUIET and began is not None:
            made.append((began, now - VAD_PARAMS.stop_secs))
            began = None
    return made


async def measure(configuration: Configuration, seconds: float, rooms: Sequence[str] = ROOM_NAMES) -> Figures:
    people = speakers(Store(configuration.models_folder))
    if not people:
        raise NotReady("there is no voice on this machine to speak with", hint=flite.HINT)
    pipecat_log.route()
    ears = engines.required(engines.ears(configuration), "ears")
    voices = {name: make() for name, make in people.items()}
    there = [room for room in ROOMS if room.name in rooms]
    judge, judged, began = PauseJudge(ears), list[JudgedPause](), time.monotonic()
    try:
        await ears.warm()
        read = await _read_aloud(judge)
        for number, utterance in enumerate(mixed()):
            if time.monotonic() - began > seconds:
                break
            name = list(voices)[number % len(voices)]
            clip = await spoken(utterance, name, voices[name], number)
            for room in there:
                pcm, end = heard(clip, room, number)
                judged += await judge.judge(pcm, end / audio_format.RATE, room.name, hesitating=utterance.paused)
    finally:
        await ears.aclose()
        for voice in voices.values():
            await voice.aclose()
    return _figures(judged, read, there_names=[room.name for room in there])


async def _read_aloud(judge: PauseJudge) -> list[JudgedPause]:
    folder = moonshine.library_folder() / "assets"
    judged = []
    for name in RECORDINGS:
        pcm = wav.read_pcm((folder / name).read_bytes(), LONGEST_RECORDING_S)
        silence = bytes(round(AFTER_S * audio_format.RATE) * audio_format.WIDTH)
        end_s = audio_format.seconds(pcm)
        judged += await judge.judge(pcm + silence, end_s, "read_aloud", hesitating=True)
    return judged


def _figures(judged: list[JudgedPause], read: list[JudgedPause], there_names: Sequence[str]) -> Figures:
    ours: dict[str, float] = {
        "pauses": sum(not one.is_end for one in judged),
        "ends": sum(one.is_end for one in judged),
    }
    reference: dict[str, float] = {}
    for name, waits in (("", "ours_s"), ("words_", "words_s")):
        ours |= _shares(name, judged, [getattr(one, waits) for one in judged])
    reference |= _shares("", judged, [FIXED_S] * len(judged))
    for room in there_names:
        here = [one for one in judged if one.room == room]
        ours |= _shares(f"{room}_", here, [one.ours_s for one in here])
    pauses = [one for one in read if not one.is_end]
    ours["read_aloud_pauses"] = len(pauses)
    ours["read_aloud_answered_into_percent"] = _into(pauses, [one.ours_s for one in pauses])
    ours["read_aloud_words_answered_into_percent"] = _into(pauses, [one.words_s for one in pauses])
    reference["read_aloud_answered_into_percent"] = _into(pauses, [FIXED_S] * len(pauses))
    ours["melody_right_percent"] = _melody_right(judged)
    ours["read_aloud_melody_right_percent"] = _melody_right(read)
    shared = [name for name in reference if reference[name] and name in ours]
    return Figures(ours, reference, {name: round(ours[name] / reference[name], 3) for name in shared})


def _shares(prefix: str, judged: list[JudgedPause], waits: list[float]) -> dict[str, float]:
    pairs = list(zip(judged, waits, strict=True))
    pauses = [(one, wait) for one, wait in pairs if not one.is_end and one.hesitating]
    ends = [1000 * wait for one, wait in pairs if one.is_end]
    cut = sum(wait < one.lasted_s > CONTINUE_WITHIN_S for one, wait in pauses)
    return {
        f"{prefix}pauses_cut_off_percent": percent(cut, len(pauses)),
        f"{prefix}pauses_answered_into_percent": _into([one for one, _ in pauses], [wait for _, wait in pauses]),
        **spread(f"{prefix}silence_at_end_", ends),
        f"{prefix}silence_at_end_mean_ms": round(statistics.mean(ends), 1) if ends else 0.0,
    }


def _into(pauses: Iterable[JudgedPause], waits: Iterable[float]) -> float:
    answered = [wait + ANSWER_S < one.lasted_s for one, wait in zip(pauses, waits, strict=True)]
    return percent(sum(answered), len(answered))


def _melody_right(judged: list[JudgedPause]) -> float:
    """How often the melody alone is right, at its own threshold of a half."""
    return percent(sum((one.melody > 0.5) == one.is_end for one in judged), len(judged))


def _at(second: float) -> int:
    return round(second * audio_format.RATE) * audio_format.WIDTH
