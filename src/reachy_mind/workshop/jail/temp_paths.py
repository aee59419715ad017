"""Without a mount namespace, paths in the system's temp folder mean the private folder.

A convenience for honest code, in Python only: the kernel refuses the temp folder itself.
"""

from __future__ import annotations

import builtins
import functools
import io
import os
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

TEMP_FOLDERS = ("/tmp", "/var/tmp")  # noqa: S108
ONE_PATH = """
open stat lstat access chdir listdir scandir mkdir makedirs rmdir remove unlink removedirs truncate chmod utime statfs
statvfs walk
""".split()
TWO_PATHS = "rename renames replace".split()
CV2_PATHS = """
imread imwrite imreadmulti imwritemulti imcount haveImageReader haveImageWriter VideoCapture VideoWriter FileStorage
CascadeClassifier
""".split()
URI_PLACE = 7
"""Of the option `uri` among the positional arguments of `sqlite3.connect`, without the first."""


def redirect(folder: str, library: list[str]) -> None:
    """Make paths in the temp folder mean this folder, but for those of the library, which may be there."""
    kept = (folder, *library)

    def place(path: Any) -> Any:
        if isinstance(path, os.PathLike):
            path = path.__fspath__()
        if isinstance(path, bytes):
            return os.fsencode(place(os.fsdecode(path)))
        if not isinstance(path, str) or any(path == place or path.startswith(place + "/") for place in kept):
            return path
        for temp in TEMP_FOLDERS:
            if path == temp or path.startswith(temp + "/"):
                return folder + path[len(temp) :]
        return path

    def placed(function: Callable[..., Any], count: int) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            return function(*(place(value) for value in args[:count]), *args[count:], **options)

        return call

    builtins.open = io.open = placed(io.open, 1)
    os.chmod, os.utime = _of_a_file(os.chmod), _of_a_file(os.utime)
    for name in ONE_PATH:
        if hasattr(os, name):
            setattr(os, name, placed(getattr(os, name), 1))
    for name in TWO_PATHS:
        setattr(os, name, placed(getattr(os, name), 2))
    sqlite3.connect = placed(_without_shared_memory(sqlite3.connect), 1)
    tempfile.tempdir = folder
    cv2 = sys.modules.get("cv2")
    for name in CV2_PATHS:
        original = getattr(cv2, name, None)
        if isinstance(original, type):
            setattr(cv2, name, PlacedClass(original, placed(original, 1)))
        elif original is not None:
            setattr(cv2, name, placed(original, 1))


class PlacedClass:
    """A class whose first argument is a path: makes the original, and has its attributes."""

    def __init__(self, original: type, make: Callable[..., Any]) -> None:
        self._original, self._make = original, make

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._make(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self._original)


def _of_a_file(change: Callable[..., Any]) -> Callable[..., Any]:
    """Have a change of a mode or time fail for a file that is not there; the kernel was told to say yes to all."""
    status = os.stat

    @functools.wraps(change)
    def call(path: Any, *args: Any, **options: Any) -> Any:
        status(path, dir_fd=options.get("dir_fd"))
        return change(path, *args, **options)

    return call


def _without_shared_memory(connect: Callable[..., Any]) -> Callable[..., Any]:
    """Have databases keep the index of their write-ahead log in memory: files can't be mapped here."""

    @functools.wraps(connect)
    def call(database: Any, *args: Any, **options: Any) -> Any:
        name = os.fsdecode(database)
        if len(args) < URI_PLACE and not options.get("uri") and name not in {"", ":memory:"}:
            database, options = f"file:{quote(name)}?vfs=unix-excl", {**options, "uri": True}
        return connect(database, *args, **options)

    return call
