"""What the worker tests host in a worker process."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any


class Calculator:
    def __init__(self, start: int = 0, fails: str = "") -> None:
        if fails == "raise":
            raise FileNotFoundError("no weights here")
        if fails == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        self.total = start

    def pid(self) -> int:
        return os.getpid()

    def add(self, number: int) -> int:
        self.total += number
        return self.total

    def fail(self) -> None:
        raise ZeroDivisionError("nothing goes into zero")

    def fail_with_hint(self) -> None:
        from reachy_mind.errors import MissingExtra

        raise MissingExtra("speech", "speech")

    def echo(self, value: Any) -> Any:
        return value

    def double(self, array: Any) -> Any:
        array *= 2
        return array

    def shout(self) -> str:
        print("printed by the model")  # noqa: T201
        os.write(1, b"written to descriptor 1\n")
        sys.stderr.write("said on stderr\n")
        return "done"

    def lock(self) -> Any:
        return threading.Lock()

    def own_thing(self) -> Any:
        """Something the process that asked does not know the class of."""
        return Calculator()

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def leave(self, code: int) -> None:
        sys.exit(code)

    def die_leaving_a_fork(self) -> None:
        multiprocessing.get_context("fork").Process(target=signal.pause).start()
        self.die()

    def hang(self, sign: str) -> None:
        """Says that it has begun by making the file `sign`."""
        Path(sign).touch()
        signal.pause()

    def hang_in_c(self, sign: str) -> None:
        """Like `hang`, but in C code that keeps the interpreter to itself: no other thread of the worker runs."""
        Path(sign).touch()
        ctypes.PyDLL(None).pause()

    def hold(self, size: int) -> int:
        self.held = b"x" * size
        return len(self.held)

    def ignore_sigterm(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)

    def at_exit_make(self, sign: str) -> None:
        import atexit

        atexit.register(Path(sign).touch)
