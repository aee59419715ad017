"""Feedback on the page: a reply is rated, the rating changed; what was learned is shown, undone and used again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import SimpleNamespace

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from reachy_mind.config.configuration import load
from reachy_mind.feedback.lessons import NewLesson
from reachy_mind.mind import Mind
from tests.browser.browsing import PHONE, Served, Visit, in_chromium
from tests.browser.conftest import Visiting
from tests.conftest import MODELS

pytestmark = in_chromium

MARKUP = "<img src=x onerror=alert(1)>"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SimpleNamespace]:
    """A mind without a robot."""
    home = tmp_path_factory.mktemp("learning")
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    flags = {"mind.brain": "reflex", "robot.address": "none", "speech.ears": "none", "speech.voice": "none"}
    async with Mind(load(flags=flags, environ=environ, folder=home)).session() as awake:
        served = Served(awake)
        yield SimpleNamespace(url=served.url, feedback=awake.feedback.service)
        await served.end()


def rating(turn: Locator) -> Locator:
    return turn.get_by_role("group", name="How good was that?")


async def rewards(url: str) -> list[float]:
    async with httpx.AsyncClient(trust_env=False) as http:
        listed = (await http.get(f"{url}/api/v1/feedback")).json()["feedback"]
        return [one["reward"] for one in listed]


async def test_a_reply_is_rated_and_what_was_learned_is_undone(visit: Visiting, mind: SimpleNamespace) -> None:
    here = await visit(arrive=False)
    await here.open()
    turn = await here.hear("hello")
    await a_rating_is_given_and_changed(here, rating(turn), mind.url)
    await here.page.reload()
    await expect(rating(here.turns.first).locator("output")).to_have_text("Recorded: bad")

    await here.page.get_by_role("link", name="Learning").click()
    view = here.page.locator("#view")
    await expect(view).to_contain_text("Nothing yet. Ask me to look somewhere")
    await expect(view.locator("[data-feedback]")).to_contain_text("Rated bad")
    lesson = NewLesson("", "arguments", "dance", {"args": {"repeat": 2}, "weight": 1.0}, "", {}, f"longer {MARKUP}")
    await mind.feedback.learn([lesson])  # what others teach appears by itself
    row = view.locator("[data-lesson]")
    await expect(row).to_contain_text(f"longer {MARKUP}")
    await expect(here.page.locator("img[src=x]")).to_have_count(0)
    await row.get_by_role("button", name="Undo").click()
    await expect(row.locator(".tag")).to_have_text("taken back")
    assert [each["undone"] for each in mind.feedback.lessons()] == [True]
    assert await here.axe("#view") == []
    await row.get_by_role("button", name="Learn it again").click()
    await expect(row.get_by_role("button", name="Undo")).to_be_visible()
    await here.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert await here.page.evaluate(WIDER) <= 0
    await view.get_by_label("Learned from").select_option("")
    await view.get_by_role("button", name="Forget all of it").click()
    await view.get_by_role("button", name="Yes, forget it for good").click()
    await expect(row).to_have_count(0)


async def a_rating_is_given_and_changed(here: Visit, group: Locator, url: str) -> None:
    said = group.locator("output")
    await group.get_by_role("button", name="Good").click()
    await expect(said).to_have_text("Recorded: good")
    await expect(group.get_by_role("button", name="Good")).to_have_attribute("aria-pressed", "true")
    assert await rewards(url) == [0.5]
    slider = group.get_by_role("slider")
    await slider.focus()
    await slider.press("Home")  # a key moves it step by step: where it comes to rest counts
    await slider.press("ArrowRight")
    await expect(said).to_have_text("Recorded: terrible")
    assert await rewards(url) == [-0.9], "a later rating replaces the earlier one"
    await expect(group.get_by_role("button", name="Good")).to_have_attribute("aria-pressed", "false")
    await group.get_by_role("button", name="Bad").click()
    await expect(said).to_have_text("Recorded: bad")
    assert await here.axe("#log") == []
