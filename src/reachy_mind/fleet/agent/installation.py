"""The systemd units of the device agent: it starts with the machine, is watched, and an update that fails is undone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reachy_mind.errors import InvalidParameter
from reachy_mind.storage.files import write_text_atomically

UNIT: Final = "reachy-mind-device.service"
ROLLBACK: Final = "reachy-mind-device-rollback.service"
USER: Final = re.compile(r"[a-z_][a-z0-9_-]{0,31}")


@dataclass(frozen=True)
class ServiceInstall:
    """`python`: the one of the environment that has the program. `home`: the data folder."""

    python: Path
    user: str
    home: Path
    config: Path | None = None
    watchdog_s: int = 30
    update_command: Sequence[str] = ()
    writable: Sequence[Path] = ()

    def units(self) -> dict[str, str]:
        """The texts of the units by their file name. Raises InvalidParameter for a user that can't be one."""
        if not USER.fullmatch(self.user):
            raise InvalidParameter(f"{self.user!r} is no user", hint="--user pi")
        found = {UNIT: self._service()}
        if self.update_command:
            found[ROLLBACK] = self._rollback()
        return found

    def _service(self) -> str:
        options = ["device", "run"] + (["--config", str(self.config)] if self.config is not None else [])
        failure = [f"OnFailure={ROLLBACK}"] if self.update_command else []
        return _unit(
            Unit=[
                "Description=Reachy Mind device agent",
                "After=network-online.target sound.target",
                "Wants=network-online.target",
                "StartLimitIntervalSec=600",
                "StartLimitBurst=8",
                *failure,
            ],
            Service=[
                "Type=notify",
                "NotifyAccess=main",
                f"ExecStart={_words([str(self.python), '-m', 'reachy_mind', *options])}",
                f"User={self.user}",
                "SupplementaryGroups=gpio spi audio",
                f"Environment={_words([f'REACHY_MIND_HOME={self.home}'])}",
                f"WatchdogSec={self.watchdog_s}",
                "TimeoutStartSec=120",
                "TimeoutStopSec=20",
                "Restart=always",
                "RestartSec=2",
                "NoNewPrivileges=yes",
                f"ProtectSystem={'full' if self.update_command else 'strict'}",
                "ProtectKernelTunables=yes",
                "ProtectControlGroups=yes",
                "PrivateTmp=yes",
                f"ReadWritePaths={_words([str(self.home), *map(str, self.writable)])}",
            ],
            Install=["WantedBy=multi-user.target"],
        )

    def _rollback(self) -> str:
        return _unit(
            Unit=["Description=Takes back the last update of the Reachy Mind device agent"],
            Service=["Type=oneshot", f"ExecStart={_words([*self.update_command, 'rollback'])}", f"User={self.user}"],
        )


def write_units(install: ServiceInstall, folder: Path) -> list[Path]:
    """Write them; the files. Raises ConfigError, InvalidParameter."""
    written = []
    for name, text in install.units().items():
        write_text_atomically(folder / name, text, mode=0o644)
        written.append(folder / name)
    return written


def _unit(**sections: list[str]) -> str:
    return "\n".join(f"[{name}]\n" + "\n".join(lines) + "\n" for name, lines in sections.items())


def _words(words: Sequence[str]) -> str:
    """As systemd reads them: quoted, with its specifiers and variables escaped. Raises InvalidParameter."""
    for word in words:
        if not word.isprintable():
            raise InvalidParameter(f"{word!r} can't be in a unit")
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$") for word in words)
    return " ".join(f'"{word}"' for word in escaped)
