"""One tree of settings, and where each value came from.

Order, later wins: defaults < `config.yaml` in the data folder (or `--config FILE`) < `.env` in the working folder <
the environment < a command-line flag. A key `server.port` is `server: {port: ...}` in YAML and
`REACHY_MIND_SERVER__PORT` in the environment; the names in `ALIASES` are understood too.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import platformdirs
import yaml
from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from reachy_mind.errors import ConfigError

PREFIX = "REACHY_MIND_"
PLAIN_VARIABLES = ("REACHY_MIND_HOME", "REACHY_MIND_CONFIG")
ALIASES = {
    "OPENAI_API_KEY": "openai.api_key",
    "MODEL_NAME": "openai.model",
    "ANTHROPIC_API_KEY": "anthropic.api_key",
    "ANTHROPIC_MODEL": "anthropic.model",
    "HF_TOKEN": "hub.token",
    "HF_HOME": "hub.folder",
    "HF_ENDPOINT": "hub.endpoint",
    "LOCAL_VISION_MODEL": "eyes.local_vision_model",
    "REACHY_MINI_CUSTOM_PROFILE": "mind.profile",
    "GITHUB_TOKEN": "developer.github_token",
    "GITHUB_DEFAULT_OWNER": "developer.github_owner",
    "GITHUB_OWNER_EMAIL": "developer.github_email",
    "DEVICE_ID": "device.id",
    "DEVICE_NAME": "device.name",
    "CONTROL_PLANE_URL": "device.control_plane_url",
    "DEVICE_AUTH_TOKEN": "device.auth_token",
    "CACHE_DIR": "device.cache_folder",
    "AUDIO_SAMPLE_RATE": "audio.sample_rate",
    "AUDIO_CHANNELS": "audio.channels",
    "BRAVE_API_KEY": "web.brave_key",
    "SEARXNG_URL": "web.searxng_url",
}


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
    browser: Annotated[bool, Field(description="Whether 'run' opens the page, where there is a screen")] = True


class Models(Section):
    folder: Annotated[
        Path | None, Field(description="Where models and assets are kept (default: 'models' in the data folder)")
    ] = None


class Log(Section):
    level: Annotated[
        Literal["debug", "info", "warning", "error"], Field(description="Least severe log line that is shown")
    ] = "info"
    format: Annotated[Literal["text", "json"], Field(description="How log lines are written to stderr")] = "text"


class OpenAI(Section):
    api_key: Annotated[SecretStr | None, Field(description="Key for an OpenAI-compatible service")] = None
    model: Annotated[str | None, Field(description="Model asked for at that service")] = None


class Anthropic(Section):
    api_key: Annotated[SecretStr | None, Field(description="Key for Claude")] = None
    model: Annotated[str | None, Field(description="Claude model")] = None


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
    local_vision_model: Annotated[str | None, Field(description="Vision model that runs on this machine")] = None


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
    ears_options: Annotated[dict[str, Any], Field(description="Options of that service, such as its model")] = {}
    voice_service: Annotated[
        str, Field(description="A text-to-speech service of pipecat's in place of our voice, such as elevenlabs")
    ] = ""
    voice_options: Annotated[dict[str, Any], Field(description="Options of that service, such as its voice")] = {}
    wake: Annotated[
        Literal["always", "name", "push"],
        Field(description="When it listens: always, to who calls it Reachy, or while a key or button is held"),
    ] = "always"


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
    openai: OpenAI = OpenAI()
    anthropic: Anthropic = Anthropic()
    hub: Hub = Hub()
    web: Web = Web()
    developer: Developer = Developer()
    device: Device = Device()


@dataclass(frozen=True)
class Home:
    """The data folder; nothing of ours is written anywhere else."""

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
    def database_file(self) -> Path:
        return self.folder / "mind.db"

    @property
    def moves_folder(self) -> Path:
        return self.folder / "moves"

    @property
    def profiles_folder(self) -> Path:
        return self.folder / "profiles"

    @property
    def reflex_folder(self) -> Path:
        """Sentences of one's own, and the weights that `learn reflex` made of them."""
        return self.folder / "reflex"


@dataclass(frozen=True)
class Configuration:
    """The settings in force, the data folder, and the origin of every value ("default", a file, a variable, a flag)."""

    settings: Settings
    home: Home
    origins: Mapping[str, str]

    @cached_property
    def models_folder(self) -> Path:
        return self.settings.models.folder or self.home.models_folder

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """(key, value, origin) of every setting; secrets stay masked."""
        for key in FIELDS:
            section, name = key.split(".")
            value = getattr(getattr(self.settings, section), name)
            yield key, str(value) if isinstance(value, SecretStr | Path) else value, self.origins.get(key, "default")

    def secrets(self) -> frozenset[str]:
        """The secret values themselves, so that logs can be kept free of them."""
        values = (getattr(getattr(self.settings, key.split(".")[0]), key.split(".")[1]) for key in FIELDS)
        return frozenset(v.get_secret_value() for v in values if isinstance(v, SecretStr) and v.get_secret_value())


def _fields() -> dict[str, FieldInfo]:
    found = {}
    for section, info in Settings.model_fields.items():
        assert isinstance(info.annotation, type) and issubclass(info.annotation, Section)
        found.update({f"{section}.{name}": field for name, field in info.annotation.model_fields.items()})
    return found


FIELDS = _fields()


