"""Ports for programs that have to know theirs before they start."""

import random
import socket


def free_ports(count):
    """Below those that the system gives to outgoing connections, which could be taken before the start."""
    found = []
    for port in random.sample(range(20000, 32000), 10 * count):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise SystemExit("no free ports")
