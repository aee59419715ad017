"""`DeviceSession`: the device's half of one cp1 connection, without input or output.

Frames that arrive become effects to carry out; frames to be sent get their `skip` and their acknowledgements here. Its
owner stores, sends and waits.

The hub says in `welcome` up to where it has this device's events. The device does not believe that blindly: a disk
that lost its last writes gives the same numbers to other events. So the last event that waits and that the hub claims
to have is sent again first (`confirm`). The hub compares its id; only when it has acknowledged it are the events
removed, and when the ids differ it closes the connection with 4011.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reachy_mind.fleet.device.pacing import Pace
from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.delivery import Outgoing, classify
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane, new_frame
from reachy_mind.fleet.protocol.handshake import Desired, Hello, Welcome, payload_of
from reachy_mind.fleet.protocol.limits import WINDOW, ConnectionLimits

_LANES: tuple[Lane, Lane] = (EMERGENCY, USUAL)
AfterClose = Literal["again", "enrol", "new epoch"]


@dataclass(frozen=True)
class Welcomed:
    """The connection is open."""

    welcome: Welcome


@dataclass(frozen=True)
class Acknowledged:
    """The hub has everything up to these numbers: those events need not be kept."""

    seq: int
    seq0: int


@dataclass(frozen=True)
class CommandArrived:
    """To be stored, and then said to `note_stored`."""

    frame: Frame


@dataclass(frozen=True)
class DesiredArrived:
    """The state that the device should have."""

    desired: Desired


Effect = Welcomed | Acknowledged | CommandArrived | DesiredArrived


def after_close(code: int | None) -> AfterClose:
    """What a device does when its connection was closed with this code, or broke."""
    match code:
        case CloseCode.REVOKED:
            return "enrol"
        case CloseCode.EPOCH_CONFLICT:
            return "new epoch"
        case _:
            return "again"


class DeviceSession:
    """From a hello to the end of its connection."""

    __slots__ = (
        *("limits", "welcome", "_clock", "_confirming", "_hello", "_outgoing", "_pace", "_received", "_repeated"),
        *("_acked", "_audio", "_stored", "_stored_said"),
    )

    def __init__(self, hello: Hello, clock: Callable[[], float] = time.monotonic) -> None:
        self._hello, self._clock = hello, clock
        self.welcome: Welcome | None = None
        self.limits = ConnectionLimits()
        self._pace = Pace.of_messages(self.limits, clock)
        self._audio = Pace(self.limits.audio_bytes_per_s, self.limits.audio_bytes_per_s, clock)
        self._outgoing = Outgoing()
        self._confirming: set[Lane] = set()
        self._acked = Acknowledged(0, 0)
        self._received = self._stored = self._stored_said = dict.fromkeys(_LANES, 0)
        self._repeated = False

    def hello(self) -> Frame:
        """The first frame."""
        return new_frame("hello", self._hello.model_dump(mode="json", exclude_none=True))

    def receive(self, frame: Frame) -> list[Effect]:
        """What is to be done about a frame. Raises ProtocolError: close with its code, and connect again."""
        if self.welcome is None:
            return [self._open(frame)]
        effects: list[Effect] = []
        self._outgoing.note_acks(frame)
        for lane, number in ((USUAL, frame.ack), (EMERGENCY, frame.ack0)):
            if number is not None:
                self._confirming.discard(lane)
        acked = Acknowledged(*(self._removable(lane) for lane in (USUAL, EMERGENCY)))
        if acked != self._acked:
            self._acked = acked
            effects.append(acked)
        if frame.seq is not None:
            effects += self._command(frame, frame.seq)
        elif frame.type == "twin.desired":
            effects.append(DesiredArrived(payload_of(frame, Desired)))
        elif frame.type == "welcome":
            raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, "a second welcome")
        return effects  # acknowledgements, and what a newer hub may say

    def confirm(self, events: Sequence[Frame]) -> list[Frame]:
        """Frames to send first: the last event of each lane that waits although the hub says that it has it."""
        frames = []
        for event in events:
            assert event.seq is not None and event.seq <= self._outgoing.sent(event.lane)
            self._confirming.add(event.lane)
            self._pace.take()
            frames.append(event)
        return frames

    def sent(self, lane: Lane) -> int:
        """The highest number that was sent, or that the hub had before: later ones come next."""
        return self._outgoing.sent(lane)

    def room(self, lane: Lane) -> int:
        """How many events of a lane may be sent now: the window, and the hub's limits. Emergencies do not wait."""
        room = self._outgoing.room(lane)
        return room if lane == EMERGENCY else min(room, self._pace.available())

    def wait_s(self) -> float:
        """Until a frame that is not urgent may be sent."""
        return self._pace.wait_s()

    def event(self, event: Frame) -> Frame:
        """The frame that carries an event; it counts as sent."""
        assert event.seq is not None, "events have numbers"
        skip = self._outgoing.skip(event.lane, event.seq)
        self._outgoing.note_sent(event.lane, event.seq)
        return self._say(event.model_copy(update={"skip": skip}))

    def say(self, type_: str, payload: dict[str, Any] | None = None) -> Frame:
        """A frame about the connection or the state."""
        return self._say(new_frame(type_, payload))

    def takes_audio(self, size: int) -> bool:
        """Whether so many bytes of sound may be sent now; they count as sent. Otherwise they are to be dropped."""
        if self.welcome is None or self._audio.available() < size:
            return False
        self._audio.take(size)
        return True

    def note_stored(self, seq: int, seq0: int) -> None:
        """Commands up to these numbers are on disk."""
        self._stored = {USUAL: max(self._stored[USUAL], seq), EMERGENCY: max(self._stored[EMERGENCY], seq0)}

    def ack_is_due(self) -> bool:
        """Whether something is stored that the hub does not know of."""
        return self._repeated or self._stored != self._stored_said

    def _open(self, frame: Frame) -> Welcomed:
        if frame.type != "welcome":
            raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"{frame.type} before welcome")
        welcome = payload_of(frame, Welcome)
        self.welcome, self.limits = welcome, welcome.limits
        window = min(WINDOW, max(1, welcome.limits.window))
        self._outgoing = Outgoing(usual=welcome.up.seq, emergency=welcome.up.seq0, window=window)
        self._pace = Pace.of_messages(welcome.limits, self._clock)
        self._audio = Pace(welcome.limits.audio_bytes_per_s, welcome.limits.audio_bytes_per_s, self._clock)
        if welcome.down == self._hello.down.epoch:
            self._received = {USUAL: self._hello.down.seq, EMERGENCY: self._hello.down.seq0}
        self._stored = self._stored_said = dict(self._received)
        return Welcomed(welcome)

    def _removable(self, lane: Lane) -> int:
        before = self._acked.seq0 if lane == EMERGENCY else self._acked.seq
        return before if lane in self._confirming else self._outgoing.acked(lane)

    def _command(self, frame: Frame, seq: int) -> list[Effect]:
        if classify(self._received[frame.lane], frame) == "repetition":
            self._repeated = True  # the hub does not know that we have it
            return []
        self._received = self._received | {frame.lane: seq}
        return [CommandArrived(frame)]

    def _say(self, frame: Frame) -> Frame:
        acks: dict[str, int] = {}
        for field, lane in (("ack", USUAL), ("ack0", EMERGENCY)):
            if self._repeated or self._stored[lane] != self._stored_said[lane]:
                acks[field] = self._stored[lane]
        self._stored_said, self._repeated = self._stored, False
        self._pace.take()
        return frame.model_copy(update=acks) if acks else frame
