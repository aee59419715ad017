"""Links of the pages in docs/, which are written for a repository, made to work on the site."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from website.markup import FENCE, LINK

ROOT_PAGES = {"README.md": "overview.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
"""Pages of the repository's root, and where the site has them."""


def for_site(markdown: str, page: str) -> str:
    """The text of `docs/PAGE`, or of the page of the root that the site has as PAGE, with links as the site has them.

    A link to another file of the repository (code, settings) becomes its text: the site has no such file.
    """
    folder = "" if page in ROOT_PAGES.values() else posixpath.join("docs", posixpath.dirname(page))
    here = posixpath.dirname(page)
    return _outside_code(markdown, lambda text: LINK.sub(lambda found: _link(found, folder, here), text))


def _link(found: re.Match[str], folder: str, here: str) -> str:
    image, text, target, anchor = found[1], found[2], found[3], found[4] or ""
    text = LINK.sub(lambda inside: _link(inside, folder, here), text)
    if not target:
        return found[0]
    file = posixpath.normpath(posixpath.join(folder, target))
    if file in ROOT_PAGES:
        at = ROOT_PAGES[file]
    elif file.startswith("docs/"):
        at = file.removeprefix("docs/")
    else:
        return text if text.startswith("`") else f"{text} (`{file}`)" if text != file else f"`{file}`"
    return f"{image}[{text}]({posixpath.relpath(at, here or '.')}{anchor})"


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The text with every part between fences left as it is."""
    done: list[str] = []
    part: list[str] = []
    fence = ""
    for line in markdown.splitlines(keepends=True):
        found = FENCE.match(line)
        if not fence and found:
            done.append(change("".join(part)))
            part, fence = [line], found[2]
        elif fence and found and found[2].startswith(fence) and line.strip() == found[2]:
            done.append("".join([*part, line]))
            part, fence = [], ""
        else:
            part.append(line)
    return "".join([*done, "".join(part) if fence else change("".join(part))])
