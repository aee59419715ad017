"""A program that stands for another machine, and runs a script in the sandbox of programs there.

It reads from its input, as JSON: the system calls to refuse, the folders, the script. It prints what happened as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from reachy_mind.developer.program_result import ProgramLimits
from reachy_mind.errors import MindError
from tests.developer.programs import sandbox_in, shell
from tests.workshop.restricted_machine import restrict


async def report(wanted: dict[str, Any]) -> dict[str, Any]:
    sandbox = sandbox_in(Path(wanted["folder"]), ProgramLimits(files_mb=wanted["files_mb"]))
    try:
        result = await shell(sandbox, Path(wanted["repository"]), wanted["script"])
    except MindError as error:
        return {"error": error.as_dict()}
    changes = sorted([change.path, change.kind] for change in result.changes)
    output = result.output.decode()
    return {"copy": result.working_copy, "output": output, "changes": changes, "layers": dict(result.layers)}


def main() -> None:
    wanted = json.loads(sys.stdin.read())
    if wanted["refuse"]:
        restrict(wanted["refuse"])
    sys.stdout.write(json.dumps(asyncio.run(report(wanted))))


if __name__ == "__main__":
    main()
