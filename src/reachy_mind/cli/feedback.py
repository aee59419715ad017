"""`reachy-mind feedback`: what words about the robot's actions say, and what was learned from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from reachy_mind.feedback.readings import FeedbackReading

app = typer.Typer(name="feedback", help="Feedback: read it, list and undo what was learned.", no_args_is_help=True)

LARGEST_FILE = 64 << 20


@app.callback()
def feedback() -> None:
    """Feedback: read it, list and undo what was learned."""


@app.command()
def score(
    text: Annotated[str | None, typer.Argument(help="What somebody says about what the robot did.")] = None,
    file: Annotated[Path | None, typer.Option("--file", help='JSON lines {"text"}; one line out for each.')] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object (with --file one a line).")] = False,
) -> None:
    """The reward that words give, from -1 to 1, whether they are a stop, and the correction in them."""
    from reachy_mind import log
    from reachy_mind.config.configuration import load
    from reachy_mind.feedback.reader import FeedbackReader

    if (text is None) == (file is None):
        raise typer.BadParameter("give a text, or a file with --file: reachy-mind feedback score 'a bit lower'")
    configuration = load()
    log.configure("error", configuration.settings.log.format)
    texts = [text] if text is not None else _texts(file) if file is not None else []
    reader = FeedbackReader.load(configuration.home.reward_weights_file)
    for each in texts:
        reading = reader.read(each)
        print(json.dumps(reading.as_dict()) if as_json or file is not None else _told(reading), flush=True)


@app.command()
def lessons(
    person: Annotated[str | None, typer.Option("--person", help="Only what this person taught.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """What the robot learned from feedback, newest first, and from which words."""
    from urllib.parse import quote

    from reachy_mind.cli.tools import request
    from reachy_mind.cli.workshop_shelf import print_text

    of_person = f"&person={quote(person)}" if person is not None else ""
    listed = request("GET", f"lessons?limit=500{of_person}", robot="none")
    if as_json:
        print(json.dumps(listed))
        return
    for lesson in listed["lessons"]:
        undone = " (undone)" if lesson["undone"] else ""
        print_text(f"{lesson['id']:>5}  {lesson['person'] or '(nobody named)'}: {lesson['explanation']}{undone}")
        print_text(f"       {json.dumps(lesson['words'], ensure_ascii=False)}")
    if not listed["lessons"]:
        print("nothing was learned yet")


@app.command()
def undo(
    lesson: Annotated[int, typer.Argument(help="Its number: reachy-mind feedback lessons", min=1)],
    again: Annotated[bool, typer.Option("--redo", help="Use it again.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Do not use a lesson any more; it stays in the list."""
    from reachy_mind.cli.tools import request
    from reachy_mind.cli.workshop_shelf import print_text

    changed = request("POST", f"lessons/{lesson}/{'redo' if again else 'undo'}", robot="none")
    if as_json:
        print(json.dumps(changed))
    else:
        print_text(f"{'used again' if again else 'undone'}: {changed['words']!r}")


def _texts(file: Path) -> list[str]:
    """The texts in a file. Raises InvalidParameter naming the line that has none."""
    from reachy_mind.errors import InvalidParameter

    try:
        if file.stat().st_size > LARGEST_FILE:
            raise InvalidParameter(f"{file} is larger than {LARGEST_FILE >> 20} MiB", hint="split it")
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidParameter(f"{file} can't be read: {error}") from error
    texts: list[str] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry: Any = json.loads(line)
        except ValueError as error:
            raise InvalidParameter(f"{file}:{number}: not JSON: {error}") from None
        if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
            raise InvalidParameter(f"{file}:{number}: no 'text'", hint='a line is {"text": "a bit lower"}')
        texts.append(entry["text"])
    return texts


def _told(reading: FeedbackReading) -> str:
    parts = [f"{reading.reward:+.2f}, {reading.confidence:.0%} sure ({reading.source})"]
    if reading.stop:
        parts.append("stop")
    if reading.correction is not None:
        named = reading.correction
        parts.append(f"correction: {named.axis} {'+' if named.sign > 0 else '-'}, {named.size}")
    return "; ".join(parts)
