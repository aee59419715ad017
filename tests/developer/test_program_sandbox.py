"""The sandbox of programs: what they see, what they may use, what is left of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from reachy_mind.developer.program_result import ProgramLimits, ProgramMissing
from reachy_mind.developer.program_sandbox import ProgramSandbox
from reachy_mind.errors import NotReady
from tests.developer import repositories
from tests.developer.programs import processes_with, require_isolation, sandbox_in, shell, tree_of
from tests.waiting import until
from tests.workshop.test_isolation import CONTAINER, as_normal_user

ROOT = Path(__file__).parents[2]
NO_OVERLAY = ["open_tree", "setxattr"]
"""An overlay needs the first as root, the second as a normal user."""
SECRET = "a-secret-of-the-user-4711"  # noqa: S105
pytestmark = pytest.mark.process


@pytest.fixture(scope="module", autouse=True)
def isolated() -> None:
    require_isolation()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return repositories.made(tmp_path / "repos" / "demo")


@pytest.fixture
def sandbox(tmp_path: Path) -> ProgramSandbox:
    return sandbox_in(tmp_path)


async def test_a_program_works_on_a_copy(sandbox: ProgramSandbox, repository: Path) -> None:
    before = tree_of(repository)
    script = "echo more >> README.md && rm -r src && mkdir -p src/app && echo 2 > src/app/other.py && ln -s / link"
    result = await shell(sandbox, repository, f"{script} && chmod 700 README.md && cat README.md")
    assert result.succeeded and result.output == b"# Hello\nmore\n"
    assert tree_of(repository) == before
    changes = {(change.path, change.kind) for change in result.changes}
    assert changes == {
        ("README.md", "changed"),
        ("src/app/main.py", "deleted"),
        ("src/app/other.py", "new"),
        ("link", "other"),
    }
    touched = await shell(sandbox, repository, "cp README.md x && mv x README.md && touch src/app/main.py")
    assert touched.succeeded and touched.changes == ()
    again = await shell(sandbox, repository, "cat src/app/main.py", contents=True)
    assert again.output == b"def main():\n    return 1\n" and not again.changes


async def test_where_there_is_no_overlay_the_files_are_copied(tmp_path: Path, repository: Path) -> None:
    """Links, modes and the git folder are as with an overlay; what is too large is refused."""
    (repository / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (repository / "run.sh").chmod(0o755)
    (repository / "link").symlink_to("README.md")
    before = tree_of(repository)
    script = "./run.sh && cat link && echo 3 > new && rm README.md && echo x >> src/app/main.py && ls -A .git"
    found = on_another_machine(tmp_path, repository, NO_OVERLAY, script)
    assert found["copy"] == "copy" and found["output"] == "ran\n# Hello\n", found
    assert found["changes"] == [["README.md", "deleted"], ["new", "new"], ["src/app/main.py", "changed"]]
    assert tree_of(repository) == before
    with (repository / "large.bin").open("wb") as file:
        file.truncate(40 << 20)
    found = on_another_machine(tmp_path, repository, NO_OVERLAY, "true", files_mb=16)
    assert "too large" in found["error"]["message"] and "program_files_mb" in found["error"]["hint"]


def on_another_machine(
    folder: Path, repository: Path, refuse: list[str], script: str, *command: str, files_mb: int = 256
) -> dict[str, object]:
    """Run a script in the sandbox on a machine that refuses some calls."""
    wanted = {"folder": str(folder), "repository": str(repository), "refuse": refuse, "script": script}
    done = subprocess.run(
        [*(command or (sys.executable,)), "-B", str(ROOT / "tests/developer/restricted_programs.py")],
        input=json.dumps(wanted | {"files_mb": files_mb}),
        capture_output=True,
        text=True,
        env={
            "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}:{sysconfig.get_path('purelib')}",
            "REACHY_MIND_HOME": str(folder / "home"),
        },
        cwd=folder,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_without_namespaces_nothing_runs(tmp_path: Path, repository: Path) -> None:
    found = on_another_machine(tmp_path, repository, CONTAINER, "touch ran")
    assert found["error"]["code"] == "ISOLATION_REFUSED", found  # type: ignore[index]
    assert "unshare" in found["error"]["message"] and "namespaces" in found["error"]["hint"]  # type: ignore[index]
    assert not (repository / "ran").exists()


def test_a_normal_user_has_it_too(repository: Path) -> None:
    command = as_normal_user()
    with owned_folder(repository) as (folder, copy):
        script = "id -u; echo 3 > new; cat README.md; ls /root /home; cat /etc/shadow; kill -0 1 && ls .git"
        found = on_another_machine(folder, copy, [], script, *command)
        assert found["output"].startswith("1000\n# Hello\n"), found  # type: ignore[union-attr, attr-defined]
        assert "developer\n" in str(found["output"]) and "shadow: No such file" in str(found["output"])
        assert found["changes"] == [["new", "new"]] and not (copy / "new").exists()


@contextlib.contextmanager
def owned_folder(repository: Path) -> Iterator[tuple[Path, Path]]:
    """A copy of a repository that a normal user owns and can reach."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        shutil.copytree(repository, folder / "repos" / "demo")
        if os.getuid() == 0:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, 65533, 65533, follow_symlinks=False)
        yield folder, folder / "repos" / "demo"


