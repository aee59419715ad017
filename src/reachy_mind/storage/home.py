"""`Home`: the data folder (`$REACHY_MIND_HOME`) and the paths in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True)
class Home:
    """The data folder; nothing is written anywhere else but backups."""

    folder: Path

    @classmethod
    def find(cls, environ: Mapping[str, str] = os.environ) -> Home:
        chosen = environ.get("REACHY_MIND_HOME")
        return cls(Path(chosen).expanduser().absolute() if chosen else platformdirs.user_data_path("reachy-mind"))

    @property
    def config_file(self) -> Path:
        return self.folder / "config.yaml"

    @property
    def run_folder(self) -> Path:
        """Pid, port, token and lock of the mind that owns this folder. Only the user may read it."""
        return self.folder / "run"

    @property
    def models_folder(self) -> Path:
        return self.folder / "models"

    @property
    def permissions_file(self) -> Path:
        return self.folder / "permissions.yaml"

    @property
    def tokens_file(self) -> Path:
        return self.folder / "tokens.json"

    @property
    def agents_file(self) -> Path:
        """Changes to the agents of the brain `agents`."""
        return self.folder / "agents.yaml"

    @property
    def spending_file(self) -> Path:
        """Today's cost of models."""
        return self.folder / "spending.json"

    @property
    def tls_folder(self) -> Path:
        """The TLS certificate for the local network, and our certificate authority."""
        return self.folder / "tls"

    @property
    def model_abilities_file(self) -> Path:
        """Which models of servers can call tools, as it was measured."""
        return self.folder / "model_abilities.json"

    @property
    def mcp_file(self) -> Path:
        """External MCP servers whose tools the mind may use, and trusted clients."""
        return self.folder / "mcp.yaml"

    @property
    def logs_folder(self) -> Path:
        """Rotated log files; they hold nothing that people said."""
        return self.folder / "logs"

    @property
    def database_file(self) -> Path:
        return self.folder / "mind.db"

    @property
    def moves_folder(self) -> Path:
        return self.folder / "moves"

    @property
    def datasets_folder(self) -> Path:
        """Demonstrations, as LeRobot datasets."""
        return self.folder / "datasets"

    @property
    def photos_folder(self) -> Path:
        return self.folder / "photos"

    @property
    def workshop_folder(self) -> Path:
        return self.folder / "workshop"

    @property
    def shelf_folder(self) -> Path:
        """The versions of the tools that were made here or imported, and the key that signs them."""
        return self.workshop_folder / "shelf"

    @property
    def profiles_folder(self) -> Path:
        return self.folder / "profiles"

    @property
    def trusted_profiles_file(self) -> Path:
        """Profiles whose Python code the user trusts."""
        return self.folder / "trusted-profiles.json"

    @property
    def kept_profile_file(self) -> Path:
        """The name of the profile to start with, after `profile use NAME --keep`."""
        return self.folder / "profile.txt"

    @property
    def vendor_environment(self) -> Path:
        """The Python environment of the vendor's SDK that `media setup` makes."""
        return self.folder / "vendor-sdk"

    @property
    def vendor_python_file(self) -> Path:
        """The path of the Python that `media setup` found or made."""
        return self.folder / "vendor-python.txt"

    @property
    def reflex_folder(self) -> Path:
        """The user's own training sentences, and the weights that `learn reflex` trained on them."""
        return self.folder / "reflex"

    @property
    def reward_weights_file(self) -> Path:
        """The reward model that `learn reward` trained here, in place of the shipped one."""
        return self.folder / "reward" / "weights.npz"

    @property
    def training_folder(self) -> Path:
        """Training runs, a folder for each: plan, curve, checkpoints, policy."""
        return self.folder / "training"

    @property
    def studies_folder(self) -> Path:
        """What was measured of learning, and the report."""
        return self.folder / "studies"

    @property
    def satisfaction_file(self) -> Path:
        """What people thought of what the robot learned."""
        return self.folder / "training" / "satisfaction.jsonl"
