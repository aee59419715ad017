"""`reachy-mind models`: what there is to download, under which licence; getting it; checking it."""

from __future__ import annotations

import asyncio
import json
import sys
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
NOT_A_TERMINAL_STEP = 0.25
"""How much of the whole passes between two plain progress lines."""


@app.command("list")
def list_models(as_json: Json = False) -> None:
    """Show every model and asset with its task, licence, size and state."""
    store = _store()
    rows = [_row(store, name) for name in store.catalogue]
    if as_json:
        print(json.dumps({"models": rows}))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("name", "task", "licence", "download", "state", "what it is", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row["name"], row["task"], row["licence"], _size(row["size"]), row["state"], row["summary"])
    Console(width=None if sys.stdout.isatty() else 200).print(table)


@app.command()
def pull(
    name: Annotated[str, typer.Argument(help="Name from 'reachy-mind models list'.")],
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing unless something has to be downloaded.")] = False,
    as_json: Json = False,
) -> None:
    """Download a model or asset, check its hash and unpack it. What is there already is only checked."""
    store = _store()
    asset = store.asset(name)
    with PullDisplay(asset, quiet=quiet or store.status(name).state == "ready") as display:
        path = asyncio.run(store.pull(name, display.show))
    _draw_figure(name, path)
    if as_json:
        print(json.dumps({**_row(store, name), "downloaded": display.downloaded}))
    elif display.downloaded or not quiet:
        print(f"{name} is ready: {path}")


def _draw_figure(name: str, description: Path) -> None:
    """The robot as the page shows it, made from its description while somebody waits anyway."""
    from reachy_mind.body import figure
    from reachy_mind.config import load
    from reachy_mind.embodiment import DESCRIPTION, compiled_folder
    from reachy_mind.errors import AssetError

    if name != DESCRIPTION:
        return
    try:
        folder = figure.folder(description, compiled_folder(load()))
        if figure.found(folder) is None:
            figure.build(description, folder)
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
    """A pull on stderr: licence and size first, then a bar on a terminal or a few plain lines elsewhere."""

    def __init__(self, asset: Asset, *, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self.downloaded = False
        self._asset = asset
        self._introduced = False
        self._console = Console(stderr=True, highlight=False, soft_wrap=True)
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
        self._bar = Bar(*columns, console=self._console, transient=True)
        self._task: TaskID | None = None
        self._shown: tuple[str, float] = ("", 0.0)
        if not quiet:
            self._introduce()

    def __enter__(self) -> PullDisplay:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._task is not None:
            self._bar.stop()

    def show(self, progress: Progress) -> None:
        if progress.stage == "checking":  # takes a moment and needs nobody's attention
            return
        self._introduce()
        self.downloaded = self.downloaded or progress.stage == "downloading"
        if self._console.is_terminal:
            self._show_bar(progress)
        else:
            self._show_line(progress)

    def _introduce(self) -> None:
        if not self._introduced:
            asset, self._introduced = self._asset, True
            self._console.print(f"{asset.name}: {asset.summary}")
            self._console.print(f"licence {asset.licence} ({asset.licence_url}), {_size(asset.size)} to download")

    def _show_bar(self, progress: Progress) -> None:
        if self._task is None:
            self._bar.start()
            self._task = self._bar.add_task(progress.stage, total=progress.total)
        self._bar.update(self._task, description=progress.stage, completed=progress.done, total=progress.total)

    def _show_line(self, progress: Progress) -> None:
        share = progress.done / progress.total if progress.total else 1.0
        stage, shown = self._shown
        if stage == progress.stage and not (share >= shown + NOT_A_TERMINAL_STEP or share == 1.0 > shown):
            return
        self._shown = (progress.stage, share)
        print(f"{progress.stage} {share:.0%} of {_size(progress.total)}", file=sys.stderr, flush=True)


def _store() -> Store:
    from reachy_mind import config, log
    from reachy_mind.models.store import Store

    configuration = config.load()
    log.configure(configuration.settings.log.level, configuration.settings.log.format, configuration.secrets())
    return Store(configuration.models_folder)


def _row(store: Store, name: str) -> dict[str, Any]:
    status = store.status(name)
    return {
        "name": name,
        "task": status.asset.task,
        "summary": status.asset.summary,
        "licence": status.asset.licence,
        "licence_url": status.asset.licence_url,
        "size": status.asset.size,
        "state": status.state,
        "bytes_on_disk": status.bytes,
        "path": str(status.path) if status.state == "ready" else None,
    }


def _size(count: int) -> str:
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"
