"""Delivery in both directions as a state machine: real stores, a network that loses, repeats, reorders and damages, and
ends that crash. What was applied is a prefix of what was accepted, in order and without repetition; in the end all
arrives.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from reachy_mind.fleet.protocol.frame import USUAL, Lane
from tests.fleet.protocol.delivery_parties import LANES, Parties

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- a disk that needs no syncing, where there is one
FAULTS = st.lists(st.tuples(st.sampled_from(("lose", "repeat", "reorder", "damage")), st.integers(0, 30)), max_size=3)


class Delivery(RuleBasedStateMachine):
    """The rules: what may happen, in any order."""

    def __init__(self) -> None:
        super().__init__()
        place = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
        self.parties = Parties(Path(tempfile.mkdtemp(prefix="reachy-mind-test-", dir=place)))

    @rule(prio=st.sampled_from((0, 1, 1, 2, 2)), count=st.integers(1, 4))
    def accept(self, prio: int, count: int) -> None:
        for _ in range(count):
            self.parties.run(self.parties.accept(prio))

    @rule(prio=st.sampled_from((0, 1)), count=st.integers(1, 3))
    def command(self, prio: int, count: int) -> None:
        for _ in range(count):
            self.parties.run(self.parties.command(prio))

    @rule()
    def connect(self) -> None:
        """Also while an older connection is open, which is fenced by that."""
        self.parties.run(self.parties.connect())

    @rule(frames=st.integers(1, 12))
    def work(self, frames: int) -> None:
        self.parties.run(self.parties.work(frames))

    @rule(faults=FAULTS, up=st.booleans(), frames=st.integers(0, 12))
    def break_frames(self, faults: list[tuple[str, int]], up: bool, frames: int) -> None:
        self.parties.run(self.parties.work(1))
        self.parties.run(self.parties.send())
        for fault, index in faults:
            self.parties.break_a_frame(fault, index, up=up)
        self.parties.run(self.parties.work(frames))

    @rule()
    def cut(self) -> None:
        self.parties.cut()

    @rule()
    def an_old_connection_delivers(self) -> None:
        self.parties.run(self.parties.deliver_stale())

    @rule()
    def restart_device(self) -> None:
        self.parties.run(self.parties.restart_device())

    @invariant()
    def what_arrived_is_what_was_accepted(self) -> None:
        for lane in LANES:
            accepted, stored = self.parties.accepted[lane], self.parties.run(self.parties.stored(lane))
            assert len(stored) == len(set(stored)), "applied twice"
            places = [accepted.index(each) for each in stored]
            assert places == sorted(places), "out of order"
            missing = set(accepted[: places[-1]] if places else ()) - set(stored)
            assert missing <= self.parties.dropped and (lane == USUAL or not missing), "lost on the way"
            effects = [each for each in self.parties.device.effects if each in self.parties.commanded[lane]]
            assert effects == self.parties.commanded[lane][: len(effects)], "commands out of order"

    def teardown(self) -> None:
        try:
            self.parties.run(self.parties.settle())
            self.what_arrived_is_what_was_accepted()
            for lane in LANES:
                stored = set(self.parties.run(self.parties.stored(lane)))
                assert set(self.parties.accepted[lane]) - stored <= self.parties.dropped, "lost"
                assert set(self.parties.commanded[lane]) <= set(self.parties.device.effects), "a command was lost"
            assert self.parties.run(self.parties.unanswered()) == 0
        finally:
            self.parties.end()


class DeliveryFromAnUnreliableDisk(Delivery):
    """The same with a disk that may be set back to what it was. The hub may then have events that it knows nothing of,
    under numbers that it gives to others; what it still has, and what comes after, arrives all the same, once."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Lane, int] | None = None
        self.lost: set[str] = set()

    @rule()
    def snapshot(self) -> None:
        self.parties.run(self.parties.work(3))
        self.parties.run(self.parties.snapshot())
        self.kept = {lane: len(self.parties.accepted[lane]) for lane in LANES}

    @precondition(lambda self: self.kept is not None)
    @rule(prios=st.lists(st.sampled_from((0, 1, 2)), max_size=8))
    def set_back(self, prios: list[int]) -> None:
        """And then things happen while there is no network."""
        assert self.kept is not None
        self.parties.run(self.parties.set_back())
        for lane, kept in self.kept.items():
            self.lost |= set(self.parties.accepted[lane][kept:])
        for prio in prios:
            self.parties.run(self.parties.accept(prio))

    @invariant()
    def what_arrived_is_what_was_accepted(self) -> None:
        for lane in LANES:
            stored = self.parties.run(self.parties.stored(lane))
            assert len(stored) == len(set(stored)), "applied twice"
            assert set(stored) <= set(self.parties.accepted[lane])

    def teardown(self) -> None:
        try:
            self.parties.run(self.parties.settle())
            for lane in LANES:
                stored = set(self.parties.run(self.parties.stored(lane)))
                missing = set(self.parties.accepted[lane]) - stored - self.parties.dropped - self.lost
                assert not missing, "lost, although the disk had it"
        finally:
            self.parties.end()


OFTEN = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TestDelivery = Delivery.TestCase
TestDelivery.settings = OFTEN
TestDeliveryFromAnUnreliableDisk = DeliveryFromAnUnreliableDisk.TestCase
TestDeliveryFromAnUnreliableDisk.settings = OFTEN
