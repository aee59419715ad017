"""Imports the files of a tool folder, with shims for the vendor packages that are not installed.

Each folder is a private package: its files see one another by relative imports, and no other code sees them. They
get an `import` of their own (`guest_import`): installed packages come first, then the shims, also in the middle of a
call. The shims are not visible to other code of this process.
"""

from __future__ import annotations

import builtins
import functools
import hashlib
import importlib.util
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from reachy_mind.errors import MindError
from reachy_mind.system.private_files import belongs_to_another, others_may

PREFIX = "_reachy_mind_guests_"
APP = "reachy_mini_conversation_app"
MAX_FILE_BYTES = 4 << 20


class Untrusted(MindError):
    """Another user could have written this file or folder."""

    code = "UNTRUSTED"


def require_private(folder: Path) -> None:
    """Raises Untrusted for a folder that other users than the owner or root can write to."""
    for place in (folder, *folder.parents):
        try:
            about = place.stat()
        except OSError as error:
            raise Untrusted(f"{place} can't be examined: {error.strerror or error}") from error
        _require_owner(str(place), about)
        shared = stat.S_IWGRP | stat.S_IWOTH if place == folder else stat.S_IWOTH
        if others_may(about, shared) and (place == folder or not about.st_mode & stat.S_ISVTX):
            raise Untrusted(f"others may write into {place}", hint=f"chmod go-w {place}")


def _require_owner(place: str, about: os.stat_result) -> None:
    if belongs_to_another(about):
        raise Untrusted(f"{place} belongs to somebody else (user {about.st_uid})", hint="copy it, after reading it")


