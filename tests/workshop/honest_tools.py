"""The honest tools of the corpus: what each is given, and what must be true of the report (`corpus/honest/cases.yaml`)."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
    result = report["result"]
    if "result" in expect and result != expect["result"]:
        yield f"{result!r} is not {expect['result']!r}"
    for key in expect.get("keys", ()):
        if _at(result, key) is None and key not in (result or {}):
            yield f"no {key}"
    for key, value in expect.get("equals", {}).items():
        if _at(result, key) != value:
            yield f"{key}: {_at(result, key)!r} is not {value!r}"
    for key, (low, high) in expect.get("ranges", {}).items():
        found = _at(result, key)
        if not isinstance(found, int | float) or math.isnan(found) or not low <= found <= high:
            yield f"{key}: {found!r} is not within {low} and {high}"
    for key, text in expect.get("contains", {}).items():
        if text not in str(_at(result, key)):
            yield f"{key}: {text!r} is not in {_at(result, key)!r}"
    for key, count in expect.get("lengths", {}).items():
        if len(_at(result, key) or ()) != count:
            yield f"{key}: {_at(result, key)!r} has not {count} items"
    for key in expect.get("files", ()):
        if not Path(str(_at(result, key))).is_file():
            yield f"{key}: {_at(result, key)!r} is no file on the host"
    done = {call["name"] for call in report["calls"] if call["status"] == "ok"}
    for name in expect.get("calls", ()):
        if name not in done:
            yield f"{name} was not called: {report['calls']}"
    for text in expect.get("output", ()):
        if text not in report["output"]:
            yield f"{text!r} is not in the output {report['output']!r}"


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
