"""The built site: every page has its place, nothing comes from another host, the reference has what the code has."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from reachy_mind import events
from reachy_mind.access.authorization import ROUTE_SCOPES
from reachy_mind.cli import app
from reachy_mind.config.configuration import variable
from reachy_mind.config.keys import FIELDS
from reachy_mind.errors import MindError
from reachy_mind.tools.builtin import TOOLS
from tests.conftest import MODELS

pytestmark = [pytest.mark.process, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
LOADED = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=["']?(?:https?:)?//[^"'>\s]+""")
IMPORTED = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import\s+['\"](?:https?:)?//")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make docs` does."""
    folder = tmp_path_factory.mktemp("site")
    environment = {
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
        "REACHY_MIND_MODELS__FOLDER": str(MODELS),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    argv = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=110)
    assert done.returncode == 0, f"make docs\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return folder


def words(page: Path) -> str:
    """The text of a page, without tags."""
    return html.unescape(re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8")))


def leaves(command: Any, name: str) -> Iterator[str]:
    for word, each in getattr(command, "commands", {}).items():
        yield from leaves(each, f"{name} {word}")
    if not getattr(command, "commands", None):
        yield name


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    assert len(pages) > 50
    assert [(page.name, found) for page in pages for found in LOADED.findall(page.read_text(encoding="utf-8"))] == []
    assert [style.name for style in site.rglob("*.css") if IMPORTED.search(style.read_text(encoding="utf-8"))] == []
    first = (site / "index.html").read_text(encoding="utf-8")
    for name in ("assets/style.css", "assets/mermaid.min.js", "assets/iframe-worker.js"):
        assert name in first and (site / name).is_file()
    fonts = re.findall(r'url\("(fonts/[^"]+)"\)', (site / "assets" / "style.css").read_text())
    assert len(fonts) == 4 and all((site / "assets" / font).is_file() for font in fonts)


def test_the_search_finds_pages_and_the_reference_without_a_server(site: Path) -> None:
    index = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert index.startswith("var __index = ")
    for place in ("reference/tools.html#robotnod", "speech.html", "contributing.html", "overview.html"):
        assert f'"location":"{place}' in index


def test_the_reference_has_everything(site: Path) -> None:
    page = {name: words(site / "reference" / f"{name}.html") for name in ("tools", "settings", "command-line")}
    assert [tool.qualified for tool in TOOLS if f"{tool.qualified}" not in page["tools"]] == []
    assert "github.github_merge_pr" in page["tools"] and "Say: “nod”" in page["tools"]
    assert [key for key in FIELDS if key not in page["settings"] or variable(key) not in page["settings"]] == []
    commands = list(leaves(get_command(app), "reachy-mind"))
    assert len(commands) > 100 and [name for name in commands if name not in page["command-line"]] == []
    told = words(site / "reference" / "events.html")
    assert [each.__name__ for each in events.Event.__subclasses__() if each.__name__ not in told] == []
    codes = words(site / "reference" / "error-codes.html")
    assert [each.code for each in MindError.__subclasses__() if each.code not in codes] == []
    routes = words(site / "reference" / "api.html")
    hidden = ("GET /", "GET /web", "WS /v1")
    described = [route for several in ROUTE_SCOPES.values() for route in several if "/api/v1/" in route]
    assert len(described) > 100
    assert [route for route in described if route not in routes and not route.startswith(hidden)] == []
    assert "POST /fleet/v1/activities" in words(site / "reference" / "fleet-api.html")


def test_ranges_and_defaults_are_those_of_the_tool(site: Path) -> None:
    text = (site / "reference" / "tools.html").read_text(encoding="utf-8")
    nod = text[text.index('id="robotnod"') :].partition("<h3")[0]
    row = next(row for row in nod.split("<tr>") if "<code>times</code>" in row)
    assert "at least 1, at most 5" in row and "<code>2</code>" in row


def test_pages_of_the_repository_are_pages_of_the_site(site: Path) -> None:
    guide = (site / "tools.html").read_text(encoding="utf-8")
    assert 'href="permissions.html"' in guide and 'href="reference/tools.html"' in guide
    assert 'href="contributing.html"' in (site / "architecture.html").read_text(encoding="utf-8")
    assert 'src="images/page-3-dance.jpg"' in (site / "overview.html").read_text(encoding="utf-8")
    assert '<pre class="mermaid"><code>graph TD' in (site / "architecture.html").read_text(encoding="utf-8")
