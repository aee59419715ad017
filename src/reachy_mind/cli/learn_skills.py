"""`reachy-mind learn publish|skills`: what was trained becomes a tool, and which skills there are.

A published skill is a tool of the workshop: `reachy-mind workshop show|diff|approve|reject|rollback|export` are for it
as for any other.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reachy_mind.cli import learn
from reachy_mind.cli.learn import Json, tell

if TYPE_CHECKING:
    from reachy_mind.config.configuration import Configuration

app = learn.app


@app.command()
def publish(
    run: Annotated[str, typer.Argument(help="A training run, see `learn status`.", metavar="RUN")],
    name: Annotated[str, typer.Option("--as", help="What to call the tool; else practised_ and its task.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="You approve it now, if it passes its trial.")] = False,
    as_json: Json = False,
) -> None:
    """Make a tool of a trained policy: it is checked and tried in simulation, and you are asked about it."""
    import asyncio

    from reachy_mind.cli.workshop_shelf import approve_version
    from reachy_mind.learning.policies.publication import publish_run
    from reachy_mind.learning.policies.skill_file import skill_of

    configuration = _configured()
    asyncio.run(_ensure_description(configuration))
    tell("it is tried in simulation ...")
    version = asyncio.run(publish_run(configuration, run, name=name))
    shown: dict[str, Any] = version.as_dict() | {"skill": skill_of(version.code)}
    if not as_json:
        print(f"{version.name} v{version.number}: it passed its trial, and may use {', '.join(version.capabilities)}.")
        print(version.explanation)
    if version.state != "active" and (yes or (sys.stdin.isatty() and not as_json)):
        shown["state"] = approve_version(version.name, shown, yes=yes)
    if as_json:
        print(json.dumps(shown))
        return
    print(f"{version.name} v{version.number}: {shown['state']}")
    if shown["state"] != "active":
        tell(f"use it: reachy-mind workshop approve {version.name}")


@app.command()
def skills(as_json: Json = False) -> None:
    """List the published skills: their versions, the runs they come from, and how good they were."""
    from reachy_mind.learning.policies.publication import published_skills
    from reachy_mind.workshop.shelf.shelf import Shelf

    found = published_skills(Shelf(_configured().home.shelf_folder))
    if as_json:
        print(json.dumps({"skills": found, "total": len(found)}))
        return
    for skill in found:
        print(f"{skill['name']}: {skill['task']}, " + (f"v{skill['active']}" if skill["active"] else "none in use"))
        for version in skill["versions"]:
            success = version["figures"].get("success")
            how_good = "not evaluated" if success is None else f"{success:.1%} of held-out scenes"
            trained = f"{version['algorithm']}, {version['episodes']} episodes"
            print(f"  v{version['version']} {version['state']}: run {version['run']} ({trained}), {how_good}")
    if not found:
        print("No skill yet. Publish what was trained: reachy-mind learn publish RUN")


def _configured() -> Configuration:
    from reachy_mind import log
    from reachy_mind.config.configuration import load

    configuration = load()
    log.configure("warning", configuration.settings.log.format)
    return configuration


async def _ensure_description(configuration: Configuration) -> None:
    from reachy_mind.cli.assets import ensure_description

    await ensure_description(configuration)
