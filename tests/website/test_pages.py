"""What turns a page that was written for a repository into one of the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reachy_mind import events as bus
from reachy_mind.conversation import wire
from reachy_mind.tools.builtin import TOOLS
from website import links, markup, navigation, reference
from website.reference import error_codes, events, schemas, tools

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [("Who may come in", "who-may-come-in"), ("`/v1`: what is here", "v1-what-is-here"), ("A - b", "a---b")],
)
def test_anchors_are_those_of_a_repository_browser(heading: str, anchor: str) -> None:
    assert markup.anchor(heading, "-") == anchor


@pytest.mark.parametrize(
    ("page", "written", "shown"),
    [
        ("tools.md", "[x](permissions.md#a)", "[x](permissions.md#a)"),
        ("tools.md", "[x](../CONTRIBUTING.md)", "[x](contributing.md)"),
        ("start/owner.md", "[x](../../README.md#a) [y](../page.md)", "[x](../overview.md#a) [y](../page.md)"),
        ("overview.md", "[x](docs/page.md) ![p](docs/images/a.png)", "[x](page.md) ![p](images/a.png)"),
        ("overview.md", "[![p](docs/images/a.png)](docs/page.md)", "[![p](images/a.png)](page.md)"),
        ("api.md", "[server/x.py](../src/server/x.py)", "server/x.py (`src/server/x.py`)"),
        ("api.md", "[`x.py`](../src/x.py)", "`x.py`"),
        ("api.md", "[x](https://example.org/a.md) [y](#here)", "[x](https://example.org/a.md) [y](#here)"),
        ("api.md", "```\n[x](../CONTRIBUTING.md)\n```\n", "```\n[x](../CONTRIBUTING.md)\n```\n"),
    ],
)
def test_links_lead_to_pages_of_the_site(page: str, written: str, shown: str) -> None:
    assert links.for_site(written, page) == shown


def test_code_inside_a_list_item_stays_inside() -> None:
    written = "1. Do:\n   ```sh\n   a\n   ```\n   and\n2. More\n\n```\nb\n```\n"
    shown = "1. Do:\n    ```sh\n    a\n    ```\n   and\n2. More\n\n```\nb\n```\n"
    assert markup.with_deep_fences(written) == shown


def test_patterns_of_the_navigation_become_pages() -> None:
    pages = ["README.md", "start/b.md", "start/a.md", "one.md"]
    nav = ["README.md", {"Start": ["start/*.md", "gone*.md"]}, {"Later": ["later/*.md"]}, {"One": "one*.md"}]
    found = navigation.expanded(nav, pages)
    assert found == ["README.md", {"Start": ["start/a.md", "start/b.md"]}, {"One": "one.md"}]
    assert list(navigation.pages_of(found)) == ["README.md", "start/a.md", "start/b.md", "one.md"]


def test_every_guide_of_a_reference_page_is_there() -> None:
    assert [page for page in (*reference.GUIDES, reference.INTRODUCTION) if not (ROOT / "docs" / page).is_file()] == []


def test_schemas_in_words() -> None:
    definitions = {"Speed": {"enum": ["slow", "fast"], "description": "How fast."}}
    schema = {
        "required": ["n"],
        "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 1000000},
            "speed": {"$ref": "#/x/Speed", "default": "slow"},
            "who": {"anyOf": [{"type": "array", "items": {"type": "string", "minLength": 1}}, {"type": "null"}]},
        },
    }
    told = schemas.field_table(schema, definitions)
    assert "| `n` | whole number, at least 1, at most 1,000,000 | required |" in told
    assert '| `speed` | `slow`, `fast` | `"slow"` | How fast. |' in told
    assert "list of text, not empty or null" in told


def test_fields_of_events_have_what_the_source_says_about_them() -> None:
    started = events.classes(bus)["TurnStarted"]
    direction = next(field for field in started.fields if field.name == "direction")
    assert events.type_words(direction.type) == "number or null" and "radians" in direction.about
    done = events.classes(wire)["DoneFrame"]
    names = [field.name for field in done.fields]
    assert names[:3] == ["turn", "handoffs", "tokens"] and "cost_usd" in names
    assert {field.name for field in done.fields if field.optional} == {"turn", "handoffs", "tokens", "agent", "error"}


def test_the_guide_to_the_api_names_every_event() -> None:
    guide = (ROOT / "docs" / "api.md").read_text(encoding="utf-8").partition("\n## Events\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([A-Z]\w+)`", guide))
    assert named == {each.__name__ for each in bus.Event.__subclasses__()}


def test_the_guide_to_tools_names_every_tool_with_its_tier() -> None:
    guide = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`\w+\.\w+`[^|]*) \| ([^|]+) \|", guide, re.MULTILINE)
    known = {tool.qualified: tool.tier.label for tool in TOOLS if tool.tier is not None}
    named = {name: tiers.split(", ") for names, tiers in rows for name in re.findall(r"`(\w+\.\w+)`", names)}
    assert [name for name, tiers in named.items() if known.get(name, tiers[0]) not in tiers] == []
    assert [tool.qualified for tool in TOOLS if not tool.hidden and tool.name not in guide] == []


def test_codes_are_found_wherever_they_are_given() -> None:
    found = error_codes.codes()
    assert "A needed part is not available yet" in " ".join(found["NOT_READY"].meanings)
    assert "conversation" in found["INTERRUPTED"].rooms and "cli" in found["USAGE"].rooms


def test_sentences_are_whole_requests_for_one_tool() -> None:
    said = tools.sentences()
    assert "nod" in said["nod"] and all(1 <= len(each) <= tools.SHOWN_SENTENCES for each in said.values() if each)
    assert not [each for each in said["move_head"] if "<" in each]
