"""`Settings`: everything that can be set, with what it means, what is allowed and the default.

Where the values come from is `config`'s matter.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr


def _from_text(value: Any) -> Any:
    """Variables can only be text: there, names and values are written as JSON."""
    return json.loads(value) if isinstance(value, str) else value


def _parted(value: Any) -> Any:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if isinstance(value, str) else value


Options = Annotated[dict[str, Any], BeforeValidator(_from_text)]
"""Names and values that somebody else's part takes."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Mind(Section):
    brain: Annotated[
        Literal["auto", "reflex", "agents", "claude", "realtime"], Field(description="What thinks for the robot")
    ] = "auto"
    profile: Annotated[str, Field(description="Name of the personality to start with")] = "default"


class Robot(Section):
    address: Annotated[
        str,
        Field(
            description="'sim', 'none' or HOST[:PORT] of the robot's daemon",
            pattern=r"^(sim|none|\[[0-9a-fA-F:]+\](:\d{1,5})?|[A-Za-z0-9._-]+(:\d{1,5})?)$",
        ),
    ] = "sim"
    scene: Annotated[Literal["empty", "table"], Field(description="Scene of the simulated robot")] = "table"
    app_name: Annotated[
        str, Field(description="Our name in the robot's app lock; a lock under this name is ours", min_length=1)
    ] = "reachy_mind"
    idle: Annotated[bool, Field(description="Whether it breathes and looks around when it has nothing to do")] = True
    connect_timeout_s: Annotated[float, Field(description="How long to wait for the robot at start", gt=0, le=300)] = (
        10.0
    )


class Tools(Section):
    folder: Annotated[
        Path | None, Field(description="Folder with tools of your own (*.py), trusted to run in this program")
    ] = None
    confirm_s: Annotated[float, Field(description="Seconds a question waits for your yes", ge=1, le=600)] = 60.0
    audit_days: Annotated[float, Field(description="Days that tool calls stay in the audit", gt=0, le=3650)] = 30.0


class Server(Section):
    port: Annotated[int, Field(description="Port of our own server", ge=1, le=65535)] = 8642
    host: Annotated[
        str,
        Field(
            description="IPv4 address to serve at: 127.0.0.1 for this machine alone, 0.0.0.0 (--lan) for its network "
            "too, there over TLS and with a token or a login",
            pattern=r"^\d{1,3}(\.\d{1,3}){3}$",
        ),
    ] = "127.0.0.1"
    names: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]*$")], ...],
        BeforeValidator(_parted),
        Field(description="Other names under which this machine is called on its network"),
    ] = ()
    require_token: Annotated[
        bool, Field(description="Whether programs of this machine need a token too, and its browsers a login")
    ] = False
    cors_origins: Annotated[
        tuple[Annotated[str, Field(pattern=r"^https?://[A-Za-z0-9.\[\]:-]+$")], ...],
        BeforeValidator(_parted),
        Field(description="Other sites whose pages may call the API, with a token, such as https://example.org"),
    ] = ()
    browser: Annotated[bool, Field(description="Whether 'run' opens the page, where there is a screen")] = True


class Models(Section):
    folder: Annotated[
        Path | None, Field(description="Where models and assets are kept (default: 'models' in the data folder)")
    ] = None
    chat_idle_s: Annotated[
        float,
        Field(
            description="Seconds after which an unused language model gives back its memory; 0: never", ge=0, le=86400
        ),
    ] = 900.0


class Log(Section):
    level: Annotated[
        Literal["debug", "info", "warning", "error"], Field(description="Least severe log line that is shown")
    ] = "info"
    format: Annotated[Literal["text", "json"], Field(description="How log lines are written to stderr")] = "text"


