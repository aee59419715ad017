"""Accuracy and latency of speech to text and text to speech. Forty sentences, said by every installed voice.

Ours: the transcriber in use, warm, on clips one after the other; each voice, warm, with a reply of three sentences.
Reference, speech to text: for accuracy the library as its documentation uses it, one long-lived transcriber with its
own VAD; for latency a process started for each clip. Reference, text to speech: started for each reply, and heard when
all of it is synthesized. `tiny` is the smaller model where ours is base, `whisper` Whisper base where it was pulled (on
as many clips as half the time allows), `baseline` pocketsphinx where it was installed.

`under_*`: the natural voices and two recordings of people (in the package moonshine-voice), clean, with noise, in a
computed room, and in a measured one where the asset measured-room was pulled; with the processor time of a second of
sound and the memory of each. With `--recordings DIR` only one's own recordings are heard so (`recordings_*`).
"""

from __future__ import annotations

import itertools
import re
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import psutil

from reachy_mind.bench import Figures, listeners
from reachy_mind.bench.listeners import Listener
from reachy_mind.bench.recordings import read_recordings
from reachy_mind.bench.sound_conditions import conditions, read_aloud, under_conditions
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import NotReady
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format, espeak, flite, kokoro, moonshine, piper
from reachy_mind.speech.voices import Voice

SECONDS = 120.0
SENTENCES = tuple(Path(__file__).with_name("spoken.txt").read_text(encoding="utf-8").splitlines())
REPLY = (
    "The weather in Lisbon is sunny today, with twenty four degrees in the afternoon. "
    "Tomorrow it will rain until about half past nine. Shall I remind you to take an umbrella?"
)
COLD_STARTS = 3
NATURAL = ("kokoro", "piper")
"""Engines that a listener might take for a person; the others are a worst case."""
EVERY = 2
"""Of the sentences, one in so many is heard in each condition."""
TAKES_RECORDINGS = True
Clip = tuple[str, bytes]
Hear = Callable[[bytes], Awaitable[str]]


async def measure(configuration: Configuration, seconds: float, recordings: Path | None = None) -> Figures:
    store = Store(configuration.models_folder)
    if recordings is not None:
        return await _own_recordings(store, read_recordings(recordings))
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
    under = under_conditions([*_natural(clips), *read_aloud()], conditions(store))
    ears = moonshine.transcriber(store)
    ours |= await _measured(await listeners.hosted(ears), clips, under)
    for name, make_other in listeners.others(store, ears.name).items():
        until = time.monotonic() + seconds / 2 if name == "whisper" else None
        figures = await _measured(await make_other(), clips, under, until)
        reference |= {f"{name}_{key}": value for key, value in figures.items()}
    reference |= await _measured(await listeners.library(), clips, under)
    reference["cold_p50_ms"] = await _cold_ms(clips)
    shared = (
        "p50_ms",
        "wer_percent",
        "under_wer_percent",
        "under_cpu_share",
        *(f"{engine}_first_audio_p50_ms" for engine in makers),
    )
    ratio = {name: round(ours[name] / reference[name], 3) for name in shared}
    return Figures(ours, reference, ratio, listeners.missing(store))


async def _own_recordings(store: Store, clips: list[Clip]) -> Figures:
    """Every recogniser on somebody's recordings, in all conditions."""
    under = under_conditions(clips, conditions(store))
    ears = moonshine.transcriber(store)
    ours = await _rated_under(await listeners.hosted(ears), under, "recordings")
    reference = await _rated_under(await listeners.library(), under, "recordings")
    for name, make in listeners.others(store, ears.name).items():
        figures = await _rated_under(await make(), under, "recordings")
        reference |= {f"{name}_{key}": value for key, value in figures.items()}
    shared = ("recordings_p50_ms", "recordings_wer_percent", "recordings_cpu_share")
    ratio = {name: round(ours[name] / reference[name], 3) for name in shared if reference[name]}
    return Figures(ours, reference, ratio, listeners.missing(store))


def _natural(clips: dict[str, list[Clip]]) -> list[Clip]:
    """Some of the sentences, each by the next one of the natural voices; by the first voice where there is none."""
    natural = [spoken for engine, spoken in clips.items() if engine.partition("_")[0] in NATURAL]
    voices = itertools.cycle(natural or [next(iter(clips.values()))])
    return [next(voices)[number] for number in range(0, len(SENTENCES), EVERY)]


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


async def _measured(
    listener: Listener, clips: dict[str, list[Clip]], under: dict[str, list[Clip]], end: float | None = None
) -> dict[str, float]:
    """All figures of a recogniser, which is closed then."""
    figures = await _heard(listener.hear, clips, end)
    return figures | await _rated_under(listener, under, "under")


async def _rated_under(listener: Listener, under: dict[str, list[Clip]], prefix: str) -> dict[str, float]:
    """What it hears in each condition, with its processor time and memory; it is closed then."""
    process = psutil.Process(listener.pid)
    seconds = sum(audio_format.seconds(pcm) for one in under.values() for _, pcm in one)
    before = process.cpu_times()
    figures = await _heard(listener.hear, under)
    after = process.cpu_times()
    took = after.user + after.system - before.user - before.system
    figures |= {"cpu_share": round(took / seconds, 4), "memory_mb": round(process.memory_info().rss / 1e6)}
    await listener.aclose()
    return {f"{prefix}_{name}": value for name, value in figures.items()}


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


async def _cold_ms(clips: dict[str, list[Clip]]) -> float:
    """Of a process that is started for each clip."""
    cold = []
    for spoken in clips.values():
        began = time.perf_counter()
        worker = listeners.library_worker()
        await worker.call("transcribe", spoken[0][1])
        cold.append(time.perf_counter() - began)
        await worker.stop()
    return _ms(statistics.median(cold))


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
