"""Requests over one connection. Each answer has a mark, by which the trace tells when its first byte left."""

import hashlib
import http.client
import ipaddress
import json
import os
import re
import sys
import urllib.parse

from server import ISSUER

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "Benchmarks", "measure"))

import phone  # noqa: E402
from client import Key, base64url, verifier_and_challenge  # noqa: E402

wpin1 = phone.wpin1
__all__ = ["App", "Mark", "Unanswered", "Wire", "base64url", "digest", "phone", "wpin1"]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Unanswered(Exception):
    """Nothing is known of what was asked: the connection ended, or the server was too busy or could not write."""


class Mark:
    """The k-th answer to a peer since a record; for a command that no server carried out, the record at its end."""

    def __init__(self, peer=None, since=0, number=0, at=None):
        self.peer, self.since, self.number, self.at = peer, since, number, at

    def resolve(self, answers):
        if self.at is not None and self.peer not in answers:
            return self.at
        later = [sequence for sequence in answers.get(self.peer, []) if sequence > self.since]
        if len(later) <= self.number:
            raise LookupError(f"the trace has no answer {self.number} to {self.peer} after record {self.since}")
        return later[self.number]


class Reply:
    def __init__(self, status, headers, text, mark):
        self.status, self.headers, self.text, self.mark = status, headers, text, mark

    @property
    def json(self):
        return json.loads(self.text) if self.text else {}

    def __repr__(self):
        return f"{self.status} {self.text[:300]}"


class Wire:
    """One at a time: the next request goes out when the answer to the last one is in."""

    def __init__(self, server, control=None, patience=20, source="127.0.0.1"):
        self.server, self.control, self.patience, self.source = server, control, patience, source
        self.connection, self.refused = None, None

    def connect(self):
        # Before the connection is there: nothing that an earlier owner of the port was answered counts.
        self.since, self.answered = self.control.sequence if self.control else 0, 0
        self.connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.port, timeout=self.patience, source_address=(self.source, 0)
        )
        self.connection.connect()
        address, port = self.connection.sock.getsockname()
        self.peer = int(ipaddress.ip_address(address)) << 16 | port

    def close(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    @property
    def now(self):
        return self.control.sequence if self.control else 0

    def send(self, method, path, body=None, headers=None):
        try:
            if not self.connection:
                self.connect()
            self.connection.request(method, path, body, headers or {})
            answer = self.connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as trouble:
            self.close()
            raise Unanswered(f"{method} {path}: {trouble!r}") from trouble
        reply = Reply(answer.status, answer.headers, text, Mark((False, self.peer), self.since, self.answered))
        self.answered += 1
        if answer.will_close:
            self.close()
        if reply.status >= 500:
            self.refused = reply
            raise Unanswered(f"{method} {path}: {reply}")
        return reply

    def form(self, path, fields, **headers):
        return self.send("POST", path, urllib.parse.urlencode(fields), {**FORM, **headers})


class App(phone.Issuer):
    """An app with its DPoP key, on one wire. Requests say to which of the server's URLs they are; they go where it listens."""

    def __init__(self, wire, name="com.example.torture"):
        self.url = ISSUER
        super().__init__(self, name, Key())
        self.wire = wire

    def over(self, wire):
        """The same app on another wire: that of an image's server."""
        if self.wire is not wire:
            self.wire, self.nonce = wire, None
        return self

    def proof(self, path, method="POST", token=None):
        if self.nonce is None:
            self.renew_nonce()
        return self.key.proof(self.url + path, self.nonce, method, token)

    def renew_nonce(self):
        form = {**self.sign_in, "login_method": "password", "username": "nobody", "password": "none"}
        reply = self.wire.form(phone.SIGN_IN, form, DPoP=self.key.proof(self.url + phone.SIGN_IN))
        self.nonce = reply.headers["DPoP-Nonce"]

    def again(self, ask):
        """Asks, and once more where the nonce of the proof was an old one."""
        reply = ask()
        fresh = reply.headers.get("DPoP-Nonce")
        stale = reply.status in (400, 401) and "use_dpop_nonce" in reply.text + (reply.headers.get("WWW-Authenticate") or "")
        if fresh:
            self.nonce = fresh
        return ask() if stale and fresh else reply

    def step(self, path, **fields):
        return self.again(lambda: self.wire.form(path, fields, DPoP=self.proof(path)))

    def call(self, method, path, body=None, token=None, **headers):
        """Its answer as the benchmark's phone takes it."""
        reply = self.ask(method, path, body, token, **headers)
        return reply.json, reply.headers

    def ask(self, method, path, body=None, token=None, **headers):
        data = body if isinstance(body, bytes) else None if body is None else wpin1.compact(body)

        def once():
            fields = {"Content-Type": "application/json", **headers}
            if token:
                fields |= {"Authorization": f"DPoP {token}", "DPoP": self.proof(path, method, token)}
            return self.wire.send(method, path, data, fields)

        return self.again(once)

    def code(self, address):
        """The newest code that was sent to an address, as the sandbox shows it; the message waits for nothing there."""
        page = self.wire.send("GET", "/sandbox/outbox").text
        for message in page.split("<li>"):
            if f"<strong>{address}</strong>" in message and (found := re.search(r"<code>(\d{6})</code>", message)):
                return found[1]
        return None

    def new_challenge(self):
        """Another PKCE pair: a code is redeemed with that of its own sign-in."""
        self.verifier, self.challenge = verifier_and_challenge()
        self.sign_in = {**self.sign_in, "code_challenge": self.challenge}
        self.subject = wpin1.payload_hash("wallet-login-v1", (self.thumbprint + self.challenge).encode())


def digest(data):
    return hashlib.sha256(data).hexdigest()
