"""A device's side of activities: ready, on time, late, paused, ended, and where the others are after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.fleet.activities.clock_estimate import ClockEstimate
from reachy_mind.fleet.activities.timed_player import RATE
from tests.fleet.activities.stage import agree, beep_ms, hub_ms, stage
from tests.waiting import settled, until

SAMPLE_MS = 1000 / RATE
LONG = {"beat": {"bpm": 120, "seconds": 60.0}}


async def test_it_gets_ready_begins_at_the_time_that_was_fixed_and_says_when_it_has_finished(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", {"text": "Arms up, please."}, {"beep": "high"}, {"move": "dance1"}, language="de")
        ready = await one.one("activity.ready")
        assert ready["ok"] and ready["part_ms"] == [300, beep_ms(), 0]
        assert one.narrator.spoken == [("Arms up, please.", "de")]
        assert one.activities.current == "a" and not one.activities.playing
        at = await one.start("a", 0, 400, 450)
        assert (await one.one("activity.ended"))["reason"] == "finished"
        assert [each.at_ms for each in one.speaker.played] == pytest.approx([at, at + 400], abs=SAMPLE_MS)
        assert one.dancer.moves == [("dance1", pytest.approx(at + 450, abs=SAMPLE_MS))]
        assert one.activities.current is None


async def test_who_is_told_late_begins_in_the_middle(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", {"beep": "low"}, LONG, {"move": "dance1"})
        await one.one("activity.ready")
        at = await one.start("a", 0, 300, 300, in_s=-10.0)
        await until(lambda: one.speaker.played)
        (heard,) = one.speaker.played
        assert heard.at_ms + heard.seconds * 1000 == pytest.approx(at + 300 + 60_000, abs=2 * SAMPLE_MS)
        assert heard.seconds < 51 and one.dancer.moves == [], "what is over, and moves that have begun, are left out"


async def test_a_pause_silences_at_its_time_and_the_sound_goes_on_where_it_stopped(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", LONG)
        await one.one("activity.ready")
        await one.start("a", 0)
        await until(lambda: one.speaker.played)
        await one.command("activity.pause", {"activity": "a", "at": hub_ms(0.4), "position_ms": 700})
        await settled()
        assert one.speaker.silenced == 0, "not before its time"
        await until(lambda: one.speaker.silenced)
        await until(lambda: not one.activities.playing)
        at = hub_ms(0.3)
        await one.command("activity.resume", {"activity": "a", "at": at, "position_ms": 700})
        await until(lambda: len(one.speaker.played) == 2)
        resumed = one.speaker.played[1]
        assert resumed.at_ms == pytest.approx(at, abs=SAMPLE_MS)
        assert resumed.seconds == pytest.approx(60 - 0.7, abs=0.001)
        assert one.speaker.played[0].pcm[-len(resumed.pcm) :] == resumed.pcm


async def test_a_pause_that_comes_late_silences_at_once(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", LONG)
        await one.one("activity.ready")
        await one.start("a", 0, in_s=-1)
        await until(lambda: one.speaker.played)
        await one.command("activity.pause", {"activity": "a", "at": hub_ms(-0.5), "position_ms": 500})
        await until(lambda: one.speaker.silenced and not one.activities.playing)


async def test_the_end_silences_it_and_says_why_with_its_own_voice(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", LONG)
        await one.one("activity.ready")
        await one.start("a", 0)
        await until(lambda: one.speaker.played)
        await one.command("activity.end", {"activity": "a", "reason": "emergency", "say": "We stop here."})
        assert (await one.one("activity.ended"))["reason"] == "ended"
        assert one.speaker.silenced
        await until(lambda: len(one.speaker.played) == 2)
        assert one.narrator.spoken == [("We stop here.", "en")]


async def test_an_emergency_on_the_device_ends_it_before_the_hub_says_so(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", LONG)
        await one.one("activity.ready")
        await one.start("a", 0, in_s=-1)
        await until(lambda: one.speaker.played)
        await one.activities.stop("emergency\n")
        assert one.speaker.silenced and one.activities.current is None
        assert (await one.said("activity.ended"))[0]["reason"] == "emergency "
        await one.command("activity.end", {"activity": "a", "reason": "emergency at kitchen"})
        await one.start("a", 0)
        assert one.activities.current is None, "what was ended is not begun again"


async def test_who_is_talked_to_is_silent_for_a_while_and_rejoins_the_others(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", LONG)
        await one.one("activity.ready")
        at = await one.start("a", 0, in_s=-2)
        await until(lambda: one.speaker.played)
        await one.activities.pause()
        await until(lambda: not one.activities.playing)
        await one.activities.rejoin()
        await until(lambda: len(one.speaker.played) == 2)
        assert one.speaker.played[1].at_ms + one.speaker.played[1].seconds * 1000 == pytest.approx(
            at + 60_000, abs=2 * SAMPLE_MS
        )


async def test_a_restart_in_the_middle_rejoins_at_the_position_of_the_others(tmp_path: Path) -> None:
    async with stage(tmp_path) as before:
        await before.prepare("a", {"text": "Hello."}, LONG)
        await before.one("activity.ready")
        at = await before.start("a", 0, 200, in_s=-1)
        await until(lambda: before.speaker.played)
    clock = ClockEstimate()
    async with stage(tmp_path, clock=clock) as after:
        assert after.activities.current == "a"
        await settled()
        assert after.speaker.played == [], "the hub's time is not known yet"
        agree(clock)
        await until(lambda: after.speaker.played)
        (heard,) = after.speaker.played
        assert heard.at_ms + heard.seconds * 1000 == pytest.approx(at + 200 + 60_000, abs=2)
        assert after.narrator.spoken == [], "the sentence is on its disk"
        assert len(await after.said("activity.ready")) == 1, "it says once that it is ready"


async def test_every_command_may_come_twice(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        for _ in range(2):
            await one.prepare("a", {"beep": "high"}, LONG)
        await one.one("activity.ready")
        start = {"activity": "a", "at": hub_ms(0.2), "times_ms": [0, 100]}
        for attempt in (1, 2):
            await one.command("activity.start", start, attempt=attempt)
        await until(lambda: one.speaker.played)
        pause = {"activity": "a", "at": hub_ms(0.2), "position_ms": 400}
        for _ in range(2):
            await one.command("activity.pause", pause)
        await until(lambda: not one.activities.playing and one.speaker.silenced)
        for _ in range(2):
            await one.command("activity.end", {"activity": "a"})
        for _ in range(2):
            await one.prepare("a", {"beep": "high"})
        await settled()
        assert one.activities.current is None
        assert len(await one.said("activity.ready")) == len(await one.said("activity.ended")) == 1
        assert len(one.speaker.played) == 1


async def test_a_new_activity_takes_the_place_of_another(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", {"beep": "high"})
        await one.one("activity.ready")
        await one.prepare("b", {"beep": "low"})
        assert (await one.one("activity.ended"))["reason"] == "replaced"
        assert (await one.one("activity.ready", 2))["activity"] == "b"


async def test_what_cannot_be_prepared_is_said(tmp_path: Path) -> None:
    async with stage(tmp_path, voice=False) as one:
        await one.prepare("a", {"text": "Hello."})
        ready = await one.one("activity.ready")
        assert (ready["ok"], ready["error"]) == (False, "this device has no voice")
        await one.one("activity.ended")
        assert one.activities.current is None


async def test_a_sound_or_move_that_fails_does_not_stop_the_rest(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        one.speaker.broken = True
        await one.prepare("a", {"beep": "high"}, {"move": "unknown"}, {"move": "dance1"})
        await one.one("activity.ready")
        await one.start("a", 0, 0, 100)
        ended = await one.one("activity.ended")
        assert ended["reason"] == "finished"
        assert sorted(ended["errors"]) == ["a sound at 0 s: the loudspeaker is gone", "the move unknown: no such move"]
        assert [name for name, _ in one.dancer.moves] == ["dance1"]


async def test_commands_that_make_no_sense_are_refused(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        with pytest.raises(InvalidParameter):
            await one.command("activity.prepare", {"activity": "a", "kind": "opera", "parts": []})
        with pytest.raises(NotReady, match="does not take part"):
            await one.start("a", 0)
        await one.prepare("a", {"beep": "high"})
        with pytest.raises(InvalidParameter, match="as many times"):
            await one.start("a", 0, 100)


async def test_a_damaged_state_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "activity.json").write_text('{"current": {"prepared"')
    async with stage(tmp_path) as one:
        assert one.activities.current is None
        await one.prepare("a", {"beep": "high"})
        assert (await one.one("activity.ready"))["ok"]


async def test_a_disk_that_takes_nothing_neither_silences_nor_keeps_it_from_stopping(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        (tmp_path / "activity.json").mkdir()  # nothing can take its place
        await one.prepare("a", LONG)
        await one.one("activity.ready")
        await one.start("a", 0, in_s=-1)
        await until(lambda: one.speaker.played)
        await one.activities.stop("emergency")
        assert one.speaker.silenced and one.activities.current is None


async def test_a_hub_whose_clock_is_set_meanwhile_does_not_disturb_what_plays(tmp_path: Path) -> None:
    async with stage(tmp_path) as one:
        await one.prepare("a", {"beep": "high"}, {"beep": "low"})
        await one.one("activity.ready")
        at = await one.start("a", 0, 1500)
        await until(lambda: one.speaker.played)
        agree(one.clock, ahead_ms=3_600_000)
        assert one.clock.restarts == 1
        assert (await one.one("activity.ended"))["reason"] == "finished"
        assert [each.at_ms for each in one.speaker.played] == pytest.approx([at, at + 1500], abs=2)
