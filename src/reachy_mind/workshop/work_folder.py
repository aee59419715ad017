"""Private folders of workers where there is no mount namespace: on the machine's disk, watched and removed.

What is in such a folder was made by hostile code: unreadable folders, thousands of levels, names of any bytes. Nothing
here opens a file, follows a link or recurses.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
from pathlib import Path

PREFIX = "reachy-mind-sandbox-"
LOCK = "owner.lock"
SMALL_TMPFS = 64 * 1024 * 1024
MAX_LEVELS = 32
BLOCK = 512


class WorkFolders:
    """The folder that holds the private folders of one sandbox. Gone with `remove`, or by the next start of any."""

    def __init__(self, spare_uid: int | None) -> None:
        self._uid = spare_uid
        parent = _parent(reachable_by_others=spare_uid is not None)
        _remove_stale(parent)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self._lock = os.open(self.path / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        _lock(self._lock)
        self.path.chmod(0o711)

    def new(self) -> WorkFolder:
        """Make a folder that only the worker, and root, can enter."""
        path = self.path / secrets.token_hex(4)
        path.mkdir(mode=0o700)
        if self._uid is not None:
            os.chown(path, self._uid, self._uid)
        return WorkFolder(path)

    @property
    def shared(self) -> Path:
        """What every worker can read and none can change."""
        return self.path / "shared"

    def readable(self, folder: str) -> str:
        """Return a folder with the files of this one that a worker can read: a copy where it can't read this one."""
        source = Path(folder)
        if not source.is_dir() or self._uid is None or _open_to_all(source):
            return folder
        copy = self.shared / source.name
        if not copy.exists():
            self.shared.mkdir(mode=0o755, exist_ok=True)
            shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.py*", "__pycache__"))
        return str(copy)

    def remove(self) -> None:
        remove_tree(self.path)
        os.close(self._lock)


class WorkFolder:
    """One private folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def usage(self, pid: int, most_files: int) -> tuple[int, int]:
        """Return the bytes and the files of a worker, also of files that it removed and still has open.

        The worker has to stand still meanwhile: it could move files away from where they are counted next.
        Counting stops above `most_files`; too many levels of folders count as too many files.
        """
        files, size = 0, 0
        stack = [_listed(self.path)]
        try:
            while stack:
                folder, names = stack[-1]
                if not names:
                    os.close(stack.pop()[0])
                    continue
                name = names.pop()
                files += 1
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # a last call of it was under way
                    status = os.stat(name, dir_fd=folder, follow_symlinks=False)
                    size += status.st_blocks * BLOCK
                    if files > most_files or len(stack) > MAX_LEVELS:
                        return size, most_files + 1
                    if stat.S_ISDIR(status.st_mode):
                        stack.append(_listed(name, folder))
        finally:
            for folder, _ in stack:
                os.close(folder)
        return size + _removed_but_open(pid), files

    def remove(self) -> None:
        remove_tree(self.path)


def remove_tree(path: Path) -> None:
    """Remove a folder and what is in it, at any depth: folders within folders are moved up and emptied one by one."""
    try:
        top = _opened_folder(path)
    except FileNotFoundError:
        return
    try:
        while folders := _without_files(top):
            for name in folders:
                inner = _opened_folder(name, top)
                try:
                    for deeper in _without_files(inner):
                        os.rename(deeper, secrets.token_hex(8), src_dir_fd=inner, dst_dir_fd=top)
                finally:
                    os.close(inner)
                os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    path.rmdir()


def _without_files(folder: int) -> list[str]:
    """Remove everything in a folder but its folders. Return the names of those."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
            else:
                os.unlink(entry.name, dir_fd=folder)
    return folders


def _opened_folder(name: str | Path, within: int | None = None) -> int:
    """Open a folder that may be one that its owner can't read."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    status = os.stat(name, dir_fd=within, follow_symlinks=False)
    if stat.S_IMODE(status.st_mode) & 0o700 != 0o700:
        os.chmod(name, 0o700, dir_fd=within)
    return os.open(name, flags, dir_fd=within)


def _listed(name: str | Path, within: int | None = None) -> tuple[int, list[str]]:
    """Open a folder and list it. The caller closes it."""
    folder = _opened_folder(name, within)
    try:
        return folder, os.listdir(folder)  # noqa: PTH208  (a descriptor)
    except OSError:
        os.close(folder)
        raise


def _removed_but_open(pid: int) -> int:
    """Return the bytes of the removed files among the descriptors, which all threads of a worker share."""
    with contextlib.suppress(OSError), os.scandir(f"/proc/{pid}/task") as threads:
        for thread in threads:
            if found := _open_files(f"{thread.path}/fd"):  # a thread that has ended has none
                return sum(status.st_blocks * BLOCK for status in found.values() if status.st_nlink == 0)
    return 0


def _open_files(descriptors: str) -> dict[tuple[int, int], os.stat_result]:
    """Return what a thread has open, each once."""
    found = {}
    with contextlib.suppress(OSError), os.scandir(descriptors) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                status = os.stat(entry.path)  # noqa: PTH116
                found[(status.st_dev, status.st_ino)] = status
    return found


def _parent(*, reachable_by_others: bool) -> Path:
    """Return where private folders are made: a small memory file system where there is one, else the temp folder."""
    candidates = [Path("/dev/shm"), Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp")]  # noqa: S108
    if not _is_small(candidates[0]):
        del candidates[0]
    for candidate in candidates:
        real = candidate.resolve()
        if os.access(real, os.W_OK | os.X_OK) and (not reachable_by_others or _open_to_all(real)):
            return real
    raise OSError("there is no temp folder that another user can enter")


def _open_to_all(folder: Path) -> bool:
    """Whether every user can enter a folder."""
    real = folder.resolve()
    return all(one.stat().st_mode & 0o001 for one in (real, *real.parents))


def _is_small(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        status = os.statvfs(folder)
        return (
            0 < status.f_blocks * status.f_frsize <= SMALL_TMPFS and shutil.disk_usage(folder).free > SMALL_TMPFS // 4
        )
    return False


def _remove_stale(parent: Path) -> None:
    """Remove the folders of programs of this user that ended without doing so."""
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # another start removes it, or it is not ours
            status = folder.lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                _lock(lock, wait=False)
                remove_tree(folder)
            finally:
                os.close(lock)


def _lock(descriptor: int, *, wait: bool = True) -> None:
    """Raises BlockingIOError when another process has it and this one does not wait."""
    import fcntl  # noqa: PLC0415 -- not on Windows, where the rest of the program imports this module too

    fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
