"""The API conforms to its OpenAPI description: whatever is sent, the response is documented, and none is a 500.

TEST_API_EXAMPLES=50 tries more (`make test-api`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from reachy_mind.access import rate_limits
from reachy_mind.access.authorization import ROUTE_SCOPES
from reachy_mind.mind import Mind
from reachy_mind.server.app import AsgiApp
from tests.conftest import MODELS
from tests.server.served import serving

EXAMPLES = int(os.environ.get("TEST_API_EXAMPLES", "2"))
CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]


@contextlib.contextmanager
def served(home: Path) -> Iterator[str]:
    """A served mind without a robot, in a thread with its own event loop: the tests here are synchronous."""
    ready, end, told = threading.Event(), asyncio.Event(), []

    async def serve() -> None:
        async with Mind(robot="none").session() as mind, serving(mind) as place:
            told.append((place, asyncio.get_running_loop()))
            ready.set()
            await end.wait()

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REACHY_MIND_HOME", str(home))
        patch.setenv("REACHY_MIND_MODELS__FOLDER", str(MODELS))
        for part in ("EARS", "VOICE"):  # what hypothesis makes up takes long to say
            patch.setenv(f"REACHY_MIND_SPEECH__{part}", "none")
        patch.setattr(rate_limits, "REQUESTS_PER_S", 10_000.0)
        patch.setattr(rate_limits, "REQUEST_BURST", 10_000.0)
        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        thread.start()
        assert ready.wait(60)
        place, loop = told[0]
        try:
            yield place
        finally:
            loop.call_soon_threadsafe(end.set)
            thread.join(30)


@schemathesis.serializer("audio/wav", "audio/l16")
def sound(_: object, value: object) -> bytes:
    """Whatever was made up, as bytes."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def attempts(operation: schemathesis.APIOperation, place: str, mode: GenerationMode) -> None:
    """Requests as they are described, or not as they are; what comes back must be described."""

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def attempt(case: Case) -> None:
        answer = case.call(base_url=f"http://{place}", timeout=60)
        assert answer.status_code != 500, f"{operation.label}: {answer.text}"
        case.validate_response(answer, checks=CHECKS)

    with contextlib.suppress(Unsatisfiable):  # nothing can be wrong about a request that has no parts
        attempt()


@pytest.mark.slow
def test_every_response_is_documented(tmp_path: Path) -> None:
    with served(tmp_path / "home") as place:
        schema = schemathesis.openapi.from_url(f"http://{place}/openapi.json")
        operations = [found.ok() for found in schema.get_all_operations()]
        assert len(operations) > 50
        wrong = []
        for operation in operations:
            for mode in GenerationMode:
                try:
                    attempts(operation, place, mode)
                except (AssertionError, FailureGroup) as error:
                    told = "; ".join(map(str, getattr(error, "exceptions", [error])))
                    wrong.append(f"{operation.label} ({mode.value}): {told}"[:2000])
        assert not wrong, "\n\n".join(wrong)


async def test_every_route_has_a_scope(mind: Mind) -> None:
    """A route without a line requires admin; here it is an oversight."""
    scoped = {route for routes in ROUTE_SCOPES.values() for route in routes}
    described = AsgiApp(mind).routes()
    assert described - scoped == set(), "add them to ROUTE_SCOPES in access/authorization.py"
    assert scoped - described == set(), "there are no such routes any more"