class ToolFileLoader(SourceFileLoader):
    """Loads source files that belong to the user, and gives them `guest_import`."""

    def get_code(self, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def get_data(self, path: str) -> bytes:
        with Path(path).open("rb") as file:
            about = os.fstat(file.fileno())
            _require_owner(path, about)
            if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise Untrusted(f"others may write {path}", hint=f"chmod go-w {path}")
            if about.st_size > MAX_FILE_BYTES:
                raise Untrusted(f"{path} is larger than {MAX_FILE_BYTES >> 20} MiB", hint="is it the right file?")
            return file.read()

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = vars(builtins) | {"__import__": guest_import}
        super().exec_module(module)


class Finder(MetaPathFinder):
    """Finds the files of opened folders, and nothing else."""

    def __init__(self) -> None:
        self.folders: dict[str, Path] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        root, *inner = fullname.split(".")
        if root not in self.folders:
            return None
        place = self.folders[root].joinpath(*inner)
        file = place / "__init__.py"
        if file.is_file():
            loader = ToolFileLoader(fullname, str(file))
            return importlib.util.spec_from_file_location(
                fullname, file, loader=loader, submodule_search_locations=[str(place)]
            )
        if not inner:
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [str(place)]
            return spec
        file = place.with_name(f"{place.name}.py")
        if not file.is_file():
            raise ModuleNotFoundError(f"no {inner[-1]}.py in {place.parent}", name=fullname)
        return importlib.util.spec_from_file_location(fullname, file, loader=ToolFileLoader(fullname, str(file)))


_finder = Finder()


def open_package(folder: Path) -> str:
    """The private package of a folder. Its modules are dropped first, so that its files are read anew."""
    package = PREFIX + hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        del sys.modules[name]
    _finder.folders[package] = folder
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    return package


def guest_import(
    name: str,
    globals: Mapping[str, Any] | None = None,  # noqa: A002 -- the names are Python's
    locals: Mapping[str, Any] | None = None,  # noqa: A002
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """`import` for guests: the installed package, else its shim."""
    try:
        return builtins.__import__(name, globals, locals, fromlist or (), level)
    except ImportError as error:
        shim = _find_shim(name, level, error)
        if shim is None:
            raise
        return shim_modules()[shim if fromlist else shim.partition(".")[0]]


def _find_shim(name: str, level: int, error: ImportError) -> str | None:
    """The shim for a missing module; None when the module exists and one of its own imports is missing."""
    if level == 0:
        missing = error.name or ""
        is_it = isinstance(error, ModuleNotFoundError) and (name == missing or name.startswith(f"{missing}."))
        return name if is_it and name in shim_modules() else None
    # The app's own files import relatively: `from .core_tools import ...`, `from ..moves import ...`.
    found = [full for full in (f"{APP}.tools.{name}", f"{APP}.{name}") if full in shim_modules()]
    return found[0] if found and name and (level > 1 or (error.name or "").endswith(f".{name}")) else None


class AppConfig:
    """The app's settings: read from the environment, None when not set."""

    def __getattr__(self, name: str) -> str | None:
        if not name.isupper():
            raise AttributeError(name)
        return os.environ.get(name)


def public(module: ModuleType) -> dict[str, Any]:
    """The functions and classes that a module of the SDK surface defines."""
    return {
        name: member
        for name, member in vars(module).items()
        if not name.startswith("_") and getattr(member, "__module__", "") == module.__name__
    }


@functools.cache
def shim_modules() -> dict[str, ModuleType]:
    """The shim modules by full name."""
    from reachy_mind.tools.conversation_app import body, forms, moves, tasks  # noqa: PLC0415 -- they need numpy
    from reachy_mind.tools.sdk.reachy_mini import utils  # noqa: PLC0415
    from reachy_mind.tools.sdk.reachy_mini.media import camera, media_manager  # noqa: PLC0415
    from reachy_mind.tools.sdk.reachy_mini.motion import move  # noqa: PLC0415
    from reachy_mind.tools.sdk.reachy_mini.utils import interpolation  # noqa: PLC0415

    queue = {name: getattr(moves, name) for name in ("GotoQueueMove", "DanceQueueMove", "EmotionQueueMove")}
    manager = {name: getattr(tasks, name) for name in ("BackgroundTaskManager", "BackgroundTask", "TaskStatus")}
    config = {"config": AppConfig()}
    recorded = {"RecordedMoves": moves.ClipMoves, "RecordedMove": moves.ClipMove}
    contents: dict[str, dict[str, Any]] = {
        APP: {},
        f"{APP}.tools": {},
        f"{APP}.tools.core_tools": {"Tool": forms.AppTool, "ToolDependencies": forms.ToolDependencies, **config},
        f"{APP}.background_tasks": manager,
        f"{APP}.dance_emotion_moves": queue,
        f"{APP}.moves": queue | {"MovementManager": body.MovementManager},
        f"{APP}.camera_worker": {"CameraWorker": body.CameraWorker},
        f"{APP}.config": config,
        "reachy_mini": {"ReachyMini": body.GuestReachyMini, "create_head_pose": utils.create_head_pose},
        "reachy_mini.reachy_mini": {"ReachyMini": body.GuestReachyMini},
        "reachy_mini.media": {},
        "reachy_mini.media.camera": public(camera),
        "reachy_mini.media.media_manager": public(media_manager),
        "reachy_mini.utils": {"create_head_pose": utils.create_head_pose},
        "reachy_mini.utils.interpolation": public(interpolation),
        "reachy_mini.motion": {},
        "reachy_mini.motion.move": public(move),
        "reachy_mini.motion.recorded_move": recorded,
        "reachy_mini_dances_library": {"DanceMove": moves.DanceMove},
        "reachy_mini_dances_library.dance_move": {"DanceMove": moves.DanceMove},
        "reachy_mini_dances_library.collection": {},
        "reachy_mini_dances_library.collection.dance": {"AVAILABLE_MOVES": moves.Dances()},
    }
    modules: dict[str, ModuleType] = {}
    for name, content in contents.items():
        modules[name] = ModuleType(name, "Shim for tools written for the conversation app.")
        vars(modules[name]).update(content)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(modules[parent], child, modules[name])
    return modules
