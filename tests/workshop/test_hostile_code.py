"""Hostile code in every isolation profile: each attack has to load its means, try them, and reach nothing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from reachy_mind.workshop.sandbox import Sandbox
from tests.workshop.jobs import gone, run

pytestmark = [pytest.mark.process, pytest.mark.asyncio(loop_scope="module")]

OWNERS_TEXT = "a secret of the owner"


@pytest.fixture(scope="module")
def outside() -> Iterator[Path]:
    """A folder outside, in no temp folder, that every user of the machine may read and write."""
    with tempfile.TemporaryDirectory(prefix="outside-", dir="/dev/shm") as name:
        folder = Path(name)
        folder.chmod(0o777)
        secret = folder / "secret.txt"
        secret.write_text(OWNERS_TEXT)
        secret.chmod(0o666)
        yield folder


@pytest.fixture(scope="module")
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the machine."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()


def names_in(folder: Path) -> list[str]:
    return [entry.name for entry in folder.iterdir()]


def kernel_status(pid: int) -> dict[str, str]:
    return dict(line.split(":\t") for line in Path(f"/proc/{pid}/status").read_text().splitlines())


def attempts(*lines: str) -> str:
    """Code that tries each expression and returns those that worked, with their values."""
    return f"""
import ctypes, os, sys, socket, mmap, resource, signal, subprocess, threading, time
import numpy as np
libc = ctypes.CDLL(None, use_errno=True)
def _syscall(number, *arguments):
    arguments = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    value = libc.syscall(ctypes.c_long(number), *arguments)
    if value < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return value
def f(folder="", pid=0, port=0):
    worked = []
    for line in {list(lines)!r}:
        try:
            names = dict(syscall=_syscall, folder=folder, pid=pid, port=port)
            worked.append([line, repr(eval(line, globals() | names))[:200]])
        except (Exception, SystemExit):
            pass
    return worked
