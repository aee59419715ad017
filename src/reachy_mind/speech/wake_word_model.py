"""Wake words: openWakeWord's models, once they were pulled (`reachy-mind models pull wake-words`).

Three networks follow each other: 80 ms of sound become eight spectra, the last 76 spectra one embedding, and the last
embeddings the likelihood that the word was just said. They lie in the data folder with the library that computes them,
and run from there in a process of its own, which gets sound and says when it heard the word.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.models.store import Store
from reachy_mind.models.worker_client import WorkerClient

ASSET = "wake-words"
LIBRARY = "*tensorflowlite_c.*"
SPECTRA, EMBEDDING = "melspectrogram", "embedding_model"
TIMEOUT_S = 10.0
HINT = f"if it happens again, its files may be damaged: reachy-mind models verify {ASSET}"

STEP_SAMPLES = 1280
STEP_BYTES = 2 * STEP_SAMPLES
OVERLAP_SAMPLES = 480
"""Of the sound before, which the first spectra of a step need."""
SPECTRUM_BANDS = 32
SPECTRA_PER_STEP = 8
SPECTRA_PER_EMBEDDING = 76
LIKELY = 0.5
ONCE_STEPS = 12
"""The likelihood may rise twice for one word; after this many steps without it, the word was said again."""

Floats = NDArray[np.float32]


class WakeWordDetector(Protocol):
    """Listens for one word."""

    name: str

    async def hear(self, pcm: bytes) -> int | None:
        """The next whole steps of what is heard: how many bytes of these it took until the word had been said; None
        when it was not. Raises WorkerError, TimedOut."""
        ...

    async def warm(self) -> None: ...

    async def aclose(self) -> None: ...


def available(store: Store) -> bool:
    return ASSET in store.catalogue and store.status(ASSET).state == "ready"  # not for every kind of machine


def words(store: Store) -> list[str]:
    """Which there are, by their names."""
    found = {path.stem for path in (store.path(ASSET) / "models").glob("*.tflite")}
    return sorted(found - {SPECTRA, EMBEDDING})


def detector(store: Store, word: str) -> WakeWordWorker:
    """Raises NotReady when the models have to be pulled first, InvalidParameter when there is none for the word."""
    if ASSET not in store.catalogue:
        raise NotReady(
            "there are no wake words for this kind of machine", hint="set speech.wake to name, always or push"
        )
    if not available(store):
        raise NotReady("the wake words are not on this machine", hint=f"reachy-mind models pull {ASSET}")
    if word not in (known := words(store)):
        raise InvalidParameter(f"no wake word is named {word!r}", hint=f"speech.wake_word: one of {', '.join(known)}")
    return WakeWordWorker(store.path(ASSET), word)


class WakeWordWorker:
    def __init__(self, folder: Path, word: str) -> None:
        self.name = word
        self.engine = WorkerClient(
            f"wake word {word}", f"{__name__}:WakeWordModel", {"folder": str(folder), "word": word}, HINT
        )

    async def hear(self, pcm: bytes) -> int | None:
        taken: int | None = await self.engine.call("hear", pcm, timeout=TIMEOUT_S)
        return taken

    async def warm(self) -> None:
        await self.engine.call("hear", b"", timeout=TIMEOUT_S)

    async def aclose(self) -> None:
        await self.engine.aclose()


class WakeWordModel:
    """The library and its models, in the worker's process, which alone loads it."""

    def __init__(self, folder: str, word: str) -> None:
        library, models = _library(next(Path(folder).glob(LIBRARY))), Path(folder) / "models"
        self._spectra = WakeWordNetwork(library, models / f"{SPECTRA}.tflite", (1, OVERLAP_SAMPLES + STEP_SAMPLES))
        shape = (1, SPECTRA_PER_EMBEDDING, SPECTRUM_BANDS, 1)
        self._embedding = WakeWordNetwork(library, models / f"{EMBEDDING}.tflite", shape)
        self._word = WakeWordNetwork(library, models / f"{word}.tflite")
        self._sound = np.zeros(OVERLAP_SAMPLES + STEP_SAMPLES, np.float32)
        self._recent_spectra = np.zeros(shape, np.float32)
        self._recent = np.zeros(self._word.shape, np.float32)
        self._unlikely = ONCE_STEPS
        # What it remembers begins as silence: else it would hear how silence begins.
        for _ in range(SPECTRA_PER_EMBEDDING // SPECTRA_PER_STEP + 1 + self._word.shape[1]):
            self._step(np.zeros(STEP_SAMPLES, np.float32))

    def hear(self, pcm: bytes) -> int | None:
        heard: int | None = None
        for begin in range(0, len(pcm), STEP_BYTES):
            sound = np.frombuffer(pcm[begin : begin + STEP_BYTES], "<i2").astype(np.float32)
            likely = self._step(sound) > LIKELY
            if likely and self._unlikely >= ONCE_STEPS and heard is None:
                heard = begin + STEP_BYTES
            self._unlikely = 0 if likely else self._unlikely + 1
        return heard

    def _step(self, sound: Floats) -> float:
        self._sound = np.concatenate([self._sound[STEP_SAMPLES:], sound])
        spectra = self._spectra.run(self._sound).reshape(1, -1, SPECTRUM_BANDS, 1) / 10 + 2
        self._recent_spectra = np.concatenate([self._recent_spectra[:, spectra.shape[1] :], spectra], axis=1)
        embedding = self._embedding.run(self._recent_spectra).reshape(1, 1, -1)
        self._recent = np.concatenate([self._recent[:, 1:], embedding], axis=1)
        return float(self._word.run(self._recent)[0])


class WakeWordNetwork:
    """One model of TensorFlow Lite, through its C interface. `shape`: of what goes in, where the model leaves it
    open. It lives as long as its process, so nothing is given back."""

    def __init__(self, library: Any, path: Path, shape: tuple[int, ...] | None = None) -> None:
        self._library = library
        model = library.TfLiteModelCreateFromFile(str(path).encode())
        if not model:
            raise RuntimeError(f"{path.name} is no model")
        options = library.TfLiteInterpreterOptionsCreate()
        library.TfLiteInterpreterOptionsSetNumThreads(options, 1)
        self._interpreter = library.TfLiteInterpreterCreate(model, options)
        if not self._interpreter:
            raise RuntimeError(f"{path.name} is no model that can be run")
        if shape is not None:
            sizes = (ctypes.c_int * len(shape))(*shape)
            _succeed(library.TfLiteInterpreterResizeInputTensor(self._interpreter, 0, sizes, len(shape)), path.name)
        _succeed(library.TfLiteInterpreterAllocateTensors(self._interpreter), path.name)
        self._name = path.name
        self._input = library.TfLiteInterpreterGetInputTensor(self._interpreter, 0)
        self._output = library.TfLiteInterpreterGetOutputTensor(self._interpreter, 0)
        dimensions = range(library.TfLiteTensorNumDims(self._input))
        self.shape = tuple(int(library.TfLiteTensorDim(self._input, number)) for number in dimensions)

    def run(self, values: Floats) -> Floats:
        """What comes out, as one row. A number of values that does not fit is an error of the library's."""
        given = np.ascontiguousarray(values, np.float32)
        library = self._library
        _succeed(library.TfLiteTensorCopyFromBuffer(self._input, given.ctypes.data, given.nbytes), self._name)
        _succeed(library.TfLiteInterpreterInvoke(self._interpreter), self._name)
        found = np.empty(library.TfLiteTensorByteSize(self._output) // 4, np.float32)
        _succeed(library.TfLiteTensorCopyToBuffer(self._output, found.ctypes.data, found.nbytes), self._name)
        return found


def _succeed(status: int, name: str) -> None:
    if status != 0:
        raise RuntimeError(f"{name} could not be run (TensorFlow Lite says {status})")


def _library(path: Path) -> Any:
    """The library, told what its functions take and give: by default they would cut pointers to 32 bits."""
    library = ctypes.CDLL(str(path))
    pointer, number, size = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "ModelCreateFromFile": (pointer, (ctypes.c_char_p,)),
        "InterpreterOptionsCreate": (pointer, ()),
        "InterpreterOptionsSetNumThreads": (None, (pointer, number)),
        "InterpreterCreate": (pointer, (pointer, pointer)),
        "InterpreterResizeInputTensor": (number, (pointer, number, ctypes.POINTER(number), number)),
        "InterpreterAllocateTensors": (number, (pointer,)),
        "InterpreterGetInputTensor": (pointer, (pointer, number)),
        "InterpreterGetOutputTensor": (pointer, (pointer, number)),
        "InterpreterInvoke": (number, (pointer,)),
        "TensorNumDims": (number, (pointer,)),
        "TensorDim": (number, (pointer, number)),
        "TensorByteSize": (size, (pointer,)),
        "TensorCopyFromBuffer": (number, (pointer, pointer, size)),
        "TensorCopyToBuffer": (number, (pointer, pointer, size)),
    }
    for name, (gives, takes) in signatures.items():
        function = getattr(library, f"TfLite{name}")
        function.restype, function.argtypes = gives, takes
    return library
