"""Training on the page: a demonstration by dragging the head, runs with their curves, praise for an episode, a skill
of what was learned. What trains here is a file that says how far it is; with PyTorch a real training, too."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from reachy_mind.config.configuration import load
from reachy_mind.learning.training.plan import TrainingPlan
from reachy_mind.learning.training.progress import ProgressFile, TrainingProgress
from reachy_mind.mind import Mind
from tests.browser.browsing import PHONE, Robot, Served, Visit, in_chromium
from tests.browser.conftest import Visiting
from tests.conftest import MODELS
from tests.fakes.trained_runs import left_on_disk, looking

pytestmark = [*in_chromium, pytest.mark.simulator]

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs torch (make test-extras)")
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
LONG_MS = 180_000
"""For a trial in simulation, and for the start of PyTorch."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SimpleNamespace]:
    """A mind with a simulated robot."""
    home = tmp_path_factory.mktemp("training")
    flags = {"mind.brain": "reflex", "robot.idle": False, "eyes.tracker": "off", "speech.ears": "none"}
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        configuration = load(flags=flags | {"speech.voice": "none"}, environ=environ, folder=home)
        async with Mind(configuration).session() as awake:
            served = Served(awake)
            yield SimpleNamespace(url=served.url, home=home, shelf=awake.generated.shelf)
            await served.end()


@pytest.fixture
def runs(mind: SimpleNamespace) -> Path:
    folder: Path = mind.home / "training"
    return folder


async def training(visit: Visiting) -> tuple[Visit, Locator]:
    here = await visit()
    await here.page.get_by_role("navigation").get_by_role("link", name="Training").click()
    view = here.page.locator("#view")
    await expect(view.get_by_role("heading", level=2)).to_be_focused()
    return here, view


def card(view: Locator, run: str) -> Locator:
    return view.locator(f"[data-run='{run}']")


async def yes(here: Visit, question: str) -> None:
    await expect(here.cards.get_by_role("heading")).to_have_text(question)
    await here.cards.locator(".yes").click()
    await expect(here.cards).to_have_count(0)


async def fits_and_keeps_nobody_out(here: Visit) -> None:
    assert await here.axe("#view") == []
    await here.page.emulate_media(color_scheme="dark")
    assert await here.axe("#view", "color-contrast") == []
    await here.page.emulate_media(color_scheme="light")
    before = here.page.viewport_size
    await here.page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert await here.page.evaluate(WIDER) <= 0, "it is wider than a phone"
    await here.page.set_viewport_size(before)  # type: ignore[arg-type]


async def test_something_is_shown_by_dragging_the_head(visit: Visiting, robot: Robot) -> None:
    here, view = await training(visit)
    await expect(here.page.locator("#canvas")).to_be_hidden()
    await view.get_by_role("tab", name="Demonstrations").click()
    await expect(here.page.locator("#canvas")).to_be_visible()
    await expect(view).to_contain_text("Nothing yet. Say what you show me")
    task = view.get_by_label("What you show me", exact=True)
    await view.get_by_role("button", name="Record").click()
    assert await task.evaluate("(box) => box.matches(':invalid:focus')"), "it does not ask what is shown"
    await task.fill("look to the left")
    await view.get_by_label("With my camera").uncheck()
    await view.get_by_role("button", name="Record").click()
    await expect(view.get_by_role("button", name="Stop recording")).to_be_visible()
    wished = await drag(here, view, robot)
    await view.get_by_role("button", name="Stop recording").click()
    await expect(view.locator(".result svg.curves")).to_be_visible()
    await view.get_by_role("button", name="Save").click()
    row = view.locator("[data-demonstration]")
    await expect(row).to_contain_text("dragged · ")
    (kept,) = (await robot.http.get("/demonstrations")).json()["demonstrations"]
    assert (kept["task_description"], kept["source"]) == ("look to the left", "teleoperation")

    await here.stop.click()
    await robot.look_ahead()
    async with robot.watched() as poses:
        await row.get_by_role("button", name="Replay: look to the left").click()
        await yes_if_asked(here, view)
    assert max(abs(pose[5]) for pose in poses) > abs(wished) - 6, "it is not what was shown"

    await row.locator("summary").click()
    await expect(row.locator("svg.curves")).to_be_visible()
    await fits_and_keeps_nobody_out(here)
    await row.get_by_label("To second").fill("0.5")
    await row.get_by_role("button", name="Keep only this part").click()
    await yes(here, "May I shorten what you showed me?")
    await expect(row).to_contain_text("dragged · 0.5 s")
    await expect(row.locator("svg.curves")).to_be_visible()  # what was open still is
    await row.get_by_role("button", name="Delete").click()
    await yes(here, "May I forget what you showed me?")
    await expect(row).to_have_count(0)
    assert (await robot.http.get("/demonstrations")).json()["total"] == 0


