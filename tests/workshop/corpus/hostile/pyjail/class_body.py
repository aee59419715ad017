"""Attacks in a class body, a metaclass, __init_subclass__ and __set_name__."""

import glob


class Meta(type):
    def __new__(cls, name, bases, space):
        print("PRIMITIVE metaclass", name)
        return super().__new__(cls, name, bases, space)


class Loot:
    def __set_name__(self, owner, name):
        for path in glob.glob("/tmp/range-secret-*") + glob.glob("/dev/shm/range-secret-*") + glob.glob("/var/tmp/range-secret-*"):
            print(open(path).read())


class Tool(metaclass=Meta):
    loot = Loot()

    def __init_subclass__(cls):
        print(open(glob.glob("/tmp/range-secret-*")[0]).read())


async def class_body(targets: dict) -> dict:
    """Do a trick."""

    class Trick(Tool):
        pass

    return {"trick": Trick.__name__}
