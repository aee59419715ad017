"""The workshop on the page: the whole life of a tool, from the words that ask for it to the way back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import pytest_asyncio
from playwright.async_api import Locator, expect

from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from reachy_mind.workshop.author.author import ScriptedAuthor
from reachy_mind.workshop.draft import Draft
from reachy_mind.workshop.shelf.shelf import FAULTS
from tests.browser.browsing import Robot, Served, Visit, in_chromium
from tests.browser.conftest import Visiting
from tests.conftest import MODELS
from tests.waiting import until
from tests.workshop.shelf.versions import new_version

pytestmark = [*in_chromium, pytest.mark.simulator]

MARKUP = "<img src=x onerror=alert(1)>"
CODE = f'''async def turn_away() -> dict:
    """Turn away. {MARKUP}"""
    await move_head(yaw=30, duration=0.4)
    return {{"message": "No! {MARKUP}", "note": "{MARKUP}"}}
'''
BROKEN = CODE.replace("return", "raise ValueError('I am lost')\n    return")
SHINING = CODE.replace("await", "await set_light(color='red')\n    await").replace("No!", "Never!")
FIRST = Draft(
    *("turn_away", CODE, "Turn away.", f"It turns its head. {MARKUP}", ("motion",), ({"robot": {"moved": True}},)),
    author="recipe:sequence",
)
SCRIPT = {
    f"turn away {MARKUP}": [FIRST],
    "turn away, and turn red": [
        replace(FIRST, code=BROKEN),
        replace(FIRST, code=SHINING, capabilities=("motion", "light")),
    ],
    "find the way": [replace(FIRST, name="find_way", code=BROKEN.replace("turn_away", "find_way"))],
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SimpleNamespace]:
    """A mind with a simulated robot, whose tools are written by a script."""
    home = tmp_path_factory.mktemp("workshop")
    flags = {"mind.brain": "reflex", "robot.idle": False, "eyes.tracker": "off", "speech.ears": "none"}
    environ = {"REACHY_MIND_HOME": str(home), "REACHY_MIND_MODELS__FOLDER": str(MODELS)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        configuration = load(flags=flags | {"speech.voice": "none"}, environ=environ, folder=home)
        async with Mind(configuration, author=ScriptedAuthor(SCRIPT)).session() as awake:
            served = Served(awake)
            yield SimpleNamespace(url=served.url, home=home, shelf=awake.generated.shelf)
            await served.end()


async def ask_for(view: Locator, label: str, words: str, button: str) -> None:
    await view.get_by_label(label).fill(words)
    await view.get_by_role("button", name=button).click()


async def used(view: Locator) -> Locator:
    """What came of a call by the form."""
    if not await view.get_by_role("button", name="Do it").is_visible():
        await view.get_by_text("Use it now").click()
    await view.get_by_role("button", name="Do it").click()
    outcome = view.locator(".outcome")
    await expect(outcome.locator(".ended")).to_be_visible()
    return outcome


async def test_the_life_of_a_tool(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    here.forgive("422")  # what fails its trial
    await here.open("/#/workshop")
    view = here.page.locator("#view")
    await expect(view).to_contain_text("None yet.")

    # Generation: it is written, checked and tried, and the robot does not move.
    async with robot.watched() as poses:
        await ask_for(view, "What should the new tool do?", f"turn away {MARKUP}", "Make it")
        await expect(view.locator(".stages .now")).to_have_text("Trying it out…")
        await expect(view.get_by_role("heading", name="May I use this tool from now on?")).to_be_visible()
        await expect(view.locator(".allowed li")).to_have_text("move: head, body and antennas motion")
        await the_replay_is_not_the_robot(here, view)
    assert np.ptp([pose[5] for pose in poses]) < 2, "the robot moved before anybody had said yes"
    assert await robot.done("move_head") == 0

    await what_others_wrote_is_text(here, view)

    # Approval: one button, no second question.
    await view.get_by_role("button", name="Yes, use it").click()
    await expect(view.get_by_role("heading", name="It is in use")).to_be_visible()
    assert await here.page.evaluate("window.cards") == [], "it was asked about twice"
    listed = {each["name"]: each for each in (await robot.http.get("/tools")).json()["tools"]}
    assert (listed["turn_away"]["source"], listed["turn_away"]["generated"]["version"]) == ("generated", 1)

    # Use
    await expect(await used(view)).to_contain_text("No!")
    await expect(here.page.locator("img[src=x]")).to_have_count(0)
    assert await robot.done("move_head") == 1

    # Failure and repair: the first draft of the change fails its trial, the second passes and wants more.
    await ask_for(view, "What should it do instead?", "turn away, and turn red", "Make a new version")
    await expect(view.locator(".stages .now")).to_have_text("Trying it out, repair 1…")
    await expect(view.get_by_role("heading", name="May I use this tool from now on?")).to_be_visible()
    await expect(view.locator(".allowed li", has_text="light").locator(".tag")).to_have_text("new")
    await expect(view.locator(".problems")).to_have_text("It may do more than version 1: light.")
    await expect(view.locator(".code .added").first).to_contain_text("await set_light(color='red')")
    await view.get_by_role("button", name="Yes, use it").click()
    await expect(view.get_by_role("heading", name="It is in use")).to_be_visible()
    await expect(await used(view)).to_contain_text("Never!")

    # Rollback, which the gate asks about
    await view.get_by_role("button", name="Go back to version 1").click()
    await expect(here.cards.get_by_role("heading")).to_have_text("May I go back to an earlier version?")
    await here.cards.locator(".yes").click()
    await expect(view.get_by_role("button", name="Version 1 in use")).to_be_visible()
    await view.get_by_role("button", name="Version 1 in use").click()
    await expect(await used(view)).to_contain_text("No!")

    # A tool that can't be repaired is shown with the reason.
    await view.get_by_role("link", name="All my tools").click()
    await expect(view.locator("[data-tool=turn_away]")).to_contain_text("in use")
    await ask_for(view, "What should the new tool do?", "find the way", "Make it")
    await expect(view.get_by_role("alert")).to_contain_text("did not pass its trial")
    await view.get_by_role("link", name="See what it did in its trial").click()
    await expect(view.get_by_role("heading", name="It is not ready")).to_be_visible()
    await expect(view.locator(".case").first).to_contain_text("I am lost")
    await expect(view.get_by_role("button", name="Yes, use it")).to_have_count(0)


async def what_others_wrote_is_text(here: Visit, view: Locator) -> None:
    """And everybody can read it."""
    await view.get_by_text("Read the code").click()
    await expect(view.locator("pre.code")).to_contain_text(MARKUP)
    await expect(view.locator("dd", has_text="It turns its head.")).to_contain_text(MARKUP)
    await expect(here.page.locator("img[src=x]")).to_have_count(0)
    assert await here.axe("#view") == []
    await here.page.emulate_media(color_scheme="dark")
    assert await here.axe("#view", "color-contrast") == []


async def the_replay_is_not_the_robot(here: Visit, view: Locator) -> None:
    """It plays, can be paused and searched, and ends at once when somebody presses stop or talks."""
    replay = here.page.locator("#replay")
    await view.get_by_role("button", name="Watch the replay").first.click()
    await expect(replay).to_contain_text("Replay, not the robot")
    await expect(here.page.locator("#doing")).to_be_hidden()
    await replay.get_by_role("button", name="Pause").click()
    assert await here.axe("#replay") == []
    slider = replay.get_by_role("slider", name="Time of the replay")
    await slider.fill("0")
    start = await here.figure()
    await slider.fill(str(float(await slider.get_attribute("max") or 0) / 2))
    await until(lambda: differs(here, start))
    await here.stop.click()
    await expect(replay).to_be_hidden()
    await expect(here.page.locator("#doing")).to_be_visible()


async def differs(here: Visit, before: np.ndarray) -> bool:
    """Whether the figure has another pose than before."""
    return bool(np.abs(await here.figure() - before).mean() >= 0.5)


async def test_a_tool_is_taken_along_and_one_in_quarantine_says_why(visit: Visiting, mind: SimpleNamespace) -> None:
    mind.shelf.add(new_version(name="run_away", explanation="It runs away."))
    mind.shelf.approve("run_away", 1, "test", activate=True)
    for _ in range(FAULTS):
        mind.shelf.record_kill("run_away", 1, "it took too long")
    here = await visit(arrive=False)
    here.forgive("422")  # a file that is no tool
    await here.open("/#/workshop/run_away")
    view = here.page.locator("#view")
    await expect(view.locator(".decision")).to_contain_text("of its runs within a day went wrong, the last was killed")
    await expect(view.get_by_role("button", name="Use it again")).to_be_enabled()
    async with here.page.expect_download() as saving:
        await view.get_by_role("button", name="Export").click()
    saved = await (await saving.value).path()
    await view.get_by_role("link", name="All my tools").click()
    await expect(view.locator("[data-tool=run_away]")).to_contain_text("quarantine")
    choose = view.get_by_label("A file with a tool")
    changed = {"name": "tool.json", "mimeType": "application/json", "buffer": b'{"format": "another"}'}
    await choose.set_input_files(changed)  # type: ignore[arg-type]
    await expect(here.toasts.last).to_contain_text("Not imported: this is no bundle")
    await choose.set_input_files(saved)  # the same content is the same version: its quarantine stays
    await expect(view.get_by_role("heading", name="It is in quarantine")).to_be_visible()
