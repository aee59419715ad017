"""The navigation: `nav` of mkdocs.yml, in which a pattern such as `decisions/*.md` stands for every page it fits."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterator
from typing import Any

Nav = list[Any]
"""As in mkdocs.yml: paths, and titles with a path or a list."""


def expanded(nav: Nav, pages: Collection[str]) -> Nav:
    """With patterns replaced by pages in alphabetical order. What fits none is left out, as a section without pages."""
    found: Nav = []
    for entry in nav:
        if isinstance(entry, str):
            found += sorted(fnmatch.filter(pages, entry)) if _is_pattern(entry) else [entry]
            continue
        for title, inside in entry.items():
            if isinstance(inside, list):
                if section := expanded(inside, pages):
                    found.append({title: section})
            elif not _is_pattern(inside):
                found.append({title: inside})
            elif page := next(iter(sorted(fnmatch.filter(pages, inside))), None):
                found.append({title: page})
    return found


def pages_of(nav: Nav) -> Iterator[str]:
    """Every page in it."""
    for entry in nav:
        for inside in entry.values() if isinstance(entry, dict) else (entry,):
            yield from pages_of(inside) if isinstance(inside, list) else (inside,)


def _is_pattern(path: str) -> bool:
    return any(sign in path for sign in "*?[")
