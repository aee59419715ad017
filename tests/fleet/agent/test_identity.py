"""Who a device is: by its settings, in place of being enrolled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import ConfigError
from reachy_mind.fleet.agent.agent_identity import agent_folder, agent_identity
from reachy_mind.fleet.device.enrolment import DeviceIdentity, save_identity

TOKEN = {"device_auth_token": "dev_d2_secret"}


def test_without_settings_it_is_as_it_was_enrolled(settings: Callable[..., Configuration]) -> None:
    configuration = settings()
    assert agent_identity(configuration) is None
    identity = DeviceIdentity("https://fleet.example", "kitchen", "dev_kitchen_secret")
    save_identity(configuration.home, identity)
    assert agent_identity(configuration) == identity


def test_the_seven_names_of_the_source_are_read(settings: Callable[..., Configuration], tmp_path: Path) -> None:
    configuration = settings(
        device_id="d1",
        device_name="Kitchen",
        control_plane_url="wss://fleet.example/ws",
        audio_sample_rate="44100",
        audio_channels="2",
        cache_dir=str(tmp_path / "cache"),
        **TOKEN,
    )
    identity = agent_identity(configuration)
    assert identity == DeviceIdentity("wss://fleet.example", "d1", TOKEN["device_auth_token"], "Kitchen")
    assert identity.address.socket_url() == "wss://fleet.example/fleet/v1/device/connect"
    assert agent_folder(configuration) == tmp_path / "cache"
    audio = configuration.settings.audio
    assert (audio.sample_rate, audio.channels) == (44100, 2)


def test_the_device_is_named_in_its_token(settings: Callable[..., Configuration]) -> None:
    configuration = settings(**TOKEN, control_plane_url="https://fleet.example")
    identity = agent_identity(configuration)
    assert identity is not None and identity.device == "d2"


def test_a_token_needs_an_address_and_tls(settings: Callable[..., Configuration]) -> None:
    with pytest.raises(ConfigError, match="not where the control plane is"):
        agent_identity(settings(**TOKEN))
    with pytest.raises(ConfigError, match="no TLS"):
        agent_identity(settings(**TOKEN, control_plane_url="ws://fleet.example"))
