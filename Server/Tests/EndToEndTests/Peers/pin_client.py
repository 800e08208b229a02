"""A second implementation of WPIN-1 at a running server, written from docs/wpin-1.md and docs/protocol.md and not from the program.

    pin_client.py SCENARIO --issuer URL --client ID --username NAME      password on standard input

    enrollment    enrolls again: after a refusal, at the same moment, later, and with a proof that is signed again
    stale         prints "grow old", waits until its caller has made the sign-in old, and sets a PIN after another one
    use           sets a PIN, signs in by it, changes it, and signs in by the new one
    lock          spends five tries, is locked, and sets another PIN
    repeats       sends each request again: later, at the same moment, signed again, and with a changed field
    transactions  signs a draft, again and at the same moment; for a server whose devices cool for a second
    limits        collects evaluations without answering them, at once and over thirty
    crash         prints "guessing" and asks for two hundred evaluations, while its caller kills the server and starts it again
    crowd         asks for a thousand evaluations at once, of several servers behind one address
    malformed     sends what the page says is refused

Each run enrolls a phone of its own, whose keys lie in memory. Codes are read from the sandbox's outbox. It prints the checks that held as
JSON; exit status 1 and the first one that did not hold otherwise.
"""

import argparse
import concurrent.futures
import copy
import hashlib
import json
import secrets
import sys
import time

import requests

# This one finds the folder of wpin1.py.
from transaction_phone import Phone, Refusal, point

import wpin1
from wpin1 import b64, unb64

PIN, OTHER, THIRD, WRONG = "804613972558", "591382740663", "370915826142", "170395826641"

CHECKS = []


class Broken(Exception):
    """What the server answered is not what the page says."""


def check(name, found, wanted):
    if found != wanted:
        raise Broken(f"{name}: {found!r} instead of {wanted!r}")
    CHECKS.append(name)


