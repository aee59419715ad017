"""`Settings`: every setting with its description, validation and default.

`config.configuration` reads the values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, SecretStr

from reachy_mind.config.developer_settings import DeveloperSettings
from reachy_mind.config.device_settings import AudioSettings, DeviceSettings
from reachy_mind.config.fleet_settings import FleetSettings
from reachy_mind.config.home_assistant_settings import HomeAssistantSettings
from reachy_mind.config.language_model_settings import AnthropicSettings, OpenAISettings, RealtimeSettings
from reachy_mind.config.learning_settings import LearningSettings
from reachy_mind.config.plugins import BRAINS, DETECTORS, MEDIA, STT, TTS, PluginName
from reachy_mind.config.section import Section, split
from reachy_mind.config.workshop_settings import WorkshopSettings


def _from_text(value: Any) -> Any:
    """Environment variables are text: there, options are written as JSON."""
    return json.loads(value) if isinstance(value, str) else value


Options = Annotated[dict[str, Any], BeforeValidator(_from_text)]
"""Names and values passed to a third-party component."""


class MindSettings(Section):
    brain: Annotated[
        str,
        PluginName(BRAINS, "auto", "reflex", "agents", "local", "claude", "realtime"),
        Field(description="The brain that thinks for the robot"),
    ] = "auto"
    profile: Annotated[str, Field(description="Name of the personality to start with")] = "default"


class RobotSettings(Section):
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
    idle_interval_s: Annotated[
        float, Field(description="Seconds between its looks around, on average", ge=1, le=600)
    ] = 5.5
    idle_range_deg: Annotated[
        float, Field(description="How far it looks to each side then, in degrees; 0: only breathing", ge=0, le=60)
    ] = 35.0
    connect_timeout_s: Annotated[
        float, Field(description="Timeout of the connection to the robot at start, in seconds", gt=0, le=300)
    ] = 10.0


class ToolsSettings(Section):
    folder: Annotated[
        Path | None, Field(description="Folder with tools of your own (*.py), trusted to run in this program")
    ] = None
    confirm_s: Annotated[float, Field(description="Timeout of a confirmation, in seconds", ge=1, le=600)] = 60.0
    audit_days: Annotated[float, Field(description="Days that tool calls are kept in the audit", gt=0, le=3650)] = 30.0


class ServerSettings(Section):
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
        BeforeValidator(split),
        Field(description="Other host names of this machine on its network"),
    ] = ()
    require_token: Annotated[
        bool, Field(description="Whether local programs need a token too, and local browsers a login")
    ] = False
    cors_origins: Annotated[
        tuple[Annotated[str, Field(pattern=r"^https?://[A-Za-z0-9.\[\]:-]+$")], ...],
        BeforeValidator(split),
        Field(description="Other sites whose pages may call the API, with a token, such as https://example.org"),
    ] = ()
    browser: Annotated[bool, Field(description="Whether 'run' opens the page, where there is a screen")] = True


class ModelsSettings(Section):
    folder: Annotated[
        Path | None, Field(description="Where models and assets are kept (default: 'models' in the data folder)")
    ] = None
    chat: Annotated[
        Literal[
            "auto",
            "chat",
            "chat-qwen2.5-1.5b",
            "chat-llama3.2-3b",
            "chat-qwen2.5-3b",
            "chat-gemma3-4b",
            "chat-qwen3-4b",
        ],
        Field(description="The pulled language model that is used; auto: the best one that fits this machine"),
    ] = "auto"
    chat_idle_s: Annotated[
        float,
        Field(description="Seconds after which an idle language model is unloaded; 0: never", ge=0, le=86400),
    ] = 900.0
    lora: Annotated[
        Path | None, Field(description="Adapter for the pulled language model, from learn lora (empty: none)")
    ] = None


class LogSettings(Section):
    level: Annotated[
        Literal["debug", "info", "warning", "error"], Field(description="Lowest level of the log lines that are shown")
    ] = "info"
    format: Annotated[Literal["text", "json"], Field(description="How log lines are written to stderr")] = "text"
    files: Annotated[
        bool, Field(description="Whether the mind, control planes and device agents write the data folder's logs/, too")
    ] = True
    file_mb: Annotated[float, Field(description="A log file is rotated at this size, in MB", ge=0.1, le=1000)] = 5.0
    file_count: Annotated[
        int, Field(description="How many files of each log are kept, with the one that is written", ge=2, le=100)
    ] = 5


class HubSettings(Section):
    token: Annotated[SecretStr | None, Field(description="Model-hub token")] = None
    folder: Annotated[Path | None, Field(description="Model-hub cache folder")] = None
    endpoint: Annotated[str, Field(description="Address of the model hub, or of a mirror")] = "https://huggingface.co"


class MediaSettings(Section):
    provider: Annotated[
        str,
        PluginName(MEDIA, "auto", "sim", "direct", "vendor", "local", "none"),
        Field(description="Provider of camera, microphone and speaker (local: this computer's own)"),
    ] = "auto"
    camera: Annotated[
        str, Field(description="Camera: a number, a path, a part of its name, or a video file; empty: the first")
    ] = ""
    microphone: Annotated[str, Field(description="Microphone: a number or a part of its name; empty: the default")] = ""
    speaker: Annotated[str, Field(description="Speaker: a number or a part of its name; empty: the default")] = ""
    vendor_python: Annotated[
        Path | None, Field(description="A Python that has the vendor's reachy_mini, for its media")
    ] = None


class EyesSettings(Section):
    camera: Annotated[bool, Field(description="Whether the robot's camera may be used")] = True
    tracker: Annotated[
        str,
        Field(
            description="Detector of the faces it follows: bundled, yolo, mediapipe, off, or a plug-in's name",
            pattern=r"^[a-z0-9][a-z0-9_-]*$",
        ),
    ] = "bundled"
    tracker_model: Annotated[
        Path | None, Field(description="Model file of the trackers yolo (ONNX) and mediapipe (.tflite)")
    ] = None
    turn_to_voices: Annotated[
        bool, Field(description="Whether the head, while it follows people, turns to whoever speaks")
    ] = True
    vision_url: Annotated[
        str | None,
        Field(
            description="OpenAI-compatible endpoint of a vision model, such as http://localhost:11434/v1",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None
    vision_model: Annotated[str, Field(description="Model at that address", min_length=1)] = "gemma3:4b"
    vision_key: Annotated[SecretStr | None, Field(description="Key for that address")] = None
    vision_timeout_s: Annotated[
        float, Field(description="Timeout of an answer of the vision model, in seconds", gt=0, le=600)
    ] = 30.0
    local_vision: Annotated[bool, Field(description="Whether a vision model runs on this machine")] = False
    local_vision_model: Annotated[
        str | None, Field(description="Which one: a folder, or its name at the model hub (empty: SmolVLM2 256M)")
    ] = None
    look_every_s: Annotated[
        float,
        Field(description="Seconds between pictures that a vision model describes unasked; 0: never", ge=0, le=86400),
    ] = 0.0
    detector: Annotated[
        str,
        PluginName(DETECTORS, "auto", "sim", "yolov4-tiny", "yolo11n", "none"),
        Field(description="Object detector (auto: the simulator's own in simulation, else one that was pulled)"),
    ] = "auto"
    photo_days: Annotated[float, Field(description="Days that a photo is kept", gt=0, le=3650)] = 30.0
    photo_most: Annotated[
        int, Field(description="Maximum number of photos; then the oldest is deleted", ge=1, le=100000)
    ] = 500


class MemorySettings(Section):
    summary_url: Annotated[
        str | None,
        Field(
            description="OpenAI-compatible endpoint whose model summarizes conversations (empty: local rules do)",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None
    summary_model: Annotated[str, Field(description="Model at that address", min_length=1)] = "gemma3:4b"
    summary_key: Annotated[SecretStr | None, Field(description="Key for that address")] = None
    summary_timeout_s: Annotated[float, Field(description="Timeout of a summary, in seconds", gt=0, le=600)] = 30.0


class WebSettings(Section):
    search: Annotated[
        Literal["auto", "searxng", "duckduckgo", "brave"],
        Field(description="Web search engine (auto: Brave with a key, else your SearXNG, else DuckDuckGo)"),
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


class TracingSettings(Section):
    endpoint: Annotated[
        str | None,
        Field(
            description="An OpenTelemetry collector (OTLP over HTTP), such as http://localhost:4318",
            pattern=r"^https?://[^\s/]+\S*$",
        ),
    ] = None


class SpeechSettings(Section):
    ears: Annotated[
        str,
        PluginName(STT, "auto", "moonshine", "moonshine-base", "moonshine-tiny", "whisper", "none"),
        Field(
            description="Speech recognition (auto: moonshine for English, else whisper; moonshine: base where it was "
            "pulled and this machine is quick enough, else tiny)"
        ),
    ] = "auto"
    voice: Annotated[
        str,
        PluginName(TTS, "auto", "kokoro", "piper", "flite", "espeak", "system", "none"),
        Field(
            description="Speech synthesis (auto: kokoro when it was pulled and this machine is quick enough, else "
            "piper when it was pulled, else flite, espeak-ng, the system's own)"
        ),
    ] = "auto"
    voice_name: Annotated[
        str,
        Field(
            description="The usual voice by its name (reachy-mind voices list), where the personality names none",
            pattern=r"^[\w .:-]*$",
            max_length=100,
        ),
    ] = ""
    moods: Annotated[
        bool,
        Field(description="Speak in the mood of the personality, and of the emotion that the robot shows meanwhile"),
    ] = True
    language: Annotated[
        str, Field(description="Language it hears and speaks, as a code such as en or de", pattern=r"^[a-z]{2,3}$")
    ] = "en"
    speed: Annotated[float, Field(description="How fast it speaks; 2 is twice as fast", ge=0.5, le=2)] = 1.0
    gain_control: Annotated[
        bool,
        Field(description="Whether quiet voices, of people across the room, are made louder before they are heard"),
    ] = True
    ears_service: Annotated[
        str, Field(description="A speech-to-text service of pipecat's in place of our ears, such as deepgram")
    ] = ""
    ears_options: Annotated[Options, Field(description="Options of that service, such as its model")] = {}  # noqa: RUF012
    voice_service: Annotated[
        str, Field(description="A text-to-speech service of pipecat's in place of our voice, such as elevenlabs")
    ] = ""
    voice_options: Annotated[Options, Field(description="Options of that service, such as its voice")] = {}  # noqa: RUF012
    wake: Annotated[
        Literal["always", "name", "word", "push"],
        Field(
            description="When it listens: always, after its name (Reachy), after the wake word, or while a key or "
            "button is held (push)"
        ),
    ] = "always"
    wake_word: Annotated[
        str,
        Field(
            description="The wake word: hey_reachy, or one of the asset wake-words (reachy-mind models pull wake-words)"
        ),
    ] = "hey_reachy"
    stop_words: Annotated[
        bool,
        Field(description='Stop at once at "stop", "be quiet", "enough" or "wait" while it speaks or moves (English)'),
    ] = True
    stop_threshold: Annotated[
        float,
        Field(description="How sure it must be of a stop word; lower stops more often", ge=0.05, le=0.95),
    ] = 0.5


class Settings(Section):
    """Every setting, with its default."""

    mind: MindSettings = MindSettings()
    robot: RobotSettings = RobotSettings()
    tools: ToolsSettings = ToolsSettings()
    server: ServerSettings = ServerSettings()
    models: ModelsSettings = ModelsSettings()
    log: LogSettings = LogSettings()
    audio: AudioSettings = AudioSettings()
    media: MediaSettings = MediaSettings()
    speech: SpeechSettings = SpeechSettings()
    eyes: EyesSettings = EyesSettings()
    memory: MemorySettings = MemorySettings()
    openai: OpenAISettings = OpenAISettings()
    realtime: RealtimeSettings = RealtimeSettings()
    anthropic: AnthropicSettings = AnthropicSettings()
    hub: HubSettings = HubSettings()
    web: WebSettings = WebSettings()
    workshop: WorkshopSettings = WorkshopSettings()
    learning: LearningSettings = LearningSettings()
    developer: DeveloperSettings = DeveloperSettings()
    tracing: TracingSettings = TracingSettings()
    device: DeviceSettings = DeviceSettings()
    fleet: FleetSettings = FleetSettings()
    home_assistant: HomeAssistantSettings = HomeAssistantSettings()
