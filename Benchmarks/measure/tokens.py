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
        server.administer("account", "create", "ada", "--password-stdin", secret=self.password + "\n")
        server.administer(
            "client", "create", APP, "--name", "Load", "--public", "--redirect-uri", REDIRECT, "--scope", "offline_access"
        )  # fmt: skip
        backend = server.administer(
            "client", "create", BACKEND, "--name", "Load", "--confidential", "--scope", "wallet_operations",
            "--introspection", "--json",
        )  # fmt: skip
        self.basic = "Basic " + base64.b64encode(f"{BACKEND}:{backend['clientSecret']}".encode()).decode()
        self.person = Person("ada", self.password)

    def post(self, path, form):
        request = urllib.request.Request(
            self.server.endpoint(path), data=urllib.parse.urlencode(form).encode(), headers={"Authorization": self.basic}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()


class Sessions:
    """As many sessions of one person as a round refreshes; with a key they are bound to it, and each request is proved."""

    def __init__(self, bench, people, key=None, count=SESSIONS):
        self.people, self.count, self.app = people, count, App(people.server.url, key)
        self.environment = {
            "BODY": f"grant_type=refresh_token&client_id={APP}", "TOKENS": f"{bench.folder}/tokens.txt"
        }  # fmt: skip

    def fill(self):
        # After a round its tokens are spent.
        with open(self.environment["TOKENS"], "w", encoding="ascii") as file:
            file.write("\n".join(self.app.sessions(self.count, self.people.person)) + "\n")
        if self.app.key:
            self.environment["DPOP"] = self.app.proof()

    def refresh(self, url, connections, seconds):
        return load("refresh.lua", url, connections, seconds, **self.environment)

    def round(self, connections, seconds):
        self.fill()
        return self.refresh(self.people.server.endpoint("/oauth2/token"), connections, seconds)


def refresh(bench, people, key=None):
    """Refresh with rotation, without a key and with one."""
    sessions = Sessions(bench, people, key)
    app = sessions.app
    sample = app.token(
        grant_type="refresh_token", client_id=APP, refresh_token=app.sessions(1, people.person)[0]
    )
    sessions.fill()
    bench.compare(
        "refresh with rotation, durable" + (", DPoP-bound" if key else ""), 0.60,
        json.dumps(sample, separators=(",", ":")),
        bench.crypto["es256_sign_us"] + bench.crypto["hmac_sha256_us"] + (bench.crypto["es256_verify_us"] if key else 0),
        sessions.refresh, sessions.round, CONNECTIONS,
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
