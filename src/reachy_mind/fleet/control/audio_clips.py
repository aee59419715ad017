"""Audio clips: short WAV files (16 bit, mono) that a device recorded or is to play; removed after a day."""

from __future__ import annotations

import io
import wave
from typing import Final

import numpy as np
from numpy.typing import NDArray

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.limits import MAX_UTTERANCE_BYTES
from reachy_mind.fleet.protocol.message_ids import uuid7

KEEP_MS: Final = 24 * 3600 * 1000
MAX_OF_TENANT: Final = 2000
MAX_OF_DEVICE: Final = 200
"""That it recorded: one device does not take the room of the others."""
SOURCE_RATE_HZ: Final = 16000


def record(sql: Sql, tenant: str, content: bytes, *, device: str) -> str:
    """Store what a device recorded; returns the clip's id. Raises InvalidParameter."""
    count = sql.row("SELECT count(*) AS n FROM audio_clip WHERE tenant = ? AND made_by = ?", tenant, device)
    if count is not None and count["n"] >= MAX_OF_DEVICE:
        reason = f"there are {MAX_OF_DEVICE} clips of this device already"
        raise InvalidParameter(reason, hint="they are removed after a day")
    return keep(sql, tenant, content, made_by=device)


def keep(sql: Sql, tenant: str, content: bytes, *, made_by: str) -> str:
    """Store a clip; returns its id. Raises InvalidParameter."""
    check(content)
    count = sql.row("SELECT count(*) AS n FROM audio_clip WHERE tenant = ?", tenant)
    if count is not None and count["n"] >= MAX_OF_TENANT:
        raise InvalidParameter(f"there are {MAX_OF_TENANT} clips already", hint="they are removed after a day")
    clip, now = uuid7(), now_ms()
    sql.run(
        "INSERT INTO audio_clip (id, tenant, made_by, content, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
        *(clip, tenant, made_by, content, now, now + KEEP_MS),
    )
    return clip


def get(sql: Sql, tenant: str, clip: str) -> bytes:
    """A clip of a tenant. Raises NotFound."""
    row = sql.row(
        "SELECT content FROM audio_clip WHERE tenant = ? AND id = ? AND expires_at > ?", tenant, clip, now_ms()
    )
    if row is None:
        raise NotInTenant("no such clip", hint="clips are kept for a day")
    return bytes(row["content"])


def check(content: bytes) -> None:
    """Raises InvalidParameter for anything but a WAV file of 16 bit mono."""
    if len(content) > MAX_UTTERANCE_BYTES:
        raise InvalidParameter(f"a clip has at most {MAX_UTTERANCE_BYTES >> 20} MiB", hint="half a minute at 16 kHz")
    try:
        with wave.open(io.BytesIO(content)) as file:
            fits = file.getnchannels() == 1 and file.getsampwidth() == 2 and 8000 <= file.getframerate() <= 48000
    except (wave.Error, EOFError, ValueError, RuntimeError) as error:  # the last for sizes that lead nowhere
        raise InvalidParameter(f"this is no WAV file: {error}", hint="16 bit, mono") from error
    if not fits:
        raise InvalidParameter("a clip is a WAV file of 16 bit, mono, 8 to 48 kHz", hint="convert it")


def from_float32(samples: bytes, rate: int = SOURCE_RATE_HZ) -> bytes:
    """A WAV file of samples as a source device sends them. Raises InvalidParameter."""
    if len(samples) % 4:
        raise InvalidParameter("these are no samples of 32 bit", hint="float32, mono")
    values: NDArray[np.float32] = np.nan_to_num(np.frombuffer(samples, "<f4"))
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate)
        writer.writeframes((np.clip(values, -1, 1) * 32767).astype("<i2").tobytes())
    return file.getvalue()


def to_float32(content: bytes) -> bytes:
    """The samples of a clip as a source device plays them, at 16 kHz. Raises InvalidParameter."""
    check(content)
    with wave.open(io.BytesIO(content)) as file:
        data, rate = file.readframes(file.getnframes()), file.getframerate()
    samples = np.frombuffer(data[: len(data) & ~1], "<i2").astype("<f4") / 32768
    if rate != SOURCE_RATE_HZ:
        import soxr  # noqa: PLC0415 -- most clips are at this rate

        samples = soxr.resample(samples, rate, SOURCE_RATE_HZ)
    return samples.astype("<f4").tobytes()