async def drag(here: Visit, view: Locator, robot: Robot) -> float:
    """Drags the head aside and waits until it is there; where to, in degrees."""
    await expect(view.get_by_role("button", name="Let go")).to_be_visible()
    place = await here.page.locator("#canvas").bounding_box()
    assert place is not None
    middle, height = place["x"] + place["width"] / 2, place["y"] + place["height"] * 0.5
    async with robot.watched() as poses:
        await here.page.mouse.move(middle, height)
        await here.page.mouse.down()
        await here.page.mouse.move(middle + 60, height, steps=6)
        await expect(here.page.locator("#canvas.gripped")).to_have_count(1)
        await view.locator("summary", has_text="Sliders").evaluate("(sliders) => (sliders.parentElement.open = true)")
        wished = float(await view.get_by_label("Left and right").input_value())
        assert abs(wished) > 10, "the pointer turned nothing"
        await here.page.mouse.up()
        while not poses or abs(poses[-1][5] - wished) > 4:
            await here.page.wait_for_timeout(50)
    return wished


async def yes_if_asked(here: Visit, view: Locator) -> None:
    """Until it has been done again: a demonstration may be a dance, and dances may ask."""
    done = view.get_by_role("button", name="Replay").and_(view.locator(":enabled"))
    await expect(here.cards.or_(done).first).to_be_visible()
    if await here.cards.count():
        await here.cards.locator(".yes").click()
    await expect(done).to_be_visible()


