"""`Configuration`: the settings in force and the source of each value; `load` merges all sources.

Order, later wins: defaults < what a command kept (`profile use NAME --keep`, `media setup`) < `config.yaml` in the data
folder (or `--config FILE`) < `.env` in the working folder < the environment < a command-line flag. The key
`server.port` is `server: {port: ...}` in YAML and `REACHY_MIND_SERVER__PORT` in the environment; `ALIASES` has other
accepted names.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import SecretStr, ValidationError
from pydantic_core import ErrorDetails

from reachy_mind.config.keys import FIELDS, allowed
from reachy_mind.config.secret_files import file_variables, is_secret, read_secret_file
from reachy_mind.config.settings import Settings
from reachy_mind.errors import AlreadyRunning, ConfigError, NotReady
from reachy_mind.storage.files import read_own_file, require_own_file
from reachy_mind.storage.home import Home
from reachy_mind.storage.home_replacement import is_interrupted
from reachy_mind.storage.owner import Ownership
from reachy_mind.storage.unique_keys import load_yaml
from reachy_mind.system import portability

PREFIX = "REACHY_MIND_"
PLAIN_VARIABLES = ("REACHY_MIND_HOME", "REACHY_MIND_CONFIG", portability.VARIABLE)
ALIASES = {
    "OPENAI_API_KEY": "openai.api_key",
    "OPENAI_BASE_URL": "openai.url",
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
    "FLEET_URL": "fleet.url",
    "FLEET_KEY": "fleet.key",
    "AUDIO_SAMPLE_RATE": "audio.sample_rate",
    "AUDIO_CHANNELS": "audio.channels",
    "BRAVE_API_KEY": "web.brave_key",
    "SEARXNG_URL": "web.searxng_url",
}


@dataclass(frozen=True)
class Configuration:
    """The settings in force, the data folder, and the origin of each value ("default", a file, a variable, a flag)."""

    settings: Settings
    home: Home
    origins: Mapping[str, str]
    file: Path | None = None
    """The YAML file given by flag or variable; None for the one in the data folder."""

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
        """The secret values, for redaction in logs."""
        values = (getattr(getattr(self.settings, key.split(".")[0]), key.split(".")[1]) for key in FIELDS)
        return frozenset(v.get_secret_value() for v in values if isinstance(v, SecretStr) and v.get_secret_value())


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
    """Read and validate all sources. `flags` maps keys to values from the command line; None means not given.

    Raises ConfigError naming the key, where it was set and what is allowed.
    """
    home = Home.find(environ)
    _finish_restore(home)
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    named = config_file or (Path(environ["REACHY_MIND_CONFIG"]) if environ.get("REACHY_MIND_CONFIG") else None)
    for origin, found in _sources(home, named, flags or {}, environ, folder or Path.cwd()):
        for key, value in found.items():
            values[key], origins[key] = value, origin
    tree: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        section, name = key.split(".")
        tree.setdefault(section, {})[name] = value
    try:
        return Configuration(Settings.model_validate(tree), home, origins, named)
    except ValidationError as error:
        raise _explain(error.errors()[0], origins) from None


def _finish_restore(home: Home) -> None:
    """What was killed in the middle of a restore has its files in two places. Raises NotReady while one runs."""
    if not is_interrupted(home.folder):
        return
    try:
        with Ownership(home):
            pass
    except AlreadyRunning as error:
        raise NotReady(f"a backup is being restored into {home.folder}", hint="wait until it is done") from error


def _sources(
    home: Home, named: Path | None, flags: Mapping[str, Any], environ: Mapping[str, str], folder: Path
) -> Iterator[tuple[str, dict[str, Any]]]:
    path = named or home.config_file
    text = _read(path)
    if named is not None and text is None:
        raise ConfigError(f"config file {named} does not exist", hint="check --config or REACHY_MIND_CONFIG")
    if kept := _kept(home.kept_profile_file, 64):
        yield str(home.kept_profile_file), {"mind.profile": kept}
    if python := _kept(home.vendor_python_file, 4096):
        yield str(home.vendor_python_file), {"media.vendor_python": python}
    if text is not None:
        yield str(path), _from_yaml(text, path)
    dotenv = folder / ".env"
    if not dotenv.is_dir() and _require_own(dotenv):  # a virtual environment may be a folder of that name
        _require_assignments(dotenv)
        yield from _from_environment({k: v for k, v in dotenv_values(dotenv).items() if v is not None}, f"{dotenv} ")
    yield from _from_environment(environ, "environment ")
    yield "command line", {key: value for key, value in flags.items() if value is not None}


def _kept(file: Path, longest: int) -> str:
    """What a command has kept in a file of one line, such as the profile; empty without one."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return file.read_text(encoding="utf-8").strip()[:longest]
    return ""


