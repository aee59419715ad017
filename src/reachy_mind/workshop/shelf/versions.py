"""`NewVersion` and `ToolVersion`: one version of a generated tool, identified by the hash of its content.

The hash covers what a version does and may do: code, name, description, parameters, capabilities, time limit and
cases. The person's request is no part of it, so that it can be erased without a change of the version.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from reachy_mind.errors import InvalidParameter, MindError
from reachy_mind.tools.definition import NAME
from reachy_mind.workshop.capabilities import Capabilities
from reachy_mind.workshop.run_report import MAX_CODE_BYTES, MAX_TOOL_TIMEOUT_S

FORMAT = 1
DEFAULT_TOOL_TIMEOUT_S = 300.0
MAX_TEXT, MAX_REQUEST, MAX_EXPLANATION = 4000, 10_000, 20_000
MAX_JSON = {"cases": 256_000, "results": 1_500_000}
MAX_LISTED, MAX_PARAMETER, MAX_PARAMETER_NAME = 50, 1000, 64
MAX_SENTENCE_ARGUMENTS = 4
_IDENTITY = ("name", "code", "description", "parameters", "capabilities", "timeout_s", "cases")


class ShelfError(MindError):
    """The shelf can't be read or written."""

    code = "SHELF_ERROR"


class NoSuchVersion(InvalidParameter):
    """There is no such tool or version on the shelf."""

    code = "NOT_FOUND"


class NotApproved(MindError):
    """A version can't be used: no person approved it, or it was rejected or put in quarantine."""

    code = "NOT_APPROVED"


class NotTested(MindError):
    """A version that passed no trial here can't be approved."""

    code = "NOT_TESTED"


class TamperedVersion(MindError):
    """The stored files of a version, or its log, are not what was written."""

    code = "TAMPERED"


class VersionState(StrEnum):
    """How far a version has come."""

    DRAFT = "draft"
    TESTED = "tested"
    APPROVED = "approved"
    ACTIVE = "active"
    RETIRED = "retired"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"


@dataclass(frozen=True)
class NewVersion:
    """A version before it is on the shelf. Raises InvalidParameter for content that can't be one."""

    name: str
    code: str
    description: str
    parameters: tuple[dict[str, Any], ...] = ()
    """As `workshop check` reports them: name, type, required, default."""
    capabilities: tuple[str, ...] = ()
    timeout_s: float = DEFAULT_TOOL_TIMEOUT_S
    """How long one call may take, in real time."""
    cases: tuple[dict[str, Any], ...] = ()
    results: dict[str, Any] | None = None
    """The verdict of its trial here, with `passed`; None when it was not tried."""
    author: str = "person"
    """`recipe:NAME`, `model:NAME` or `person`."""
    explanation: str = ""
    """What it does, for a person who decides about it."""
    language: str = "en"
    """Of the explanation, and of what it says."""
    sentences: tuple[str, ...] = ()
    """How people ask for it: `Tool.sentences`."""
    request: str = ""
    """The person's own words."""
    person: str = ""
    """Whose words these are, if it is known."""
    signer: str = ""
    """Fingerprint of the key that signed the bundle it was imported from; empty for a tool that was made here."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise InvalidParameter(f"a tool can't be called {str(self.name)[:80]!r}", hint="small letters, digits, _")
        for what, most in (
            ("code", MAX_CODE_BYTES),
            ("description", MAX_TEXT),
            ("author", 200),
            ("explanation", MAX_EXPLANATION),
            ("language", 10),
            ("request", MAX_REQUEST),
            ("person", 200),
            ("signer", 200),
        ):
            _require_text(what, getattr(self, what), most)
        if not self.description.strip() or not self.code.strip():
            raise InvalidParameter(f"{self.name} has no code or no description", hint="a docstring says what it does")
        if not isinstance(self.timeout_s, int | float) or not 0 < self.timeout_s <= MAX_TOOL_TIMEOUT_S:
            raise InvalidParameter(f"a timeout of {self.timeout_s!r} s", hint=f"at most {MAX_TOOL_TIMEOUT_S:g} s")
        _require_parameters(self.parameters)
        _require_sentences(self.sentences)
        for what, most in MAX_JSON.items():
            _require_json(what, getattr(self, what), most)
        object.__setattr__(self, "timeout_s", float(self.timeout_s))
        object.__setattr__(self, "capabilities", _capabilities(self.capabilities))

    @property
    def manifest(self) -> dict[str, Any]:
        """What the hash covers."""
        content = {key: getattr(self, key) for key in _IDENTITY}
        return content | {key: list(content[key]) for key in ("parameters", "capabilities", "cases")}

    @property
    def sha256(self) -> str:
        return digest({"format": FORMAT} | self.manifest)

    @property
    def passed(self) -> bool:
        """Whether it passed a trial here."""
        return self.results is not None and self.results.get("passed") is True

    @classmethod
    def from_manifest(cls, manifest: dict[str, Any], **about: Any) -> NewVersion:
        """From the JSON of a stored or imported version. Raises InvalidParameter."""
        if manifest.keys() != set(_IDENTITY) or not all(
            isinstance(manifest[key], list) for key in ("parameters", "capabilities", "cases")
        ):
            raise InvalidParameter("this is not the description of a tool", hint=f"it has {', '.join(_IDENTITY)}")
        lists = {key: tuple(manifest[key]) for key in ("parameters", "capabilities", "cases")}
        return cls(**(manifest | lists), **about)


@dataclass(frozen=True, kw_only=True)
class ToolVersion(NewVersion):
    """A version on the shelf. `trouble` says why its files are not to be trusted; its content is empty then."""

    number: int
    hash: str
    state: VersionState
    created_at: float
    approved_by: str = ""
    approved_at: float | None = None
    reason: str = ""
    """Why it was rejected or put in quarantine."""
    faults: tuple[str, ...] = ()
    """What it did since its approval: runs that were killed or that asked for what it may not do."""
    noticed: tuple[str, ...] = ()
    """Calls that it made since, and in no case of its trial."""
    known_signer: bool = True
    """False for an import signed by somebody none of whose tools was approved here."""
    trouble: str = ""

    def __post_init__(self) -> None:
        if not self.trouble:
            super().__post_init__()

    @property
    def sha256(self) -> str:
        return self.hash

    def as_dict(self, *, whole: bool = False) -> dict[str, Any]:
        """As JSON values; `whole`: with code, cases and results."""
        shown: dict[str, Any] = {
            "name": self.name,
            "version": self.number,
            "sha256": self.hash,
            "state": self.state.value,
            "description": self.description,
            "capabilities": list(self.capabilities),
            "author": self.author,
            "signer": self.signer,
            "known_signer": self.known_signer,
            "created_at": self.created_at,
            "approved_by": self.approved_by,
            "approved_at": self.approved_at,
            "passed": self.passed,
            "reason": self.reason,
            "faults": list(self.faults),
            "noticed": list(self.noticed),
            "trouble": self.trouble,
        }
        if whole:
            shown |= {
                "code": self.code,
                "parameters": list(self.parameters),
                "timeout_s": self.timeout_s,
                "explanation": self.explanation,
                "language": self.language,
                "sentences": list(self.sentences),
                "request": self.request,
                "cases": list(self.cases),
                "results": self.results,
            }
        return shown


def canonical(content: Any) -> bytes:
    """The one JSON spelling of a value. Raises ValueError for what is no JSON."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.encode()