def at_once(*calls):
    """Runs calls at the same moment, as a client does whose connection broke."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [running.result() for running in [pool.submit(call) for call in calls]]


def otherwise_signed(assertion):
    """The same statement by the same keys in other bytes: of an ES256 signature both halves of the range of s are right."""
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    parsed = json.loads(assertion)
    for entry in parsed["signatures"]:
        raw = unb64(entry["signature"])
        entry["signature"] = b64(raw[:32] + (order - int.from_bytes(raw[32:], "big")).to_bytes(32, "big"))
    return wpin1.compact(parsed).decode()


def claims(token):
    return json.loads(unb64(token.split(".")[1]))


class Client(Phone):
    """The phone, with what a person does by a PIN apart from its sending, so that a test can send it as it likes."""

    @classmethod
    def signed_in(cls, given):
        client = cls.new("", given.issuer, given.client)
        client.given = given
        client.token = client.sign_in(given.username, given.password)
        client.save(account=claims(client.token)["sub"])
        return client

    @classmethod
    def enrolled(cls, given):
        client = cls.signed_in(given)
        status, told = client.post_enrollment(client.enrollment(client.enrollment_challenge()))
        if status != 201:
            raise Refusal(told.get("code"), http=status)
        client.save(deviceId=told["deviceId"])
        return client

    def enrollment_challenge(self):
        return self.call("POST", "/v1/challenges", {"purpose": "enroll"}, self.by_dpop, self.token)

    def enrollment(self, challenge, signer="device", issued=None):
        """Section 5 of the protocol: one sign-in with two factors enrolls one device."""
        name, platform = "Phone in Python", "python"
        proof = wpin1.statement(
            "wallet-auth-enrollment+jws",
            {"aud": self.state["issuer"], "sub": self.state["account"], "nonce": challenge["nonce"],
             "jkt": self.jkt, "kh": b64(hashlib.sha256(wpin1.lp(name.encode()) + wpin1.lp(platform.encode())).digest()),
             "iat": issued or int(time.time())},
            self.keys[signer],
        )  # fmt: skip
        return {"name": name, "platform": platform, "deviceKey": wpin1.jwk(point(self.keys["device"])),
                "challengeId": challenge["challengeId"], "proof": proof}  # fmt: skip

    def post_enrollment(self, body):
        return self.send("POST", "/v1/devices", body, self.by_dpop, self.token)

    def sign_in_again(self):
        """By password and the device's proof: two factors, and a session of this device."""
        verifier = secrets.token_urlsafe(48)
        challenge = b64(hashlib.sha256(verifier.encode()).digest())
        proof = wpin1.statement(
            "wallet-auth-device+jws",
            {"aud": self.state["issuer"], "enr": self.state["deviceId"], "jkt": self.jkt, "cc": challenge,
             "nonce": self.nonce, "iat": int(time.time())},
            self.keys["device"],
        )  # fmt: skip
        form = {
            "client_id": self.state["client"], "scope": "openid offline_access", "code_challenge": challenge,
            "code_challenge_method": "S256", "login_method": "password", "username": self.given.username,
            "password": self.given.password, "device_id": self.state["deviceId"], "device_proof": proof,
        }  # fmt: skip
        status, told = self.begin(form)
        check("a password with the device's proof signs in", status, 200)
        status, tokens = self.redeem(told["authorization_code"], verifier)
        check("and its code is redeemed", status, 200)
        self.token = tokens["access_token"]

    def twin(self):
        """The same phone on a connection of its own."""
        twin = copy.copy(self)
        twin.http = requests.Session()
        return twin

    def save(self, **changes):
        # Nothing here outlives the process.
        self.state |= changes

    @property
    def jkt(self):
        return wpin1.thumbprint(point(self.keys["dpop"]))

    def messages(self):
        headers = {"Accept": "application/json"}
        return self.http.get(self.state["issuer"] + "/sandbox/outbox", headers=headers, timeout=120).json()["messages"]

    def told(self, kind):
        return sum(message["kind"] == kind for message in self.messages())

    # --- evaluations

    def evaluation(self, pin=None, new=None, **purpose):
        """The request for an evaluation, and what its answer is needed with."""
        body = {"enrollmentId": self.state["deviceId"], **purpose}
        kept = {}
        if pin:
            kept["present"] = (pin, *self.blind(pin))
            body |= {"epoch": self.state["epoch"], "blinded": b64(kept["present"][3])}
        if new:
            kept["new"] = (new, *self.blind(new))
            body |= {"newBlinded": b64(kept["new"][3])}
        return body, kept

    def post_evaluation(self, body, headers=None):
        return self.send("POST", "/v1/pin/evaluate", body, headers or self.by_device())

    def keys_of(self, answer, kept):
        """The PIN key of the PIN in use, and that of the new one with the server's key to pin."""
        present = new = public = None
        if "present" in kept:
            pin, message, blind, blinded = kept["present"]
            if answer["epoch"] != self.state["epoch"]:
                raise Broken("another epoch was evaluated")
            pinned = bytes.fromhex(self.state["voprf"])
            present = self.pin_key(
                pin, answer["epoch"], message, blind, blinded, pinned, unb64(answer["evaluation"])
            )
        if "new" in kept:
            pin, message, blind, blinded = kept["new"]
            public = unb64(answer["new"]["publicKey"])
            new = self.pin_key(
                pin, answer["new"]["epoch"], message, blind, blinded, public, unb64(answer["new"]["evaluation"])
            )
        return present, new, public

    def asserted(self, answer, purpose, about, epoch, *keys, **more):
        payload = {
            "aud": self.state["issuer"], "sub": self.state["account"], "enr": self.state["deviceId"], "epoch": epoch,
            "cid": answer["challengeId"], "nonce": answer["nonce"], "pur": purpose, "txh": about, "factor": "PIN",
            "iat": int(time.time()), **more,
        }  # fmt: skip
        return payload, wpin1.assertion(payload, self.keys["device"], *keys)

    # --- setting and changing

    def setting(self, new):
        """The body of `PUT …/pin` for a PIN where none is in use, or in the place of a forgotten or locked one."""
        body, kept = self.evaluation(new=new, purpose="enroll")
        status, answer = self.post_evaluation(body)
        if status != 200:
            raise Refusal(answer.get("code"), http=status)
        _, key, public = self.keys_of(answer, kept)
        about = wpin1.payload_hash("wallet-key-v1", wpin1.thumbprint(point(key)).encode())
        _, assertion = self.asserted(answer, "enroll", about, answer["new"]["epoch"], key)
        return {"publicKey": wpin1.jwk(point(key)), "assertion": assertion}, answer["new"]["epoch"], public

    def changing(self, old, new):
        body, kept = self.evaluation(pin=old, new=new, purpose="pin-change")
        status, answer = self.post_evaluation(body)
        check("a change is evaluated in both epochs", (status, sorted(answer)), (200, sorted(
            ["attemptsLeft", "challengeId", "epoch", "evaluation", "expiresIn", "new", "nonce"])))  # fmt: skip
        old_key, key, public = self.keys_of(answer, kept)
        about = wpin1.payload_hash("wallet-key-v1", wpin1.thumbprint(point(key)).encode())
        _, assertion = self.asserted(answer, "pin-change", about, answer["new"]["epoch"], old_key, key)
        return {"publicKey": wpin1.jwk(point(key)), "assertion": assertion}, answer["new"]["epoch"], public

    def put(self, body):
        return self.send("PUT", f"/v1/devices/{self.state['deviceId']}/pin", body, self.by_dpop, self.token)

    def set(self, new):
        body, epoch, public = self.setting(new)
        check(f"a PIN is set in epoch {epoch}", self.put(body), (200, {"epoch": epoch}))
        self.save(epoch=epoch, voprf=public.hex())

    # --- signing in

    def sign_in_form(self, pin):
        """The form of a sign-in by PIN, the verifier of its code, and the payload that was signed."""
        verifier = secrets.token_urlsafe(48)
        challenge = b64(hashlib.sha256(verifier.encode()).digest())
        about = wpin1.payload_hash("wallet-login-v1", (self.jkt + challenge).encode())
        body, kept = self.evaluation(pin=pin, purpose="login", payloadHash=about)
        status, answer = self.post_evaluation(body)
        if status != 200:
            raise Refusal(answer.get("code"), http=status, **{n: v for n, v in answer.items() if n == "lockReason"})
        key, _, _ = self.keys_of(answer, kept)
        payload, assertion = self.asserted(answer, "login", about, answer["epoch"], key)
        form = {
            "client_id": self.state["client"], "scope": "openid offline_access", "code_challenge": challenge,
            "code_challenge_method": "S256", "login_method": "pin", "device_id": self.state["deviceId"],
            "pin_assertion": assertion,
        }  # fmt: skip
        return form, verifier, (payload, key, answer)

    def begin(self, form):
        return self.send("POST", "/oauth2/authorize-challenge", form, self.by_dpop, form=True)

    def redeem(self, code, verifier):
        form = {"grant_type": "authorization_code", "client_id": self.state["client"], "code": code,
                "code_verifier": verifier}  # fmt: skip
        return self.send("POST", "/oauth2/token", form, self.by_dpop, form=True)

    def by_pin(self, pin):
        """Signs in by a PIN and keeps the session."""
        form, verifier, _ = self.sign_in_form(pin)
        status, told = self.begin(form)
        if status != 200:
            return status, told
        status, tokens = self.redeem(told["authorization_code"], verifier)
        self.token = tokens["access_token"]
        return status, tokens

    def wrong(self, pin, form=None):
        """The answer to a refused sign-in: code and tries."""
        status, told = self.begin(form or self.sign_in_form(pin)[0])
        return status, told.get("error_code"), told.get("remaining_attempts")

    def refused(self, pin):
        """Why an evaluation for a sign-in is refused; None where it is not."""
        try:
            self.sign_in_form(pin)
        except Refusal as refusal:
            return refusal.told
        return None


