"""Signing in by PIN, next to what of it is signatures and the PIN's evaluation.

A sign-in is three requests that follow one another: the evaluation, the assertion by device key and PIN key, the code. The
phones' signatures are made between the steps, so that the load of each step is wrk's and the server's alone.
"""

import json
import secrets
import statistics
import urllib.parse

from bench import Server, load
from client import Key
from load import chained, duration, load_lines
from phone import EVALUATION, FORM, SIGN_IN, TOKEN, Issuer, Phone, form_line, wpin1

# An enrollment has one open challenge: so many sign-ins are under way as there are phones, over a few connections.
CONNECTIONS = 8
PHONES = 16 * CONNECTIONS
APP = "com.example.pin"
# What the server verifies: the device's signature over the request, the assertion's two, and a DPoP proof at each of the
# two steps that follow. The access token is signed.
VERIFICATIONS, SIGNATURES, REQUESTS = 5, 1, 3


class SignIns:
    def __init__(self, bench, server):
        self.bench, self.server = bench, server
        server.administer(
            "client", "create", APP, "--name", "Load", "--public", "--first-party", "--redirect-uri",
            f"{APP}:/callback", "--scope", "offline_access",
        )  # fmt: skip
        self.issuer = Issuer(server, APP, Key())
        self.issuer.renew_nonce()
        self.phones = [self.phone(f"phone{number}", secrets.token_urlsafe(16)) for number in range(PHONES)]
        self.by_element = {phone.evaluated: phone for phone in self.phones}
        self.processor_us, self.sample = [], None
        self.cycle()

    def phone(self, name, password):
        # The address is confirmed: the code that is the second factor goes there.
        self.server.administer(
            "account", "create", name, "--password-stdin", "--email", f"{name}@example.com",
            "--email-verified", secret=password + "\n",
        )  # fmt: skip
        return Phone(self.issuer, name, password)

    def step(self, path, lines, must, kind=FORM):
        """All of them once; what was measured, and the answers."""
        measured, answers = load_lines(self.server.endpoint(path), CONNECTIONS, lines, must, self.bench.folder, kind)
        return measured, [json.loads(answer) for answer in answers]

    def forms(self, path, forms, must):
        url = self.server.endpoint(path)
        return self.step(path, [form_line(form, self.issuer.key.proof(url, self.issuer.nonce)) for form in forms], must)

    def cycle(self):
        """Each phone signs in once: the three steps as they were measured."""
        self.issuer.renew_nonce()
        lines = [phone.evaluation_request() for phone in self.phones]
        evaluations, answers = self.step(EVALUATION, lines, '"evaluation"', "application/json")
        forms = [self.owner(answer).sign_in_form(answer) for answer in answers]
        assertions, answers = self.forms(SIGN_IN, forms, '"authorization_code"')
        forms = [self.issuer.redemption(answer["authorization_code"]) for answer in answers]
        redemptions, answers = self.forms(TOKEN, forms, '"refresh_token"')
        self.sample = answers[0]
        return evaluations, assertions, redemptions

    def owner(self, answer):
        """Whose evaluation it is. It has to hold the element that the phone's key gave before."""
        return self.by_element[wpin1.unb64(answer["evaluation"])[:49]]

    def round(self, seconds):
        began, cycles, elapsed = self.server.running.processor_seconds(), [], 0
        while elapsed < seconds:
            cycles.append(self.cycle())
            elapsed += duration(cycles[-1])
        measured = chained(cycles)
        self.processor_us.append((self.server.running.processor_seconds() - began) / measured.answers * 1e6)
        return measured


def measure(bench):
    server = Server(bench.programs, bench.folder, "pins.db").start()
    try:
        against(bench, SignIns(bench, server))
    finally:
        server.stop()


def against(bench, sign_ins):
    crypto = bench.crypto
    assertion = 2 * crypto["es256_verify_us"] + crypto["voprf_p384_evaluate_us"]
    cost = (
        VERIFICATIONS * crypto["es256_verify_us"] + crypto["voprf_p384_evaluate_us"]
        + SIGNATURES * crypto["es256_sign_us"] + crypto["hmac_sha256_us"]
    )  # fmt: skip
    body = urllib.parse.urlencode(sign_ins.issuer.redemption("x" * 400))
    bench.compare(
        "sign-in by PIN: evaluation, assertion, code", 0.50, json.dumps(sign_ins.sample, separators=(",", ":")), cost,
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, BODY=body, MUST='"refresh_token"'),
        lambda _, seconds: sign_ins.round(seconds), CONNECTIONS, requests=REQUESTS,
    )  # fmt: skip
    spent = statistics.median(sign_ins.processor_us)
    bench.fact("PIN: the server's processor time for a sign-in", spent, "µs")
    bench.fact("PIN: of it the assertion's two verifications and the evaluation", assertion, "µs")
    bench.fact("PIN: of it every verification, the evaluation and the token's signature", cost, "µs")
    bench.fact("PIN: processor time to that cryptography", spent / cost, "times")
    bench.fact("PIN: scrypt, which the phone computes", crypto["scrypt_32_mib_us"] / 1000, "ms")