"""


READING = (
    "open(folder + '/secret.txt').read()",
    "os.open(folder + '/secret.txt', os.O_RDONLY)",
    "os.read(os.open('../' * 20 + folder + '/secret.txt', 0), 100)",
    "os.listdir(folder)",
    "list(os.scandir('/etc'))[0] and open('/etc/passwd').read()",
    "open('/etc/hostname').read()",
    "np.fromfile(folder + '/secret.txt', dtype=np.uint8)",
    "np.loadtxt(folder + '/secret.txt', dtype=str)",
    "__import__('cv2').FileStorage(folder + '/secret.txt', 0).isOpened() or 1 / 0",
    "__import__('linecache').getline(folder + '/secret.txt', 1) or 1 / 0",
    "__import__('tokenize').open(folder + '/secret.txt').read()",
    "__import__('io').FileIO(folder + '/secret.txt').read()",
    "__import__('posix').open(folder + '/secret.txt', 0)",
    "os.readlink('/proc/self/exe')",
    "os.readlink(f'/proc/{pid}/cwd')",
    "open('/proc/self/maps').read()",
    "open('/proc/self/environ').read()",
    "open(f'/proc/{pid}/cmdline').read()",
    "open('/proc/1/environ').read()",
    "os.listdir('/proc') and 1",
    "open('/proc/self/mem', 'rb')",
    "open('/proc/sys/kernel/hostname').read()",
    "open('/sys/class/net/lo/address').read()",
    "open('/dev/mem', 'rb')",
    "open('/dev/kmsg')",
    "open('/dev/vda', 'rb')",
    "os.listdir('/root')",
    "os.listdir('/home') and 1 / len(os.listdir('/home'))",
    "syscall(257, -100, (folder + '/secret.txt').encode(), 0)",
    "syscall(437, -100, (folder + '/secret.txt').encode(), ctypes.create_string_buffer(24), 24)",
    "syscall(303, -100, folder.encode(), ctypes.create_string_buffer(200), ctypes.byref(ctypes.c_int()), 0)",
    "syscall(425, 4, ctypes.create_string_buffer(240))",
    "libc.fopen((folder + '/secret.txt').encode(), b'r') or 1 / 0",
    "os.symlink(folder, 'link') or open('link/secret.txt').read()",
    "os.link(folder + '/secret.txt', 'hard') or open('hard').read()",
    "os.rename(folder + '/secret.txt', 'mine') or open('mine').read()",
    "__import__('shutil').copy(folder + '/secret.txt', 'mine')",
    "os.sendfile(3, os.open(folder + '/secret.txt', 0), 0, 10)",
)


async def test_files_outside_are_not_read(sandbox: Sandbox, outside: Path, bystander: subprocess.Popen[bytes]) -> None:
    outcome = await run(sandbox, attempts(*READING), folder=str(outside), pid=bystander.pid)
    assert outcome.result == []


WRITING = (
    "open(folder + '/new.txt', 'w')",
    "open(folder + '/secret.txt', 'a').write('x')",
    "os.open(folder + '/secret.txt', os.O_WRONLY | os.O_TRUNC)",
    "os.open(folder + '/secret.txt', os.O_RDONLY | os.O_TRUNC)",
    "os.truncate(folder + '/secret.txt', 0)",
    "os.unlink(folder + '/secret.txt')",
    "os.mkdir(folder + '/made')",
    "os.mkfifo('fifo')",
    "os.mknod('device', 0o020666, 0x103)",
    "os.mknod('plain')",
    "os.rename(folder, folder + '2')",
    "os.chown(folder, 0, 0)",
    "os.setxattr(folder, 'user.x', b'1')",
    "os.chroot('/tmp')",
    "open('/etc/cron.d/x', 'w')",
    "open(sys.modules['json'].__file__, 'a')",
    "os.open(os.path.dirname(np.__file__), os.O_TMPFILE | os.O_RDWR, 0o600)",
    "np.save(folder + '/a.npy', np.zeros(2))",
    "__import__('cv2').imwrite(folder + '/a.png', np.zeros((2, 2), np.uint8)) or 1 / 0",
    "__import__('sqlite3').connect(folder + '/b.db').execute('create table t (a)')",
    "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) and 1 / 0",
    "libc.umount2(b'/tmp', 2) and 1 / 0",
    "open('/dev/shm/x', 'w')",
)


async def test_files_outside_are_not_written(sandbox: Sandbox, outside: Path) -> None:
    before = (outside / "secret.txt").stat()
    outcome = await run(
        sandbox,
        attempts(*WRITING, "os.chmod(folder + '/secret.txt', 0) and 1", "os.utime(folder)"),
        folder=str(outside),
    )
    after = (outside / "secret.txt").stat()
    # Without a file system of its own, changes of modes and times say nothing and do nothing.
    assert [line for line, _ in outcome.result if not line.startswith(("os.chmod", "os.utime"))] == []
    assert names_in(outside) == ["secret.txt"]
    assert (outside / "secret.txt").read_text() == OWNERS_TEXT
    assert (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)


NETWORK = (
    "socket.create_connection(('127.0.0.1', port), 1)",
    "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))",
    "socket.socket(socket.AF_INET6)",
    "socket.socket(socket.AF_UNIX)",
    "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "socket.socket(40, socket.SOCK_STREAM)",
    "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
    "socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)",
    "socket.getaddrinfo('example.org', 80)",
    "socket.socket(fileno=os.dup(3)).connect('\\0name')",
    "socket.socket(fileno=os.dup(3)).bind('\\0name')",
    "socket.socketpair()[0].sendmsg([b'x'], [], 0, '/run/systemd/journal/socket')",
    "socket.socketpair()[0].sendto(b'x', '/run/systemd/journal/socket')",
    "socket.send_fds(socket.socket(fileno=os.dup(3)), [b'x'], [0])",
    "__import__('urllib.request').request.urlopen(f'http://127.0.0.1:{port}/', timeout=1)",
    "syscall(41, 2, 1, 0)",
)


async def test_there_is_no_network(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        outcome = await run(sandbox, attempts(*NETWORK), port=server.getsockname()[1])
        assert outcome.result == []
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


PROCESSES = (
    "os.fork()",
    "subprocess.run(['/bin/true'])",
    "os.system('true') == 0 or 1 / 0",
    "os.execv('/bin/true', ['true'])",
    "os.posix_spawn('/bin/true', ['true'], {})",
    "__import__('pty').fork()",
    "__import__('multiprocessing').Process(target=print).start()",
    "syscall(57)",
    "syscall(58)",
    "syscall(56, 0x11, 0, 0, 0, 0)",
    "syscall(56, 0x10000 | 0x20000 | 0x100 | 0x800, 0, 0, 0, 0)",
    "syscall(435, ctypes.create_string_buffer(88), 88)",
    "syscall(322, -100, b'/bin/true', 0, 0, 0)",
    "os.kill(pid, 9)",
    "os.kill(-1, 9)",
    "os.killpg(0, 9)",
    "signal.pidfd_send_signal(os.pidfd_open(pid), 9)",
    "syscall(200, pid, 9)",
    "syscall(234, pid, pid, 9)",
    "syscall(129, pid, 9, ctypes.create_string_buffer(128))",
    "syscall(101, 16, pid, 0, 0)",
    "syscall(310, pid, 0, 0, 0, 0, 0)",
    "syscall(312, pid, pid, 0, 0, 0)",
    "__import__('fcntl').fcntl(3, 8, pid)",
    "__import__('fcntl').fcntl(3, 10, 9)",
    "__import__('fcntl').fcntl(3, 15, b'0' * 8)",
    "__import__('fcntl').ioctl(3, 0x8901, pid.to_bytes(4, 'little'))",
    "os.sched_setaffinity(0, {0})",
    "os.setpriority(0, 0, -5)",
    "os.nice(-5)",
    "os.setuid(0)",
    "os.setsid()",
)


async def test_processes_are_neither_started_nor_reached(sandbox: Sandbox, bystander: subprocess.Popen[bytes]) -> None:
    outcome = await run(sandbox, attempts(*PROCESSES), pid=bystander.pid)
    assert outcome.result == []
    assert bystander.poll() is None


KERNEL = (
    "resource.setrlimit(resource.RLIMIT_CPU, (-1, -1))",
    "resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "resource.prlimit(0, resource.RLIMIT_NOFILE, (10, 10))",
    "resource.prlimit(pid, resource.RLIMIT_NOFILE, (10, 10))",
    "syscall(160, 0, ctypes.create_string_buffer(16))",
    "syscall(157, 1, 0)",
    "syscall(157, 4, 1)",
    "syscall(157, 22, 0)",
    "syscall(317, 1, 0, 0)",
    "syscall(272, 0x10000000)",
    "syscall(308, 0, 0)",
    "syscall(155, b'.', b'.')",
    "syscall(319, b'x', 0)",
    "syscall(447, 0)",
    "syscall(323, 0)",
    "syscall(250, 0, -1, 0)",
    "syscall(248, b'user', b'a', b'b', 1, -3)",
    "syscall(321, 0, ctypes.create_string_buffer(128), 128)",
    "syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)",
    "syscall(425, 1, ctypes.create_string_buffer(120))",
    "syscall(444, 0, 0, 1)",
    "syscall(29, 0, 4096, 0o1666)",
    "syscall(68, 0, 0o1666)",
    "syscall(64, 0, 1, 0o1666)",
    "syscall(253)",
    "syscall(300, 0, 0)",
    "syscall(222, 0, 0, ctypes.byref(ctypes.c_int()))",
    "syscall(283, 0, 0)",
    "syscall(227, 0, ctypes.create_string_buffer(16))",
    "syscall(169, 0xfee1dead, 672274793, 0x89abcdef, 0)",
    "syscall(175, 0, 0, b'')",
    "syscall(162)",
    "syscall(135, 0x40000)",
    "syscall(149, 0, 4096)",
    "syscall(187)",
    "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)",
    "mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)",
    "libc.mprotect(ctypes.c_void_p(id(libc) & ~4095), 4096, 7) and 1 / 0",
    "mmap.mmap(os.open('exec.so', os.O_CREAT | os.O_RDWR), 0, prot=mmap.PROT_EXEC)",
    "ctypes.CDLL('./exec.so')",
    "os.memfd_create('x')",
)


async def test_the_kernel_offers_nothing_more(sandbox: Sandbox, bystander: subprocess.Popen[bytes]) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers of these calls are those of x86-64")
    outcome = await run(sandbox, attempts(*KERNEL), pid=bystander.pid)
    assert outcome.result == []


async def test_another_architecture_of_calls_kills(sandbox: Sandbox) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip("x32 is of x86-64")
    outcome = await run(sandbox, "import ctypes\ndef f(): return ctypes.CDLL(None).syscall(0x40000000 + 39)\n")
    assert outcome.ended is not None and "bad system call" in outcome.ended.message


async def test_nothing_is_inherited(sandbox: Sandbox) -> None:
    code = """