def digest(content: Any) -> str:
    """SHA-256 of the canonical JSON."""
    return hashlib.sha256(canonical(content)).hexdigest()


def content_of(new: NewVersion) -> dict[str, Any]:
    """The fields that a new version has, of one that may be on the shelf already."""
    return {each.name: getattr(new, each.name) for each in fields(NewVersion)}


def _require_text(what: str, value: object, most: int) -> None:
    if not isinstance(value, str) or len(value.encode("utf-8", "replace")) > most:
        raise InvalidParameter(f"the {what} of the tool is no text, or too long", hint=f"at most {most} bytes")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidParameter(f"the {what} of the tool is not valid Unicode", hint="UTF-8 text") from None


def _capabilities(given: object) -> tuple[str, ...]:
    """The capabilities, each once and in order. Raises InvalidParameter."""
    if not isinstance(given, tuple) or len(given) > MAX_LISTED or not all(isinstance(each, str) for each in given):
        raise InvalidParameter("the capabilities are no list, or too many", hint=f"at most {MAX_LISTED}")
    if any("," in each or each != each.strip() for each in given):
        raise InvalidParameter("a capability has a comma or a blank", hint="one entry for each")
    return tuple(sorted(Capabilities.parse(given).words))


def _require_parameters(parameters: object) -> None:
    if not isinstance(parameters, tuple) or len(parameters) > MAX_LISTED:
        raise InvalidParameter("the parameters are no list, or too many", hint=f"at most {MAX_LISTED}")
    names = set()
    for each in parameters:
        if not isinstance(each, dict) or not _is_parameter(each) or each["name"] in names:
            hint = "as `reachy-mind workshop check` reports them"
            raise InvalidParameter(f"{str(each)[:80]} is no parameter, or stands there twice", hint=hint)
        names.add(each["name"])


def _is_parameter(given: dict[str, Any]) -> bool:
    name, kind, default = given.get("name"), given.get("type"), given.get("default", "")
    texts = isinstance(name, str) and isinstance(kind, str | None) and isinstance(default, str)
    known = given.keys() <= {"name", "type", "required", "default"} and isinstance(given.get("required"), bool)
    named = str(name).isidentifier() and len(str(name)) <= MAX_PARAMETER_NAME
    return known and texts and named and len(f"{name}{kind}{default}") <= MAX_PARAMETER


def _require_sentences(sentences: object) -> None:
    if not isinstance(sentences, tuple) or len(sentences) > MAX_LISTED:
        raise InvalidParameter("the sentences are no list, or too many", hint=f"at most {MAX_LISTED}")
    for each in sentences:
        _require_text("sentence", each, MAX_PARAMETER)
        # Each argument stands for any words: with many of them a long sentence takes for ever to compare.
        if each.count('="') > MAX_SENTENCE_ARGUMENTS:
            raise InvalidParameter("a sentence has too many arguments", hint=f"at most {MAX_SENTENCE_ARGUMENTS}")


def _require_json(what: str, value: object, most: int) -> None:
    try:
        size = len(canonical(value))
    except (ValueError, TypeError, RecursionError):
        size = most + 1
    if size > most:
        raise InvalidParameter(f"the {what} are no JSON, or too long", hint=f"at most {most // 1000} kB")
