"""`SessionConfig`: what a Realtime client has set with `session.update`, in the GA form and in the older beta form."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from reachy_mind.errors import InvalidParameter
from reachy_mind.server.openai_api.catalogue import MIND
from reachy_mind.server.openai_api.messages import choice_of, declared_tools
from reachy_mind.server.realtime import audio_format
from reachy_mind.server.realtime.audio_format import AudioFormat
from reachy_mind.tools.client_tools import DeclaredTool

Modality = Literal["audio", "text"]
LONGEST_INSTRUCTIONS = 100_000
DETECTIONS = ("server_vad", "semantic_vad")
DETECTION: dict[str, Any] = {
    "type": "server_vad",
    "threshold": 0.5,
    "prefix_padding_ms": 300,
    "silence_duration_ms": 200,
    "create_response": True,
    "interrupt_response": True,
    "idle_timeout_ms": None,
}


@dataclass
class SessionConfig:
    """`update` changes it, or raises InvalidParameter and leaves it as it is."""

    instructions: str = ""
    modality: Modality = "audio"
    voice: str = ""
    speed: float = 1.0
    input_format: AudioFormat = field(default_factory=AudioFormat)
    output_format: AudioFormat = field(default_factory=AudioFormat)
    transcription: dict[str, Any] | None = None
    detection: dict[str, Any] | None = field(default_factory=lambda: deepcopy(DETECTION))
    """None: the client says when a turn begins and ends."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    tool_choice: Any = "auto"
    beta: bool = False
    """Whether the client uses the older form."""

    @property
    def declared(self) -> tuple[DeclaredTool, ...]:
        return declared_tools(self.tools)

    @property
    def answers_by_itself(self) -> bool:
        """Whether a turn that was heard is answered without being asked to."""
        return self.detection is not None and self.detection.get("create_response") is not False

    def update(self, wanted: Any) -> None:
        if not isinstance(wanted, Mapping):
            raise InvalidParameter("session is no object", hint="see docs/other-programs.md")
        if wanted.get("type", "realtime") != "realtime":
            raise InvalidParameter(f"no session of type {str(wanted['type'])[:40]!r}", hint="realtime")
        changed = deepcopy(self)
        changed._take(_flat(wanted))
        self.__dict__.update(changed.__dict__)

    def _take(self, given: Mapping[str, Any]) -> None:
        for name, value in given.items():
            match name:
                case "instructions":
                    self.instructions = str(value or "")[:LONGEST_INSTRUCTIONS]
                case "modalities":
                    self.modality = modality_of(value)
                case "voice":
                    self.voice = voice_of(value)
                case "speed":
                    self.speed = speed_of(value)
                case "input_format":
                    self.input_format = audio_format.parse(value)
                case "output_format":
                    self.output_format = audio_format.parse(value)
                case "transcription":
                    self.transcription = dict(value) if isinstance(value, Mapping) else None
                case "detection":
                    self.detection = _detection(value)
                case "tools":
                    self.tools = list(value or [])
                    declared_tools(self.tools)
                case "tool_choice":
                    choice_of(value)
                    self.tool_choice = value

    def described(self, session: str) -> dict[str, Any]:
        about: dict[str, Any] = {"object": "realtime.session", "id": session, "model": MIND}
        about |= {"instructions": self.instructions, "tools": self.tools, "tool_choice": self.tool_choice}
        if self.beta:
            return about | {
                "modalities": ["audio", "text"] if self.modality == "audio" else ["text"],
                "voice": self.voice,
                "input_audio_format": self.input_format.beta_name,
                "output_audio_format": self.output_format.beta_name,
                "input_audio_transcription": self.transcription,
                "turn_detection": self.detection,
                "temperature": 0.8,
                "max_response_output_tokens": "inf",
            }
        heard = {"format": self.input_format.described(), "transcription": self.transcription}
        heard |= {"noise_reduction": None, "turn_detection": self.detection}
        spoken = {"format": self.output_format.described(), "voice": self.voice, "speed": self.speed}
        return about | {
            "type": "realtime",
            "output_modalities": [self.modality],
            "audio": {"input": heard, "output": spoken},
            "max_output_tokens": "inf",
        }


def _flat(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Both forms of a session as one: the fields that are given, by our names."""
    names = {
        "output_modalities": "modalities",
        "modalities": "modalities",
        "input_audio_format": "input_format",
        "output_audio_format": "output_format",
        "input_audio_transcription": "transcription",
        "turn_detection": "detection",
    }
    names |= {name: name for name in ("instructions", "voice", "speed", "tools", "tool_choice")}
    found = {names[name]: value for name, value in wanted.items() if name in names}
    audio = wanted.get("audio")
    if audio is None:
        return found
    heard, spoken = _part(audio, "input"), _part(audio, "output")
    inner = {"format": "input_format", "transcription": "transcription", "turn_detection": "detection"}
    found |= {inner[name]: value for name, value in heard.items() if name in inner}
    inner = {"format": "output_format", "voice": "voice", "speed": "speed"}
    return found | {inner[name]: value for name, value in spoken.items() if name in inner}


def _part(audio: Any, name: str) -> Mapping[str, Any]:
    found = audio.get(name) if isinstance(audio, Mapping) else 0
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise InvalidParameter(f"audio.{name} is no object", hint="see docs/other-programs.md")
    return found


def modality_of(value: Any) -> Modality:
    """Raises InvalidParameter."""
    if not isinstance(value, list) or not value or not set(value) <= {"audio", "text"}:
        raise InvalidParameter(f"no modalities {str(value)[:60]}", hint='["audio"] or ["text"]')
    return "audio" if "audio" in value else "text"


def voice_of(value: Any) -> str:
    return str(value.get("id", "") if isinstance(value, Mapping) else value or "")[:100]


def speed_of(value: Any) -> float:
    """Raises InvalidParameter."""
    if not isinstance(value, int | float) or not 0.25 <= value <= 4:
        raise InvalidParameter(f"no speed {str(value)[:20]}", hint="0.25 to 4")
    return min(max(float(value), 0.5), 2.0)


def _detection(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or value.get("type", "server_vad") not in DETECTIONS:
        raise InvalidParameter("no such turn detection", hint=f"{' or '.join(DETECTIONS)}, or null")
    shared = {"type": "server_vad", "create_response": True, "interrupt_response": True}
    usual = DETECTION if value.get("type", "server_vad") == "server_vad" else shared
    return {**usual, **value}
