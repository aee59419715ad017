"""`ShelfTools`: the active versions on the shelf as tools in the registry, for every brain, page and program.

Each call reads the version again, checks its hash and that it is still the active one, and runs its code in the
sandbox with the capabilities that a person approved. A version whose runs are killed or denied repeatedly goes into
quarantine. What such a tool returns is text by others to every brain: its source is not `built-in`.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from reachy_mind import log
from reachy_mind.errors import MindError
from reachy_mind.events import Announced
from reachy_mind.models import plain_text
from reachy_mind.tools.context import Context
from reachy_mind.tools.definition import GENERATED, Tier, Tool, ToolError, argument_schema
from reachy_mind.tools.registry import Registry, UnknownTool
from reachy_mind.workshop import creation_texts
from reachy_mind.workshop.draft import RECIPE
from reachy_mind.workshop.parameter_types import arguments_of
from reachy_mind.workshop.run_report import RunReport, RunRequest
from reachy_mind.workshop.shelf.shelf import Shelf
from reachy_mind.workshop.shelf.versions import NotApproved, ToolVersion

GROUP = "generated"
START_S = 90.0
"""Beyond the run's own time, for a confirmation or the start of the sandbox."""
ANNOUNCED = frozenset(("http", "memory", "microphone"))
"""Capabilities whose use people are told of: what they read or send is private."""
MAX_DESCRIPTION, MAX_MESSAGE = 300, 1000
SHELF = "the shelf of the workshop"

_log = log.get(__name__)


class CodeRunner(Protocol):
    """Runs a file of code; `Workshop` does."""

    async def run(self, request: RunRequest, ctx: Context, registry: Registry) -> RunReport: ...
    def report(self, call_id: str) -> RunReport | None: ...


