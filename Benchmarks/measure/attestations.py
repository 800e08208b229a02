"""Devices whose apps are attested, next to the verification of their certificates' signatures; and signing in by passkey, which is how
the people who enroll them come in.

Chains are as long as the platforms', under roots of the benchmark that the server is configured to trust. What an attestation costs is the
difference to the same enrollment without one, right before it.
"""

import hashlib
import json
import secrets
import statistics

import passkeys
from bench import Server, load
from client import Key, base64url
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from load import load_lines, request_line
from passkeys import SignIns, formats
from phone import CHALLENGES, DEVICES, ENROLL, FORM, TOKEN, Issuer, account_of, form_line, wpin1

# Verifying is work for the processors: more at once would only wait.
CONNECTIONS = 8
# Each enrollment is by another person. So many in one go.
ENROLLMENTS = 64 * CONNECTIONS
PLAIN, ATTESTED = "com.example.plain", "com.example.attested"
# Apart from the attestation, the server verifies a DPoP proof and the proof of the new key.
VERIFICATIONS = 2


def challenge(nonce, thumbprint):
    """What the platform signs (docs/protocol.md, "An attestation")."""
    fields = "wallet-attestation-v1", "device", nonce, thumbprint
    return hashlib.sha256(b"".join(wpin1.lp(field.encode()) for field in fields)).digest()


class AppAttest:
    """Apple's: root and issuer are of P-384."""

    name, setting, wide, narrow = "App Attest", "WALLETAUTH_DEVICES_APPLE_ROOTS", 2, 0

    def __init__(self):
        self.authority = formats.Authority(ec.SECP384R1())

    def statement(self, device, nonce):
        thumbprint = wpin1.thumbprint(wpin1.x963(device.public_key()))
        key = ec.generate_private_key(ec.SECP256R1())
        made = formats.app_attest(self.authority, key, challenge(nonce, thumbprint))
        return {"format": "apple-appattest", "object": base64url(made)}


class AndroidKey:
    """Android's: root and first issuer are of P-384, the two below of P-256. The phone sends the root too."""

    name, setting, wide, narrow = "Android key attestation", "WALLETAUTH_DEVICES_ANDROID_ROOTS", 2, 2

    def __init__(self):
        self.authority = formats.Authority(ec.SECP384R1(), ec.SECP256R1(), ec.SECP256R1())
        self.root = self.authority.root.public_bytes(serialization.Encoding.DER)

    def statement(self, device, nonce):
        made = [*formats.android(self.authority, device, challenge(nonce, "")), self.root]
        return {"format": "android-key", "certificates": [base64url(certificate) for certificate in made]}


class Enrollments:
    def __init__(self, bench, server, plain, attested, holders):
        self.bench, self.server, self.holders = bench, server, iter(holders)
        self.plain, self.attested = SignIns(bench, server, plain), SignIns(bench, server, attested)
        self.plain_us, self.attestation_us, self.sample = [], {}, None

    def tokens(self, sign_ins):
        """Access tokens of people who have signed in with two factors just now."""
        issuer = sign_ins.issuer
        _, answers = sign_ins.sign_in([next(self.holders) for _ in range(ENROLLMENTS)])
        url, codes = self.server.endpoint(TOKEN), [answer["authorization_code"] for answer in answers]
        lines = [form_line(issuer.redemption(code), issuer.key.proof(url, issuer.nonce)) for code in codes]
        _, answers = load_lines(url, CONNECTIONS, lines, '"access_token"', self.bench.folder, FORM)
        return [json.loads(answer)["access_token"] for answer in answers]

    def line(self, issuer, token, path, body):
        proof = issuer.key.proof(self.server.url + path, issuer.nonce, "POST", token)
        return request_line(path, json.dumps(body), {"Authorization": f"DPoP {token}", "DPoP": proof})

    def enroll(self, sign_ins, platform=None):
        """One device of each of so many people: what was measured, and the processor's time for each in microseconds."""
        issuer, tokens = sign_ins.issuer, self.tokens(sign_ins)
        lines = [self.line(issuer, token, CHALLENGES, ENROLL) for token in tokens]
        # An answer does not say whose challenge it is: one connection keeps the order.
        _, challenges = load_lines(self.server.url, 1, lines, '"challengeId"', self.bench.folder)
        bodies = []
        for token, answer in zip(tokens, map(json.loads, challenges)):
            device = ec.generate_private_key(ec.SECP256R1())
            body = issuer.enrollment(account_of(token), device, answer)
            if platform:
                body["attestation"] = platform.statement(device, answer["nonce"])
            bodies.append(body)
        issuer.renew_nonce()
        lines = [self.line(issuer, token, DEVICES, body) for token, body in zip(tokens, bodies)]
        began = self.server.running.processor_seconds()
        measured, answers = load_lines(self.server.url, CONNECTIONS, lines, '"deviceId"', self.bench.folder)
        spent = (self.server.running.processor_seconds() - began) / measured.answers * 1e6
        self.sample = json.dumps(bodies[-1]), answers[-1]
        return measured, spent

    def round(self, platform):
        _, without = self.enroll(self.plain)
        measured, spent = self.enroll(self.attested, platform)
        self.plain_us.append(without)
        self.attestation_us.setdefault(platform.name, []).append(spent - without)
        return measured


