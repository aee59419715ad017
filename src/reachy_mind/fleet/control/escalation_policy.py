"""Escalation policies: whom an emergency of a tenant is told, when, and how often again.

    {"steps": [{"after_s": 0, "channels": [{"kind": "page"}]},
               {"after_s": 60, "channels": [{"kind": "webhook", "url": "https://...", "secret": "..."}]}],
     "repeat_every_s": 30}

`after_s` counts from when the emergency arrived. The last step is repeated until a person acknowledges.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from reachy_mind import log
from reachy_mind.fleet.control import webhooks
from reachy_mind.fleet.control.addresses import MAX_URL_CHARS
from reachy_mind.fleet.control.store.store import Sql
from reachy_mind.fleet.protocol.frame import now_ms

MAX_STEPS: Final = 8
MAX_CHANNELS: Final = 8

_log = log.get(__name__)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PageChannel(_Strict):
    """The page: an alarm on every open one of the tenant."""

    kind: Literal["page"] = "page"


class WebhookChannel(_Strict):
    """A POST to a web address. `secret` signs it; left out in a change, the one that is stored stays; "" removes it."""

    kind: Literal["webhook"] = "webhook"
    url: Annotated[str, Field(min_length=1, max_length=MAX_URL_CHARS)]
    secret: Annotated[str, Field(max_length=200)] | None = Field(default=None, repr=False)


class EscalationStep(_Strict):
    """Channels that are told at the same time."""

    after_s: Annotated[int, Field(ge=0, le=24 * 3600)] = 0
    channels: Annotated[
        tuple[Annotated[PageChannel | WebhookChannel, Field(discriminator="kind")], ...],
        Field(min_length=1, max_length=MAX_CHANNELS),
    ]


class EscalationPolicy(_Strict):
    """See the module."""

    steps: Annotated[tuple[EscalationStep, ...], Field(min_length=1, max_length=MAX_STEPS)]
    repeat_every_s: Annotated[int, Field(ge=10, le=3600)] = 30

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        times = [step.after_s for step in self.steps]
        if times != sorted(set(times)):
            raise ValueError("each step comes later than the one before")
        return self

    def webhooks(self) -> list[WebhookChannel]:
        return [each for step in self.steps for each in step.channels if isinstance(each, WebhookChannel)]

    def step(self, level: int) -> EscalationStep:
        """What is told the next time, after `level` times."""
        return self.steps[min(level, len(self.steps) - 1)]

    def next_at(self, received_at: int, level: int, now: int) -> int:
        """When it is told the next time, after `level` times."""
        if level < len(self.steps):
            return received_at + self.steps[level].after_s * 1000
        return now + self.repeat_every_s * 1000

    def longest_wait_s(self, level: int) -> int:
        """How long it may take until it is told the next time."""
        if level >= len(self.steps):
            return self.repeat_every_s
        return self.steps[level].after_s - (self.steps[level - 1].after_s if level else 0)

    def keeping_secrets_of(self, old: EscalationPolicy) -> EscalationPolicy:
        """The same, with the stored secrets of those webhooks that are given without one."""
        known = {each.url: each.secret for each in old.webhooks()}

        def kept(channel: PageChannel | WebhookChannel) -> PageChannel | WebhookChannel:
            if isinstance(channel, PageChannel) or channel.secret is not None:
                return channel
            return channel.model_copy(update={"secret": known.get(channel.url)})

        steps = tuple(step.model_copy(update={"channels": tuple(map(kept, step.channels))}) for step in self.steps)
        return self.model_copy(update={"steps": steps})

    def public(self, *, whole: bool) -> dict[str, Any]:
        """For people: no secrets, and unless `whole` no paths of web addresses, which are often secret, too."""
        content = self.model_dump(mode="json")
        for step in content["steps"]:
            for channel in step["channels"]:
                if channel["kind"] == "webhook":
                    channel["signed"] = bool(channel.pop("secret"))
                    channel["url"] = channel["url"] if whole else webhooks.shown(channel["url"])
        return content


DEFAULT: Final = EscalationPolicy(steps=(EscalationStep(channels=(PageChannel(),)),))


def of_tenant(sql: Sql, tenant: str) -> EscalationPolicy:
    """A tenant's policy; the default when there is none, or none that can be read."""
    row = sql.row("SELECT policy FROM escalation WHERE tenant = ?", tenant)
    if row is None:
        return DEFAULT
    try:
        return EscalationPolicy.model_validate_json(row["policy"])
    except ValidationError as error:  # an emergency is told anyway
        _log.error("an escalation policy can't be read: the default is used", tenant=tenant, errors=error.error_count())
        return DEFAULT


def set_policy(sql: Sql, tenant: str, policy: EscalationPolicy, *, by: str) -> EscalationPolicy:
    """Store a tenant's policy; returns it with the secrets that were kept. It holds from the next step on."""
    policy = policy.keeping_secrets_of(of_tenant(sql, tenant))
    sql.run(
        "INSERT INTO escalation (tenant, policy, changed_at, changed_by) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (tenant) DO UPDATE SET policy = excluded.policy, changed_at = excluded.changed_at,"
        " changed_by = excluded.changed_by",
        *(tenant, policy.model_dump_json(), now_ms(), by),
    )
    return policy
