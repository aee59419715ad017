"""How quick a Moonshine network is: the processor time of a sentence, which hardly depends on what else runs."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

from reachy_mind.models.speed_record import measured_once
from reachy_mind.speech import audio_format
from reachy_mind.speech.moonshine_network import MoonshineNetwork

SOUND_S, TOKENS = 4.0, 14
"""A sentence of usual length."""
RUNS = 3


def cpu_share(network: MoonshineNetwork, record: Path) -> float:
    """Seconds of a processor core for a second of sound, on this machine; measured unless `record` knows."""
    return measured_once(record, f"onnxruntime {onnxruntime.__version__}", lambda: _measured(network))


def _measured(network: MoonshineNetwork) -> float:
    sound = np.random.default_rng(1).normal(0, 0.05, round(SOUND_S * audio_format.RATE)).astype(np.float32)
    took = []
    for _ in range(RUNS + 1):  # the first run also fills caches
        began = time.process_time()
        network.write_tokens(sound, TOKENS)
        took.append(time.process_time() - began)
    return round(min(took[1:]) / SOUND_S, 4)
