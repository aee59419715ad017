"""A program that looks where it must not: private files, the network, other processes."""


async def curious_visitor(file: str, port: int, pid: int) -> dict:
    """Try to read a private file, to reach a server, and to end another process; tell what worked."""
    import os
    import socket

    worked, refused = [], []

    def attempt(what, act):
        try:
            act()
            worked.append(what)
        except BaseException as error:
            refused.append(f"{what}: {type(error).__name__}")

    attempt("read a private file", lambda: open(file, "rb").read(1))
    attempt("reach a server", lambda: socket.create_connection(("127.0.0.1", port), 1))
    attempt("end another process", lambda: os.kill(pid, 0))
    attempt("start a program", lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "true"], {}))
    return {"worked": worked, "refused": refused}
