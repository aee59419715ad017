"""`TrialCase`: one run of a tool in a trial: its arguments, what is expected, what happens in the scene meanwhile.

    {"input": {"interval": 1, "duration": 5}, "expected": {"count": {">=": 4, "<=": 6}}}
    {"input": {}, "robot": {"words": "new", "photos": {">=": 2}}, "scene": [{"at": 20, "add": "cup"}]}

A person gives cases as JSON or as sentences ("interval 0 gives an error"); others are generated from the parameters of
the tool, and one for each fault.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from reachy_mind.errors import InvalidParameter

MAX_CASES, MAX_GENERATED = 20, 5
MAX_CASES_BYTES = 64_000
MAX_AT_S = 86_400.0
MAX_SCENE_CHANGES, MAX_THING_NAME, MAX_SAID = 50, 60, 500
FAULTS = ("no_frame", "link_lost", "nobody_there")
"""The camera gives no picture; the connection to the robot is lost; the scene is empty."""

Origin = Literal["given", "proposed", "generated", "edge", "fault"]


@dataclass(frozen=True)
class SceneChange:
    """At this second of the trial something appears or goes, a person comes, or somebody says something."""

    at: float
    add: str = ""
    remove: str = ""
    person: bool = False
    say: str = ""

    @classmethod
    def parse(cls, given: Any) -> SceneChange:
        known = {"at", "add", "remove", "person", "say"}
        if not isinstance(given, Mapping) or set(given) - known or not isinstance(given.get("at"), int | float):
            raise InvalidParameter(f"not a change of the scene: {str(given)[:80]}", hint='{"at": 20, "add": "cup"}')
        add, remove, say = (str(given.get(name, "")) for name in ("add", "remove", "say"))
        if not 0 <= given["at"] <= MAX_AT_S or max(len(add), len(remove)) > MAX_THING_NAME or len(say) > MAX_SAID:
            raise InvalidParameter("a change of the scene is within a day, and names are short", hint='{"at": 20}')
        is_person = add == "person"
        comes = is_person or bool(given.get("person", False))
        return cls(float(given["at"]), "" if is_person else add, remove, comes, say)

    def as_dict(self) -> dict[str, Any]:
        return {"at": self.at, "add": self.add, "remove": self.remove, "person": self.person, "say": self.say}


@dataclass(frozen=True)
class TrialCase:
    """`expected` is about the result, `robot` about what the host saw; None expects an end in time without a crash."""

    input: dict[str, Any] = field(default_factory=dict)
    expected: Any = None
    robot: dict[str, Any] = field(default_factory=dict)
    scene: tuple[SceneChange, ...] = ()
    fault: str = ""
    origin: Origin = "given"

    @property
    def title(self) -> str:
        words = ", ".join(f"{name}={json.dumps(value)[:40]}" for name, value in self.input.items()) or "no arguments"
        return f"{words}; {self.fault.replace('_', ' ')}" if self.fault else words

    @property
    def expects_error(self) -> bool:
        return isinstance(self.expected, Mapping) and self.expected.get("status") == "error"

    def given_as(self) -> dict[str, Any]:
        """As a person gives it."""
        scene = [change.as_dict() for change in self.scene]
        others = {"expected": self.expected, "robot": self.robot, "scene": scene}
        return {"input": self.input} | {name: value for name, value in others.items() if value not in (None, {}, [])}

    def as_dict(self) -> dict[str, Any]:
        return {
            "input": self.input,
            "expected": self.expected,
            "robot": self.robot,
            "scene": [change.as_dict() for change in self.scene],
            "fault": self.fault,
            "origin": self.origin,
        }


@dataclass(frozen=True)
class CaseList:
    """Cases, and the sentences that could not be understood."""

    cases: tuple[TrialCase, ...] = ()
    not_understood: tuple[str, ...] = ()


def parse(given: Any, parameters: Sequence[Mapping[str, Any]], origin: Origin = "given") -> CaseList:
    """Cases that somebody gave: objects or sentences. Raises InvalidParameter."""
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise InvalidParameter("test cases are a list", hint='[{"input": {...}, "expected": {...}}]')
    if len(given) > MAX_CASES:
        raise InvalidParameter(f"{len(given)} test cases", hint=f"at most {MAX_CASES}")
    _require_json(given)
    cases, unclear = [], []
    for each in given:
        if isinstance(each, str):
            understood = _from_sentence(each, parameters)
            cases += [understood] if understood else []
            unclear += [] if understood else [each]
        else:
            cases.append(replace(_from_object(each), origin=origin))
    return CaseList(tuple(cases), tuple(unclear))


def _require_json(given: Sequence[Any]) -> None:
    """Raises InvalidParameter for cases that can't be stored: too long, too deep, or with NaN in them."""
    try:
        size = len(json.dumps(list(given), allow_nan=False))
    except (ValueError, TypeError, RecursionError):
        raise InvalidParameter(
            "the test cases are no JSON", hint="no NaN, no infinity, nothing nested deeply"
        ) from None
    if size > MAX_CASES_BYTES:
        raise InvalidParameter("the test cases are too long", hint=f"at most {MAX_CASES_BYTES // 1000} kB together")


