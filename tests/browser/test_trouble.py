"""What a person sees when something is missing: the mind, the robot, an answer, 3D."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.browsing import SERVER_GONE, Robot, in_chromium, launched, watched
from tests.browser.conftest import Visiting
from tests.browser.test_questions import everybody
from tests.fakes.minds import Run, free_port
from tests.fakes.processes import family

pytestmark = in_chromium


class Again:
    """A mind that can be killed and started again, at the same address and with the same data."""

    def __init__(self, home: Path) -> None:
        self._home, self._port = home, str(free_port())
        self._stack = contextlib.ExitStack()
        self.start()

    def start(self) -> None:
        run = watched(self._home, "--port", self._port, tools__confirm_s="3")
        self.run: Run = self._stack.enter_context(run)

    def kill(self) -> None:
        self.run.end(signal.SIGKILL)

    def close(self) -> None:
        self._stack.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"


@pytest.fixture(scope="module")
def mind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Again]:
    """A mind that asks before it nods, and does not wait long for an answer."""
    home = tmp_path_factory.mktemp("trouble")
    (home / "permissions.yaml").write_text("rules:\n  - {pattern: robot.nod, tier: confirm}\n")
    with contextlib.closing(Again(home)) as one:
        yield one


async def test_no_answer_is_a_no(visit: Visiting, robot: Robot) -> None:
    here = await visit()
    turn = await here.say("nod")
    await expect(here.cards).to_have_count(1)
    await expect(here.cards).to_have_count(0)
    await here.answered(turn)
    await expect(turn.locator(".words")).to_have_text("I did not nod, because nobody confirmed it.")
    await expect(turn.locator(".deed")).to_have_attribute("title", re.compile("nobody answered for robot.nod"))
    assert await robot.done("nod") == 0


async def test_it_works_without_3d(visit: Visiting) -> None:
    async with launched("--disable-3d-apis") as flat:
        here = await visit(arrive=False, at=flat)
        here.forgive("WebGL|THREE")
        await here.open()
        await expect(here.page.locator("#stage-note")).to_contain_text("can't draw 3D")
        await expect(here.page.locator("#canvas")).to_be_hidden()
        await expect(here.chip).to_have_text("Simulated robot")
        await here.page.locator("#fold-eye").click()
        await expect(here.page.locator("#picture")).to_be_visible()
        turn = await here.hear("look left")
        await expect(turn.locator(".deed")).to_have_text("move head left: done")
        await expect(here.page.locator("#pose dd").first).to_have_text(re.compile("[23][0-9]°"))
        assert await here.axe() == []


async def test_a_robot_that_is_lost_is_told_and_comes_back(visit: Visiting, mind: Again) -> None:
    here = await visit()
    here.forgive("status of 503")
    simulator = family(mind.run.process.pid)[1]
    os.kill(simulator.pid, signal.SIGKILL)
    await expect(here.banner).to_contain_text("The robot is not connected")
    await expect(here.chip).to_have_text("Robot lost")
    await expect(here.page.locator(".stage")).to_have_attribute("data-link", "off")
    assert "grayscale" in await here.page.locator("#canvas").evaluate("(canvas) => getComputedStyle(canvas).filter")
    await expect(here.banner).to_be_hidden()
    await expect(here.chip).to_have_text("Simulated robot")
    await expect(here.page.locator(".stage")).to_have_attribute("data-link", "on")
    turn = await here.hear("look left")
    await expect(turn.locator(".deed")).to_have_text("move head left: done")
    await here.page.locator("#fold-eye").click()
    await expect(here.page.locator("#picture")).to_be_visible()


async def test_a_mind_that_dies_is_told_and_found_again(visit: Visiting, mind: Again) -> None:
    here = await visit()
    here.forgive(SERVER_GONE)
    await here.hear("look right")
    cut = await here.say("dance")
    mind.kill()
    await expect(here.banner).to_contain_text("The mind does not answer.")
    async with here.page.expect_event("websocket"):
        await here.banner.get_by_role("button", name="Try now").click()
    await expect(here.banner).to_contain_text("The mind does not answer.")
    await expect(here.chip).to_have_text("Not connected")
    await expect(cut.locator(".trouble")).to_contain_text("The connection was lost")
    await expect(here.page.locator(".stage")).to_have_attribute("data-link", "off")
    await here.box.fill("look left")
    await here.box.press("Enter")
    await expect(here.toasts).to_contain_text(["your words are kept in the box"])
    await expect(here.box).to_have_value("look left")
    await here.stop.click()
    await expect(here.banner).to_contain_text("Stop did not get through")
    await expect(here.toasts).to_have_count(0)
    await everybody(here, "disconnected")

    mind.start()
    await expect(here.chip).to_have_text("Simulated robot")
    await expect(here.banner).to_be_hidden()
    await expect(here.turns).to_have_count(2)
    await expect(here.turns.first.locator(".said")).to_contain_text("look right")
    await expect(here.box).to_have_value("look left")
    await here.box.press("Enter")
    await expect(here.turns).to_have_count(3)
    await here.answered(here.turns.last)
    await expect(here.turns.last.locator(".deed")).to_have_text("move head left: done")
