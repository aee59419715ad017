"""docs/architecture.md says what the code is: the drawing, the processes and the walks."""

from __future__ import annotations

import ast
import importlib.util
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "reachy_mind"
PAGE = ROOT / "docs" / "architecture.md"
COMMAND = ".venv/bin/python script/draw-architecture"
STEP = re.compile(r"^\| `([\w/]+\.py)` \| `([\w.]+)` \|", re.MULTILINE)
FILE = re.compile(r"`((?:\w+/)*\w+\.py)`")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    loader = SourceFileLoader("draw_architecture", str(ROOT / "script" / "draw-architecture"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def walks() -> list[tuple[str, str]]:
    """Every step of both walks: a file and the function or class in it."""
    return STEP.findall(PAGE.read_text())


def names_in(file: Path) -> set[str]:
    """The functions and classes of a module, and the methods of its classes as `Class.method`."""
    found = set()
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = (inner for inner in node.body if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef))
            found |= {f"{node.name}.{method.name}" for method in methods}
    return found


def test_the_drawing_is_up_to_date(script: ModuleType) -> None:
    page = PAGE.read_text()
    assert script.page(page) == page, f"the imports have changed; run: {COMMAND}"


def test_the_reduction_keeps_every_path(script: ModuleType) -> None:
    imports = {"a": frozenset("bcd"), "b": frozenset("cd"), "c": frozenset("d"), "d": frozenset[str]()}
    assert script.reduced(imports) == {("a", "b"), ("b", "c"), ("c", "d")}


def test_there_are_two_walks() -> None:
    files = [file for file, _ in walks()]
    assert len(files) > 20 and files[-1].startswith("motion/") and "sim/world.py" in files and "speech/stt.py" in files


@pytest.mark.parametrize(("file", "name"), walks(), ids=str)
def test_every_step_of_the_walks_is_in_the_code(file: str, name: str) -> None:
    place = SOURCE / file
    assert place.is_file(), f"docs/architecture.md names {file}, which is not there"
    assert name in names_in(place), f"docs/architecture.md names {name} in {file}, which is not there"


def test_every_file_that_is_named_is_there() -> None:
    missing = {file for file in FILE.findall(PAGE.read_text()) if not (SOURCE / file).is_file()}
    assert not missing
