"""Which isolation is found here, in a container, on an old kernel and as a normal user; and that it holds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reachy_mind.workshop import isolation
from reachy_mind.workshop.isolation import IsolationProfile, IsolationRefused
from reachy_mind.workshop.layer_check import require
from reachy_mind.workshop.sandbox import Sandbox
from reachy_mind.workshop.spare_user import SpareUser

ROOT = Path(__file__).parents[2]
CONTAINER = ["unshare", "mount", "umount2", "pivot_root", "setns"]
HONEST = """
import cv2, numpy, os
def f():
    open("/tmp/x", "w").write("x")
    return [os.listdir("."), int(numpy.ones(3).sum())]
"""
LATER = "import http.client, email.mime.text, html.parser\ndef f(): return 'imported'\n"
HOSTILE = """
import os, socket, subprocess
def f(victim, pid):
    reached = []
    for name, attack in {
        "read": lambda: open(victim).read(),
        "write": lambda: open(victim, "a"),
        "truncate": lambda: os.truncate(victim, 0),
        "remove": lambda: os.unlink(victim),
        "list": lambda: os.listdir(os.path.dirname(victim)),
        "move": lambda: os.rename(victim, "mine"),
        "link": lambda: os.link(victim, "mine"),
        "processes": lambda: open(f"/proc/{pid}/environ").read(),
        "kill": lambda: os.kill(pid, 9),
        "start": lambda: subprocess.run(["true"]),
        "fork": os.fork,
        "network": socket.socket,
        "signal of a descriptor": lambda: __import__("fcntl").fcntl(3, 8, pid),
    }.items():
        try:
            attack()
            reached.append(name)
        except OSError:
            pass
    os.chmod(victim, 0o777) if os.path.exists(victim) else None
    return reached
"""
pytestmark = pytest.mark.process


def on_another_machine(wanted: dict[str, Any], *command: str) -> dict[str, Any]:
    """Run `restricted_machine.py`."""
    python = command or (sys.executable,)
    packages = sysconfig.get_path("purelib")
    done = subprocess.run(
        [*python, "-B", str(ROOT / "tests/workshop/restricted_machine.py"), json.dumps(wanted)],
        capture_output=True,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}:{packages}"},
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    answer = json.loads(done.stdout)
    assert isinstance(answer, dict)
    return answer


def as_normal_user() -> list[str]:
    """A command that runs this Python as a normal user, where this process is root."""
    if os.getuid() != 0:
        return [sys.executable]
    system = shutil.which(f"python3.{sys.version_info.minor}", path="/usr/bin:/usr/local/bin")
    setpriv = shutil.which("setpriv")
    if system is None or setpriv is None or not all(path.stat().st_mode & 0o005 == 0o005 for path in ROOT.parents):
        pytest.skip("there is no Python here that a normal user can run")
    return [setpriv, "--reuid=65533", "--regid=65533", "--clear-groups", system]


def test_this_machine_has_a_profile(profiles: dict[str, IsolationProfile]) -> None:
    assert tuple(profiles) == isolation.NAMES
    chosen = isolation.choose("auto", tuple(profiles.values()))
    assert chosen.available and not chosen.reason
    assert {"seccomp", "rlimits", "no new privileges", "capabilities", "environment", "descriptors"} <= set(
        chosen.layers
    )
    assert {"mount namespace", "landlock"} & set(chosen.layers)


def test_a_profile_is_chosen_by_name_or_refused() -> None:
    full = IsolationProfile("full", available=False, reason="landlock: not in this kernel")
    weaker = IsolationProfile("namespaces", {"seccomp": "holds"})
    assert isolation.choose("auto", (full, weaker)) is weaker
    assert isolation.choose("namespaces", (full, weaker)) is weaker
    with pytest.raises(IsolationRefused, match="not in this kernel") as refused:
        isolation.choose("full", (full, weaker))
    assert refused.value.code == "ISOLATION_REFUSED" and "namespaces" in refused.value.hint
    with pytest.raises(IsolationRefused, match="can't isolate"):
        isolation.choose("auto", (full,))
    with pytest.raises(IsolationRefused, match="no isolation 'none'"):
        isolation.choose("none", (full, weaker))


async def test_a_worker_with_less_than_its_profile_gets_no_code(profiles: dict[str, IsolationProfile]) -> None:
    profile = isolation.choose("auto", tuple(profiles.values()))
    promised = replace(profile, layers={**profile.layers, "a layer that is not there": "promised"})
    async with Sandbox(promised, ready=0) as sandbox:
        with pytest.raises(IsolationRefused, match="a layer that is not there"):
            await sandbox.worker()


def test_the_kernel_is_asked_too(profiles: dict[str, IsolationProfile]) -> None:
    """A process that only says that it is isolated is found out: this one is not."""
    profile = isolation.choose("auto", tuple(profiles.values()))
    with pytest.raises(IsolationRefused, match=r"seccomp \(by the kernel\)"):
        require(profile, profile.layers, os.getpid(), None)


@pytest.mark.skipif(os.getuid() != 0, reason="only root has spare users")
def test_two_programs_never_share_a_spare_user() -> None:
    with SpareUser.found() as first, SpareUser.found() as second:
        assert first.uid and second.uid and first.uid != second.uid
    with SpareUser.found() as again:
        assert again.uid is not None


@pytest.fixture
def victim() -> Iterator[Path]:
    """A file of the user who runs the program, in no temp folder."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        file = Path(name) / "victim.txt"
        file.write_text("mine")
        file.chmod(0o644)
        for path in (file, file.parent):
            os.chown(path, *((65533, 65533) if os.getuid() == 0 else (-1, -1)))
        yield file


