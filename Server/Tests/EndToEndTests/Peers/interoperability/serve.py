"""Starts one authorization server of other people behind a fault proxy: `serve.py NAME FOLDER`.

Prints one line, `ready ` and a JSON document (issuer, resource, scope, redirect URIs), and serves until it is ended. The one
client is `wallet`, public; the one account is `ada`, password in PEER_PASSWORD.
"""

import importlib
import json
import os
import random
import socket
import sys

from fault_proxy import Proxy

PORTS_FOR_WALLETS = 16


def free_ports(count):
    """Ports for the wallets of servers that compare redirect URIs to the letter: below those that the system gives out."""
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


name, folder = sys.argv[1:]
peer = importlib.import_module(name + "_peer")
proxy = Proxy()
redirect_uris = [f"http://127.0.0.1:{port}/callback" for port in free_ports(PORTS_FOR_WALLETS)]
port = peer.start(proxy.url, folder, os.environ["PEER_PASSWORD"], redirect_uris)
description = {"redirect_uris": redirect_uris, "control": proxy.url + "/-/", **peer.description(proxy.url)}
print("ready " + json.dumps(description), flush=True)
proxy.serve(port)