# --- scenarios


def enrollment(given):
    client = Client.signed_in(given)
    challenge = client.enrollment_challenge()
    status, told = client.post_enrollment(client.enrollment(challenge, signer="presence"))
    check("a proof by another key is refused", (status, told.get("code")), (400, "invalid_proof"))
    # Equal claims make equal bytes, so the two proofs must not come to the same second by the time that passes between.
    now = int(time.time())
    body = client.enrollment(challenge, issued=now)
    twins = [client.twin() for _ in range(3)]
    answers = at_once(*(lambda twin=twin: twin.post_enrollment(body) for twin in twins))
    check("its challenge enrolls all the same, by equal requests at once", [status for status, _ in answers], [201] * 3)
    signed_again = client.enrollment(challenge, issued=now - 1)
    check("another proof is other bytes", signed_again["proof"] != body["proof"], True)
    for name, repeated in (("and again later", body), ("its proof signed again", signed_again)):
        answers.append(client.post_enrollment(repeated))
        check(name, answers[-1][0], 201)
    check("each gets the same device", len({told["deviceId"] for _, told in answers}), 1)
    check("as the session's own", {told["current"] for _, told in answers}, {True})
    client.save(deviceId=answers[0][1]["deviceId"])
    listed = client.call("GET", "/v1/devices", None, client.by_dpop, client.token)["devices"]
    check("it is the only one", [device["deviceId"] for device in listed], [client.state["deviceId"]])
    check("its holder is notified once", client.told("device_enrolled"), 1)
    client.set(PIN)
    check("its PIN signs in", client.by_pin(PIN)[0], 200)


