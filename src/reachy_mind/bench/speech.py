"""Accuracy and latency of speech to text and text to speech. Forty sentences, said by every installed voice.

Ours: the transcriber in use, warm, on clips one after the other; each voice, warm, with a reply of three sentences.
Reference, speech to text: for accuracy the library as its documentation uses it, one long-lived transcriber with its
own VAD; for latency a process started for each clip. Reference, text to speech: started for each reply, and heard when
all of it is synthesized. Whisper is measured too where it was pulled, on as many clips as half the time allows.

`under_*`: the most natural voice and two recordings of people (in the package moonshine-voice), clean, with noise and
in a room; ours, tiny where ours is base, and the library; with the processor time of a second of sound and the memory.
"""

from __future__ import annotations

import importlib
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import psutil

from reachy_mind.bench import Figures
from reachy_mind.bench.sound_conditions import under_conditions
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.models.store import Store
from reachy_mind.models.worker import Worker
from reachy_mind.speech import audio_format, espeak, flite, kokoro, moonshine, piper, whisper
from reachy_mind.speech.transcriber import HostedTranscriber, Transcriber
from reachy_mind.speech.voices import Voice

SECONDS = 120.0
SENTENCES = tuple(Path(__file__).with_name("spoken.txt").read_text(encoding="utf-8").splitlines())
REPLY = (
    "The weather in Lisbon is sunny today, with twenty four degrees in the afternoon. "
    "Tomorrow it will rain until about half past nine. Shall I remind you to take an umbrella?"
)
COLD_STARTS = 3
TINY = "moonshine tiny"
NATURAL = ("piper", "flite", "espeak")
"""Engines, the most natural voice first."""
EVERY = 2
"""Of the sentences, so many are heard in each condition."""
Clip = tuple[str, bytes]
Hear = Callable[[bytes], Awaitable[str]]


async def measure(configuration: Configuration, seconds: float) -> Figures:
    store = Store(configuration.models_folder)
    makers = _voices(store)
    if not makers:
        raise NotReady("there is no voice on this machine to hear", hint=flite.HINT)
    ours: dict[str, float] = {}
    reference: dict[str, float] = {}
    clips: dict[str, list[Clip]] = {}
    for engine, make in makers.items():
        mine, plain, clips[engine] = await _spoken(make)
        ours |= {f"{engine}_{name}": value for name, value in mine.items()}
        reference |= {f"{engine}_{name}": value for name, value in plain.items()}
    ears = moonshine.transcriber(store)
    await ears.warm()
    ours |= await _heard(_of(ears), clips)
    natural = next(clips[engine] for engine in NATURAL if engine in clips)
    under = under_conditions(natural[::EVERY])
    ours |= await _heard_under(ears, under)
    await ears.aclose()
    if ears.name != TINY:
        tiny = moonshine.transcriber(store, "tiny")
        await tiny.warm()
        figures = await _heard(_of(tiny), clips) | await _heard_under(tiny, under)
        await tiny.aclose()
        reference |= {f"tiny_{name}": value for name, value in figures.items()}
    reference |= await _plainly_heard(clips, under)
    if whisper.available(store):
        reference |= await _heard_by_whisper(store, clips, seconds)
    shared = (
        "p50_ms",
        "wer_percent",
        "under_wer_percent",
        "under_cpu_share",
        *(f"{engine}_first_audio_p50_ms" for engine in makers),
    )
    return Figures(ours, reference, {name: round(ours[name] / reference[name], 3) for name in shared})


def _voices(store: Store) -> dict[str, Callable[[], Voice]]:
    made: dict[str, Callable[[], Voice]] = {}
    if flite.available():
        made |= {"flite": flite.voice, "flite_rms": lambda: flite.voice("rms"), "flite_awb": lambda: flite.voice("awb")}
    if espeak.available():
        made["espeak"] = espeak.voice
    if piper.available(store):
        made["piper"] = lambda: piper.voice(store)
    if kokoro.available(store):
        made["kokoro"] = lambda: kokoro.voice(store)
    return made


async def _spoken(make: Callable[[], Voice]) -> tuple[dict[str, float], dict[str, float], list[Clip]]:
    """A voice's times, warm and cold, and every sentence synthesized by it."""
    cold = []
    for _ in range(COLD_STARTS):
        began = time.perf_counter()
        voice = make()
        _ = [piece async for piece in voice.synthesize(REPLY)]
        cold.append(time.perf_counter() - began)
        await voice.aclose()
    voice = make()
    await voice.warm()
    first, factors, clips = [], [], []
    for text in (*(REPLY for _ in range(10)), *SENTENCES):
        began = time.perf_counter()
        pieces: list[bytes] = []
        async for piece in voice.synthesize(text):
            if not pieces:
                first.append(time.perf_counter() - began)
            pieces.append(piece)
        pcm = b"".join(pieces)
        factors.append((time.perf_counter() - began) / audio_format.seconds(pcm))
        clips.append((text, pcm))
    await voice.aclose()
    mine = {
        "first_audio_p50_ms": _ms(statistics.median(first)),
        "first_audio_p95_ms": _ms(_percentile(first, 95)),
        "real_time_factor": round(statistics.median(factors), 3),
    }
    return mine, {"first_audio_p50_ms": _ms(statistics.median(cold))}, clips[10:]


