"""The device process of `bench sync`: the link, clock and activities of a real device, and a sound card that captures.

    python -m reachy_mind.bench.sync_device FOLDER

FOLDER has `identity.json`. The card has no hardware: it keeps the time of this process's monotonic clock, and takes
samples until the block in which they are due begins. SIGTERM: it writes what was heard, `capture.wav`, and when the
first sample left, `capture.wav.json`. The command `bench.now` is the reference: a beep on receipt.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
import time
import wave
from pathlib import Path
from typing import Final

from reachy_mind import log
from reachy_mind.bench.fleet_fault_device import NothingToApply
from reachy_mind.fleet.activities import sounds
from reachy_mind.fleet.activities.clip_cache import ClipCache
from reachy_mind.fleet.activities.clock_estimate import ClockEstimate
from reachy_mind.fleet.activities.device_activities import DeviceActivities
from reachy_mind.fleet.activities.timed_player import RATE, SAMPLE_BYTES
from reachy_mind.fleet.device.enrolment import device_folder, load_identity, store_file
from reachy_mind.fleet.device.inbox import Command
from reachy_mind.fleet.device.link import DeviceLink
from reachy_mind.fleet.device.outbox import Outbox
from reachy_mind.fleet.device.store import DeviceStore
from reachy_mind.storage.home import Home

NOW: Final = "bench.now"
CAPTURE: Final = "capture.wav"
BLOCK_S: Final = 0.01


class CapturedSpeaker:
    """A sound card without hardware; see `TimedPlayer`."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self._placed: list[tuple[int, bytes]] = []
        self._silenced = asyncio.Event()

    async def play(self, pcm: bytes, *, at: float | None = None, kind: str = "activity") -> None:
        del kind
        earliest = self._next_block()
        first = max(earliest, round((at - self.began) * RATE)) if at is not None else earliest
        self._placed.append((first, pcm))
        ends = self.began + first / RATE + len(pcm) / SAMPLE_BYTES / RATE
        silenced = self._silenced
        try:
            async with asyncio.timeout(max(0.0, ends - time.monotonic())):
                await silenced.wait()
        except TimeoutError:
            return

    async def silence(self, *kinds: str) -> None:
        del kinds
        now = self._next_block()
        self._placed = [(first, pcm[: max(0, now - first) * SAMPLE_BYTES]) for first, pcm in self._placed]
        self._silenced.set()
        self._silenced = asyncio.Event()

    def save(self, file: Path) -> None:
        with wave.open(str(file), "wb") as writer:
            writer.setnchannels(1)
            writer.setsampwidth(SAMPLE_BYTES)
            writer.setframerate(RATE)
            writer.writeframes(sounds.mixed([(0, b"\0\0"), *self._placed]))
        about = {"began_monotonic": self.began, "rate": RATE}
        file.with_name(file.name + ".json").write_text(json.dumps(about), encoding="utf-8")

    def _next_block(self) -> int:
        """The first sample that has not been handed to the hardware."""
        return (int((time.monotonic() - self.began) / BLOCK_S) + 1) * round(BLOCK_S * RATE)


async def main(folder: Path) -> None:
    home = Home(folder)
    identity = load_identity(home)
    assert identity is not None, "the folder has an identity"
    ending = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)
    speaker, clock = CapturedSpeaker(), ClockEstimate()
    now = sounds.beep("high")

    async def play_now(_: Command) -> None:
        await speaker.play(now)

    async with DeviceStore(store_file(home)) as store:
        outbox = Outbox(store)
        clips = ClipCache(device_folder(home) / "clips", lambda: (identity.address, identity.token))
        file = device_folder(home) / "activity.json"
        async with (
            DeviceActivities(clock, speaker, outbox, clips=clips, file=file) as activities,
            DeviceLink(
                store,
                identity,
                NothingToApply(),
                handlers={NOW: play_now, **activities.handlers()},
                outbox=outbox,
                hub_time=clock,
            ),
        ):
            await ending.wait()
    speaker.save(folder / CAPTURE)
    about = {"error_ms": clock.error_ms, "drift_ppm": clock.drift_ppm, "rtt_ms": clock.rtt_ms}
    print(json.dumps(about | {"samples": clock.samples, "restarts": clock.restarts}))


if __name__ == "__main__":
    log.configure("error")
    asyncio.run(main(Path(sys.argv[1])))
