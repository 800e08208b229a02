"""A partner's backend, as apps with Paysafe's SDK have one: it redeems codes, keeps the refresh token, and moves the money.

It speaks plain OAuth and the calls of docs/protocol.md, section 4, with the standard library alone: a partner's backend need not be in Swift.
"""

import base64
import json
import secrets
import threading
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from programs import PATIENCE

OPERATION = {
    "type": "TRANSFER",
    "amount": {"value": "25000", "currency": "EUR"},
    "payee": {"name": "Dune Bakery", "account": "DE02120300000000202051"},
}


class Caller:
    """Calls the server as a backend, with its secret, or with a token of its own."""

    def __init__(self, issuer, client_id, secret, scope):
        self.issuer, self.scope = issuer, scope
        self.basic = base64.b64encode(f"{client_id}:{secret}".encode()).decode()

    def call(self, path, body, headers=None):
        """A call with the backend's own token."""
        _, grant = self.token(grant_type="client_credentials", scope=self.scope)
        headers = {**(headers or {}), "Content-Type": "application/json", "Authorization": f"Bearer {grant['access_token']}"}
        return self.send(path, json.dumps(body).encode(), headers)

    def token(self, **form):
        return self.form("/oauth2/token", **form)

    def form(self, path, **form):
        return self.send(path, urllib.parse.urlencode(form).encode(), {"Authorization": f"Basic {self.basic}"})

    def send(self, path, body, headers):
        request = urllib.request.Request(self.issuer + path, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.load(refusal)


class Partner(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, issuer, client_id, secret):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.caller = Caller(issuer, client_id, secret, "wallet_operations")
        # What was carried out.
        self.paid = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def redeem(self, request):
        """The code for an access token. The refresh token stays here."""
        status, answer = self.caller.token(
            grant_type="authorization_code", code=request["code"], code_verifier=request["codeVerifier"],
            redirect_uri=request["redirectUri"],
        )  # fmt: skip
        if status != 200:
            return status, answer
        return 200, {"accessToken": answer["access_token"], "expiresIn": answer["expires_in"]}

    def transfer(self, request, token):
        """Pays once the person has agreed; until then it says what to agree to."""
        status, person = self.caller.form("/oauth2/introspect", token=token)
        if status != 200 or not person.get("active"):
            return 401, {"code": "invalid_token"}
        if details := request.get("scaDetails"):
            path = f"/v1/wallet-operations/{details['walletOperationId']}/consume"
            status, answer = self.caller.call(path, {"eventId": details["eventId"], "accountId": person["sub"], **OPERATION})
            if status != 200:
                return status, answer
            self.paid.append(answer["authenticationCode"])
            return 201, {"status": "PAID"}
        operation = {
            "accountId": person["sub"], "sessionId": person["sid"], "walletOperationId": secrets.token_urlsafe(16), **OPERATION,
        }  # fmt: skip
        status, answer = self.caller.call("/v1/wallet-operations", operation)
        if status == 201 and answer["status"] == "SCA_REQUIRED":
            needed = ("eventId", "walletOperationId", "availableVerifications")
            return 403, {"code": "sca_required", **{name: answer[name] for name in needed}}
        return status, answer

    def handle_error(self, request, client_address):
        """A connection that the client has dropped is nothing to print a traceback about."""


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        if self.path == "/codes":
            status, answer = self.server.redeem(request)
        else:
            token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
            status, answer = self.server.transfer(request, token)
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