def _read(path: Path) -> str | None:
    """The text of a configuration file; None when there is none. Raises ConfigError: a file is never ignored."""
    found = read_own_file(path)
    return found[0] if found is not None else None


def _require_own(dotenv: Path) -> bool:
    """Whether there is a `.env`. Raises ConfigError for one that somebody else could have written.

    Its group may write it: it lies in a project's folder, where that is usual.
    """
    try:
        return require_own_file(dotenv, stat.S_IWOTH) is not None
    except OSError as error:
        raise ConfigError(f"{dotenv} can't be read: {error}", hint="is it yours?") from None


def _require_assignments(dotenv: Path) -> None:
    """Raises ConfigError for a line about a variable of ours that assigns nothing: the library would leave it out."""
    try:
        with dotenv.open(encoding="utf-8") as file:
            lines = [line for line in parse_stream(file) if line.error or line.value is None]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{dotenv} can't be read: {error}", hint="is it yours, and a text file?") from None
    for line in lines:
        if PREFIX in line.original.string.partition("#")[0]:
            raise ConfigError(f"{dotenv}:{line.original.line}: this line sets nothing", hint="NAME=value")


def _from_yaml(text: str, path: Path) -> dict[str, Any]:
    try:
        tree = load_yaml(text) or {}
    except (yaml.YAMLError, RecursionError) as error:
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


def _from_environment(environ: Mapping[str, str], place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    ours = {variable(key): key for key in FIELDS}
    files = file_variables(ours)
    known = {*ours, *files, *PLAIN_VARIABLES}
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known:
            raise _unknown(name, place.strip(), [*ours, *files], "variable")
    if model := environ.get("MODEL_NAME"):  # the source's variable for its realtime model
        yield f"{place}MODEL_NAME", {"realtime.model": model}
    for table in (ALIASES, files, ours):
        for name, key in table.items():
            if value := environ.get(name):
                text = read_secret_file(Path(value), f"{place}{name}") if table is files else value
                if text:
                    yield f"{place}{name}", {key: text}


def _unknown(key: str, place: str, known: list[str], kind: str) -> ConfigError:
    near = difflib.get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    return ConfigError(f"unknown {kind} {key} in {place}", hint=hint)


def _explain(error: ErrorDetails, origins: Mapping[str, str]) -> ConfigError:
    key = ".".join(str(part) for part in error["loc"][:2])
    shown = "its value" if is_secret(key) else repr(error["input"])
    return ConfigError(
        f"{key}: {shown} from {origins.get(key, 'default')} is not allowed", hint=f"{key} takes {allowed(key)}"
    )


def other_variables() -> dict[str, list[str]]:
    """The other names of variables, by the key that they set."""
    names: dict[str, list[str]] = {}
    for name, key in (*ALIASES.items(), ("MODEL_NAME", "realtime.model")):
        names.setdefault(key, []).append(name)
    return names


def env_example() -> str:
    """The text of `.env.example`: every setting as a commented variable, with its default and what is allowed."""
    lines = ["# Copy to .env and uncomment what you need. Generated: reachy-mind config example > .env.example"]
    defaults = Settings()
    aliases = other_variables()
    for key, field in FIELDS.items():
        section, name = key.split(".")
        value = getattr(getattr(defaults, section), name)
        also = f" Also: {', '.join(aliases[key])}." if key in aliases else ""
        takes = allowed(key).split(" (")[0]
        lines += ["", f"# {field.description}. {takes[0].upper()}{takes[1:]}.{also}"]
        shown = json.dumps(value) if isinstance(value, dict) else "" if value is None else value
        shown = ",".join(shown) if isinstance(shown, tuple) else shown
        lines.append(f"#{variable(key)}={shown}")
    return "\n".join(lines) + "\n"
