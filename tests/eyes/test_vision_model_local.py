"""SmolVLM on this machine: a process, a picture and a question in, words out. Needs the extra (`make test-extras`)."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import pytest

from reachy_mind.config.configuration import load
from reachy_mind.config.settings import EyesSettings, HubSettings
from reachy_mind.errors import MissingExtra, WorkerError
from reachy_mind.eyes import vision_model_local, vision_model_selection
from reachy_mind.eyes.vision_model_local import LocalVisionModel
from tests.eyes.painted import painted
from tests.fakes import smolvlm as fakes
from tests.fakes.vision_server import VisionServer

Until = Callable[[Callable[[], object]], Awaitable[None]]
extra = pytest.mark.skipif(not vision_model_local.available(), reason="needs the extra local-vision: make test-extras")
REVISION = "0" * 40


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fakes.saved(tmp_path_factory.mktemp("smolvlm"))


def local(model: str | Path, hub: HubSettings | None = None, timeout_s: float = 60.0) -> LocalVisionModel:
    return LocalVisionModel(
        EyesSettings(local_vision=True, local_vision_model=str(model), vision_timeout_s=timeout_s), hub or HubSettings()
    )


def processes() -> set[int]:
    return {
        child.pid
        for child in psutil.Process().children(recursive=True)
        if "reachy_mind.models.worker_process" in child.cmdline() and "local-vision" in child.cmdline()
    }


@pytest.mark.skipif(vision_model_local.available(), reason="the extra is here")
async def test_without_the_extra_it_says_which() -> None:
    model = local("anything")
    with pytest.raises(MissingExtra, match="'local-vision' extra") as failed:
        await model.describe(painted("red", "red"), "")
    assert "pip install 'reachy-mind[local-vision]'" in failed.value.hint
    await model.aclose()


def test_it_is_chosen_before_an_address() -> None:
    flags = {"eyes.local_vision": True, "eyes.vision_url": "http://127.0.0.1:1/v1"}
    assert isinstance(vision_model_selection.choose(load(flags=flags)), LocalVisionModel)


@extra
async def test_it_describes_in_a_process_of_its_own_that_ends_with_it(files: Path, until: Until) -> None:
    before = processes()
    model = local(files)
    assert processes() == before, "started before anybody asked"
    said = await model.describe(painted("red", "blue"), "What <image> is there?", facts="a duck")
    assert 0 < len(said) <= 600
    assert said == await model.describe(painted("red", "blue"), "What <image> is there?", facts="a duck")
    (pid,) = processes() - before
    others = [await model.describe(painted(*pair, 900, 500), "What?") for pair in (("white", "black"), ("red", "blue"))]
    assert others[0] != others[1], "it did not look at the picture"
    asking = asyncio.create_task(model.describe(painted("red", "red"), "?"))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert await model.describe(painted("red", "red"), "?") and processes() - before == {pid}, "loaded again"
    os.kill(pid, signal.SIGKILL)
    await until(lambda: not psutil.pid_exists(pid))
    assert await model.describe(painted("red", "red"), "?")
    await model.aclose()
    assert processes() == before


@extra
async def test_from_the_hubs_cache_nobody_is_asked(files: Path, tmp_path: Path) -> None:
    kept = tmp_path / "hub" / "models--someone--tiny"
    shutil.copytree(files, kept / "snapshots" / REVISION)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(REVISION)
    with VisionServer() as hub:
        model = local("someone/tiny", HubSettings(folder=tmp_path, endpoint=hub.url))
        assert await model.describe(painted("red", "blue"), "")
        await model.aclose()
        assert hub.requests == 0


@extra
@pytest.mark.parametrize("what", ["nothing", "no name", "not safetensors", "another model"])
async def test_weights_that_can_not_be_had(files: Path, tmp_path: Path, what: str) -> None:
    folder = tmp_path / "model"
    if what == "not safetensors":
        fakes.saved(folder, safetensors=False)
    elif what == "another model":
        shutil.copytree(files, folder)
        (folder / "config.json").write_text('{"model_type": "llama"}')
    name = {"nothing": "someone/nothing", "no name": "/no/such/folder"}.get(what, folder)
    model = local(name, HubSettings(folder=tmp_path / "cache", endpoint="http://127.0.0.1:9"))
    with pytest.raises(WorkerError, match=r"are not available|can't be loaded") as failed:
        await model.describe(painted("red", "red"), "")
    assert "eyes.local_vision_model" in failed.value.hint
    await model.aclose()
