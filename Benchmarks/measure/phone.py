"""A phone that is linked to an account and has a PIN, as the server sees it: docs/wpin-1.md by the vectors' program."""

import base64
import hashlib
import json
import os
import re
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from client import base64url, post, verifier_and_challenge
from cryptography.hazmat.primitives.asymmetric import ec

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.append(os.path.join(ROOT, "Tests", "Vectors", "wpin-1"))

import wpin1  # noqa: E402

NAME, PLATFORM, FORM = b"Phone", b"load", "application/x-www-form-urlencoded"
EVALUATION, SIGN_IN, TOKEN = "/v1/pin/evaluate", "/oauth2/authorize-challenge", "/oauth2/token"
CHALLENGES, ENROLL, DEVICES = "/v1/challenges", {"purpose": "enroll"}, "/v1/devices"


class Issuer:
    """What all phones have in common: the app, one DPoP key and one PKCE verifier, so that each code fits each request."""

    def __init__(self, server, app, key):
        self.url, self.app, self.key, self.nonce = server.url, app, key, None
        self.verifier, self.challenge = verifier_and_challenge()
        self.thumbprint = wpin1.b64(hashlib.sha256(wpin1.compact(dict(sorted(key.jwk.items())))).digest())
        self.sign_in = {
            "client_id": app, "scope": "offline_access", "code_challenge": self.challenge, "code_challenge_method": "S256",
        }  # fmt: skip
        # What the assertion of a sign-in is about.
        self.subject = wpin1.payload_hash("wallet-login-v1", (self.thumbprint + self.challenge).encode())

    def renew_nonce(self):
        """A device's request without a signature is refused, and told the nonce of the moment."""
        nobody = self.evaluation("00000000-0000-4000-8000-000000000000", wpin1.compress(wpin1.G))
        _, headers = self.call("POST", EVALUATION, nobody, **{"Idempotency-Key": secrets.token_urlsafe(16)})
        self.nonce = headers["DPoP-Nonce"]

    def evaluation(self, device, blinded):
        return {
            "enrollmentId": device, "purpose": "login", "payloadHash": self.subject, "epoch": 1,
            "blinded": base64url(blinded),
        }  # fmt: skip

    def call(self, method, path, body, token=None, **headers):
        """The answer to a call of the interface for apps, whatever its status, and its headers."""
        fields = {"Content-Type": "application/json", **headers}
        if token:
            proof = self.key.proof(self.url + path, self.nonce, method, token)
            fields |= {"Authorization": f"DPoP {token}", "DPoP": proof}
        data = body if isinstance(body, bytes) else wpin1.compact(body)
        request = urllib.request.Request(self.url + path, data=data, headers=fields, method=method)
        try:
            answer = urllib.request.urlopen(request, timeout=30)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        text = answer.read()
        return json.loads(text) if text else {}, answer.headers

    def step(self, path, **form):
        return post(self.url + path, form, DPoP=self.key.proof(self.url + path, self.nonce))[0]

    def enrollment(self, account, device, challenge):
        """The body that enrolls a key as a device, by an answered challenge."""
        proof = wpin1.statement(
            "wallet-auth-enrollment+jws",
            {"aud": self.url, "sub": account, "nonce": challenge["nonce"], "jkt": self.thumbprint,
             "kh": base64url(hashlib.sha256(wpin1.lp(NAME) + wpin1.lp(PLATFORM)).digest()), "iat": int(time.time())},
            device,
        )  # fmt: skip
        return {
            "name": NAME.decode(), "platform": PLATFORM.decode(), "deviceKey": wpin1.jwk(wpin1.x963(device.public_key())),
            "challengeId": challenge["challengeId"], "proof": proof,
        }  # fmt: skip

    def redemption(self, code):
        return {
            "grant_type": "authorization_code", "client_id": self.app, "code": code, "code_verifier": self.verifier
        }  # fmt: skip


def account_of(token):
    """Whose access token it is."""
    return json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))["sub"]


