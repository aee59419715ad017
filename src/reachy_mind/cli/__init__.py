"""`reachy-mind`: the command line. One module per family of commands; each imports what it needs when it runs.

Exit codes: 0 success, 1 failure (one `error:` and one `hint:` line on stderr), 2 usage error. `--json` prints one JSON
object on stdout, for errors too; logs go to stderr.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, NoReturn

import typer

from reachy_mind import __version__
from reachy_mind.cli import (
    ask,
    audit,
    bench,
    chat,
    config,
    demo,
    demonstrations,
    device,
    device_agent,
    doctor,
    feedback,
    fine_tuning,
    fleet,
    fleet_activities,
    fleet_devices,
    fleet_events,
    fleet_operators,
    fleet_personas,
    learn,
    learn_demo,
    learn_report,
    learn_reward,
    learn_skills,
    learn_sweep,
    learn_train,
    mcp,
    media,
    memory,
    models,
    moves,
    photos,
    profile,
    robot,
    run,
    sim,
    storage,
    talk,
    token,
    tools,
    voices,
    workshop,
    workshop_creation,
    workshop_shelf,
)
from reachy_mind.errors import MindError
from reachy_mind.system.console import use_utf8

app = typer.Typer(
    name="reachy-mind",
    help="The mind of a Reachy Mini, real or simulated.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: it must be quick on a small computer too
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("run")(run.run)
app.command("ask")(ask.ask)
app.command("chat")(chat.chat)
app.command("talk")(talk.talk)
app.command("demo")(demo.demo)
app.add_typer(robot.app)
app.add_typer(moves.app)
app.add_typer(demonstrations.app)
app.add_typer(tools.app)
app.add_typer(tools.permissions_app)
for family in (workshop_creation, workshop_shelf):  # their commands are on one app, with those of workshop.py
    assert family.app is workshop.app
app.add_typer(workshop.app)
app.add_typer(audit.app)
app.add_typer(mcp.app)
app.add_typer(token.app)
app.add_typer(profile.app)
app.add_typer(memory.app)
app.add_typer(sim.app)
app.add_typer(media.app)
app.add_typer(models.app)
app.add_typer(voices.app)
app.add_typer(photos.app)
fine_tuning.register(learn.app)
for each in (learn_demo, learn_report, learn_reward, learn_skills, learn_sweep, learn_train):
    assert each.app is learn.app  # their commands are on one app
app.add_typer(learn.app)
app.add_typer(feedback.app)
for part in (fleet_activities, fleet_devices, fleet_events, fleet_operators, fleet_personas):
    assert part.app is fleet.app  # their commands are on one app
app.add_typer(fleet.app)
for part in (device_agent,):
    assert part.app is device.app  # as above
app.add_typer(device.app)
app.add_typer(config.app)
app.command("doctor")(doctor.doctor)
app.command("backup")(storage.backup)
app.command("restore")(storage.restore)
app.command("repair")(storage.repair)
app.command("bench")(bench.bench)


USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]  # typer does not export it


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """The mind of a Reachy Mini, real or simulated."""


def main() -> NoReturn:
    """The entry point: runs a command and turns every error into lines and an exit code."""
    as_json = "--json" in sys.argv
    use_utf8()
    try:
        code = app(standalone_mode=False)
    except MindError as error:
        _fail(as_json, error.as_dict())
        code = 1
    except USAGE_ERROR as error:
        if not sys.argv[1:] or "NoArgs" in type(error).__name__:
            print(_message(error))  # the help of a command that needs a subcommand
            sys.exit(2)
        _fail(as_json, {"code": "USAGE", "message": _message(error), "hint": _help_of(error)})
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone: print nothing more
        code = 1
    sys.exit(code if isinstance(code, int) else 0)


def _help_of(error: BaseException) -> str:
    """The command that explains what was called in a wrong way."""
    context, names = getattr(error, "ctx", None), list[str]()
    while context is not None and context.parent is not None:
        names.insert(0, context.info_name)
        context = context.parent
    return " ".join(("reachy-mind", *names, "--help"))


def _message(error: BaseException) -> str:
    describe = getattr(error, "format_message", None)
    return str(describe()) if describe else str(error)


def _fail(as_json: bool, error: dict[str, str]) -> None:
    if as_json:
        print(json.dumps({"error": error}))
    print(f"error: {error['message']}", file=sys.stderr)
    if error["hint"]:
        print(f"hint: {error['hint']}", file=sys.stderr)