def stale(given):
    client = Client.enrolled(given)
    refused = client.enrollment(client.enrollment_challenge(), signer="presence")
    print("grow old", flush=True)
    # A proof that is wrong changes nothing, and says by its refusal how old the sign-in is.
    deadline = time.monotonic() + 300
    while client.post_enrollment(refused)[1].get("code") == "invalid_proof":
        if time.monotonic() > deadline:
            raise Broken("the sign-in did not grow old")
        time.sleep(0.1)
    body, epoch, public = client.setting(PIN)
    for name in ("an old sign-in sets no PIN", "nor does it when asked again"):
        status, told = client.put(body)
        check(name, (status, told.get("code")), (401, "insufficient_user_authentication"))
    client.sign_in_again()
    check("the same body sets it after another sign-in", client.put(body), (200, {"epoch": epoch}))
    client.save(epoch=epoch, voprf=public.hex())
    check("and it signs in", client.by_pin(PIN)[0], 200)


def use(given):
    client = Client.enrolled(given)
    client.set(PIN)
    status, tokens = client.by_pin(PIN)
    check("the PIN signs in", status, 200)
    signed_in = claims(tokens["access_token"])
    check("two factors are reported", "pin" in signed_in["amr"] and signed_in["acr"], "urn:wallet-auth:acr:2fa")
    body, epoch, public = client.changing(PIN, OTHER)
    check("the PIN is changed", client.put(body), (200, {"epoch": 2}))
    old_epoch = {"epoch": client.state["epoch"], "voprf": client.state["voprf"]}
    refused = client.refused(PIN)
    check("the old epoch is refused and costs nothing", refused, {"code": "pin_epoch_mismatch", "http": 409})
    client.save(epoch=epoch, voprf=public.hex())
    check("the new PIN signs in", client.by_pin(OTHER)[0], 200)
    check("the old PIN is wrong", client.wrong(PIN), (401, "invalid_credentials", 4))
    check("the right one brings all tries back", client.by_pin(OTHER)[0], 200)
    check("and the answer says so", client.wrong(PIN), (401, "invalid_credentials", 4))
    check("epochs are counted", (old_epoch["epoch"], client.state["epoch"]), (1, 2))
    check("the holder is notified of each setting", client.told("pin_set"), 2)


def lock(given):
    client = Client.enrolled(given)
    client.set(PIN)
    forms = []
    for left in (4, 3, 2, 1):
        forms.append(client.sign_in_form(WRONG)[0])
        check(f"a wrong PIN leaves {left}", client.wrong(WRONG, forms[-1]), (401, "invalid_credentials", left))
    last = client.sign_in_form(WRONG)[0]
    for name in ("the fifth locks", "and the answer is repeated"):
        check(name, client.wrong(WRONG, last), (423, "pin_locked", None))
    check("a repetition gets its own tries", client.wrong(WRONG, forms[0]), (401, "invalid_credentials", 4))
    locked = {"code": "pin_locked", "http": 423, "lockReason": "TOO_MANY_TRIES"}
    check("the right one is not evaluated", client.refused(PIN), locked)
    check("the holder is notified once", client.told("pin_locked"), 1)
    client.set(OTHER)
    check("another PIN signs in", client.by_pin(OTHER)[0], 200)


