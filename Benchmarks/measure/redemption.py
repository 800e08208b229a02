"""Redeeming authorization codes with PKCE: each code is used once, so they are fetched before each round."""

import json
import os
import subprocess
import urllib.parse

from bench import load
from client import App, verifier_and_challenge
from load import LOAD

CONNECTIONS = 64
APP = "com.example.web"
# A claimed https address: only there a browser that is signed in gets its code without a page.
REDIRECT = "https://app.example.com/callback"


class Codes:
    def __init__(self, bench, people, scope):
        self.bench, self.server, self.scope = bench, people.server, scope
        self.path = f"{bench.folder}/forms.txt"
        self.verifier, self.challenge = verifier_and_challenge()
        self.person, self.app = people.person, App(people.server.url)
        self.form = {"grant_type": "authorization_code", "client_id": APP, "redirect_uri": REDIRECT, "code_verifier": self.verifier}

    def query(self):
        return urllib.parse.urlencode({
            "response_type": "code", "client_id": APP, "redirect_uri": REDIRECT, "scope": self.scope, "state": "x" * 22,
            "code_challenge": self.challenge, "code_challenge_method": "S256",
        })  # fmt: skip

    def answer(self):
        """One redemption, for the size of its answer."""
        return self.app.sign_in(self.person, client=APP, redirect=REDIRECT, scope=self.scope)

    def fetch(self, count):
        """Codes live a minute, and silent sign-ins are quick: they are made right before their round."""
        raw = f"{self.bench.folder}/codes.txt"
        environment = {
            "PATHQ": "/oauth2/authorize?" + self.query(), "COOKIE": self.person.cookies(), "CODES": raw, "COUNT": str(count),
        }  # fmt: skip
        subprocess.run(
            ["wrk", "--threads", "1", "--connections", "32", "--duration", f"{self.bench.seconds * 2}s", "--script",
             os.path.join(LOAD, "codes.lua"), self.server.url],
            env={**os.environ, **environment}, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        base = urllib.parse.urlencode(self.form)
        with open(raw, encoding="ascii") as codes, open(self.path, "w", encoding="ascii") as forms:
            forms.writelines(f"{base}&code={code}" for code in codes)


def row(bench, people, title, scope, cost_us):
    codes = Codes(bench, people, scope)
    sample = codes.answer()
    environment = {"MUST": '"refresh_token"'}
    body = urllib.parse.urlencode({**codes.form, "code": "x" * 400})

    def ours(connections, seconds):
        codes.fetch(seconds * 5000)
        return load(
            "form.lua", people.server.endpoint("/oauth2/token"), connections, seconds, FORMS=codes.path, **environment
        )

    bench.compare(
        title, 0.50, json.dumps(sample, separators=(",", ":")), cost_us,
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, BODY=body, **environment),
        ours, CONNECTIONS,
    )  # fmt: skip


def measure(bench, people):
    people.server.administer(
        "client", "create", "--id", APP, "--name", "Load", "--public", "--redirect-uri", REDIRECT, "--site-url",
        "https://app.example.com", "--scope", "openid offline_access",
    )  # fmt: skip
    cost = bench.crypto["es256_sign_us"] + bench.crypto["hmac_sha256_us"]
    row(bench, people, "code redemption with PKCE", "offline_access", cost)
    row(
        bench, people, "code redemption with PKCE and an RS256 ID token", "openid offline_access",
        cost + bench.crypto["rs256_sign_us"],
    )  # fmt: skip
