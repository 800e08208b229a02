#!/usr/bin/env python3
"""Makes every value again that the phone of transcript.md made, from the secrets on that page.

    transcript.py --check transcript.md

Ends with 1 where anything differs, and says what. What the server made is held against the rules: evaluations are proven, and
challenges and nonces come back in what is signed.
"""

import argparse
import hashlib
import json
import pathlib
import re
import sys

from cryptography.hazmat.primitives.asymmetric import ec

import wpin1
from wpin1 import b64, same, unb64


class Exchange:
    """One request and its answer."""

    def __init__(self, block):
        request, answer = block.strip().split("\n\nHTTP/1.1 ")
        head, self.body = request.split("\n\n", 1)
        self.method, self.path, _ = head.splitlines()[0].split(" ")
        self.headers = dict(line.split(": ", 1) for line in head.splitlines()[1:])
        answer_head, answer_body = answer.split("\n\n", 1)
        self.status = int(answer_head.split(" ")[0])
        self.answer_headers = dict(line.split(": ", 1) for line in answer_head.splitlines()[1:])
        self.answer = json.loads(answer_body)

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def form(self):
        return dict(line.split("=", 1) for line in self.body.splitlines())


class Page:
    def __init__(self, text):
        rows = re.findall(r"^\| ([^|`]+) \| `([^`]+)` \|$", text, re.M)
        self.named = {}
        for name, value in rows:
            self.named.setdefault(name, []).append(value)
        self.exchanges = [Exchange(block) for block in re.findall(r"```http\n(.*?)```", text, re.S)]
        self.payloads = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.S)]

    def one(self, name):
        (value,) = self.named[name]
        return value

    def bytes(self, name, index=0):
        return bytes.fromhex(self.named[name][index])


class Phone:
    def __init__(self, page):
        self.page, self.issuer, self.enrollment = page, page.one("issuer"), page.one("enrollment id")
        self.device = wpin1.x963(wpin1.p256_private(page.bytes("dev")).public_key())
        self.jkt = wpin1.thumbprint(wpin1.x963(wpin1.p256_private(page.bytes("DPoP key")).public_key()))
        agreed = wpin1.p256_private(page.bytes("ka")).exchange(ec.ECDH(), wpin1.p256_public(page.bytes("E")))
        same("Z", agreed, page.bytes("Z"))
        self.ds = wpin1.device_secret(agreed, page.bytes("r"), self.enrollment.encode())
        same("ds", self.ds, page.bytes("ds"))

    def blinded(self, pin, blind):
        x = wpin1.pin_input(self.enrollment.encode(), self.ds, pin.encode())
        return x, wpin1.compress(wpin1.multiply(blind, wpin1.hash_to_group(x)))

    def check_request(self, exchange, nonce):
        text = exchange.headers["Wallet-Device-Signature"]
        wpin1.check_statement(text, "wallet-auth-request+jws", self.device)
        payload = json.loads(unb64(text.split(".")[1]))
        wanted = {
            "aud": self.issuer, "enr": self.enrollment, "htm": "POST", "htu": self.issuer + exchange.path,
            "bh": b64(hashlib.sha256(exchange.body.encode()).digest()), "nonce": nonce,
            "ik": exchange.headers["Idempotency-Key"], "iat": payload["iat"],
        }  # fmt: skip
        same("the payload of a request signature", payload, wanted)
        return payload

    def key(self, pin, blind, blinded, epoch, public, evaluation, index=None):
        """The PIN key of an evaluation; `index` says which of the page's tables has its steps."""
        x, element = self.blinded(pin, blind)
        same("a blinded element", b64(element), blinded)
        evaluation = unb64(evaluation)
        assert wpin1.proof_holds(unb64(public), element, evaluation[:49], evaluation[49:]), "a proof does not hold"
        y = wpin1.finalize(x, blind, evaluation[:49])
        s = wpin1.stretch(y, pin.encode(), self.ds, self.enrollment.encode())
        candidates = (wpin1.candidate(s, self.ds, self.enrollment.encode(), epoch, i) for i in range(256))
        _, sk = wpin1.first_scalar(candidates)
        if index is not None:
            for name, value in (("x", x), ("y", y), ("s", s), ("sk", sk)):
                same(f"{name} of evaluation {index + 1}", value, self.page.bytes(name, index))
        return wpin1.x963(wpin1.p256_private(sk).public_key())

    def check_assertion(self, text, challenge, epoch, purpose, hashed, *points):
        payload = json.loads(unb64(json.loads(text)["payload"]))
        wanted = {
            "aud": self.issuer, "sub": self.page.one("account"), "enr": self.enrollment, "epoch": epoch,
            "cid": challenge["challengeId"], "nonce": challenge["nonce"], "pur": purpose, "txh": hashed, "factor": "PIN",
            "iat": payload["iat"],
        }  # fmt: skip
        same(f"the payload for {purpose}", payload, wanted)
        wpin1.check_assertion(text, wpin1.compact(payload).decode(), [self.device, *points])
        return payload