def repeats(given):
    client = Client.enrolled(given)

    # Evaluations.
    body, _ = client.evaluation(new=PIN, purpose="enroll")
    headers = client.by_device()
    (status, first), (_, again) = client.post_evaluation(body, headers), client.post_evaluation(body, headers)
    check("an evaluation for a new PIN", status, 200)
    check("the same Idempotency-Key gets the same challenge", first["challengeId"], again["challengeId"])
    check("and the same element", first["new"]["evaluation"][:65], again["new"]["evaluation"][:65])
    other, _ = client.evaluation(new=OTHER, purpose="enroll")
    status, told = client.post_evaluation(other, headers)
    check("with another element it is refused", (status, told.get("code")), (422, "idempotency_mismatch"))
    client.post_evaluation(other)
    status, told = client.post_evaluation(body, headers)
    check("after a newer challenge too", (status, told.get("code")), (409, "challenge_over"))

    # Setting: at the same moment, and later.
    for round in range(3):
        body, epoch, public = client.setting(PIN)
        twins = [client.twin() for _ in range(3)]
        answers = at_once(*(lambda twin=twin: twin.put(body) for twin in twins))
        check(f"a PIN is set by equal requests at once, round {round}", answers, [(200, {"epoch": epoch})] * 3)
        check("and again later", client.put(body), (200, {"epoch": epoch}))
        client.save(epoch=epoch, voprf=public.hex())

    # Signing in: at the same moment, later, and signed again.
    for round in range(3):
        form, verifier, (payload, key, answer) = client.sign_in_form(PIN)
        twins = [client.twin() for _ in range(3)]
        answers = at_once(*(lambda twin=twin: twin.begin(form) for twin in twins))
        check(f"equal sign-ins at once get codes, round {round}", [status for status, _ in answers], [200] * 3)
        signed_again = otherwise_signed(form["pin_assertion"])
        check("other signatures are other bytes", signed_again != form["pin_assertion"], True)
        status, told = client.begin(form | {"pin_assertion": signed_again})
        check("a repetition is known by what was signed", status, 200)
        codes = [answer["authorization_code"] for _, answer in answers] + [told["authorization_code"]]
        status, tokens = client.redeem(codes[0], verifier)
        check("one code opens a session", status, 200)
        rest = [client.redeem(code, verifier) for code in codes[1:]]
        check("the others open none", {(s, t.get("error")) for s, t in rest}, {(400, "invalid_grant")})
        listed = client.send("GET", "/v1/devices", None, client.by_dpop, tokens["access_token"])
        check("and end none", listed[0], 200)
        client.token = tokens["access_token"]
        different = client.asserted(answer, "login", payload["txh"], payload["epoch"], key, iat=payload["iat"] - 1)[1]
        check("another payload is none", client.wrong(PIN, form | {"pin_assertion": different})[:2],
              (401, "invalid_credentials"))  # fmt: skip

    # The code that opened the session, once more.
    status, told = client.redeem(codes[0], verifier)
    check("the very code again is refused", (status, told.get("error")), (400, "invalid_grant"))
    status, told = client.send("GET", "/v1/devices", None, client.by_dpop, client.token)
    check("it ends its session", (status, told.get("error")), (401, "invalid_token"))
    check("whose holder is notified", client.told("session_ended_code_reuse"), 1)
    status, told = client.begin(form)
    check("the old assertion still gets a code", status, 200)
    status, told = client.redeem(told["authorization_code"], verifier)
    check("which opens nothing", (status, told.get("error")), (400, "invalid_grant"))
    check("another evaluation signs in", client.by_pin(PIN)[0], 200)

    # A wrong PIN.
    form, _, _ = client.sign_in_form(WRONG)
    twins = [client.twin() for _ in range(3)]
    answers = at_once(*(lambda twin=twin: twin.wrong(WRONG, form) for twin in twins))
    check("a wrong PIN sent at once costs one try", answers, [(401, "invalid_credentials", 4)] * 3)
    check("and none later", client.wrong(WRONG, form), (401, "invalid_credentials", 4))

    # Changing.
    check("the PIN signs in", client.by_pin(PIN)[0], 200)
    body, epoch, public = client.changing(PIN, OTHER)
    twins = [client.twin() for _ in range(3)]
    answers = at_once(*(lambda twin=twin: twin.put(body) for twin in twins))
    check("a PIN is changed by equal requests at once", answers, [(200, {"epoch": epoch})] * 3)
    check("and again, though the old key is gone", client.put(body), (200, {"epoch": epoch}))
    client.save(epoch=epoch, voprf=public.hex())

    # The key behind presence.
    public = point(client.keys["presence"])
    about = wpin1.payload_hash("wallet-key-v1", wpin1.thumbprint(public).encode())
    body, kept = client.evaluation(pin=OTHER, purpose="biometric", payloadHash=about)
    _, answer = client.post_evaluation(body)
    _, assertion = client.asserted(answer, "biometric", about, epoch, client.keys_of(answer, kept)[0])
    path, body = f"/v1/devices/{client.state['deviceId']}/biometric-key", {"publicKey": wpin1.jwk(public), "pinAssertion": assertion}
    twins = [client.twin() for _ in range(3)]
    answers = at_once(*(lambda twin=twin: twin.send("PUT", path, body, twin.by_dpop, twin.token)[0] for twin in twins))
    check("a biometric key is set by equal requests at once", answers, [204] * 3)
    check("its holder is notified once", client.told("biometric_key_added"), 1)


