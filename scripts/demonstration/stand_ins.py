"""What is around the server where phones are reached: a stand-in for Apple's push service, and a shop's backend with a webhook."""

import base64
import hashlib
import hmac
import json
import os
import secrets
import subprocess
import sys
import textwrap
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from narrator import Failed, require
from partner import Caller
from programs import PATIENCE, end, environment, tail

PUSH_SERVICE = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "Server", "Tests", "EndToEndTests", "Peers", "push_service.py"
)
# An elliptic private key (PKCS #8, P-256) up to its 32 bytes: any 32 random ones are a key.
KEY_HEADER = bytes.fromhex("3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420")


class PushService:
    """push_service.py of the tests: what Apple's service is asked, and its answers."""

    def __init__(self, folder, gone):
        """`gone` is the token of a phone whose app was deleted."""
        self.pushes, self.said = [], threading.Condition()
        self.log = os.path.join(folder, "push-service.log")
        with open(self.log, "ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, PUSH_SERVICE], env=environment(PUSH_GONE=gone), stdout=subprocess.PIPE, stderr=errors,
                text=True, start_new_session=True,
            )  # fmt: skip
        self.url = self.process.stdout.readline().removeprefix("ready at ").strip()
        require(self.url, f"the stand-in for Apple's push service did not come up:\n{tail(self.log)}")
        self.key = os.path.join(folder, "AuthKey_KEY1234567.p8")
        with open(self.key, "w", encoding="utf-8") as file:
            lines = textwrap.wrap(base64.b64encode(KEY_HEADER + secrets.token_bytes(32)).decode(), 64)
            file.write("\n".join(["-----BEGIN PRIVATE KEY-----", *lines, "-----END PRIVATE KEY-----", ""]))
        os.chmod(self.key, 0o600)
        threading.Thread(target=self.listen, daemon=True).start()

    def settings(self, topic):
        """The server's, to use this instead of Apple's service."""
        return {
            "WALLETAUTH_PUSH_APNS_TEAM": "TEAM123456", "WALLETAUTH_PUSH_APNS_KEY_ID": "KEY1234567",
            "WALLETAUTH_PUSH_APNS_KEY_FILE": self.key, "WALLETAUTH_PUSH_APNS_TOPIC": topic,
            "WALLETAUTH_PUSH_APNS_URL": self.url,
        }  # fmt: skip

    def listen(self):
        for line in self.process.stdout:
            with self.said:
                self.pushes.append(json.loads(line))
                self.said.notify_all()

    def about(self, subject):
        """The push about a transaction or an event, as soon as it is there."""
        return self.wait(lambda push: json.loads(push["body"]).get("id") == subject)

    def wait(self, is_wanted):
        with self.said:
            if not self.said.wait_for(lambda: any(map(is_wanted, self.pushes)), PATIENCE):
                raise Failed(f"no push arrived:\n{tail(self.log)}")
            return next(filter(is_wanted, self.pushes))

    def stop(self):
        return end(self)


class Shop(ThreadingHTTPServer):
    """A shop's backend: it asks people to sign, and hears by webhook of what they did."""

    daemon_threads = True

    def __init__(self, issuer, client_id, secret):
        super().__init__(("127.0.0.1", 0), Hooks)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/hooks"
        self.caller = Caller(issuer, client_id, secret, "transactions")
        self.secret = None
        self.events, self.refused, self.said = [], 0, threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def ask(self, account, payee, value):
        """A transaction for that account; returns its id."""
        request = {
            "accountId": account, "type": "PURCHASE", "amount": {"value": value, "currency": "EUR"},
            "payee": {"name": payee, "account": "CH9300762011623852957"}, "expiresIn": 900,
        }  # fmt: skip
        key = {"Idempotency-Key": secrets.token_urlsafe(16)}
        status, answer = self.caller.call("/v1/transactions", request, key)
        require(status == 201, f"creating a transaction got {status}: {answer}")
        return answer["transactionId"]

    def hear(self, kind, transaction):
        """Waits for the event; returns it, with the time at which it arrived."""

        def found():
            return next((e for e in self.events if e["type"] == kind and e["data"]["transactionId"] == transaction), None)

        with self.said:
            if not self.said.wait_for(lambda: found() is not None, PATIENCE):
                raise Failed(f"the shop did not hear of {kind}")
            return found()

    def stop(self):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        """A connection that the client has dropped is nothing to print a traceback about."""


class Hooks(BaseHTTPRequestHandler):
    """Standard Webhooks by the standard library alone."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        shop = self.server
        with shop.said:
            if is_verified := self.is_signed(body):
                shop.events.append({**json.loads(body), "arrived": time.monotonic()})
            else:
                shop.refused += 1
            shop.said.notify_all()
        self.send_response(204 if is_verified else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def is_signed(self, body):
        number, sent = self.headers.get("webhook-id", ""), self.headers.get("webhook-timestamp", "")
        if not sent.isdigit() or abs(time.time() - int(sent)) > 300:
            return False
        key = base64.b64decode(self.server.secret.removeprefix("whsec_"))
        mac = hmac.new(key, f"{number}.{sent}.".encode() + body, hashlib.sha256).digest()
        wanted = "v1," + base64.b64encode(mac).decode()
        return any(hmac.compare_digest(wanted, word) for word in self.headers.get("webhook-signature", "").split())
