"""Signing in by password, next to the machine hashing passwords and doing nothing else."""

import json
import secrets
import statistics
import urllib.parse

from bench import Server, load
from client import Key, nonce_of, verifier_and_challenge

# Enough to keep every core hashing, and far below the queue's limit.
CONNECTIONS = 8
# Simultaneous attempts of a person count as guesses: here each signs in once at a time.
PEOPLE = 4 * CONNECTIONS
APP = "com.example.native"


def measure(bench):
    server = Server(bench.programs, bench.folder, "passwords.db").start()
    try:
        against(bench, server)
    finally:
        server.stop()


def against(bench, server):
    password = secrets.token_urlsafe(16)
    server.administer(
        "client", "create", APP, "--name", "Load", "--public", "--first-party", "--redirect-uri",
        f"{APP}:/callback", "--scope", "offline_access",
    )  # fmt: skip
    names = [f"person{number}" for number in range(PEOPLE)]
    for name in names:
        server.administer("account", "create", name, "--password-stdin", secret=password + "\n")
    url, key = server.endpoint("/oauth2/authorize-challenge"), Key()
    _, challenge = verifier_and_challenge()
    forms = [
        {
            "client_id": APP, "login_method": "password", "username": name, "password": password,
            "scope": "offline_access", "code_challenge": challenge, "code_challenge_method": "S256",
        }
        for name in names
    ]  # fmt: skip
    nonce = nonce_of(url, forms[0], key)
    environment = {
        "FORMS": f"{bench.folder}/forms.txt", "PROOFS": f"{bench.folder}/proofs.txt", "MUST": '"authorization_code"'
    }  # fmt: skip
    ours, limits, processor_ms = [], [], []
    for _ in range(bench.rounds):
        limits.append(json.loads(bench.output("password-cost", str(bench.seconds)))["argon2id_per_second"])
        # A password must not be tried again by replaying the request that carried it: each one has a proof of its own.
        count = bench.seconds * bench.cores * 100
        with open(environment["PROOFS"], "w", encoding="ascii") as file:
            file.writelines(key.proof(url, nonce) + "\n" for _ in range(count))
        with open(environment["FORMS"], "w", encoding="ascii") as file:
            file.writelines(urllib.parse.urlencode(forms[number % PEOPLE]) + "\n" for number in range(count))
        spent = server.running.processor_seconds()
        ours.append(load("form.lua", url, CONNECTIONS, bench.seconds, **environment))
        processor_ms.append((server.running.processor_seconds() - spent) / ours[-1].answers * 1000)
    bench.row("sign-in by password (Argon2id, 19 MiB)", 0.95, ours, sorted(limits)[len(limits) // 2])
    bench.fact("the server's processor time for a sign-in by password", statistics.median(processor_ms), "ms")
