"""What comes of requests that are hard to hear: right tools, wrong actions, questions, words; in noise and in a room.

Ours: several ways to understand each sound, with a preference for words that are known here, judged by what makes
sense, and asked back where it is uncertain (`conversation.hearing_judge`, `conversation.ask_back`). Reference: the
likeliest tokens of the same network, done as they are read. The right tools are those that the reflex brain calls for
the written sentence. `asked_right` are questions to which a yes does the right thing. `inserted`: expected words that
are in no text of two recordings of people, but in what was heard.

Sentences of `heard_requests.txt`, said by piper and, in turn, three voices of flite; `--set chosen` are those with
which the weights were chosen.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reachy_mind.bench import Figures
from reachy_mind.bench.sound_conditions import CONDITIONS, LONGEST_RECORDING_S, RECORDINGS
from reachy_mind.bench.speech import word_errors
from reachy_mind.body import wav
from reachy_mind.brains import selection
from reachy_mind.brains.reflex.brain import Reflex
from reachy_mind.config.configuration import Configuration
from reachy_mind.conversation.ask_back import AskBack
from reachy_mind.conversation.hearing_judge import judged
from reachy_mind.conversation.known_words import KnownWords
from reachy_mind.errors import NotReady
from reachy_mind.models.store import Store
from reachy_mind.profiles.profile import Profile
from reachy_mind.speech import audio_format, flite, moonshine, piper
from reachy_mind.speech.moonshine_alternatives import SoundReader
from reachy_mind.speech.moonshine_network import MoonshineNetwork
from reachy_mind.speech.moonshine_tokens import TokenText
from reachy_mind.speech.speech_spans import SpeechSpans, vad_file
from reachy_mind.speech.voices import Voice
from reachy_mind.tools.act_table import changes_something
from reachy_mind.tools.builtin import TOOLS
from reachy_mind.tools.registry import Registry

SECONDS = 300.0
SETS = ("held_out", "chosen")
FILE = Path(__file__).with_name("heard_requests.txt")
FLITE = ("slt", "rms", "awb")
NAMES = """
Hannah Priya Oliver Jonas Marta Felix Simba Wolfgang Beatrice Yusuf Ingrid Mateo Siobhan Nguyen Annika mug apple banana
cube book cup box bottle laptop teddy scissors
""".split()  # noqa: SIM905 -- easier to read than a list of strings
"""People that it would remember and things that it would see; most are in no sentence."""


@dataclass
class ConditionTally:
    """Counts of one condition. `asked_right`: of those asked about, the ones that were heard rightly."""

    clips: int = 0
    right: int = 0
    wrong: int = 0
    asked: int = 0
    asked_right: int = 0
    word_errors: int = 0
    words: int = 0

    def figures(self, name: str) -> dict[str, float]:
        counts = {key: getattr(self, key) for key in ("right", "wrong", "asked", "asked_right")}
        made = {f"{name}_{key}_percent": _percent(count, self.clips) for key, count in counts.items()}
        return made | {f"{name}_wer_percent": _percent(self.word_errors, self.words)}


@dataclass
class Tallies:
    """By condition and for all; `cpu_s` for `sound_s` seconds of sound."""

    by_condition: dict[str, ConditionTally] = field(default_factory=lambda: defaultdict(ConditionTally))
    cpu_s: float = 0.0
    sound_s: float = 0.0
    inserted: int = 0

    def add(
        self, condition: str, said: str, wanted: tuple[str, ...], heard: str, tools: tuple[str, ...], *, asked: bool
    ) -> None:
        wrong, words = word_errors(said, heard)
        for tally in (self.by_condition[condition], self.by_condition["all"]):
            tally.clips += 1
            tally.word_errors, tally.words = tally.word_errors + wrong, tally.words + words
            tally.asked += asked
            tally.asked_right += asked and tools == wanted
            tally.right += not asked and tools == wanted
            tally.wrong += not asked and bool(set(tools) - set(wanted))

    def figures(self) -> dict[str, float]:
        made = {name: value for key, tally in self.by_condition.items() for name, value in tally.figures(key).items()}
        cpu_share = round(self.cpu_s / max(self.sound_s, 1e-9), 4)
        return made | {"clips": self.by_condition["all"].clips, "cpu_share": cpu_share, "inserted": self.inserted}


async def measure(configuration: Configuration, seconds: float, collection: str = "held_out") -> Figures:
    store = Store(configuration.models_folder)
    voices = _voices(store)
    ears = await asyncio.to_thread(_Ears, store)
    words = tuple(NAMES) + await _known_words()
    reflex = await asyncio.to_thread(selection.reflex, configuration)
    ours, reference = Tallies(), Tallies()
    end = time.monotonic() + seconds
    for number, said in enumerate(sentences(collection)):
        for voice in (voices["piper"], voices[FLITE[number % len(FLITE)]]):
            if time.monotonic() > end:
                break
            sound = audio_format.to_floats(b"".join([piece async for piece in voice.synthesize(said)]))
            for condition, alter in CONDITIONS.items():
                altered = alter(sound, number)
                await asyncio.to_thread(_hear, ears, reflex, (condition, said, altered), words, (ours, reference))
    for voice in voices.values():
        await voice.aclose()
    await asyncio.to_thread(_read_aloud, ears, words, ours, reference)
    shared = ("all_right_percent", "all_wrong_percent", "all_wer_percent", "cpu_share")
    mine, plain = ours.figures(), reference.figures()
    return Figures(mine, plain, {name: round(mine[name] / plain[name], 3) for name in shared if plain[name]})


def sentences(collection: str) -> list[str]:
    rows = [line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return [said for kind, said in rows if kind == collection]


class _Ears:
    """The network in use, in this process."""

    def __init__(self, store: Store) -> None:
        tiny = moonshine.library_folder() / "assets" / "tiny-en"
        ready = store.is_ready(moonshine.ASSET)
        self.network = MoonshineNetwork(store.path(moonshine.ASSET) if ready else tiny)
        self.texts = TokenText(tiny / "tokenizer.bin")
        self.reader = SoundReader(self.network, self.texts)
        self._spans = SpeechSpans(vad_file())

    def pieces(self, sound: np.ndarray) -> list[np.ndarray]:
        padding = round(moonshine.PADDING_S * audio_format.RATE)
        spans = moonshine.pieces(self._spans.find(sound))
        samples = [(round(start * audio_format.RATE), round(end * audio_format.RATE)) for start, end in spans]
        return [np.pad(sound[start:end], padding) for start, end in samples]


def _voices(store: Store) -> dict[str, Voice]:
    if not piper.available(store) or not flite.available():
        raise NotReady("bench hearing needs two voices", hint=f"reachy-mind models pull piper-voice; {flite.HINT}")
    return {"piper": piper.voice(store)} | {name: flite.voice(name) for name in FLITE}


async def _known_words() -> tuple[str, ...]:
    async def nothing() -> Sequence[object]:
        return ()

    return await KnownWords(lambda: Registry(TOOLS), Profile, None, nothing).now()  # type: ignore[arg-type]


def _hear(
    ears: _Ears,
    reflex: Reflex,
    clip: tuple[str, str, np.ndarray],
    words: tuple[str, ...],
    tallies: tuple[Tallies, Tallies],
) -> None:
    condition, said, sound = clip
    wanted, registry = reflex.sense(said).tools, Registry(TOOLS)
    pieces, length = ears.pieces(sound), len(sound) / audio_format.RATE
    ours, reference = tallies
    began = time.process_time()
    likeliest = " ".join(ears.texts.text(ears.network.read(piece).tokens) for piece in pieces)
    between = time.process_time()
    ways = ears.reader.alternatives(pieces, words)
    judgement = judged([(way, reflex.sense(way.text)) for way in ways]) if ways else None
    ended = time.process_time()
    reference.cpu_s, ours.cpu_s = reference.cpu_s + between - began, ours.cpu_s + ended - between
    reference.sound_s, ours.sound_s = reference.sound_s + length, ours.sound_s + length
    tools = reflex.sense(likeliest).tools if likeliest else ()
    reference.add(condition, said, wanted, likeliest, tools, asked=False)
    if judgement is None:
        ours.add(condition, said, wanted, "", (), asked=False)
        return
    back = AskBack("en", lambda tools: changes_something(registry, tools))
    back.decide(judgement.chosen.text, judgement, called=True)
    ours.add(condition, said, wanted, judgement.chosen.text, judgement.sense.tools, asked=back.asking)


def _read_aloud(ears: _Ears, words: tuple[str, ...], ours: Tallies, reference: Tallies) -> None:
    """Expected words in what people read, though they are not in its text."""
    folder, expected = moonshine.library_folder() / "assets", {word.casefold() for word in words}
    for number, (name, text) in enumerate(RECORDINGS.items()):
        sound = audio_format.to_floats(wav.read_pcm((folder / name).read_bytes(), LONGEST_RECORDING_S))
        for alter in CONDITIONS.values():
            pieces = ears.pieces(alter(sound, number))
            likeliest = " ".join(ears.texts.text(ears.network.read(piece).tokens) for piece in pieces)
            ways = ears.reader.alternatives(pieces, words)
            reference.inserted += _inserted(text, likeliest, expected)
            ours.inserted += _inserted(text, ways[0].text if ways else "", expected)


def _inserted(said: str, heard: str, expected: set[str]) -> int:
    known = set(re.findall(r"\w+", said.casefold()))
    return sum(word in expected and word not in known for word in re.findall(r"\w+", heard.casefold()))


def _percent(count: int, of: int) -> float:
    return round(100 * count / max(of, 1), 1)
