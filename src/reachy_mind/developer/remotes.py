"""`RemoteAddress`: where a repository is kept, read from an address in any of the forms that git knows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from reachy_mind.developer.errors import NoRemote
from reachy_mind.developer.git_config import local_config
from reachy_mind.developer.workspace import Repository
from reachy_mind.errors import InvalidParameter

DEFAULT_REMOTE = "origin"
MAX_CHARS = 500
_PART = re.compile(r"[A-Za-z0-9_.~-]{1,100}")
_SSH = re.compile(r"(?:[\w.-]+@)?(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?!/)(?P<path>[^\s:]+)")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]{0,252})(:\d{1,5})?")
LOCAL_HOSTS = frozenset(("127.0.0.1", "localhost", "[::1]"))


@dataclass(frozen=True)
class RemoteAddress:
    """A repository at a host. `url` is what git is given; it never contains a name or password.

    `host` is empty for a folder of this machine.
    """

    host: str
    owner: str
    name: str
    url: str

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}" if self.owner else self.name

    @property
    def local(self) -> bool:
        return not self.host


async def remote_of(repository: Repository, remote: str = DEFAULT_REMOTE) -> RemoteAddress:
    """The address of a remote of a repository. Raises NoRemote, UnsafeRepository."""
    config = await local_config(repository)
    urls = config.get(f"remote.{remote}.url", ())
    if not urls:
        raise NoRemote(f"{repository.name} has no remote called {remote[:60]!r}", hint="clone it from where it is kept")
    if len(urls) > 1:
        raise NoRemote(f"{repository.name} has {len(urls)} addresses of {remote[:60]}", hint="leave one of them")
    try:
        return parse(urls[0])
    except InvalidParameter as error:
        raise NoRemote(f"the remote {remote[:60]} of {repository.name}: {error.message}", hint=error.hint) from None


def parse(address: str) -> RemoteAddress:
    """An address in one of the forms that git knows; ssh is turned into https. Raises InvalidParameter."""
    text = address.strip()
    if not text or len(text) > MAX_CHARS or not text.isprintable() or text.startswith("-") or "::" in text:
        raise InvalidParameter("this is no address of a repository", hint="such as https://github.com/OWNER/NAME")
    if text.startswith(("/", "file://")):
        return _local(text.removeprefix("file://"))
    if "://" not in text:
        if found := _SSH.fullmatch(text):
            return _hosted("https", found["host"], found["path"])
        raise InvalidParameter("this is no address of a repository", hint="such as https://github.com/OWNER/NAME")
    parts = urlsplit(text)
    if parts.scheme not in ("https", "http", "ssh") or parts.query or parts.fragment:
        raise InvalidParameter(f"{parts.scheme}:// is no way to a repository here", hint="https://HOST/OWNER/NAME")
    host = parts.netloc.rpartition("@")[2]  # a name and password in it are neither kept nor sent
    if parts.scheme == "ssh":
        host = host.partition(":")[0]
    if parts.scheme == "http" and host.partition(":")[0] not in LOCAL_HOSTS:
        raise InvalidParameter("http:// can be read by anybody on the way", hint="https://HOST/OWNER/NAME")
    return _hosted("http" if parts.scheme == "http" else "https", host, parts.path)


def _hosted(scheme: str, host: str, path: str) -> RemoteAddress:
    host = host.casefold()
    parts = path.strip("/").removesuffix(".git").split("/")
    fits = len(parts) >= 2 and all(_PART.fullmatch(part) and part.strip(".") for part in parts)
    if not _HOST.fullmatch(host) or not fits or parts[0].startswith("-") or parts[-1].startswith("-"):
        raise InvalidParameter("this is no address of a repository", hint="such as https://github.com/OWNER/NAME")
    owner, name = "/".join(parts[:-1]), parts[-1]
    return RemoteAddress(host, owner, name, f"{scheme}://{host}/{owner}/{name}.git")


def _local(path: str) -> RemoteAddress:
    name = path.rstrip("/").rpartition("/")[2].removesuffix(".git")
    if not name.strip(".") or ".." in path.split("/"):
        raise InvalidParameter("this is no folder of a repository", hint="an absolute path")
    return RemoteAddress("", "", name, path)
