"""A Python with the vendor's SDK, for its media: found where the vendor installs one, or an environment made here.

Nothing of it is imported by us; `vendor_process.py` runs in it. The published SDK 1.13 can't be installed as it is: it
asks for a release of certifi that was never there, and on Linux it compiles PyGObject, which Debian has ready.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.errors import NotReady

SDK = "reachy-mini==1.13.0"
SHIPPED = ("/venvs/mini_daemon", "/venvs/apps_venv")
"""Environments of the vendor's on a wireless robot."""
DEBIAN_PACKAGES = Path("/usr/lib/python3/dist-packages")
PROBE = """
import importlib.metadata
import reachy_mini.daemon.utils, reachy_mini.media.camera_constants, reachy_mini.media.media_manager
print(importlib.metadata.version("reachy_mini"))
"""
PROBE_TIMEOUT_S = 60.0
INSTALL_TIMEOUT_S = 1800.0
SYSTEM_PACKAGES = (
    "Debian: apt-get install python3-gi gir1.2-gstreamer-1.0 gir1.2-gst-plugins-base-1.0 gir1.2-gst-plugins-bad-1.0; "
    "with another Python than Debian's also gcc python3-dev libcairo2-dev libgirepository1.0-dev"
)
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class VendorPython:
    """A Python whose SDK can be imported, and that SDK's version."""

    python: Path
    version: str


def set_up(folder: Path, wanted: Path | None, progress: Progress) -> VendorPython:
    """The Python `wanted`, one that the vendor installed, or else an environment made in `folder`, which is replaced.

    Raises NotReady when the SDK can't be installed or imported.
    """
    if wanted is not None:
        return _examined(wanted.expanduser().absolute())
    for python in (*(Path(place, "bin", "python") for place in SHIPPED), Path(sys.executable), executable(folder)):
        with contextlib.suppress(NotReady):
            return _examined(python)
    return _made(folder, progress)


def executable(environment: Path) -> Path:
    return environment / "Scripts" / "python.exe" if os.name == "nt" else environment / "bin" / "python"


def requirements(metadata: str, *, without: frozenset[str] = frozenset()) -> list[str]:
    """What a wheel of the SDK needs, as lines for pip: no extras, no floor for certifi, nothing of `without`."""
    found = []
    for requirement in re.findall(r"^Requires-Dist: (.+)$", metadata, re.MULTILINE):
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        if "extra ==" not in requirement and name.lower() not in without:
            found.append("certifi" if name == "certifi" else requirement)
    return found


def _examined(python: Path) -> VendorPython:
    """Import the SDK there. Raises NotReady with the last line of what it said."""
    try:
        done = _run([str(python), "-P", "-c", PROBE], PROBE_TIMEOUT_S)
    except OSError as error:
        raise NotReady(f"{python} can't be started: {error}", hint="name a Python 3.11 or newer") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise NotReady(f"{python} has no SDK that works: {last}", hint=SYSTEM_PACKAGES)
    return VendorPython(python, done.stdout.split()[-1])


def _made(folder: Path, progress: Progress) -> VendorPython:
    python = executable(folder)
    with tempfile.TemporaryDirectory(prefix="reachy-mind-sdk-") as place:
        progress(f"making an environment in {folder}")
        _checked([sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)])
        progress(f"downloading {SDK}")
        _checked(_pip("download", "--no-deps", "--dest", place, SDK))
        (wheel,) = Path(place).glob("*.whl")
        ready_made = _ready_made()
        if ready_made:
            (site,) = folder.glob("lib/python3*/site-packages")
            (site / "debian.pth").write_text(f"{DEBIAN_PACKAGES}\n", encoding="utf-8")
        listed = Path(place, "requirements.txt")
        without = frozenset({"pygobject"}) if ready_made else frozenset[str]()
        listed.write_text("\n".join(requirements(_metadata(wheel), without=without)), encoding="utf-8")
        progress("installing what it needs, about 400 MB")
        _checked(_pip("--python", str(python), "install", "--requirement", str(listed)))
        _checked(_pip("--python", str(python), "install", "--no-deps", str(wheel)))
    return _examined(python)


def _ready_made() -> bool:
    """Whether Debian's PyGObject was compiled for the Python that runs this."""
    tag = f"cpython-{sys.version_info.major}{sys.version_info.minor}"
    return any(DEBIAN_PACKAGES.glob(f"gi/_gi.{tag}-*.so"))


def _metadata(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
        return archive.read(name).decode("utf-8")


def _pip(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]


def _checked(argv: Sequence[str]) -> None:
    done = _run(argv, INSTALL_TIMEOUT_S)
    if done.returncode:
        last = " ".join(done.stderr.strip().splitlines()[-3:])[-600:]
        raise NotReady(f"the vendor's SDK can't be installed: {last}", hint=f"is there a network? {SYSTEM_PACKAGES}")


def _run(argv: Sequence[str], timeout: float) -> subprocess.CompletedProcess[str]:
    """Run a program without our own packages. Raises OSError, and NotReady when it takes too long."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    try:
        return subprocess.run(
            argv,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise NotReady(f"{argv[0]} took longer than {timeout:g} s", hint="try again") from None
