"""A payment consent, from its challenge to its one use, next to what of it is HTTP, signatures and durable commits.

Challenge, attempt and consumption follow one another. What comes before is not measured: the backend's request, the proofs,
and the reading of the codes, which the sandbox shows.
"""

import base64
import json
import re
import secrets
import statistics
import urllib.request

from bench import Server, load
from client import Key, post
from commits import Commits
from load import chained, load_lines, request_line
from phone import Issuer, SIGN_IN, TOKEN

CONNECTIONS = 8
# The outbox shows the newest hundred messages, and each person's code has to be among them.
PEOPLE = 8 * CONNECTIONS
# An account is sent fifteen codes an hour: as many consents as a run can have of each.
CODES = 15
APP, BACKEND = "com.example.consents", "shop"
# The challenge, the try that is spent, its outcome, the use.
COMMITS = 4
# A DPoP proof at the person's two steps is verified; the authentication code is signed.
VERIFICATIONS, SIGNATURES, REQUESTS = 2, 1, 3


class Person:
    """Signed in by two factors; a code by e-mail is what agrees."""

    def __init__(self, consents, name):
        password, issuer = secrets.token_urlsafe(16), consents.issuer
        self.address = f"{name}@example.com"
        consents.server.administer(
            "account", "create", name, "--password-stdin", "--email", self.address, "--email-verified",
            secret=password + "\n",
        )  # fmt: skip
        answer = issuer.step(SIGN_IN, **issuer.sign_in, login_method="password", username=name, password=password)
        if "authorization_code" not in answer:
            raise SystemExit(f"not signed in: {answer}")
        self.token = issuer.step(TOKEN, **issuer.redemption(answer["authorization_code"]))["access_token"]
        claims = json.loads(base64.urlsafe_b64decode(self.token.split(".")[1] + "=="))
        self.account, self.session = claims["sub"], claims["sid"]


class Consents:
    def __init__(self, bench, server):
        self.bench, self.server, self.number = bench, server, 0
        server.administer(
            "client", "create", APP, "--name", "Load", "--public", "--first-party", "--redirect-uri",
            f"{APP}:/callback", "--scope", "offline_access",
        )  # fmt: skip
        # A password lets them in; the code is wanted for the payment alone.
        server.administer("brand", "update", "default", "--new-device", "allow")
        secret = server.administer(
            "client", "create", BACKEND, "--name", "Shop", "--confidential", "--auth-method",
            "client_secret_post", "--scope", "wallet_operations", "--json",
        )["clientSecret"]  # fmt: skip
        self.issuer = Issuer(server, APP, Key())
        self.issuer.renew_nonce()
        self.people = [Person(self, f"payer{number}") for number in range(PEOPLE)]
        credentials = {"grant_type": "client_credentials", "client_id": BACKEND, "client_secret": secret}
        self.backend = post(server.url + TOKEN, credentials)[0]["access_token"]
        self.processor_us, self.sample = [], None
        self.cycle()

    # --- what is sent

    def operation(self):
        return {"type": "TRANSFER", "amount": {"value": "9000", "currency": "EUR"}, "payee": {"name": "Anna", "account": "DE02"}}

    def ask(self, person):
        """The backend asks; not measured."""
        self.number += 1
        name = f"op-{self.number}"
        body = {"walletOperationId": name, "accountId": person.account, "sessionId": person.session, **self.operation()}
        request = urllib.request.Request(
            self.server.url + "/v1/wallet-operations", data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.backend}"},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=30) as answer:
            return name, json.load(answer)["eventId"]

    def by_person(self, person, path, body):
        proof = self.issuer.key.proof(self.server.url + path, self.issuer.nonce, "POST", person.token)
        return request_line(path, json.dumps(body), {"Authorization": f"DPoP {person.token}", "DPoP": proof})

    def by_backend(self, name, event):
        body = {"eventId": event, **self.operation()}
        path = f"/v1/wallet-operations/{name}/consume"
        return request_line(path, json.dumps(body), {"Authorization": f"Bearer {self.backend}"})

    def step(self, lines, must):
        return load_lines(self.server.url, CONNECTIONS, lines, must, self.bench.folder)

    def codes(self):
        """The newest code of each address."""
        with urllib.request.urlopen(self.server.url + "/sandbox/outbox", timeout=30) as page:
            text = page.read().decode()
        codes = {}
        for message in text.split("<li>"):
            address = re.search(r"<strong>([^<]*@example\.com)</strong>", message)
            code = re.search(r"<code>(\d{6})</code>", message)
            if address and code:
                codes.setdefault(address[1], code[1])
        return codes

    def cycle(self):
        """Each of them agrees once: the three steps as they were measured, and the processor's time for them."""
        self.issuer.renew_nonce()
        asked = [(person, *self.ask(person)) for person in self.people]
        way = {"method": "OTP", "channel": "EMAIL"}
        spent = self.server.running.processor_seconds
        challenges = [
            self.by_person(person, f"/v1/sca/events/{event}/challenges", {"walletOperationId": name, "verification": way})
            for person, name, event in asked
        ]
        began = spent()
        challenged, answers = self.step(challenges, '"resendAfter"')
        used = spent() - began
        self.sample = challenges[0].split("\t")[0], answers[0]
        codes = self.codes()
        attempts = [
            self.by_person(
                person, f"/v1/sca/events/{event}/attempts",
                {"walletOperationId": name, "verification": way, "value": codes[person.address]},
            )
            for person, name, event in asked
        ]  # fmt: skip
        uses = [self.by_backend(name, event) for _, name, event in asked]
        began = spent()
        steps = challenged, self.step(attempts, '"VERIFIED"')[0], self.step(uses, '"AUTHORIZED"')[0]
        return steps, used + spent() - began

    def round(self, cycles):
        steps, used = zip(*(self.cycle() for _ in range(cycles)))
        measured = chained(steps)
        self.processor_us.append(sum(used) / measured.answers * 1e6)
        return measured


def measure(bench):
    server = Server(bench.programs, bench.folder, "consents.db").start()
    try:
        against(bench, Consents(bench, server))
    finally:
        server.stop()


def against(bench, consents):
    crypto, (body, answer) = bench.crypto, consents.sample
    cryptography = VERIFICATIONS * crypto["es256_verify_us"] + SIGNATURES * crypto["es256_sign_us"]
    rate, change = Commits(bench.folder, CONNECTIONS).measure(bench.seconds)
    bench.compare(
        "payment consent: challenge, attempt, consumption", 0.50, answer, cryptography + COMMITS * change,
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, BODY=body, MUST='"resendAfter"'),
        lambda _, seconds: consents.round((CODES - 1) // bench.rounds), CONNECTIONS, requests=REQUESTS,
    )  # fmt: skip
    spent = statistics.median(consents.processor_us)
    bench.fact("consent: the server's processor time", spent, "µs")
    bench.fact("consent: of it both verifications and the code's signature", cryptography, "µs")
    bench.fact("consent: of it the four durable changes, as SQLite alone makes them", COMMITS * change, "µs")
    bench.fact("consent: as many as SQLite alone commits, if nothing else took time", rate / COMMITS, "a second")
