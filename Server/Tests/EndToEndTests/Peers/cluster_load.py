"""Load on several servers behind one address, and the count of what they lost or did twice.

    cluster_load.py --issuer URL --client ID --backend ID --seed N      settings on standard input, one line of JSON:
        {"people": [{"username": …, "password": …}], "secret": the backend's}

Each person has a phone with a PIN and a biometric key. On all phones at once: sessions are refreshed, payments agreed to and carried
out, people sign in by PIN, and transactions are signed. A request without an answer, or with a 5xx, is repeated as docs/protocol.md
says until it is answered. Only what HTTP says is believed.

Prints a line of JSON with the counts when they have changed, until SIGTERM. Then it looks for everything that was acknowledged and
prints the report. Exit status 0; 1 if something was lost, done twice or wrongly refused.
"""

import argparse
import base64
import concurrent.futures
import json
import random
import secrets
import signal
import sys
import threading
import time
import types

import requests

# This one finds the folder of wpin1.py.
from pin_client import Client, claims
from transaction_phone import Refusal

import wpin1
from wpin1 import unb64

PIN = "804613972558"
SESSIONS = 3
# The longest, in seconds.
PAUSE = 0.1
# Longer than any outage that a test causes, on a busy machine too.
PATIENCE = 300
PAYMENT = {"type": "TRANSFER", "amount": {"value": "9000", "currency": "EUR"}, "payee": {"name": "Anna", "account": "DE02"}}
PURCHASE = {
    "type": "PURCHASE", "amount": {"value": "1250", "currency": "EUR"},
    "payee": {"name": "Café Zürich", "account": "DE02120300000000202051"}, "requiredSecondFactorType": "BIOMETRIC",
}  # fmt: skip
KINDS = ("refreshes", "payments", "signIns", "transactions")


class Wrong(Exception):
    """An answer that no interruption explains."""


