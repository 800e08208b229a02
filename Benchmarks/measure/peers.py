"""The same work by glewlwyd, an OAuth server in C, taken in turns with ours: same machine, same load, same durability.

Its files are where scripts/glewlwyd-files has put them. Its database is SQLite with a write-ahead log, its tokens are signed by
ES256, and its refresh tokens rotate, as ours do.
"""

import gzip
import json
import os
import pathlib
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from bench import Server, load
from client import APP, App
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from load import middle
from processes import resident_mb, tail
from tokens import People

# Its own threads are one for each connection: more of them would only slow it down.
CONNECTIONS = 16
SESSIONS = 4 * CONNECTIONS
FILES = pathlib.Path(__file__).resolve().parents[2] / ".build-glewlwyd"

CONFIGURATION = """
port = {port}
bind_address = "127.0.0.1"
external_url = "http://localhost:{port}"
api_prefix = "api"
login_url = "login.html"
static_files_path = "{files}/usr/share/glewlwyd/webapp/"
log_mode = "file"
log_level = "ERROR"
log_file = "{folder}/glewlwyd.log"
cookie_domain = "localhost"
cookie_secure = 0
session_key = "GLEWLWYD2_SESSION_ID"
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "{files}/usr/lib/glewlwyd/user"
user_middleware_module_path = "{folder}/none"
client_module_path = "{files}/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "{files}/usr/lib/glewlwyd/scheme"
plugin_module_path = "{files}/usr/lib/glewlwyd/plugin"
use_secure_connection = false
secure_connection_key_file = "/dev/null"
secure_connection_pem_file = "/dev/null"
secure_connection_ca_file = "/dev/null"
hash_algorithm = "SHA512"
database = {{ type = "sqlite3"; path = "{folder}/glewlwyd.db" }};
"""

PLUGIN = {
    "jwt-type": "ecdsa", "jwt-key-size": "256", "code-duration": 600, "refresh-token-duration": 1_209_600,
    "access-token-duration": 300, "refresh-token-one-use": "always", "allow-non-oidc": True, "pkce-allowed": True,
    "pkce-method-plain-allowed": False, "auth-type-client-enabled": True, "auth-type-code-enabled": True,
    "auth-type-token-enabled": False, "auth-type-implicit-enabled": False, "auth-type-password-enabled": True,
    "auth-type-refresh-enabled": True, "auth-type-device-enabled": False,
}  # fmt: skip


