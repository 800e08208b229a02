"""A stand-in for Apple's sign-in service that shares no code with ours: written from Apple's pages on the token, key and
revocation endpoints, on client secrets, on server-to-server notifications and on the transfer of an app to another team.

Prints one line, `ready at URL`, then one line of JSON for each request. The developer's key is made at start and written to
APPLE_KEY_FILE as a .p8 file; team and key id are in APPLE_TEAM and APPLE_KEY_ID.

What a person does on a phone, and what happens at Apple, is asked for at POST /control with JSON {"do": …}:
`sheet` (client_id, nonce, account, and `claims` that replace those of the identity token) answers code and token,
`notify` (client_id, account, type, and `claims`) answers the body of a notification, `roll` takes a new key into use,
`move` (team) transfers the app to another team, `down` and `up` break and mend the service.
"""

import base64
import hashlib
import json
import os
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

TEAM = os.environ["APPLE_TEAM"]
KEY_ID = os.environ["APPLE_KEY_ID"]
FIVE_MINUTES = 300
SIX_MONTHS = 15777000

lock = threading.Lock()
developer = ec.generate_private_key(ec.SECP256R1())
with open(os.environ["APPLE_KEY_FILE"], "wb") as file:
    file.write(
        developer.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Service:
    def __init__(self):
        self.base = ""
        self.team = TEAM
        self.people = set()
        self.people_of_former_team = set()
        self.migration_tokens = set()
        self.keys = []
        self.codes = {}
        self.grants = {}
        self.down = False
        self.key_requests = 0
        self.roll()
        self.roll()

    def roll(self):
        self.keys.append((secrets.token_hex(5).upper(), rsa.generate_private_key(65537, 2048)))
        self.keys = self.keys[-3:]

    def signed(self, claims):
        kid, key = self.keys[-1]
        head = encoded(json.dumps({"alg": "RS256", "kid": kid}).encode()) + "." + encoded(json.dumps(claims).encode())
        return head + "." + encoded(key.sign(head.encode(), padding.PKCS1v15(), hashes.SHA256()))

    def key_set(self):
        self.key_requests += 1
        keys = []
        for kid, key in self.keys:
            numbers = key.public_key().public_numbers()
            keys.append(
                {
                    "kty": "RSA",
                    "kid": kid,
                    "use": "sig",
                    "alg": "RS256",
                    "n": encoded(numbers.n.to_bytes(256, "big")),
                    "e": encoded(numbers.e.to_bytes(3, "big")),
                }
            )
        return {"keys": keys}

    def subject(self, account):
        return "001234." + hashlib.sha256((self.team + account).encode()).hexdigest()[:32] + ".0815"

    def transfer_subject(self, account, team):
        """What the former team and this one call the same person."""
        return "001234." + hashlib.sha256(("transfer to " + team + account).encode()).hexdigest()[:32] + ".1234"

    def move(self, team):
        self.team = team
        self.people_of_former_team = set(self.people)
        self.migration_tokens.clear()

    def claims(self, client, account, nonce=None, code=None):
        now = int(time.time())
        claims = {
            "iss": self.base,
            "aud": client,
            "exp": now + 86400,
            "iat": now,
            "sub": self.subject(account),
            "email": hashlib.sha256(account.encode()).hexdigest()[:10] + "@privaterelay.appleid.com",
            "email_verified": "true",
            "is_private_email": "true",
            "auth_time": now,
            "nonce_supported": True,
        }
        if nonce is not None:
            claims["nonce"] = nonce
        if code is not None:
            claims["c_hash"] = encoded(hashlib.sha256(code.encode()).digest()[:16])
        if account in self.people_of_former_team:
            claims["transfer_sub"] = self.transfer_subject(account, self.team)
        return claims

    def sheet(self, asked):
        client, account, nonce = asked["client_id"], asked.get("account", "ada"), asked.get("nonce")
        self.people.add(account)
        code = "c" + secrets.token_hex(16) + ".0.mrwvx." + secrets.token_hex(8)
        self.codes[code] = {
            "client": client,
            "account": account,
            "nonce": nonce,
            "redirect_uri": asked.get("redirect_uri"),
            # Apple Accounts of organizations may have no address, neither here nor in the answer to the code.
            "without": [name for name, value in asked.get("claims", {}).items() if value is None],
            "until": time.time() + FIVE_MINUTES,
            "used": False,
        }
        claims = self.claims(client, account, nonce, code)
        for name, value in asked.get("claims", {}).items():
            if value is None:
                claims.pop(name, None)
            else:
                claims[name] = value
        return {"code": code, "id_token": self.signed(claims), "user": self.subject(account)}

    def notification(self, asked):
        now = int(time.time())
        event = {
            "type": asked["type"],
            "sub": self.subject(asked.get("account", "ada")),
            "event_time": int(time.time() * 1000),
        }
        claims = {
            "iss": self.base,
            "aud": asked["client_id"],
            "iat": now,
            "exp": now + 86400,
            "jti": secrets.token_urlsafe(16),
            "events": json.dumps(event),
        }
        claims.update(asked.get("claims", {}))
        return {"payload": self.signed(claims)}

    def client_secret_fault(self, secret, client):
        try:
            head, body, signature = secret.split(".")
            header, claims = json.loads(decoded(head)), json.loads(decoded(body))
            raw = decoded(signature)
        except ValueError:
            return "is no JWT"
        if header.get("alg") != "ES256" or header.get("kid") != KEY_ID:
            return "has another algorithm or key id"
        if len(raw) != 64:
            return "has a signature that is not r and s"
        der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        try:
            developer.public_key().verify(der, f"{head}.{body}".encode(), ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return "is signed by another key"
        now = time.time()
        if claims.get("iss") != self.team:
            return "names another team"
        if claims.get("sub") != client:
            return "names another client"
        if claims.get("aud") != self.base:
            return "is for another audience"
        if not claims.get("iat", 1e12) <= now + 60 or not now < claims.get("exp", 0) <= now + SIX_MONTHS:
            return "is too old or lasts too long"
        return None

    def token(self, form):
        for name in ("client_id", "client_secret", "grant_type"):
            if name not in form:
                return 400, {"error": "invalid_request"}, f"{name} is missing"
        client = form["client_id"]
        fault = self.client_secret_fault(form["client_secret"], client)
        if fault:
            return 400, {"error": "invalid_client"}, "the secret " + fault
        if form["grant_type"] == "refresh_token":
            grant = self.grants.get(form.get("refresh_token"))
            if grant is None or grant["client"] != client:
                return 400, {"error": "invalid_grant"}, "unknown refresh token"
            return 200, self.tokens(grant, None), "refreshed"
        if form["grant_type"] == "client_credentials":
            if form.get("scope") != "user.migration":
                return 400, {"error": "invalid_scope"}, "no user.migration"
            token = "m" + secrets.token_hex(16)
            self.migration_tokens.add(token)
            return 200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600}, "migration token"
        if form["grant_type"] != "authorization_code":
            return 400, {"error": "unsupported_grant_type"}, form["grant_type"]
        kept = self.codes.get(form.get("code"))
        if kept is None or kept["until"] < time.time():
            return 400, {"error": "invalid_grant", "error_description": "The code has expired or has been revoked."}, "unknown code"
        if kept["client"] != client:
            return 400, {"error": "invalid_client"}, "the code is another client's"
        if kept["used"]:
            return 400, {"error": "invalid_grant", "error_description": "The code has already been used."}, "used code"
        if kept["redirect_uri"] != form.get("redirect_uri"):
            return 400, {"error": "invalid_grant"}, "another redirect_uri"
        kept["used"] = True
        refresh = "r" + secrets.token_hex(16) + ".0.mrwvx." + secrets.token_hex(8)
        self.grants[refresh] = kept
        return 200, self.tokens(kept, refresh), "redeemed"

    def tokens(self, kept, refresh):
        claims = self.claims(kept["client"], kept["account"], kept["nonce"])
        for name in kept["without"]:
            claims.pop(name, None)
        answer = {
            "access_token": "a" + secrets.token_hex(16),
            "token_type": "Bearer",
            "expires_in": 3600,
            "id_token": self.signed(claims),
        }
        if refresh:
            answer["refresh_token"] = refresh
        return answer

    def migration(self, form, authorization):
        fault = self.client_secret_fault(form.get("client_secret", ""), form.get("client_id"))
        if fault:
            return 400, {"error": "invalid_client"}, "the secret " + fault
        scheme, _, token = authorization.partition(" ")
        if scheme != "Bearer" or token not in self.migration_tokens:
            return 400, {"error": "invalid_request"}, "no migration token"
        for account in self.people:
            if self.subject(account) == form.get("sub") and len(form.get("target", "")) == 10:
                return 200, {"transfer_sub": self.transfer_subject(account, form["target"])}, "told " + account
        return 400, {"error": "invalid_request"}, "unknown person or team"

    def revoke(self, form):
        fault = self.client_secret_fault(form.get("client_secret", ""), form.get("client_id"))
        if fault:
            return 400, {"error": "invalid_client"}, "the secret " + fault
        known = self.grants.pop(form.get("token"), None)
        return 200, None, "revoked" if known else "was not there"


service = Service()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *arguments):
        pass

    def answer(self, status, content, note):
        body = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if body:
            self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)
        print(json.dumps({"path": self.path, "status": str(status), "note": note}), flush=True)

    def do_GET(self):
        with lock:
            if service.down:
                self.answer(503, {}, "down")
            elif self.path == "/auth/keys":
                self.answer(200, service.key_set(), f"keys {service.key_requests}")
            else:
                self.answer(404, {}, "unknown")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with lock:
            if self.path == "/control":
                self.answer(*self.controlled(json.loads(body)))
            elif service.down:
                self.answer(503, {}, "down")
            elif self.headers.get("Content-Type", "").split(";")[0] != "application/x-www-form-urlencoded":
                self.answer(400, {"error": "invalid_request"}, "no form")
            else:
                form = {name: values[0] for name, values in parse_qs(body.decode(), keep_blank_values=True).items()}
                calls = {
                    "/auth/token": service.token,
                    "/auth/revoke": service.revoke,
                    "/auth/usermigrationinfo": lambda form: service.migration(form, self.headers.get("Authorization", "")),
                }
                call = calls.get(self.path)
                self.answer(*(call(form) if call else (404, {}, "unknown")))

    def controlled(self, asked):
        what = asked["do"]
        if what == "sheet":
            return 200, service.sheet(asked), "sheet"
        if what == "notify":
            return 200, service.notification(asked), "notification"
        if what == "roll":
            service.roll()
        elif what == "move":
            service.move(asked["team"])
        elif what in ("down", "up"):
            service.down = what == "down"
        else:
            return 400, {}, "unknown"
        return 200, {}, what


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    service.base = f"http://127.0.0.1:{server.server_port}"
    print(f"ready at {service.base}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
