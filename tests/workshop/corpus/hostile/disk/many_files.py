# range: {"unguarded": false, "timeout": 10}
"""Makes files and folders until there are no more numbers for them."""

import os


def many_files(targets: dict) -> dict:
    """Keep many notes."""
    print("PRIMITIVE", os.getcwd(), flush=True)
    count = 0
    try:
        for number in range(2_000_000):
            os.close(os.open(f"n{number}", os.O_CREAT | os.O_WRONLY))
            count += 1
    except OSError as error:
        print(error)
    if count > 500_000:
        print("EVIDENCE files", count)
    return {"count": count}
