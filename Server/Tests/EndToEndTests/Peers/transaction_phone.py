"""A phone that signs transactions, written from docs/protocol.md (sections 3, 5 and 6) and docs/wpin-1.md, not from the program.

    transaction_phone.py STATE enroll --issuer URL --client ID --username NAME [--pin PIN] [--biometric]
                                                  password on standard input; a code by e-mail is read in the sandbox's outbox
    transaction_phone.py STATE claim CODE         CODE is the text of the QR code, or a PNG of it, which zbarimg reads
    transaction_phone.py STATE confirm [--changed]
    transaction_phone.py STATE sign --pin PIN | --biometric | --again   [--changed]
    transaction_phone.py STATE reject --reason WRONG_DATA|UNEXPECTED|OTHER
    transaction_phone.py STATE draft [--state TEXT] [--data TEXT] [--factor PIN|BIOMETRIC|ANY]
    transaction_phone.py STATE store --pin PIN | --biometric | --again  [--changed]    signs the draft and stores it
    transaction_phone.py STATE show FILE          parses the bytes of a payload as `claim` does, without a server

Keys and the open transaction lie in the file STATE, in the clear: this is a test. `--again` sends the last signature once more;
`--changed` changes one byte of the payload before it is hashed, as an attacker in between would. Prints one JSON object. Exit
status 0; 1 where the server or this phone refuses, with `refusal` saying what; 2 for usage.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import secrets
import subprocess
import sys
import time
import unicodedata
from urllib.parse import urlsplit

import requests
from cryptography.hazmat.primitives.asymmetric import ec

sys.path.append(str(pathlib.Path(__file__).resolve().parents[4] / "Tests" / "Vectors" / "wpin-1"))
import wpin1  # noqa: E402
from wpin1 import b64, unb64  # noqa: E402

NAME, PLATFORM = "Phone in Python", "python"


class Refusal(Exception):
    """What the server or this phone does not do, as a dictionary."""

    def __init__(self, code, **more):
        super().__init__(code)
        self.told = {"code": code, **more}


def require(condition, code, **more):
    if not condition:
        raise Refusal(code, by="phone", **more)


# --- what is seen is what is signed

FORMS = {
    1: ("server", {"account", "clientId", "expiresAt", "id", "nonce", "origin", "requiredSecondFactorType", "type", "ver"},
        {"amount", "dataHash", "lines", "payee", "reference"}),
    2: ("client", {"account", "clientId", "expiresAt", "id", "nonce", "origin", "requiredSecondFactorType", "ver"},
        {"clientAdditionalDataHash", "clientStateHash"}),
}  # fmt: skip
DECIMALS = {code: 0 for code in "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split()}
DECIMALS |= {code: 3 for code in "BHD IQD JOD KWD LYD OMR TND".split()} | {"CLF": 4, "UYW": 4}


def distinct(pairs):
    require(len({name for name, _ in pairs}) == len(pairs), "doubled_member")
    return dict(pairs)


def hidden(letter):
    """Controls, direction changes, and invisible characters. The joiners are let pass: the server does, for emoji and for Persian."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and letter not in "\u200c\u200d"


def no_number(text):
    raise Refusal("malformed_payload", by="phone", number=text)


