"""`HubCounters`: what the metrics of a node are made of. Plain numbers, so that a frame costs little."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

KNOWN_TYPES = frozenset(
    (
        *("hello", "welcome", "ack", "heartbeat", "twin.desired", "twin.reported"),
        *("button.pressed", "emergency.pressed", "emergency.cancelled", "utterance.recorded", "command.done"),
        *("device.started", "error.reported", "speak", "audio.play", "activity.start", "playback.sync", "restart"),
        *("emergency.acknowledged", "voice.open", "voice.close", "voice.played", "voice.opened", "voice.refused"),
        *("voice.state", "voice.flush", "voice.heard", "voice.said", "voice.ended"),
        *("clock.ping", "clock.pong", "activity.ready", "activity.ended"),
        *("activity.prepare", "activity.pause", "activity.resume", "activity.end"),
    )
)
"""Types that are counted by name; devices can't make up more of them."""
STORE_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass
class HubCounters:
    """Counted since the start of the node."""

    opened: int = 0
    closed: int = 0
    repetitions: int = 0
    audio_frames: int = 0
    emergencies_held_back: int = 0
    """Times that one had to wait, because its device sends more of them than anybody can press."""
    frames: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By direction ("in", "out") and type."""
    closes: Counter[int] = field(default_factory=Counter)
    """Connections that this node closed, by code."""
    rejected: Counter[str] = field(default_factory=Counter)
    """Connections that were refused before they began, by reason."""
    stored: Counter[float] = field(default_factory=Counter)
    """Stored events by the bucket of the time their storing took, in seconds; `inf` is the last one."""
    stored_s: float = 0.0
    stored_by_priority: Counter[int] = field(default_factory=Counter)

    def note(self, direction: str, type_: str) -> None:
        """A frame came or went."""
        self.frames[direction, type_ if type_ in KNOWN_TYPES else "other"] += 1

    def note_close(self, code: int) -> None:
        self.closes[int(code)] += 1

    def note_stored(self, prio: int, took_s: float) -> None:
        """An event is on disk."""
        bucket = next((each for each in STORE_BUCKETS_S if took_s <= each), float("inf"))
        self.stored[bucket] += 1
        self.stored_s += took_s
        self.stored_by_priority[prio] += 1
