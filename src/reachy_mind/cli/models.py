"""`reachy-mind models`: list, recommend, download and verify models and assets, with their licences."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.progress import TaskID

    from reachy_mind.models.assets import Asset
    from reachy_mind.models.store import Progress, Store

app = typer.Typer(name="models", help="Models and assets: list, download, verify.", no_args_is_help=True)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
PLAIN_PROGRESS_STEP = 0.25
"""Share of the whole between two progress lines when stderr is no terminal."""


@app.command("list")
def list_models(as_json: Json = False) -> None:
    """Show every model and asset with its task, licence, size and state."""
    from reachy_mind.models.overview import described

    store = _store()
    rows = [described(store, name) for name in store.catalogue]
    served = _ollama()
    if as_json:
        print(json.dumps({"models": rows, "ollama": served}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "task", "licence", "download", "state", "what it is", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row["name"], row["task"], row["licence"], _size(row["size"]), row["state"], row["summary"])
    console = Console(width=None if sys.stdout.isatty() else 200)
    console.print(table)
    if served is None:
        return
    table = Table("name", "can", "used", box=None, pad_edge=False)
    for model in served["models"]:
        table.add_row(model["name"], ", ".join(model["abilities"]), "yes" if model["used"] else "")
    console.print(f"\nOllama {served['version']} at {served['url']} (choose one: reachy-mind models use NAME)")
    console.print(table)


@app.command()
def use(
    name: Annotated[str, typer.Argument(help="A chat model of the list, a model of Ollama's, or auto.")],
    as_json: Json = False,
) -> None:
    """Choose the model to think with: sets models.chat, or openai.model for one of Ollama's, in config.yaml."""
    from reachy_mind.config.configuration import load
    from reachy_mind.config.preferences import Preferences
    from reachy_mind.models.catalogue.chat import CHAT_MODELS

    key = "models.chat" if name == "auto" or name in CHAT_MODELS else "openai.model"
    if key == "openai.model":
        _require_ollama_model(name)
    preferences = Preferences(load(), {}, changed=lambda _: None)
    asyncio.run(preferences.change(key, name))
    if as_json:
        print(json.dumps({"key": key, "value": name}))
        return
    print(f"{key} is {name} from the next start on")
    if name in CHAT_MODELS and not _store().is_ready(name):
        print(f"it is not on this machine yet: reachy-mind models pull {name}")


def _require_ollama_model(name: str) -> None:
    """Raises InvalidParameter unless Ollama has this model, can use tools with it, and is the one that is asked."""
    from reachy_mind.config.configuration import load
    from reachy_mind.errors import InvalidParameter

    openai, served = load().settings.openai, _ollama()
    if openai.url is not None or openai.api_key is not None:
        raise InvalidParameter(
            "Ollama's models are not asked while openai.url or a key for OpenAI is set",
            hint="set openai.model to a model of that server, in config.yaml",
        )
    models = {model["name"]: model["abilities"] for model in served["models"]} if served is not None else {}
    if name not in models:
        hint = f"known: {', '.join(models)}" if models else "no Ollama runs here; reachy-mind models list"
        raise InvalidParameter(f"there is no chat model and no model of Ollama called {name}", hint=hint)
    if "tools" not in models[name]:
        raise InvalidParameter(f"{name} can't use tools", hint="ollama pull qwen3")


def _ollama() -> dict[str, Any] | None:
    """The models of an Ollama on this machine; None without one."""
    from reachy_mind.config.configuration import load
    from reachy_mind.models import ollama

    running = asyncio.run(ollama.probe(ollama.DEFAULT_URL))
    return running.as_dict(load().settings.openai.model) if running is not None else None


