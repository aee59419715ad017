"""One run through the REST API."""

from __future__ import annotations

from typing import Any

import httpx

REPORT_FIELDS = frozenset(
    ("status", "result", "output", "error", "calls", "isolation", "wall_ms", "cpu_ms", "max_rss_mb")
)


async def run(http: httpx.AsyncClient, code: str, **options: Any) -> dict[str, Any]:
    """The report of a run, with all of its fields."""
    answer = await http.post("/workshop/run", json={"code": code, **options}, timeout=120)
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    assert set(report) >= REPORT_FIELDS
    return report
