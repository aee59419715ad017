"""Raises its own limits."""

import resource


async def raise_them(targets: dict) -> dict:
    """Ask for more."""
    print("PRIMITIVE", resource.setrlimit)
    said = {}
    for name in ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CORE", "RLIMIT_DATA", "RLIMIT_MEMLOCK", "RLIMIT_STACK"):
        number = getattr(resource, name)
        before = resource.getrlimit(number)
        for wish in (resource.RLIM_INFINITY, before[1] * 2 if before[1] > 0 else resource.RLIM_INFINITY):
            try:
                resource.setrlimit(number, (wish, wish))
            except (OSError, ValueError) as error:
                said[name] = str(error)
        after = resource.getrlimit(number)
        said[name + "_after"] = [before, after]
        if after[1] != before[1] or (name == "RLIMIT_AS" and after[1] == resource.RLIM_INFINITY):
            print("EVIDENCE raised", name, before, after)
    return said
