"""`GitRunner`: the one way to run git.

git is run by its arguments, never through a shell; without hooks, prompts, editor, pager or helpers; with an
environment and a home of our own; within a time and an amount of output; and with everything off that the repository's
own configuration could make it run (`git_config`). A token is passed in the environment, for its own host alone, and
appears in no argument, address or message.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from reachy_mind.brains.word_lists import spaced
from reachy_mind.config.developer_settings import DeveloperSettings
from reachy_mind.developer import git_config
from reachy_mind.developer.errors import UnsafeRepository
from reachy_mind.developer.git_failures import failure
from reachy_mind.developer.remotes import LOCAL_HOSTS, RemoteAddress
from reachy_mind.developer.workspace import Repository
from reachy_mind.errors import TimedOut
from reachy_mind.storage.files import make_folder
from reachy_mind.system.process_group import end_group, own_group

TIMEOUT_S = 30.0
REMOTE_TIMEOUT_S = 1800.0
MAX_OUTPUT_BYTES = 16 << 20
MAX_ERROR_BYTES = 64 << 10
GRACE_S = 2.0
"""How long git may take to clean up behind itself when it is told to end."""
PASSED_ON = spaced(
    """
    HTTPS_PROXY HTTP_PROXY ALL_PROXY NO_PROXY https_proxy http_proxy all_proxy no_proxy
    SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE TZ TMPDIR
    """
)
"""The variables of ours that git sees, besides those set here."""
_SECRET = re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{10,}|github_pat_[A-Za-z0-9_]{10,})|(?<=://)[^/@\s]+@", re.ASCII)
_PROGRESS = re.compile(
    rb"(Receiving objects|Resolving deltas|Writing objects|Updating files|Rebasing)\D+(\d+)(%|/(\d+))"
)
_STAGES: Mapping[bytes, tuple[float, float]] = {
    b"Receiving objects": (0.0, 0.7),
    b"Writing objects": (0.0, 0.9),
    b"Resolving deltas": (0.7, 0.9),
    b"Updating files": (0.9, 1.0),
    b"Rebasing": (0.0, 1.0),
}
_GITLINK = b"\x00\x00\xe0\x00"
"""The mode of a submodule, as the index stores it."""

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class CommitAuthor:
    """Whose commits they are."""

    name: str
    email: str

    @property
    def variables(self) -> dict[str, str]:
        both = {"NAME": self.name, "EMAIL": self.email}
        return {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in both.items()}


@dataclass(frozen=True)
class GitResult:
    """What git wrote. `cut`: there was more than was read."""

    code: int
    output: bytes
    cut: bool = False

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "surrogateescape")

    @property
    def entries(self) -> list[str]:
        """The parts of output that is separated by NUL."""
        return [entry for entry in self.text.split("\0") if entry]


@dataclass(frozen=True)
class _Finished:
    code: int
    output: bytes
    errors: bytes
    cut: bool


class GitRunner:
    """Runs git for one user. `folder`: its home, with nothing in it but an empty folder of hooks."""

    def __init__(self, folder: Path, settings: DeveloperSettings) -> None:
        self._folder, self._hooks = folder, folder / "no-hooks"
        self._token = settings.github_token.get_secret_value() if settings.github_token else ""
        self.token_host = host_of(settings.github_url)
        self._local_remotes = settings.local_remotes
        self._configurations: dict[Path, tuple[object, git_config.Config]] = {}
        self._nested: dict[Path, object] = {}

    @property
    def has_token(self) -> bool:
        return bool(self._token)

    async def run(
        self,
        repository: Repository,
        *arguments: str,
        stdin: bytes = b"",
        accept: Sequence[int] = (0,),
        scans: bool = False,
        may_cut: bool = False,
        max_bytes: int = MAX_OUTPUT_BYTES,
        timeout_s: float = TIMEOUT_S,
        variables: Mapping[str, str] | None = None,
        remote: RemoteAddress | None = None,
        progress: Progress | None = None,
    ) -> GitResult:
        """Run git in a repository. `scans`: it looks through the working tree; `may_cut`: longer output is cut, else an
        error; `remote`: the one that it may reach.

        Raises UnsafeRepository, TimedOut and GitFailed, or one of its kinds.
        """
        config = await self.configuration(repository)
        if scans:
            await self._require_no_nested(repository)
        given = {"GIT_DIR": str(repository.git_folder), "GIT_WORK_TREE": str(repository.path), **(variables or {})}
        environment = self._environment(git_config.neutralising(config), given, remote)
        finished = await self._execute(
            arguments, repository.path, environment, stdin, max_bytes, timeout_s, progress, may_cut=may_cut
        )
        return self._result(arguments, finished, accept, may_cut=may_cut)

    async def run_outside(
        self,
        folder: Path,
        *arguments: str,
        timeout_s: float = REMOTE_TIMEOUT_S,
        remote: RemoteAddress | None = None,
        progress: Progress | None = None,
    ) -> GitResult:
        """Run git where there is no repository: to clone one. Raises as `run`."""
        environment = self._environment(dict(git_config.OVERRIDDEN), {"GIT_CEILING_DIRECTORIES": str(folder)}, remote)
        finished = await self._execute(
            arguments, folder, environment, b"", MAX_OUTPUT_BYTES, timeout_s, progress, may_cut=False
        )
        return self._result(arguments, finished, (0,), may_cut=False)

    async def configuration(self, repository: Repository) -> git_config.Config:
        """What the repository's own configuration says. Raises UnsafeRepository."""
        await asyncio.to_thread(git_config.require_whole, repository)
        state = tuple(_state(repository.git_folder / name) for name in ("config", "config.worktree"))
        known = self._configurations.get(repository.path)
        if known is None or known[0] != state:
            known = state, await git_config.local_config(repository)
            self._configurations[repository.path] = known
        return known[1]

    def redacted(self, text: str) -> str:
        """A text without the token, and without names and passwords in addresses."""
        for secret in (self._token, self._basic.rpartition(" ")[2] if self._token else ""):
            text = text.replace(secret, "***") if secret else text
        return _SECRET.sub("***", text)

    @property
    def _basic(self) -> str:
        return f"AUTHORIZATION: basic {base64.b64encode(f'x-access-token:{self._token}'.encode()).decode()}"

    async def _require_no_nested(self, repository: Repository) -> None:
        """git asks an initialised submodule for its state by running git in it, with the submodule's own configuration.

        Raises UnsafeRepository when there is one.
        """
        state = _state(repository.git_folder / "index")
        if self._nested.get(repository.path) == state or not await asyncio.to_thread(_has_links, repository):
            self._nested[repository.path] = state
            return
        listed = await self.run(repository, "ls-files", "--stage", "-z", max_bytes=256 << 20)
        for entry in listed.entries:
            about, _, name = entry.partition("\t")
            if about.startswith("160000 ") and _has_git_folder(repository.path / name):
                raise UnsafeRepository(
                    f"{repository.name} has the submodule {name[:80]!r}, with a git folder of its own",
                    hint="submodules are not used here; remove its folder, or clone it by itself",
                )

    def _environment(
        self, config: Mapping[str, str], given: Mapping[str, str], remote: RemoteAddress | None
    ) -> dict[str, str]:
        make_folder(self._hooks)
        keys = [*(dict(config) | {"core.hookspath": str(self._hooks), "credential.helper": ""}).items()]
        protocols = "none"
        if remote is not None:
            protocols = self._protocol(remote)
            if self._token and remote.host == self.token_host and protocols != "file":
                keys.append((f"http.{protocols}://{remote.host}/.extraheader", self._basic))
        numbered = {f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in enumerate(keys)}
        numbered |= {f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(keys)}
        return {
            **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
            "PATH": git_config.search_path(),
            "HOME": str(self._folder),
            "XDG_CONFIG_HOME": str(self._folder),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CONFIG_COUNT": str(len(keys)),
            **numbered,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "",
            "SSH_ASKPASS": "",
            "GIT_EDITOR": "false",
            "GIT_SEQUENCE_EDITOR": "true",  # a list of commits is taken as it is
            "GIT_PAGER": "cat",
            "GIT_SSH_COMMAND": "false",
            "GIT_ALLOW_PROTOCOL": protocols,
            "GIT_PROTOCOL_FROM_USER": "0",
            "GIT_LITERAL_PATHSPECS": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_MERGE_AUTOEDIT": "no",
            **given,
        }

    def _protocol(self, remote: RemoteAddress) -> str:
        """How a remote is reached. Raises UnsafeRepository for a way that is not open."""
        if remote.local:
            if not self._local_remotes:
                raise UnsafeRepository(
                    "its remote is a folder of this machine, which is not used",
                    hint="developer.local_remotes: true allows that",
                )
            return "file"
        scheme = urlsplit(remote.url).scheme
        if scheme == "https" or (scheme == "http" and remote.host.partition(":")[0] in LOCAL_HOSTS):
            return scheme
        raise UnsafeRepository(f"{scheme}:// is no way to a repository here", hint="https://HOST/OWNER/NAME")

    async def _execute(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        stdin: bytes,
        max_bytes: int,
        timeout_s: float,
        progress: Progress | None,
        *,
        may_cut: bool,
    ) -> _Finished:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *(git_config.git_program(), "--no-pager", *arguments),
            cwd=folder,
            env=dict(environment),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            **own_group(),
        )
        try:
            async with asyncio.timeout(timeout_s):
                (output, cut), errors, _ = await asyncio.gather(
                    _read(process, max_bytes), _read_errors(process, progress), _write(process, stdin)
                )
                if cut and may_cut:
                    await _end(process)
                return _Finished(await process.wait(), output, errors, cut)
        except TimeoutError:
            raise TimedOut(
                f"git {arguments[0]} took longer than {timeout_s:g} s",
                hint="try again, in the background if it is large",
            ) from None
        finally:
            await asyncio.shield(_end(process))

    def _result(
        self, arguments: Sequence[str], finished: _Finished, accept: Sequence[int], *, may_cut: bool
    ) -> GitResult:
        if finished.cut and not may_cut:
            raise failure(arguments[0], "its output is too large")
        if finished.code not in accept and not finished.cut:
            told = finished.errors + b"\n" + finished.output[:MAX_ERROR_BYTES]  # a push tells on its output
            raise failure(arguments[0], self.redacted(told.decode("utf-8", "replace")))
        return GitResult(finished.code, finished.output, finished.cut)


