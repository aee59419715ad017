"""The rules and dashboards of packaging/ ask only for what is served; each metric and alert is described."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest
import yaml

from reachy_mind.bench.fleet_servers import free_port
from reachy_mind.config.configuration import load
from reachy_mind.fleet.control.service import running
from reachy_mind.mind import Mind
from tests.packaging import monitoring
from tests.packaging.monitoring import ADDED_LABELS, OF_PROMETHEUS, PACKAGING
from tests.server.served import serving, socket

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
async def mind_series(home: Path) -> dict[str, set[str]]:
    async with Mind(robot="none").session() as mind, serving(mind) as place, socket(place) as chat:
        await chat.say("what time is it?")
        async with httpx.AsyncClient(base_url=f"http://{place}", trust_env=False) as http:
            await http.get("/healthz")  # requests are counted by route and status
            return monitoring.served((await http.get("/metrics")).text)


@pytest.fixture
async def fleet_series(home: Path) -> dict[str, set[str]]:
    async with running(load(flags={"fleet.port": free_port()})) as node:
        headers = {"Authorization": f"Bearer {node.local.key}"}
        async with httpx.AsyncClient(base_url=node.local.url, headers=headers, trust_env=False) as http:
            return monitoring.served((await http.get("/metrics")).text)


LABELS_WITHOUT_SAMPLES = {
    "reachy_mind_model_memory_bytes": {"model"},
    "reachy_mind_motion_lateness_seconds": {"quantile"},
    "reachy_fleet_emergency_acknowledged_seconds": {"quantile"},
    "reachy_fleet_events_stored_total": {"priority"},
    "reachy_fleet_frames_total": {"direction", "type"},
    "reachy_fleet_rejected_total": {"reason"},
    "reachy_fleet_voice_refused_total": {"reason"},
}
"""Of series that have no sample in a mind without models and robot, and in a node without devices."""


async def test_rules_and_dashboards_ask_for_what_is_served(
    mind_series: dict[str, set[str]], fleet_series: dict[str, set[str]]
) -> None:
    known = {**mind_series}
    for name, labels in (*fleet_series.items(), *LABELS_WITHOUT_SAMPLES.items(), *OF_PROMETHEUS.items()):
        known[name] = known.get(name, set()) | labels
    for name in monitoring.recorded():
        known[name] = set(ADDED_LABELS)
    questions = monitoring.questions()
    assert len(questions) > 80, "all of them were found"
    wrong = [f"{each.place}: {name}" for each in questions for name in each.names() - set(known)]
    wrong += [f"{each.place}: asks for nothing" for each in questions if not each.names()]
    wrong += [
        f"{each.place}: {name} has no label {label}"
        for each in questions
        for name, label in each.matched_labels()
        if label not in known.get(name, {label}) | ADDED_LABELS
    ]
    for each in questions:
        has = ADDED_LABELS.union(*(known.get(name, ()) for name in each.names()))
        wrong += [f"{each.place}: nothing has the label {label}" for label in each.grouped_labels() - has]
    assert not wrong


async def test_every_metric_of_a_node_is_described(fleet_series: dict[str, set[str]]) -> None:
    text = (DOCS / "metrics.md").read_text()
    names = {re.sub(r"_(bucket|sum|count)$", "", name) for name in fleet_series if name.startswith("reachy_fleet_")}
    assert not {name for name in names if f"`{name}" not in text and f", `{name}" not in text}


def test_every_alert_has_its_row_in_the_runbook_and_a_test() -> None:
    text = (DOCS / "operations.md").read_text().partition("## Alerts")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(rows) == sorted(monitoring.alerts()), "docs/operations.md has a row for each alert, once"
    fired = set()
    for file in (PACKAGING / "prometheus" / "tests").glob("*.yml"):
        for test in yaml.safe_load(file.read_text())["tests"]:
            fired |= {each["alertname"] for each in test.get("alert_rule_test", ()) if each["exp_alerts"]}
    assert fired == set(monitoring.alerts()), "promtool lets each of them fire"


def test_dashboards_use_the_data_source_that_is_provisioned_and_no_panel_lies_over_another() -> None:
    provisioned = yaml.safe_load((PACKAGING / "grafana/provisioning/datasources/reachy.yaml").read_text())
    uids = {source["uid"] for source in provisioned["datasources"]}
    for file in monitoring.DASHBOARDS:
        board = json.loads(file.read_text())
        assert {target["datasource"]["uid"] for panel in board["panels"] for target in panel.get("targets", ())} <= uids
        cells: set[tuple[int, int]] = set()
        for panel in board["panels"]:
            at = panel["gridPos"]
            own = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            assert not own & cells and at["x"] + at["w"] <= 24, panel["title"]
            cells |= own
        ids = [panel["id"] for panel in board["panels"]]
        assert len(ids) == len(set(ids))
