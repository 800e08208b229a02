"""Redeeming authorization codes with PKCE: each code is used once, so they are fetched before each round.

A redemption counts the account's sessions. So the load is as many people as a round has codes, each of whom has a few; and in a row of
its own one person, whose app never signs out.
"""

import json
import os
import subprocess
import urllib.parse

import crowd
from bench import load
from client import App, verifier_and_challenge
from load import LOAD

CONNECTIONS = 64
APP = "com.example.web"
# A claimed https address: only there a browser that is signed in gets its code without a page.
REDIRECT = "https://app.example.com/callback"


# Codes for each second of a round, which ends sooner if they run out.
A_SECOND = 5000


class Codes:
    """The codes of the browsers with these cookies, in turns."""

    def __init__(self, bench, people, cookies, scope):
        self.bench, self.server, self.scope = bench, people.server, scope
        self.cookies = f"{bench.folder}/cookies.txt"
        with open(self.cookies, "w", encoding="ascii") as file:
            file.writelines(cookie + "\n" for cookie in cookies)
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
            "PATHQ": "/oauth2/authorize?" + self.query(), "COOKIES": self.cookies, "CODES": raw, "COUNT": str(count),
        }  # fmt: skip
        subprocess.run(
            ["wrk", "--threads", "1", "--connections", "32", "--duration", f"{self.bench.seconds * 2}s", "--script",
             os.path.join(LOAD, "codes.lua"), self.server.url],
            env={**os.environ, **environment}, stdout=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        base = urllib.parse.urlencode(self.form)
        with open(raw, encoding="ascii") as codes, open(self.path, "w", encoding="ascii") as forms:
            forms.writelines(f"{base}&code={code}" for code in codes)


def row(bench, people, title, goal, cookies, scope, cost_us):
    codes = Codes(bench, people, cookies, scope)
    sample = codes.answer()
    environment = {"MUST": '"refresh_token"'}
    body = urllib.parse.urlencode({**codes.form, "code": "x" * 400})

    def ours(connections, seconds):
        codes.fetch(seconds * A_SECOND)
        return load(
            "form.lua", people.server.endpoint("/oauth2/token"), connections, seconds, FORMS=codes.path, **environment
        )

    bench.compare(
        title, goal, json.dumps(sample, separators=(",", ":")), cost_us,
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, BODY=body, **environment),
        ours, CONNECTIONS,
    )  # fmt: skip


def measure(bench, people):
    people.server.administer(
        "client", "create", APP, "--name", "Load", "--public", "--redirect-uri", REDIRECT, "--site-url",
        "https://app.example.com", "--scope", "openid offline_access",
    )  # fmt: skip
    cost = bench.crypto["es256_sign_us"] + bench.crypto["hmac_sha256_us"]
    title, scope = "code redemption with PKCE", "offline_access"
    # Consents to all that the rows ask for.
    App(people.server.url).sign_in(people.person, client=APP, redirect=REDIRECT, scope=f"openid {scope}")
    one = people.person.cookies()
    people.server.stop()
    _, many = crowd.sign_in(people.server.path, bench.seconds * A_SECOND)
    people.server.start()
    row(bench, people, title, 0.50, many, scope, cost)
    row(
        bench, people, f"{title} and an RS256 ID token", 0.50, many, f"openid {scope}", cost + bench.crypto["rs256_sign_us"]
    )
    row(bench, people, f"{title}, by one person at the limit of sessions", 0.25, [one], scope, cost)
