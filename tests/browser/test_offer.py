"""A robot without a language model offers one: one click, a bar, and the card goes when the model is there."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from reachy_mind.brains import selection_rule
from reachy_mind.config.configuration import load
from reachy_mind.mind import Mind
from reachy_mind.models import fitness, ollama
from reachy_mind.models.machine import Machine
from tests.browser.browsing import PHONE, Served, in_chromium
from tests.browser.conftest import Visiting
from tests.fakes.model_hub import ModelHub

pytestmark = in_chromium

FILE = "unsloth/Qwen3-4B-Instruct-2507-GGUF/Qwen3-4B-Instruct-2507-Q4_K_M.gguf"
GB = 1_000_000_000
DESKTOP = Machine(memory=16 * GB, free_memory=12 * GB, cores=8, on_battery=False, free_disk=100 * GB)
NOWHERE = "http://127.0.0.1:9"


@pytest_asyncio.fixture(loop_scope="module")
async def hub() -> AsyncIterator[ModelHub]:
    with ModelHub() as hub:
        hub.files[FILE] = b"GGUF" + hashlib.shake_256(b"model").digest(2_000_000)
        yield hub


@pytest_asyncio.fixture(loop_scope="module")
async def mind(hub: ModelHub, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    """A mind on a desktop, without a robot and without a model."""
    home = tmp_path_factory.mktemp("offer")
    environ = {"REACHY_MIND_HOME": str(home), "HF_ENDPOINT": hub.url}
    flags = {"robot.address": "none", "speech.voice": "none", "speech.ears": "none", "mind.brain": "auto"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Machine, "here", lambda _: DESKTOP)
        patch.setattr(fitness, "find_spec", lambda _: True)
        patch.setattr(ollama, "DEFAULT_URL", NOWHERE)
        patch.setattr(selection_rule.decide, "__defaults__", (NOWHERE,))
        async with Mind(load(flags=flags, environ=environ, folder=home)).session() as mind:
            patch.setattr(mind.thinking, "prepare", lambda *_: None)  # what was pulled here is no model
            one = Served(mind)
            yield one
            await one.end()


async def test_one_click_gets_the_model_while_the_conversation_goes_on(visit: Visiting, hub: ModelHub) -> None:
    here = await visit(arrive=False)
    await here.open()
    card = here.page.get_by_role("region", name="A language model for this robot")
    await expect(card).to_contain_text("I could answer more with Qwen3 4B.")
    await expect(card).to_contain_text("2.5 GB to download once, then it runs on this machine. Licence: Apache-2.0")
    hub.held = True
    await card.get_by_role("button", name="Get it").click()
    await expect(card.get_by_role("progressbar")).to_be_visible()
    await expect(card).to_contain_text("Getting chat-qwen3-4b")
    await expect(card).to_contain_text("1 MB of 2 MB")
    await here.hear("hello")
    await expect(card.get_by_role("progressbar")).to_be_visible()
    assert await here.axe("#offer") == []
    hub.held = False
    hub.release.set()
    await expect(card).to_be_hidden()


async def test_it_can_be_cancelled_declined_and_fits_a_phone(visit: Visiting, hub: ModelHub) -> None:
    here = await visit(arrive=False, viewport=PHONE)
    await here.open()
    card = here.page.locator("#offer")
    assert await here.axe("#offer") == []
    hub.held = True
    await card.get_by_role("button", name="Get it").click()
    assert await asyncio.to_thread(hub.reached.wait, 20)
    await card.get_by_role("button", name="Cancel").click()
    await expect(card.get_by_role("button", name="Get it")).to_be_visible()
    assert await here.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await card.get_by_role("button", name="Not now").click()
    await expect(card).to_be_hidden()
    await here.page.reload()
    await expect(here.page.locator("#hello")).to_be_visible()
    await here.hear("hello")
    await expect(card).to_be_hidden()


async def test_what_went_wrong_is_said_and_another_one_is_offered(visit: Visiting, hub: ModelHub) -> None:
    hub.files.clear()
    here = await visit(arrive=False)
    await here.open()
    card = here.page.locator("#offer")
    await card.get_by_role("button", name="Get it").click()
    await expect(card).to_contain_text("chat-qwen3-4b could not be fetched")
    await expect(card).to_contain_text("Qwen2.5-Coder 1.5B")
