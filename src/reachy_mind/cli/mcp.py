"""`reachy-mind mcp`: serve the robot to MCP clients, and manage the MCP servers the robot may use."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import typer

app = typer.Typer(name="mcp", help="The robot for other assistants, and other servers' tools for the robot.")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
ServerName = Annotated[str, typer.Option("--server", help="all, robot or memory.", metavar="NAME")]
Robot = Annotated[str | None, typer.Option("--robot", help="sim, none or HOST[:PORT] of a robot.", metavar="WHERE")]
Client = Annotated[
    str | None,
    typer.Option("--client", help="claude-desktop, claude-code, cursor or vscode; all there are.", metavar="NAME"),
]
KINDS = ("all", "robot", "memory")


@app.callback(invoke_without_command=True)
def mcp(
    context: typer.Context,
    server: ServerName = "all",
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP instead of standard input and output.")] = False,
    port: Annotated[int | None, typer.Option(help="Port for --http, where no mind runs yet.")] = None,
    robot: Robot = None,
    as_json: Json = False,
) -> None:
    """Serve the robot's tools to an assistant that started this, or over HTTP; through the mind that runs, if any."""
    if context.invoked_subcommand is not None:
        return
    from reachy_mind import log, mcp
    from reachy_mind.config.configuration import load
    from reachy_mind.storage import owner

    _check_kind(server)
    configuration = load(flags={"robot.address": robot, "server.port": port})
    log.configure("warning", configuration.settings.log.format, configuration.secrets())
    running = owner.find(configuration.home)
    if running is not None and robot is not None:
        from reachy_mind.cli.connection import require_same_robot

        asyncio.run(require_same_robot(running, robot))
    if http and running is not None:
        _print_urls(running.port, as_json=as_json)
        return
    if running is None:
        mcp.require()
    from reachy_mind.cli import mcp_host

    on_ready = lambda bound_port: _print_urls(bound_port, as_json=as_json)  # noqa: E731
    asyncio.run(mcp_host.serve_http(configuration, on_ready) if http else mcp_host.serve_stdio(configuration, server))


@app.command("install")
def install(
    client: Client = None,
    server: ServerName = "all",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
    as_json: Json = False,
) -> None:
    """Tell an assistant on this machine about the robot; everything else in its file stays, and a copy of it too."""
    _change_clients(client, server, remove=False, dry_run=dry_run, as_json=as_json)


@app.command("uninstall")
def uninstall(
    client: Client = None,
    server: ServerName = "all",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be written.")] = False,
    as_json: Json = False,
) -> None:
    """Take the robot out of an assistant's file again."""
    _change_clients(client, server, remove=True, dry_run=dry_run, as_json=as_json)


@app.command("trust")
def trust(
    who: Annotated[str, typer.Argument(help="A client's name (claude-code), or the id or name of a token.")],
    off: Annotated[bool, typer.Option("--off", help="Don't trust it any more.")] = False,
    as_json: Json = False,
) -> None:
    """Let a yes in this client count as a person's: only for one that shows you its questions."""
    from reachy_mind.access.tokens import Tokens
    from reachy_mind.config.configuration import load
    from reachy_mind.mcp.clients import normalized_name
    from reachy_mind.mcp.config_file import McpConfigFile

    home = load().home
    token = next((each for each in Tokens(home).all() if who in (each.id, each.name)), None)
    name = token.id if token else normalized_name(who)
    McpConfigFile(home).trust("tokens" if token else "programs", name, trusted=not off)
    result = {"client": name, "kind": "token" if token else "program", "trusted": not off}
    text = f"what {who} answers counts as a person's yes or no" if not off else f"{who} is not trusted any more"
    print(json.dumps(result) if as_json else text)


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="What its tools will be called by: NAME.tool.")],
    command: Annotated[list[str] | None, typer.Argument(help="After --, the command that starts it.")] = None,
    url: Annotated[str, typer.Option(help="Its address, for one that runs elsewhere.")] = "",
    env: Annotated[list[str] | None, typer.Option(help="A variable it may see; only its name is kept.")] = None,
    header: Annotated[list[str] | None, typer.Option(help="HEADER=VARIABLE: a header, and what holds it.")] = None,
    as_json: Json = False,
) -> None:
    """Note another MCP server for the mind. It is not used before `mcp allow`."""
    from reachy_mind.config.configuration import load
    from reachy_mind.errors import InvalidParameter
    from reachy_mind.mcp.config_file import McpConfigFile, McpServerEntry
    from reachy_mind.tools.builtin import TOOLS

    if name in {tool.group for tool in TOOLS} | {"mcp", "robot", "memory"}:
        raise InvalidParameter(
            f"{name} is a group of our own tools", hint="another name: rules about ours are not for it"
        )
    headers = dict(each.partition("=")[::2] for each in header or ())
    McpConfigFile(load().home).add(McpServerEntry(name, tuple(command or ()), url, tuple(env or ()), headers))
    result = {"name": name, "enabled": False}
    print(json.dumps(result) if as_json else f"{name} is noted; to use it: reachy-mind mcp allow {name}")


