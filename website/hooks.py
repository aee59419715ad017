"""The hook of mkdocs: the navigation, the pages that are made while the site is built, and links between pages."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import ConfigurationError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from website import links, navigation, reference
from website.markup import with_deep_fences

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "src" / "reachy_mind" / "server" / "web"
FONTS = WEB / "vendor" / "fonts"
FIRST_PAGE = "README.md"
ASSETS = {
    "assets/style.css": ROOT / "website" / "style.css",
    "assets/mermaid.min.js": ROOT / "website" / "vendor" / "mermaid.min.js",
    "assets/mermaid-LICENSE.txt": ROOT / "website" / "vendor" / "mermaid-LICENSE.txt",
    "assets/iframe-worker.js": ROOT / "website" / "vendor" / "iframe-worker.js",
    "assets/iframe-worker-LICENSE.txt": ROOT / "website" / "vendor" / "iframe-worker-LICENSE.txt",
    "assets/mark.svg": WEB / "mark.svg",
    "assets/fonts/bricolage-grotesque.woff2": FONTS / "bricolage-grotesque-latin-wght-normal.woff2",
    "assets/fonts/bricolage-grotesque-ext.woff2": FONTS / "bricolage-grotesque-latin-ext-wght-normal.woff2",
    "assets/fonts/bricolage-grotesque-LICENSE.txt": FONTS / "bricolage-grotesque" / "LICENSE",
    "assets/fonts/figtree.woff2": FONTS / "figtree-latin-wght-normal.woff2",
    "assets/fonts/figtree-ext.woff2": FONTS / "figtree-latin-ext-wght-normal.woff2",
    "assets/fonts/figtree-LICENSE.txt": FONTS / "figtree" / "LICENSE",
}
"""Files of the site that are not in docs/. Nothing of it comes from another host."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Replaces patterns in the navigation by pages."""
    if missing := [str(file.relative_to(ROOT)) for file in ASSETS.values() if not file.is_file()]:
        raise ConfigurationError(f"{', '.join(missing)}: not there yet. Run: script/setup --force")
    folder = Path(config.docs_dir)
    written = [file.relative_to(folder).as_posix() for file in folder.rglob("*.md")]
    config.nav = navigation.expanded(config.nav or [], [*written, *_made()])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the reference, the pages of the repository's root, and the assets."""
    for path, text in _made().items():
        files.append(File.generated(config, path, content=text))
    for path, file in ASSETS.items():
        files.append(File.generated(config, path, abs_src_path=str(file)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 -- mkdocs' signature
    """Makes a page that was written for a repository one of the site."""
    path = page.file.src_uri
    if path == FIRST_PAGE:
        page.meta["hide"] = ["navigation", "toc"]
    text = with_deep_fences(markdown if path in _reference() else links.for_site(markdown, path))
    if guided := reference.GUIDES.get(path):
        heading, _, rest = text.partition("\n")
        title = _title(_reference()[guided])
        about = f"This page explains. All that there is: [{title}, the reference]({guided})."
        text = f'{heading}\n\n!!! abstract ""\n    {about}\n{rest}'
    if path == reference.INTRODUCTION:
        text += "".join(f"\n- [{_title(made)}]({at})" for at, made in _reference().items()) + "\n"
    return text


def _title(markdown: str) -> str:
    return markdown.partition("\n")[0].removeprefix("# ")


@cache
def _made() -> dict[str, str]:
    """Pages that are not in docs/, by their path on the site."""
    of_root = {at: (ROOT / name).read_text(encoding="utf-8") for name, at in links.ROOT_PAGES.items()}
    return {**of_root, **_reference()}


@cache
def _reference() -> dict[str, str]:
    return reference.pages()
