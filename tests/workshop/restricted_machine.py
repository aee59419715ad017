"""A program that stands for another machine: a container, an old kernel, a normal user. Prints what happened as JSON.

    python restricted_machine.py '{"refuse": ["unshare", ...], "uid": 65534, "codes": ["def f(): ..."]}'

The refusals are a system call filter of its own, which everything that it starts inherits, as in a container.
"""

from __future__ import annotations

import asyncio
import errno
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any

from reachy_mind.errors import MindError
from reachy_mind.workshop import isolation
from reachy_mind.workshop.jail import libc, seccomp
from reachy_mind.workshop.sandbox import Sandbox
from tests.workshop.jobs import run

NUMBERS = {
    "x86_64": {
        "unshare": 272,
        "mount": 165,
        "umount2": 166,
        "pivot_root": 155,
        "setns": 308,
        "landlock_create_ruleset": 444,
        "seccomp": 317,
        "open_tree": 428,
        "setxattr": 188,
    },
    "aarch64": {
        "unshare": 97,
        "mount": 40,
        "umount2": 39,
        "pivot_root": 41,
        "setns": 268,
        "landlock_create_ruleset": 444,
        "seccomp": 277,
        "open_tree": 428,
        "setxattr": 5,
    },
}[os.uname().machine]
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
CLONE3 = 435
NEW_NAMESPACES = 0x7E020000


def restrict(refused: list[str]) -> None:
    """Put this process under the filter: these calls fail, and new processes get no namespaces."""
    lines = [(0x20, 0, 0, 0)]
    for name in refused:
        lines += [(0x15, 0, 1, NUMBERS[name]), (0x06, 0, 0, 0x50000 | errno.EPERM)]
    lines += [(0x15, 0, 1, CLONE3), (0x06, 0, 0, 0x50000 | errno.ENOSYS)]
    lines += [(0x15, 0, 3, CLONE), (0x20, 0, 0, 16), (0x45, 0, 1, NEW_NAMESPACES), (0x06, 0, 0, 0x50000 | errno.EPERM)]
    lines += [(0x06, 0, 0, 0x7FFF0000)]
    if os.getuid() != 0:
        libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install(b"".join(struct.pack("=HBBI", *line) for line in lines))


async def report(wanted: dict[str, Any]) -> dict[str, Any]:
    profiles = isolation.detect()
    found: dict[str, Any] = {"profiles": {profile.name: profile.as_dict() for profile in profiles}, "runs": []}
    try:
        profile = isolation.choose(wanted.get("isolation", "auto"), profiles)
    except MindError as error:
        return {**found, "refused": error.as_dict()}
    async with Sandbox(profile) as sandbox:
        for code in wanted["codes"]:
            outcome = await run(sandbox, code, **wanted.get("args", {}))
            ended = outcome.ended.as_dict() if outcome.ended else None
            found["runs"].append({"result": outcome.result, "error": outcome.error, "ended": ended})
    return {**found, "chosen": profile.name}


def main() -> None:
    wanted = json.loads(sys.argv[1])
    if wanted.get("refuse"):
        restrict(wanted["refuse"])
    sys.stdout.write(json.dumps(asyncio.run(report(wanted))))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main()