@pytest.mark.parametrize("user", ["same", "normal"])
def test_in_a_container(user: str, victim: Path) -> None:
    command = as_normal_user() if user == "normal" else []
    sleeper = subprocess.Popen([*command[:-1], "sleep", "100"] if user == "normal" else ["sleep", "100"])
    try:
        wanted = {"refuse": CONTAINER, "codes": [HONEST, LATER], "args": {}}
        found = on_another_machine(wanted, *command)
        assert found["chosen"] == "landlock"
        assert not found["profiles"]["full"]["available"] and "unshare" in found["profiles"]["full"]["reason"]
        assert found["runs"][0]["result"] == [["x"], 3] and found["runs"][1]["result"] == "imported"
        wanted = {"refuse": CONTAINER, "codes": [HOSTILE], "args": {"victim": str(victim), "pid": sleeper.pid}}
        assert on_another_machine(wanted, *command)["runs"] == [{"result": [], "error": None, "ended": None}]
        assert victim.read_text() == "mine" and victim.stat().st_mode & 0o777 == 0o644
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.parametrize("name", isolation.NAMES)
def test_as_a_normal_user(name: str, victim: Path) -> None:
    command = as_normal_user()
    wanted = {"isolation": name, "codes": [HONEST, HOSTILE.replace("victim, pid", f"victim={str(victim)!r}, pid=1")]}
    found = on_another_machine(wanted, *command)
    if not found["profiles"][name]["available"]:
        pytest.skip(found["profiles"][name]["reason"])
    assert found["runs"][0]["result"] == [["x"], 3]
    assert found["runs"][1] == {"result": [], "error": None, "ended": None}
    assert victim.read_text() == "mine" and victim.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("missing", ["landlock_create_ruleset", "seccomp"])
def test_too_little_is_refused(missing: str) -> None:
    found = on_another_machine({"refuse": [*CONTAINER, missing], "codes": [HONEST]})
    assert found["refused"]["code"] == "ISOLATION_REFUSED" and found["runs"] == []
    assert missing.split("_", maxsplit=1)[0] in found["refused"]["message"]


def test_without_landlock_namespaces_are_used() -> None:
    found = on_another_machine({"refuse": ["landlock_create_ruleset"], "codes": [HONEST]})
    if found["profiles"]["namespaces"]["available"]:
        assert found["chosen"] == "namespaces" and found["runs"][0]["result"] == [["x"], 3]
        assert "landlock" in found["profiles"]["namespaces"]["missing"]
