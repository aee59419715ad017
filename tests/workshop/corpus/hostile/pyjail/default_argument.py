"""Attacks in a default argument."""


async def default_argument(
    targets: dict,
    times: int = [
        print("PRIMITIVE default"),
        [
            print(open(folder + "/" + name).read())
            for folder in ("/tmp", "/var/tmp", "/dev/shm")
            for name in __import__("os").listdir(folder)
            if "range" in name and "secret" in name
        ],
        1,
    ][-1],
) -> dict:
    """Nod some times."""
    return {"times": times}
