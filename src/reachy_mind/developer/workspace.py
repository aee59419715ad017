"""`Workspace`: the folders in which repositories and generated code lie, and repositories by the names people say.

A repository is a folder right in `repository_folder`, with its git folder in `.git`. A linked worktree, whose `.git` is
a file, and a folder that is a link are none: both lead elsewhere.
"""

from __future__ import annotations

import difflib
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from reachy_mind.config.developer_settings import DeveloperSettings
from reachy_mind.developer.errors import UnknownRepository, UnsafeRepository
from reachy_mind.errors import InvalidParameter

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}")
_URL = re.compile(r"^\s*url\s*=\s*(?P<url>\S+)\s*$", re.MULTILINE)
MAX_CONFIG_BYTES = 1 << 20
MOST_NAMED = 5


@dataclass(frozen=True)
class Repository:
    """A cloned repository: its name and the folder of its working tree."""

    name: str
    path: Path

    @property
    def git_folder(self) -> Path:
        return self.path / ".git"


class Workspace:
    """The folders of one user. Looking is cheap and blocks for a moment; nothing is created before it is needed."""

    def __init__(self, settings: DeveloperSettings) -> None:
        self.repository_folder = settings.repository_folder.expanduser().absolute()
        self.code_folder = settings.code_folder.expanduser().absolute()

    def repositories(self) -> list[Repository]:
        """Every cloned repository, by name."""
        if not self.repository_folder.is_dir():
            return []
        found = [Repository(entry.name, entry) for entry in self.repository_folder.iterdir() if _is_repository(entry)]
        return sorted(found, key=lambda each: each.name.casefold())

    def repository(self, name: str) -> Repository:
        """The repository of a name as people say it: `reachy_mini`, "Reachy Mini" or `pollen-robotics/reachy_mini`.

        Raises UnknownRepository with the names that are near, and UnsafeRepository.
        """
        owner, _, bare = name.strip().rpartition("/")
        there = self.repositories()
        exact = [each for each in there if each.name == bare]
        found = exact or [each for each in there if _spoken(each.name) == _spoken(bare)]
        if owner:
            found = [each for each in there if _owned(each, owner, bare)]
        if len(found) != 1:
            if not found and NAME.fullmatch(bare) and not owner:
                require_plain(self.repository_folder / bare)
            raise self._unknown(name, found, there)
        return found[0]

    def exactly(self, name: str) -> Repository:
        """The repository in the folder of just this name. Raises UnknownRepository, UnsafeRepository."""
        if NAME.fullmatch(name):
            place = self.repository_folder / name
            if _is_repository(place):
                return Repository(name, place)
            require_plain(place)
        raise self._unknown(name, (), self.repositories())

    def place_for(self, name: str) -> Path:
        """The folder of a repository that is cloned now. Raises InvalidParameter when it is taken, or no name."""
        if not NAME.fullmatch(name) or is_git_name(name):
            raise InvalidParameter(f"a repository can't be called {name[:60]!r}", hint="letters, digits, . _ and -")
        place = self.repository_folder / name
        if place.is_symlink() or place.exists():
            raise InvalidParameter(
                f"there is a folder {place} already", hint="pull it, or clone under another name with folder"
            )
        return place

    def _unknown(self, name: str, found: Iterable[Repository], there: list[Repository]) -> UnknownRepository:
        if several := [each.name for each in found]:
            return UnknownRepository(f"{name[:60]!r} may be {' or '.join(several)}", hint="say the exact name")
        names = {_spoken(each.name): each.name for each in there}
        near = difflib.get_close_matches(_spoken(name.rpartition("/")[2]), list(names), n=2, cutoff=0.5)
        if near:
            hint = f"did you mean {' or '.join(names[each] for each in near)}?"
        elif there:
            hint = f"there are: {', '.join(each.name for each in there[:MOST_NAMED])}"
        else:
            hint = "none has been cloned yet: github_clone"
        return UnknownRepository(f"no repository called {name[:60]!r} is cloned here", hint=hint)


def require_plain(folder: Path) -> None:
    """Raises UnsafeRepository for a repository whose folder or git folder leads elsewhere."""
    if folder.is_symlink():
        raise UnsafeRepository(f"{folder} is a link to another folder", hint="copy the repository itself there")
    git = folder / ".git"
    if git.is_symlink() or git.is_file():
        raise UnsafeRepository(
            f"{git} leads to another folder", hint="a linked worktree or submodule can't be used: clone it instead"
        )


def is_git_name(name: str) -> bool:
    """Whether a file name is the git folder's, in any spelling that some file system takes for it."""
    plain = "".join(sign for sign in name if sign.isprintable() and sign not in _IGNORED)
    plain = plain.split(":")[0].rstrip(" .").casefold()
    return plain in (".git", "git~1")


_IGNORED = frozenset(map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF, 0xAD)))
"""Characters that HFS+ leaves out when it compares names."""


def _is_repository(entry: Path) -> bool:
    try:
        folder, git = entry.lstat().st_mode, (entry / ".git").lstat().st_mode
    except OSError:
        return False
    return stat.S_ISDIR(folder) and stat.S_ISDIR(git) and NAME.fullmatch(entry.name) is not None


def _spoken(name: str) -> str:
    return re.sub(r"[\s._-]+", "", name).casefold()


def _owned(repository: Repository, owner: str, bare: str) -> bool:
    """Whether a remote of a repository is `owner/bare`: only to choose among folders."""
    try:
        with (repository.git_folder / "config").open("rb") as file:
            text = file.read(MAX_CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        return False
    wanted = f"{owner}/{bare}".casefold()
    urls = [found["url"].removesuffix("/").removesuffix(".git").casefold() for found in _URL.finditer(text)]
    return any(re.search(rf"[/:]{re.escape(wanted)}$", url) for url in urls)
