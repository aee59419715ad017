"""How fast a device goes: within the hub's limits, and with patience towards a hub that is away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.fleet.device.hub_clock import HubClock
from reachy_mind.fleet.device.pacing import Pace, ReconnectDelays
from reachy_mind.fleet.protocol.frame import now_ms
from reachy_mind.fleet.protocol.limits import WINDOW, ConnectionLimits


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_delays_grow_up_to_the_limit_and_begin_again_after_a_good_connection() -> None:
    delays = ReconnectDelays(0.5, 15, jitter=(1, 1))
    assert [delays.next_s() for _ in range(8)] == [0.5, 1, 2, 4, 8, 15, 15, 15]
    delays.reset()
    assert delays.next_s() == 0.5


@given(st.integers(0, 5000))
def test_delays_are_random_within_their_bounds_however_often_it_fails(failures: int) -> None:
    delays = ReconnectDelays(0.5, 15)
    for _ in range(failures):
        delays.next_s()
    longest = min(15.0, 0.5 * 2 ** min(failures, 30))
    assert 0.3 * longest <= delays.next_s() <= longest


def test_devices_that_lost_the_same_hub_do_not_come_back_together() -> None:
    assert len({ReconnectDelays().next_s() for _ in range(100)}) == 100


def test_a_bucket_gives_a_burst_and_then_its_rate() -> None:
    clock = Clock()
    pace = Pace(10, 5, clock)
    assert pace.available() == 5
    for _ in range(5):
        pace.take()
    assert pace.available() == 0 and 0 < pace.wait_s() <= 0.11
    clock.now += pace.wait_s()
    assert pace.available() == 1 and pace.wait_s() == 0
    clock.now += 1000
    assert pace.available() == 5


def test_what_is_urgent_goes_at_once_and_is_made_up_for_by_the_others() -> None:
    clock = Clock()
    pace = Pace(10, 5, clock)
    for _ in range(1000):
        pace.take()
    assert 0 < pace.wait_s() < 1.5, "not a hundred seconds: a thousand emergencies do not silence a device"


def test_a_clock_that_is_set_back_stops_nobody() -> None:
    clock = Clock()
    pace = Pace(10, 5, clock)
    for _ in range(5):
        pace.take()
    clock.now -= 50
    assert pace.wait_s() < 0.2
    clock.now += 0.2
    assert pace.available() == 1


@pytest.mark.parametrize("limits", [ConnectionLimits(rate_per_s=0, burst=0), ConnectionLimits(rate_per_s=-5, burst=-1)])
def test_a_hub_cannot_make_a_device_fall_silent(limits: ConnectionLimits) -> None:
    clock = Clock()
    pace = Pace.of_messages(limits, clock)
    assert pace.available() == 1
    pace.take()
    assert pace.wait_s() <= 10


def test_a_window_that_arrives_at_once_after_a_stall_is_within_the_hubs_limit() -> None:
    limits = ConnectionLimits()
    assert Pace.of_messages(limits, Clock()).available() + WINDOW <= limits.burst


def test_the_hubs_time_goes_on_by_itself_and_is_unknown_before_it_was_told() -> None:
    monotonic = Clock()
    clock = HubClock(monotonic)
    assert clock.now_ms() is None and clock.ahead_ms() is None
    clock.set(5_000)
    monotonic.now += 1.5
    assert clock.now_ms() == 6_500
    clock.set(2_000)
    assert clock.now_ms() == 2_000


def test_how_far_the_hub_is_ahead_is_by_this_machines_clock() -> None:
    clock = HubClock()
    clock.set(now_ms() + 3_600_000)
    ahead = clock.ahead_ms()
    assert ahead is not None and abs(ahead - 3_600_000) < 60_000
