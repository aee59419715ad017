"""`LocalOperator`: how this machine's commands reach the control plane: `fleet/operator.json` in the data folder."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from reachy_mind.errors import ConfigError
from reachy_mind.storage.files import read_own_file, write_text_atomically
from reachy_mind.storage.home import Home


@dataclass(frozen=True)
class LocalOperator:
    """`authority`: the file with the certificate authority to trust; empty for the system's own ones."""

    url: str
    key: str
    authority: str = ""


def fleet_folder(home: Home) -> Path:
    """What belongs to a control plane on this machine."""
    return home.folder / "fleet"


def read(home: Home) -> LocalOperator | None:
    """None when no control plane was ever started here. Raises ConfigError for a damaged file."""
    file = fleet_folder(home) / "operator.json"
    found = read_own_file(file)
    if found is None:
        return None
    try:
        return LocalOperator(**json.loads(found[0]))
    except (ValueError, TypeError) as error:
        hint = "remove it: reachy-mind fleet serve writes it again"
        raise ConfigError(f"{file} can't be read: {error}", hint=hint) from None


def write(home: Home, local: LocalOperator) -> None:
    """Readable by this user alone. Raises ConfigError."""
    write_text_atomically(fleet_folder(home) / "operator.json", json.dumps(asdict(local), indent=1) + "\n")
