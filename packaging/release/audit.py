"""`make audit`: the locked packages, and the page's libraries, against databases of known vulnerabilities.

What a user can install (no development tools) is looked up at the package index's own service, else at OSV; the page's
libraries at the npm registry. Names and versions are sent, nothing else. Ends with 1 on a finding, and with 3 when
something was not looked up: a package that a service does not know was not audited, whatever the service says of it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from dependencies import ROOT, extras, locked

SERVICES = ("pypi", "osv")
FOUND, UNKNOWN = 1, 3


def python_packages(requirements: Path) -> int:
    why = []
    for service in SERVICES:
        command = [str(ROOT / ".release" / "bin" / "pip-audit"), "--vulnerability-service", service, "--format", "json"]
        command += [
            "--disable-pip",
            "--require-hashes",
            "--progress-spinner",
            "off",
            "--requirement",
            str(requirements),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        try:
            packages = json.loads(done.stdout)["dependencies"]
        except (ValueError, KeyError):
            why.append(f"{service}: {(done.stderr.strip().splitlines() or ['no answer'])[-1]}")
            continue
        bad = [f"{each['name']} {each['version']}: {one['id']}, fixed in {', '.join(one['fix_versions']) or 'none'}"
               for each in packages for one in each.get("vulns", ())]  # fmt: skip
        if bad:
            print("\n".join(bad))
            return FOUND
        skipped = [each["name"] for each in packages if "skip_reason" in each]
        if not skipped:
            print(f"{len(packages)} Python packages, nothing known ({service})")
            return 0
        why.append(f"{service} does not know {len(skipped)} of {len(packages)}: {', '.join(skipped[:5])}, ...")
    print("Python packages were not all audited: " + "; ".join(why), file=sys.stderr)
    return UNKNOWN


def page_libraries() -> int:
    npm = shutil.which("npm")
    if npm is None:
        print("the page's libraries were not audited: there is no npm", file=sys.stderr)
        return UNKNOWN
    command = (npm, "audit", "--package-lock-only", "--json")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
        counted = answer["metadata"]["vulnerabilities"]
    except (ValueError, KeyError):
        print("the page's libraries were not audited: npm's service did not answer", file=sys.stderr)
        return UNKNOWN
    if counted["total"]:
        print("\n".join(f"{name}: {each['severity']}" for name, each in answer["vulnerabilities"].items()))
        return FOUND
    print(f"{answer['metadata']['dependencies']['total']} npm packages, nothing known")
    return 0


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        requirements = Path(folder, "requirements.txt")
        requirements.write_text(locked(extras()))
        results = {python_packages(requirements), page_libraries()}
    sys.exit(FOUND if FOUND in results else UNKNOWN if UNKNOWN in results else 0)


if __name__ == "__main__":
    main()
