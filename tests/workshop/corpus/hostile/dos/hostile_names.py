# range: {"timeout": 4, "unguarded": false}
"""Names that break whoever prints them: surrogates, control characters, a filename of a megabyte in a traceback."""


async def hostile_names(targets: dict) -> dict:
    """Say a name."""
    print("PRIMITIVE names")
    print("\ud800 lone surrogate \x00 null \x1b[31m red \u202e reversed")
    space = {"__name__": "\ud800", "__file__": "\x00"}
    code = compile("def f():\n    raise ValueError('\\ud83d\\x00')\nf()", "/nowhere/\ud800" + "a" * 10**6, "exec")
    exec(code, space)
    return {"\ud800": "\udfff"}