async def test_what_is_private_is_not_there(
    tmp_path: Path, repository: Path, sandbox: ProgramSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)
    monkeypatch.setenv("REACHY_MIND_DEVELOPER__GITHUB_TOKEN", SECRET)
    for place in (
        tmp_path / "home" / "mind.db",
        tmp_path / "repos" / "other" / "key.txt",
        repository / ".git" / "creds",
    ):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(SECRET)
    home = Path.home()
    outside = [tmp_path / "home" / "mind.db", tmp_path / "repos" / "other" / "key.txt", home / ".ssh", home / ".bashrc"]
    script = " ; ".join(
        (
            "env; cat .git/creds .git/config ../other/key.txt",
            *(f"cat {path}; ls {path}" for path in outside),
            f"cat /proc/{os.getpid()}/environ /proc/1/environ /proc/*/environ",
            "cat /etc/shadow /etc/hostname; ls -A /home /workspace /home/developer",
        )
    )
    result = await shell(sandbox, repository, script)
    said = result.output.decode()
    assert SECRET not in said and "TOKEN" not in said
    assert said.count("developer\n") >= 1 and "\ndemo\n" in said and "other\n" not in said


async def test_there_is_no_network_and_no_process_of_the_machine(sandbox: ProgramSandbox, repository: Path) -> None:
    victim = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(100)")
    listening = socket.create_server(("127.0.0.1", 0))
    abstract = socket.socket(socket.AF_UNIX)
    name = f"\0reachy-test-{uuid4().hex}"
    abstract.bind(name)
    abstract.listen()
    attempts = f"""
import os, socket
reached = []
for name, attempt in {{
    "loopback of the machine": lambda: socket.create_connection(("127.0.0.1", {listening.getsockname()[1]}), 2),
    "internet": lambda: socket.create_connection(("1.1.1.1", 443), 2),
    "names": lambda: socket.getaddrinfo("github.com", 443),
    "abstract socket": lambda: socket.socket(socket.AF_UNIX).connect({name!r}),
    "raw packets": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW),
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "kill": lambda: os.kill({victim.pid}, 9),
    "namespace": lambda: os.unshare(0x10000000) if hasattr(os, "unshare") else 1 / 0,
}}.items():
    try:
        attempt()
        reached.append(name)
    except (OSError, ZeroDivisionError):
        pass
print(reached)
with socket.create_server(("127.0.0.1", 0)) as own:
    socket.create_connection(own.getsockname(), 2)
    print("own loopback")
"""
    try:
        result = await sandbox.run(repository, ("python3", "-c", attempts), timeout_s=20)
        assert result.output == b"[]\nown loopback\n"
        assert victim.returncode is None
    finally:
        victim.kill()
        await victim.wait()
        listening.close()
        abstract.close()


@pytest.mark.parametrize("how", ["timeout", "cancel", "end"])
async def test_nothing_outlives_it(sandbox: ProgramSandbox, repository: Path, how: str) -> None:
    """Also not what left its session, ignores signals and has lost its parent."""
    mark = f"mark-{uuid4().hex}"
    stubborn = (
        "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; open('up', 'w'); time.sleep(600)"
    )
    script = f'(setsid python3 -c "{stubborn}" {mark} &); until test -e up; do sleep 0.05; done; echo ready'
    script += "" if how == "end" else f"; sleep 600; echo {mark}"
    heard: list[bytes] = []
    limit = 3 if how == "timeout" else 60
    run = asyncio.create_task(shell(sandbox, repository, script, timeout_s=limit, heard=heard.append))
    if how == "cancel":
        await until(lambda: b"ready" in b"".join(heard))
        assert processes_with(mark)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    else:
        result = await run
        assert result.ending == ("timeout" if how == "timeout" else "exited")
        assert b"ready" in result.output
    assert processes_with(mark) == []


