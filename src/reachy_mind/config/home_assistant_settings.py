"""Settings of what Home Assistant connects to: Wyoming services and MQTT discovery."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr

from reachy_mind.config.section import Section, split


class HomeAssistantSettings(Section):
    wyoming_port: Annotated[
        int, Field(description="Port of the Wyoming services (usual: 10700); 0: none", ge=0, le=65535)
    ] = 0
    wyoming_host: Annotated[
        str,
        Field(
            description="IPv4 address of the Wyoming services: 127.0.0.1 for this machine alone, 0.0.0.0 for its"
            " network",
            pattern=r"^\d{1,3}(\.\d{1,3}){3}$",
        ),
    ] = "127.0.0.1"
    wyoming_peers: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[0-9a-fA-F.:]+(/\d{1,3})?$")], ...],
        BeforeValidator(split),
        Field(description="Addresses or networks that may use the Wyoming services, besides this machine"),
    ] = ()
    satellite: Annotated[
        Literal["off", "word", "stream"],
        Field(
            description="Whether it is a voice satellite of Home Assistant too: word: after a wake word that is heard"
            " here; stream: all sound goes to Home Assistant, which hears its own wake word"
        ),
    ] = "off"
    satellite_word: Annotated[str, Field(description="Wake word that calls Home Assistant")] = "okay_nabu"
    mqtt_host: Annotated[str, Field(description="MQTT broker that Home Assistant uses; empty: none")] = ""
    mqtt_port: Annotated[int, Field(description="Port of the broker", ge=1, le=65535)] = 1883
    mqtt_tls: Annotated[bool, Field(description="Whether the broker is reached over TLS")] = False
    mqtt_user: Annotated[str, Field(description="User name at the broker")] = ""
    mqtt_password: Annotated[SecretStr | None, Field(description="Password at the broker")] = None
    mqtt_prefix: Annotated[
        str, Field(description="Topic under which Home Assistant looks for devices", pattern=r"^[\w-]+$")
    ] = "homeassistant"
    name: Annotated[str, Field(description="Name of the robot in Home Assistant", min_length=1, max_length=60)] = (
        "Reachy Mini"
    )
