"""`Agents`: a brain made of a coordinator agent and specialists, run by the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from reachy_mind.brains.brain import Brain, Done, Said, Thought, Turn
from reachy_mind.cancellation import cancel_and_wait
from reachy_mind.config.configuration import Configuration
from reachy_mind.errors import ConfigError, MissingExtra

try:
    from agents import InputGuardrailTripwireTriggered, RunConfig, Runner
    from agents.run_config import ToolExecutionConfig
except ImportError as error:
    raise MissingExtra("the brain 'agents'", "agents") from error

from reachy_mind.brains.agents import history, roles, trace_events
from reachy_mind.brains.agents.budget import Budget
from reachy_mind.brains.agents.endpoint import ServerAddress
from reachy_mind.brains.agents.guardrails import REFUSAL, ROBOT_SAFETY
from reachy_mind.brains.agents.model_errors import as_brain_error
from reachy_mind.brains.agents.models import ModelSource, is_simple, model_source
from reachy_mind.brains.agents.roles import COORDINATOR, Role
from reachy_mind.brains.agents.team import Team, build_team
from reachy_mind.brains.agents.tool_functions import format_unknown_tool
from reachy_mind.brains.agents.turn_context import TurnContext, current
from reachy_mind.brains.injection_guard import InjectionGuard
from reachy_mind.brains.reply_filter import ReplyFilter
from reachy_mind.tools.definition import Tool

WORKFLOW = "reachy-mind turn"


@dataclass(frozen=True)
class _CachedTeam:
    """A team, with the tools and the prompt it was built for."""

    tools: Sequence[Tool]
    prompt: str
    team: Team


class Agents:
    """Runs the SDK once per turn. Teams are cached while tools and personality stay the same.

    `calls`: the most model calls in one turn. `host`: named in errors. `secrets`: values that are never said.
    """

    name = "agents"

    def __init__(
        self,
        source: ModelSource,
        budget: Budget,
        roles: Sequence[Role],
        *,
        calls: int,
        host: str,
        secrets: frozenset[str],
    ) -> None:
        self._source, self._budget, self._roles = source, budget, roles
        self._calls, self._host, self._secrets = calls, host, secrets
        self._teams: dict[bool, _CachedTeam] = {}

    @property
    def agents(self) -> Sequence[str]:
        """The names of its agents."""
        return tuple(role.name for role in self._roles)

    async def think(self, turn: Turn) -> AsyncGenerator[Thought, None]:
        """Raises BrainUnavailable without a model or budget, after a timeout, and for an invalid answer."""
        context = TurnContext(turn, self._budget, ReplyFilter(turn, self._secrets), InjectionGuard(turn), COORDINATOR)
        run_task = asyncio.create_task(self._run(context), name="team")
        run_task.add_done_callback(lambda _: context.thoughts.put_nowait(None))
        try:
            while (thought := await context.thoughts.get()) is not None:
                yield thought
            run_task.result()
        finally:
            if not run_task.done():
                await cancel_and_wait(run_task)
            elif not run_task.cancelled():
                run_task.exception()  # retrieved, so that asyncio does not log it
        if not context.reply.said and not context.calls:
            yield Said("I have nothing to say to that.")
        used = context.used
        yield Done(self._budget.cost(used), used.input_tokens, used.output_tokens, agent=context.agent)

    async def _run(self, context: TurnContext) -> None:
        current.set(context)
        try:
            team = await self._team(context.turn)
            first = team.first(context.turn.preferred)
            if first is not team.coordinator:
                context.hand_to(first.name, "you prefer it for this")
            result = Runner.run_streamed(
                first,
                cast("list[Any]", history.input_items(context.turn)),
                context=context,
                max_turns=self._calls,
                run_config=self._run_config(context.turn),
            )
            try:
                async for _ in result.stream_events():
                    pass  # thoughts are queued where they arise: MeteredModel, tool_functions, team
            finally:
                result.cancel()
                if result.run_loop_task is not None:
                    await asyncio.wait([result.run_loop_task])
            if error := result.run_loop_exception:
                raise error
            context.flush_text()
        except InputGuardrailTripwireTriggered:
            context.add_text(REFUSAL)
            context.flush_text()
        except Exception as error:
            context.flush_text()
            raise as_brain_error(error, self._host) from error

    def _run_config(self, turn: Turn) -> RunConfig:
        return RunConfig(
            workflow_name=WORKFLOW,
            trace_id=f"trace_{turn.id}" if turn.id else None,
            group_id=turn.conversation or None,
            trace_include_sensitive_data=False,
            input_guardrails=[ROBOT_SAFETY],
            # One at a time, in the order of the calls: a robot has one head.
            tool_execution=ToolExecutionConfig(max_function_tool_concurrency=1),
            tool_not_found_behavior="return_error_to_model",
            tool_error_formatter=format_unknown_tool,
        )

    async def _team(self, turn: Turn) -> Team:
        simple = is_simple(turn.text)
        cached = self._teams.get(simple)
        if cached is not None and cached.prompt == turn.instructions and _same_tools(cached.tools, turn.tools):
            return cached.team
        choices = {role.name: await self._source.model_for(role.model, simple=simple) for role in self._roles}
        team = build_team(self._roles, turn.tools, turn.instructions, choices)
        self._teams[simple] = _CachedTeam(turn.tools, turn.instructions, team)
        return team

    async def aclose(self) -> None:
        """Close the connection to the model."""
        await self._source.aclose()


def _same_tools(one: Sequence[Tool], other: Sequence[Tool]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def make(configuration: Configuration) -> Brain:
    """Build the brain. Raises ConfigError for an invalid agents.yaml, NotReady when there is no model."""
    settings = configuration.settings.openai
    team_roles = roles.read_roles(configuration.home.agents_file)
    source = model_source(configuration)
    address = ServerAddress.of(configuration)
    trace_events.replace_exporters(to_openai=settings.traces, key=address.key if address.is_openai else "")
    if settings.usd_per_day and not (settings.usd_per_million_in or settings.usd_per_million_out):
        raise ConfigError(
            "openai.usd_per_day is no limit without prices",
            hint="set openai.usd_per_million_in and openai.usd_per_million_out to those of your model",
        )
    return Agents(
        source,
        Budget(settings, configuration.home.spending_file),
        team_roles,
        calls=settings.calls_per_turn,
        host=source.host,
        secrets=configuration.secrets(),
    )