def transactions(given):
    client = Client.enrolled(given)
    client.set(PIN)
    while True:
        try:
            shown = client.draft("checkout", "terms, version 7", None)
            break
        except Refusal as refusal:
            if refusal.told["code"] != "device_cooling":
                raise
            time.sleep(0.2)
    check("a draft is shown", shown["status"], "CONFIRMED")
    draft = client.state["open"]
    about = wpin1.payload_hash("wallet-transaction-v1", unb64(draft["payload"]))
    purpose = {"purpose": "transaction", "transactionId": draft["transactionId"], "draft": draft["draft"]}
    other = wpin1.payload_hash("wallet-transaction-v1", b"something else")
    body, _ = client.evaluation(pin=PIN, payloadHash=other, **purpose)
    check("another hash is not evaluated", client.post_evaluation(body)[0] >= 400, True)
    for pin, wanted in ((WRONG, (401, "invalid_credentials", 4)), (PIN, (200, None, None))):
        body, kept = client.evaluation(pin=pin, payloadHash=about, **purpose)
        _, answer = client.post_evaluation(body)
        key, _, _ = client.keys_of(answer, kept)
        named = {"txid": draft["transactionId"], "decision": "approve"}
        _, jws = client.asserted(answer, "transaction", about, answer["epoch"], key, **named)
        twins = [client.twin() for _ in range(3)]
        sent = {"draft": draft["draft"], "jws": jws}
        answers = at_once(*(lambda twin=twin: twin.send("POST", "/v1/transactions", sent, twin.nothing) for twin in twins))
        answers.append(client.send("POST", "/v1/transactions", sent, client.nothing))
        found = {(200 if status in (200, 201) else status, told.get("code"), told.get("remainingAttempts")) for status, told in answers}
        check(f"equal signatures get one answer, {wanted[0]}", found, {wanted})
    check("the draft is signed", {told.get("status") for _, told in answers}, {"SIGNED"})


def limits(given):
    client = Client.enrolled(given)
    client.set(PIN)
    # Fifty at once: five are given out, whatever they would have been answered by.
    twins = [client.twin() for _ in range(50)]
    bodies = [twin.evaluation(pin=WRONG, purpose="login", payloadHash=b64(secrets.token_bytes(32)))[0] for twin in twins]
    answers = at_once(*(lambda twin=twin, body=body: twin.post_evaluation(body)[0] for twin, body in zip(twins, bodies)))
    check("of fifty evaluations at once five are given out", sorted(set(answers)) + [answers.count(200)], [200, 423, 5])
    # Setting one locks what was used up, and tells the holder.
    client.set(OTHER)
    check("unanswered tries notify the holder", client.told("pin_locked"), 1)
    spent = 5
    while spent < 29:
        for _ in range(min(4, 29 - spent)):
            body, _ = client.evaluation(pin=OTHER, purpose="login", payloadHash=b64(secrets.token_bytes(32)))
            check("an evaluation", client.post_evaluation(body)[0], 200)
            spent += 1
        check("the right PIN brings the five back, not the thirty", client.by_pin(OTHER)[0], 200)
    check("the thirtieth wrong PIN leaves none", client.wrong(WRONG), (401, "invalid_credentials", 0))
    check("the holder is notified", client.told("pin_locked"), 2)
    check("then nothing is evaluated", client.refused(OTHER), {"code": "pin_exhausted", "http": 429})
    status, told = client.post_evaluation(client.evaluation(new=THIRD, purpose="enroll")[0])
    check("nor is a PIN set", (status, told.get("code")), (429, "pin_exhausted"))
    fresh = Client.enrolled(given)
    fresh.set(THIRD)
    check("a new enrollment signs in by a PIN of its own", fresh.by_pin(THIRD)[0], 200)