class Glewlwyd:
    def __init__(self, folder):
        self.folder, self.process, self.cookie = f"{folder}/glewlwyd", None, None
        os.makedirs(f"{self.folder}/none")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        # Its addresses must be those of its own configuration, whose cookies are for that name.
        self.base = f"http://localhost:{self.port}/api"
        self.token_url = f"http://127.0.0.1:{self.port}/api/oidc/token"

    def start(self):
        with gzip.open(FILES / "usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz", "rt", encoding="utf-8") as schema:
            database = sqlite3.connect(f"{self.folder}/glewlwyd.db")
            database.executescript(schema.read())
            database.execute("PRAGMA journal_mode = WAL")
            database.close()
        with open(f"{self.folder}/glewlwyd.conf", "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(port=self.port, files=FILES, folder=self.folder))
        libraries = os.pathsep.join(map(str, (FILES / "usr/lib").glob("*-linux-gnu*")))
        with open(f"{self.folder}/output.log", "wb") as log:
            self.process = subprocess.Popen(
                [FILES / "usr/bin/glewlwyd", f"--config-file={self.folder}/glewlwyd.conf"], stdout=log, stderr=log,
                env={**os.environ, "LD_LIBRARY_PATH": libraries},
            )  # fmt: skip
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise SystemExit(f"glewlwyd did not come up:\n{tail(f'{self.folder}/output.log')}")

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def ask(self, path, body=None, form=None):
        headers, data = {"Cookie": self.cookie} if self.cookie else {}, None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        if form is not None:
            data = urllib.parse.urlencode(form).encode()
        try:
            answer = urllib.request.urlopen(urllib.request.Request(self.base + path, data, headers), timeout=30)
        except urllib.error.HTTPError as refusal:
            raise SystemExit(f"glewlwyd {path}: {refusal.code} {refusal.read()[:300]}") from refusal
        self.cookie = self.cookie or (answer.headers.get("Set-Cookie") or "").split(";")[0] or None
        text = answer.read()
        return json.loads(text) if text else None

    def configure(self):
        self.ask("/auth/", {"username": "admin", "password": "password"})
        key = ec.generate_private_key(ec.SECP256R1())
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        keys = {"iss": self.base + "/oidc", "key": private.decode(), "cert": public.decode()}
        self.ask("/mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "oidc", "enabled": True, "parameters": {**PLUGIN, **keys},
        })  # fmt: skip
        self.ask("/scope/", {"name": "wallet", "display_name": "wallet", "password_required": True, "password_max_age": 0})
        self.ask("/client/", {
            "client_id": "peer", "client_name": "peer", "client_secret": "very-secret", "confidential": True, "enabled": True,
            "scope": ["wallet"], "authorization_type": ["client_credentials", "password", "refresh_token"],
            "redirect_uri": ["http://127.0.0.1/callback"], "token_endpoint_auth_method": ["client_secret_post"],
        })  # fmt: skip
        self.ask("/user/", {
            "username": "ada", "name": "Ada", "email": "ada@example.com", "password": "correct-horse", "enabled": True,
            "scope": ["openid", "wallet"],
        })  # fmt: skip

    CLIENT = {"client_id": "peer", "client_secret": "very-secret"}

    def sessions(self, count):
        form = {**self.CLIENT, "grant_type": "password", "username": "ada", "password": "correct-horse", "scope": "openid"}
        return [self.ask("/oidc/token", form=form)["refresh_token"] for _ in range(count)]


def measure(bench):
    peer = Glewlwyd(bench.folder)
    server = Server(bench.programs, bench.folder, "beside-peers.db")
    try:
        peer.start()
        peer.configure()
        people = People(server.start())
        compare(
            bench, "client credentials, beside glewlwyd (16 connections)", 12,
            lambda: grant(bench, server.endpoint("/oauth2/token"), "scope=wallet_operations", AUTHORIZATION=people.basic),
            lambda: grant(bench, peer.token_url, urllib.parse.urlencode({**peer.CLIENT, "scope": "wallet"})),
        )  # fmt: skip
        app = App(server.url)
        compare(
            bench, "refresh with rotation, beside glewlwyd (16 connections)", 15,
            lambda: rotate(bench, server.endpoint("/oauth2/token"), {"client_id": APP}, app.sessions(SESSIONS, people.person)),
            lambda: rotate(bench, peer.token_url, peer.CLIENT, peer.sessions(SESSIONS)),
        )  # fmt: skip
        bench.fact("resident after the load, 16 connections", server.running.resident_mb(), "MB", 60)
        bench.fact("glewlwyd: resident after the load", resident_mb(peer.process.pid), "MB")
    finally:
        server.stop()
        peer.stop()


def compare(bench, title, goal, ours, theirs):
    rounds = [(ours(), theirs()) for _ in range(bench.rounds)]
    peer = middle([one for _, one in rounds])
    bench.row(title, goal, [one for one, _ in rounds], peer.rate, peer_p99_ms=peer.p99_ms)


def grant(bench, url, form, **environment):
    body = f"grant_type=client_credentials&{form}"
    return load("form.lua", url, CONNECTIONS, bench.seconds, BODY=body, MUST='"access_token"', **environment)


def rotate(bench, url, client, tokens):
    path = f"{bench.folder}/peer-tokens.txt"
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(tokens) + "\n")
    body = "grant_type=refresh_token&" + urllib.parse.urlencode(client)
    return load("refresh.lua", url, CONNECTIONS, bench.seconds, BODY=body, TOKENS=path)
