"""Starts one authorization server of other people behind a fault proxy: `serve.py NAME FOLDER`.

Prints one line, `ready ` and a JSON document (issuer, resource, scope, redirect URIs), and serves until it is ended. The one
client is `wallet`, public; the one account is `ada`, password in PEER_PASSWORD.
"""

import importlib
import json
import os
import sys

from fault_proxy import Proxy
from ports import free_ports

# Servers compare redirect URIs to the letter, the port included.
PORTS_FOR_WALLETS = 16

name, folder = sys.argv[1:]
peer = importlib.import_module(name + "_peer")
proxy = Proxy()
redirect_uris = [f"http://127.0.0.1:{port}/callback" for port in free_ports(PORTS_FOR_WALLETS)]
port = peer.start(proxy.url, folder, os.environ["PEER_PASSWORD"], redirect_uris)
description = {"redirect_uris": redirect_uris, "control": proxy.url + "/-/", **peer.description(proxy.url)}
print("ready " + json.dumps(description), flush=True)
proxy.serve(port)
