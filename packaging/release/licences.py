"""`make licences`: writes dist/licences.json and docs/licences.md, and fails on a hard dependency under GPL or AGPL.

Hard is what the core and the extras of `make run` bring. A licence is what the package's own metadata state; what
compiled wheels carry inside is not looked into.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from dependencies import DEFAULT_EXTRAS, ROOT, Package, extras, locked, metadata, page_libraries, pins

from reachy_mind.models.catalogue import CATALOGUE

STRONG = re.compile(r"\bA?GPL|Affero|(?<!Lesser )(?<!Library )General Public License")
WEAK = re.compile(r"\bLGPL|\bMPL|Mozilla Public|Lesser General Public|\bEPL|\bCDDL|\bEUPL")
UNSTATED = {
    "reachy-mini-rust-kinematics": "none stated in the package, and none found in its repository; the maker's own "
    "Apache-2.0 package reachy-mini depends on it",
    "axe-playwright-python": "MIT, by its repository; for tests alone",
}
"""What packages without a licence in their metadata are under, as far as we know."""


def strong(licence: str) -> bool:
    """Whether every alternative is a licence that a program using the package has to be under, too."""
    return all(STRONG.search(choice) and not re.search(r"exception", choice) for choice in re.split(r"\bOR\b", licence))


def group_of(hard: set[str], optional: set[str], name: str) -> str:
    return "core or `make run`" if name in hard else "other extras" if name in optional else "development"


def problems(packages: dict[str, Package], hard: set[str]) -> list[str]:
    found = []
    for name, package in packages.items():
        if not package.licence and name not in UNSTATED:
            found.append(f"{name} states no licence: find it, then UNSTATED in packaging/release/licences.py")
        elif name in hard and package.licence and strong(package.licence):
            found.append(f"{name} is a hard dependency under {package.licence}")
    notice = (ROOT / "NOTICE").read_text()
    for name in sorted(hard):
        if name in packages and WEAK.search(packages[name].licence) and packages[name].name not in notice:
            found.append(f"NOTICE does not name {name} ({packages[name].licence})")
    found += [f"NOTICE does not name {each.name}" for each in page_libraries() if known_as(each.name) not in notice]
    return found


def known_as(library: str) -> str:
    """The name that NOTICE has for a library of the page."""
    if library.startswith("@fontsource-variable/"):
        return library.split("/")[1].replace("-", " ").title()
    return {"three": "three.js"}.get(library, library)


def table(head: str, rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, re.sub(r"[^|]+", "---", head)]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def page(packages: dict[str, Package], hard: set[str], optional: set[str]) -> str:
    copyleft = [each for each in packages.values() if WEAK.search(each.licence) or STRONG.search(each.licence)]
    unstated = [(name, UNSTATED.get(name, "")) for name in packages if not packages[name].licence]
    weak_rows = (
        (each.name, each.licence, group_of(hard, optional, name)) for name, each in packages.items() if each in copyleft
    )
    return f"""# Licences

Made by `make licences` from the metadata of the locked packages, on Linux. Reachy Mind itself is under Apache-2.0;
[NOTICE](../NOTICE) has what it carries and downloads. No package that the core or `make run` installs is under the GPL
or AGPL: the command fails on one. All packages with their licences are in `dist/licences.json`, which it writes.

It reads what packages state. What compiled wheels carry inside is not looked into: OpenCV's, for one, carries FFmpeg
(LGPL-2.1).

{len(packages)} packages: {sum(name in hard for name in packages)} of the core and `make run`, \
{sum(name in optional - hard for name in packages)} of other extras, the rest for development.

## Copyleft, weak or strong

Used as libraries, unchanged, and replaceable; none is part of our packages.

{table("| package | licence | brought by |", weak_rows)}

## Packages that state none

{table("| package | what we know |", unstated)}

## Libraries of the page

The wheel carries their files, with their licences.

{table("| npm package | version | licence |", ((p.name, p.version, p.licence) for p in page_libraries()))}

## Downloads of the catalogue

Fetched when asked for, or by `make setup`; `reachy-mind models list` shows the licence before a download. Some are not
for commercial use.

{table("| asset | licence |", ((name, asset.licence) for name, asset in CATALOGUE.items()))}
"""


def main() -> None:
    packages = metadata()
    hard = set(pins(locked(DEFAULT_EXTRAS)))
    optional = set(pins(locked(extras())))
    core = set(pins(locked(())))
    listed = [
        {"name": each.name, "version": each.version, "licence": each.licence or UNSTATED.get(name, "")}
        | {"core": name in core, "make_run": name in hard, "extra": name in optional}
        for name, each in packages.items()
    ]
    (ROOT / "dist").mkdir(exist_ok=True)
    libraries = [{"name": each.name, "version": each.version, "licence": each.licence} for each in page_libraries()]
    assets = [{"name": name, "licence": each.licence, "url": each.licence_url} for name, each in CATALOGUE.items()]
    report = {"packages": listed, "page": libraries, "downloads": assets}
    (ROOT / "dist" / "licences.json").write_text(json.dumps(report, indent=1) + "\n")
    (ROOT / "docs" / "licences.md").write_text(page(packages, hard, optional))
    if found := problems(packages, hard):
        sys.exit("".join(f"error: {each}\n" for each in found).rstrip())
    print(f"{len(packages)} packages, {len(hard)} hard ones, none of these under GPL or AGPL; dist/licences.json")


if __name__ == "__main__":
    main()
