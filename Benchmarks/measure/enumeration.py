"""How long a refusal takes for an account that exists and for one that does not: an attacker must not learn which it is."""

import http.client
import random
import secrets
import statistics
import time
import urllib.parse

from bench import Server
from client import Key, nonce_of, verifier_and_challenge

APP = "com.example.native"
TRIES = 500
# As many as are compared before untrusted devices of an account are slowed: beyond that nothing is hashed.
TRIES_EACH = 5
SHUFFLES = 2000


def measure(bench):
    server = Server(bench.programs, bench.folder, "enumeration.db")
    # Each try comes from another address, as those of an attacker with many: a single address is slowed.
    server.environment["WALLETAUTH_TRUSTED_PROXIES"] = "127.0.0.1/32"
    server.start()
    try:
        known, unknown = times(server)
    finally:
        server.stop()
    difference = abs(statistics.median(known) - statistics.median(unknown))
    bench.fact(
        f"wrong password, account known or not: difference of the medians of {TRIES} tries each",
        difference, "ms", chance(known, unknown),
    )  # fmt: skip
    bench.fact("the median of both", statistics.median(known + unknown), "ms")


def times(server):
    """Milliseconds of each try, of accounts that exist and of names without an account, in a random order."""
    server.administer(
        "client", "create", APP, "--name", "Load", "--public", "--first-party", "--redirect-uri",
        f"{APP}:/callback", "--scope", "offline_access",
    )  # fmt: skip
    there = [f"person{number}" for number in range(TRIES // TRIES_EACH)]
    for name in there:
        server.administer(
            "account", "create", name, "--password-stdin", secret=secrets.token_urlsafe(16) + "\n"
        )
    nobody = [f"nobody{number}" for number in range(len(there))]
    tries = [(name, True) for name in there * TRIES_EACH] + [(name, False) for name in nobody * TRIES_EACH]
    random.shuffle(tries)

    url, key = server.endpoint("/oauth2/authorize-challenge"), Key()
    _, challenge = verifier_and_challenge()
    form = {
        "client_id": APP, "login_method": "password", "username": "somebody", "password": "not the password",
        "scope": "offline_access", "code_challenge": challenge, "code_challenge_method": "S256",
    }  # fmt: skip
    nonce = nonce_of(url, form, key)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    taken = {True: [], False: []}
    for number, (name, is_known) in enumerate(tries):
        headers = {
            "Content-Type": "application/x-www-form-urlencoded", "DPoP": key.proof(url, nonce),
            "X-Forwarded-For": f"198.18.{number // 250}.{number % 250 + 1}",
        }  # fmt: skip
        body = urllib.parse.urlencode({**form, "username": name})
        began = time.perf_counter()
        connection.request("POST", "/oauth2/authorize-challenge", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        taken[is_known].append((time.perf_counter() - began) * 1000)
        nonce = answer.headers.get("DPoP-Nonce") or nonce
        if answer.status != 401 or b"invalid_credentials" not in text:
            raise SystemExit(f"a wrong password got {answer.status}: {text[:200]}")
    return taken[True], taken[False]


def chance(known, unknown):
    """The most that the medians differ by in 95 of 100 random halves of the same tries: a permutation test."""
    both, differences = known + unknown, []
    for _ in range(SHUFFLES):
        random.shuffle(both)
        differences.append(abs(statistics.median(both[: len(known)]) - statistics.median(both[len(known) :])))
    return sorted(differences)[int(SHUFFLES * 0.95)]
