"""Signing in by passkey in an app's own screens, next to what of it is HTTP and signatures.

The two requests of a sign-in follow one another; the authenticators' signatures are made between them. Accounts and passkeys are rows:
so many people could not register within the time of a run.
"""

import hashlib
import json
import os
import secrets
import statistics
import sys
import time
import urllib.parse

from client import base64url
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from load import chained, duration, load, load_lines, request_line
from phone import FORM, ROOT, SIGN_IN, form_line
from rows import Table, time_ordered

sys.path.append(os.path.join(ROOT, "scripts"))

import make_attestation_vectors as formats  # noqa: E402

CONNECTIONS = 64
# An app of Apple's systems states the server's host as its origin. Addresses have no passkeys.
PARTY, ORIGIN = "localhost", "https://localhost"
OPTIONS = "/v1/passkeys/options"
# What the server verifies: a DPoP proof at each step, and the passkey's signature.
VERIFICATIONS, REQUESTS = 3, 2
DAY = 86_400_000


class Holder:
    """A person, with the passkey in their authenticator."""

    def __init__(self):
        self.account, self.credential = time_ordered(int(time.time() * 1000)), secrets.token_bytes(32)
        self.key = ec.generate_private_key(ec.SECP256R1())

    def row(self):
        return {
            "id": time_ordered(int(time.time() * 1000) - 2 * DAY), "credential_id": self.credential,
            "account_id": self.account, "public_key": formats.cose(self.key),
        }  # fmt: skip

    def assertion(self, challenge):
        """An AuthenticationResponseJSON."""
        client = json.dumps({"type": "webauthn.get", "challenge": challenge, "origin": ORIGIN, "crossOrigin": False}).encode()
        # The holder was there and was recognized; the authenticator does not count.
        data = hashlib.sha256(PARTY.encode()).digest() + b"\x05" + bytes(4)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        credential = base64url(self.credential)
        return json.dumps({
            "id": credential, "rawId": credential, "type": "public-key",
            "response": {
                "clientDataJSON": base64url(client), "authenticatorData": base64url(data),
                "signature": base64url(signature), "userHandle": base64url(self.account),
            },
        })  # fmt: skip


def add_holders(path, count):
    """Adds people like the one who has an account, while no server has the database open. Their passkeys are past the cooling period."""
    holders, made = [Holder() for _ in range(count)], int(time.time() * 1000) - 2 * DAY
    Table(path, "accounts").add({"id": holder.account} for holder in holders)
    template = {
        "id": None, "credential_id": None, "account_id": None, "relying_party": PARTY, "public_key": None, "counter": 0,
        "backup_eligible": 0, "backed_up": 0, "transports": "internal", "name": b"", "created_at": made,
        "cooling_until": made, "last_used_at": None,
    }  # fmt: skip
    Table(path, "passkeys").add((holder.row() for holder in holders), template)
    return holders


class SignIns:
    """Sign-ins to one app."""

    def __init__(self, bench, server, issuer):
        self.bench, self.server, self.issuer = bench, server, issuer
        self.processor_us, self.sample = [], None

    def sign_in(self, holders):
        """Each of them once: the two steps as they were measured, and the answers."""
        issuer, url = self.issuer, self.server.url
        issuer.renew_nonce()
        body = json.dumps({"clientId": issuer.app, "codeChallenge": issuer.challenge})
        lines = [request_line(OPTIONS, body, {"DPoP": issuer.key.proof(url + OPTIONS, issuer.nonce)}) for _ in holders]
        asked, answers = load_lines(url, CONNECTIONS, lines, '"challenge"', self.bench.folder)
        # The options are the same for every person.
        forms = [
            {**issuer.sign_in, "login_method": "passkey", "assertion": holder.assertion(json.loads(answer)["challenge"])}
            for holder, answer in zip(holders, answers)
        ]
        lines = [form_line(form, issuer.key.proof(url + SIGN_IN, issuer.nonce)) for form in forms]
        signed_in, answers = load_lines(
            self.server.endpoint(SIGN_IN), CONNECTIONS, lines, '"authorization_code"', self.bench.folder, FORM
        )
        self.sample = urllib.parse.urlencode(forms[-1]), answers[-1]
        return (asked, signed_in), [json.loads(answer) for answer in answers]

    def round(self, holders, seconds):
        began, cycles, elapsed = self.server.running.processor_seconds(), [], 0
        while elapsed < seconds:
            cycles.append(self.sign_in(holders)[0])
            elapsed += duration(cycles[-1])
        measured = chained(cycles)
        self.processor_us.append((self.server.running.processor_seconds() - began) / measured.answers * 1e6)
        return measured


def against(bench, sign_ins, holders):
    sign_ins.sign_in(holders)
    body, answer = sign_ins.sample
    cost = VERIFICATIONS * bench.crypto["es256_verify_us"]
    bench.compare(
        "sign-in by passkey: options, assertion", 0.50, answer, cost,
        lambda url, connections, seconds: load(
            "form.lua", url, connections, seconds, BODY=body, MUST='"authorization_code"'),
        lambda _, seconds: sign_ins.round(holders, seconds), CONNECTIONS, requests=REQUESTS,
    )  # fmt: skip
    bench.fact("passkey: the server's processor time for a sign-in", statistics.median(sign_ins.processor_us), "µs")
    bench.fact("passkey: of it the verification of both proofs and the assertion", cost, "µs")