class OpenAI(Section):
    url: Annotated[
        str | None,
        Field(
            description="An OpenAI-compatible address that thinks, such as http://localhost:11434/v1 (empty, with a "
            "key: OpenAI)",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None
    api_key: Annotated[SecretStr | None, Field(description="Key for an OpenAI-compatible service")] = None
    model: Annotated[
        str | None, Field(description="Model asked for at that service (empty: its usual, or first, one)")
    ] = None
    small_model: Annotated[str | None, Field(description="A quicker model there for simple requests")] = None
    api: Annotated[
        Literal["chat", "responses"], Field(description="How it is asked: chat completions, or OpenAI's Responses")
    ] = "chat"
    first_token_s: Annotated[
        float, Field(description="Seconds until its first word, and between words", gt=0, le=600)
    ] = 30.0
    timeout_s: Annotated[float, Field(description="Seconds that one answer of the model may take", gt=0, le=600)] = 90.0
    retries: Annotated[
        int, Field(description="How often it is asked again when it is too busy or fails", ge=0, le=10)
    ] = 2
    reply_tokens: Annotated[int, Field(description="Tokens of one answer of the model", ge=16, le=100000)] = 1500
    calls_per_turn: Annotated[int, Field(description="How often a model is asked in one turn", ge=1, le=100)] = 12
    tokens_per_turn: Annotated[
        int, Field(description="Tokens one turn may take, read and written; 0: any", ge=0, le=100000000)
    ] = 100000
    usd_per_day: Annotated[
        float, Field(description="US dollars a day, by the prices below; 0: any", ge=0, le=100000)
    ] = 0.0
    usd_per_million_in: Annotated[float, Field(description="Price of a million tokens read", ge=0, le=10000)] = 0.0
    usd_per_million_cached: Annotated[
        float, Field(description="Price of a million tokens read from its cache", ge=0, le=10000)
    ] = 0.0
    usd_per_million_out: Annotated[float, Field(description="Price of a million tokens written", ge=0, le=10000)] = 0.0
    traces: Annotated[
        bool, Field(description="Whether OpenAI gets traces of its agents' steps, without what was said")
    ] = False


class Realtime(Section):
    url: Annotated[
        str,
        Field(
            description="Address of a server that speaks OpenAI's Realtime protocol, such as "
            "ws://localhost:8765/v1/realtime",
            pattern=r"^wss?://[^\s/]+\S*$",
        ),
    ] = "wss://api.openai.com/v1/realtime"
    api_key: Annotated[SecretStr | None, Field(description="Key for that server (for OpenAI: openai.api_key)")] = None
    model: Annotated[str, Field(description="Model asked for at that server", min_length=1)] = "gpt-realtime"
    voice: Annotated[
        str, Field(description="Its voice, where the personality has none that it knows", min_length=1)
    ] = "cedar"
    transcriber: Annotated[str, Field(description="Model that writes down there what people say", min_length=1)] = (
        "gpt-4o-mini-transcribe"
    )
    pictures: Annotated[
        bool, Field(description="Whether what the robot looks at when it is asked to is sent to that server")
    ] = False
    timeout_s: Annotated[float, Field(description="Seconds of silence after which it is given up", gt=0, le=300)] = 20.0


class Anthropic(Section):
    api_key: Annotated[SecretStr | None, Field(description="Key for Claude")] = None
    model: Annotated[str | None, Field(description="Claude model")] = None
    url: Annotated[
        str | None,
        Field(
            description="A server with the Messages API in place of Anthropic's own, http(s)://",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None
    api: Annotated[
        Literal["auto", "sdk", "messages"],
        Field(description="How Claude is asked: by the Agent SDK, by the Messages API (auto: the SDK where it runs)"),
    ] = "auto"
    timeout_s: Annotated[
        float, Field(description="Seconds Claude may be silent before it is given up", gt=0, le=600)
    ] = 30.0
    steps: Annotated[int, Field(description="Answers of Claude's for one thing that was said", ge=1, le=100)] = 10
    most_tokens: Annotated[int, Field(description="Tokens of one answer", ge=100, le=64000)] = 2000
    usd_per_day: Annotated[
        float, Field(description="US dollars a day, by the prices below; 0: any", ge=0, le=100000)
    ] = 0.0
    usd_per_million_in: Annotated[float, Field(description="Price of a million tokens read", ge=0, le=10000)] = 2.0
    usd_per_million_out: Annotated[float, Field(description="Price of a million tokens written", ge=0, le=10000)] = 10.0


class Hub(Section):
    token: Annotated[SecretStr | None, Field(description="Model-hub token")] = None
    folder: Annotated[Path | None, Field(description="Model-hub cache folder")] = None
    endpoint: Annotated[str, Field(description="Address of the model hub, or of a mirror")] = "https://huggingface.co"


class Media(Section):
    provider: Annotated[
        Literal["auto", "sim", "direct", "vendor", "local", "none"],
        Field(description="Who provides camera, microphone and speaker (local: this computer's own)"),
    ] = "auto"
    camera: Annotated[
        str, Field(description="Camera: a number, a path, a part of its name, or a video file; empty: the first")
    ] = ""
    microphone: Annotated[str, Field(description="Microphone: a number or a part of its name; empty: the default")] = ""
    speaker: Annotated[str, Field(description="Speaker: a number or a part of its name; empty: the default")] = ""
    vendor_python: Annotated[
        Path | None, Field(description="A Python that has the vendor's reachy_mini, for its media")
    ] = None


class Eyes(Section):
    camera: Annotated[bool, Field(description="Whether the robot's camera may be looked through")] = True
    tracker: Annotated[
        str,
        Field(
            description="What finds the faces it follows: bundled, yolo, mediapipe, off, or a plug-in's name",
            pattern=r"^[a-z0-9][a-z0-9_-]*$",
        ),
    ] = "bundled"
    tracker_model: Annotated[
        Path | None, Field(description="Model file of the trackers yolo (ONNX) and mediapipe (.tflite)")
    ] = None
    vision_url: Annotated[
        str | None,
        Field(
            description="An OpenAI-compatible address whose model is shown pictures, such as http://localhost:11434/v1",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None
    vision_model: Annotated[str, Field(description="Model asked for at that address", min_length=1)] = "gemma3:4b"
    vision_key: Annotated[SecretStr | None, Field(description="Key for that address")] = None
    vision_timeout_s: Annotated[
        float, Field(description="Seconds a model that sees may take for an answer", gt=0, le=600)
    ] = 30.0
    local_vision: Annotated[bool, Field(description="Whether a vision model runs on this machine")] = False
    local_vision_model: Annotated[
        str | None, Field(description="Which one: a folder, or its name at the model hub (empty: SmolVLM2 256M)")
    ] = None
    look_every_s: Annotated[
        float,
        Field(description="Seconds between looks that a vision model describes unasked; 0: never", ge=0, le=86400),
    ] = 0.0
    detector: Annotated[
        Literal["auto", "sim", "yolov4-tiny", "yolo11n", "none"],
        Field(description="What finds things (auto: the simulator's own in simulation, else one that was pulled)"),
    ] = "auto"
    photo_days: Annotated[float, Field(description="Days that a photo is kept", gt=0, le=3650)] = 30.0
    photo_most: Annotated[int, Field(description="Photos that are kept; then the oldest goes", ge=1, le=100000)] = 500


class Memory(Section):
    summary_url: Annotated[
        str | None,
        Field(
            description="An OpenAI-compatible address whose model sums up conversations (empty: rules do, here)",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None
    summary_model: Annotated[str, Field(description="Model asked for at that address", min_length=1)] = "gemma3:4b"
    summary_key: Annotated[SecretStr | None, Field(description="Key for that address")] = None
    summary_timeout_s: Annotated[float, Field(description="Seconds a summary may take", gt=0, le=600)] = 30.0


class Web(Section):
    search: Annotated[
        Literal["auto", "searxng", "duckduckgo", "brave"],
        Field(description="Who searches the web (auto: Brave with a key, else your SearXNG, else DuckDuckGo)"),
    ] = "auto"
    searxng_url: Annotated[
        str | None, Field(description="Your SearXNG, http:// or https://", pattern=r"^https?://[^\s/]+\S*$")
    ] = None
    brave_key: Annotated[SecretStr | None, Field(description="Key for Brave Search")] = None
    brave_url: Annotated[str, Field(description="Brave Search, http(s)://", pattern=r"^https?://[^\s/]+\S*$")] = (
        "https://api.search.brave.com/res/v1/web/search"
    )
    duckduckgo_url: Annotated[
        str, Field(description="DuckDuckGo's page without scripts, http(s)://", pattern=r"^https?://[^\s/]+\S*$")
    ] = "https://html.duckduckgo.com/html/"
    geocoding_url: Annotated[
        str, Field(description="Open-Meteo's search for places, http(s)://", pattern=r"^https?://[^\s/]+\S*$")
    ] = "https://geocoding-api.open-meteo.com/v1/search"
    forecast_url: Annotated[
        str, Field(description="Open-Meteo's weather forecast, http(s)://", pattern=r"^https?://[^\s/]+\S*$")
    ] = "https://api.open-meteo.com/v1/forecast"


class Developer(Section):
    github_token: Annotated[SecretStr | None, Field(description="GitHub token of the developer profile")] = None
    github_owner: Annotated[str | None, Field(description="Owner for repositories named without one")] = None
    github_email: Annotated[str | None, Field(description="E-mail address for commits")] = None


class Tracing(Section):
    endpoint: Annotated[
        str | None,
        Field(
            description="An OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None


class Device(Section):
    id: Annotated[str | None, Field(description="Id of this device in the fleet")] = None
    name: Annotated[str | None, Field(description="Name of this device in the fleet")] = None
    control_plane_url: Annotated[
        str | None, Field(description="Fleet control plane, ws:// or wss://", pattern=r"^wss?://.+")
    ] = None
    auth_token: Annotated[SecretStr | None, Field(description="Token of this device")] = None
    cache_folder: Annotated[Path | None, Field(description="Where the device keeps audio and queued events")] = None


class Audio(Section):
    sample_rate: Annotated[int, Field(description="Samples per second", ge=8000, le=48000)] = 16000
    channels: Annotated[int, Field(description="Microphone channels", ge=1, le=8)] = 1


class Speech(Section):
    ears: Annotated[
        Literal["auto", "moonshine", "whisper", "none"],
        Field(description="What turns speech into text (auto: moonshine for English, else whisper)"),
    ] = "auto"
    voice: Annotated[
        Literal["auto", "piper", "flite", "espeak", "none"],
        Field(description="What speaks (auto: piper when it was pulled, else flite, else espeak-ng)"),
    ] = "auto"
    language: Annotated[
        str, Field(description="Language it hears and speaks, as a code such as en or de", pattern=r"^[a-z]{2,3}$")
    ] = "en"
    speed: Annotated[float, Field(description="How fast it speaks; 2 is twice as fast", ge=0.5, le=2)] = 1.0
    ears_service: Annotated[
        str, Field(description="A speech-to-text service of pipecat's in place of our ears, such as deepgram")
    ] = ""
    ears_options: Annotated[Options, Field(description="Options of that service, such as its model")] = {}
    voice_service: Annotated[
        str, Field(description="A text-to-speech service of pipecat's in place of our voice, such as elevenlabs")
    ] = ""
    voice_options: Annotated[Options, Field(description="Options of that service, such as its voice")] = {}
    wake: Annotated[
        Literal["always", "name", "word", "push"],
        Field(
            description="When it listens: always, to who calls it Reachy, to who says the wake word, or while a key or "
            "button is held"
        ),
    ] = "always"
    wake_word: Annotated[
        str, Field(description="The wake word, one of the asset wake-words (reachy-mind models pull wake-words)")
    ] = "hey_jarvis"


class Settings(Section):
    """Every setting, with its default."""

    mind: Mind = Mind()
    robot: Robot = Robot()
    tools: Tools = Tools()
    server: Server = Server()
    models: Models = Models()
    log: Log = Log()
    audio: Audio = Audio()
    media: Media = Media()
    speech: Speech = Speech()
    eyes: Eyes = Eyes()
    memory: Memory = Memory()
    openai: OpenAI = OpenAI()
    realtime: Realtime = Realtime()
    anthropic: Anthropic = Anthropic()
    hub: Hub = Hub()
    web: Web = Web()
    developer: Developer = Developer()
    tracing: Tracing = Tracing()
    device: Device = Device()
