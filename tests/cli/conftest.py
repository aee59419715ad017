"""One running mind for the tests of a module, which spares each command starting one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.minds import Run
from tests.fakes.minds import running as run_at


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """A mind with a simulated robot that holds still, for the tests that leave it as it was."""
    with run_at(tmp_path_factory.mktemp("shared"), "--no-idle") as run:
        yield run


@pytest.fixture
def running(shared: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same; commands attach to it."""
    monkeypatch.setenv("REACHY_MIND_HOME", str(shared.home))
    return shared
