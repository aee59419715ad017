"""Honest tools, as makers, teachers and owners write them, run in each isolation profile and do what they should."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from tests import waiting
from tests.fakes.processes import Daemon
from tests.workshop.attack_range import PROFILES
from tests.workshop.honest_tools import HonestTool, honest_tools, listing, wrong
from tests.workshop.workshop_host import WorkshopHost, workshop_host

PICTURES = {"photo_to_tmp", "photo_series", "short_film", "colour_finder", "album_archive"}

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.process]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host(daemon: Daemon) -> AsyncIterator[WorkshopHost]:
    async with workshop_host(daemon) as running:
        yield running


async def run(host: WorkshopHost, tool: HonestTool, isolation: str) -> list[str]:
    report = await host.run(
        tool.path, tool.args, allow=tool.allow, timeout=tool.timeout, isolation=isolation, virtual_time=tool.virtual
    )
    return wrong(tool, report)


def is_jpeg(path: str) -> bool:
    return Path(path).read_bytes()[:2] == b"\xff\xd8"


async def test_the_corpus_is_large() -> None:
    assert len(honest_tools()) >= 60
    assert {tool.path for tool in honest_tools()} == set(Path(honest_tools()[0].path).parent.glob("*.py"))


@pytest.mark.parametrize("tool", honest_tools(), ids=lambda tool: tool.name)
async def test_it_does_what_it_should(host: WorkshopHost, tool: HonestTool) -> None:
    assert await run(host, tool, "auto") == []


@pytest.mark.parametrize("isolation", PROFILES[1:])
@pytest.mark.timeout(600)
async def test_it_does_so_with_fewer_layers(host: WorkshopHost, isolation: str) -> None:
    """Files, libraries and pictures, where a missing layer could make a difference; motion is the host's."""
    if isolation not in await host.profiles():
        pytest.skip(f"this machine has no {isolation} isolation")
    chosen = [tool for tool in honest_tools() if tool.name in PICTURES or not (tool.allow or tool.virtual)]
    failed = {tool.name: found for tool in chosen if (found := await run(host, tool, isolation))}
    assert not failed


@pytest.mark.sweep
@pytest.mark.parametrize("isolation", PROFILES)
@pytest.mark.timeout(1800)
async def test_all_of_them(host: WorkshopHost, isolation: str) -> None:
    if isolation not in await host.profiles():
        pytest.skip(f"this machine has no {isolation} isolation")
    failed = {tool.name: found for tool in honest_tools() if (found := await run(host, tool, isolation))}
    assert not failed


async def test_the_listing_that_takes_photos_runs_as_it_stands(host: WorkshopHost, tmp_path: Path) -> None:
    tool = listing("periodic_photo_capture", tmp_path)
    report = await host.run(tool, {"interval": 5, "duration": 60}, allow="camera", timeout=60, virtual_time=True)
    assert report["status"] == "ok", report
    assert report["result"]["status"] == "success"
    assert 11 <= report["result"]["count"] <= 13
    assert all(is_jpeg(photo) for photo in report["result"]["photos"])
    wrong_use = await host.run(tool, {"interval": 0, "duration": 10}, allow="camera", timeout=20)
    assert wrong_use["result"] == {"status": "error", "message": "Invalid parameters"}


async def test_the_listing_that_takes_photos_does_so_in_real_time(host: WorkshopHost, tmp_path: Path) -> None:
    tool = listing("periodic_photo_capture", tmp_path)
    report = await host.run(tool, {"interval": 1, "duration": 2}, allow="camera", timeout=60)
    assert report["status"] == "ok", report
    assert 1 <= report["result"]["count"] <= 3


async def test_the_listing_that_watches_the_scene_reports_what_is_new(
    host: WorkshopHost, daemon: Daemon, tmp_path: Path
) -> None:
    """A ball that is laid on the table after the first look is in an alert."""
    tool = listing("monitor_scene_changes", tmp_path)
    await host.awake()
    before = await host.count("analyze_scene")
    running = host.run(tool, {"interval": 1, "duration": 8}, allow="camera", timeout=100)
    watching = asyncio.create_task(running)

    async def looked() -> bool:
        return watching.done() or await host.count("analyze_scene") > before

    await waiting.until(looked)
    ball = {"shape": "sphere", "size": [0.08], "position": [0.45, 0.0], "color": [0, 0, 1], "label": "a blue ball"}
    async with httpx.AsyncClient(base_url=daemon.url) as scene:
        (await scene.post("/sim/v1/objects", json=ball)).raise_for_status()
    report = await watching
    assert report["status"] == "ok", report
    assert report["result"]["status"] == "success"
    assert "ball" in str(report["result"]["alerts"]), report
