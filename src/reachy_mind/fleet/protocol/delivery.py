"""Delivery of events in one direction: `Outgoing` decides what may be sent, `classify` what an arriving number means.

Neither does input or output: the sender's rows and the receiver's highest numbers are in their stores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reachy_mind.fleet.protocol.close_codes import CloseCode, ProtocolViolation
from reachy_mind.fleet.protocol.frame import EMERGENCY, USUAL, Frame, Lane
from reachy_mind.fleet.protocol.limits import WINDOW

Arrival = Literal["new", "repetition"]


@dataclass(slots=True)
class _LaneState:
    sent: int = 0
    acked: int = 0


class Outgoing:
    """What one side of a connection has sent, and what the peer has acknowledged.

    Made anew for each connection, with the numbers of the handshake: everything after them is sent again.
    """

    __slots__ = ("_lanes", "_window")

    def __init__(self, *, usual: int = 0, emergency: int = 0, window: int = WINDOW) -> None:
        self._window = window
        self._lanes = {USUAL: _LaneState(usual, usual), EMERGENCY: _LaneState(emergency, emergency)}

    def sent(self, lane: Lane) -> int:
        """The highest number that was sent, or that the peer had before."""
        return self._lanes[lane].sent

    def acked(self, lane: Lane) -> int:
        """The highest number that the peer has stored."""
        return self._lanes[lane].acked

    def room(self, lane: Lane) -> int:
        """How many more events of a lane may be sent now; emergencies are never held back."""
        state = self._lanes[lane]
        return max(0, self._window - (state.sent - state.acked)) if lane == USUAL else self._window

    def skip(self, lane: Lane, seq: int) -> int:
        """What the field `skip` has to be when `seq` is the next to be sent."""
        return seq - self._lanes[lane].sent - 1

    def note_sent(self, lane: Lane, seq: int) -> None:
        """An event is on its way. Numbers only grow within a connection."""
        state = self._lanes[lane]
        assert seq > state.sent, "events are sent in order"
        state.sent = seq

    def note_acks(self, frame: Frame) -> tuple[int, int]:
        """Take the acknowledgements of a frame; returns what the peer now has (usual, emergency).

        Raises ProtocolError for an acknowledgement of what was never sent.
        """
        for lane, number in ((USUAL, frame.ack), (EMERGENCY, frame.ack0)):
            if number is None:
                continue
            state = self._lanes[lane]
            if number > state.sent:
                raise ProtocolViolation(CloseCode.NOT_UNDERSTOOD, f"{number} was acknowledged, {state.sent} was sent")
            state.acked = max(state.acked, number)
        return self._lanes[USUAL].acked, self._lanes[EMERGENCY].acked


def classify(high: int, frame: Frame) -> Arrival:
    """What an event is to a receiver that has stored everything up to `high`. Raises ProtocolError for a gap."""
    assert frame.seq is not None, "only events have numbers"
    if frame.seq <= high:
        return "repetition"
    if frame.seq - frame.skip > high + 1:
        raise ProtocolViolation(CloseCode.GAP, f"{frame.seq} came after {high}")
    return "new"
