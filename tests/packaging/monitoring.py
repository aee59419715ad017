"""What the rules and dashboards of packaging/ ask, and what a mind and a node of a fleet serve."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from prometheus_client.parser import text_string_to_metric_families

PACKAGING = Path(__file__).parents[2] / "packaging"
RULES = sorted((PACKAGING / "prometheus" / "rules").glob("*.yml"))
DASHBOARDS = sorted((PACKAGING / "grafana" / "dashboards").glob("*.json"))

WORDS = frozenset(
    [
        "abs",
        "and",
        "by",
        "group_left",
        "group_right",
        "histogram_quantile",
        "ignoring",
        "increase",
        "label_values",
        "max",
        "min",
        "on",
        "or",
        "rate",
        "sum",
        "topk",
        "unless",
        "without",
    ]
)
"""Functions and keywords of the query language that are used."""
OF_PROMETHEUS = {"up": {"job", "instance"}, "ALERTS": {"alertname", "alertstate", "severity", "job", "instance"}}
ADDED_LABELS = frozenset(("job", "instance"))
"""A scrape adds them to every series."""

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_MATCHERS = re.compile(r"([A-Za-z_:][\w:]*)\s*\{([^}]*)\}")
_GROUPING = re.compile(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)")
_NAME = re.compile(r"[A-Za-z_:][\w:]*")


@dataclass(frozen=True)
class Question:
    """One query: where it is, its text."""

    place: str
    query: str

    def names(self) -> set[str]:
        """The series that it asks for."""
        text = _TEXT.sub('""', self.query)
        text = re.sub(r"\[[^\]]*\]", " ", _MATCHERS.sub(r"\1 ", _GROUPING.sub(" ", text)))
        text = re.sub(r"\blabel_values\(([^,]*),[^)]*\)", r"\1", text)  # the second one is a label
        return set(_NAME.findall(re.sub(r"\b\d[\w.]*", " ", text))) - WORDS

    def matched_labels(self) -> Iterator[tuple[str, str]]:
        """Each series with a label that it is asked for by."""
        for name, matchers in _MATCHERS.findall(_TEXT.sub('""', self.query)):
            yield from ((name, label) for label in re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", matchers))

    def grouped_labels(self) -> set[str]:
        """The labels that results are grouped by."""
        return {label.strip() for group in _GROUPING.findall(self.query) for label in group.split(",") if label.strip()}


def rules() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every rule with its file."""
    for file in RULES:
        for group in yaml.safe_load(file.read_text())["groups"]:
            yield from ((file, rule) for rule in group["rules"])


def alerts() -> list[str]:
    return [rule["alert"] for _, rule in rules() if "alert" in rule]


def recorded() -> set[str]:
    return {rule["record"] for _, rule in rules() if "record" in rule}


def questions() -> list[Question]:
    """Every query of the rules and dashboards."""
    found = [Question(f"{file.name} {rule.get('alert', rule.get('record'))}", rule["expr"]) for file, rule in rules()]
    for file in DASHBOARDS:
        board = json.loads(file.read_text())
        for panel in board["panels"]:
            found += [Question(f"{file.name} {panel['title']}", each["expr"]) for each in panel.get("targets", ())]
        found += [Question(f"{file.name} variable", each["query"]) for each in board["templating"]["list"]]
        found += [Question(f"{file.name} annotation", each["expr"]) for each in board["annotations"]["list"]]
    return found


def served(text: str) -> dict[str, set[str]]:
    """The series of a `/metrics`, with the labels that were seen of each. Families without a sample count, too."""
    found: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        endings = {
            "counter": ("_total",),
            "histogram": ("_bucket", "_sum", "_count"),
            "summary": ("", "_sum", "_count"),
        }
        for ending in endings.get(family.type, ("",)):
            found.setdefault(family.name + ending, set())
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found
