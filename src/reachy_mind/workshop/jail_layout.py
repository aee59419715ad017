"""Which files of the machine a worker can read, and where they are inside."""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

JAIL = Path(__file__).parent / "jail"
SURFACE = JAIL / "surface"
SDK = Path(__file__).parents[1] / "tools" / "sdk"
PACKAGES = ("numpy", "cv2")
SHARED = ("/usr/share/zoneinfo", "/etc/localtime")
DEVICES = ("/dev/zero", "/dev/urandom")


START = (
    "import importlib, importlib.util as u, sys; n, p = sys.argv.pop(), sys.argv.pop(); "
    "s = u.spec_from_file_location('jail', p + '/__init__.py', submodule_search_locations=[p]); "
    "sys.modules['jail'] = u.module_from_spec(s); importlib.import_module('jail.' + n).main()"
)
"""The folder of the jail becomes the package `jail`; nothing else of ours can be imported inside."""


@dataclass(frozen=True)
class JailLayout:
    """Folders for the import path before isolation, and what is readable after it."""

    path: tuple[str, ...]
    path_with_namespaces: tuple[str, ...]
    path_without_namespaces: tuple[str, ...]
    trees: tuple[tuple[str, str], ...]
    """Where something is on the machine, and where it is with namespaces."""
    cascades: str
    """The classifiers of OpenCV on the machine."""

    @property
    def cascades_inside(self) -> str:
        return "/packages/cv2/data"

    @property
    def readable(self) -> tuple[str, ...]:
        """What Landlock lets a worker read where there are no namespaces."""
        return (*(source for source, _ in self.trees), *DEVICES)


def layout() -> JailLayout:
    """Return the layout for this interpreter and its packages."""
    standard = sysconfig.get_path("stdlib")
    native = f"{standard}/lib-dynload"
    trees = [(str(SURFACE), "/surface"), (str(SDK / "reachy_mini"), "/sdk/reachy_mini")]
    folders = []
    cascades = ""
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            continue
        folder = Path(next(iter(spec.submodule_search_locations)))
        trees.append((str(folder), f"/packages/{package}"))
        folders.append(str(folder.parent))
        cascades = str(folder / "data") if package == "cv2" else cascades
    trees.append((standard, "/python"))
    trees += [(shared, shared) for shared in SHARED]
    own = (str(SURFACE), str(SDK))
    return JailLayout(
        path=(*own, standard, native, *dict.fromkeys(folders)),
        path_with_namespaces=("/surface", "/sdk", "/python", "/python/lib-dynload", "/packages"),
        path_without_namespaces=(*own, standard, native),
        trees=tuple((source, target) for source, target in trees if Path(source).exists()),
        cascades=cascades,
    )


def program(name: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of the jail as a program."""
    options = ["-I", "-S", "-B", "-X", "utf8"]  # no environment, no site-packages, no bytecode written, UTF-8
    return [sys.executable, *options, "-c", START, *arguments, str(JAIL), name]
