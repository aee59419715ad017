# range: {"allow": "motion,memory,speak", "unguarded": false, "timeout": 20}
"""Arguments that cost the host memory and time: huge, deep, cyclic, many."""


async def argument_bombs(targets: dict) -> dict:
    """Remember a long text."""
    from reachy_mind import tools

    print("PRIMITIVE", tools.call)
    deep = []
    for _ in range(100_000):
        deep = [deep]
    cycle = []
    cycle.append(cycle)
    said = []
    for args in ({"content": "x" * (60 * 2**20)}, {"content": deep}, {"content": cycle}, {f"k{n}": n for n in range(100_000)}, {"content": 10**5000}, {"content": float("nan")}, {"content": b"\xff" * 1000}, {"content": "\ud800"}, {"content": {1: 2, None: 3}}):
        try:
            said.append(str(await tools.call("store_memory", **args))[:80])
        except BaseException as error:
            said.append(type(error).__name__)
    return {"said": said}
