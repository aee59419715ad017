"""Who may read and write a file: owner and mode on a POSIX system, access control lists on Windows.

Python tells nothing about those lists, and `chmod` does not change them. There, a folder of ours is given to its user
alone when it is made, all in it inherits that, and nothing more is checked.
"""

from __future__ import annotations

import getpass
import os
import subprocess
from pathlib import Path

MODES = hasattr(os, "geteuid")
"""Whether files have an owner and a mode that say who may do what."""
_TIMEOUT_S = 10.0


def belongs_to_another(about: os.stat_result) -> bool:
    """Whether neither this user nor the administrator of the machine owns the file."""
    return hasattr(os, "geteuid") and about.st_uid not in (os.geteuid(), 0)


def user_id() -> int:
    """The number of this user; 0 where users have none."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def others_may(about: os.stat_result, bits: int) -> int:
    """Those of the mode bits that are set; none where modes mean nothing."""
    return about.st_mode & bits if MODES else 0


def restrict_command(folder: Path, user: str) -> list[str]:
    """The program of Windows that gives a folder, and all that will be in it, to one user alone."""
    return ["icacls", str(folder), "/inheritance:r", "/grant:r", f"{user}:(OI)(CI)F", "/Q"]


def restrict_new_folder(folder: Path) -> None:
    """Give a new folder to this user alone, where its mode has not done so. Raises OSError when that is refused."""
    if MODES:
        return
    domain = os.environ.get("USERDOMAIN", "")
    user = f"{domain}\\{getpass.getuser()}" if domain else getpass.getuser()
    try:
        done = subprocess.run(
            restrict_command(folder, user), capture_output=True, timeout=_TIMEOUT_S, check=False, text=True
        )
    except subprocess.TimeoutExpired as error:
        raise OSError(f"{folder} can't be given to its user alone: {error}") from error
    if done.returncode:
        raise OSError(f"{folder} can't be given to its user alone: {done.stderr.strip() or done.stdout.strip()}")
