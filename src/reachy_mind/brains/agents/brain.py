"""`Agents`: the brain that is a team: a coordinator, and specialists it hands requests on to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from reachy_mind.brains.thought import Brain, Done, Said, Thought, Turn
from reachy_mind.config import Configuration
from reachy_mind.ending import ended
from reachy_mind.errors import ConfigError, MissingExtra

try:
    from agents import InputGuardrailTripwireTriggered, RunConfig, Runner
    from agents.run_config import ToolExecutionConfig
except ImportError as error:
    raise MissingExtra("the brain 'agents'", "agents") from error

from reachy_mind.brains.agents import history, roster, spans
from reachy_mind.brains.agents.budget import Budget
from reachy_mind.brains.agents.endpoint import Address
from reachy_mind.brains.agents.faults import no_thought
from reachy_mind.brains.agents.guardrails import REFUSED, ROBOT_SAFETY
from reachy_mind.brains.agents.hands import unknown
from reachy_mind.brains.agents.models import Source, choose, is_simple
from reachy_mind.brains.agents.roster import ALONE, COORDINATOR, Role
from reachy_mind.brains.agents.team import Team, built
from reachy_mind.brains.agents.utterance import Utterance
from reachy_mind.brains.agents.work import Work, current
from reachy_mind.brains.trust import Trust
from reachy_mind.tools.definition import Tool

WORKFLOW = "reachy-mind turn"


@dataclass(frozen=True)
class _Kept:
    """A team, and what it was made for."""

    tools: Sequence[Tool]
    prompt: str
    team: Team


class Agents:
    """One run of the SDK a turn. Teams are kept for as long as tools and personality stay the same."""

    name = "agents"

    def __init__(
        self, source: Source, budget: Budget, roles: Sequence[Role], *, calls: int, where: str, secrets: frozenset[str]
    ) -> None:
        self._source, self._budget, self._roles = source, budget, roles
        self._calls, self._where, self._secrets = calls, where, secrets
        self._kept: dict[bool, _Kept] = {}

    async def think(self, turn: Turn) -> AsyncGenerator[Thought, None]:
        """Raises NoThought when the model can't be had, is too slow, makes no sense, or the budget is used up."""
        work = Work(turn, self._budget, Utterance(turn, self._secrets), Trust(turn), COORDINATOR)
        running = asyncio.create_task(self._run(work), name="team")
        running.add_done_callback(lambda _: work.thoughts.put_nowait(None))
        try:
            while (thought := await work.thoughts.get()) is not None:
                yield thought
            running.result()
        finally:
            if not running.done():
                await ended(running)
            elif not running.cancelled():
                running.exception()  # nobody waits for it any more, if it failed just now
        if not work.utterance.said and not work.calls:
            yield Said("I have nothing to say to that.")
        used = work.used
        yield Done(self._budget.cost(used), used.read, used.written, agent=work.agent)

    async def _run(self, work: Work) -> None:
        current.set(work)
        try:
            team = await self._team(work.turn)
            result = Runner.run_streamed(
                team.coordinator,
                cast("list[Any]", history.items(work.turn)),
                context=work,
                max_turns=self._calls,
                run_config=self._config(work.turn),
            )
            try:
                async for _ in result.stream_events():
                    pass  # what there is to tell was told where it happened
            finally:
                result.cancel()
                if result.run_loop_task is not None:
                    await asyncio.wait([result.run_loop_task])
            if failed := result.run_loop_exception:
                raise failed
            work.pause()
        except InputGuardrailTripwireTriggered:
            work.hear(REFUSED)
            work.pause()
        except Exception as error:
            work.pause()
            raise no_thought(error, self._where) from error

    def _config(self, turn: Turn) -> RunConfig:
        return RunConfig(
            workflow_name=WORKFLOW,
            trace_id=f"trace_{turn.id}" if turn.id else None,
            group_id=turn.conversation or None,
            trace_include_sensitive_data=False,
            input_guardrails=[ROBOT_SAFETY],
            # In the order they were asked for: a robot has one head.
            tool_execution=ToolExecutionConfig(max_function_tool_concurrency=1),
            tool_not_found_behavior="return_error_to_model",
            tool_error_formatter=unknown,
        )

    async def _team(self, turn: Turn) -> Team:
        simple = is_simple(turn.text)
        kept = self._kept.get(simple)
        if kept is not None and kept.prompt == turn.instructions and _same(kept.tools, turn.tools):
            return kept.team
        choices = {role.name: await self._source.choice(role.model, simple=simple) for role in self._roles}
        team = built(self._roles, turn.tools, turn.instructions, choices)
        self._kept[simple] = _Kept(turn.tools, turn.instructions, team)
        return team

    async def prepare(self, turn: Turn) -> None:
        """A model on this machine gets ready. Raises NoThought when it can't."""
        if self._source.alone:
            team = await self._team(turn)
            await self._source.prepare(team.coordinator)

    async def aclose(self) -> None:
        """Close the connection to the model."""
        await self._source.aclose()


def _same(one: Sequence[Tool], other: Sequence[Tool]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def make(configuration: Configuration) -> Brain:
    """Raises ConfigError for an agents.yaml that can't be understood, NotReady when there is no model at all."""
    settings = configuration.settings.openai
    roles = roster.read(configuration.home.agents_file)
    source = choose(configuration)
    address = Address.of(configuration)
    spans.replace_exporters(to_openai=settings.traces, key=address.key if address.is_openai else "")
    if settings.usd_per_day and not source.alone and not (settings.usd_per_million_in or settings.usd_per_million_out):
        raise ConfigError(
            "openai.usd_per_day is no limit without prices",
            hint="set openai.usd_per_million_in and openai.usd_per_million_out to those of your model",
        )
    return Agents(
        source,
        Budget(settings, configuration.home.spending_file),
        (ALONE,) if source.alone else roles,
        calls=settings.calls_per_turn,
        where=source.host,
        secrets=configuration.secrets(),
    )
