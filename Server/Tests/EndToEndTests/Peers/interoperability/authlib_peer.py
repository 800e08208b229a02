"""The Authlib server of the folder above, with rotation that never forgives: a spent refresh token is `invalid_grant`."""

import os
import pathlib
import re
import sys
import threading

from werkzeug.serving import make_server


def start(base, folder, password, redirect_uris):
    os.environ |= {"PEER_PASSWORD": password, "PEER_REDIRECT_URI": "http://127.0.0.1/callback", "PEER_LIFETIME": "3600"}
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
    import authlib_server

    # RFC 8252, section 7.3: any port of the loopback address. Authlib leaves that to the application.
    registered = authlib_server.REDIRECT_URI
    authlib_server.Client.check_redirect_uri = lambda self, uri: re.sub(r":[0-9]+/", "/", uri) == registered
    listener = make_server("127.0.0.1", 0, authlib_server.app, threaded=True)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    return listener.port


def description(base):
    return {"issuer": base, "resource": base + "/me", "scope": "profile"}