def guesses(client, count, at_once):
    """What came of so many evaluations with a wrong PIN. Each is sent until it is answered: the same request each time, signed over
    the nonce of the moment."""

    common, _ = client.evaluation(pin=WRONG, purpose="login")

    def guess(_):
        twin, deadline = client.twin(), time.monotonic() + 300
        body, headers = common | {"payloadHash": b64(secrets.token_bytes(32))}, twin.by_device()
        while True:
            try:
                status, told = twin.post_evaluation(body, headers)
                if status < 500 or time.monotonic() > deadline:
                    return status, told.get("challengeId") or told.get("code")
            except requests.RequestException:
                if time.monotonic() > deadline:
                    raise
            time.sleep(0.2)

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        answers = list(pool.map(guess, range(count)))
    check("nothing but evaluations and refusals came", {status for status, _ in answers} <= {200, 409, 423}, True)
    given_out = {challenge for status, challenge in answers if status == 200}
    check("five were given out at most", len(given_out) <= 5, True)
    check("the right PIN is not evaluated", client.refused(PIN)["code"], "pin_locked")


def crash(given):
    client = Client.enrolled(given)
    client.set(PIN)
    print("guessing", flush=True)
    guesses(client, 200, 16)


def crowd(given):
    client = Client.enrolled(given)
    client.set(PIN)
    guesses(client, 1000, 64)


