"""A Python for the vendor's media: one that has the SDK is taken, else an environment of its own is made."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from reachy_mind.body.media import vendor_environment
from reachy_mind.body.media.vendor_environment import requirements, set_up
from reachy_mind.config.configuration import load
from reachy_mind.errors import NotReady
from tests.fakes import vendor_sdk
from tests.fakes.processes import here, here_json

SITE_WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
TRIED = ("media/camera_constants", "media/media_manager")
METADATA = "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n{needs}"
NEEDS = (
    "Requires-Dist: certifi>=2099.1.1\nRequires-Dist: PyGObject<=3.46.0,>=3.42.2; sys_platform == 'linux'\n"
    'Requires-Dist: mujoco==3.3.0; extra == "mujoco"\n'
)


def wheel(folder: Path, name: str, version: str, needs: str = "", package: Path | None = None) -> None:
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        if package is not None:
            for file in package.rglob("*.py"):
                archive.write(file, file.relative_to(package.parent))
        about = f"{name}-{version}.dist-info"
        archive.writestr(f"{about}/METADATA", METADATA.format(name=name, version=version, needs=needs))
        archive.writestr(f"{about}/WHEEL", SITE_WHEEL)
        archive.writestr(f"{about}/RECORD", "")


def test_what_the_sdk_needs_without_extras_and_without_a_floor_that_nobody_meets() -> None:
    assert requirements(METADATA.format(name="reachy_mini", version="1.13.0", needs=NEEDS)) == [
        "certifi",
        "PyGObject<=3.46.0,>=3.42.2; sys_platform == 'linux'",
    ]
    assert requirements(NEEDS, without=frozenset({"pygobject"})) == ["certifi"]


@pytest.mark.process
def test_a_python_that_has_the_sdk_is_used_from_then_on(tmp_path: Path, home: Path) -> None:
    python = vendor_sdk.python(tmp_path)
    done = here_json("media", "setup", "--python", str(python))
    assert done == {"python": str(python), "sdk": "1.13.0", "set_by": str(home / "vendor-python.txt")}
    assert load().settings.media.vendor_python == python


@pytest.mark.process
def test_one_that_has_none_is_refused_and_nothing_is_kept(tmp_path: Path, home: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ModuleNotFoundError: No module named gi' >&2\nexit 1\n")
    python.chmod(0o755)
    done = here("media", "setup", "--python", str(python))
    assert done.returncode == 1 and "No module named gi" in done.stderr and "hint: Debian: apt-get" in done.stderr
    assert not (home / "vendor-python.txt").exists()


@pytest.mark.process
def test_else_an_environment_is_made_in_which_the_sdk_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    wheel(
        packages, "reachy_mini", "1.13.0", NEEDS.replace("PyGObject<=3.46.0,>=3.42.2", "nothing"), _empty_sdk(tmp_path)
    )
    wheel(packages, "certifi", "2026.1.1")
    wheel(packages, "nothing", "1.0")
    for name, value in {"NO_INDEX": "1", "FIND_LINKS": str(packages), "CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setattr(vendor_environment, "SHIPPED", ())
    steps: list[str] = []
    made = set_up(tmp_path / "sdk", None, steps.append)
    assert (made.version, made.python) == ("1.13.0", tmp_path / "sdk" / "bin" / "python") and len(steps) == 3
    again = set_up(tmp_path / "sdk", None, steps.append)
    assert again == made and len(steps) == 3, "the one that is there is used"


@pytest.mark.process
def test_without_the_sdk_to_be_had_it_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"NO_INDEX": "1", "FIND_LINKS": str(tmp_path), "CONFIG_FILE": "/dev/null"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setattr(vendor_environment, "SHIPPED", ())
    with pytest.raises(NotReady, match=r"can't be installed: .*reachy-mini"):
        set_up(tmp_path / "sdk", None, lambda _: None)


def _empty_sdk(tmp_path: Path) -> Path:
    """The modules that are tried, with nothing in them that other packages would have to be there for."""
    package = tmp_path / "source" / "reachy_mini"
    for module in ("__init__", "daemon/__init__", "daemon/utils", "media/__init__", *TRIED):
        file = package / f"{module}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return package
