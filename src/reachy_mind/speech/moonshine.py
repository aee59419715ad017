"""Moonshine (English): speech to text in a tenth of a second for a sentence, on one core.

Two sizes, read in the same way (`moonshine_network`): tiny comes with the package moonshine-voice, base is an asset
(`reachy-mind models pull moonshine-base`) and hears better. Base is used where it is there and this machine is quick
enough for it, which is measured when it is loaded for the first time.

The Silero VAD says where somebody speaks (`speech_spans`); the model reads only those places. Long sound is cut at its
pauses.
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from reachy_mind import log
from reachy_mind.errors import MissingExtra, NotReady
from reachy_mind.models.store import Store
from reachy_mind.speech import audio_format
from reachy_mind.speech.speech_spans import Span, SpeechSpans, vad_file
from reachy_mind.speech.transcriber import Alternative, HostedTranscriber, Transcript

if TYPE_CHECKING:
    import numpy as np

    from reachy_mind.speech.moonshine_network import MoonshineNetwork

NAME = "moonshine"
ASSET = "moonshine-base"
LANGUAGES = ("en",)
LIBRARY = "moonshine_voice"
HINT = f"if it happens again, its files may be damaged: reachy-mind models verify {ASSET}"
BETTER = f"base hears better: reachy-mind models pull {ASSET}"
PADDING_S, WORD_S, WORD_PADDING_S = 0.2, 1.5, 0.4
"""Silence around what is read: fewer words are lost at its edges. More of it around less than `WORD_S`: a word alone is
else often heard as another one."""
PIECE_S = 12.0
"""Short spans are read together up to this length; the model's time grows with the square."""
MOST_CPU = 0.1
"""Seconds of a core for a second of sound, the most that base may take: a sentence is then there within 0.3 s of its
end, or nearly so."""
ABOUT_TIMEOUT_S = 30.0

Size = Literal["auto", "tiny", "base"]
logger = log.get(__name__)


@dataclass(frozen=True)
class LoadedModel:
    """Which size is in use, and why it is not the one that was hoped for."""

    size: str
    trouble: str = ""
    hint: str = ""


def library_folder() -> Path:
    """The folder of the package moonshine-voice, which is not imported. Raises MissingExtra."""
    found = importlib.util.find_spec(LIBRARY)
    if found is None or not found.submodule_search_locations:
        raise MissingExtra("hearing with moonshine", "speech")
    return Path(found.submodule_search_locations[0])


def transcriber(
    store: Store, size: Size = "auto", threads: int = 1, most_cpu: float = MOST_CPU
) -> MoonshineTranscriber:
    """`auto` takes base where it was pulled and is quick enough, else tiny. One thread is as quick as two on sentences
    (measured) and leaves the other core alone. Raises MissingExtra, and NotReady where base is wanted and not there."""
    library_folder()
    vad_file()
    ready = size != "tiny" and store.is_ready(ASSET)
    if size == "base" and not ready:
        raise NotReady("the model moonshine-base is not on this machine", hint=f"reachy-mind models pull {ASSET}")
    arguments: dict[str, object] = {
        "base": str(store.path(ASSET)) if ready else "",
        "required": size == "base",
        "record": str(store.folder / "measured" / f"{ASSET}.json"),
        "threads": threads,
        "most_cpu": most_cpu,
    }
    return MoonshineTranscriber(f"{NAME} {'base' if ready else 'tiny'}", arguments)


def advice(store: Store) -> str:
    """What would make it hear better; empty where that is there already, or where nothing of moonshine is."""
    if importlib.util.find_spec(LIBRARY) is None or store.is_ready(ASSET):
        return ""
    return f"{BETTER} ({store.asset(ASSET).size / 1e6:.0f} MB)"