def allowed(key: str) -> str:
    """What may stand at `key`, in words."""
    field = FIELDS[key]
    kinds = [a for a in get_args(field.annotation) or (field.annotation,) if a is not type(None)]
    if get_origin(field.annotation) is Literal:
        return "one of " + ", ".join(str(choice) for choice in get_args(field.annotation))
    limits = {name: value for m in field.metadata for name, value in vars_of(m) if value is not None}
    kind = {
        int: "a whole number",
        float: "a number",
        bool: "true or false",
        str: "text",
        Path: "a path",
        SecretStr: "a secret text",
    }[kinds[0]]
    bounds = [f"at least {limits['ge']}" if "ge" in limits else "", f"above {limits['gt']}" if "gt" in limits else ""]
    bounds += [f"at most {limits['le']}" if "le" in limits else ""]
    words = ", ".join([kind, *(b for b in bounds if b)])
    return f"{words} ({field.description})" if "pattern" in limits else words


def vars_of(metadata: object) -> list[tuple[str, Any]]:
    names = ("ge", "gt", "le", "min_length", "pattern")
    return [(n, getattr(metadata, n)) for n in names if hasattr(metadata, n)]


def variable(key: str) -> str:
    """The environment variable that sets `key`."""
    return PREFIX + key.replace(".", "__").upper()


def load(
    *,
    config_file: Path | None = None,
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] = os.environ,
    folder: Path | None = None,
) -> Configuration:
    """Read every source and check it. `flags` maps keys to values given on the command line; None means not given.

    Raises ConfigError naming the key, the place it was set and what is allowed.
    """
    home = Home.find(environ)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, found in _sources(home, config_file, flags or {}, environ, folder or Path.cwd()):
        for key, value in found.items():
            values[key], origins[key] = value, origin
    tree: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        section, name = key.split(".")
        tree.setdefault(section, {})[name] = value
    try:
        return Configuration(Settings.model_validate(tree), home, origins)
    except ValidationError as error:
        raise _explain(error.errors()[0], origins) from None


def _sources(
    home: Home, config_file: Path | None, flags: Mapping[str, Any], environ: Mapping[str, str], folder: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    named = config_file or (Path(environ["REACHY_MIND_CONFIG"]) if environ.get("REACHY_MIND_CONFIG") else None)
    if named is not None and not named.is_file():
        raise ConfigError(f"config file {named} does not exist", hint="check --config or REACHY_MIND_CONFIG")
    path = named or home.config_file
    if path.is_file():
        yield str(path), _from_yaml(path)
    dotenv = folder / ".env"
    if dotenv.is_file():
        yield from _from_variables({k: v for k, v in dotenv_values(dotenv).items() if v is not None}, f"{dotenv} ")
    yield from _from_variables(environ, "environment ")
    yield "command line", {key: value for key, value in flags.items() if value is not None}


def _from_yaml(path: Path) -> dict[str, Any]:
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        reason = " ".join(str(error).split())  # YAML's messages have several lines
        raise ConfigError(f"{path} can't be read: {reason}", hint="it must be a YAML file of sections") from None
    if not isinstance(tree, dict):
        raise ConfigError(f"{path} must hold sections such as 'robot:', not {type(tree).__name__}")
    found = {}
    for section, content in tree.items():
        if not isinstance(content, dict) or section not in Settings.model_fields:
            raise _unknown(str(section), str(path), list(Settings.model_fields), "section")
        for name, value in content.items():
            key = f"{section}.{name}"
            if key not in FIELDS:
                raise _unknown(key, str(path), [k for k in FIELDS if k.startswith(f"{section}.")], "key")
            found[key] = value
    return found


def _from_variables(environ: Mapping[str, str], place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    ours = {variable(key): key for key in FIELDS}
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in ours and name not in PLAIN_VARIABLES:
            raise _unknown(name, place.strip(), list(ours), "variable")
    for table in (ALIASES, ours):
        for name, key in table.items():
            if environ.get(name):
                yield f"{place}{name}", {key: environ[name]}


def _unknown(key: str, place: str, known: list[str], kind: str) -> ConfigError:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    return ConfigError(f"unknown {kind} {key} in {place}", hint=hint)


def _explain(error: ErrorDetails, origins: Mapping[str, str]) -> ConfigError:
    key = ".".join(str(part) for part in error["loc"][:2])
    secret = SecretStr in (get_args(FIELDS[key].annotation) or (FIELDS[key].annotation,))
    shown = "its value" if secret else repr(error["input"])
    return ConfigError(
        f"{key}: {shown} from {origins.get(key, 'default')} is not allowed", hint=f"{key} takes {allowed(key)}"
    )


def env_example() -> str:
    """The text of `.env.example`: every setting as a commented variable, with its default and what is allowed."""
    lines = ["# Copy to .env and uncomment what you need. Generated: reachy-mind config example > .env.example"]
    defaults = Settings()
    aliases: dict[str, list[str]] = {}
    for name, key in ALIASES.items():
        aliases.setdefault(key, []).append(name)
    for key, field in FIELDS.items():
        section, name = key.split(".")
        value = getattr(getattr(defaults, section), name)
        also = f" Also: {', '.join(aliases[key])}." if key in aliases else ""
        lines += ["", f"# {field.description}. {allowed(key).split(' (')[0].capitalize()}.{also}"]
        lines.append(f"#{variable(key)}={'' if value is None else value}")
    return "\n".join(lines) + "\n"
