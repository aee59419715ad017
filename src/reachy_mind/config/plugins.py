"""Plug-in points: every place where somebody else's code comes in, and the one way entry points are loaded.

A package offers a part of its own as an entry point, in its `pyproject.toml`:

    [project.entry-points."reachy_mind.voices"]
    beeper = "my_package:make_voice"

The name becomes a value of the point's setting (`speech.voice: beeper`). Nothing of the package is imported before that
setting names it. The factory is called with the settings that `takes` names and returns what `gives` names; when it
fails, `load` raises NotReady with the reason. docs/extending.md has an example of each.

It lives in this room because settings accept these names, and because every room with a plug-in point may import it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from reachy_mind.errors import MindError, NotReady

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


@dataclass(frozen=True)
class PluginPoint:
    """One place where code comes in."""

    what: str
    way: Literal["entry point", "folder", "file"]
    where: str
    """The group of the entry point; else the folder or file in the data folder, or the setting that names it."""
    gives: str
    """The type that the code must provide, as `module:name`."""
    takes: str = ""
    """What a factory is called with, as `module:name`; empty where there is no factory."""
    setting: str = ""
    """The key of the setting that names the part in use; empty where all of them are in use."""

    def entry_points(self, name: str | None = None) -> Iterator[EntryPoint]:
        """Those of installed packages, all or of one name; nothing of them is imported."""
        from importlib.metadata import entry_points  # noqa: PLC0415 -- a name of ours needs no search

        return iter(entry_points(group=self.where) if name is None else entry_points(group=self.where, name=name))

    def names(self) -> list[str]:
        """The names under which installed packages offer such a part."""
        return [point.name for point in self.entry_points()]

    def load(self, name: str, settings: object) -> Any:
        """The part that a package offers under `name`, made by its factory.

        Raises NotReady when no package offers it, and when its code fails; a MindError of the package passes as it is.
        """
        point = next(self.entry_points(name), None)
        if point is None:
            known = ", ".join(self.names()) or "none"
            raise NotReady(
                f"there is no {self.what} called {name!r}", hint=f"{self.setting}; from installed packages: {known}"
            )
        try:
            return point.load()(settings)
        except MindError:
            raise
        except Exception as error:  # other people's code raises anything: the mind goes on without the part
            raise NotReady(
                f"the {self.what} {name} can't be used: {type(error).__name__}: {error}",
                hint=f"it comes from {point.value}; set {self.setting} to another one",
            ) from error


TOOLS = PluginPoint("tools", "entry point", "reachy_mind.tools", "reachy_mind.tools.definition:Tool")
BRAINS = PluginPoint(
    "brain",
    "entry point",
    "reachy_mind.brains",
    "reachy_mind.brains.brain:Brain",
    "reachy_mind.config.configuration:Configuration",
    "mind.brain",
)
STT = PluginPoint(
    "speech to text",
    "entry point",
    "reachy_mind.ears",
    "reachy_mind.speech.transcriber:Transcriber",
    "reachy_mind.config.settings:SpeechSettings",
    "speech.ears",
)
TTS = PluginPoint(
    "voice",
    "entry point",
    "reachy_mind.voices",
    "reachy_mind.speech.voices:Voice",
    "reachy_mind.config.settings:SpeechSettings",
    "speech.voice",
)
HEAD_TRACKERS = PluginPoint(
    "head tracker",
    "entry point",
    "reachy_mind.head_trackers",
    "reachy_mind.eyes.faces:FaceDetector",
    "reachy_mind.config.settings:EyesSettings",
    "eyes.tracker",
)
DETECTORS = PluginPoint(
    "object detector",
    "entry point",
    "reachy_mind.detectors",
    "reachy_mind.eyes.objects:ObjectDetector",
    "reachy_mind.config.settings:EyesSettings",
    "eyes.detector",
)
MEDIA = PluginPoint(
    "media provider",
    "entry point",
    "reachy_mind.media",
    "reachy_mind.body.media:Media",
    "reachy_mind.config.settings:MediaSettings",
    "media.provider",
)
TOOL_FOLDER = PluginPoint("tool folder", "folder", "tools.folder", "reachy_mind.tools.definition:Tool")
PROFILES = PluginPoint("profiles", "folder", "profiles/", "reachy_mind.profiles.profile:Profile")
MCP_SERVERS = PluginPoint("MCP servers", "file", "mcp.yaml", "reachy_mind.mcp.config_file:McpServerEntry")
MCP_CLIENTS = PluginPoint("MCP clients", "file", "mcp.yaml", "reachy_mind.mcp.clients:McpCaller")

POINTS = (
    *(TOOLS, TOOL_FOLDER, PROFILES),
    *(BRAINS, STT, TTS, HEAD_TRACKERS, DETECTORS, MEDIA),
    *(MCP_SERVERS, MCP_CLIENTS),
)
"""All of them, in the order of docs/extending.md."""


class PluginName:
    """Annotates a setting that takes one of `built_in`, or the name of a part of an installed package."""

    def __init__(self, point: PluginPoint, *built_in: str) -> None:
        self.point, self.built_in = point, built_in

    def choices(self) -> list[str]:
        """Every name that is accepted now."""
        return [*self.built_in, *self.point.names()]

    def check(self, name: str) -> str:
        """Raises ValueError for a name that is not one of the choices."""
        if name in self.built_in or next(self.point.entry_points(name), None) is not None:
            return name
        raise ValueError(f"one of {', '.join(self.choices())}")

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema  # noqa: PLC0415

        return core_schema.no_info_after_validator_function(self.check, handler(source))
