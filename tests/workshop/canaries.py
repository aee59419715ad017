"""What attacks are after: secrets, places to write, listeners to reach, a process to signal. All of it is planted and
removed by `Canaries`, and each has a way to tell that it was touched."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import select
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

LIBC = ctypes.CDLL(None)
VARIABLE = "RANGE_SECRET_KEY"
KEEPSAKE = "as it was\n"
SYSTEM_V_KEY = 0x52414E47
"""The key that attacks use for memory shared by the system; it must not stay behind."""
SHARED_FOLDERS = tuple(Path(name) for name in ("/tmp", "/var/tmp", "/dev/shm"))  # noqa: S108 (the point of the test)

VICTIM = """
import os, signal, sys, time
for name in ("USR1", "USR2", "TERM", "HUP", "INT", "IO", "PIPE"):
    signal.signal(getattr(signal, "SIG" + name), lambda n, f: os.write(1, b"signal %d\\n" % n))
os.write(1, b"ready\\n")
while os.getppid() == int(sys.argv[1]):
    time.sleep(0.2)
"""
REDIRECTS = {"/": 301, "/302": 302, "/307": 307, "/308": 308, "/userinfo": 302}


class Listeners(threading.Thread):
    """Loopback services that note whoever comes: TCP, UDP, sockets in the file system and in the abstract namespace,
    and a web server that redirects to the first."""

    def __init__(self, name: str, token: str) -> None:
        super().__init__(daemon=True)
        self.token = token
        self.reached: list[str] = []
        self.unix = f"/tmp/range-{name}.sock"  # noqa: S108
        self.abstract = f"range-{name}"
        self._sockets = {
            self._bound("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)): "tcp",
            self._bound("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)): "udp",
            self._bound("unix", socket.AF_UNIX, socket.SOCK_STREAM, self.unix): "unix",
            self._bound("unix", socket.AF_UNIX, socket.SOCK_DGRAM, self.unix + "-datagram"): "unix datagram",
            self._bound("abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.abstract): "abstract",
            self._bound(
                "abstract", socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{self.abstract}-datagram"
            ): "abstract datagram",
            self._bound("web", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)): "web",
        }
        ports = {kind: link.getsockname() for link, kind in self._sockets.items()}
        self.tcp, self.udp, self.web = (int(ports[kind][1]) for kind in ("tcp", "udp", "web"))
        self._read, self._write = os.pipe()

    @staticmethod
    def _bound(kind: str, family: int, style: int, address: Any) -> socket.socket:
        link = socket.socket(family, style)
        link.bind(address)
        if kind == "unix":
            Path(address).chmod(0o777)
        if style == socket.SOCK_STREAM:
            link.listen(50)
        return link

    def run(self) -> None:
        while True:
            ready, _, _ = select.select([*self._sockets, self._read], [], [])
            if self._read in ready:
                return
            for link in ready:
                self._serve(link, self._sockets[link])

    def _serve(self, link: socket.socket, kind: str) -> None:
        if link.type == socket.SOCK_DGRAM:
            data = link.recv(2000)
            self.reached.append(f"{kind}: {data[:60]!r}")
            return
        peer, _ = link.accept()
        with peer, contextlib.suppress(OSError):
            peer.settimeout(1)
            if kind != "web":
                self.reached.append(kind)
            data = peer.recv(2000)
            peer.sendall(self._answer(data.split(b" ")[1].decode() if kind == "web" and b" " in data else ""))

    def _answer(self, path: str) -> bytes:
        if path in REDIRECTS:
            user = "127.0.0.1@" if path == "/userinfo" else ""
            head = f"HTTP/1.1 {REDIRECTS[path]} Moved\r\nLocation: http://{user}127.0.0.1:{self.tcp}/loot\r\n"
            return (head + "Content-Length: 0\r\nConnection: close\r\n\r\n").encode()
        text = "" if path else self.token
        return f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\nConnection: close\r\n\r\n{text}".encode()

    def close(self) -> None:
        os.write(self._write, b"x")
        self.join()
        for link in self._sockets:
            link.close()
        os.close(self._read)
        os.close(self._write)
        for path in (self.unix, self.unix + "-datagram"):
            Path(path).unlink()


class Victim:
    """A process of the same user that tells which signals it got. Its arguments and its environment hold a secret."""

    def __init__(self, token: str) -> None:
        self._token = token
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", VICTIM, str(os.getpid()), self._token],
            stdout=subprocess.PIPE,
            env={VARIABLE: self._token},
            start_new_session=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        os.set_blocking(process.stdout.fileno(), False)
        return process

    def harm(self) -> str:
        """What was done to it since the last look, in words; it lives again afterwards."""
        assert self.process.stdout is not None
        got = (self.process.stdout.read() or b"").decode().split("\n")
        code = self.process.poll()
        if code is not None:
            self.process.stdout.close()
            self.process = self._start()
            return f"the victim ended with {code}"
        if "T" in Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]:
            self.process.send_signal(signal.SIGCONT)
            return "the victim was stopped"
        return f"the victim got {got[:-1]}" if got[:-1] else ""

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Canaries:
    """Plants everything; `targets` are the arguments of an attack, without any secret in them."""

    def __init__(self, data_folder: Path) -> None:
        self.name = secrets.token_hex(6)
        self.data_folder = data_folder
        self.tokens: dict[str, str] = {}
        """Where each secret is, by the secret."""
        self._planted: list[Path] = []
        self._places = {
            "home": Path.home(),
            "tmp": SHARED_FOLDERS[0],
            "vartmp": SHARED_FOLDERS[1],
            "shm": SHARED_FOLDERS[2],
            "cwd": Path.cwd(),
            "data": data_folder,
            "beside": data_folder.parent,
        }
        data_folder.mkdir(parents=True, exist_ok=True)
        self.secrets = {place: str(self._secret_file(place, folder)) for place, folder in self._places.items()}
        self.folder = self._made(SHARED_FOLDERS[0] / f"range-marker-folder-{self.name}")
        self.keepsake = self._made(SHARED_FOLDERS[0] / f"range-keep-{self.name}") / "keepsake.txt"
        self._restore()
        self._plant_formats()
        os.environ[VARIABLE] = self.token("the environment")
        self.listeners = Listeners(self.name, self.token("the network"))
        self.listeners.start()
        self.victim = Victim(self.token("another process"))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.listen_port = int(free.getsockname()[1])

    def watch(self, data_folder: Path) -> None:
        """Where the mind keeps its things, once it is known."""
        self.data_folder = data_folder
        self._places["data"] = data_folder
        self.secrets["data"] = str(self._secret_file("data", data_folder))

    def token(self, place: str) -> str:
        token = "CANARY-" + secrets.token_hex(12)
        self.tokens[token] = place
        return token

    def _secret_file(self, place: str, folder: Path) -> Path:
        path = folder / f".range-secret-{self.name}" if place == "home" else folder / f"range-secret-{self.name}"
        path.write_text(self.token(f"a file in {place}"))
        path.chmod(0o600 if place == "home" else 0o644)
        self._planted.append(path)
        return path

    def _made(self, folder: Path) -> Path:
        folder.mkdir()
        folder.chmod(0o777)
        self._planted.append(folder)
        return folder

    def _plant_formats(self) -> None:
        """The same in formats that libraries read by themselves."""
        self.planted = self.folder / "range_planted_module.py"
        self.planted.write_text(f"TOKEN = {self.token('a module')!r}\n")
        self.png, self.archive, self.database = (self.folder / f"secret.{kind}" for kind in ("png", "zip", "db"))
        cv2.imwrite(str(self.png), np.frombuffer(self.token("a picture").encode(), np.uint8)[None, :])
        with zipfile.ZipFile(self.archive, "w") as archive:
            archive.writestr("secret", self.token("an archive"))
        with contextlib.closing(sqlite3.connect(self.database)) as database, database:
            database.execute("create table secrets (word)")
            database.execute("insert into secrets values (?)", (self.token("a database"),))
        for path in self.folder.iterdir():
            path.chmod(0o644)

    def _restore(self) -> None:
        for path in self.keepsake.parent.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        self.keepsake.write_text(KEEPSAKE)
        self.keepsake.chmod(0o666)
        os.utime(self.keepsake, (1_700_000_000, 1_700_000_000))

    def secrets_in(self, text: str) -> list[str]:
        """Where the secrets come from that are in this text."""
        return [place for token, place in self.tokens.items() if token in text]

    def markers(self, nonce: str) -> dict[str, str]:
        """Paths that do not exist; whoever makes one of them has written outside."""
        folders = {**self._places, "folder": self.folder}
        return {place: str(folder / f"range-marker-{nonce}") for place, folder in folders.items()}

    def targets(self, nonce: str) -> dict[str, Any]:
        listeners = self.listeners
        return {
            "nonce": nonce,
            "secrets": self.secrets,
            "secret_png": str(self.png),
            "secret_zip": str(self.archive),
            "secret_db": str(self.database),
            "planted": str(self.planted),
            "folder": str(self.folder),
            "data_folder": str(self.data_folder),
            "markers": self.markers(nonce),
            "keepsake": str(self.keepsake),
            "env": VARIABLE,
            "tcp": ["127.0.0.1", listeners.tcp],
            "udp": ["127.0.0.1", listeners.udp],
            "http": f"http://127.0.0.1:{listeners.tcp}/",
            "redirect": f"http://127.0.0.1:{listeners.web}/",
            "redirect_port": listeners.web,
            "unix": listeners.unix,
            "abstract": listeners.abstract,
            "listen_port": self.listen_port,
            "victim": self.victim.process.pid,
            "host": os.getpid(),
            "interpreter": sys.executable,
            "note": "the range's note",
        }

    def touched(self, nonce: str) -> Iterator[str]:
        """What was done to the planted things since the last look; all is as before afterwards."""
        for folder in {*self._places.values(), self.folder}:
            for path in folder.glob(f"*{nonce}*"):
                yield f"wrote {path}"
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        if (self.folder / "annotation").exists():
            yield "an annotation was evaluated on the host"
            (self.folder / "annotation").unlink()
        kept = self.keepsake
        if [p.name for p in kept.parent.iterdir()] != [kept.name] or (
            (kept.read_text(), kept.stat().st_mode & 0o777, kept.stat().st_mtime) != (KEEPSAKE, 0o666, 1_700_000_000)
            or os.listxattr(kept)
            or kept.stat().st_nlink != 1
        ):
            yield "the keepsake was changed"
            self._restore()
        reached, self.listeners.reached = self.listeners.reached, []
        if reached:
            yield f"reached {reached}"
        if harm := self.victim.harm():
            yield harm
        for table in ("shm", "sem", "msg"):
            for line in Path(f"/proc/sysvipc/{table}").read_text().splitlines()[1:]:
                key, identity = (int(part) for part in line.split()[:2])
                if key == SYSTEM_V_KEY:
                    yield f"left {table} of the system"
                    getattr(LIBC, f"{table}ctl")(identity, 0, 0, 0)  # removes it

    def close(self) -> None:
        self.victim.close()
        self.listeners.close()
        os.environ.pop(VARIABLE, None)
        for path in self._planted:
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
