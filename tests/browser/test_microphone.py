"""The robot's microphone on the page: how it is, its switch, and what is said to it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from playwright.async_api import expect

from tests.browser.browsing import in_chromium, watched
from tests.browser.conftest import Visiting
from tests.fakes.minds import Run
from tests.fakes.people import Beside
from tests.fakes.processes import Daemon

pytestmark = in_chromium


@pytest.fixture(scope="module")
def mind(daemon: Daemon, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A mind that listens."""
    home = tmp_path_factory.mktemp("microphone")
    with watched(home, "--robot", str(daemon.address), voice=True, speech__voice="flite") as run:
        yield run


async def test_it_is_shown_and_switched_and_what_is_said_appears(visit: Visiting, mind: Run, daemon: Daemon) -> None:
    person = Beside(daemon.address)
    here = await visit(arrive=False)
    await here.open()
    button = here.page.locator("#microphone")
    await expect(button).to_have_attribute("data-state", "open")
    await expect(button).to_have_attribute("aria-pressed", "true")
    await expect(button).to_have_text("Robot listens")
    assert await person.listeners() == 1
    await person.say("What time is it?")
    turn = here.turns.first
    await expect(turn.locator(".said")).to_have_text("You: What time is it?")
    await expect(turn.locator(".words")).to_contain_text("It is ")
    await expect(turn.locator(".deed")).to_have_count(1)
    await here.answered(turn)
    again = await here.hear("again")
    await expect(again.locator(".words")).to_contain_text("It is ")
    await button.click()
    await expect(button).to_have_text("Robot's mic off")
    await expect(button).to_have_attribute("aria-pressed", "false")
    assert await person.listeners() == 0
    assert await here.axe() == []
    await here.page.reload()
    await expect(here.turns).to_have_count(2)
    await expect(button).to_have_text("Robot's mic off")
    async with httpx.AsyncClient() as http:
        await http.post(f"{mind.url}/api/v1/voice/microphone", json={"enabled": True}, timeout=20)
    await expect(button).to_have_text("Robot listens")
