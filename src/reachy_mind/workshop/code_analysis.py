"""Static analysis of one file of code: signature, docstring, capabilities, common mistakes. It never runs the code.

Run as a program in a process of its own (`check` does), because a file can be made so that parsing it takes all
memory: code on standard input as JSON {"code", "filename", "tools": {name: capability}}, a JSON report on standard
output. Which function is the tool, the sandbox itself decides (`jail.entry_point`).
"""

from __future__ import annotations

import ast
import io
import json
import re
import sys
from pathlib import PurePath
from typing import Any
from urllib.parse import urlsplit

from reachy_mind.system.resource_limits import set_limit
from reachy_mind.workshop.jail.entry_point import entry_function

MEMORY_BYTES, CPU_S = 1 << 30, 5
TYPES = frozenset(
    ("str", "int", "float", "bool", "list", "dict", "tuple", "set", "Any", "None", "Literal", "Annotated")
)
TYPES |= frozenset(("Optional", "Union", "List", "Dict", "Tuple", "Sequence", "Mapping", "bytes", "Field"))
MOTION = frozenset(
    [
        "goto_target",
        "set_target",
        "set_target_head_pose",
        "set_target_antenna_joint_positions",
        "set_target_body_yaw",
        "look_at_world",
        "look_at_image",
        "wake_up",
        "goto_sleep",
        "play_move",
        "async_play_move",
        "start_head_tracking",
        "stop_head_tracking",
        "enable_motors",
        "disable_motors",
        "enable_gravity_compensation",
        "disable_gravity_compensation",
    ]
)
CAMERA = frozenset(("get_frame", "get_frame_jpeg", "get_tracked_face", "look_at_image"))
SPEAKER, MICROPHONE = frozenset(("push_audio_sample", "play_sound")), frozenset(("get_audio_sample",))
NEVER_AVAILABLE = frozenset(["subprocess", "socket", "ctypes", "multiprocessing", "signal", "pty", "fcntl", "resource"])
LISTED = 50
NO_FUNCTION: dict[str, Any] = {"name": None, "description": "", "parameters": [], "returns": None, "is_async": False}


