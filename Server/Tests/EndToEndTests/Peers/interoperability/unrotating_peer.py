"""The scripted server, with refresh tokens that stay the same: as LemonLDAP::NG's do, and many a company's server."""

import threading

from standard_server import Server


def start(base, folder, password, redirect_uris):
    server = Server()
    threading.Thread(target=server.listener.serve_forever, daemon=True).start()
    return server.listener.server_port


def description(base):
    return {
        "issuer": base + "/unrotating", "resource": base + "/unrotating/userinfo", "scope": "openid offline_access",
    }