async def test_limits_hold(tmp_path: Path, repository: Path) -> None:
    limits = ProgramLimits(memory_mb=200, files_mb=32, tasks=40, output_mb=1)
    sandbox = sandbox_in(tmp_path, limits)
    hungry = "x = [bytearray(1 << 20) for _ in range(4000)]"
    result = await sandbox.run(repository, ("python3", "-c", hungry), timeout_s=20)
    assert not result.succeeded and (b"MemoryError" in result.output or result.ending == "memory")
    many = f"""
import os, time
for _ in range(8):
    if os.fork() == 0:
        {hungry.replace("4000", "150")}
        time.sleep(2)
        os._exit(0)
print([os.wait()[1] for _ in range(8)])
"""
    result = await sandbox.run(repository, ("python3", "-c", many), timeout_s=20)
    assert result.ending == "memory", result
    result = await shell(
        sandbox, repository, "head -c 100000000 /dev/zero > big; ls -s big; rm big; cat /dev/zero > /tmp/x"
    )
    assert not result.succeeded and b"File size limit" in result.output
    result = await shell(sandbox, repository, "yes")
    assert result.ending == "output" and result.cut and len(result.output) < 100_000
    forks = """
import os, time
count = 0
try:
    while count < 500:
        if os.fork() == 0:
            time.sleep(9)
        count += 1
except OSError:
    print(count)
"""
    result = await sandbox.run(repository, ("python3", "-c", forks), timeout_s=20)
    assert int(result.output) < 40


async def test_a_program_that_is_not_there_is_said_so(sandbox: ProgramSandbox, repository: Path) -> None:
    with pytest.raises(ProgramMissing, match="no program 'nothing-such'"):
        await sandbox.run(repository, ("nothing-such",), timeout_s=5)
    (repository / "broken").write_text("#!/nothing/such\n")
    (repository / "broken").chmod(0o755)
    with pytest.raises(ProgramMissing, match="can't be run"):
        await sandbox.run(repository, ("./broken",), timeout_s=5)


async def test_folders_of_tools(tmp_path: Path, repository: Path) -> None:
    tools = tmp_path / "tools" / "bin"
    tools.mkdir(parents=True)
    (tools / "greet").write_text("#!/bin/sh\necho hello from a tool; touch $0.x\n")
    (tools / "greet").chmod(0o755)
    for folder in (tools, tools.parent, tmp_path, tmp_path.parent):
        folder.chmod(0o755)
    result = await sandbox_in(tmp_path, tool_folders=str(tools.parent)).run(repository, ("greet",), timeout_s=10)
    assert result.output.startswith(b"hello from a tool\n") and b"Read-only" in result.output
    (tmp_path / "home").mkdir()
    for private in (Path("/"), Path.home(), tmp_path, tmp_path / "home", tmp_path / "repos"):
        with pytest.raises(NotReady, match="private"):
            await sandbox_in(tmp_path, tool_folders=str(private)).run(repository, ("true",), timeout_s=5)


async def test_named_hosts_are_reached_through_a_proxy(tmp_path: Path, repository: Path) -> None:
    """The one way out: it connects to what is named, and to nothing else."""
    served: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.append(await reader.readline())
        writer.write(b"from outside\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = """
import os, socket, sys
from urllib.parse import urlsplit
proxy = urlsplit(os.environ["HTTPS_PROXY"])
for target in sys.argv[1:]:
    with socket.create_connection((proxy.hostname, proxy.port), 5) as s:
        s.sendall(f"CONNECT {target} HTTP/1.1\\r\\n\\r\\n".encode())
        head = s.recv(1000)
        print(head.split(b"\\r\\n")[0].decode())
        if b" 200 " in head:
            s.sendall(b"hello\\n")
            print(s.recv(100).decode().strip())
"""
    targets = (f"localhost:{port}", f"127.0.0.1:{port}", "localhost:443", "example.org:80", "[::1]:1", "x")
    sandbox = sandbox_in(tmp_path, network_hosts=f"localhost:{port},example.org")
    async with server:
        result = await sandbox.run(repository, ("python3", "-c", client, *targets), timeout_s=20)
    lines = result.output.decode().splitlines()
    assert lines[:2] == ["HTTP/1.1 200 Connected", "from outside"] and served == [b"hello\n"], lines
    assert [line.split()[1] for line in lines[2:]] == ["403", "403", "403", "403", "405"]