def malformed(given):
    client = Client.enrolled(given)
    client.set(PIN)
    login = {"purpose": "login", "payloadHash": b64(secrets.token_bytes(32))}

    def refused(name, wanted, change=lambda body: body, headers=None):
        body, _ = client.evaluation(pin=PIN, **login)
        status, told = client.post_evaluation(change(body), headers)
        check(name, (status, told.get("code")), wanted)

    bad = (400, "bad_request")
    refused("an unknown member", bad, lambda body: body | {"more": 1})
    refused("an unknown member that is null", bad, lambda body: body | {"more": None})
    refused("a null counts as absent", (200, None), lambda body: body | {"transactionId": None, "newBlinded": None})
    refused("a member of another purpose", bad, lambda body: body | {"newBlinded": body["blinded"]})
    refused("a missing one", bad, lambda body: {n: v for n, v in body.items() if n != "payloadHash"})
    refused("purpose reject", bad, lambda body: body | {"purpose": "reject"})
    refused("an epoch of zero", bad, lambda body: body | {"epoch": 0})
    refused("padding", bad, lambda body: body | {"blinded": body["blinded"] + "="})
    elements = {
        "the point at infinity": bytes(49), "another lead": b"\x04" + bytes(48), "x of no point": b"\x02" + b"\x00" * 47 + b"\x05",
        "x not reduced": b"\x02" + b"\xff" * 48, "an element too short": b"\x02" + bytes(47),
    }  # fmt: skip
    for name, element in elements.items():
        refused(name, bad, lambda body, element=element: body | {"blinded": b64(element)})

    def signed(**changes):
        """Headers with something changed in the signed payload or header."""
        made = client.by_device()

        def headers(method, url, data, token):
            found = made(method, url, data, token)
            if "Wallet-Device-Signature" not in found:
                return found
            head, payload, _ = found["Wallet-Device-Signature"].split(".")
            header = json.loads(unb64(head)) | changes.get("header", {})
            content = json.loads(unb64(payload)) | changes.get("payload", {})
            text = f"{b64(wpin1.compact(header))}.{b64(wpin1.compact(content))}"
            key = changes.get("key", client.keys["device"])
            return found | {"Wallet-Device-Signature": f"{text}.{b64(wpin1.signature(key, text.encode()))}"}

        return headers

    wrong = (401, "invalid_credentials")
    now = int(time.time())
    refused("another key", wrong, headers=signed(key=client.keys["presence"]))
    for name, change in {
        "another body": {"bh": b64(bytes(32))}, "another path": {"htu": client.state["issuer"] + "/v1/devices"},
        "another method": {"htm": "PUT"}, "another issuer": {"aud": "https://other.example"},
        "another Idempotency-Key": {"ik": secrets.token_urlsafe(16)}, "an old signature": {"iat": now - 400},
        "one of tomorrow": {"iat": now + 86_400}, "an unknown member of the payload": {"more": 1},
        "a null in the payload": {"nonce": None},
    }.items():  # fmt: skip
        refused(name + " in the signature", wrong, headers=signed(payload=change))
    for name, change in {
        "crit": {"crit": ["exp"]}, "a key in the header": {"jwk": wpin1.jwk(point(client.keys["device"]))},
        "another type": {"typ": "jwt"}, "another kid": {"kid": client.jkt},
    }.items():  # fmt: skip
        refused(name, wrong, headers=signed(header=change))
    # What the page does not name in a header is passed over.
    status, told = client.post_evaluation(client.evaluation(pin=PIN, **login)[0], signed(header={"x": 1}))
    check("an unknown member of a header is passed over", (status, told.get("attemptsLeft")), (200, 3))

    # A nonce that is not the server's: a fresh one comes with the refusal, and the request goes through.
    client.nonce = "stale"
    status, told = client.post_evaluation(client.evaluation(pin=PIN, **login)[0])
    check("a stale nonce is answered by a fresh one", (status, told.get("attemptsLeft")), (200, 2))

    # Assertions.
    form, _, (payload, key, answer) = client.sign_in_form(PIN)
    device = client.keys["device"]

    def held(name, assertion):
        check(name, client.wrong(PIN, form | {"pin_assertion": assertion}), (401, "invalid_credentials", None))

    held("one signature", wpin1.assertion(payload, device))
    held("the second key first", wpin1.assertion(payload, key, device))
    held("a third signature", wpin1.assertion(payload, device, key, key))
    for name, change in {
        "another purpose": {"pur": "enroll"}, "an unknown member": {"more": 1}, "another account": {"sub": client.state["deviceId"]},
        "another epoch": {"epoch": 2}, "epoch 0": {"epoch": 0}, "another factor": {"factor": "BIOMETRIC"}, "a null": {"txid": None},
        "a decision": {"decision": "approve"}, "another nonce": {"nonce": "other"}, "another hash": {"txh": b64(bytes(32))},
    }.items():  # fmt: skip
        held(name + " of an assertion", wpin1.assertion(payload | change, device, key))
    spaced = json.dumps(json.loads(form["pin_assertion"]), indent=1)
    check("white space in an assertion", client.wrong(PIN, form | {"pin_assertion": spaced}), (400, "bad_request", None))
    turned = dict(reversed(list(payload.items())))
    general = json.loads(wpin1.assertion(turned, device, key))
    text = wpin1.compact(dict(reversed(list(general.items())))).decode()
    status, told = client.begin(form | {"pin_assertion": text})
    check("members in another order are right, after all of it", (status, "authorization_code" in told), (200, True))

    def second(form, key, cut=64, **header):
        """The form with another header, or less of the signature, of the second key."""
        general = json.loads(form["pin_assertion"])
        protected = b64(wpin1.compact({"typ": "wallet-auth+jws", "alg": "ES256"} | header))
        signature = wpin1.signature(key, f"{protected}.{general['payload']}".encode())[:cut]
        general["signatures"][1] = {"protected": protected, "signature": b64(signature)}
        return form | {"pin_assertion": wpin1.compact(general).decode()}

    # What can be read of the second signature and is not right is a wrong PIN.
    left = 4
    for name, change in {
        "a kid": {"kid": wpin1.thumbprint(point(key))}, "another typ": {"typ": "jwt"}, "another alg": {"alg": "EdDSA"},
        "a byte less": {"cut": 63},
    }.items():  # fmt: skip
        form, _, (payload, key, answer) = client.sign_in_form(PIN)
        wrong_key = second(form, key, **change)
        check(f"a second signature with {name} is a wrong PIN", client.wrong(PIN, wrong_key), (401, "invalid_credentials", left))
        check("whose challenge is over", client.wrong(PIN, form), (401, "invalid_credentials", left))
        left -= 1
    # What cannot be read is none.
    form, _, (payload, key, answer) = client.sign_in_form(PIN)
    for name, header in {"crit": {"crit": ["exp"]}, "no known alg": {"alg": "none"}}.items():
        check(f"a second signature with {name} is not read", client.wrong(PIN, second(form, key, **header)),
              (401, "invalid_credentials", None))  # fmt: skip
    check("and its challenge stays open", client.begin(form)[0], 200)
    description = client.begin(form | {"pin_assertion": wpin1.assertion(payload | {"more": 1}, device)})[1]["error_description"]
    check("a refused assertion is not explained as a wrong password", "password" in description, False)


SCENARIOS = {f.__name__: f for f in (enrollment, stale, use, lock, repeats, transactions, limits, crash, crowd, malformed)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", choices=SCENARIOS)
    for name in ("--issuer", "--client", "--username"):
        parser.add_argument(name, required=True)
    given = parser.parse_args()
    given.password = sys.stdin.readline().rstrip("\n")
    try:
        SCENARIOS[given.scenario](given)
    except (Broken, Refusal) as broken:
        detail = broken.told if isinstance(broken, Refusal) else str(broken)
        print(json.dumps({"broken": detail, "held": CHECKS}))
        return 1
    print(json.dumps({"held": CHECKS}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