def key_hash(point):
    return wpin1.payload_hash("wallet-key-v1", wpin1.thumbprint(point).encode())


def check(page):
    phone = Phone(page)
    asked, setting, put, evaluated, signed_in, redeemed, changing, changed = page.exchanges
    blinds = [int(value, 16) for value in page.named["blind"]]
    first, second = page.one("first PIN"), page.one("second PIN")
    payloads = []

    same("the code of a request without a signature", asked.answer["code"], "use_dpop_nonce")
    same("the request that follows", asked.body, setting.body)
    nonce = asked.answer_headers["DPoP-Nonce"]

    payloads.append(phone.check_request(setting, nonce))
    new = setting.answer["new"]
    pinned = new["publicKey"]
    key = phone.key(first, blinds[0], setting.json["newBlinded"], 1, pinned, new["evaluation"], 0)
    same("publicKey", put.json["publicKey"], wpin1.jwk(key))
    payloads.append(phone.check_assertion(put.json["assertion"], setting.answer, 1, "enroll", key_hash(key), key))

    phone.check_request(evaluated, nonce)
    challenge = b64(hashlib.sha256(page.one("verifier").encode()).digest())
    about = wpin1.payload_hash("wallet-login-v1", (phone.jkt + challenge).encode())
    same("payloadHash", evaluated.json["payloadHash"], about)
    same("the key of the sign-in",
         phone.key(first, blinds[1], evaluated.json["blinded"], 1, pinned, evaluated.answer["evaluation"], 1), key)  # fmt: skip
    same("code_challenge", signed_in.form["code_challenge"], challenge)
    assertion = signed_in.form["pin_assertion"]
    payloads.append(phone.check_assertion(assertion, evaluated.answer, 1, "login", about, key))
    same("code_verifier", redeemed.form["code_verifier"], page.one("verifier"))

    phone.check_request(changing, nonce)
    old_blind = int(page.one("blind of the old one"), 16)
    same("the old key",
         phone.key(first, old_blind, changing.json["blinded"], 1, pinned, changing.answer["evaluation"]), key)  # fmt: skip
    new = changing.answer["new"]
    other = phone.key(second, blinds[2], changing.json["newBlinded"], 2, new["publicKey"], new["evaluation"], 2)
    same("the new publicKey", changed.json["publicKey"], wpin1.jwk(other))
    assertion = changed.json["assertion"]
    payloads.append(phone.check_assertion(assertion, changing.answer, 2, "pin-change", key_hash(other), key, other))
    same("the payloads that are shown", page.payloads, payloads)
    same("statuses", [e.status for e in page.exchanges], [401] + [200] * 7)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", metavar="PAGE", required=True)
    check(Page(pathlib.Path(parser.parse_args().check).read_text(encoding="utf-8")))


if __name__ == "__main__":
    if not __debug__:
        sys.exit("transcript.py checks by assertions, which -O leaves out")
    try:
        main()
    except (AssertionError, KeyError, TypeError, ValueError) as error:
        sys.exit(f"transcript.py: {error}")
