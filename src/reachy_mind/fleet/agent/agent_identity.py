"""Who this device is: as it was enrolled, or as its settings say."""

from __future__ import annotations

from pathlib import Path

from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import ConfigError
from reachy_mind.fleet.device.enrolment import DeviceIdentity, device_folder, load_identity

OLDER_PATH = "/ws"
"""Where control planes of the older protocol took devices; addresses with it mean the same server."""


def agent_folder(configuration: Configuration) -> Path:
    """Where the agent keeps its store, personalities and sounds."""
    return configuration.settings.device.cache_folder or device_folder(configuration.home)


def agent_identity(configuration: Configuration) -> DeviceIdentity | None:
    """From the settings, where they have a token; else what `device enroll` kept. None without either.

    Raises ConfigError, also for settings that are incomplete.
    """
    device = configuration.settings.device
    token = device.auth_token.get_secret_value() if device.auth_token is not None else ""
    if not token:
        return load_identity(configuration.home)
    if device.control_plane_url is None:
        raise ConfigError(
            "device.auth_token is set, but not where the control plane is", hint="device.control_plane_url: wss://..."
        )
    name_in_token = token.removeprefix("dev_").rpartition("_")[0]
    identity = DeviceIdentity(
        url=device.control_plane_url.rstrip("/").removesuffix(OLDER_PATH),
        device=device.id or name_in_token or "device",
        token=token,
        name=device.name or "",
        ca=str(device.authority.absolute()) if device.authority is not None else "",
        insecure=device.insecure,
    )
    identity.address  # noqa: B018 -- raises ConfigError for one that is none
    return identity
