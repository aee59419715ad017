"""`github_tools`: the tools that ask GitHub itself, with the sentences that they serve."""

from __future__ import annotations

from dataclasses import replace

from reachy_mind.developer.github.access import GitHubAccess
from reachy_mind.developer.tools import ci, issues, pull_requests
from reachy_mind.developer.tools.hub_requests import serving
from reachy_mind.tools.definition import Tool


def github_tools(access: GitHubAccess) -> tuple[Tool, ...]:
    """For one mind; `github.access.register` makes the access known to them."""
    serves = serving(access)
    made = (*issues.TOOLS, *pull_requests.tools(access), *ci.TOOLS)
    return tuple(replace(tool, opt_in=True, serves=serves.get(tool.name)) for tool in made)
