"""The honest tools of the corpus: what each is given, and what must be true of its report."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

CORPUS = Path(__file__).parent / "corpus"
HONEST = CORPUS / "honest"
LISTINGS = CORPUS / "listings"

Report = dict[str, Any]


@dataclass(frozen=True)
class HonestTool:
    path: Path
    args: dict[str, Any] = field(default_factory=dict)
    allow: str = ""
    virtual: bool = False
    timeout: float = 60.0
    expect: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.path.stem


def honest_tools() -> list[HonestTool]:
    cases = yaml.safe_load((HONEST / "cases.yaml").read_text())
    return [HonestTool(HONEST / f"{name}.py", **case) for name, case in cases.items()]


def listing(name: str, folder: Path) -> Path:
    """A listing of source 002 as a tool file, byte for byte."""
    path = folder / f"{name}.py"
    path.write_bytes((LISTINGS / f"{name}.txt").read_bytes())
    return path


def wrong(tool: HonestTool, report: Report) -> list[str]:
    """What is not as expected, in words."""
    if report["status"] != "ok":
        return [f"{report['status']}: {report['error']}"]
    return list(_differences(tool.expect, report))


def _differences(expect: dict[str, Any], report: Report) -> Iterator[str]:
    """Keys of `expect`: see `corpus/honest/cases.yaml`."""
    if "result" in expect and report["result"] != expect["result"]:
        yield f"{report['result']!r} is not {expect['result']!r}"
    for kind, holds in CHECKS.items():
        wanted = expect.get(kind, {})
        for key, value in wanted.items() if isinstance(wanted, dict) else ((key, None) for key in wanted):
            found = _at(report["result"], key)
            if not holds(found, value):
                yield f"{key}: {found!r} is not as in {kind} {value!r}"
    done = {call["name"] for call in report["calls"] if call["status"] == "ok"}
    for name in expect.get("calls", ()):
        if name not in done:
            yield f"{name} was not called: {report['calls']}"
    for text in expect.get("output", ()):
        if text not in report["output"]:
            yield f"{text!r} is not in the output {report['output']!r}"


def _within(found: Any, bounds: list[float]) -> bool:
    return isinstance(found, int | float) and math.isfinite(found) and bounds[0] <= found <= bounds[1]


CHECKS: dict[str, Callable[[Any, Any], bool]] = {
    "keys": lambda found, _: found is not None,
    "equals": lambda found, value: bool(found == value),
    "ranges": _within,
    "contains": lambda found, text: text in str(found),
    "lengths": lambda found, count: found is not None and len(found) == count,
    "files": lambda found, _: Path(str(found)).is_file(),
}


def _at(value: Any, key: str) -> Any:
    """`photos.0` is the first of the photos; None where there is nothing."""
    for part in key.split("."):
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value