async def test_without_pytorch_runs_are_shown_and_nothing_is_begun(
    visit: Visiting, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    curve = ((50, 0.25), (100, 0.9))
    left_on_disk(runs / "good", progress=TrainingProgress("done", 100, 100), curve=curve)
    left_on_disk(runs / "bad", progress=TrainingProgress("failed", 10, 60, reason="the disk is full"))
    here, view = await training(visit)
    start = view.get_by_role("button", name="Start")
    await expect(start).to_be_disabled()
    await expect(start).to_have_accessible_description(re.compile("can't practise here: .* the 'learning' extra"))
    await expect(start).to_have_accessible_description(re.compile(r"pip install 'reachy-mind\[learning\]'"))
    await expect(view).to_contain_text("2 runs")
    await expect(card(view, "bad").locator(".tag")).to_have_text("failed")
    good = card(view, "good")
    if not await good.evaluate("(row) => row.open"):
        await good.locator("summary").click()
    await expect(good.locator(".figures")).to_contain_text("90 %")
    drawn = good.get_by_role("img")
    spelled = "Learning curve, at episode 100 of 100. Success: 25 % after 50, 90 % after 100 episodes."
    await expect(drawn).to_have_attribute("aria-label", spelled)
    await expect(drawn.locator(".point")).to_have_count(2)
    await fits_and_keeps_nobody_out(here)
    for run in ("good", "bad"):
        if not await card(view, run).evaluate("(row) => row.open"):
            await card(view, run).locator("summary").click()
        await card(view, run).get_by_role("button", name="Delete").click()
        await yes(here, "May I delete what I practised?")
        await expect(card(view, run)).to_have_count(0)
    await expect(view).to_contain_text("No run yet.")
    assert not (runs / "good" / "plan.json").exists()


async def test_a_person_says_how_each_episode_was_also_late(visit: Visiting, runs: Path) -> None:
    left_on_disk(runs / "with-me", TrainingPlan(algorithm="tamer", episodes=30, human=True))
    here, view = await training(visit)
    await expect(here.page.locator("#canvas")).to_be_hidden()
    with ProgressFile(runs / "with-me").held(30) as progress:
        progress.shows("It is to look at: 20 degrees to the left.")
        mine = card(view, "with-me")
        await expect(mine.locator(".verdict")).to_contain_text("20 degrees to the left")
        await expect(here.page.locator("#canvas")).to_be_visible()  # there is something to see
        progress.waits("with-me:0", 1)
        await expect(mine.get_by_role("heading", name="How was episode 1?")).to_be_visible()
        await expect(mine.locator(".tag")).to_have_text("waits for you")
        await mine.get_by_role("button", name="Bad").click()
        await expect(mine.locator("output")).to_have_text("Recorded: bad")
        progress.goes_on()
        await expect(mine.locator(".tag")).to_have_text("practising")
        await mine.get_by_role("button", name="Great").click()  # a second thought, while the next one is shown
        await expect(mine.locator("output")).to_have_text("Recorded: great")
        progress.waits("with-me:1", 2)
        await expect(mine.get_by_role("heading", name="How was episode 2?")).to_be_visible()
        await expect(mine.get_by_role("button", name="Great")).to_have_attribute("aria-pressed", "false")
        await mine.get_by_role("button", name="Good").click()
        await expect(mine.locator("output")).to_have_text("Recorded: good")
        await fits_and_keeps_nobody_out(here)
    await expect(mine.locator(".tag")).to_have_text("done")
    await expect(mine.locator(".verdict")).to_be_hidden()
    await expect(here.page.locator("#canvas")).to_be_hidden()
    given = [json.loads(line) for line in (runs / "with-me" / "feedback.jsonl").read_text().splitlines()]
    assert [(one["episode"], one["reward"]) for one in given] == [(0, -0.5), (0, 1.0), (1, 0.5)]


@pytest.mark.slow
async def test_a_run_is_published_and_judged_in_the_workshop(
    visit: Visiting, runs: Path, mind: SimpleNamespace
) -> None:
    left_on_disk(runs / "able", progress=TrainingProgress("done", 60, 60), policy=looking(), curve=((60, 0.97),))
    here, view = await training(visit)
    able = card(view, "able")
    if not await able.evaluate("(row) => row.open"):
        await able.locator("summary").click()
    await able.get_by_role("button", name="Publish as a skill").click()
    skill = able.locator("[data-skill=practised_look_at]")
    await expect(skill).to_contain_text("waits for you", timeout=LONG_MS)
    assert mind.shelf.active("practised_look_at") is None, "nobody has said yes"
    await skill.click()
    await expect(view.get_by_role("heading", name="May I use this tool from now on?")).to_be_visible()
    await view.get_by_role("button", name="Yes, use it").click()
    await expect(view.get_by_role("heading", name="It is in use")).to_be_visible()
    await here.page.get_by_role("navigation").get_by_role("link", name="Training").click()
    await expect(card(view, "able").locator("[data-skill] .tag")).to_have_text("in use")


@needs_torch
@pytest.mark.slow
async def test_something_is_practised_from_start_to_end(visit: Visiting, runs: Path) -> None:
    here, view = await training(visit)
    await view.get_by_label("How", exact=True).select_option("ppo")
    await view.get_by_role("spinbutton", name="Episodes").fill("100000")
    await view.locator("summary", has_text="More").click()
    await view.get_by_label("From easy to hard").check()
    await view.get_by_label("Name").fill("long")
    await view.get_by_role("button", name="Start").click()
    long = card(view, "long")
    await expect(long.locator(".learning-curve .point").first).to_have_count(1, timeout=LONG_MS)
    await expect(long.locator(".tag")).to_have_text("practising")
    await long.get_by_role("button", name="Stop").click()
    await expect(long.locator(".tag")).to_have_text("interrupted", timeout=LONG_MS)
    plan = json.loads((runs / "long" / "plan.json").read_text())
    assert (plan["algorithm"], plan["curriculum"], plan["human"]) == ("ppo", True, False)
    await long.get_by_role("button", name="Go on").click()
    await expect(long.locator(".tag")).to_have_text("practising", timeout=LONG_MS)
    await view.get_by_label("How", exact=True).select_option("clone")
    await view.get_by_role("spinbutton", name="Episodes").fill("")
    here.forgive("409")  # one at a time
    await view.get_by_role("button", name="Start").click()
    await expect(view.get_by_role("alert")).to_contain_text("long is being trained")
    await long.get_by_role("button", name="Stop").click()
    await expect(long.locator(".tag")).to_have_text("interrupted", timeout=LONG_MS)
    await view.get_by_role("button", name="Start").click()
    await expect(card(view, "look-at").locator(".tag")).to_have_text("done", timeout=LONG_MS)
    await expect(card(view, "look-at").locator(".figures")).to_contain_text("10 of 10")