def _of(ears: Transcriber) -> Hear:
    async def hear(pcm: bytes) -> str:
        return (await ears.transcribe(pcm, language="en")).text

    return hear


async def _heard_under(ears: HostedTranscriber, under: dict[str, list[Clip]]) -> dict[str, float]:
    pid = ears.engine.status().pid
    assert pid is not None, "it is warm"
    return await _rated_under(_of(ears), pid, under)


async def _rated_under(hear: Hear, pid: int, under: dict[str, list[Clip]]) -> dict[str, float]:
    process, seconds = psutil.Process(pid), sum(audio_format.seconds(pcm) for one in under.values() for _, pcm in one)
    before = process.cpu_times()
    figures = await _heard(hear, under)
    after = process.cpu_times()
    took = after.user + after.system - before.user - before.system
    figures |= {"cpu_share": round(took / seconds, 4), "memory_mb": round(process.memory_info().rss / 1e6)}
    return {f"under_{name}": value for name, value in figures.items()}


async def _heard(hear: Hear, clips: dict[str, list[Clip]], end: float | None = None) -> dict[str, float]:
    """Times and word errors, for all voices and each; voices alternate, so that a short run covers all."""
    took: list[float] = []
    wrong: dict[str, list[tuple[int, int]]] = {engine: [] for engine in clips}
    for turn in range(max(map(len, clips.values()))):
        for engine, spoken in clips.items():
            if end is not None and took and time.monotonic() > end:
                break
            text, pcm = spoken[turn]
            began = time.perf_counter()
            heard = await hear(pcm)
            took.append(time.perf_counter() - began)
            wrong[engine].append(word_errors(text, heard))
    rates = {f"wer_{engine}_percent": _rate(counts) for engine, counts in wrong.items() if counts}
    return {
        "clips": len(took),
        "p50_ms": _ms(statistics.median(took)),
        "p95_ms": _ms(_percentile(took, 95)),
        "wer_percent": _rate([count for counts in wrong.values() for count in counts]),
        **rates,
    }


async def _plainly_heard(clips: dict[str, list[Clip]], under: dict[str, list[Clip]]) -> dict[str, float]:
    worker = Worker("plain ears", f"{__name__}:PlainReference")
    figures = await _heard(lambda pcm: worker.call("transcribe", pcm), clips)
    pid = worker.status().pid
    assert pid is not None, "it has just answered"
    figures |= await _rated_under(lambda pcm: worker.call("transcribe", pcm), pid, under)
    await worker.stop()
    cold = []
    for spoken in clips.values():
        began = time.perf_counter()
        worker = Worker("plain ears", f"{__name__}:PlainReference")
        await worker.call("transcribe", spoken[0][1])
        cold.append(time.perf_counter() - began)
        await worker.stop()
    return figures | {"cold_p50_ms": _ms(statistics.median(cold))}


async def _heard_by_whisper(store: Store, clips: dict[str, list[Clip]], seconds: float) -> dict[str, float]:
    ears = whisper.transcriber(store)
    await ears.warm()
    figures = await _heard(_of(ears), clips, time.monotonic() + seconds / 2)
    await ears.aclose()
    return {f"whisper_{name}": value for name, value in figures.items()}


class PlainReference:
    """The library as its documentation uses it, in a worker process."""

    def __init__(self) -> None:
        library = importlib.import_module(moonshine.LIBRARY)
        folder = moonshine.library_folder() / "assets" / "tiny-en"
        self._transcriber: Any = library.Transcriber(str(folder), library.ModelArch.TINY)

    def transcribe(self, pcm: bytes) -> str:
        lines = self._transcriber.transcribe_without_streaming(
            audio_format.to_floats(pcm).tolist(), audio_format.RATE
        ).lines
        return " ".join(line.text for line in lines)


def word_errors(said: str, heard: str) -> tuple[int, int]:
    """Words that were changed, lost or added, and the number of words that were said. How numbers are written does
    not count."""
    expected, got = _words(said), _words(heard)
    row = list(range(len(got) + 1))
    for number, word in enumerate(expected, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(got, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (word != other))
    return row[-1], len(expected)


def _words(text: str) -> list[str]:
    from text_to_num import alpha2digit

    text = text.lower().replace("%", " percent").replace("to-day", "today").replace("to-morrow", "tomorrow")
    text = re.sub(r"[^a-z0-9' ]", " ", text)
    return re.sub(r"(?<=\d) +(?=\d)", "", str(alpha2digit(text, "en", 0.0))).split()  # 9 15 and 915 sound the same


def _rate(counts: Sequence[tuple[int, int]]) -> float:
    return round(100 * sum(wrong for wrong, _ in counts) / sum(words for _, words in counts), 1)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def _percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100)[percent - 1] if len(values) > 1 else values[0]
