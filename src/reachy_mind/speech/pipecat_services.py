"""Speech services of pipecat's by name: `openai`, `deepgram`, `elevenlabs`, ... in the place of our own ears or voice.

A name is a folder of `pipecat.services`, or a class in it: `openai`, `openai:OpenAIRealtimeSTTService`. Options go to
the service's constructor or its settings, whichever has them. A key comes from the environment, `DEEPGRAM_API_KEY` and
the like, and nowhere else.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import os
import pkgutil
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Literal

from pipecat.processors.frame_processor import FrameProcessor

from reachy_mind.errors import InvalidParameter, NotReady

Kind = Literal["stt", "tts"]
_WORDS: dict[Kind, str] = {"stt": "ears", "tts": "voice"}


def names(kind: Kind) -> list[str]:
    """The services there are, whether or not their libraries are installed."""
    folder = importlib.import_module("pipecat.services").__path__
    found = [module.name for module in pkgutil.iter_modules(folder) if module.ispkg]
    return [name for name in found if importlib.util.find_spec(f"pipecat.services.{name}.{kind}") is not None]


def chosen(wanted: str, kind: Kind, options: Mapping[str, Any]) -> FrameProcessor | None:
    """A service instead of the local part, if one is named. Raises as `service` does."""
    return service(wanted, kind, options) if wanted else None


def service(
    wanted: str, kind: Kind, options: Mapping[str, Any], environ: Mapping[str, str] = os.environ
) -> FrameProcessor:
    """A service, ready for a pipeline. Raises InvalidParameter for a name or an option it does not have, and NotReady
    when its library or its key is missing."""
    name, _, class_name = wanted.partition(":")
    made = _class(_module(name, kind), name, kind, class_name)
    arguments, settings = _sorted(made, dict(options), wanted)
    takes = inspect.signature(made.__init__).parameters
    if "api_key" in takes and "api_key" not in arguments:
        key = environ.get(f"{name.upper()}_API_KEY", "")
        if not key and takes["api_key"].default is inspect.Parameter.empty:
            raise NotReady(f"{wanted} needs a key", hint=f"set {name.upper()}_API_KEY in the environment or in .env")
        if key:
            arguments["api_key"] = key
    if settings:
        arguments["settings"] = made.Settings(**settings)
    try:
        processor: FrameProcessor = made(**arguments)
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"{wanted} does not take these options: {error}") from error
    return processor


def _module(name: str, kind: Kind) -> ModuleType:
    try:
        known = importlib.util.find_spec(f"pipecat.services.{name}.{kind}") is not None
    except (ModuleNotFoundError, ValueError):
        known = False
    if not known:
        raise InvalidParameter(f"no {_WORDS[kind]} called {name!r}", hint=f"there are: {', '.join(names(kind))}")
    try:
        return importlib.import_module(f"pipecat.services.{name}.{kind}")
    except ImportError as error:
        raise NotReady(
            f"the service {name} needs a library that is not installed: {error}",
            hint=f"pip install 'pipecat-ai[{name}]'",
        ) from error


def _class(module: ModuleType, name: str, kind: Kind, wanted: str) -> Any:
    """The class that is meant; without its name, the plainest of the module's own."""
    suffix = f"{kind.upper()}Service"
    own = {
        one.__name__: one
        for one in vars(module).values()
        if inspect.isclass(one) and one.__module__ == module.__name__ and one.__name__.endswith(suffix)
    }
    if wanted and wanted in own:
        return own[wanted]
    plain = [one for one in own if "Base" not in one]
    if wanted or not plain:
        raise InvalidParameter(f"{name} has no service {wanted!r}", hint=f"it has: {', '.join(own)}")
    return own[min(plain, key=len)]


def _sorted(made: Any, options: dict[str, Any], wanted: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options for the settings and for the constructor: what both have is a setting."""
    fields = {field.name for field in dataclasses.fields(made.Settings)} if hasattr(made, "Settings") else set()
    takes = inspect.signature(made.__init__).parameters
    unknown = [name for name in options if name not in fields and name not in takes]
    if unknown:
        hint = f"it has: {', '.join(sorted((fields | set(takes)) - {'self', 'kwargs', 'settings', 'api_key'}))}"
        raise InvalidParameter(f"{wanted} has no option {', '.join(unknown)}", hint=hint)
    settings = {name: value for name, value in options.items() if name in fields}
    return {name: value for name, value in options.items() if name not in fields}, settings