class Phone:
    """Linked by a sign-in with two factors, and its PIN set, as docs/protocol.md section 5 has it."""

    def __init__(self, issuer, username, password):
        self.issuer = issuer
        # The PIN key is drawn, since the server cannot tell what it was made of: scrypt is the phone's cost.
        self.device, self.pin = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        # A real phone blinds with another factor each time. Here each evaluation has to come to the same element, and is checked by that.
        self.blinded = wpin1.compress(wpin1.multiply(secrets.randbelow(wpin1.N - 1) + 1, wpin1.G))
        self.token = self.sign_in_by_two_factors(username, password)
        self.account = account_of(self.token)
        self.id = self.link(self.token)
        self.evaluated = self.set_pin(self.token)

    def sign_in_by_two_factors(self, username, password):
        issuer = self.issuer
        asked = issuer.step(SIGN_IN, **issuer.sign_in, login_method="password", username=username, password=password)
        if asked.get("error_code") != "mfa_required":
            raise SystemExit(f"no second factor asked for: {asked}")
        with urllib.request.urlopen(issuer.url + "/sandbox/outbox", timeout=30) as page:
            code = re.search(r"<code>(\d{6})</code>", page.read().decode())[1]
        answer = issuer.step(
            SIGN_IN, **issuer.sign_in, auth_session=asked["auth_session"], mfa_token=asked["mfa"]["token"], mfa_answer=code
        )
        return issuer.step(TOKEN, **issuer.redemption(answer["authorization_code"]))["access_token"]

    def link(self, token):
        issuer = self.issuer
        challenge, _ = issuer.call("POST", CHALLENGES, ENROLL, token)
        device, _ = issuer.call("POST", DEVICES, issuer.enrollment(self.account, self.device, challenge), token)
        if "deviceId" not in device:
            raise SystemExit(f"not linked: {device}")
        return device["deviceId"]

    def set_pin(self, token):
        """Sets it, and returns what the server's key makes of this phone's element, now and at each sign-in."""
        body = {"enrollmentId": self.id, "purpose": "enroll", "newBlinded": base64url(self.blinded)}
        body, headers = self.signed(body)
        answer, _ = self.issuer.call("POST", EVALUATION, body.encode(), **headers)
        public, evaluation = (wpin1.unb64(answer["new"][name]) for name in ("publicKey", "evaluation"))
        if not wpin1.proof_holds(public, self.blinded, evaluation[:49], evaluation[49:]):
            raise SystemExit("the server did not prove its evaluation")
        setting = {"publicKey": self.jwk(self.pin), "assertion": self.assertion(answer, "enroll", self.key_subject(self.pin))}
        confirmed, _ = self.issuer.call("PUT", f"/v1/devices/{self.id}/pin", setting, token)
        if confirmed.get("epoch") != 1:
            raise SystemExit(f"no PIN: {confirmed}")
        return evaluation[:49]

    def set_biometric_key(self, token):
        """Sets a key that signs behind the device's check of its holder's presence, and returns it. The PIN agrees to it."""
        issuer, key = self.issuer, ec.generate_private_key(ec.SECP256R1())
        subject = self.key_subject(key)
        body, headers = self.signed(
            {**issuer.evaluation(self.id, self.blinded), "purpose": "biometric", "payloadHash": subject}
        )
        answer, _ = issuer.call("POST", EVALUATION, body.encode(), **headers)
        if "challengeId" not in answer:
            raise SystemExit(f"no evaluation: {answer}")
        setting = {"publicKey": self.jwk(key), "pinAssertion": self.assertion(answer, "biometric", subject)}
        refusal, _ = issuer.call("PUT", f"/v1/devices/{self.id}/biometric-key", setting, token)
        if refusal:
            raise SystemExit(f"no biometric key: {refusal}")
        return key

    # --- what a sign-in sends

    def evaluation_request(self):
        """A line of requests.lua."""
        body, headers = self.signed(self.issuer.evaluation(self.id, self.blinded))
        return "\t".join([body, *(f"{name}: {value}" for name, value in headers.items())])

    def sign_in_form(self, answer):
        assertion = self.assertion(answer, "login", self.issuer.subject)
        return {**self.issuer.sign_in, "login_method": "pin", "device_id": self.id, "pin_assertion": assertion}

    # --- what it signs

    def signed(self, body, path=EVALUATION):
        """A body as text, and the headers by which the device signs it."""
        text, key = wpin1.compact(body).decode(), secrets.token_urlsafe(16)
        signature = self.statement(
            "wallet-auth-request+jws", aud=self.issuer.url, enr=self.id, htm="POST",
            htu=self.issuer.url + path, bh=base64url(hashlib.sha256(text.encode()).digest()),
            nonce=self.issuer.nonce, ik=key,
        )  # fmt: skip
        return text, {"Wallet-Device-Signature": signature, "Idempotency-Key": key}

    def assertion(self, answer, purpose, subject, biometric_key=None, **more):
        """By the device and its PIN, or by the device and its biometric key."""
        payload = {
            "aud": self.issuer.url, "sub": self.account, "enr": self.id, "epoch": 0 if biometric_key else 1,
            "cid": answer["challengeId"], "nonce": answer["nonce"], "pur": purpose, "txh": subject,
            "factor": "BIOMETRIC" if biometric_key else "PIN", "iat": int(time.time()), **more,
        }  # fmt: skip
        return wpin1.assertion(payload, self.device, biometric_key or self.pin)

    def statement(self, kind, **payload):
        return wpin1.statement(kind, {**payload, "iat": int(time.time())}, self.device)

    @staticmethod
    def jwk(key):
        return wpin1.jwk(wpin1.x963(key.public_key()))

    @staticmethod
    def key_subject(key):
        """What an assertion is about that sets a key."""
        return wpin1.payload_hash("wallet-key-v1", wpin1.thumbprint(wpin1.x963(key.public_key())).encode())


def form_line(form, proof):
    """A form as a line of requests.lua."""
    return f"{urllib.parse.urlencode(form)}\tDPoP: {proof}"
