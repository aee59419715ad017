"""Questions to a person, stop, small screens, and whether everybody can use the page."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.async_api import Locator, expect

from tests.browser.browsing import DESKTOP, LYING_PHONE, PHONE, SMALL_PHONE, Robot, Visit, in_chromium, watched
from tests.browser.conftest import Visiting
from tests.fakes.minds import Run

pytestmark = in_chromium

TOO_SMALL = """(elements) => elements
  .filter((element) => element.checkVisibility())
  .map((element) => [element.id || element.textContent, element.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 40 || height < 40)
  .map(([name, { width, height }]) => `${name}: ${width} x ${height}`)"""


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A mind that asks before it nods."""
    home = tmp_path_factory.mktemp("questions")
    (home / "permissions.yaml").write_text(
        "rules:\n  - {pattern: robot.nod, tier: confirm, reason: nodding is a promise}\n"
    )
    with watched(home) as run:
        yield run


def yes(here: Visit) -> Locator:
    return here.cards.get_by_role("button", name="Yes, do it")


def no(here: Visit) -> Locator:
    return here.cards.get_by_role("button", name="No", exact=True)


def seconds(told: str) -> int:
    return int(told.split(" s left", maxsplit=1)[0])


async def test_a_card_says_what_is_asked_and_a_no_is_a_no(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    turn = await here.say("nod twice")
    await expect(here.cards.get_by_role("heading")).to_have_text("May I nod?")
    for words in ("Nod to say yes.", "nodding is a promise", "robot.nod with"):
        await expect(here.cards).to_contain_text(words)
    await expect(here.cards.locator("tr")).to_have_text("times2")
    await expect(here.page).to_have_title("● May I? – Reachy Mind")  # noqa: RUF001
    assert await here.page.evaluate("window.cards") == [True], "yes could be pressed at once"
    await expect(yes(here)).to_be_enabled()
    first = await here.cards.locator("small").inner_text()
    await expect(here.cards.locator("small")).not_to_have_text(first)
    assert 0 < seconds(await here.cards.locator("small").inner_text()) < seconds(first) <= 60

    async with robot.watched() as poses:
        await no(here).click()
        await expect(here.cards).to_have_count(0)
        await here.answered(turn)
    await expect(turn.locator(".words")).to_have_text("I did not nod, because I was told not to.")
    await expect(turn.locator(".deed")).to_have_attribute("data-status", "denied")
    await expect(turn.locator(".deed")).to_have_attribute("title", re.compile("said no to robot.nod"))
    assert await robot.done("nod") == 0
    assert np.ptp([pose[4] for pose in poses]) < 2, "it nodded all the same"
    await expect(here.page).to_have_title("Reachy Mind")


async def test_everybody_is_asked_and_the_first_answer_counts(visit: Visiting, robot: Robot) -> None:
    here, other = await visit(), await visit()
    async with robot.watched() as poses:
        turn = await here.say("nod")
        for page in (here, other):
            await expect(page.cards).to_have_count(1)
        await yes(other).click()
        for page in (here, other):
            await expect(page.cards).to_have_count(0)
        await here.answered(turn)
    await expect(turn.locator(".deed")).to_have_text("nod: done")
    assert await robot.done("nod") == 1
    assert np.ptp([pose[4] for pose in poses]) > 4, "it did not nod"


async def test_who_types_is_not_taken_for_a_yes(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    asked = await robot.done("nod")
    turn = await here.say("nod")
    await expect(here.cards).to_be_focused()
    await here.page.keyboard.press("Enter")
    await no(here).click()
    await here.answered(turn)
    await expect(here.box).to_be_focused()

    other = await visit()
    await here.page.bring_to_front()
    await here.box.fill("what time is it")
    turn = await other.say("nod")
    await expect(here.cards).to_have_count(1)
    await expect(here.box).to_be_focused()
    await expect(yes(here)).to_be_enabled()
    await here.page.keyboard.type("?")
    await here.page.keyboard.press("Enter")
    await expect(here.turns.last.locator(".said")).to_contain_text("what time is it?")
    await expect(here.cards).to_have_count(1)
    await here.box.fill("x")
    await no(here).click()
    await other.answered(turn)
    await here.answered(here.turns.last)
    assert await robot.done("nod") == asked


async def test_a_new_talk_leaves_a_question_to_be_answered(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    await here.say("nod")
    await expect(here.cards).to_have_count(1)
    await here.page.get_by_role("button", name="New talk").click()
    await expect(here.turns).to_have_count(0)
    await expect(here.cards).to_have_count(1)
    await no(here).click()
    await expect(here.cards).to_have_count(0)
    await here.hear("what time is it?")


async def test_a_task_is_ended_with_a_yes(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    await here.hear("start the demo for 300 seconds in the background")
    end = here.page.get_by_role("button", name="End: background demo")
    await end.click()
    await expect(here.cards.get_by_role("heading")).to_have_text("May I cancel task?")
    await no(here).click()
    await expect(here.toasts).to_contain_text(["Not ended"])
    await end.click()
    await yes(here).click()
    await expect(here.page.locator(".task small")).to_have_text("cancelled")
    await expect(here.page.locator("#tasks")).to_be_hidden()
    tasks = (await robot.http.get("/tasks")).json()["tasks"]
    assert [task["state"] for task in tasks] == ["cancelled"]


async def stopped(here: Visit, turn: Locator, robot: Robot) -> None:
    """It is said to have stopped, and it has."""
    await expect(here.toasts.filter(has_text="Stopped.")).to_be_visible()  # first: it does not stay
    await expect(turn.locator(".trouble")).to_have_text("The answer was cut short.")
    assert await robot.stands_still()


async def test_stop_stops_the_robot_and_the_answer(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    turn = await here.say("dance")
    await robot.moves()
    await here.stop.click()
    await stopped(here, turn, robot)
    await expect(turn.locator(".deed")).to_have_text("dance: cut short")
    await expect(here.page.locator("#doing")).to_have_text("Awake, waiting for you")


async def test_escape_stops_when_it_is_pressed_twice(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    turn = await here.say("dance")
    await robot.moves()
    await here.page.keyboard.press("Escape")
    await expect(here.toasts).to_have_text("Press Escape again to stop.")
    await expect(here.toasts).to_have_count(0)
    await expect(turn.locator(".reply.waiting")).to_be_visible()
    # Both at one moment: on a busy machine two real ones may come further apart than a person's.
    await here.page.evaluate("for (const _ of [1, 2]) dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))")
    await stopped(here, turn, robot)


async def test_it_fits_on_a_phone(visit: Visiting, robot: Robot) -> None:
    here = await visit(viewport=PHONE, has_touch=True, is_mobile=True)
    sizes = (PHONE, SMALL_PHONE, LYING_PHONE)
    for size in sizes:
        await here.page.set_viewport_size(size)
        await fits(here)
        await expect(here.box).to_be_in_viewport(ratio=1)
    await here.page.set_viewport_size(PHONE)
    await here.page.locator("#tries button").first.tap()
    await robot.moves()
    await here.stop.tap()
    await stopped(here, here.turns, robot)
    await here.hear("start the demo for 300 seconds in the background")
    await expect(here.page.locator("#chips")).to_be_visible()
    for size in sizes:
        await here.page.set_viewport_size(size)
        await fits(here)
        await expect(here.box).to_be_in_viewport(ratio=1)
    await here.page.get_by_role("button", name="End: background demo").tap()
    await expect(yes(here)).to_be_enabled()
    for size in sizes:
        await here.page.set_viewport_size(size)
        await fits(here)
    await here.page.set_viewport_size(PHONE)
    await yes(here).tap()
    await expect(here.page.locator("#tasks")).to_be_hidden()


async def fits(here: Visit) -> None:
    """Nothing wider than the window, stop in reach, and everything to press large enough for a thumb."""
    wide = "[document.scrollingElement.scrollWidth, innerWidth]"
    scroll, inner = await here.page.evaluate(wide)
    assert scroll <= inner
    await expect(here.stop).to_be_in_viewport(ratio=1)
    assert await here.hits("#stop")
    assert await here.page.locator("button, summary").evaluate_all(TOO_SMALL) == []


async def test_stop_is_in_reach_beside_a_question(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    turn = await here.say("nod")
    await expect(yes(here)).to_be_enabled()
    for size in (DESKTOP, PHONE, SMALL_PHONE, LYING_PHONE):
        await here.page.set_viewport_size(size)
        await expect(here.stop).to_be_in_viewport(ratio=1)
        assert await here.hits("#stop"), size
        for answer in (yes(here), no(here)):
            await answer.scroll_into_view_if_needed()
            await expect(answer).to_be_in_viewport(ratio=1)
    await here.stop.click()
    await expect(turn.locator(".trouble")).to_have_text("The answer was cut short.")
    await expect(here.cards).to_have_count(0)


async def test_everybody_can_use_it(visit: Visiting, robot: Robot) -> None:
    """Empty, with a conversation and a task, and with a question; by day and by night, at a desk and on a phone."""
    here = await visit()
    await everybody(here, "empty")
    await here.hear("what time is it?")
    await here.hear("play the move nobody knows")
    await here.hear("set a timer for one second")
    await here.hear("start the demo for 300 seconds in the background")
    await expect(here.page.locator(".told")).to_be_visible()
    await expect(here.toasts).to_have_count(0)
    await everybody(here, "conversation")
    turn = await here.say("nod twice")
    await expect(yes(here)).to_be_enabled()
    await everybody(here, "question")
    await no(here).click()
    await here.answered(turn)


async def everybody(here: Visit, where: str) -> None:
    for size, scheme in ((DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "dark"), (PHONE, "light")):
        await here.page.set_viewport_size(size)
        await here.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        found = await here.axe()
        assert not found, "\n".join([f"{where}, {scheme}, {size['width']} wide:", *found])
    await here.page.set_viewport_size(DESKTOP)
