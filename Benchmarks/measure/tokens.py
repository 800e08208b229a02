"""Rows of the token endpoint and its neighbors: refresh, client credentials, introspection."""

import base64
import json
import secrets
import urllib.parse
import urllib.request

from bench import load
from client import APP, REDIRECT, App, Key
from demonstration import Person

CONNECTIONS = 64
# More sessions than connections, so that no token is asked for twice while its answer is on the way.
SESSIONS = 4 * CONNECTIONS
BACKEND = "backend"


class People:
    """The accounts and clients that the rows share."""

    def __init__(self, server):
        self.server, self.password = server, secrets.token_urlsafe(16)
        server.administer("account", "create", "--username", "ada", "--password-stdin", secret=self.password + "\n")
        server.administer(
            "client", "create", "--id", APP, "--name", "Load", "--public", "--redirect-uri", REDIRECT, "--scope", "offline_access"
        )  # fmt: skip
        backend = server.administer(
            "client", "create", "--id", BACKEND, "--name", "Load", "--confidential", "--scope", "wallet_operations",
            "--introspects", "--json",
        )  # fmt: skip
        self.basic = "Basic " + base64.b64encode(f"{BACKEND}:{backend['clientSecret']}".encode()).decode()
        self.person = Person("ada", self.password)

    def post(self, path, form):
        request = urllib.request.Request(
            self.server.endpoint(path), data=urllib.parse.urlencode(form).encode(), headers={"Authorization": self.basic}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()


def refresh(bench, people, key=None):
    """Refresh with rotation; with a key, the sessions are bound to it and each request is proved."""
    app = App(people.server.url, key)
    path = f"{bench.folder}/tokens.txt"
    sample = app.token(
        grant_type="refresh_token", client_id=APP, refresh_token=app.sessions(1, people.person)[0]
    )
    environment = {"BODY": f"grant_type=refresh_token&client_id={APP}", "TOKENS": path}
    if key:
        environment["DPOP"] = app.proof()

    def fill():
        # After a round its tokens are spent.
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(app.sessions(SESSIONS, people.person)) + "\n")

    def ours(connections, seconds):
        fill()
        if key:
            environment["DPOP"] = app.proof()
        return load("refresh.lua", people.server.endpoint("/oauth2/token"), connections, seconds, **environment)

    fill()
    bench.compare(
        "refresh with rotation, durable" + (", DPoP-bound" if key else ""), 0.60,
        json.dumps(sample, separators=(",", ":")),
        bench.crypto["es256_sign_us"] + bench.crypto["hmac_sha256_us"] + (bench.crypto["es256_verify_us"] if key else 0),
        lambda url, connections, seconds: load("refresh.lua", url, connections, seconds, **environment), ours, CONNECTIONS,
    )  # fmt: skip


def unchanging(bench, people, title, path, form, must, cost_us):
    """A request that may be repeated as it is: its answer is the same kind each time."""
    environment = {"BODY": urllib.parse.urlencode(form), "AUTHORIZATION": people.basic, "MUST": must}
    bench.compare(
        title, 0.60, people.post(path, form), cost_us,
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, **environment),
        lambda connections, seconds: load(
            "form.lua", people.server.endpoint(path), connections, seconds, **environment),
        CONNECTIONS,
    )  # fmt: skip


def measure(bench, people):
    refresh(bench, people)
    refresh(bench, people, Key())
    form = {"grant_type": "client_credentials", "scope": "wallet_operations"}
    unchanging(
        bench, people, "client credentials", "/oauth2/token", form, '"access_token"', bench.crypto["es256_sign_us"]
    )
    token = App(people.server.url).sign_in(people.person)["access_token"]
    unchanging(bench, people, "introspection", "/oauth2/introspect", {"token": token}, '"active":true', 0)
