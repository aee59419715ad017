"""Boxes over the camera picture: shown when asked for, where things are, with their names; and a camera in trouble."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.browser.browsing import PHONE, Visit, in_chromium, watched
from tests.browser.conftest import Visiting
from tests.fakes.minds import Run

pytestmark = in_chromium

SEEN: dict[str, Any] = {
    "camera": "open",
    "reason": "",
    "hint": "",
    "at": 0,
    "width": 640,
    "height": 360,
    "things": [
        {
            "name": "apple",
            "confidence": 0.97,
            "box": {"left": 0.25, "top": 0.5, "right": 0.5, "bottom": 0.75},
            "detector": "sim",
        },
        {
            "name": "<img src=x onerror=alert(1)>",
            "confidence": 0.4,
            "box": {"left": 0.6, "top": 0.0, "right": 1.0, "bottom": 0.2},
            "detector": "sim",
        },
    ],
    "faces": [
        {"confidence": 0.9, "box": {"left": 0.05, "top": 0.2, "right": 0.2, "bottom": 0.45}, "followed": True},
        {"confidence": 0.8, "box": {"left": 0.8, "top": 0.3, "right": 0.95, "bottom": 0.6}, "followed": False},
    ],
    "missing": [],
}


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with watched(tmp_path_factory.mktemp("overlay")) as run:
        yield run


class Recogniser:
    """What the server would have recognised."""

    def __init__(self) -> None:
        self.told = dict(SEEN)
        self.asked = 0

    async def answer(self, route: Route) -> None:
        self.asked += 1
        await route.fulfill(body=json.dumps(self.told), content_type="application/json")


async def looking(visit: Visiting, **how: Any) -> tuple[Visit, Recogniser]:
    here, recogniser = await visit(arrive=False, **how), Recogniser()
    await here.page.route("**/api/v1/vision/seen", recogniser.answer)
    await here.arrive()
    if await here.page.locator("#fold-eye").get_attribute("aria-expanded") == "false":
        await here.page.locator("#fold-eye").click()
    await expect(here.page.locator("#picture")).to_be_visible()
    return here, recogniser


async def places(here: Visit, *selectors: str) -> list[dict[str, float]]:
    """Where the first of each is, all at one moment: boxes are drawn anew with every answer."""
    found: list[dict[str, float]] = await here.page.evaluate(
        "all => all.map(one => document.querySelector(one).getBoundingClientRect().toJSON())", list(selectors)
    )
    return found


@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_boxes_are_where_things_are_and_say_what_they_are(visit: Visiting, colours: str) -> None:
    here, recogniser = await looking(visit, color_scheme=colours)
    button, boxes = here.page.get_by_role("button", name="Name what I recognise"), here.page.locator(".seen")
    assert recogniser.asked == 0, "asked though nobody wants to know"
    await expect(button).to_have_attribute("aria-pressed", "false")
    await button.focus()
    await here.page.keyboard.press("Space")
    await expect(button).to_have_attribute("aria-pressed", "true")
    await expect(boxes).to_have_text(["apple 97%", "<img src=x onerror=alert(1)> 40%", "following", "face"])
    await expect(here.page.locator(".seen.followed")).to_have_count(1)
    await expect(here.page.locator("#names")).to_contain_text("2 faces, one followed (sim)")
    frame, apple = await places(here, "#eye-picture", ".seen.thing")
    assert abs((apple["x"] - frame["x"]) / frame["width"] - 0.25) < 0.02
    assert abs((apple["y"] + apple["height"] - frame["y"]) / frame["height"] - 0.75) < 0.03
    assert await here.axe() == []
    await button.click()
    await expect(boxes).to_have_count(0)
    await expect(here.page.locator("#names")).to_be_hidden()


async def test_a_square_picture_is_cut_and_so_are_its_boxes(visit: Visiting) -> None:
    here, recogniser = await looking(visit)
    recogniser.told |= {"width": 500, "height": 500, "things": SEEN["things"][:1], "faces": []}
    await here.page.locator("#overlay").click()
    await expect(here.page.locator(".seen")).to_have_count(1)
    frame, apple = await places(here, "#eye-picture", ".seen")
    assert abs((apple["y"] - frame["y"]) / frame["height"] - 0.5) < 0.03
    assert abs(apple["height"] / frame["height"] - 0.25 * 16 / 9) < 0.05


async def test_it_is_remembered_and_asks_only_while_somebody_looks(visit: Visiting) -> None:
    here, recogniser = await looking(visit)
    await here.page.locator("#overlay").click()
    await expect(here.page.locator(".seen")).to_have_count(4)
    await here.page.reload()
    await expect(here.page.locator(".seen")).to_have_count(4)
    await expect(here.page.locator("#overlay")).to_have_attribute("aria-pressed", "true")
    await here.page.locator("#fold-eye").click()
    await expect(here.page.locator("#eye-picture")).to_be_hidden()
    await here.page.wait_for_timeout(600)  # one that was under way
    asked = recogniser.asked
    await here.page.wait_for_timeout(1200)
    assert recogniser.asked == asked
    await here.page.locator("#fold-eye").click()
    await expect(here.page.locator(".seen")).to_have_count(4)
    assert recogniser.asked > asked


async def test_a_camera_in_trouble_says_so(visit: Visiting) -> None:
    here, recogniser = await looking(visit)
    await here.page.locator("#overlay").click()
    names = here.page.locator("#names")
    for camera, reason, words in (
        ("dark", "the camera's picture is black", "Black picture: the camera's picture is black"),
        ("frozen", "it has not changed for 5 s", "Frozen picture: it has not changed for 5 s"),
    ):
        recogniser.told |= {"camera": camera, "reason": reason, "things": [], "faces": []}
        await expect(names).to_contain_text(words)
    recogniser.told |= {"camera": "open", "missing": ["there is no detector"]}
    await expect(names).to_have_text("Nothing I know. Not looked for: there is no detector")


async def test_on_a_phone(visit: Visiting) -> None:
    here, _ = await looking(visit, viewport=PHONE, has_touch=True, is_mobile=True)
    await here.page.locator("#overlay").tap()
    await expect(here.page.locator(".seen")).to_have_count(4)
    for button in ("#overlay", "#fold-eye", "#stop", "#say"):
        assert await here.hits(button), f"{button} can't be reached"
    assert await here.axe() == []


async def test_what_the_real_server_says(visit: Visiting) -> None:
    here = await visit()
    await here.page.locator("#fold-eye").click()
    await expect(here.page.locator("#picture")).to_be_visible()
    await here.page.locator("#overlay").click()
    await expect(here.page.locator("#names")).not_to_be_empty()
