"""Settings of the fleet's control plane, and of the commands that call it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, SecretStr

from reachy_mind.config.section import Section, split
from reachy_mind.config.workshop_settings import HostName

Address = Annotated[str, Field(pattern=r"^[0-9A-Fa-f.:/]+$")]


class FleetSettings(Section):
    port: Annotated[int, Field(description="Port of the control plane", ge=1, le=65535)] = 8700
    host: Annotated[
        str,
        Field(
            description="Address that the control plane serves at: 127.0.0.1 for this machine alone; any other one is"
            " served over TLS",
            pattern=r"^[0-9A-Fa-f.:]+$",
        ),
    ] = "127.0.0.1"
    store: Annotated[
        SecretStr | None,
        Field(description="Store of many nodes, postgresql://...; empty: a file of this node in the data folder"),
    ] = None
    nats: Annotated[
        SecretStr | None, Field(description="NATS server that connects the nodes, nats://...; empty: a single node")
    ] = None
    public_url: Annotated[
        str | None,
        Field(
            description="Where devices and browsers reach the control plane, such as https://fleet.example.org",
            pattern=r"^https?://[^\s/?#@]+$",
        ),
    ] = None
    node: Annotated[
        str | None,
        Field(
            description="Name of this node, unique among the nodes (empty: the machine's name and the port)",
            pattern=r"^[A-Za-z0-9_-]{1,64}$",
        ),
    ] = None
    certificate: Annotated[
        Path | None, Field(description="Certificate chain (PEM) to serve with; empty: one of our own authority")
    ] = None
    key_file: Annotated[Path | None, Field(description="Private key (PEM) of that certificate")] = None
    behind_proxy: Annotated[
        bool, Field(description="Whether a proxy in front of the control plane speaks TLS for it")
    ] = False
    proxies: Annotated[
        tuple[Address, ...],
        BeforeValidator(split),
        Field(description="Addresses or networks of such proxies: what they say of a caller's address is believed"),
    ] = ("127.0.0.1",)
    names: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$")], ...],
        BeforeValidator(split),
        Field(description="Other host names that browsers may call the control plane by"),
    ] = ()
    webhook_hosts: Annotated[
        tuple[HostName, ...],
        BeforeValidator(split),
        Field(description="Hosts on private networks that webhooks and sounds may name, HOST or HOST:PORT"),
    ] = ()
    rate_per_s: Annotated[
        float, Field(description="Messages a second that a device may send; emergencies are not counted", gt=0, le=1e5)
    ] = 20.0
    burst: Annotated[int, Field(description="How many of them at once after a pause", ge=40, le=100_000)] = 60
    source_devices: Annotated[
        bool,
        Field(description="Whether devices connect that speak the older protocol without acknowledgements, at /ws"),
    ] = False
    voice_sessions: Annotated[
        int | None,
        Field(
            description="Spoken conversations of devices at the same time on this node; empty: as many as its cores can"
            " hold; 0: none",
            ge=0,
            le=10_000,
        ),
    ] = None
    voice_tenant_percent: Annotated[
        int, Field(description="Share of them that a tenant may have at once, when there are others", ge=1, le=100)
    ] = 50
    voice_idle_s: Annotated[
        float, Field(description="Seconds after which a conversation ends in which nobody speaks", ge=5, le=3600)
    ] = 60.0
    voice_brain: Annotated[
        str,
        Field(
            description="Brain of these conversations, one of mind.brain's; reflex sends nothing of them to anybody",
            min_length=1,
            max_length=64,
        ),
    ] = "reflex"
    metrics_token: Annotated[
        SecretStr | None, Field(description="Token with which a program may collect the metrics")
    ] = None
    advertise: Annotated[
        bool,
        Field(
            description="Whether the control plane tells the local network by mDNS where it is, unless it is only here"
        ),
    ] = True
    url: Annotated[
        str | None,
        Field(
            description="Control plane that fleet commands call (empty: the one of this machine)",
            pattern=r"^https?://[^\s/?#@]+$",
        ),
    ] = None
    key: Annotated[SecretStr | None, Field(description="Key of an operator there, op_...")] = None