def register(server):
    """The two apps, and the account that all others are like."""
    for client, *options in (
        (PLAIN, "--passkey-origin", passkeys.ORIGIN),
        (ATTESTED, "--attest", "required", "--apple-app-id", formats.APP, "--android-app",
         f"{formats.PACKAGE}={formats.PACKAGE_CERTIFICATE.hex()}"),
    ):  # fmt: skip
        server.administer(
            "client", "create", client, "--name", "Load", "--public", "--first-party", "--redirect-uri",
            f"{client}:/callback", "--scope", "offline_access", *options,
        )  # fmt: skip
    server.administer("account", "create", "holder", "--password-stdin", secret=secrets.token_urlsafe(16) + "\n")


def measure(bench):
    platforms, roots = [AppAttest(), AndroidKey()], {}
    for platform in platforms:
        roots[platform.setting] = f"{bench.folder}/{type(platform).__name__}.pem"
        with open(roots[platform.setting], "wb") as file:
            file.write(platform.authority.root.public_bytes(serialization.Encoding.PEM))
    server = Server(bench.programs, bench.folder, "attestations.db", WALLETAUTH_HOST=passkeys.PARTY, **roots).start()
    try:
        register(server)
        server.stop()
        # A warm-up and a round of each platform, each with and without an attestation.
        batches = 2 * len(platforms) * (1 + bench.rounds)
        holders = passkeys.add_holders(server.path, batches * ENROLLMENTS)
        server.start()
        key = Key()
        plain, attested = (Issuer(server, client, key) for client in (PLAIN, ATTESTED))
        passkeys.against(bench, SignIns(bench, server, plain), holders[: 2 * ENROLLMENTS])
        enrollments = Enrollments(bench, server, plain, attested, holders)
        for platform in platforms:
            against(bench, enrollments, platform)
        bench.fact("enrollment: the processor's time without attestation", statistics.median(enrollments.plain_us), "µs")
    finally:
        server.stop()


def against(bench, enrollments, platform):
    chain = platform.wide * bench.crypto["es384_verify_us"] + platform.narrow * bench.crypto["es256_verify_us"]
    # What the first requests alone take is no part of the difference.
    enrollments.enroll(enrollments.plain)
    enrollments.enroll(enrollments.attested, platform)
    body, answer = enrollments.sample
    bench.compare(
        f"enrollment of a device by {platform.name}", 0.50, answer,
        chain + VERIFICATIONS * bench.crypto["es256_verify_us"],
        lambda url, connections, seconds: load("form.lua", url, connections, seconds, BODY=body, MUST='"deviceId"'),
        lambda *_: enrollments.round(platform), CONNECTIONS,
    )  # fmt: skip
    spent = statistics.median(enrollments.attestation_us[platform.name])
    bench.fact(f"{platform.name}: the server's processor time for it", spent, "µs")
    bench.fact(f"{platform.name}: the verification of its chain", chain, "µs")
    bench.fact(f"{platform.name}: processor time to that verification", spent / chain, "times", 2)
