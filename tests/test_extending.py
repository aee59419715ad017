"""docs/extending.md: the table is the list of plug-in points, and every example runs."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shlex
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reachy_mind.body.media import providers
from reachy_mind.brains import selection
from reachy_mind.brains.brain import Called, Said, Turn
from reachy_mind.config.configuration import Configuration, load
from reachy_mind.config.keys import choices
from reachy_mind.config.plugins import BRAINS, MEDIA, POINTS, PluginPoint
from reachy_mind.errors import ConfigError, NotReady
from reachy_mind.events import Bus
from reachy_mind.eyes import head_trackers, object_detectors
from reachy_mind.eyes.pictures import Picture
from reachy_mind.mcp.config_file import McpConfigFile, McpServerEntry
from reachy_mind.mcp.remote_servers import RemoteServers
from reachy_mind.models.store import Store
from reachy_mind.profiles.catalogue import Profiles
from reachy_mind.speech import engines
from reachy_mind.tools.definition import Outcome
from reachy_mind.tools.factory import build_toolbox
from reachy_mind.tools.toolbox import Toolbox
from tests.mcp.house import opened

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text()
ROWS = re.findall(r"^\| \[(.+?)\]\(#([\w-]+)\) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE)
BLOCK = re.compile(r"^```(python|text|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
YELLOW = Picture(np.full((8, 8, 3), (250, 220, 20), np.uint8), taken_at=0.0)


def section(heading: str) -> str:
    return re.split(r"^## ", PAGE.partition(f"\n## {heading}\n")[2], flags=re.MULTILINE)[0]


def written(heading: str, folder: Path) -> Path:
    """The files that a section of the page shows, in a folder; a comment in their first line names them."""
    folder.mkdir(exist_ok=True)
    for kind, code in BLOCK.findall(section(heading)):
        if kind != "toml":
            first, _, rest = code.partition("\n")
            (folder / first.removeprefix("# ")).write_text(rest)
    return folder


def installed(folder: Path, entry_points: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder as an installed package."""
    about = folder / "my_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)
    monkeypatch.syspath_prepend(str(folder))
    for file in folder.glob("*.py"):  # another test's module of the same name
        monkeypatch.delitem(sys.modules, file.stem, raising=False)


