"""The page as an app: what a browser needs to install it, and what it shows when there is no mind."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.browsing import PHONE, SERVER_GONE, Served, in_chromium, served
from tests.browser.conftest import Visiting

pytestmark = in_chromium

KEPT = """async () => {
  const names = await caches.keys();
  const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
  return { names, paths: requests.flat().map((request) => new URL(request.url).pathname) };
}"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mind(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    async with served(tmp_path_factory.mktemp("install")) as one:
        yield one


async def test_it_can_be_installed_and_opens_without_the_mind(visit: Visiting, mind: Served) -> None:
    here = await visit(arrive=False, service_workers="allow", viewport=PHONE)
    await here.open()
    await expect(here.chip).to_have_text("Connected, no robot")
    await here.page.evaluate("navigator.serviceWorker.ready.then(() => {})")
    browser = await here.context.new_cdp_session(here.page)
    manifest = await browser.send("Page.getAppManifest")
    assert manifest["errors"] == [] and manifest["url"].endswith("manifest.webmanifest")
    missing = (await browser.send("Page.getInstallabilityErrors"))["installabilityErrors"]
    assert [each["errorId"] for each in missing if each["errorId"] != "in-incognito"] == []
    kept = await here.page.evaluate(KEPT)
    assert len(kept["names"]) == 1 and {"/", "/web/app.js"} <= set(kept["paths"])
    assert not [path for path in kept["paths"] if path.startswith(("/api", "/figure"))], "what it knows is not kept"

    here.forgive(SERVER_GONE, "Failed to load resource|figure")
    await mind.end()
    await here.page.reload()
    await expect(here.banner).to_contain_text("The mind does not answer.")
    await expect(here.chip).to_have_text("Not connected")
    await here.page.locator("#voice-switch").click()
    await expect(here.page.locator("#voice")).to_have_attribute("data-state", "lost")
