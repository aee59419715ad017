"""Audio clips: WAV files of one shape and a limited size, for a day and for their tenant."""

from __future__ import annotations

import contextlib
import io
import wave
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.control import audio_clips, retention
from reachy_mind.fleet.control.devices import NotInTenant
from reachy_mind.fleet.control.store.sqlite import SqliteStore
from reachy_mind.fleet.control.store.store import Sql


def wav(rate: int = 16000, channels: int = 1, width: int = 2, frames: int = 100) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(channels)
        writer.setsampwidth(width)
        writer.setframerate(rate)
        writer.writeframes(bytes(frames * channels * width))
    return file.getvalue()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    async with SqliteStore(tmp_path / "fleet.db") as opened:
        for tenant in ("one", "other"):
            await opened.write(
                lambda sql, tenant=tenant: sql.run(  # type: ignore[misc]
                    "INSERT INTO tenant (id, name, created_at) VALUES (?, ?, 0)", tenant, tenant
                )
            )
        yield opened


async def test_a_device_takes_no_room_of_the_others(store: SqliteStore) -> None:
    def fill(sql: Sql) -> None:
        for _ in range(audio_clips.MAX_OF_DEVICE):
            audio_clips.record(sql, "one", wav(), device="noisy")

    await store.write(fill)
    with pytest.raises(InvalidParameter, match="of this device"):
        await store.write(lambda sql: audio_clips.record(sql, "one", wav(), device="noisy"))
    assert await store.write(lambda sql: audio_clips.record(sql, "one", wav(), device="quiet"))


async def test_a_clip_is_kept_for_its_tenant_and_for_a_day(store: SqliteStore) -> None:
    clip = await store.write(lambda sql: audio_clips.keep(sql, "one", wav(), made_by="anna"))
    assert await store.read(lambda sql: audio_clips.get(sql, "one", clip)) == wav()
    with pytest.raises(NotInTenant):
        await store.read(lambda sql: audio_clips.get(sql, "other", clip))

    def a_day_later(sql: Sql) -> None:
        sql.run("UPDATE audio_clip SET expires_at = created_at")

    await store.write(a_day_later)
    with pytest.raises(NotInTenant, match="no such clip"):
        await store.read(lambda sql: audio_clips.get(sql, "one", clip))
    await store.write(retention.remove_old)
    assert await store.read(lambda sql: sql.rows("SELECT id FROM audio_clip")) == []


async def test_a_tenant_has_so_many_and_another_one_its_own(store: SqliteStore) -> None:
    def fill(sql: Sql) -> None:
        sql.run(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO audio_clip"
            " (id, tenant, made_by, content, created_at, expires_at) SELECT i, 'one', 'x', x'00', 0, 0 FROM n",
            audio_clips.MAX_OF_TENANT,
        )

    await store.write(fill)
    with pytest.raises(InvalidParameter, match="clips already"):
        await store.write(lambda sql: audio_clips.keep(sql, "one", wav(), made_by="anna"))
    await store.write(lambda sql: audio_clips.keep(sql, "other", wav(), made_by="anna"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"RIFF",
        b"ID3\x04" + bytes(1000),
        wav(channels=2),
        wav(width=1),
        wav(rate=7999),
        wav(rate=48001),
        wav(frames=1 << 19),
        wav()[:40],
    ],
)
def test_what_is_no_clip_is_refused_with_what_one_is(content: bytes) -> None:
    with pytest.raises(InvalidParameter) as refused:
        audio_clips.check(content)
    assert refused.value.hint


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_a_file_with_any_damage_is_taken_or_refused(data: st.DataObject) -> None:
    content = bytearray(wav(data.draw(st.sampled_from((8000, 16000, 48000)))))
    for place in data.draw(st.lists(st.integers(0, 50), max_size=4)):
        content[place] = data.draw(st.integers(0, 255))
    del content[data.draw(st.integers(0, len(content))) :]
    with contextlib.suppress(InvalidParameter):
        audio_clips.check(bytes(content))
        assert len(audio_clips.to_float32(bytes(content))) % 4 == 0


@given(st.binary(max_size=64))
def test_any_samples_of_an_older_device_become_a_clip_or_are_refused(samples: bytes) -> None:
    """Also infinities and what is no number."""
    try:
        clip = audio_clips.from_float32(samples)
    except InvalidParameter:
        assert len(samples) % 4
        return
    audio_clips.check(clip)
    assert np.abs(np.frombuffer(audio_clips.to_float32(clip), "<f4")).max(initial=0) <= 1


def test_samples_come_back_as_they_were() -> None:
    tone = (np.sin(np.arange(1000) / 9) * 0.8).astype("<f4")
    back = np.frombuffer(audio_clips.to_float32(audio_clips.from_float32(tone.tobytes())), "<f4")
    assert np.abs(back - tone).max() < 1e-4
