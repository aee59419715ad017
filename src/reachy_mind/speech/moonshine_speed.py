"""How quick a Moonshine network is on this machine: measured once, when it is first loaded, and kept in a file."""

from __future__ import annotations

import json
import os
import platform
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

from reachy_mind.speech import audio_format
from reachy_mind.speech.moonshine_network import MoonshineNetwork
from reachy_mind.storage.files import write_atomically

SOUND_S, TOKENS = 4.0, 14
"""A sentence of usual length."""
RUNS = 3


@dataclass(frozen=True)
class NetworkSpeed:
    """`cpu_share`: seconds of a processor core for a second of sound. It hardly depends on what else runs."""

    machine: str
    cpu_share: float


def measured(network: MoonshineNetwork, record: Path) -> NetworkSpeed:
    """The speed in the file `record`, if it is that of this machine; else it is measured and written there."""
    machine = _machine()
    with suppress(OSError, ValueError, TypeError):
        known = NetworkSpeed(**json.loads(record.read_text(encoding="utf-8")))
        if known.machine == machine:
            return known
    speed = NetworkSpeed(machine, _measure(network))
    with suppress(OSError):  # a folder that can't be written: it is measured again at the next start
        write_atomically(record, json.dumps(asdict(speed)).encode())
    return speed


def _measure(network: MoonshineNetwork) -> float:
    sound = np.random.default_rng(1).normal(0, 0.05, round(SOUND_S * audio_format.RATE)).astype(np.float32)
    took = []
    for _ in range(RUNS + 1):  # the first run also fills caches
        began = time.process_time()
        network.write_tokens(sound, TOKENS)
        took.append(time.process_time() - began)
    return round(min(took[1:]) / SOUND_S, 4)


def _machine() -> str:
    """Another processor or another onnxruntime is another speed."""
    model = platform.processor()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    return f"{platform.machine()}, {model}, {os.cpu_count()} cores, onnxruntime {onnxruntime.__version__}"
