"""`reachy-mind doctor`: checks of this machine and of a robot, each with a fix."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from reachy_mind.config.checks import Finding


def doctor(
    robot: Annotated[str | None, typer.Option(help="Also check the robot at HOST[:PORT].", metavar="WHERE")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check this machine (and a robot, when one is named) and say how to fix what is wrong."""
    import asyncio

    from reachy_mind import log
    from reachy_mind.cli.doctor_checks import examine
    from reachy_mind.cli.media_checks import examine_media
    from reachy_mind.config.configuration import load

    configuration = load(flags={"robot.address": robot})
    log.configure("error")

    async def all_findings() -> list[Finding]:
        return [*await examine(configuration), *await examine_media(configuration)]

    findings = asyncio.run(all_findings())
    healthy = all(finding.ok or finding.optional for finding in findings)
    if as_json:
        print(json.dumps({"healthy": healthy, "checks": [finding.as_dict() for finding in findings]}))
    else:
        for finding in findings:
            mark = "ok  " if finding.ok else ("off " if finding.optional else "FAIL")
            print(f"{mark} {finding.name}: {finding.detail}")
            if not finding.ok:
                print(f"     fix: {finding.fix}")
    raise typer.Exit(0 if healthy else 1)
