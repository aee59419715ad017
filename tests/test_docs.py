"""The pages: links lead somewhere, and the files, modules and names they mention are in the code."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "reachy_mind"
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), *(ROOT / name for name in ("README.md", "CONTRIBUTING.md"))]
CODE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")
MODULE = re.compile(r"`((?:\w+/)+\w+\.py)`")
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

OPTIONAL = ("torch", "gymnasium")
"""Libraries of the extra `learning`, which the tests go without; `make test-extras` has them."""

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pages
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for file, anchor in LINK.findall(CODE.sub("", page.read_text())):
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{file}#{anchor}" if anchor else file)
    assert not broken


@pages
def test_modules_that_are_named_are_there(page: Path) -> None:
    named = set(MODULE.findall(CODE.sub("", page.read_text())))
    assert not {file for file in named if not any((place / file).exists() for place in (SOURCE, ROOT))}


@pages
def test_examples_import_what_there_is(page: Path) -> None:
    missing = []
    for code in PYTHON.findall(page.read_text()):
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue  # an excerpt, such as the body of a coroutine
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("reachy_mind."):
                try:
                    module = importlib.import_module(str(node.module))
                except ModuleNotFoundError as error:
                    if error.name in OPTIONAL:
                        continue
                    raise
                missing += [f"{node.module}.{name.name}" for name in node.names if not hasattr(module, name.name)]
    assert not missing