def host_of(api: str) -> str:
    """The host of repositories for an address of GitHub's API."""
    host = urlsplit(api).netloc.casefold()
    return "github.com" if host == "api.github.com" else host


async def _read(process: asyncio.subprocess.Process, max_bytes: int) -> tuple[bytes, bool]:
    assert process.stdout is not None
    kept = bytearray()
    while chunk := await process.stdout.read(1 << 16):
        kept += chunk
        if len(kept) > max_bytes:
            end_group(process.pid, force=True)
            return bytes(kept[:max_bytes]), True
    return bytes(kept), False


async def _read_errors(process: asyncio.subprocess.Process, progress: Progress | None) -> bytes:
    """What git says, without its counting; the end of it where it is long."""
    assert process.stderr is not None
    kept = bytearray()
    while chunk := await process.stderr.read(1 << 14):
        if progress is not None and (found := [*_PROGRESS.finditer(chunk)]):
            _report(found[-1], progress)
        kept += chunk
        del kept[:-MAX_ERROR_BYTES]
    return b"\n".join(line.rpartition(b"\r")[2] for line in bytes(kept).replace(b"\r\n", b"\n").split(b"\n"))


def _report(found: re.Match[bytes], progress: Progress) -> None:
    begin, end = _STAGES[found[1]]
    share = int(found[2]) / max(int(found[4]) if found[4] else 100, 1)
    progress(begin + (end - begin) * min(share, 1.0), f"{found[1].decode().lower()}: {min(share, 1.0):.0%}")


async def _write(process: asyncio.subprocess.Process, stdin: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it ended without reading
        process.stdin.write(stdin)
        await process.stdin.drain()
    process.stdin.close()


async def _end(process: asyncio.subprocess.Process) -> None:
    """End git and all that it started, and wait for it."""
    if process.returncode is None:
        end_group(process.pid)  # it removes its lock files
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE_S)
    end_group(process.pid, force=True)
    await process.wait()


def _state(file: Path) -> object:
    try:
        found = file.lstat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _has_git_folder(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")


def _has_links(repository: Repository) -> bool:
    """Whether the index may list a submodule: the bytes of its mode are somewhere in it."""
    git = repository.git_folder
    for file in (git / "index", *git.glob("sharedindex.*")):
        with contextlib.suppress(FileNotFoundError):
            if _GITLINK in file.read_bytes():
                return True
    return False
