"""The reference: pages that are made of the code each time the site is built, so that they can't be out of date.

sources         what a mind without a robot, and a control plane, know about themselves
tools, api, command_line, settings, events, error_codes    one page each; `api` also that of the fleet
"""

from __future__ import annotations

from website.reference import api, command_line, error_codes, events, settings, tools
from website.reference.sources import Sources, gather

INTRODUCTION = "reference.md"
"""The page of docs/ that tells what there is, also for those who read it without the site."""
GUIDES = {
    "tools.md": "reference/tools.md",
    "permissions.md": "reference/tools.md",
    "api.md": "reference/api.md",
    "command-line.md": "reference/command-line.md",
    "configuration.md": "reference/settings.md",
    "fleet.md": "reference/fleet-api.md",
}
"""Pages of docs/ that explain what a page of the reference lists; each links to it."""


def pages() -> dict[str, str]:
    """Every page of the reference, by its path on the site."""
    known = gather()
    return {
        "reference/tools.md": tools.page(known),
        "reference/api.md": api.page(known.api, known.sockets, **api.OF_MIND),
        "reference/fleet-api.md": api.page(known.fleet_api, {}, **api.OF_FLEET),
        "reference/command-line.md": command_line.page(),
        "reference/settings.md": settings.page(),
        "reference/events.md": events.page(),
        "reference/error-codes.md": error_codes.page(),
    }


__all__ = ["GUIDES", "INTRODUCTION", "Sources", "gather", "pages"]
