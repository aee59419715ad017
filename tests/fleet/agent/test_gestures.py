"""Presses of buttons in virtual time: what people do, and what contacts do besides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reachy_mind.fleet.agent.gestures import ButtonDown, ButtonGesture, GestureRecognizer, GestureTiming

TIMING = GestureTiming(bounce=0.03, debounce=0.3, double=0.25, long=1.0)


class Fingers:
    """Presses buttons, and notes what is recognised and when."""

    def __init__(self, timing: GestureTiming = TIMING) -> None:
        self.recognizer = GestureRecognizer(timing)
        self.now = 100.0
        self.seen: list[tuple[float, object]] = []

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while (deadline := self.recognizer.deadline()) is not None and deadline <= end:
            self.now = max(self.now, deadline)
            self._note(self.recognizer.advance(deadline))
        self.now = end

    def edge(self, button: str, *, down: bool) -> None:
        self._note(self.recognizer.edge(button, down=down, at=self.now))

    def press(self, button: str, seconds: float = 0.1) -> None:
        self.edge(button, down=True)
        self.wait(seconds)
        self.edge(button, down=False)

    def gestures(self) -> list[tuple[str, str]]:
        return [(each.button, each.press) for _, each in self.seen if isinstance(each, ButtonGesture)]

    def at(self, gesture: ButtonGesture) -> float:
        return next(round(at - 100.0, 3) for at, each in self.seen if each == gesture)

    def _note(self, signals: list[object]) -> None:
        self.seen += [(self.now, signal) for signal in signals]


def test_a_press_is_felt_at_once_and_single_when_no_second_one_follows() -> None:
    fingers = Fingers()
    fingers.press("green")
    assert [each for _, each in fingers.seen] == [ButtonDown("green")]
    fingers.wait(2)
    assert fingers.gestures() == [("green", "single")]
    assert fingers.at(ButtonGesture("green", "single")) == 0.35


def test_two_presses_within_the_gap_are_a_double_one() -> None:
    fingers = Fingers()
    fingers.press("blue")
    fingers.wait(0.2)
    fingers.press("blue")
    fingers.wait(2)
    assert fingers.gestures() == [("blue", "double")]


def test_two_presses_that_are_far_apart_are_two() -> None:
    fingers = Fingers()
    fingers.press("blue")
    fingers.wait(0.6)
    fingers.press("blue")
    fingers.wait(2)
    assert fingers.gestures() == [("blue", "single"), ("blue", "single")]


def test_a_long_press_is_long_while_it_lasts_and_nothing_else_afterwards() -> None:
    fingers = Fingers()
    fingers.press("green", 5.0)
    fingers.wait(2)
    assert fingers.gestures() == [("green", "long")]
    assert fingers.at(ButtonGesture("green", "long")) == 1.0


def test_an_emergency_acts_when_it_is_pressed() -> None:
    fingers = Fingers()
    fingers.edge("red", down=True)
    assert fingers.gestures() == [("red", "single")]
    assert fingers.at(ButtonGesture("red", "single")) == 0.0
    fingers.wait(5)
    fingers.edge("red", down=False)
    fingers.wait(2)
    assert fingers.gestures() == [("red", "single")], "holding it is one press"


def test_presses_of_the_emergency_within_the_debounce_time_are_one() -> None:
    fingers = Fingers()
    fingers.press("red", 0.05)
    fingers.wait(0.1)
    fingers.press("red", 0.05)
    fingers.wait(0.3)
    fingers.press("red", 0.05)
    fingers.wait(2)
    assert fingers.gestures() == [("red", "single"), ("red", "single")]


def test_buttons_don_t_disturb_each_other() -> None:
    fingers = Fingers()
    fingers.edge("green", down=True)
    fingers.wait(0.1)
    fingers.edge("red", down=True)
    fingers.wait(0.1)
    fingers.edge("green", down=False)
    fingers.wait(2)
    assert sorted(fingers.gestures()) == [("green", "single"), ("red", "single")]


@given(st.lists(st.floats(0.0005, 0.004), max_size=6), st.lists(st.floats(0.0005, 0.004), max_size=6))
def test_a_bouncing_contact_is_one_press(closing: list[float], opening: list[float]) -> None:
    """However it bounces within the time for that, also when it ends on the other level in between."""
    fingers = Fingers()
    for down, bounces in ((True, closing), (False, opening)):
        level = down
        fingers.edge("green", down=level)
        for pause in bounces:
            fingers.wait(pause)
            level = not level
            fingers.edge("green", down=level)
        if level is not down:
            fingers.wait(0.001)
            fingers.edge("green", down=down)
        fingers.wait(0.2)
    fingers.wait(2)
    assert fingers.gestures() == [("green", "single")]


def test_a_release_that_comes_while_the_contact_bounces_is_not_lost() -> None:
    """A tap that is shorter than the bouncing: the release is taken when that is over."""
    fingers = Fingers()
    fingers.press("green", 0.01)
    fingers.wait(3)
    assert fingers.gestures() == [("green", "single")]
