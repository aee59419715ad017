"""What `make space` puts together is what the vendor's programs look for in an app's Space."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.process


class References(HTMLParser):
    """What a page loads, and the elements that are open at its end."""

    def __init__(self) -> None:
        super().__init__()
        self.files: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.files += [value for name, value in attrs if name in ("href", "src") and value]
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("space")
    for _ in range(2):  # the second one replaces the first
        subprocess.run([sys.executable, ROOT / "script" / "build-space", folder], check=True, stdout=subprocess.DEVNULL)
        (folder / "left-over.txt").touch()
    subprocess.run([sys.executable, ROOT / "script" / "build-space", folder], check=True, stdout=subprocess.DEVNULL)
    return folder


def test_its_metadata_make_it_an_app_of_the_robot(space: Path) -> None:
    _, front, text = (space / "README.md").read_text().split("---\n", 2)
    metadata = yaml.safe_load(front)
    assert metadata["sdk"] == "static" and {"reachy_mini", "reachy_mini_python_app"} <= set(metadata["tags"])
    assert metadata["title"] and len(metadata["short_description"]) <= 60 and text.strip()


def test_its_landing_page_loads_nothing_from_elsewhere(space: Path) -> None:
    page = References()
    page.feed((space / "index.html").read_text())
    assert page.files == ["style.css"] and page.open == []
    assert not re.search(r"url\(|@import", (space / "style.css").read_text())


def test_pip_finds_a_package_of_the_apps_name_with_media_and_speech_and_no_need_of_npm(space: Path) -> None:
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    project = tomllib.loads((space / "pyproject.toml").read_text())["project"]
    (name,) = project["entry-points"]["reachy_mini_apps"]
    assert name == project["name"] == "reachy_mind"
    wanted = {*ours["dependencies"], *ours["optional-dependencies"]["media"], *ours["optional-dependencies"]["speech"]}
    assert set(project["dependencies"]) == wanted and len(project["dependencies"]) == len(wanted)
    assert project["optional-dependencies"] == ours["optional-dependencies"]
    assert (space / "src" / name / "main.py").is_file() and (space / "src" / name / "server/web/vendor/three").is_dir()
    assert not (space / "left-over.txt").exists() and not list(space.rglob("__pycache__"))


def test_a_folder_with_other_things_in_it_is_not_emptied(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    argv = [sys.executable, ROOT / "script" / "build-space", tmp_path]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "other things" in done.stderr and (tmp_path / "thesis.txt").exists()
