"""Secrets that a variable names by file, as containers and systemd hand them over: `..._FILE=/run/secrets/NAME`."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from pydantic import SecretStr

from reachy_mind.config.keys import FIELDS
from reachy_mind.errors import ConfigError
from reachy_mind.system.private_files import others_may

MAX_BYTES = 64 << 10
SUFFIX = "_FILE"


def is_secret(key: str) -> bool:
    """Whether the value of a setting must not be shown."""
    return SecretStr in (get_args(FIELDS[key].annotation) or (FIELDS[key].annotation,))


def file_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables that name a file, with the key each sets. `variables`: those that hold a value, with theirs.

    One that is a setting of its own (`fleet.key_file`) stays that.
    """
    found = {f"{name}{SUFFIX}": key for name, key in variables.items() if is_secret(key)}
    return {name: key for name, key in found.items() if name not in variables}


def read_secret_file(path: Path, variable: str) -> str:
    """The text of the file, without its last line end. Whoever it belongs to: in a container that is another user.

    Raises ConfigError when it can't be read, or when others than its owner may write it.
    """
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode) or about.st_size > MAX_BYTES:
            raise ConfigError(f"{variable}: {path} is no small file", hint="it holds nothing but the secret")
        if others_may(about, stat.S_IWGRP | stat.S_IWOTH):
            raise ConfigError(f"{variable}: {path} can be written by others", hint=f"chmod go-w {path}")
        return path.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{variable}: {path} can't be read: {error}", hint="may this user read it?") from error
