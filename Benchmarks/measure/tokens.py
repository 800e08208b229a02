"""Rows of the token endpoint and its neighbors: refresh, client credentials, exchange, introspection, pushed requests."""

import base64
import json
import secrets
import urllib.parse
import urllib.request

from bench import load
from client import APP, REDIRECT, App, Key, post, verifier_and_challenge
from demonstration import Person

CONNECTIONS = 64
# More sessions than connections, so that no token is asked for twice while its answer is on the way.
SESSIONS = 4 * CONNECTIONS
BACKEND = "backend"
SERVICE, STOCK = "service", "https://stock.example.com"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
# More than the server remembers as verified (4096), so that each exchange checks a signature.
SUBJECTS = 8192
# How often a round of exchanges begins again; it ends sooner if it runs out of forms.
TURNS = 4
PARTNER, PARTNER_REDIRECT = "partner", "https://partner.example.com/callback"
# More than are pushed within a second. A round ends sooner if it runs out of forms.
PUSHES_A_SECOND = 12_000


class People:
    """The accounts and clients that the rows share."""

    def __init__(self, server):
        self.server, self.password = server, secrets.token_urlsafe(16)
        server.administer("account", "create", "ada", "--password-stdin", secret=self.password + "\n")
        server.administer(
            "client", "create", APP, "--name", "Load", "--public", "--redirect-uri", REDIRECT, "--scope", "offline_access"
        )  # fmt: skip
        self.basic = self.confidential(
            BACKEND, "--scope", "wallet_operations", "--introspection", "--id-token-algorithm", "ES256")
        self.person = Person("ada", self.password)

    def confidential(self, client, *options):
        """Makes a client; its header for Basic."""
        made = self.server.administer(
            "client", "create", client, "--name", "Load", "--confidential", *options, "--json")
        return "Basic " + base64.b64encode(f"{client}:{made['clientSecret']}".encode()).decode()

    def post(self, path, form, basic=None, **headers):
        headers["Authorization"] = basic or self.basic
        request = urllib.request.Request(
            self.server.endpoint(path), data=urllib.parse.urlencode(form).encode(), headers=headers
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


def unchanging(bench, people, title, path, form, must, cost_us, **headers):
    """A request that may be repeated as it is: its answer is the same kind each time."""
    environment = {"BODY": urllib.parse.urlencode(form), "AUTHORIZATION": people.basic, "MUST": must}
    environment.update({name.upper(): value for name, value in headers.items()})
    bench.compare(
        title, 0.60, people.post(path, form, **headers), cost_us,
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, **environment),
        lambda connections, seconds: load(
            "form.lua", people.server.endpoint(path), connections, seconds, **environment),
        CONNECTIONS,
    )  # fmt: skip


def exchange(bench, people):
    """A service exchanges the access tokens of apps that call it: each costs a check and a signature."""
    # The apps' tokens are for the issuer.
    basic = people.confidential(
        SERVICE, "--token-exchange", "--scope", "offline_access", "--resource", people.server.url, "--resource", STOCK)
    app = App(people.server.url)
    refresh_token, tokens = app.sessions(1, people.person)[0], []
    for _ in range(SUBJECTS):
        answer = app.token(grant_type="refresh_token", client_id=APP, refresh_token=refresh_token)
        refresh_token = answer["refresh_token"]
        tokens.append(answer["access_token"])
    usual = {"grant_type": EXCHANGE, "subject_token_type": ACCESS_TOKEN, "resource": STOCK}
    forms = [urllib.parse.urlencode({**usual, "subject_token": token}) for token in tokens]
    environment = {"AUTHORIZATION": basic, "MUST": f'"issued_token_type":"{ACCESS_TOKEN}"'}
    path = f"{bench.folder}/forms.txt"
    with open(path, "w", encoding="ascii") as file:
        for _ in range(TURNS):
            file.writelines(form + "\n" for form in forms)
    bench.compare(
        "token exchange", 0.50, people.post("/oauth2/token", {**usual, "subject_token": tokens[0]}, basic),
        bench.crypto["es256_verify_us"] + bench.crypto["es256_sign_us"],
        lambda url, connections, seconds: load(
            "form.lua", url, connections, seconds, BODY=forms[0], **environment),
        lambda connections, seconds: load(
            "form.lua", people.server.endpoint("/oauth2/token"), connections, seconds, FORMS=path, **environment),
        CONNECTIONS,
    )  # fmt: skip


def introspection(bench, people):
    """As JSON, and as a JWT that the backend's ID token algorithm signs."""
    form = {"token": App(people.server.url).sign_in(people.person)["access_token"]}
    unchanging(bench, people, "introspection", "/oauth2/introspect", form, '"active":true', 0)
    kind = "application/token-introspection+jwt"
    # Behind the time, whose length never changes, the payload is the same each time: an inactive token's would end otherwise.
    end = people.post("/oauth2/introspect", form, Accept=kind).split(".")[1][-64:]
    unchanging(
        bench, people, "introspection as a JWT", "/oauth2/introspect", form, end, bench.crypto["es256_sign_us"], Accept=kind
    )


def pushed_requests(bench, people):
    """Authorization requests that a client pushes, durable, each with an assertion of its own, whose signature is checked."""
    server, key = people.server, Key()
    url, keys = server.endpoint("/oauth2/par"), f"{bench.folder}/partner.jwks.json"
    with open(keys, "w", encoding="ascii") as file:
        json.dump({"keys": [key.jwk]}, file)
    server.administer(
        "client", "create", PARTNER, "--name", "Load", "--confidential", "--auth-method", "private_key_jwt", "--jwks", keys,
        "--redirect-uri", PARTNER_REDIRECT, "--scope", "openid",
    )  # fmt: skip
    usual = urllib.parse.urlencode({
        "response_type": "code", "client_id": PARTNER, "redirect_uri": PARTNER_REDIRECT, "scope": "openid",
        "state": secrets.token_urlsafe(16), "code_challenge": verifier_and_challenge()[1], "code_challenge_method": "S256",
        "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    })  # fmt: skip
    environment = {"MUST": '"request_uri"'}
    path = f"{bench.folder}/forms.txt"

    def form():
        return f"{usual}&client_assertion={key.assertion(PARTNER, server.url)}"

    def round(connections, seconds):
        # An assertion counts once, and for minutes.
        with open(path, "w", encoding="ascii") as file:
            file.writelines(form() + "\n" for _ in range(PUSHES_A_SECOND * seconds))
        return load("form.lua", url, connections, seconds, FORMS=path, **environment)

    sample, _ = post(url, dict(urllib.parse.parse_qsl(form())))
    bench.compare(
        "PAR", 0.60, json.dumps(sample, separators=(",", ":")), bench.crypto["es256_verify_us"],
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, BODY=form(), **environment),
        round, CONNECTIONS,
    )  # fmt: skip


def measure(bench, people):
    refresh(bench, people)
    refresh(bench, people, Key())
    form = {"grant_type": "client_credentials", "scope": "wallet_operations"}
    unchanging(
        bench, people, "client credentials", "/oauth2/token", form, '"access_token"', bench.crypto["es256_sign_us"]
    )
    exchange(bench, people)
    introspection(bench, people)
    pushed_requests(bench, people)