import os, sys
def f():
    found = []
    for number in range(0, 4096):
        try:
            os.fstat(number); found.append(number)
        except OSError: pass
    return {"fds": found, "env": dict(os.environ), "ids": [os.getuid() != 0, os.getgroups()], "argv": sys.argv[1:]}
"""
    outcome = await run(sandbox, code)
    assert outcome.result["fds"] == [0, 1, 2, 3]
    assert set(outcome.result["env"]) <= {"HOME"}
    assert outcome.result["ids"][0] is True
    if os.getuid() == 0 and not sandbox.profile.namespaces:
        assert outcome.result["ids"][1] == []


async def test_what_the_kernel_says_of_a_worker(sandbox: Sandbox) -> None:
    worker = await sandbox.worker()
    try:
        status = kernel_status(worker.pid)
        assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
        assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
        if os.getuid() == 0:
            assert int(status["CapBnd"], 16) == 0
            assert status["Groups"].strip() == ""
        assert set(worker.layers) >= set(sandbox.profile.layers)
        assert len(status["NSpid"].split()) == (2 if sandbox.profile.namespaces else 1)
    finally:
        await worker.end()


BOMBS = {
    "memory": ("def f(): return len([bytes(10_000_000) for _ in range(200)])", {}),
    "anonymous mapping": ("import mmap\ndef f(): return [mmap.mmap(-1, 64 << 20) for _ in range(40)] and 1", {}),
    "numpy": ("import numpy as np\ndef f(): return float(np.ones((20_000, 20_000)).sum())", {}),
    "one large file": (
        "def f():\n    with open('big', 'wb') as file:\n        for _ in range(40): file.write(bytes(1 << 20))\n",
        {},
    ),
    "sparse file": ("import os\ndef f():\n    os.ftruncate(os.open('s', os.O_CREAT | os.O_RDWR), 1 << 40)\n", {}),
    "threads": (
        """
