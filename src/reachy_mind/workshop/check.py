"""`check`: feedback on a file of code for its author, without running it. It is never the security boundary.

The analysis (`code_analysis`) runs in a process of its own with limited memory and time: a file can be made to exhaust
whoever parses it.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from reachy_mind.system.environment import bare_environment
from reachy_mind.workshop import code_analysis

TIMEOUT_S = 15.0
MAX_REPORT_BYTES = 1 << 20


async def check(code: str, filename: str, tools: Mapping[str, str]) -> dict[str, Any]:
    """Findings on the code, its signature and the capabilities it seems to need.

    `tools`: the capability that each known tool needs, by its bare name; empty for none.
    """
    job = json.dumps({"code": code, "filename": filename, "tools": dict(tools)}).encode()
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-B", "-m", code_analysis.__name__),
        stdin=pipe,
        stdout=pipe,
        stderr=asyncio.subprocess.DEVNULL,
        env=bare_environment(),
    )
    try:
        async with asyncio.timeout(TIMEOUT_S):
            printed, _ = await process.communicate(job)
        report: dict[str, Any] = json.loads(printed[:MAX_REPORT_BYTES])
    except (TimeoutError, ValueError):
        return _unreadable("the file can't be analysed: it exhausts memory or time")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return report


def _unreadable(message: str) -> dict[str, Any]:
    finding = {"level": "error", "code": "TOO_COMPLEX", "message": message, "line": 0, "hint": "split it, or nest less"}
    return {"ok": False, **code_analysis.NO_FUNCTION, "capabilities": [], "tools": [], "findings": [finding]}
