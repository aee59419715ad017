"""`UpdateHook`: updates the agent by a program of the machine's owner, and takes an update back that does not work.

The program is `device.update_command`. It is run with the arguments `install VERSION`, and has to leave the program so
that the next start is the new version; then the agent restarts. A start after an update counts as a try; it is good
once the agent has run for a minute, and has been connected if it was before. After three tries that were not, the
program is run with the argument `rollback`, and the agent restarts again. A version that does not come so far is for
systemd: the unit that `device install` writes runs `rollback` when the service fails for good.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from reachy_mind import __version__, log
from reachy_mind.errors import InvalidParameter, MindError, NotReady, TimedOut
from reachy_mind.storage.files import read_own_file, write_text_atomically

TIMEOUT_S: Final = 1800.0
GOOD_AFTER_S: Final = 60.0
MAX_TRIES: Final = 3
VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_-]{0,63}")

_log = log.get(__name__)


@dataclass(frozen=True)
class UpdateTrial:
    """An update that has not shown yet that it works."""

    command: str
    """The id of the command that asked for it."""
    before: str
    version: str
    connected: bool
    """Whether the agent was connected before: then it has to be again."""
    tries: int = 0


class UpdateHook:
    """`file` is where a trial is kept over restarts."""

    def __init__(self, argv: Sequence[str], file: Path, *, good_after_s: float = GOOD_AFTER_S) -> None:
        self._argv, self._file, self._good_after_s = tuple(argv), file, good_after_s

    async def install(self, command: str, version: str, *, connected: bool) -> bool:
        """Install a version. Whether the agent has to restart: not when this very command has done it before.

        Raises NotReady without a program, InvalidParameter, TimedOut, and NotReady when the program fails.
        """
        if not self._argv:
            raise NotReady("this device has no way to be updated", hint="device.update_command")
        if not VERSION.fullmatch(version):
            raise InvalidParameter(f"{version[:64]!r} is no version", hint='{"version": "1.2.3"}')
        known = await asyncio.to_thread(self._read)
        if known is not None and known.command == command:
            return False
        await self._run("install", version)
        trial = UpdateTrial(command, __version__, version, connected)
        await asyncio.to_thread(self._write, trial)
        return True

    async def watch(self, is_connected: asyncio.Event) -> bool:
        """At a start: return once an update is known to work, or there is none. True: it was taken back, and the agent
        has to restart. Raises NotReady when that fails."""
        trial = await asyncio.to_thread(self._read)
        if trial is None:
            return False
        if trial.tries >= MAX_TRIES:
            _log.error("the update does not work: it is taken back", version=trial.version, before=trial.before)
            await asyncio.to_thread(self._write, None)
            await self._run("rollback")
            return True
        await asyncio.to_thread(self._write, replace(trial, tries=trial.tries + 1))
        await asyncio.sleep(self._good_after_s)
        if trial.connected:
            await is_connected.wait()
        await asyncio.to_thread(self._write, None)
        _log.info("the update works", version=trial.version)
        return False

    async def _run(self, *arguments: str) -> None:
        """Raises NotReady, TimedOut."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self._argv,
                *arguments,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise NotReady(
                f"{self._argv[0]} can't be started: {error.strerror}", hint="device.update_command"
            ) from error
        assert process.stderr is not None
        try:
            async with asyncio.timeout(TIMEOUT_S):
                tail = b""
                while piece := await process.stderr.read(1 << 16):
                    tail = (tail + piece)[-500:]
                await process.wait()
        except TimeoutError:
            raise TimedOut(f"{self._argv[0]} took longer than {TIMEOUT_S:g} s") from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            said = " ".join(tail.decode(errors="replace").split())[-300:]
            raise NotReady(f"{self._argv[0]} failed with {process.returncode}: {said}", hint="see its own log")

    def _read(self) -> UpdateTrial | None:
        try:
            found = read_own_file(self._file)
            return None if found is None else UpdateTrial(**json.loads(found[0]))
        except (MindError, ValueError, TypeError) as error:
            _log.error("whether an update works can't be known any more", reason=str(error))
            return None

    def _write(self, trial: UpdateTrial | None) -> None:
        """Raises ConfigError."""
        if trial is None:
            self._file.unlink(missing_ok=True)
        else:
            write_text_atomically(self._file, json.dumps(asdict(trial)))