import threading, time
def f():
    for _ in range(5000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
""",
        {},
    ),
    "descriptors": ("import os\ndef f(): return [os.pipe() for _ in range(5000)] and 1", {}),
}


@pytest.mark.parametrize("name", BOMBS)
async def test_a_bomb_fails_inside(sandbox: Sandbox, name: str) -> None:
    outcome = await run(sandbox, BOMBS[name][0])
    assert outcome.error is not None or outcome.ended is not None
    assert outcome.raised in {"MemoryError", "OSError", "RuntimeError", "error", "_ArrayMemoryError", ""}
    assert outcome.usage.max_rss_mb < 700 and gone(outcome.pid)


FILLING = {
    "many bytes": """
def f():
    for n in range(100):
        with open(f"f{n}", "wb") as file: file.write(bytes(4 << 20))
    while True: pass
""",
    "many files": """
def f():
    for n in range(3000): open(f"f{n}", "w").close()
    while True: pass
""",
    "deep folders": """
import os
def f():
    while True:
        os.mkdir("d"); os.chdir("d")
""",
    "removed but open": """
import os
kept = []
def f():
    for n in range(50):
        kept.append(open(f"f{n}", "wb", buffering=0))
        kept[-1].write(bytes(4 << 20))
        os.unlink(f"f{n}")
    while True: pass
""",
    "hidden folder": """
import os
def f():
    os.mkdir("h", 0o300)
    for n in range(100):
        with open(f"h/f{n}", "wb") as file: file.write(bytes(4 << 20))
    while True: pass
""",
}


@pytest.mark.parametrize("name", FILLING)
async def test_a_full_disk_is_stopped_early(sandbox: Sandbox, name: str) -> None:
    outcome = await run(sandbox, FILLING[name])
    assert outcome.raised == "OSError" or (outcome.ended is not None and outcome.ended.code == "BUDGET_EXCEEDED")


async def test_cpu_time_is_bounded(sandbox: Sandbox) -> None:
    code = "import signal\ndef f():\n    signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n    while True: pass\n"
    outcome = await run(sandbox, code, budget={"cpu_s": 1.0})
    assert outcome.ended is not None and outcome.ended.code == "CPU_LIMIT"
    assert 600 < outcome.usage.cpu_ms < 2500


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    while True: pass\n",
        "import time\ndef f(): time.sleep(1000)\n",
        "import signal\ndef f():\n    for n in (2, 15, 24): signal.signal(n, signal.SIG_IGN)\n    while True: pass\n",
        "def f(): return 9 ** 9 ** 9\n",
        "import re\ndef f(): return re.match(r'(a+)+$', 'a' * 60 + 'b')\n",
    ],
    ids=["loop", "sleep", "signals ignored", "power", "regular expression"],
)
async def test_the_host_can_always_end_it(sandbox: Sandbox, code: str) -> None:
    outcome = await run(sandbox, code, wall_s=0.3)
    assert outcome.timed_out and gone(outcome.pid)


async def test_a_crash_is_reported(sandbox: Sandbox) -> None:
    outcome = await run(sandbox, "import ctypes\ndef f(): ctypes.string_at(0)\n")
    assert outcome.ended is not None and "segmentation fault" in outcome.ended.message
    outcome = await run(sandbox, "import os\ndef f(): os._exit(0)\n")
    assert outcome.ended is not None and "without a result" in outcome.ended.message
    assert (await run(sandbox, "def f(): return 1")).result == 1


async def test_the_user_folder_of_others_is_not_seen(sandbox: Sandbox) -> None:
    """Two workers of one sandbox see nothing of each other."""
    first = await sandbox.worker()
    try:
        code = "import os\ndef f():\n    open('/tmp/left.txt', 'w').write('x')\n    return os.listdir('/tmp')\n"
        assert (await run(sandbox, code)).result == ["left.txt"]
        assert (await run(sandbox, "import os\ndef f(): return os.listdir('/tmp')\n")).result == []
    finally:
        await first.end()
