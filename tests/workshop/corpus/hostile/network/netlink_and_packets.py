"""Asks the kernel for interfaces and neighbours, and opens packet and other rare sockets."""

import socket


def netlink_and_packets(targets: dict) -> dict:
    """Show the network."""
    print("PRIMITIVE", socket.AF_NETLINK)
    opened = []
    for family, kind, protocol in ((16, 3, 0), (16, 3, 9), (17, 3, 3), (40, 1, 0), (38, 5, 0), (2, 3, 1), (10, 3, 58), (31, 3, 1), (44, 3, 0)):
        try:
            with socket.socket(family, kind, protocol):
                opened.append(family)
        except OSError as error:
            opened.append(repr(error))
    try:
        names = [name for _, name in socket.if_nameindex() if name != "lo"]
        if names:
            print("EVIDENCE interfaces", names)
    except OSError as error:
        opened.append(repr(error))
    if any(family in (17, 38, 40) for family in opened):
        print("EVIDENCE rare sockets", opened)
    return {"opened": opened}
