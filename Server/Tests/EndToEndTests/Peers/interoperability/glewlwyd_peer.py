"""glewlwyd (C, Debian), as its documentation sets it up: SQLite, the OpenID Connect plugin, ES256, refresh tokens for one use.

It is configured by its own API, as an administrator's browser would. Its files are where scripts/glewlwyd-files put them.
"""

import ctypes
import gzip
import json
import os
import pathlib
import secrets
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ports import free_ports

FILES = pathlib.Path(os.environ["PEER_GLEWLWYD"])
PARENT_DEATH_SIGNAL = 1

CONFIGURATION = """
port={port}
bind_address="127.0.0.1"
external_url="{base}"
login_url="login.html"
api_prefix="api"
static_files_path="{files}/usr/share/glewlwyd/webapp/"
log_mode="file"
log_level="ERROR"
log_file="{folder}/glewlwyd.log"
cookie_domain="127.0.0.1"
cookie_secure=0
session_key="GLEWLWYD2_SESSION_ID"
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="{files}/usr/lib/glewlwyd/user"
user_middleware_module_path="{folder}/none"
client_module_path="{files}/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="{files}/usr/lib/glewlwyd/scheme"
plugin_module_path="{files}/usr/lib/glewlwyd/plugin"
use_secure_connection=false
secure_connection_key_file="/dev/null"
secure_connection_pem_file="/dev/null"
secure_connection_ca_file="/dev/null"
hash_algorithm="SHA512"
database = {{ type = "sqlite3"; path = "{folder}/glewlwyd.db"; }};
"""


class Administrator:
    def __init__(self, url):
        self.url, self.cookie = url, None

    def call(self, method, path, document):
        headers = {"Content-Type": "application/json", **({"Cookie": self.cookie} if self.cookie else {})}
        request = urllib.request.Request(self.url + path, json.dumps(document).encode(), headers, method=method)
        with urllib.request.urlopen(request, timeout=120) as response:
            cookie = response.headers.get("Set-Cookie")
            if cookie and self.cookie is None:
                self.cookie = cookie.split(";")[0]


def end_with_parent():
    """It ends when the program that started it does, however that ends."""
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGKILL)


def await_answer(port, process):
    end = time.monotonic() + 300
    while time.monotonic() < end and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"glewlwyd does not answer: {process.poll()}")


def start(base, folder, password, redirect_uris):
    """Starts it behind `base`, and answers its port."""
    folder = pathlib.Path(folder)
    (folder / "none").mkdir()
    schema = gzip.decompress((FILES / "usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz").read_bytes())
    database = sqlite3.connect(folder / "glewlwyd.db")
    database.executescript(schema.decode())
    database.close()
    [port] = free_ports(1)
    configuration = folder / "glewlwyd.conf"
    configuration.write_text(CONFIGURATION.format(port=port, base=base, files=FILES, folder=folder))
    libraries = os.pathsep.join(map(str, (FILES / "usr/lib").glob("*-linux-gnu*")))
    with open(folder / "glewlwyd.out", "wb") as output:
        process = subprocess.Popen(
            [FILES / "usr/bin/glewlwyd", f"--config-file={configuration}"],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=end_with_parent,
            env={**os.environ, "LD_LIBRARY_PATH": libraries},
        )
    await_answer(port, process)
    configure(f"http://127.0.0.1:{port}/api", base, password, redirect_uris)
    return port


def configure(url, base, password, redirect_uris):
    key = ec.generate_private_key(ec.SECP256R1())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    administrator = Administrator(url)
    administrator.call("POST", "/auth/", {"username": "admin", "password": "password"})
    # The password that every installation begins with.
    administrator.call(
        "PUT", "/profile/password", {"old_password": "password", "password": secrets.token_urlsafe(16)}
    )
    administrator.call("POST", "/mod/plugin/", {
        "module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "enabled": True,
        "parameters": {
            "iss": base + "/api/oidc", "jwt-type": "ecdsa", "jwt-key-size": "256",
            "key": private.decode(), "cert": public.decode(),
            "code-duration": 600, "access-token-duration": 3600, "refresh-token-duration": 1209600,
            "refresh-token-rolling": True, "refresh-token-one-use": "always",
            "allow-non-oidc": True, "auth-type-client-enabled": True, "auth-type-code-enabled": True,
            "auth-type-token-enabled": False, "auth-type-implicit-enabled": False,
            "auth-type-password-enabled": False, "auth-type-refresh-enabled": True,
            "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": True,
            "pkce-required-public-client": True,
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
        },
    })
    administrator.call("POST", "/client/", {
        "client_id": "wallet", "client_name": "Wallet", "confidential": False, "enabled": True,
        "authorization_type": ["code", "refresh_token"], "redirect_uri": redirect_uris,
        "token_endpoint_auth_method": ["none"], "scope": [],
    })
    administrator.call("POST", "/user/", {
        "username": "ada", "name": "Ada", "password": password, "enabled": True, "scope": ["openid", "g_profile"],
    })


def description(base):
    return {
        "issuer": base + "/api/oidc", "resource": base + "/api/oidc/userinfo", "scope": "openid",
        "sign_in": base + "/api/auth/",
    }