@app.command("allow")
def allow(
    name: Annotated[str, typer.Argument(help="A server that was added.")],
    off: Annotated[bool, typer.Option("--off", help="Don't use it any more.")] = False,
    as_json: Json = False,
) -> None:
    """Let the mind use a server's tools. Each call still asks you, unless a rule says otherwise."""
    from reachy_mind.config.configuration import load
    from reachy_mind.mcp.config_file import McpConfigFile

    McpConfigFile(load().home).allow(name, enabled=not off)
    _reload()
    result = {"name": name, "enabled": not off}
    print(json.dumps(result) if as_json else f"{name} is {'off' if off else 'allowed'}")


@app.command("remove")
def remove(name: Annotated[str, typer.Argument(help="A server that was added.")], as_json: Json = False) -> None:
    """Forget a server."""
    from reachy_mind.config.configuration import load
    from reachy_mind.mcp.config_file import McpConfigFile

    McpConfigFile(load().home).remove(name)
    _reload()
    print(json.dumps({"name": name, "removed": True}) if as_json else f"{name} is forgotten")


@app.command("list")
def list_servers(as_json: Json = False) -> None:
    """The servers the mind may use, how they are, and the clients you trust."""
    from reachy_mind.client import Client
    from reachy_mind.config.configuration import load
    from reachy_mind.mcp.config_file import McpConfigFile
    from reachy_mind.storage import owner

    home = load().home
    entries, running = McpConfigFile(home).read(), owner.find(home)
    states: dict[str, Any] = {}
    if running is not None:
        result = asyncio.run(Client(running).ask("GET", "mcp/servers"))
        states = {each["name"]: each for each in result["servers"]}
    servers: list[dict[str, Any]] = [
        {"name": source.name, "where": source.url or " ".join(source.command), "enabled": source.enabled}
        | {"state": states.get(source.name, {}).get("state", "off" if not source.enabled else "not running")}
        | {key: states.get(source.name, {}).get(key, empty) for key, empty in (("trouble", ""), ("tools", []))}
        for source in entries.servers.values()
    ]
    if as_json:
        print(json.dumps({"servers": servers, "trusted": {"programs": entries.programs, "tokens": entries.tokens}}))
        return
    for each in servers:
        more = f"  ({each['trouble']})" if each["trouble"] else ""
        print(f"{each['name']:16}{each['state']:14}{len(each['tools']):3} tools  {each['where']}{more}")
    for kind, names in (("program", entries.programs), ("token", entries.tokens)):
        for name in names:
            print(f"{name:16}trusted {kind}")
    if not servers and not entries.programs and not entries.tokens:
        print("no servers, and nobody trusted: reachy-mind mcp add, reachy-mind mcp trust")


def _check_kind(server: str) -> None:
    from reachy_mind.errors import InvalidParameter

    if server not in KINDS:
        raise InvalidParameter(f"no server {server[:40]!r}", hint=f"one of {', '.join(KINDS)}")


def _change_clients(client: str | None, server: str, *, remove: bool, dry_run: bool, as_json: bool) -> None:
    from reachy_mind.errors import ConfigError
    from reachy_mind.mcp.client_installation import clients, plan_installation

    _check_kind(server)
    chosen = [client] if client else [name for name, known in clients().items() if known.present]
    if not chosen:
        hint = f"name it: --client {', '.join(clients())}"
        raise ConfigError("no assistant that we know is installed here", hint=hint)
    plans = {
        name: plan_installation(name, server, remove=remove) for name in chosen
    }  # all of them, before any is written
    result = []
    for name, plan in plans.items():
        backup = plan.write() if plan.changes and not dry_run else None
        result.append(
            {"client": name, "file": str(plan.client.file), "name": plan.name, "entry": plan.entry}
            | {"changed": plan.changes, "written": plan.changes and not dry_run}
            | {"backup": str(backup) if backup else None}
        )
        if as_json:
            continue
        if not plan.changes:
            print(f"nothing to change in {plan.client.file}")
            continue
        print(f"{'would write' if dry_run else 'wrote'} {plan.client.file}")
        if plan.entry is not None:
            print(json.dumps({plan.client.key: {plan.name: plan.entry}}, indent=2, ensure_ascii=False))
        if not dry_run:
            print(f"{plan.client.title}: {plan.client.after}" + (f"; as it was: {backup}" if backup else ""))
    if as_json:
        print(json.dumps({"clients": result}))


def _reload() -> None:
    """Have the running mind, if any, read the list again."""
    from reachy_mind.client import Client
    from reachy_mind.config.configuration import load
    from reachy_mind.storage import owner

    running = owner.find(load().home)
    if running is not None:
        asyncio.run(Client(running).ask("POST", "mcp/reload"))


def _print_urls(port: int, *, as_json: bool) -> None:
    address = f"http://127.0.0.1:{port}/mcp"
    urls = {"all": address, "robot": f"{address}/robot", "memory": f"{address}/memory"}
    if as_json:
        print(json.dumps({"urls": urls}), flush=True)
        return
    for name, url in urls.items():
        print(f"{name:8}{url}", flush=True)
    print("a token for it: reachy-mind token new NAME", flush=True)
