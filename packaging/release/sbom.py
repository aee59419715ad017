"""`make sbom`: software bills of materials (CycloneDX 1.6) of the core and of all extras, from the lock, into dist/.

cyclonedx-bom writes the Python packages with their hashes; the libraries that the wheel carries for the page, and the
licences that packages state, are added here, and the whole is checked against the format's schema. torch is in none: it
is outside the lock.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))

from dependencies import ROOT, Package, extras, locked, metadata, normalised, page_libraries

from reachy_mind import __version__

TOOLS = ROOT / ".release" / "bin"
CHECK = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for path in sys.argv[1:]:
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(path, encoding="utf-8").read()):
        sys.exit(f"error: {path} is no CycloneDX 1.6: {error}")
"""


def bill(requirements: str, packages: dict[str, Package]) -> dict[str, Any]:
    command = [str(TOOLS / "cyclonedx-py"), "requirements", "-", "--pyproject", "pyproject.toml"]
    command += ["--spec-version", "1.6", "--mc-type", "application", "--output-reproducible"]
    done = subprocess.run(command, cwd=ROOT, input=requirements, capture_output=True, text=True, check=True)
    made: dict[str, Any] = json.loads(done.stdout)
    for component in made["components"]:
        stated = packages.get(normalised(component["name"]))
        if stated is not None and stated.licence:
            component["licenses"] = [{"license": {"name": stated.licence}}]
    for library in page_libraries():
        address = f"pkg:npm/{library.name.replace('@', '%40')}@{library.version}"
        entry = {"type": "library", "bom-ref": address, "name": library.name, "version": library.version}
        made["components"].append(entry | {"purl": address, "licenses": [{"license": {"name": library.licence}}]})
        made["dependencies"].append({"ref": address})
    return made


def main() -> None:
    packages = metadata()
    (ROOT / "dist").mkdir(exist_ok=True)
    written = []
    for name, wanted in (("core", ()), ("all", extras())):
        made = bill(locked(wanted), packages)
        made["metadata"]["component"]["version"] = __version__
        path = ROOT / "dist" / f"reachy_mind-{__version__}-{name}.cdx.json"
        path.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")
        written.append(path)
        print(f"{path.relative_to(ROOT)}  {len(made['components'])} components")
    subprocess.run([str(TOOLS / "python"), "-c", CHECK, *map(str, written)], check=True)


if __name__ == "__main__":
    main()
