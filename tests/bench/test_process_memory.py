"""What counts as memory that grows."""

from __future__ import annotations

import pytest

from reachy_mind.bench.process_memory import ProcessMemory, process_name


def run(minutes: float, mind_mb: float, per_minute: float, noise: float = 0.0) -> ProcessMemory:
    memory = ProcessMemory()
    for step in range(round(minutes * 12)):
        loading = min(1.0, step / 6)
        grown = per_minute * step / 12 + (noise if step % 7 == 0 else 0.0)
        memory.add(5.0 * step, {"mind": mind_mb * loading + grown, "ears": 200.0})
    return memory


def test_memory_that_is_loaded_at_the_start_is_no_growth() -> None:
    memory = run(10, 500, 0.0, noise=25.0)
    assert memory.flat and abs(memory.slope_mb_per_minute()) < 0.5


def test_a_leak_is_found_by_its_slope_and_with_its_process() -> None:
    memory = run(10, 500, 3.0)
    assert not memory.flat
    assert memory.slope_mb_per_minute("mind") == pytest.approx(3.0, abs=0.3)
    assert memory.slope_mb_per_minute("ears") == pytest.approx(0.0, abs=0.01)
    assert "mind 530 (+3.0)" in memory.line()


def test_in_a_short_run_only_a_large_growth_counts_and_in_the_first_minutes_none() -> None:
    assert run(4, 500, 10.0).flat
    assert not run(4, 500, 60.0).flat
    assert run(1.9, 500, 60.0).flat and run(1.9, 500, 60.0).figures()["memory_judged_s"] == 0


def test_this_process_is_measured() -> None:
    memory = ProcessMemory()
    memory.measure()
    figures = memory.figures()
    assert isinstance(figures["memory_mb"], dict) and figures["memory_mb"]["mind"] > 20
    assert ProcessMemory().flat is True


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (["python", "-P", "-m", "reachy_mind.models.worker_process", "ears"], "models.worker_process ears"),
        (["/usr/bin/python3", "-m", "reachy_mind.sim.daemon", "--with-parent"], "sim.daemon"),
        (["/usr/bin/flite", "-t", "hello"], "flite"),
        ([], "ended"),
    ],
)
def test_a_process_has_the_name_of_what_it_runs(argv: list[str], name: str) -> None:
    assert process_name(argv) == name