@app.command()
def pull(
    name: Annotated[str, typer.Argument(help="Name from 'reachy-mind models list'.")],
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing unless something has to be downloaded.")] = False,
    accept_changed: Annotated[
        bool, typer.Option("--accept-changed", help="Take the hub's file although its hash is not the pinned one.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Download a model or asset, check its hash and unpack it. What is there already is only checked."""
    from reachy_mind.models.overview import described

    store = _store()
    asset = store.asset(name)
    with PullDisplay(asset, quiet=quiet or store.status(name).state == "ready") as display:
        path = asyncio.run(store.pull(name, display.show, accept_changed=accept_changed))
    _build_page_model(name, path)
    if as_json:
        print(json.dumps({**described(store, name), "downloaded": display.downloaded}))
    elif display.downloaded or not quiet:
        print(f"{name} is ready: {path}")


@app.command()
def recommend(as_json: Json = False) -> None:
    """Say which chat model fits this machine, what it takes, and why."""
    from reachy_mind.config.configuration import load
    from reachy_mind.models.chat_choice import chosen_chat_model
    from reachy_mind.models.fitness import recommendation
    from reachy_mind.models.machine import Machine

    configuration = load()
    machine = Machine.here(configuration.models_folder)
    found, used = recommendation(machine), chosen_chat_model(configuration)
    if as_json:
        about = {"recommended": found.as_dict(), "machine": asdict(machine), "used": used.name if used else None}
        print(json.dumps(about))
        return
    if found.model is None:
        print(found.why)
    else:
        asset = found.model.asset
        print(f"{asset.name}: {asset.summary}")
        print(f"licence {asset.licence}, {_size(asset.size)} to download, {_size(found.model.memory)} of memory in use")
        print(f"why: {found.why}")
        if used is None or used.name != asset.name:
            print(f"get it: reachy-mind models pull {asset.name}")
    if found.obstacle:
        print(f"to run a model here: {found.obstacle}")
    if used is not None:
        print(f"in use: {used.name}")


def _build_page_model(name: str, description: Path) -> None:
    """Build the page's 3D model of the robot from its description, after a download."""
    from reachy_mind.body import page_model
    from reachy_mind.config.configuration import load
    from reachy_mind.errors import AssetError
    from reachy_mind.models.robot_description import DESCRIPTION, compiled_folder

    if name != DESCRIPTION:
        return
    try:
        folder = page_model.folder(description, compiled_folder(load()))
        if page_model.load(folder) is None:
            page_model.build(description, folder)
    except AssetError as error:
        print(f"the page will show a simple robot: {error.message}", file=sys.stderr)


@app.command()
def verify(
    name: Annotated[str | None, typer.Argument(help="Name from 'reachy-mind models list'; all if not given.")] = None,
    as_json: Json = False,
) -> None:
    """Hash what was unpacked again and name every file that changed, is missing or does not belong."""
    from reachy_mind.errors import AssetError

    store = _store()
    names = [name] if name else [each for each in store.catalogue if store.status(each).state == "ready"]
    results = [asyncio.run(store.verify(each)) for each in names]
    damaged = [result for result in results if not result.intact]
    if damaged:
        raise AssetError(
            "; ".join(f"{result.name} is damaged: {', '.join(result.differences())}" for result in damaged),
            hint=" && ".join(f"reachy-mind models pull {result.name}" for result in damaged),
        )
    if as_json:
        rows = [{"name": r.name, "files": r.files, "bytes": r.bytes, "intact": r.intact} for r in results]
        print(json.dumps({"models": rows}))
        return
    for result in results:
        print(f"{result.name} is intact: {result.files} files, {_size(result.bytes)}")
    if not results:
        print("nothing has been pulled yet")


class PullDisplay:
    """Shows a download on stderr: licence and size, then a progress bar on a terminal, else a few plain lines."""

    def __init__(self, asset: Asset, *, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self.downloaded = False
        self._asset = asset
        self._licence_printed = False
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=self._console, transient=True)
        self._task: TaskID | None = None
        self._shown: tuple[str, float] = ("", 0.0)
        if not quiet:
            self._print_licence()

    def __enter__(self) -> PullDisplay:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._task is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        if progress.stage == "checking":  # too short to show
            return
        self._print_licence()
        self.downloaded = self.downloaded or progress.stage == "downloading"
        if self._console.is_terminal:
            self._show_bar(progress)
        else:
            self._show_line(progress)

    def _print_licence(self) -> None:
        if not self._licence_printed:
            asset, self._licence_printed = self._asset, True
            self._console.print(f"{asset.name}: {asset.summary}")
            about = "about " if asset.hub_file is not None and not asset.parts[0].sha256 else ""
            size = f"{about}{_size(asset.size)} to download"
            self._console.print(f"licence {asset.licence} ({asset.licence_url}), {size}")

    def _show_bar(self, progress: Progress) -> None:
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(progress.stage, total=progress.total)
        self._bar.update(self._task, description=progress.stage, completed=progress.done, total=progress.total)

    def _show_line(self, progress: Progress) -> None:
        share = progress.done / progress.total if progress.total else 1.0
        stage, shown = self._shown
        if stage == progress.stage and not (share >= shown + PLAIN_PROGRESS_STEP or share == 1.0 > shown):
            return
        self._shown = (progress.stage, share)
        print(f"{progress.stage} {share:.0%} of {_size(progress.total)}", file=sys.stderr, flush=True)


def _store() -> Store:
    from reachy_mind import log
    from reachy_mind.config.configuration import load
    from reachy_mind.models.store import Store

    configuration = load()
    log.configure(configuration.settings.log.level, configuration.settings.log.format, configuration.secrets())
    return Store.of(configuration)


def _size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
