"""Settings of a device of a fleet, and of the format of its sound card."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, SecretStr

from reachy_mind.config.section import Section, split

Pin = Annotated[int, Field(ge=0, le=53)]
"""A GPIO number (BCM), not the number on the header."""
ColorOfState = Annotated[
    str, Field(pattern=r"^(idle|listening|processing|speaking|error|emergency|muted|offline)=#[0-9A-Fa-f]{6}$")
]


class DeviceSettings(Section):
    id: Annotated[str | None, Field(description="Id of this device in the fleet")] = None
    name: Annotated[str | None, Field(description="Name of this device in the fleet")] = None
    control_plane_url: Annotated[
        str | None,
        Field(description="Fleet control plane, such as wss://fleet.home", pattern=r"^(wss?|https?)://[^\s?#@]+$"),
    ] = None
    auth_token: Annotated[SecretStr | None, Field(description="Token of this device")] = None
    cache_folder: Annotated[
        Path | None,
        Field(description="Where the device keeps queued events, personalities and sounds (default: the data folder)"),
    ] = None
    authority: Annotated[
        Path | None, Field(description="Certificate authority (PEM) of the control plane, if it has one of its own")
    ] = None
    insecure: Annotated[
        bool, Field(description="Whether the control plane may be reached without TLS on another machine")
    ] = False
    discovery: Annotated[
        bool,
        Field(description="Whether a control plane that moved is searched on the network, by its own authority"),
    ] = True
    pins: Annotated[
        Literal["auto", "gpiozero", "mock", "none"],
        Field(description="Pins of buttons and light (auto: those of this machine, else mock ones without hardware)"),
    ] = "auto"
    red_pin: Annotated[Pin, Field(description="GPIO of the red button (emergency)")] = 17
    green_pin: Annotated[Pin, Field(description="GPIO of the green button (companion)")] = 27
    blue_pin: Annotated[Pin, Field(description="GPIO of the blue button (activity)")] = 22
    debounce_ms: Annotated[
        int,
        Field(description="Milliseconds in which a press after one that was acted on is not another", ge=0, le=5000),
    ] = 300
    bounce_ms: Annotated[
        int, Field(description="Milliseconds in which the contact of a button may bounce", ge=0, le=200)
    ] = 30
    double_press_ms: Annotated[
        int, Field(description="Milliseconds between the two presses of a double press, at most", ge=50, le=2000)
    ] = 250
    long_press_s: Annotated[float, Field(description="Seconds after which a press is long", ge=0.3, le=10)] = 1.0
    light: Annotated[
        Literal["rgb", "strip", "none"], Field(description="Status light: a RGB LED, a WS2812B strip on SPI, or none")
    ] = "rgb"
    light_red_pin: Annotated[Pin, Field(description="GPIO of the red part of the light")] = 5
    light_green_pin: Annotated[Pin, Field(description="GPIO of the green part of the light")] = 6
    light_blue_pin: Annotated[Pin, Field(description="GPIO of the blue part of the light")] = 13
    light_common_anode: Annotated[bool, Field(description="Whether the LED shines when its pins are low")] = False
    strip_device: Annotated[
        str, Field(description="SPI device of the strip", pattern=r"^/dev/spidev\d{1,2}\.\d{1,2}$")
    ] = "/dev/spidev0.0"
    strip_pixels: Annotated[int, Field(description="LEDs on the strip", ge=1, le=300)] = 8
    brightness: Annotated[float, Field(description="Brightness of the light", ge=0.05, le=1)] = 0.6
    colors: Annotated[
        tuple[ColorOfState, ...],
        BeforeValidator(split),
        Field(description="Other colors of states, such as idle=#000040; an emergency is as bright as it can be"),
    ] = ()
    display: Annotated[
        Literal["none", "console"], Field(description="Display: none, or lines in the terminal where the agent runs")
    ] = "none"
    sound: Annotated[
        Literal["auto", "soundcard", "null"],
        Field(description="Sound (auto: the sound card if there is one; null: a card without hardware)"),
    ] = "auto"
    sound_capture: Annotated[
        Path | None, Field(description="WAV file that gets what the card without hardware plays, in real time")
    ] = None
    microphone_file: Annotated[
        Path | None, Field(description="WAV file that the card without hardware hears in a conversation")
    ] = None
    volume: Annotated[int, Field(description="Volume at the first start, in percent", ge=0, le=100)] = 70
    max_volume: Annotated[int, Field(description="Loudest volume that may be set, in percent", ge=10, le=100)] = 100
    emergency_text: Annotated[
        str,
        Field(description="What is said at once when the red button is pressed (empty: a sentence)", max_length=300),
    ] = ""
    emergency_repeat_s: Annotated[
        float, Field(description="Seconds between repetitions of the alarm until help knows", ge=5, le=600)
    ] = 20.0
    conversation_idle_s: Annotated[
        float, Field(description="Seconds of silence after which a conversation ends", ge=5, le=600)
    ] = 30.0
    watchdog_s: Annotated[
        int, Field(description="Seconds after which systemd restarts an agent that hangs", ge=5, le=600)
    ] = 30
    update_command: Annotated[
        tuple[str, ...],
        BeforeValidator(split),
        Field(description="Program and arguments that the command 'update' runs (empty: it is refused)"),
    ] = ()
    robot: Annotated[
        Literal["none", "mind"],
        Field(description="A Reachy Mini at this machine: mind attaches to its running mind (reachy-mind run)"),
    ] = "none"


class AudioSettings(Section):
    sample_rate: Annotated[
        int, Field(description="Samples per second that a device's sound card is opened with", ge=8000, le=48000)
    ] = 16000
    channels: Annotated[
        int, Field(description="Channels that a device's microphone is opened with; the first is heard", ge=1, le=8)
    ] = 1