class MoonshineTranscriber(HostedTranscriber):
    """Its name has the size in use, which is certain once the model is loaded."""

    def __init__(self, name: str, arguments: dict[str, object]) -> None:
        super().__init__(name, LANGUAGES, f"{__name__}:MoonshineModel", arguments, HINT)
        self._told = False

    async def transcribe(
        self, pcm: bytes, *, language: str = "", rated: bool = False, words: Sequence[str] = ()
    ) -> Transcript:
        transcript = await super().transcribe(pcm, language=language, rated=rated, words=words)
        await self._learn_size()
        return transcript

    async def warm(self) -> None:
        await super().warm()
        await self._learn_size()

    async def _learn_size(self) -> None:
        if self._told:
            return
        loaded: LoadedModel = await self.engine.call("about", timeout=ABOUT_TIMEOUT_S)
        self._told, self.name = True, f"{NAME} {loaded.size}"
        if loaded.trouble:
            logger.warning("the tiny model hears instead of base", reason=loaded.trouble, hint=loaded.hint)


class MoonshineModel:
    """The model, in the worker's process."""

    def __init__(self, base: str, required: bool, record: str, threads: int, most_cpu: float) -> None:
        from reachy_mind.speech.moonshine_alternatives import SoundReader  # noqa: PLC0415
        from reachy_mind.speech.moonshine_tokens import TokenText  # noqa: PLC0415

        tiny = library_folder() / "assets" / "tiny-en"  # its files; its code is not used
        self._spans = SpeechSpans(vad_file())
        limit = math.inf if required else most_cpu
        self._network, self._loaded = _load(Path(base) if base else None, tiny, Path(record), threads, limit)
        self._hearing = SoundReader(self._network, TokenText(tiny / "tokenizer.bin"))

    def about(self) -> LoadedModel:
        return self._loaded

    def transcribe(self, pcm: bytes, language: str, words: tuple[str, ...]) -> tuple[tuple[Alternative, ...], str]:
        sound = audio_format.to_floats(pcm)
        cut = [_padded(sound[_sample(start) : _sample(end)]) for start, end in pieces(self._spans.find(sound))]
        return self._hearing.alternatives(cut, words), language or LANGUAGES[0]

    def warm(self, pcm: bytes) -> None:
        self._spans.find(audio_format.to_floats(pcm))
        self._network.read(audio_format.to_floats(pcm))


def pieces(spans: list[Span]) -> list[Span]:
    """Spans put together as long as a piece stays short."""
    made: list[Span] = []
    for start, end in spans:
        if made and end - made[-1][0] <= PIECE_S:
            made[-1] = (made[-1][0], end)
            continue
        made.append((start, end))
    return made


def _load(
    base: Path | None, tiny: Path, record: Path, threads: int, most_cpu: float
) -> tuple[MoonshineNetwork, LoadedModel]:
    """Base, if it is there, can be loaded and is quick enough, else tiny. Without a limit base is required."""
    from reachy_mind.speech.moonshine_network import MoonshineNetwork  # noqa: PLC0415
    from reachy_mind.speech.moonshine_speed import cpu_share  # noqa: PLC0415

    trouble = hint = ""
    if base is not None:
        try:
            network = MoonshineNetwork(base, threads)
            takes = cpu_share(network, record) if math.isfinite(most_cpu) else 0.0
        except Exception as error:
            if not math.isfinite(most_cpu):
                raise
            trouble, hint = f"base can't be loaded: {error}", f"reachy-mind models verify {ASSET}"
        else:
            if takes <= most_cpu:
                return network, LoadedModel("base")
            trouble = f"base takes {takes:.2f} s of a core for a second of sound, more than {most_cpu:.2f}"
            hint = f"to use it all the same: speech.ears: {ASSET}"
    return MoonshineNetwork(tiny, threads), LoadedModel("tiny", trouble, hint)


def _padded(sound: np.ndarray) -> np.ndarray:
    import numpy as np  # noqa: PLC0415

    short = len(sound) < WORD_S * audio_format.RATE
    return np.pad(sound, round((WORD_PADDING_S if short else PADDING_S) * audio_format.RATE))


def _sample(second: float) -> int:
    return round(second * audio_format.RATE)