class Analysis:
    """The report on one file."""

    def __init__(self, code: str, filename: str, tools: dict[str, str]) -> None:
        self._code, self._filename, self._tools = code, filename, tools
        self.findings: list[dict[str, Any]] = []
        self.capabilities: set[str] = set()
        self.calls: set[str] = set()

    def add(self, level: str, code: str, message: str, line: int = 0, hint: str = "") -> None:
        if len(self.findings) < LISTED:
            self.findings.append({"level": level, "code": code, "message": message, "line": line, "hint": hint})

    def report(self) -> dict[str, Any]:
        """The findings, and what the tool is: its name, parameters, capabilities."""
        function = dict(NO_FUNCTION)
        try:
            tree = ast.parse(self._code, self._filename)
            compile(self._code, self._filename, "exec", dont_inherit=True)
        except SyntaxError as error:
            self.add("error", "SYNTAX", str(error.msg), error.lineno or 0, "Python 3.11")
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            self.add("error", "SYNTAX", f"the file can't be parsed: {str(error) or type(error).__name__}")
        else:
            function = self._function(tree)
            self._used(tree)
            self._imports(tree)
            self._flakes()
        return {
            "ok": not any(finding["level"] == "error" for finding in self.findings),
            **function,
            "capabilities": sorted(self.capabilities),
            "tools": sorted(self.calls),
            "findings": sorted(self.findings, key=lambda finding: finding["line"]),
        }

    # Signature

    def _function(self, tree: ast.Module) -> dict[str, Any]:
        chosen = entry_function(tree, PurePath(self._filename).stem)
        if chosen is None:
            self.add("error", "NO_FUNCTION", "the file defines no public function", hint="async def name(...) -> dict")
            return dict(NO_FUNCTION)
        if not isinstance(chosen, ast.AsyncFunctionDef):
            self.add("info", "NOT_ASYNC", f"{chosen.name} is not async", chosen.lineno, "tools are 'async def'")
        description = ast.get_docstring(chosen) or ""
        if not description:
            self.add("error", "NO_DOCSTRING", f"{chosen.name} has no docstring", chosen.lineno, "say what it does")
        if chosen.returns is None:
            self.add("warning", "NO_RETURN_TYPE", f"{chosen.name} has no return type", chosen.lineno, "-> dict")
        return {
            "name": chosen.name,
            "description": description,
            "parameters": self._parameters(chosen),
            "returns": ast.unparse(chosen.returns) if chosen.returns is not None else None,
            "is_async": isinstance(chosen, ast.AsyncFunctionDef),
        }

    def _parameters(self, function: ast.AsyncFunctionDef | ast.FunctionDef) -> list[dict[str, Any]]:
        given = function.args
        if given.vararg or given.kwarg:
            self.add("error", "VARIABLE_PARAMETERS", "*args and **kwargs have no schema", function.lineno, "name each")
        if given.posonlyargs:
            self.add("error", "POSITIONAL_ONLY", "arguments are passed by name", function.lineno, "remove the /")
        plain = [*given.posonlyargs, *given.args]
        defaults: list[ast.expr | None] = [None] * (len(plain) - len(given.defaults)) + list(given.defaults)
        return [
            self._parameter(parameter, default)
            for parameter, default in (
                *zip(plain, defaults, strict=True),
                *zip(given.kwonlyargs, given.kw_defaults, strict=True),
            )
        ]

    def _parameter(self, parameter: ast.arg, default: ast.expr | None) -> dict[str, Any]:
        kind = ast.unparse(parameter.annotation) if parameter.annotation is not None else None
        if kind is None:
            self.add("error", "NO_TYPE", f"{parameter.arg} has no type", parameter.lineno, f"{parameter.arg}: int")
        elif unknown := set(re.findall(r"[A-Za-z_]\w*", re.sub(r"(['\"]).*?\1", "", kind))) - TYPES:
            names = ", ".join(sorted(unknown))
            self.add("warning", "TYPE", f"{parameter.arg}: {names} has no JSON type", parameter.lineno, "str, int ...")
        described: dict[str, Any] = {"name": parameter.arg, "type": kind, "required": default is None}
        return described if default is None else described | {"default": ast.unparse(default)}

    # Capabilities

    def _used(self, tree: ast.Module) -> None:
        defined = {
            node.name
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                self._call(node, defined)
            elif isinstance(node, ast.AsyncFunctionDef):
                self._blocking(node)
            elif isinstance(node, ast.ExceptHandler) and node.type is None:
                self.add("warning", "BARE_EXCEPT", "catches everything", node.lineno, "except Exception as error:")

    def _call(self, node: ast.Call, defined: set[str]) -> None:
        match node.func:
            case ast.Attribute(value=ast.Name(id="tools"), attr="call") if node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    self._tool(first.value, node.lineno)
                else:
                    self.add("info", "COMPUTED_TOOL", "calls a tool whose name is computed", node.lineno)
            case ast.Attribute(value=ast.Name(id="requests"), attr=verb) if verb in ("get", "post", "head", "request"):
                self._http(node)
            case (
                ast.Attribute(value=ast.Attribute(attr="camera"), attr="read")
                | ast.Attribute(value=ast.Name(id="sight"), attr="locate")
            ):
                self.capabilities.add("camera")
            case ast.Attribute(attr=name):
                sets = (("motion", MOTION), ("camera", CAMERA), ("speak", SPEAKER), ("microphone", MICROPHONE))
                self.capabilities |= {capability for capability, names in sets if name in names}
            case ast.Name(id=name) if name in self._tools and name not in defined:
                self._tool(name, node.lineno)

    def _tool(self, name: str, line: int) -> None:
        bare = name.rpartition(".")[2]
        if bare not in self._tools:
            self.add("error", "UNKNOWN_TOOL", f"there is no tool {name!r}", line, "reachy-mind tools list")
            return
        self.calls.add(bare)
        self.capabilities |= set(filter(None, self._tools[bare].split(",")))

    def _http(self, node: ast.Call) -> None:
        for argument in node.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and "://" in argument.value:
                self.capabilities.add(f"http:{urlsplit(argument.value).netloc}")
                return
        self.capabilities.add("http")

    def _blocking(self, function: ast.AsyncFunctionDef) -> None:
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "time.sleep":
                message = "time.sleep in an async function holds up its other tasks"
                self.add("info", "BLOCKING_SLEEP", message, node.lineno, "await asyncio.sleep(...)")

    # Imports and names

    def _imports(self, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            for name in names:
                if name.partition(".")[0] in NEVER_AVAILABLE:
                    message = f"{name} has no effect in the sandbox: the kernel refuses what it does"
                    self.add("warning", "NO_EFFECT", message, node.lineno, "use the robot and its tools")

    def _flakes(self) -> None:
        try:
            from pyflakes import api, reporter  # noqa: PLC0415
        except ImportError:
            return
        warnings = io.StringIO()
        api.check(self._code, self._filename, reporter.Reporter(warnings, io.StringIO()))
        for row in warnings.getvalue().splitlines():
            line, _, message = row.removeprefix(f"{self._filename}:").partition(": ")
            undefined = re.fullmatch(r"undefined name '(\w+)'", message)
            if undefined and undefined[1] in self._tools:
                continue
            level = "error" if undefined else "warning"
            number = line.partition(":")[0]
            self.add(level, "NAME" if undefined else "LINT", message, int(number) if number.isdigit() else 0)


def main() -> None:
    set_limit("RLIMIT_AS", MEMORY_BYTES)  # not on Windows: there the caller's timeout is the only bound
    set_limit("RLIMIT_CPU", CPU_S)
    job = json.load(sys.stdin)
    json.dump(Analysis(job["code"], job["filename"], job["tools"]).report(), sys.stdout)


if __name__ == "__main__":
    main()