class ShelfTools:
    """Keeps the registry in step with the shelf: call `refresh` after each change of it."""

    def __init__(self, shelf: Shelf, registry: Registry, runner: CodeRunner) -> None:
        self.shelf, self._registry, self._runner = shelf, registry, runner
        self._active: dict[str, ToolVersion] = {}
        self._refused: list[str] = []
        self._lock = asyncio.Lock()

    async def start(self, *, recover: bool) -> None:
        """Register the active tools. `recover`: also remove what a killed process left, as the owner of the folder."""
        if recover:
            try:
                await asyncio.to_thread(self.shelf.recover)
            except MindError as error:
                _log.warning("the shelf could not be cleaned", reason=error.message)
        await self.refresh()

    async def refresh(self) -> None:
        """Register what is active now. A version that can't be used is in the registry's `refused`, with the reason."""
        async with self._lock:
            found, troubles = await asyncio.to_thread(self._read)
            self._registry.remove_source(GENERATED)
            for name in self._refused:
                self._registry.refused.pop(name, None)
            self._active = {}
            for version in found:
                if taken := self.taken(version.name):
                    troubles[version.name] = taken
                else:
                    self._registry.add(self._tool(version))
                    self._active[version.name] = version
            self._registry.refused |= troubles
            self._refused = list(troubles)

    def about(self, tool: Tool) -> dict[str, Any] | None:
        """Version, hash, author and capabilities of a generated tool; None for any other."""
        version = self._active.get(tool.name) if tool.source == GENERATED else None
        if version is None:
            return None
        return {
            "version": version.number,
            "sha256": version.sha256,
            "author": version.author,
            "signer": version.signer,
            "capabilities": list(version.capabilities),
            "approved_by": version.approved_by,
        }

    def active(self) -> list[ToolVersion]:
        """The versions in use."""
        return list(self._active.values())

    def _read(self) -> tuple[list[ToolVersion], dict[str, str]]:
        found, troubles = [], {}
        try:
            names = self.shelf.names()
        except MindError as error:
            _log.warning("the shelf can't be read", reason=error.message, hint=error.hint)
            return [], {SHELF: error.message}
        for name in names:
            try:
                version = self.shelf.active(name)
            except MindError as error:
                _log.warning("a generated tool is left out", tool=name, reason=error.message)
                troubles[name] = error.message
            else:
                found += [version] if version is not None else []
        return found, troubles

    def taken(self, name: str) -> str:
        """Why a tool can't have its name; empty when it can. A generated tool never stands in for another."""
        try:
            other, alias = self._registry.find(name)
        except UnknownTool:
            return ""
        if other.source == GENERATED and not alias:
            return ""
        what = f"{name} is another name of {other.qualified}" if alias else f"there is one, from {other.source}"
        return f"its name is taken: {what}"

    def _tool(self, version: ToolVersion) -> Tool:
        model, check = arguments_of(version.name, version.parameters)
        sha256 = version.sha256

        async def run(ctx: Context, given: dict[str, Any]) -> Any:
            return await self._run(version.name, sha256, ctx, given)

        kinds = {capability.partition(":")[0] for capability in version.capabilities}
        return Tool(
            version.name,
            GROUP,
            _description(version),
            argument_schema(model),
            check,
            run,
            Tier.NOTIFY if kinds & ANNOUNCED else Tier.AUTONOMOUS,
            timeout_s=version.timeout_s + START_S,
            supports_background=True,
            source=GENERATED,
            sentences=version.sentences,
        )

    async def _run(self, name: str, sha256: str, ctx: Context, given: dict[str, Any]) -> dict[str, Any]:
        version = await self._checked(name, sha256)
        capabilities = ",".join(version.capabilities)
        request = RunRequest(version.code, f"{name}.py", given, capabilities, version.timeout_s)
        report = await self._runner.run(request, ctx, self._registry)
        self._runner.report(ctx.call_id)  # nobody will ask for it
        await self._tell_untried(version, report, ctx)
        quarantined = await self._record_faults(version, report)
        if report.status == "ok":
            return _data(version, report)
        error = report.error or {"code": "TOOL_FAILED", "message": report.status, "hint": ""}
        message = f"{name} failed: {error['message']}"
        if quarantined:
            message += "; it failed repeatedly and can't be used until a person approves it again"
        raise ToolError(error["code"], message, hint=error["hint"])

    async def _checked(self, name: str, sha256: str) -> ToolVersion:
        """The version, if it is still the active one and unchanged. Raises NotApproved, TamperedVersion."""
        try:
            version = await asyncio.to_thread(self.shelf.active, name)
            if version is None or version.sha256 != sha256:
                raise NotApproved(f"this version of {name} is not in use any more", hint="ask for it again")
        except MindError:
            await self.refresh()
            raise
        return version

    async def _tell_untried(self, version: ToolVersion, report: RunReport, ctx: Context) -> None:
        """Tell people what a run did for the first time that no case of the trial showed: it may mislead them.

        It is no fault: a tool may wait for something that did not happen in the trial.
        """
        tried = (version.results or {}).get("calls")
        done = {str(call["name"]) for call in report.calls if call["status"] == "ok"}
        if not isinstance(tried, list) or not done - set(tried):
            return
        try:
            new = await asyncio.to_thread(
                self.shelf.record_untried, version.name, version.sha256, sorted(done - set(tried))
            )
        except MindError as error:
            _log.error("calls of a tool could not be recorded", tool=version.name, reason=error.message)
            return
        if new:
            _log.warning("a generated tool did what its trial did not show", tool=version.name, calls=new)
            said = ", ".join(name.rpartition(".")[2].replace("_", " ") for name in new)
            words = f"{version.name.replace('_', ' ')} did what it never did in its trial: {said}."
            about = f"tool {version.name}"
            ctx.parts.bus.publish(Announced(text=words, about=about, conversation=ctx.caller.conversation))

    async def _record_faults(self, version: ToolVersion, report: RunReport) -> bool:
        """Whether the version is in quarantine now."""
        denied = [str(call["name"]) for call in report.calls if call["status"] == "denied"]
        if report.status == "killed":
            reason = (report.error or {}).get("message", "")
            record = asyncio.to_thread(self.shelf.record_kill, version.name, version.sha256, reason)
        elif denied:
            reason = ", ".join(sorted(set(denied)))
            record = asyncio.to_thread(self.shelf.record_denial, version.name, version.sha256, reason)
        else:
            return False
        try:
            quarantined = await record
        except MindError as error:
            _log.error("a fault of a tool could not be recorded", tool=version.name, reason=error.message)
            return False
        if quarantined:
            _log.warning("a generated tool is in quarantine", tool=version.name, version=version.number)
            await self.refresh()
        return quarantined


def _description(version: ToolVersion) -> str:
    """What models and people are told of a tool, on one line: only our own recipes are taken at their word."""
    if version.author.startswith(RECIPE) and not version.signer:
        return version.description.splitlines()[0]
    stated = plain_text.words(version.description, MAX_DESCRIPTION) or "nothing"
    return f"A tool made in the workshop, whose author says of it (not checked): {stated!r}"


def _data(version: ToolVersion, report: RunReport) -> dict[str, Any]:
    """The result of a run as data: a dict with a message that can be said, where photos are, marked as untrusted."""
    result = report.result
    data = dict(result) if isinstance(result, dict) else {"result": result}
    said = data.get("message") if isinstance(result, dict) else result
    words = plain_text.words(said, MAX_MESSAGE) if isinstance(said, str) else ""
    data["message"] = words or f"{version.name.replace('_', ' ')}: done."
    if kept := sum(1 for call in report.calls if _keeps_photo(call)):
        where = creation_texts.said("photos" if kept > 1 else "photo", version.language, count=kept)
        data["message"] = f"{data['message']} {where}"
    if "camera" not in version.capabilities:
        data.pop("photo", None)  # it names a stored photo, which is shown with the result
    if report.artifacts:
        data.setdefault("files", list(report.artifacts))
    return data | {"untrusted": True}


def _keeps_photo(call: dict[str, Any]) -> bool:
    """Whether a call left a photo in the folder, by the host's own record."""
    took = str(call["name"]).rpartition(".")[2] == "take_photo" and call["status"] == "ok"
    return took and call["args"].get("save", True) is True
