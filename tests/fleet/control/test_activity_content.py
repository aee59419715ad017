"""What operators give as an activity, and what devices are asked to prepare."""

from __future__ import annotations

import hashlib
import io
import wave
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.errors import InvalidParameter
from reachy_mind.fleet.activities.payloads import ActivityKind, ActivityPart
from reachy_mind.fleet.control import audio_clips
from reachy_mind.fleet.control.activity_content import ActivityContent, compile_parts, sentences
from reachy_mind.fleet.control.devices import NotInTenant
from tests.fleet.control.fleet_node import OTHER, TENANT, FleetNode, fleet_node


@pytest.fixture
async def node(tmp_path: Path) -> AsyncIterator[FleetNode]:
    async with fleet_node(tmp_path) as one:
        yield one


def clip(seconds: float = 1.0) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(16000)
        writer.writeframes(b"\1\0" * round(16000 * seconds))
    return file.getvalue()


async def compiled(node: FleetNode, kind: ActivityKind, **content: Any) -> tuple[ActivityPart, ...]:
    given = ActivityContent.model_validate(content)
    return await node.read(lambda sql: compile_parts(sql, TENANT, kind, given))


def test_a_text_is_told_in_sentences() -> None:
    assert sentences("Once upon a time. There was a robot!") == ["Once upon a time. There was a robot!"]
    assert sentences("One.\n\nTwo,\nstill 2.5.") == ["One.", "Two, still 2.5."]
    long = "This is a sentence of some length, and it goes on for a while until it ends. " * 10
    told = sentences(long)
    assert len(told) > 2 and all(len(each) <= 240 for each in told)
    assert " ".join(told) == " ".join(long.split())
    assert max(map(len, sentences("x" * 2500))) <= 1000
    assert sentences(" \n \n") == []


async def test_a_story_is_spoken_by_the_devices_part_after_part(node: FleetNode) -> None:
    parts = await compiled(node, "story", text="Once upon a time.\n\nThe end.", language="en")
    assert [(part.text, part.at_ms) for part in parts] == [("Once upon a time.", None), ("The end.", None)]


async def test_music_is_a_clip_with_its_hash(node: FleetNode) -> None:
    content = clip()
    kept = await node.write(lambda sql: audio_clips.keep(sql, TENANT, content, made_by="anna"))
    (part,) = await compiled(node, "music", audio=kept)
    assert part.clip is not None and part.at_ms == 0
    assert (part.clip.audio, part.clip.bytes) == (kept, len(content))
    assert part.clip.sha256 == hashlib.sha256(content).hexdigest()


async def test_a_dance_repeats_its_move_as_long_as_the_music_plays(node: FleetNode) -> None:
    kept = await node.write(lambda sql: audio_clips.keep(sql, TENANT, clip(10), made_by="anna"))
    parts = await compiled(node, "dance", audio=kept, move="dance1", move_every_s=4)
    assert [part.at_ms for part in parts if part.move] == [0, 4000, 8000]
    parts = await compiled(node, "dance", beat={"bpm": 120, "seconds": 3}, move="dance1")
    assert [part.at_ms for part in parts if part.move] == [0]
    assert parts[0].beat is not None


async def test_an_exercise_has_sentences_and_beeps_at_their_times(node: FleetNode) -> None:
    parts = await compiled(
        node, "exercise", parts=[{"text": "Arms up.", "at_s": 0}, {"beep": "high", "at_s": 2.5}, {"text": "And down."}]
    )
    assert [(part.text, part.beep, part.at_ms) for part in parts] == [
        ("Arms up.", None, 0),
        (None, "high", 2500),
        ("And down.", None, None),
    ]


WRONG: tuple[tuple[ActivityKind, dict[str, Any]], ...] = (
    ("story", {}),
    ("story", {"text": "a", "audio": "01"}),
    ("story", {"text": " \n "}),
    ("story", {"beat": {"bpm": 60, "seconds": 5}}),
    ("music", {"text": "a"}),
    ("music", {"parts": [{"text": "a"}]}),
    ("dance", {"text": "a"}),
    ("dance", {"text": "a", "move": "dance1", "move_every_s": 5}),
    ("dance", {"beat": {"bpm": 60, "seconds": 600}, "move": "dance1", "move_every_s": 1}),
)


@pytest.mark.parametrize(("kind", "content"), WRONG)
async def test_a_content_that_does_not_fit_is_refused(node: FleetNode, kind: ActivityKind, content: Any) -> None:
    with pytest.raises(InvalidParameter):
        await compiled(node, kind, **content)


async def test_a_clip_of_another_tenant_is_not_found(node: FleetNode) -> None:
    kept = await node.write(lambda sql: audio_clips.keep(sql, OTHER, clip(), made_by="eve"))
    with pytest.raises(NotInTenant):
        await compiled(node, "music", audio=kept)
