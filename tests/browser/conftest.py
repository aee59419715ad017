"""One browser for the tests of a module, and a page of its own for every visitor."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.browser.browsing import (
    DESKTOP,
    DISARMED_AT_FIRST,
    PATIENCE_MS,
    SPARING,
    TELL_VIOLATIONS,
    Robot,
    Visit,
    launched,
)
from tests.fakes.minds import Run

Visiting = Callable[..., Awaitable[Visit]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with launched() as one:
        yield one


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


FAILED = pytest.StashKey[bool]()


@pytest_asyncio.fixture(loop_scope="module")
async def visit(browser: Browser, mind: Run, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Visiting]:
    """Visitors, each with a browser of their own: `await visit()` opens the page and waits for the robot.

    To spare the machine there is a slow screen, no camera and no animation, unless the `whole` page is wanted, and no
    service worker.

    At the end nobody may have seen an error, a broken policy, a failed request or one to another host.
    """
    open_ones: list[Visit] = []

    async def come(*, arrive: bool = True, whole: bool = False, at: Browser | None = None, **how: Any) -> Visit:
        calm = {} if whole else {"reduced_motion": "reduce"}
        usual = {"viewport": DESKTOP, "service_workers": "block"}
        context = await (at or browser).new_context(**usual | calm | how)
        context.set_default_timeout(PATIENCE_MS)
        await context.add_init_script(TELL_VIOLATIONS + DISARMED_AT_FIRST + ("" if whole else SPARING))
        here = Visit(context, await context.new_page(), mind.url)
        open_ones.append(here)
        if arrive:
            await here.arrive()
        return here

    yield come
    failed = request.node.stash.get(FAILED, True)
    for number, here in enumerate(open_ones):
        if failed:
            await here.page.screenshot(path=tmp_path / f"visitor-{number}.png")
        await here.context.close()
    faults = [fault for here in open_ones for fault in here.faults]
    assert not faults, "\n".join(faults)


@pytest_asyncio.fixture(loop_scope="module")
async def robot(mind: Run) -> AsyncIterator[Robot]:
    """The mind's robot, looking ahead."""
    one = Robot(mind.url)
    await one.look_ahead()
    yield one
    await one.http.aclose()
