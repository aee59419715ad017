# range: {"forbid": ["*"], "still": true, "unguarded": false, "timeout": 15}
"""Names of tools that are not names: attributes, paths, patterns, objects."""


async def tool_name_tricks(targets: dict) -> dict:
    """Try a tool."""
    from reachy_mind import tools

    print("PRIMITIVE", tools.call)
    said = []
    names = ["__class__", "__init__", "call", "toolbox.call", "../robot.nod", "robot.nod\x00", "robot.*", "*", "robot..nod", "ROBOT.NOD", "Robot.Nod", "robot/nod", "mcp__robot__nod", "mcp__workshop__run", "", " ", "a" * 10**6, "nod\n", "ｎｏｄ", "robot.get_time", "stop;nod", 7, None, ["nod"], {"name": "nod"}, True]
    for name in names:
        try:
            said.append(str(await tools.call(name))[:80])
        except BaseException as error:
            said.append(type(error).__name__)
    return {"said": said}
