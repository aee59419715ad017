# range: {"unguarded": false, "timeout": 5}
"""Returns objects whose methods attack whoever converts them."""


class Trap(dict):
    def items(self):
        while True:
            yield ("a", Trap())

    keys = values = __iter__ = items

    def __len__(self):
        return 10**9

    def __reduce__(self):
        return (eval, ("1",))

    def __str__(self):
        raise SystemExit("str")

    def __getattribute__(self, name):
        if name.startswith("__json"):
            raise MemoryError
        return super().__getattribute__(name)


class Number(float):
    def __repr__(self):
        return "1}, \"status\": \"ok\", \"forged\": {"


class Text(str):
    def encode(self, *args):
        return b'"}, "forged": "'

    def __str__(self):
        return self


async def hostile_objects(targets: dict) -> dict:
    """Return a box."""
    print("PRIMITIVE return", flush=True)
    return {"number": Number(1.0), "text": Text("x"), Text("key"): 1, "trap": Trap(), "class": Trap, "function": hostile_objects}
