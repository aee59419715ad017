"""docs/troubleshooting.md explains every check that `reachy-mind doctor` and the page's health view make."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "reachy_mind"
PAGE = (ROOT / "docs" / "troubleshooting.md").read_text()
HEALTH_VIEW = SOURCE / "server" / "settings.py"
DEFINITION = SOURCE / "config" / "checks.py"


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def names_in(file: Path) -> set[str]:
    """The names of the findings that a module makes. Names that are no constants are looked up in its functions."""
    tree = ast.parse(file.read_text())
    constants = {
        target.id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    pairs = [node for node in ast.walk(tree) if isinstance(node, ast.Tuple) and len(node.elts) == 2]
    trials = {str(pair.elts[0].value) for pair in pairs if _is_trial(pair)}  # type: ignore[attr-defined]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Finding":
            match node.args[0]:
                case ast.Constant(value=str() as name):
                    found.add(name)
                case ast.Name(id=variable) if variable in constants:
                    found.add(str(constants[variable]))
                case ast.Name() if trials:
                    found |= trials
                case ast.JoinedStr(values=[ast.Constant(value=str() as name), *_]):
                    found.add(f"{name}NAME")
                case ast.Name() if file == HEALTH_VIEW:
                    found |= {"permissions", "settings"}
                case other:
                    raise AssertionError(f"{file}: the name of a check is {ast.unparse(other)}: teach it to this test")
    return found


def _is_trial(pair: ast.Tuple) -> bool:
    first, second = pair.elts
    return isinstance(first, ast.Constant) and isinstance(second, ast.Name) and second.id.startswith("_try_")


def made_by_doctor() -> set[str]:
    files = [file for file in SOURCE.rglob("*.py") if "Finding(" in file.read_text() and file != HEALTH_VIEW]
    return set().union(*(names_in(file) for file in files))


def test_every_check_of_doctor_has_a_section() -> None:
    explained = set(re.findall(r"^### (.+)$", section("Doctor"), re.MULTILINE))
    assert made_by_doctor() == explained


def test_what_the_health_view_adds_is_named() -> None:
    named = section("In the health view only")
    assert {name for name in names_in(HEALTH_VIEW) - made_by_doctor() if f"`{name}`" not in named} == set()
