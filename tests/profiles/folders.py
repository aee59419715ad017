"""Profiles as people write them, in folders of the test's own data folder."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.config.configuration import load
from reachy_mind.profiles.catalogue import Profiles

OWN_TOOL = """
from reachy_mini_conversation_app.tools.core_tools import Tool, ToolDependencies


class Hum(Tool):
    name = "hum"
    description = "Hum a tune."
    parameters_schema = {"type": "object", "properties": {"notes": {"type": "integer"}}}

    async def __call__(self, deps: ToolDependencies, **kwargs):
        return {"message": "hm " * kwargs.get("notes", 1)}
"""
NEW_FORMAT = """+++
schema_version = 1
voice = "cedar"
greeting = "Greet me like a sailor, in one sentence."
default_tools = ["dance", "play_emotion", "camera", "idle_do_nothing", "owner_weather_tool__get_weather", "sweep_look"]
+++

## Identity

You are a retired ship's cook. [laughs] You [like](https://example.org) soup.
"""


def profiles() -> Profiles:
    return Profiles(load().home)


def folder(name: str) -> Path:
    return load().home.profiles_folder / name


def put(name: str, **files: str | bytes) -> Path:
    """A profile with these files: `instructions_txt="..."` is `instructions.txt`."""
    place = folder(name)
    for file, content in files.items():
        stem, _, suffix = file.rpartition("_")
        path = place / f"{stem.replace('__', '/')}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return place