class Counts:
    """What was sent, and what came of it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.requests, self.unanswered = 0, 0
        self.failures = []
        self.longest = 0.0
        self.done = dict.fromkeys(KINDS, 0)
        self.found = {"lost": [], "twice": [], "wrong": []}

    def sent(self, failure=None, answered=True):
        with self.lock:
            self.requests += 1
            self.unanswered += not answered
            if failure:
                self.failures.append(failure)

    def waited(self, seconds):
        with self.lock:
            self.longest = max(self.longest, seconds)

    def acknowledged(self, kind):
        with self.lock:
            self.done[kind] += 1

    def note(self, what, text):
        with self.lock:
            self.found[what].append(text)

    def report(self):
        with self.lock:
            found = {what: len(texts) for what, texts in self.found.items()}
            # The first of each kind are enough to find the reason.
            notes = {**self.found, "failed": self.failures}
            details = [f"{what}: {text}" for what, texts in notes.items() for text in texts[:3]]
            return {"requests": self.requests, "failed": len(self.failures), "unanswered": self.unanswered,
                    "longest": round(self.longest, 2), "done": dict(self.done), **found, "details": details}  # fmt: skip


class Phone(Client):
    """The phone of pin_client.py, which repeats each request until it is answered."""

    counts = Counts()

    @classmethod
    def linked(cls, given):
        phone = cls.enrolled(given)
        phone.evaluating = threading.Lock()
        phone.set(PIN)
        phone.set_biometric_key(PIN, phone.token)
        return phone

    def send(self, method, path, body, headers, token=None, form=False, patience=PATIENCE):
        began, pause = time.monotonic(), 0.05
        while True:
            status, told = self.once(method, path, body, headers, token, form)
            if status is not None and status < 500:
                self.counts.waited(time.monotonic() - began)
                return status, told
            if time.monotonic() - began >= patience:
                if patience:
                    raise Wrong(f"{method} {path}: no answer within {PATIENCE} s, at last {status} {told}")
                return status, told
            # An app would wait longer: this one looks for trouble.
            time.sleep(pause)
            pause = min(0.4, pause * 2)

    def once(self, method, path, body, headers, token, form):
        """Sends it, again only for a nonce. The status is `None` if no answer came."""
        data = body if form else None if body is None else wpin1.compact(body)
        kind = {} if form or body is None else {"Content-Type": "application/json"}
        url = self.state["issuer"] + path
        for _ in range(3):
            try:
                answer = self.http.request(
                    method, url, data=data, headers=kind | headers(method, url, data, token), timeout=120, allow_redirects=False
                )
            except requests.RequestException as failure:
                self.counts.sent(f"{method} {path}: {failure}", answered=False)
                return None, str(failure)
            if answer.status_code >= 500:
                self.counts.sent(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
                return answer.status_code, answer.text[:200]
            self.counts.sent()
            self.nonce = answer.headers.get("DPoP-Nonce", self.nonce)
            told = answer.json() if answer.content else {}
            if "use_dpop_nonce" not in (told.get("error"), told.get("code")):
                break
        return answer.status_code, told

    def must(self, wanted, *arguments, **options):
        """The answer to a request that has to succeed in the end."""
        status, told = self.send(*arguments, **options)
        if status != wanted:
            raise Wrong(f"{arguments[0]} {arguments[1]}: {status} {told}")
        return told

    def pin_key(self, pin, epoch, *exchange):
        # The same in each exchange. Deriving it again would only take this machine's time.
        if not hasattr(self, "derived"):
            self.derived = super().pin_key(pin, epoch, *exchange)
        return self.derived

    # --- what runs at once

    def refresh(self, token, attempt):
        form = {"grant_type": "refresh_token", "client_id": self.state["client"], "refresh_token": token, "attempt": attempt}
        return self.send("POST", "/oauth2/token", form, self.by_dpop, form=True)

    def redeem_once(self, code, verifier):
        """A code is not sent again: its answer may be lost."""
        form = {"grant_type": "authorization_code", "client_id": self.state["client"], "code": code, "code_verifier": verifier}
        return self.send("POST", "/oauth2/token", form, self.by_dpop, form=True, patience=0)

    def code_by_pin(self):
        """A code and its verifier. An assertion may be repeated; each answer has a code of its own."""
        # A device has one open challenge of its PIN.
        with self.evaluating:
            form, verifier, _ = self.sign_in_form(PIN)
            told = self.must(200, "POST", "/oauth2/authorize-challenge", form, self.by_dpop, form=True)
        return told["authorization_code"], verifier

    def session(self):
        """A new session, whatever it takes."""
        while True:
            code, verifier = self.code_by_pin()
            status, tokens = self.redeem_once(code, verifier)
            if status == 200:
                return Session(self, tokens)
            if status is not None and status < 500:
                raise Wrong(f"a code is refused: {status} {tokens}")


class Session:
    """A session as its app knows it."""

    def __init__(self, phone, tokens):
        self.phone, self.token, self.access = phone, tokens["refresh_token"], tokens["access_token"]
        self.id = claims(self.access)["sid"]
        self.first, self.acknowledged, self.spent = generation(self.token), 0, None

    def renew(self, again=False):
        """One refresh, answered. Its repetition has the same successor."""
        phone, attempt = self.phone, secrets.token_urlsafe(16)
        answers = [phone.refresh(self.token, attempt) for _ in range(2 if again else 1)]
        for status, told in answers:
            if status != 200:
                phone.counts.note("lost", f"session {self.id}, generation {generation(self.token)}: {status} {told}")
                raise Wrong("signed out")
        if len({told["refresh_token"] for _, told in answers}) > 1:
            phone.counts.note("twice", f"session {self.id}: two successors")
        self.spent, self.token = self.token, answers[-1][1]["refresh_token"]
        self.access = answers[-1][1]["access_token"]
        self.acknowledged += 1

    def audit(self):
        """The newest token works, the session has risen by one for each refresh, and no other token is alive."""
        self.renew()
        risen = generation(self.token) - self.first
        if risen != self.acknowledged:
            self.phone.counts.note(
                "lost" if risen < self.acknowledged else "twice",
                f"session {self.id}: {self.acknowledged} refreshes were answered, and its generation rose by {risen}",
            )
        # Reuse ends the session, and with it the newest token.
        for token in (self.spent, self.token):
            status, _ = self.phone.refresh(token, secrets.token_urlsafe(16))
            if status != 400:
                self.phone.counts.note("twice", f"session {self.id}: a spent token gets {status}")


def generation(token):
    """Key id, session, generation, MAC."""
    return int.from_bytes(unb64(token.removeprefix("wrt_"))[20:24], "big")


class Backend:
    """A shop: asks for consents, carries payments out, and has transactions signed."""

    def __init__(self, given, client, secret):
        self.phone = Phone.new("", given.issuer, given.client)
        self.basic = "Basic " + base64.b64encode(f"{client}:{secret}".encode()).decode()
        self.bearer, self.good_until = None, 0

    def begin(self):
        form = {"grant_type": "client_credentials", "scope": "wallet_operations transactions"}
        asked = time.monotonic()
        told = self.phone.must(200, "POST", "/oauth2/token", form, lambda *_: {"Authorization": self.basic}, form=True)
        self.bearer, self.good_until = "Bearer " + told["access_token"], asked + told["expires_in"] / 2
        return self

    def twin(self):
        twin = object.__new__(Backend)
        twin.basic, twin.bearer, twin.phone, twin.good_until = self.basic, self.bearer, self.phone.twin(), self.good_until
        return twin

    def send(self, method, path, body=None, key=None, **options):
        if time.monotonic() > self.good_until:
            self.begin()
        headers = {"Authorization": self.bearer} | ({"Idempotency-Key": key} if key else {})
        return self.phone.send(method, path, body, lambda *_: headers, **options)

    def must(self, wanted, method, path, body=None, key=None):
        status, told = self.send(method, path, body, key)
        if status != wanted:
            raise Wrong(f"{method} {path}: {status} {told}")
        return told


# --- the kinds


def refreshes(world, phone, chance):
    session = phone.session()
    world.sessions.append(session)
    while world.goes_on():
        session.renew(again=chance.random() < 0.1)
        phone.counts.acknowledged("refreshes")


def payments(world, phone, chance):
    backend, other = world.backend.twin(), world.backend.twin()
    session = phone.session()
    opened = time.monotonic()
    while world.goes_on():
        # After five minutes without a sign-in a consent takes more than the look at the holder; tokens end then as well.
        if time.monotonic() - opened > 120:
            session, opened = phone.session(), time.monotonic()
        name = f"pay-{secrets.token_hex(8)}"
        wanted = {"walletOperationId": name, "accountId": phone.state["account"], "sessionId": session.id, **PAYMENT}
        event = backend.must(201, "POST", "/v1/wallet-operations", wanted, name)["eventId"]
        body = {"walletOperationId": name, "verification": {"method": "BIOMETRIC", "channel": "DEVICE"}}
        path = f"/v1/sca/events/{event}"
        challenge = phone.must(200, "POST", path + "/challenges", body, phone.by_dpop, session.access)
        about = wpin1.payload_hash("wallet-sca-v1", unb64(challenge["operation"]))
        value = phone.assertion(
            challenge, "sca", about, "BIOMETRIC", 0, phone.keys["presence"], txid=event, decision="approve"
        )  # fmt: skip
        told = phone.must(200, "POST", path + "/attempts", body | {"value": value}, phone.by_dpop, session.access)
        if told["status"] != "VERIFIED":
            raise Wrong(f"a consent: {told}")
        use = {"eventId": event, "accountId": phone.state["account"], **PAYMENT}
        path = f"/v1/wallet-operations/{name}/consume"
        if chance.random() < 0.5:
            status, told = backend.send("POST", path, use, name)
            answers = [(status, told), other.send("POST", path, use, name + "-again")]
        else:
            answers = world.at_once(
                lambda: backend.send("POST", path, use, name), lambda: other.send("POST", path, use, name + "-again")
            )
        paid = [told for status, told in answers if status == 200]
        refused = {told.get("code") for status, told in answers if status != 200}
        if len(paid) > 1:
            phone.counts.note("twice", f"payment {name} was carried out twice")
        if len(paid) != 1 or refused - {"sca_already_used"}:
            raise Wrong(f"payment {name}: {answers}")
        world.payments.append(name)
        phone.counts.acknowledged("payments")


def sign_ins(world, phone, chance):
    twin = phone.twin()
    while world.goes_on():
        code, verifier = phone.code_by_pin()
        if chance.random() < 0.25:
            # What a thief of the code would do: at most one opens a session, and its repetition ends that.
            answers = world.at_once(lambda: phone.redeem_once(code, verifier), lambda: twin.redeem_once(code, verifier))
            if sum(status == 200 for status, _ in answers) > 1:
                phone.counts.note("twice", "one code opened two sessions")
            continue
        status, tokens = phone.redeem_once(code, verifier)
        if status == 200:
            world.sessions.append(Session(phone, tokens))
            phone.counts.acknowledged("signIns")
        elif status is not None and status < 500:
            raise Wrong(f"a code is refused: {status} {tokens}")


def transactions(world, phone, chance):
    backend, twin = world.backend.twin(), phone.twin()
    while world.goes_on():
        key = f"order-{secrets.token_hex(8)}"
        wanted = {"accountId": phone.state["account"], "reference": key, **PURCHASE}
        created = [backend.must(201, "POST", "/v1/transactions", wanted, key) for _ in range(2 if chance.random() < 0.1 else 1)]
        if len({told["transactionId"] for told in created}) > 1:
            phone.counts.note("twice", f"transaction {key} was created twice")
        phone.claim(created[0]["qrData"])
        phone.confirm(False)
        transaction, _ = phone.open()
        path, body = f"/v1/transactions/{transaction['transactionId']}/sign", {"jws": phone.signed(None, False)}
        calls = [lambda: phone.send("POST", path, body, phone.nothing)]
        if chance.random() < 0.25:
            calls.append(lambda: twin.send("POST", path, body, twin.nothing))
        for status, told in world.at_once(*calls):
            if status != 200 or told["status"] != "SIGNED":
                raise Wrong(f"transaction {key}: {status} {told}")
        world.orders[key] = transaction["transactionId"]
        phone.counts.acknowledged("transactions")


class World:
    def __init__(self, given, settings):
        self.over = threading.Event()
        self.counts, self.seed = Phone.counts, given.seed
        self.sessions, self.payments, self.orders = [], [], {}
        self.pool = concurrent.futures.ThreadPoolExecutor(16)
        self.backend = Backend(given, given.backend, settings["secret"]).begin()
        self.phones = [
            Phone.linked(types.SimpleNamespace(issuer=given.issuer, client=given.client, **person))
            for person in settings["people"]
        ]
        self.cooled()

    def cooled(self):
        """Waits until the devices' cooling period is over: before it no phone signs."""
        end = time.monotonic() + PATIENCE
        for phone in self.phones:
            while True:
                devices = phone.must(200, "GET", "/v1/devices", None, phone.by_dpop, phone.token)["devices"]
                if all(device.get("coolingUntil", 0) + 1 < time.time() for device in devices):
                    break
                if time.monotonic() > end:
                    raise Wrong("the devices do not cool: give the servers a short period")
                time.sleep(0.1)

    def goes_on(self):
        """Whether another round begins, after a pause like a person's: without pauses the load leaves the other tests no processor."""
        return not self.over.wait(random.random() * PAUSE)

    def at_once(self, *calls):
        return [running.result() for running in [self.pool.submit(call) for call in calls]]

    def threads(self):
        threads = []
        for number, phone in enumerate(self.phones):
            for kind, count in ((refreshes, SESSIONS), (payments, 1), (sign_ins, 1), (transactions, 1)):
                for copy in range(count):
                    chance = random.Random(f"{self.seed} {number} {kind.__name__} {copy}")
                    threads.append(threading.Thread(target=self.guarded, args=(kind, phone, chance), daemon=True))
        return threads

    def guarded(self, kind, phone, chance):
        try:
            kind(self, phone.twin(), chance)
        except (Wrong, Refusal) as wrong:
            # A thread that stops is found by its test, which waits for every kind to go on.
            self.counts.note("wrong", f"{kind.__name__}: {wrong} {getattr(wrong, 'told', '')}")

    @staticmethod
    def audit_session(session):
        # Many sessions have one phone, which asks for one thing at a time.
        session.phone = session.phone.twin()
        with session.phone.http:
            try:
                session.audit()
            except Wrong:
                pass

    def audit(self):
        """Everything that was acknowledged is there, once."""
        backend = self.backend.begin()
        list(self.pool.map(self.audit_session, self.sessions))
        for name in self.payments:
            told = backend.must(200, "GET", f"/v1/wallet-operations/{name}")
            if told["status"] != "AUTHORIZED":
                self.counts.note("lost", f"payment {name} is {told['status']}")
        stored, cursor = [], ""
        while cursor is not None:
            page = backend.must(200, "GET", "/v1/transactions" + (f"?cursor={cursor}" if cursor else ""))
            stored += page["transactions"]
            cursor = page.get("cursor")
        by_reference = {}
        for transaction in stored:
            if transaction.get("reference") in by_reference:
                self.counts.note("twice", f"transaction {transaction['reference']} is there twice")
            by_reference[transaction.get("reference")] = transaction
        for key, identifier in self.orders.items():
            found = by_reference.get(key, {})
            if (found.get("transactionId"), found.get("status")) != (identifier, "SIGNED"):
                self.counts.note("lost", f"transaction {key} is {found.get('status')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("--issuer", "--client", "--backend"):
        parser.add_argument(name, required=True)
    parser.add_argument("--seed", required=True, type=int)
    given = parser.parse_args()
    world = World(given, json.loads(sys.stdin.readline()))
    signal.signal(signal.SIGTERM, lambda *_: world.over.set())
    threads = world.threads()
    for thread in threads:
        thread.start()
    said = None
    while not world.over.wait(0.1):
        if (line := world.counts.report()) != said:
            said = line
            print(json.dumps(line), flush=True)
    for thread in threads:
        thread.join()
    world.audit()
    report = world.counts.report()
    print(json.dumps(report | {"finished": True, "sessions": len(world.sessions)}), flush=True)
    return 1 if report["lost"] or report["twice"] or report["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