def texts(value):
    """Every text in a value, names of members included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from texts(member)
    elif isinstance(value, list):
        for member in value:
            yield from texts(member)


def parse(payload):
    """The transaction that these bytes describe. Whatever a person would not see, or could see in two ways, is refused."""
    require(len(payload) <= 8192, "payload_too_long")
    try:
        value = json.loads(payload.decode(), object_pairs_hook=distinct, parse_float=no_number, parse_constant=no_number)
    except (ValueError, RecursionError):
        raise Refusal("malformed_payload", by="phone") from None
    require(isinstance(value, dict), "malformed_payload")
    require(not any(hidden(letter) for text in texts(value) for letter in text), "hidden_characters")
    version = value.get("ver")
    require(type(version) is int and version in FORMS, "unknown_version", version=version)
    origin, required, optional = FORMS[version]
    require(value.get("origin") == origin, "another_origin")
    require(required <= value.keys() <= required | optional, "other_members")
    require(type(value["expiresAt"]) is int, "malformed_payload")
    strings = [name for name in value if name not in ("ver", "expiresAt", "amount", "payee", "lines")]
    require(all(isinstance(value[name], str) for name in strings), "malformed_payload")
    require(value["requiredSecondFactorType"] in ("PIN", "BIOMETRIC", "ANY"), "unknown_second_factor")
    for name, members in (("amount", {"value", "currency"}), ("payee", {"name", "account"})):
        part = value.get(name)
        require(part is None or isinstance(part, dict) and part.keys() == members, "malformed_payload", member=name)
        require(part is None or all(isinstance(text, str) for text in part.values()), "malformed_payload", member=name)
    if amount := value.get("amount"):
        require("payee" in value, "amount_without_payee")
        require(re.fullmatch(r"[1-9][0-9]*", amount["value"]), "malformed_amount")
        require(re.fullmatch(r"[A-Z]{3}", amount["currency"]), "malformed_amount")
    lines = value.get("lines", [])
    require(isinstance(lines, list) and len(lines) <= 10, "malformed_lines")
    require(all(isinstance(line, dict) and line.keys() == {"label", "value"} for line in lines), "malformed_lines")
    require(all(isinstance(text, str) for line in lines for text in line.values()), "malformed_lines")
    require(len({line["label"] for line in lines}) == len(lines), "malformed_lines")
    # RFC 8785, for the kinds of value that got here: one spelling for each content.
    canonical = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    require(canonical == payload, "not_canonical")
    return value


def screen(value):
    """What the person reads before Confirm or Reject, in the order of decision 45."""
    shown = {"type": value.get("type")}
    if amount := value.get("amount"):
        decimals = DECIMALS.get(amount["currency"], 2)
        digits = amount["value"].rjust(decimals + 1, "0")
        number = digits if decimals == 0 else f"{digits[:-decimals]}.{digits[-decimals:]}"
        shown["amount"] = f"{number} {amount['currency']}"
    if payee := value.get("payee"):
        shown["payee"] = payee
    shown["lines"] = [[line["label"], line["value"]] for line in value.get("lines", [])]
    return {name: part for name, part in shown.items() if part}


def scanned(code):
    """The text of a QR code. zbarimg shares no code with what drew it."""
    if "://" in code:
        return code
    read = subprocess.run(["zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", code], capture_output=True, text=True)
    require(read.returncode == 0 and read.stdout.count("\n") == 1, "unreadable_code")
    return read.stdout.rstrip("\n")


# --- keys


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


def saved(key):
    return key.private_numbers().private_value.to_bytes(32, "big").hex()


def point(key):
    return wpin1.x963(key.public_key())


class Phone:
    KEYS = ("dpop", "device", "agreement", "presence")

    def __init__(self, path, state):
        self.path, self.state = path, state
        self.keys = {name: wpin1.p256_private(bytes.fromhex(state[name])) for name in self.KEYS}
        self.http = requests.Session()
        self.nonce = ""

    @classmethod
    def new(cls, path, issuer, client):
        state = {name: saved(new_key()) for name in cls.KEYS}
        # E's private half is thrown away here, and never stored.
        state |= {"E": point(new_key()).hex(), "r": secrets.token_hex(32)}
        return cls(path, state | {"issuer": issuer, "client": client})

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(path, json.load(file))

    def save(self, **changes):
        self.state |= changes
        draft = self.path + ".new"
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(self.state, file, indent=2)
        os.replace(draft, self.path)

    # --- requests

    def send(self, method, path, body, headers, token=None, form=False):
        """Sends it as often as a fresh nonce is asked for, twice at most: `headers` makes them for the nonce of the moment."""
        data = body if form else None if body is None else wpin1.compact(body)
        kind = {} if form or body is None else {"Content-Type": "application/json"}
        url = self.state["issuer"] + path
        for _ in range(2):
            answer = self.http.request(
                method, url, data=data, headers=kind | headers(method, url, data, token), timeout=120, allow_redirects=False
            )
            self.nonce = answer.headers.get("DPoP-Nonce", self.nonce)
            told = answer.json() if answer.content else {}
            if "use_dpop_nonce" not in (told.get("error"), told.get("code")):
                break
        return answer.status_code, told

    def call(self, *arguments, **options):
        status, told = self.send(*arguments, **options)
        if status >= 300:
            code = told.pop("error_code", None) or told.pop("code", None) or told.get("error", "unknown")
            noise = ("type", "title", "traceId", "status", "error", "error_description")
            raise Refusal(code, by="server", http=status, **{name: v for name, v in told.items() if name not in noise})
        return told

    def nothing(self, method, url, data, token):
        return {}

    def by_dpop(self, method, url, data, token):
        """RFC 9449."""
        claims = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": url, "iat": int(time.time())}
        if self.nonce:
            claims["nonce"] = self.nonce
        if token:
            claims["ath"] = b64(hashlib.sha256(token.encode()).digest())
        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": wpin1.jwk(point(self.keys["dpop"]))}
        signed = f"{b64(wpin1.compact(header))}.{b64(wpin1.compact(claims))}"
        proof = f"{signed}.{b64(wpin1.signature(self.keys['dpop'], signed.encode()))}"
        return {"DPoP": proof} | ({"Authorization": f"DPoP {token}"} if token else {})

    def by_device(self):
        """The request signature of WPIN-1; one Idempotency-Key for all sendings of a request."""
        key = secrets.token_urlsafe(16)

        def headers(method, url, data, token):
            payload = {
                "aud": self.state["issuer"], "enr": self.state["deviceId"], "htm": method, "htu": url,
                "bh": b64(hashlib.sha256(data).digest()), "nonce": self.nonce, "ik": key, "iat": int(time.time()),
            }  # fmt: skip
            # Without a nonce there is nothing to sign yet: the refusal brings one.
            signature = wpin1.statement("wallet-auth-request+jws", payload, self.keys["device"])
            return {"Idempotency-Key": key} | ({"Wallet-Device-Signature": signature} if self.nonce else {})

        return headers

    # --- enrolling

    def enroll(self, username, password, pin, biometric):
        token = self.sign_in(username, password)
        account = json.loads(unb64(token.split(".")[1]))["sub"]
        challenge = self.call("POST", "/v1/challenges", {"purpose": "enroll"}, self.by_dpop, token)
        proof = wpin1.statement(
            "wallet-auth-enrollment+jws",
            {"aud": self.state["issuer"], "sub": account, "nonce": challenge["nonce"],
             "jkt": wpin1.thumbprint(point(self.keys["dpop"])),
             "kh": b64(hashlib.sha256(wpin1.lp(NAME.encode()) + wpin1.lp(PLATFORM.encode())).digest()),
             "iat": int(time.time())},
            self.keys["device"],
        )  # fmt: skip
        body = {"name": NAME, "platform": PLATFORM, "deviceKey": wpin1.jwk(point(self.keys["device"])),
                "challengeId": challenge["challengeId"], "proof": proof}  # fmt: skip
        device = self.call("POST", "/v1/devices", body, self.by_dpop, token)
        self.save(account=account, deviceId=device["deviceId"])
        if pin:
            self.set_pin(pin, token)
        if biometric:
            self.set_biometric_key(pin, token)
        return {"accountId": account, "deviceId": device["deviceId"], "coolingUntil": device.get("coolingUntil"),
                "epoch": self.state.get("epoch")}  # fmt: skip

    def sign_in(self, username, password):
        verifier = secrets.token_urlsafe(48)
        form = {"client_id": self.state["client"], "scope": "openid offline_access", "code_challenge_method": "S256",
                "code_challenge": b64(hashlib.sha256(verifier.encode()).digest())}  # fmt: skip
        path = "/oauth2/authorize-challenge"
        first = form | {"login_method": "password", "username": username, "password": password}
        status, told = self.send("POST", path, first, self.by_dpop, form=True)
        if told.get("error_code") == "mfa_required":
            outbox = self.http.get(self.state["issuer"] + "/sandbox/outbox", timeout=120).text
            code = re.search(r"<code>(\d{6})</code>", outbox)[1]
            answer = {"auth_session": told["auth_session"], "mfa_token": told["mfa"]["token"], "mfa_answer": code}
            told = self.call("POST", path, form | answer, self.by_dpop, form=True)
        require("authorization_code" in told, "not_signed_in", status=status, answer=told)
        redemption = {"grant_type": "authorization_code", "client_id": self.state["client"],
                      "code": told["authorization_code"], "code_verifier": verifier}  # fmt: skip
        return self.call("POST", "/oauth2/token", redemption, self.by_dpop, form=True)["access_token"]

    def set_pin(self, pin, token):
        message, blind, blinded = self.blind(pin)
        body = {"enrollmentId": self.state["deviceId"], "purpose": "enroll", "newBlinded": b64(blinded)}
        answer = self.call("POST", "/v1/pin/evaluate", body, self.by_device())
        new = answer["new"]
        public = unb64(new["publicKey"])
        key = self.pin_key(pin, new["epoch"], message, blind, blinded, public, unb64(new["evaluation"]))
        about = wpin1.payload_hash("wallet-key-v1", wpin1.thumbprint(point(key)).encode())
        assertion = self.assertion(answer, "enroll", about, "PIN", new["epoch"], key)
        path = f"/v1/devices/{self.state['deviceId']}/pin"
        told = self.call("PUT", path, {"publicKey": wpin1.jwk(point(key)), "assertion": assertion}, self.by_dpop, token)
        require(told["epoch"] == new["epoch"], "another_epoch")
        # Pinned only now, when the server has said that the PIN is set.
        self.save(epoch=new["epoch"], voprf=public.hex())

    def set_biometric_key(self, pin, token):
        public = point(self.keys["presence"])
        about = wpin1.payload_hash("wallet-key-v1", wpin1.thumbprint(public).encode())
        answer, key = self.evaluate(pin, {"purpose": "biometric", "payloadHash": about})
        assertion = self.assertion(answer, "biometric", about, "PIN", self.state["epoch"], key)
        path = f"/v1/devices/{self.state['deviceId']}/biometric-key"
        self.call("PUT", path, {"publicKey": wpin1.jwk(public), "pinAssertion": assertion}, self.by_dpop, token)
        self.save(biometric=True)

    # --- the PIN

    def blind(self, pin):
        """The VOPRF's input, a fresh blind, and the element that is sent."""
        enrollment = self.state["deviceId"].encode()
        message = wpin1.pin_input(enrollment, self.device_secret(), pin.encode())
        blind = secrets.randbelow(wpin1.N - 1) + 1
        return message, blind, wpin1.compress(wpin1.multiply(blind, wpin1.hash_to_group(message)))

    def device_secret(self):
        one_off = wpin1.p256_public(bytes.fromhex(self.state["E"]))
        agreed = self.keys["agreement"].exchange(ec.ECDH(), one_off)
        return wpin1.device_secret(agreed, bytes.fromhex(self.state["r"]), self.state["deviceId"].encode())

    def pin_key(self, pin, epoch, message, blind, blinded, public, evaluation):
        require(len(evaluation) == 145, "malformed_evaluation")
        scalars = [int.from_bytes(part, "big") for part in (evaluation[49:97], evaluation[97:])]
        require(all(0 < scalar < wpin1.N for scalar in scalars), "malformed_evaluation")
        try:
            holds = wpin1.proof_holds(public, blinded, evaluation[:49], evaluation[49:])
        except AssertionError:
            raise Refusal("malformed_evaluation", by="phone") from None
        require(holds, "unproven_evaluation")
        enrollment, secret = self.state["deviceId"].encode(), self.device_secret()
        y = wpin1.finalize(message, blind, evaluation[:49])
        s = wpin1.stretch(y, pin.encode(), secret, enrollment)
        candidates = (wpin1.candidate(s, secret, enrollment, epoch, counter) for counter in range(256))
        return wpin1.p256_private(wpin1.first_scalar(candidates)[1])

    def evaluate(self, pin, purpose):
        message, blind, blinded = self.blind(pin)
        require("epoch" in self.state, "no_pin")
        body = {"enrollmentId": self.state["deviceId"], "epoch": self.state["epoch"], "blinded": b64(blinded), **purpose}
        answer = self.call("POST", "/v1/pin/evaluate", body, self.by_device())
        require(answer["epoch"] == self.state["epoch"], "another_epoch")
        public, evaluation = bytes.fromhex(self.state["voprf"]), unb64(answer["evaluation"])
        return answer, self.pin_key(pin, answer["epoch"], message, blind, blinded, public, evaluation)

    def assertion(self, challenge, purpose, about, factor, epoch, key, **more):
        payload = {
            "aud": self.state["issuer"], "sub": self.state["account"], "enr": self.state["deviceId"], "epoch": epoch,
            "cid": challenge["challengeId"], "nonce": challenge["nonce"], "pur": purpose, "txh": about,
            "factor": factor, "iat": int(time.time()), **more,
        }  # fmt: skip
        return wpin1.assertion(payload, self.keys["device"], key)

    # --- transactions

    def take(self, told):
        """What the server sent of a transaction, held against this phone, and kept."""
        payload = unb64(told["payload"])
        value = parse(payload)
        require(value["id"] == told["transactionId"], "another_transaction")
        require(value["account"] == self.state["account"], "another_account")
        return payload, value

    def keep(self, told, **more):
        payload, value = self.take(told)
        open_now = {name: told[name] for name in ("transactionId", "payload", "challenge", "draft") if name in told}
        self.save(open=open_now | more)
        return self.shown(told) | {"shown": screen(value), "origin": value["origin"]}

    def shown(self, told):
        return {name: told[name] for name in told if name not in ("payload", "draft", "challenge")}

    def open(self, changed=False):
        """The transaction in hand, and the hash that is signed: of the bytes as they came, never of what was parsed."""
        transaction = self.state.get("open")
        require(transaction, "nothing_claimed")
        payload = unb64(transaction["payload"])
        if changed:
            payload = payload[:-2] + bytes([payload[-2] ^ 1]) + payload[-1:]
        return transaction, wpin1.payload_hash("wallet-transaction-v1", payload)

    def step(self, transaction, name, **members):
        path = f"/v1/transactions/{transaction['transactionId']}/{name}"
        return self.call("POST", path, {"deviceId": self.state["deviceId"], **members}, self.by_device())

    def claim(self, code):
        text = scanned(code)
        link, own = urlsplit(text), urlsplit(self.state["issuer"])
        # Another server's code is refused here: nothing of this phone goes where a picture says.
        require(text.startswith(self.state["issuer"] + "/t/") and link.netloc == own.netloc, "another_issuer")
        told = self.call("POST", "/v1/transactions/claim", {"qrData": text, "deviceId": self.state["deviceId"]}, self.by_device())
        require(link.path.endswith("/t/" + told["transactionId"]), "another_transaction")
        require(self.take(told)[1]["origin"] == "server", "another_origin")
        return self.keep(told)

    def confirm(self, changed):
        transaction, about = self.open(changed)
        told = self.step(transaction, "confirm", payloadHash=about)
        require(told["payload"] == transaction["payload"], "another_payload")
        return self.keep(told)

    def reject(self, reason):
        transaction, about = self.open()
        return self.shown(self.step(transaction, "reject", payloadHash=about, reason=reason))

    def draft(self, state, data, factor):
        body = {"deviceId": self.state["deviceId"]}
        body |= {"clientState": b64(state.encode())} if state else {}
        body |= {"clientAdditionalData": b64(data.encode())} if data else {}
        body |= {"requiredSecondFactorType": factor} if factor else {}
        told = self.call("POST", "/v1/transactions/drafts", body, self.by_device())
        value = self.take(told)[1]
        require(value["origin"] == "client", "another_origin")
        # The app signs what it asked for, and nothing that the server put in its place.
        for member, text in (("clientStateHash", state), ("clientAdditionalDataHash", data)):
            wanted = b64(hashlib.sha256(text.encode()).digest()) if text else None
            require(value.get(member) == wanted, "another_draft", member=member)
        return self.keep(told)

    def signed(self, pin, changed):
        """The assertion over the open transaction, by PIN or behind the look at the holder."""
        transaction, about = self.open(changed)
        named = {"txid": transaction["transactionId"], "decision": "approve"}
        if pin is None:
            require(transaction.get("challenge"), "no_challenge")
            key = self.keys["presence"]
            return self.assertion(transaction["challenge"], "transaction", about, "BIOMETRIC", 0, key, **named)
        # The evaluation is for the right hash, so that a changed byte is held against the signature alone.
        purpose = {"purpose": "transaction", "transactionId": transaction["transactionId"], "payloadHash": self.open()[1]}
        purpose |= {"draft": transaction["draft"]} if "draft" in transaction else {}
        answer, key = self.evaluate(pin, purpose)
        return self.assertion(answer, "transaction", about, "PIN", self.state["epoch"], key, **named)

    def sign(self, pin, again, changed):
        """Signs what was confirmed, or stores a draft; `again` sends the last signature once more."""
        transaction, _ = self.open()
        if again:
            require("jws" in transaction, "nothing_signed")
            jws = transaction["jws"]
        else:
            jws = self.signed(pin, changed)
            self.save(open=transaction | {"jws": jws})
        if "draft" in transaction:
            return self.shown(self.call("POST", "/v1/transactions", {"draft": transaction["draft"], "jws": jws}, self.nothing))
        path = f"/v1/transactions/{transaction['transactionId']}/sign"
        return self.shown(self.call("POST", path, {"jws": jws}, self.nothing))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("state")
    commands = parser.add_subparsers(dest="command", required=True)
    enroll = commands.add_parser("enroll")
    for name in ("--issuer", "--client", "--username"):
        enroll.add_argument(name, required=True)
    enroll.add_argument("--pin")
    enroll.add_argument("--biometric", action="store_true")
    commands.add_parser("claim").add_argument("code")
    commands.add_parser("confirm").add_argument("--changed", action="store_true")
    commands.add_parser("reject").add_argument("--reason", required=True)
    draft = commands.add_parser("draft")
    draft.add_argument("--state", dest="client_state", default="")
    draft.add_argument("--data", default="")
    draft.add_argument("--factor")
    for name in ("sign", "store"):
        sign = commands.add_parser(name)
        by = sign.add_mutually_exclusive_group(required=True)
        by.add_argument("--pin")
        by.add_argument("--biometric", action="store_true")
        by.add_argument("--again", action="store_true")
        sign.add_argument("--changed", action="store_true")
    commands.add_parser("show").add_argument("file")
    return parser.parse_args()


def run(given):
    if given.command == "show":
        with open(given.file, "rb") as file:
            return screen(parse(file.read()))
    if given.command == "enroll":
        password = sys.stdin.readline().rstrip("\n")
        phone = Phone.new(given.state, given.issuer, given.client)
        return phone.enroll(given.username, password, given.pin, given.biometric)
    phone = Phone.load(given.state)
    match given.command:
        case "claim":
            return phone.claim(given.code)
        case "confirm":
            return phone.confirm(given.changed)
        case "reject":
            return phone.reject(given.reason)
        case "draft":
            return phone.draft(given.client_state, given.data, given.factor)
        case "sign" | "store":
            return phone.sign(given.pin, given.again, given.changed)


def main():
    try:
        print(json.dumps(run(arguments()), ensure_ascii=False))
        return 0
    except Refusal as refusal:
        print(json.dumps({"refusal": refusal.told}, ensure_ascii=False))
        return 1


if __name__ == "__main__":
    sys.exit(main())
