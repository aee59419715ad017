"""What every worker has loaded before it starts: the harmless part of the standard library, numpy, OpenCV, the surface.

Loading happens once, in the zygote, before it is isolated. Native modules can't be loaded later, because a worker may
not map memory as executable. Others can where their files are readable inside; otherwise their code is kept in memory.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.machinery
import importlib.util
import marshal
import os
import struct
import sys
from collections.abc import Iterable, Sequence
from importlib.abc import InspectLoader, MetaPathFinder
from pathlib import Path
from types import CodeType, ModuleType

from .namespaces import Tree

STANDARD = """
abc argparse array ast asyncio asyncio.staggered base64 binascii bisect bz2 calendar cmath codecs collections.abc
colorsys concurrent.futures.thread configparser contextlib contextvars copy csv ctypes dataclasses datetime decimal
difflib enum errno fnmatch fractions functools gc getopt glob graphlib gzip hashlib heapq hmac html html.parser
importlib.resources inspect io ipaddress itertools json keyword linecache locale logging logging.handlers lzma math
mimetypes numbers operator os pathlib pickle platform pprint queue random re secrets select selectors shutil signal
socket sqlite3 stat statistics string stringprep struct subprocess tarfile tempfile textwrap threading time timeit
tokenize traceback types typing unicodedata unittest.mock urllib.parse uuid warnings wave weakref xml.etree.ElementTree
zipfile zlib zoneinfo encodings.idna encodings.ascii encodings.latin_1 encodings.utf_16 encodings.cp1252
""".split()
NUMPY = "numpy numpy.linalg numpy.fft numpy.random numpy.polynomial numpy.ma numpy.ctypeslib".split()
NOT_NATIVE = ("_test", "_tkinter", "_curses", "_dbm", "_gdbm", "xx", "readline", "nis", "ossaudiodev", "spwd", "_xx")
"""Extensions of the standard library that are of no use inside, by the start of their names."""
NOT_KEPT = frozenset(
    {"test", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "site-packages", "venv", "pydoc_data"}
)
PLAIN_NAMES = ("channel", "codec", "frames", "virtual_clock")
"""Modules of the jail that the surface imports."""


def load(names: Iterable[str]) -> list[str]:
    """Import what is there. Return the names that are not."""
    missing = []
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
    return missing


def native_modules() -> list[str]:
    """Return the names of the extensions of the standard library that are files of their own."""
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    folders = [Path(entry) for entry in sys.path if Path(entry).name == "lib-dynload"]
    found = [
        file.name.removesuffix(suffix) for folder in folders if folder.is_dir() for file in folder.glob(f"*{suffix}")
    ]
    return [name for name in found if not name.startswith(NOT_NATIVE)]


def submodules(package: str) -> list[str]:
    """Return every module of a package of the surface."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return []
    folder = Path(next(iter(spec.submodule_search_locations)))
    names = [file.relative_to(folder).with_suffix("").parts for file in folder.rglob("*.py")]
    return [".".join((package, *(part for part in parts if part != "__init__"))) for parts in names]


def everything() -> list[str]:
    """Import all of it. Return the names of the larger parts that this machine lacks."""
    load(STANDARD)
    load(native_modules())
    missing = load(NUMPY[:1])
    load(NUMPY[1:])
    missing += load(["cv2"])
    for package in ("reachy_mind", "reachy_mini", "requests"):
        load(submodules(package))
    with contextlib.suppress(KeyError, AttributeError):
        sys.modules["cv2"].setNumThreads(1)
    return missing


def load_all(path: list[str]) -> list[str]:
    """Import everything from these folders, and give the modules of the jail that others use their plain names."""
    sys.path[:] = path
    for name in PLAIN_NAMES:
        with contextlib.suppress(ModuleNotFoundError):
            sys.modules[name] = importlib.import_module(f"{__package__}.{name}")
    return everything()


def freeze() -> None:
    """Keep the garbage collector from touching, and so copying, the memory that workers share."""
    gc.collect()
    gc.freeze()
    gc.disable()


def moved(trees: Sequence[Tree]) -> None:
    """Make the modules that are loaded find their folders at the places inside."""

    def place(path: str) -> str:
        for tree in trees:
            if path == tree.source or path.startswith(tree.source + "/"):
                return tree.target + path[len(tree.source) :]
        return path

    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str):
            module.__file__ = place(file)
        search = getattr(module, "__path__", None)
        if isinstance(search, list):
            search[:] = [place(entry) for entry in search]
    sys.path_importer_cache.clear()


def cascades_at(folder: str) -> None:
    """Tell OpenCV's callers where its classifiers are; it found the place of the machine."""
    data = sys.modules.get("cv2.data")
    if data is not None:
        data.haarcascades = f"{folder}/"  # type: ignore[attr-defined]


def unpacked() -> KeptModules:
    """Read the code of the whole standard library, for workers that can't read its files."""
    kept: dict[str, tuple[bytes, bool]] = {}
    folder = Path(os.__file__).parent
    for base, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in NOT_KEPT and name != "__pycache__"]
        parts = Path(base).relative_to(folder).parts
        for name in files:
            if not name.endswith(".py"):
                continue
            package = name == "__init__.py"
            module = ".".join(parts if package else (*parts, name[:-3]))
            if module and module not in sys.modules and (data := _compiled(os.path.join(base, name))):
                kept[module] = (data, package)
    return KeptModules(kept)


def _compiled(file: str) -> bytes | None:
    """Return the marshalled code of a module: the interpreter's own copy where it is current."""
    try:
        data = Path(importlib.util.cache_from_source(file)).read_bytes()
        status = os.stat(file)
        flags, modified, size = struct.unpack_from("<III", data, 4)
    except (OSError, struct.error):
        data, flags, modified, size = b"", 1, 0, 0
        status = os.stat(file)
    current = (0, int(status.st_mtime) & 0xFFFFFFFF, status.st_size & 0xFFFFFFFF)
    if data[:4] == importlib.util.MAGIC_NUMBER and (flags, modified, size) == current:
        return data[16:]
    try:
        return marshal.dumps(compile(Path(file).read_bytes(), file, "exec"))
    except (SyntaxError, ValueError):
        return None


class KeptModules(MetaPathFinder, InspectLoader):
    """Modules whose code is in memory."""

    def __init__(self, modules: dict[str, tuple[bytes, bool]]) -> None:
        self._modules = modules

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in self._modules:
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=self.is_package(fullname))

    def is_package(self, fullname: str) -> bool:
        return self._modules[fullname][1]

    def get_source(self, fullname: str) -> str | None:  # noqa: ARG002
        return None

    def get_code(self, fullname: str) -> CodeType | None:
        code = marshal.loads(self._modules[fullname][0])  # noqa: S302  (read from the interpreter's own files)
        assert isinstance(code, CodeType)
        return code


class MissingModules(MetaPathFinder):
    """Asked last: says which modules there are."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if "." in fullname or fullname.startswith("_"):
            return None
        raise ModuleNotFoundError(
            f"No module named {fullname!r} in the sandbox: code has the standard library, numpy, cv2, requests, "
            "reachy_mini, reachy_mind.tools and reachy_mind.sight",
            name=fullname,
        )