@pytest.fixture
def package(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example of a section, installed with the entry point that the section shows."""
    folder = written(request.param, tmp_path / "package")
    (toml,) = (code for kind, code in BLOCK.findall(section(request.param)) if kind == "toml")
    installed(folder, re.sub(r'project\.entry-points\."(.+?)"', r"\1", toml).replace('"', ""), monkeypatch)


def example(heading: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("package", [heading], indirect=True)


def named(point: PluginPoint) -> Configuration:
    """A configuration that selects the part which the example's package offers."""
    (name,) = point.names()
    return load(flags={point.setting: name, "robot.address": "none"})


def point(what: str) -> PluginPoint:
    return next(each for each in POINTS if each.what == what)


@contextlib.asynccontextmanager
async def toolbox(configuration: Configuration, rule: str) -> AsyncIterator[Toolbox]:
    configuration.home.folder.mkdir(parents=True, exist_ok=True)
    rules = f"rules:\n  - {{pattern: {rule}, tier: autonomous}}\n"
    configuration.home.permissions_file.write_text(rules)
    async with contextlib.AsyncExitStack() as stack:
        yield (await build_toolbox(configuration, Bus(), stack, owner=False)).toolbox


# The page


def test_the_table_is_the_list_of_plug_in_points() -> None:
    assert [what for what, *_ in ROWS] == [each.what for each in POINTS]
    for (_, anchor, way, gives, takes, selected), each in zip(ROWS, POINTS, strict=True):
        assert anchor in {heading.lower().replace(" ", "-") for heading in re.findall(r"^## (.+)$", PAGE, re.MULTILINE)}
        assert each.where in way or each.way == "file"
        assert not each.takes or f"`{each.takes.partition(':')[2]}`" == takes
        assert not each.setting or f"`{each.setting}`" == selected
        assert each.way != "entry point" or f"`{each.gives.partition(':')[2]}`" in gives


@pytest.mark.parametrize("each", POINTS, ids=lambda each: each.what)
def test_what_a_point_names_is_in_the_code(each: PluginPoint) -> None:
    for place in filter(None, (each.gives, each.takes)):
        module, _, name = place.partition(":")
        assert hasattr(importlib.import_module(module), name)


# The examples


@example("Tools")
@pytest.mark.usefixtures("package")
async def test_tools() -> None:
    async with toolbox(load(), "dice.roll") as box:
        outcome = await box.call("dice.roll", {"sides": 2})
        assert outcome.data["message"] in ("It is a 1.", "It is a 2.")
        assert (await box.call("roll", {"sides": 1})).status == "error"


async def test_tool_folder(tmp_path: Path) -> None:
    folder = written("Tool folder", tmp_path / "tools")
    async with toolbox(load(flags={"tools.folder": folder}), "profile.coin") as box:
        outcome = await box.call("coin", {"guess": "tails"})
        assert outcome.data == {"message": "Heads. You said tails."}


def test_profiles() -> None:
    home = load().home
    home.profiles_folder.mkdir(parents=True)
    written("Profiles", home.profiles_folder / "captain")
    captain = Profiles(home).load("captain")
    assert captain.instructions.startswith("You are a sea captain.") and captain.greeting == "Ahoy!"
    assert captain.tools == ("nod", "dance") and captain.problems == ()


@example("Brains")
@pytest.mark.usefixtures("package")
async def test_brains() -> None:
    called = []

    async def gate(name: str, args: dict[str, Any]) -> Outcome:
        called.append(name)
        return Outcome("ok")

    brain = selection.choose(named(BRAINS))
    thoughts = [thought async for thought in brain.think(Turn("what is love?", gate))]
    assert [thought.text for thought in thoughts if isinstance(thought, Said)] == ["what is love?"]
    assert called == ["nod"] and any(isinstance(thought, Called) for thought in thoughts)


@example("Speech to text")
@pytest.mark.usefixtures("package")
async def test_speech_to_text() -> None:
    chosen = engines.ears(named(point("speech to text")))
    assert chosen.part is not None
    assert (await chosen.part.transcribe(bytes(32000))).text == "hello"


@example("Voices")
@pytest.mark.usefixtures("package")
async def test_voices() -> None:
    chosen = engines.mouth(named(point("voice")))
    assert chosen.part is not None and chosen.why == "speech.voice: beeper"
    assert [len(pcm) async for pcm in chosen.part.synthesize("hi you")] == [3200, 4800]
    unknown = engines.mouth(load(flags={"speech.voice": "beeper", "speech.language": "fr"}))
    assert unknown.part is None and "beeper does not know the language fr" in unknown.why


@example("Head trackers")
@pytest.mark.usefixtures("package")
async def test_head_trackers() -> None:
    (face,) = await head_trackers.choose(named(point("head tracker"))).detect(YELLOW)
    assert face.box.centre == pytest.approx((0.5, 0.5))


@example("Object detectors")
@pytest.mark.usefixtures("package")
async def test_object_detectors(tmp_path: Path) -> None:
    detector = object_detectors.choose(named(point("object detector")).settings.eyes, Store(tmp_path), None)
    assert [found.name for found in await detector.detect(YELLOW)] == ["duck"]


@example("Media providers")
@pytest.mark.usefixtures("package")
async def test_media_providers(tmp_path: Path) -> None:
    (tmp_path / "still.jpg").write_bytes(b"a picture")  # the working directory of every test
    settings = named(MEDIA).settings
    media = providers.provide(await providers.choose(settings, None), settings, None)
    async with media.camera() as camera:
        assert await camera.frame() == b"a picture"
    with pytest.raises(NotReady, match="no microphone"):
        media.microphone()


@pytest.mark.process
async def test_mcp_servers(tmp_path: Path, until: Callable[[Callable[[], object]], Awaitable[None]]) -> None:
    server = written("MCP servers", tmp_path / "server") / "my_server.py"
    async with toolbox(load(), "dice.roll") as box:
        home = box.parts.configuration.home
        McpConfigFile(home).add(McpServerEntry("dice", (sys.executable, str(server)), enabled=True))
        async with RemoteServers(home, box.registry) as remotes:
            await until(lambda: remotes.status()[0]["state"] == "connected")
            outcome = await box.call("dice.roll", {"sides": 8})
    assert outcome.status == "ok" and "It is a 8." in str(outcome.data)


@pytest.mark.process
async def test_mcp_clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written("MCP clients", tmp_path / "client")
    ours = {key: value for key, value in os.environ.items() if key.startswith(("REACHY_MIND", "COVERAGE", "PYTHON"))}
    command = folder / "reachy-mind"  # the client passes on none of these variables
    variables = " ".join(shlex.quote(f"{key}={value}") for key, value in ours.items())
    command.write_text(f'#!/bin/sh\nexec env {variables} {shlex.quote(sys.executable)} -m reachy_mind "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    program: dict[str, Any] = {}
    exec((folder / "my_client.py").read_text(), program)  # noqa: S102 -- the example of the page
    async with opened(load().home.folder):
        assert "time" in await program["main"]()


# What goes wrong


def test_a_name_that_nobody_offers_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(ConfigError, match=r"speech\.voice: 'beeper'") as error:
        load(flags={"speech.voice": "beeper"})
    assert "auto, kokoro, piper, flite, espeak, system, none" in error.value.hint


@example("Voices")
@pytest.mark.usefixtures("package")
def test_an_installed_part_is_one_of_the_choices() -> None:
    assert choices("speech.voice") == ["auto", "kokoro", "piper", "flite", "espeak", "system", "none", "beeper"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise OSError('no such device')", "OSError: no such device"),
        ("import a_library_that_is_not_there", "ModuleNotFoundError"),
        ("", "AttributeError"),
        ("def make(settings): return settings.colour", "AttributeError"),
    ],
)
async def test_code_that_fails_is_said_where_it_comes_from(
    code: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "broken_part.py").write_text(code)
    groups = [each.where for each in POINTS if each.setting]
    installed(folder, "\n".join(f"[{group}]\nbroken = broken_part:make" for group in groups), monkeypatch)
    flags = {each.setting: "broken" for each in POINTS if each.setting}
    configuration = load(flags={**flags, "robot.address": "none"})
    settings = configuration.settings
    with pytest.raises(NotReady, match=reason) as error:
        selection.choose(configuration)
    assert "broken_part:make" in error.value.hint and "mind.brain" in error.value.hint
    for chosen in (engines.ears(configuration), engines.mouth(configuration)):
        assert chosen.part is None and reason in chosen.why and "broken_part:make" in chosen.fix
    with pytest.raises(NotReady, match=reason):
        head_trackers.choose(configuration)
    with pytest.raises(NotReady, match=reason):
        object_detectors.choose(settings.eyes, Store(tmp_path), None)
    media = providers.provide(await providers.choose(settings, None), settings, None)
    with pytest.raises(NotReady, match=reason):
        media.camera()


def test_nothing_is_imported_before_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "loud_part.py").write_text("raise SystemExit('imported')")
    installed(folder, "[reachy_mind.voices]\nloud = loud_part:make", monkeypatch)
    assert load(flags={"speech.voice": "loud"}).settings.speech.voice == "loud"
    assert engines.mouth(load()).part is not None and "loud_part" not in sys.modules
