"""What makes a release: one version everywhere, a changelog that tells of it, and a script that refuses the rest."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from reachy_mind import __version__
from reachy_mind.cli import app
from reachy_mind.server.openapi_examples import RESPONSES

ROOT = Path(__file__).parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text()
HEADING = re.compile(r"^## \[(\d+\.\d+\.\d+|Unreleased)\](?: - (\d{4}-\d\d-\d\d))?$", re.MULTILINE)


def test_the_version_is_the_same_everywhere() -> None:
    assert CliRunner().invoke(app, ["--version"]).output.strip() == __version__
    assert RESPONSES["GET /healthz"]["version"] == __version__
    told = [
        text
        for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))
        for text in re.findall(r"^Reachy Mind (\d+\.\d+\.\d+)$|reachy_mind-(\d+\.\d+\.\d+)-py3", page.read_text(), re.M)
    ]
    assert told and {one or other for one, other in told} == {__version__}


def test_the_changelog_has_the_version_of_the_code_and_the_newest_comes_first() -> None:
    headings = HEADING.findall(CHANGELOG)
    assert len(headings) == len(re.findall(r"^## ", CHANGELOG, re.MULTILINE)), "a heading has another form"
    dates = dict(headings)
    assert dates.pop("Unreleased", "") == "" and all(dates.values()), "only what is unreleased has no date"
    assert __version__ in dates
    versions = [tuple(map(int, version.split("."))) for version in dates]
    assert versions == sorted(versions, reverse=True) and headings[0][0] in ("Unreleased", __version__)


def test_what_the_changelog_leads_to_is_there() -> None:
    links = re.findall(r"\]\((?!https:)([^)#]+)", CHANGELOG)
    assert links and not [link for link in links if not (ROOT / link).exists()]


def test_the_workflows_call_commands_that_there_are() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    runs = [
        step["run"]
        for path in (ROOT / ".github" / "workflows").glob("*.yml")
        for job in yaml.safe_load(path.read_text())["jobs"].values()
        for step in job["steps"]
        if "run" in step
    ]
    called = {target for run in runs if run.startswith("make ") for target in run.split()[1:]}
    assert {"test", "dist", "test-wheel", "audit"} <= called <= targets


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with what `script/release` reads."""
    for name in ("script/release", "CHANGELOG.md", "src/reachy_mind/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(clone: Path, *arguments: str) -> None:
    author = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run((str(shutil.which("git")), *author, *arguments), cwd=clone, check=True, capture_output=True)


def commit(clone: Path) -> None:
    git(clone, "add", "--all")
    git(clone, "commit", "--quiet", "--message", "as it is")


def release(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run((clone / "script" / "release", *arguments), capture_output=True, text=True, check=False)


@pytest.mark.process
def test_a_release_is_of_a_clean_checkout_with_the_version_and_its_changes(clone: Path) -> None:
    assert release(clone, __version__, "--check").returncode == 0
    assert "the code has another version than 9.9.9" in release(clone, "9.9.9", "--check").stderr
    assert "is no version" in release(clone, "v1", "--check").stderr
    assert release(clone, __version__, "--nonsense").returncode == 1
    (clone / "left-over").touch()
    assert "changes that are in no commit" in release(clone, __version__, "--check").stderr
    (clone / "left-over").unlink()
    git(clone, "tag", __version__)
    assert f"there is a tag {__version__}" in release(clone, __version__, "--check").stderr
    assert release(clone, __version__, "--tagged").returncode == 0
    changelog = clone / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace(f"## [{__version__}] - ", f"## [{__version__}] soon, "))
    commit(clone)
    assert "no section" in release(clone, __version__, "--check").stderr


@pytest.mark.process
def test_what_changed_is_told_for_the_page_of_a_release(clone: Path) -> None:
    told = release(clone, __version__, "--changes").stdout
    assert told.startswith(f"## [{__version__}]") and len(re.findall(r"^## ", told, re.MULTILINE)) == 1
