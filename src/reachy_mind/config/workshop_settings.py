"""Settings of the workshop, which runs code that the robot or a stranger wrote."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from reachy_mind.config.section import Section, split

HostName = Annotated[str, Field(pattern=r"^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]{0,252})(:\d{1,5})?$")]


class WorkshopSettings(Section):
    http_hosts: Annotated[
        tuple[HostName, ...],
        BeforeValidator(split),
        Field(description="Hosts that sandboxed code with the capability http may ask, HOST or HOST:PORT"),
    ] = ()
