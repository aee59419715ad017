"""A device and its machine: vitals, systemd's unit, updates that are taken back, personalities without a network."""

from __future__ import annotations

import asyncio
import configparser
import json
import stat
import sys
from pathlib import Path

import pytest

from reachy_mind.errors import InvalidParameter, NotReady
from reachy_mind.fleet.agent.installation import ROLLBACK, UNIT, ServiceInstall, write_units
from reachy_mind.fleet.agent.local_personas import find_persona
from reachy_mind.fleet.agent.service_notify import ServiceNotify
from reachy_mind.fleet.agent.update import MAX_TRIES, UpdateHook
from reachy_mind.fleet.agent.vitals import MachineVitals


def test_vitals_are_those_of_the_kernel_s_files(tmp_path: Path) -> None:
    files = {
        "sys/class/thermal/thermal_zone0/temp": "41300",
        "sys/class/thermal/thermal_zone1/temp": "47850",
        "sys/class/thermal/thermal_zone2/temp": "-274000",
        "sys/class/power_supply/BAT0/capacity": "83",
        "proc/meminfo": "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 250 kB\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    vitals = MachineVitals(tmp_path / "sys", tmp_path / "proc").read()
    assert vitals == {"temperature_c": 47.9, "battery_percent": 83.0, "memory_percent": 75.0, "uptime_s": 0}


def test_a_machine_without_any_of_it_says_nothing_about_it(tmp_path: Path) -> None:
    assert set(MachineVitals(tmp_path, tmp_path).read()) == {"uptime_s"}


INSTALL = ServiceInstall(Path("/opt/reachy mind/bin/python"), "pi", Path("/home/pi/100%"), watchdog_s=20)


def test_the_unit_has_what_a_device_needs(tmp_path: Path) -> None:
    (file,) = write_units(INSTALL, tmp_path)
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(file)
    service = unit["Service"]
    assert (file.name, stat.S_IMODE(file.stat().st_mode)) == (UNIT, 0o644)
    assert service["Type"] == "notify" and service["WatchdogSec"] == "20" and service["Restart"] == "always"
    assert service["ExecStart"] == '"/opt/reachy mind/bin/python" "-m" "reachy_mind" "device" "run"'
    assert service["Environment"] == '"REACHY_MIND_HOME=/home/pi/100%%"'
    assert "OnFailure" not in unit["Unit"]


def test_a_device_that_can_be_updated_can_be_rolled_back() -> None:
    install = ServiceInstall(
        Path("/usr/bin/python3"), "pi", Path("/home/pi"), update_command=("/opt/update", "--quiet")
    )
    units = install.units()
    assert f"OnFailure={ROLLBACK}" in units[UNIT]
    assert 'ExecStart="/opt/update" "--quiet" "rollback"' in units[ROLLBACK]


@pytest.mark.parametrize("change", [{"user": "pi\nExecStart=/bin/sh"}, {"home": Path("/home/pi\nUser=root")}])
def test_nothing_gets_into_the_unit_by_a_name(change: dict[str, object]) -> None:
    from dataclasses import replace

    with pytest.raises(InvalidParameter):
        replace(INSTALL, **change).units()  # type: ignore[arg-type]


def test_without_systemd_nobody_is_told() -> None:
    notify = ServiceNotify({})
    notify.tell(READY="1")
    assert not notify.is_service


def test_a_personality_is_found_in_the_cache_before_the_shipped_one(tmp_path: Path) -> None:
    shipped = find_persona(tmp_path, "storyteller")
    assert shipped is not None and shipped.files["instructions.txt"].strip()
    (tmp_path / f"{'0' * 64}.json").write_text(
        json.dumps({"id": "storyteller", "files": {"instructions.txt": "Ours."}})
    )
    cached = find_persona(tmp_path, "storyteller")
    assert cached is not None and cached.files == {"instructions.txt": "Ours."}


@pytest.mark.parametrize("name", ["../storyteller", "", "Story Teller", "nobody"])
def test_a_personality_that_is_none_is_not_found(tmp_path: Path, name: str) -> None:
    assert find_persona(tmp_path, name) is None


@pytest.fixture
def hook(tmp_path: Path) -> tuple[UpdateHook, Path]:
    """A program that notes what it is asked for; it fails for version 13."""
    calls = tmp_path / "calls"
    program = tmp_path / "hook.py"
    program.write_text(
        f"import sys\nopen({str(calls)!r}, 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
        "if '13' in sys.argv: sys.exit('unlucky')\n"
    )
    return UpdateHook((sys.executable, str(program)), tmp_path / "update.json", good_after_s=0.05), calls


@pytest.mark.process
async def test_an_update_that_works_is_kept(hook: tuple[UpdateHook, Path]) -> None:
    updates, calls = hook
    assert await updates.install("c1", "1.2.3", connected=True)
    assert not await updates.install("c1", "1.2.3", connected=True), "the same command after the restart"
    connected = asyncio.Event()
    watching = asyncio.create_task(updates.watch(connected))
    await asyncio.sleep(0)
    connected.set()
    assert await watching is False
    assert await updates.watch(asyncio.Event()) is False, "there is nothing to watch any more"
    assert calls.read_text() == "install 1.2.3\n"


@pytest.mark.process
async def test_an_update_after_which_it_never_connects_is_taken_back(hook: tuple[UpdateHook, Path]) -> None:
    updates, calls = hook
    await updates.install("c1", "1.2.3", connected=True)
    for _ in range(MAX_TRIES):
        with pytest.raises(TimeoutError):  # the process is restarted meanwhile
            async with asyncio.timeout(0.2):
                await updates.watch(asyncio.Event())
    assert await updates.watch(asyncio.Event()) is True
    assert calls.read_text() == "install 1.2.3\nrollback\n"


@pytest.mark.process
async def test_a_hook_that_fails_says_why(hook: tuple[UpdateHook, Path]) -> None:
    updates, _ = hook
    with pytest.raises(NotReady, match="unlucky"):
        await updates.install("c1", "13", connected=False)
    assert await updates.watch(asyncio.Event()) is False


@pytest.mark.parametrize("version", ["", "1; reboot", "--help", "../x"])
async def test_a_version_that_is_none_is_refused(hook: tuple[UpdateHook, Path], version: str) -> None:
    with pytest.raises(InvalidParameter):
        await hook[0].install("c1", version, connected=False)


@pytest.mark.process
async def test_the_shipped_hook_goes_back_to_the_version_before(tmp_path: Path) -> None:
    for version in ("1.0", "1.1"):
        python = tmp_path / "releases" / version / "bin" / "python"
        python.parent.mkdir(parents=True)
        python.symlink_to(sys.executable)
    (tmp_path / "current").symlink_to("releases/1.1")
    (tmp_path / "previous").symlink_to("releases/1.0")
    script = Path(__file__).parents[3] / "script" / "device-update"

    async def run(*arguments: str) -> int:
        environ = {"REACHY_MIND_DEVICE_ROOT": str(tmp_path), "PATH": "/usr/bin:/bin"}
        process = await asyncio.create_subprocess_exec(str(script), *arguments, env=environ)
        return await process.wait()

    assert await run("install", "1.1") == 0, "it runs already"
    assert await run("rollback") == 0
    assert (tmp_path / "current").readlink() == Path("releases/1.0")
    assert await run("rollback") == 0, "and forth again"
    assert (tmp_path / "current").readlink() == Path("releases/1.1")
    assert await run("install", "1.1; reboot") == 2
    assert await run() == 2
