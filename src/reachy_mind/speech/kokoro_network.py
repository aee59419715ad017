"""Kokoro's network with onnxruntime: phonemes and a style in, sound of 24 kHz out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

RATE = 24_000
MODEL, VOCABULARY, VOICES = "model.onnx", "vocab.json", "voices"
STYLE = 256
MOST_PHONEMES = 500
SILENT = 0.01
LEAD_S, TAIL_S = 0.05, 0.12
"""Silence that is kept before and after what is said; the network puts half a second there."""


FADE_S = 0.01


class KokoroNetwork:
    def __init__(self, folder: Path, threads: int) -> None:
        """Raises what onnxruntime raises for damaged files, OSError for missing ones."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.add_session_config_entry(
            "session.intra_op.allow_spinning", "0"
        )  # it keeps cores busy between sentences
        options.log_severity_level = 4  # what goes wrong is raised
        model = str(folder / MODEL)
        self._session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self._numbers: dict[str, int] = json.loads((folder / VOCABULARY).read_text(encoding="utf-8"))["vocab"]

    def say(self, phonemes: str, styles: np.ndarray, speed: float) -> np.ndarray:
        """`styles`: one row for each length, as a voice's file has them."""
        numbers = [self._numbers[each] for each in phonemes if each in self._numbers][:MOST_PHONEMES]
        if not numbers:
            return np.zeros(0, np.float32)
        feed = {
            "tokens": np.array([[0, *numbers, 0]], np.int64),
            "style": styles[min(len(numbers), len(styles)) - 1][None],
            "speed": np.array([speed], np.float32),
        }
        (sound,) = self._session.run(None, feed)
        return trimmed(np.asarray(sound, np.float32).ravel())


def styles(folder: Path, voice: str) -> np.ndarray:
    """Of a voice. Raises OSError for a missing file, ValueError for a damaged one."""
    numbers = np.fromfile(folder / VOICES / f"{voice}.bin", np.float32)
    if not len(numbers) or len(numbers) % STYLE or not np.isfinite(numbers).all():
        raise ValueError(f"the file of the voice {voice} is damaged")
    return numbers.reshape(-1, STYLE)


def trimmed(sound: np.ndarray) -> np.ndarray:
    """Without the silence around it. Some voices have a noise in their silence: it fades, so that nothing clicks."""
    loud = np.flatnonzero(np.abs(sound) > SILENT)
    if not len(loud):
        return sound[:0]
    start = max(0, int(loud[0]) - round(LEAD_S * RATE))
    kept = sound[start : int(loud[-1]) + round(TAIL_S * RATE)].copy()
    edge = min(round(FADE_S * RATE), len(kept) // 2)
    ramp = np.linspace(0, 1, edge, dtype=np.float32)
    kept[:edge] *= ramp
    kept[len(kept) - edge :] *= ramp[::-1]
    return kept
