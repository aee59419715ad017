"""What an installation brings: the locked packages of the core and of extras, and what each states about itself."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
RUN_EXTRAS = re.search(r'^run_extras="(.*)"$', (ROOT / "script" / "setup").read_text(), re.MULTILINE)
DEFAULT_EXTRAS = tuple(RUN_EXTRAS.group(1).split(",")) if RUN_EXTRAS else ()
"""The extras that `make run` installs."""


@dataclass(frozen=True)
class Package:
    """A package of the lock, and its licence as its own metadata states it ("" when it states none)."""

    name: str
    version: str
    licence: str


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def extras() -> tuple[str, ...]:
    """All that a user may ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return tuple(name for name in project["optional-dependencies"] if name not in ("all", "dev"))


def locked(wanted: tuple[str, ...]) -> str:
    """The part of the lock, with hashes, that an installation with these extras takes."""
    command = [str(Path(sys.executable).with_name("uv")), "pip", "compile", "pyproject.toml", "--quiet", "--universal"]
    command += ["--python-version", "3.11", "--constraint", str(LOCK), "--overrides", "requirements.overrides"]
    command += ["--generate-hashes", "--no-annotate", "--no-header", "--no-emit-index-url"]
    for name in ("torch", "triton"):  # outside the lock
        command += ["--no-emit-package", name]
    command += [part for name in wanted for part in ("--extra", name)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    kept = pins(LOCK.read_text())
    blocks = re.split(r"^(?=\S+==)", done, flags=re.MULTILINE)
    return "".join(block for block in blocks if normalised(block.split("==")[0]) in kept)


def pins(text: str) -> dict[str, str]:
    return {normalised(name): version for name, version in re.findall(r"^([\w.-]+)==([^ ;\\]+)", text, re.MULTILINE)}


def metadata() -> dict[str, Package]:
    """Every package of the lock that this system takes, by normalised name. pip asks the registry, installs nothing."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--quiet", "--dry-run", "--ignore-installed"]
        command += ["--no-deps", "--require-hashes", "--report", str(report), "--requirement", str(LOCK)]
        subprocess.run(command, check=True)
        found = json.loads(report.read_text())["install"]
    packages = (Package(each["name"], each["version"], licence(each)) for each in (one["metadata"] for one in found))
    return {normalised(package.name): package for package in packages}


def licence(stated: dict[str, Any]) -> str:
    """An expression if there is one, else the classifiers, else the first line of the free text."""
    if expression := stated.get("license_expression"):
        return str(expression)
    classifiers = [text for text in stated.get("classifier", ()) if text.startswith("License :: ")]
    named = [text.split(" :: ")[-1] for text in classifiers if text.count(" :: ") > 1]
    free = (stated.get("license") or "").strip().splitlines()
    return " AND ".join(named) or (free[0][:80] if free else "")


def page_libraries() -> list[Package]:
    """The npm packages whose files the wheel carries."""
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    names = packages[""]["dependencies"]
    found = ((name, packages[f"node_modules/{name}"]) for name in names)
    return [Package(name, entry["version"], entry["license"]) for name, entry in found]