def _from_object(given: Any) -> TrialCase:
    known = {"input", "expected", "robot", "scene"}
    if not isinstance(given, Mapping) or set(given) - known:
        hint = "its keys: input, expected, robot, scene"
        raise InvalidParameter(f"not a test case: {str(given)[:80]}", hint=hint)
    arguments, robot = given.get("input", {}), given.get("robot", {})
    if not isinstance(arguments, Mapping) or not isinstance(robot, Mapping):
        raise InvalidParameter("input and robot of a test case are objects", hint='{"input": {"interval": 5}}')
    changes = given.get("scene", ())
    if not isinstance(changes, list | tuple) or len(changes) > MAX_SCENE_CHANGES:
        raise InvalidParameter("the scene of a test case is a list", hint=f"at most {MAX_SCENE_CHANGES} changes")
    scene = tuple(SceneChange.parse(each) for each in changes)
    return TrialCase(dict(arguments), given.get("expected"), dict(robot), scene)


_VALUE = r"(-?\d+(?:\.\d+)?|true|false|\"[^\"]*\"|'[^']*')"
_ERROR = re.compile(r"\b(?:error|fail\w*|refus\w*|reject\w*|erreur|fehler|error)\b", re.IGNORECASE)
_NO_ERROR = re.compile(
    rf"(?:\b(?:no|not|never|without|sans|pas|sin|ohne|kein\w*|nicht)\b|n't\b)[^.;]{{0,20}}?{_ERROR.pattern}",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b(?:about|around|~|roughly)?\s*(\d+)\s+(photos?|pictures?|nods?|times)\b", re.IGNORECASE)


def _from_sentence(sentence: str, parameters: Sequence[Mapping[str, Any]]) -> TrialCase | None:
    """A sentence that names values of parameters, and an error or a number of photos; None when it is unclear."""
    found: dict[str, Any] = {}
    for parameter in parameters:
        name = str(parameter["name"])
        spoken = re.escape(name).replace("_", "[_ ]")
        if match := re.search(rf"\b{spoken}\s*(?:=|:|is|of|to|with)?\s*{_VALUE}", sentence, re.IGNORECASE):
            found[name] = _literal(match[1])
    missing = [parameter for parameter in parameters if parameter["required"] and parameter["name"] not in found]
    if (not found and parameters) or missing:
        return None
    if _NO_ERROR.search(sentence):
        return TrialCase(found)
    if _ERROR.search(sentence):
        return TrialCase(found, {"status": "error"})
    if match := _COUNT.search(re.sub(_VALUE + r"(?=\s*(?:s|sec|min))", "", sentence)):
        number = int(match[1])
        slack = max(round(number * 0.25), 1)
        if match[2].lower().startswith(("photo", "picture")):
            return TrialCase(found, None, {"photos": {">=": number - slack, "<=": number + slack}})
    return None


def _literal(text: str) -> Any:
    return json.loads(text.lower()) if text.lower() in ("true", "false") else ast.literal_eval(text)


def generated(parameters: Sequence[Mapping[str, Any]], usual: Mapping[str, Any] | None = None) -> list[TrialCase]:
    """Cases from the signature: usual values first, then one parameter at a time at its edges."""
    base = {str(parameter["name"]): _usual(parameter, usual or {}) for parameter in parameters}
    cases = [TrialCase(dict(base), origin="generated")]
    for parameter in parameters:
        name = str(parameter["name"])
        cases += [
            TrialCase(base | {name: edge}, origin="edge")
            for edge in _edges(str(parameter["type"] or ""))
            if edge != base[name]
        ]
    return _distinct(cases)[:MAX_GENERATED]


def faulty(usual: TrialCase) -> list[TrialCase]:
    """The usual case once for each fault."""
    return [TrialCase(dict(usual.input), fault=fault, origin="fault") for fault in FAULTS]


def _usual(parameter: Mapping[str, Any], usual: Mapping[str, Any]) -> Any:
    if parameter["name"] in usual:
        return usual[parameter["name"]]
    if "default" in parameter:
        try:
            return ast.literal_eval(str(parameter["default"]))
        except (ValueError, SyntaxError):
            pass
    kind = str(parameter["type"] or "")
    if literal := re.match(r"Literal\[(.+)\]", kind):
        return ast.literal_eval(f"[{literal[1]}]")[0]
    simple = {"int": 2, "float": 2.0, "bool": True, "str": "hello", "list": [], "dict": {}}
    return next((value for name, value in simple.items() if kind.startswith(name)), None)


def _edges(kind: str) -> tuple[Any, ...]:
    edges: dict[str, tuple[Any, ...]] = {"int": (0, -1), "float": (0.0, -1.0), "str": ("",), "bool": (False,)}
    return next((values for name, values in edges.items() if kind.startswith(name)), ())


def _distinct(cases: Iterable[TrialCase]) -> list[TrialCase]:
    return list({json.dumps(case.as_dict(), sort_keys=True, default=str): case for case in cases}.values())
